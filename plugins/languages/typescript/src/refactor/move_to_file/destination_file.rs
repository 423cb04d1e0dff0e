//! The file that receives the moved declarations.

use marquetry_sdk::{Result, Rewrite};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use crate::TypeScriptDocument;
use crate::editor::SyntaxEditor;
use crate::editor::fragment::with_parsed;
use crate::imports::insertion::insert_imports;
use crate::imports::module_uses::{ModuleUse, uses_of_module};
use crate::imports::{add, model};
use crate::infer::checker::Checker;
use crate::program::commonjs::required_call;
use crate::program::exports::export_name;
use crate::program::module::Module;
use crate::refactor::move_to_file::commonjs_exports::{ExportStyle, export_statements, new_exports, replace_exports};
use crate::refactor::move_to_file::importers::whole_module_refusal;
use crate::refactor::move_to_file::module_system::ModuleSystem;
use crate::refactor::move_to_file::moved_requires::{RequireLine, insert_requires, remove_require, require_quote};
use crate::refactor::move_to_file::required_names::{MovedUse, moved_use, take_properties};
use crate::semantics::{Semantics, refusal_at};

/// Inserts the declarations from the file at `from`.
pub(super) fn answer(
    document: &TypeScriptDocument,
    from: &str,
    payload: &str,
    system: ModuleSystem,
) -> Result<Rewrite> {
    let (names, rest) = payload.split_once('\n').unwrap_or((payload, ""));
    let (exports, rest) = rest.split_once('\n').unwrap_or(("", rest));
    let exports: Vec<String> = exports.split('\t').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let (length, content) = rest.split_once('\n').unwrap_or(("0", rest));
    let length: usize = length.parse().unwrap_or(0);
    let (imports, moved) = content.split_at_checked(length).unwrap_or(("", content));
    let names: Vec<&str> = names.split('\t').collect();
    Semantics::with(document, |code| {
        if system == ModuleSystem::CommonJs {
            check_end(code)?;
        }
        let mut editor = SyntaxEditor::new(code);
        let was_imported = code.with_checker(|checker| remove_own_imports(checker, from, &names, &mut editor))?;
        if !imports.is_empty() {
            check_imports(code, imports)?;
            match system {
                ModuleSystem::Es => add_imports(code, imports, &mut editor),
                ModuleSystem::CommonJs => add_requires(code, imports, &mut editor),
            }
        }
        let new_exports = code.with_checker(|checker| add_exports(checker, &exports, &mut editor))?;
        let first = first_code(code).filter(|_| was_imported && !is_hoisted(code, moved));
        insert_moved(code, moved, (first, new_exports), &mut editor);
        let strict_mode = code.with_checker(|checker| strict_mode_warning(checker, from));
        let incomplete = strict_mode.filter(|_| system == ModuleSystem::CommonJs);
        Ok(Rewrite { incomplete, ..editor.finish()? })
    })
}

/// Refuses a file with a `return` outside of functions: the code after it does not run.
fn check_end(code: Semantics<'_, '_>) -> Result<()> {
    let is_outside = |node: NodeId| {
        let mut around = code.nodes().ancestor_kinds(node);
        !around.any(|kind| matches!(kind, AstKind::Function(_) | AstKind::ArrowFunctionExpression(_)))
    };
    let returns = code.nodes().iter().filter(|node| matches!(node.kind(), AstKind::ReturnStatement(_)));
    match returns.filter(|node| is_outside(node.id())).last() {
        None => Ok(()),
        Some(last) => {
            Err(refusal_at("this file ends early: it has a `return` outside of functions", last.kind().span())
                .hint("choose another destination, or first replace the `return`"))
        }
    }
}

/// Returns a warning if this file is in strict mode and the original file is not.
fn strict_mode_warning(checker: &Checker<'_>, from: &str) -> Option<String> {
    let is_strict = |module: &Module<'_>| module.program.directives.iter().any(|it| it.directive == "use strict");
    let original = checker.module(checker.load(from)?);
    let here = checker.open_module();
    (is_strict(&here) && !is_strict(&original))
        .then(|| format!("the moved code runs in strict mode in `{}`, but not in `{from}`", here.path))
}

/// Inserts the moved code: before the first code that may use it while the file is loaded, before the statement that
/// exports it, or at the end.
fn insert_moved(
    code: Semantics<'_, '_>,
    moved: &str,
    (first, exports): (Option<oxc_span::Span>, NewExports),
    editor: &mut SyntaxEditor<'_, '_>,
) {
    let (text, line_break) = (code.text(), editor.style().line_break);
    let moved = moved.replace('\n', line_break);
    let (before, last) = match (first, exports) {
        (Some(first), NewExports::After(statements)) => (Some(first), statements),
        (first, NewExports::Before(statement)) => (first.or(Some(statement)), String::new()),
        (None, NewExports::After(statements)) if statements.is_empty() => (None, moved.clone()),
        (None, NewExports::After(statements)) => (None, format!("{moved}{}{statements}", line_break.repeat(2))),
    };
    if let Some(before) = before {
        editor.declare_before(before, &moved, 2);
    }
    if !last.is_empty() {
        let end = text.trim_end().len();
        let gap = if end == 0 { String::new() } else { line_break.repeat(2) };
        let tail = if text[end..].contains('\n') { "" } else { line_break };
        editor.insert_before(end..end, format!("{gap}{last}{tail}"));
    }
}

/// Returns the first statement that is not an import.
fn first_code(code: Semantics<'_, '_>) -> Option<oxc_span::Span> {
    code.program().body.iter().find(|statement| model::imports_of_statement(statement).is_empty()).map(|it| it.span())
}

/// Returns whether code can be used before it is executed: it declares only functions and types.
fn is_hoisted(code: Semantics<'_, '_>, moved: &str) -> bool {
    let is_function = |statement: &Statement<'_>| {
        let declaration = match statement {
            Statement::ExportDeclaration(export) => Some(&export.declaration),
            other => other.as_declaration(),
        };
        matches!(
            declaration,
            Some(
                Declaration::FunctionDeclaration(_)
                    | Declaration::TSInterfaceDeclaration(_)
                    | Declaration::TSTypeAliasDeclaration(_)
            )
        )
    };
    with_parsed(moved, code.tree().grammar(), |program| program.body.iter().all(is_function)).unwrap_or_default()
}

/// Exports of the moved names.
enum NewExports {
    /// The statement `module.exports = { … }` exports them. The moved code is inserted before it.
    Before(oxc_span::Span),
    /// These statements after the moved code export them.
    After(String),
}

fn add_exports(checker: &Checker<'_>, names: &[String], editor: &mut SyntaxEditor<'_, '_>) -> Result<NewExports> {
    let (names, style) = new_exports(checker, names)?;
    if names.is_empty() {
        return Ok(NewExports::After(String::new()));
    }
    let here = checker.open_module();
    let statement = match &style {
        ExportStyle::Object(object) => here.program.body.iter().find(|it| it.span().contains_inclusive(object.span)),
        _ => None,
    };
    Ok(match statement {
        Some(statement) => {
            replace_exports(checker, &[], &names, editor);
            NewExports::Before(statement.span())
        }
        None => NewExports::After(export_statements(&style, &names, editor.style().semicolon)),
    })
}

/// Adds names to `require` statements for the same module, or new statements.
fn add_requires(code: Semantics<'_, '_>, requires: &str, editor: &mut SyntaxEditor<'_, '_>) {
    let quote = require_quote(code.program());
    let mut new: Vec<String> = Vec::new();
    for line in requires.lines() {
        let parsed = RequireLine::parse(line, ";");
        let Some(mut line) = parsed else {
            new.push(line.to_owned());
            continue;
        };
        let declared = |name: &String| {
            let local = name.rsplit(": ").next().unwrap_or(name);
            code.scoping().get_root_binding(Ident::from(local)).is_some()
        };
        line.names.retain(|name| !declared(name));
        if quote == '"' {
            line.value = line.value.replace('\'', "\"")
        } else {
            line.value = line.value.replace('"', "'")
        }
        if !line.names.is_empty() {
            new.push(line.print(editor.style().semicolon));
        }
    }
    if !new.is_empty() {
        insert_requires(code.program(), code.text(), &new.join("\n"), editor);
    }
}

/// Removes imports of names that are declared here now, and returns whether the file had some. Refused if a moved name has another meaning here.
fn remove_own_imports(
    checker: &Checker<'_>,
    from: &str,
    names: &[&str],
    editor: &mut SyntaxEditor<'_, '_>,
) -> Result<bool> {
    let here = checker.open_module();
    let mut released: Vec<&str> = Vec::new();
    for used in uses_of_module(checker, from) {
        if let ModuleUse::Call(node, call) = used
            && required_call(call).is_some()
        {
            released.extend(release_required(&here, node, names, editor)?);
            continue;
        }
        let ModuleUse::Import(import) = used else { continue };
        let mut gone = Vec::new();
        for listed in import.specifiers.iter().flatten() {
            if let Some(name) = imported_local_name(listed, names)? {
                released.push(name);
                gone.push(listed.span());
            }
        }
        if !gone.is_empty() {
            editor.remove_module_names(import.span, &gone);
        }
    }
    let scoping = here.scoping();
    for name in names {
        let clash = scoping.get_root_binding(Ident::from(*name)).filter(|_| !released.contains(name));
        let captured = scoping.root_unresolved_references().get(&Ident::from(*name));
        let captured = captured.and_then(|all| all.first());
        let captured = captured.map(|id| here.semantic().reference_span(scoping.get_reference(*id)));
        let place = clash.map(|symbol| scoping.symbol_span(symbol)).or(captured);
        if let Some(place) = place {
            return Err(refusal_at(format!("`{name}` has a different meaning in this file"), place)
                .hint("first rename one of the two"));
        }
    }
    Ok(!released.is_empty())
}

/// Removes moved names from a `require` of the original file, and returns the local names that are free now.
fn release_required<'w>(
    here: &Module<'w>,
    node: NodeId,
    names: &[&str],
    editor: &mut SyntaxEditor<'_, '_>,
) -> Result<Vec<&'w str>> {
    let pattern = match here.parent_kind(node) {
        AstKind::VariableDeclarator(VariableDeclarator { id: BindingPattern::ObjectPattern(object), .. }) => {
            Some(object)
        }
        _ => None,
    };
    let properties = |gone: &dyn Fn(&BindingProperty<'w>) -> bool| -> Result<Vec<&'w str>> {
        let mut locals = Vec::new();
        for property in pattern.into_iter().flat_map(|object| &object.properties).filter(|it| gone(it)) {
            match &property.value {
                BindingPattern::BindingIdentifier(local) if property.shorthand => locals.push(local.name.as_str()),
                other => {
                    let message = "the moved name has an alias here";
                    return Err(refusal_at(message, other.span()).hint("first require it without an alias"));
                }
            }
        }
        Ok(locals)
    };
    match moved_use(here, node, &|name| names.contains(&name))? {
        MovedUse::Absent => Ok(Vec::new()),
        MovedUse::Pattern { gone, object, .. } => {
            let locals = properties(&|property| gone.contains(&property.span))?;
            take_properties(here, object, &gone, editor);
            Ok(locals)
        }
        MovedUse::Only if pattern.is_some() => {
            let locals = properties(&|_| true)?;
            let statement = here.self_and_ancestors(node).find_map(|around| match here.kind(around) {
                AstKind::VariableDeclaration(variables) => Some(variables),
                _ => None,
            });
            match statement.filter(|statement| statement.declarations.len() == 1) {
                Some(statement) => remove_require(here.text(), statement.span, editor),
                None => return Err(whole_module_refusal(here.kind(node).span())),
            }
            Ok(locals)
        }
        _ => Err(refusal_at("the original file is required as a whole here", here.kind(node).span())
            .hint("first require the names individually")),
    }
}

/// Returns the local name if an import specifier imports one of the names. Refused if it has an alias.
fn imported_local_name<'w>(listed: &'w ImportDeclarationSpecifier<'w>, names: &[&str]) -> Result<Option<&'w str>> {
    match listed {
        ImportDeclarationSpecifier::ImportSpecifier(named) => {
            let name = export_name(&named.imported);
            if !names.contains(&name) {
                return Ok(None);
            }
            if named.local.name != name {
                return Err(refusal_at(format!("`{name}` is imported as `{}` here", named.local.name), named.span)
                    .hint("first import it without an alias"));
            }
            Ok(Some(named.local.name.as_str()))
        }
        ImportDeclarationSpecifier::ImportNamespaceSpecifier(space) => {
            Err(refusal_at("a namespace import of the original file is used here", space.span)
                .hint("first import the names individually"))
        }
        ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => Ok(None),
    }
}

/// Merges the imports into existing ones, unless these are edited for another reason.
fn add_imports(code: Semantics<'_, '_>, imports: &str, editor: &mut SyntaxEditor<'_, '_>) {
    let (parsed, text) = (code.parsed, code.text());
    let added = add::merge_imports(parsed, text, &editor.style().unit, imports, code.tree().grammar());
    let (merged, rest) = added.map_or((Vec::new(), imports.to_owned()), |added| (added.edits, added.remaining));
    let rest = if editor.conflicts_with(&merged) {
        imports.to_owned()
    } else {
        editor.add_edits(merged);
        rest
    };
    if !rest.is_empty() {
        editor.add_edits([insert_imports(parsed.program, text, &rest)]);
    }
}

/// Refuses imports whose names have another meaning in the file.
fn check_imports(code: Semantics<'_, '_>, imports: &str) -> Result<()> {
    let known = |name: &str| {
        let mut all = model::imports(code.program());
        all.find_map(|import| {
            let binding = import.bindings.iter().find(|binding| binding.local.name == name)?;
            Some((import.specifier.to_string(), binding.name.to_string()))
        })
    };
    let wanted = with_parsed(imports, oxc_span::SourceType::ts(), |program| {
        let all = model::imports(program);
        let names = all.flat_map(|import| {
            let specifier = import.specifier.to_string();
            import
                .bindings
                .into_iter()
                .map(move |it| (specifier.clone(), it.name.to_string(), it.local.name.to_string()))
        });
        names.collect::<Vec<(String, String, String)>>()
    });
    for (specifier, name, local) in wanted.unwrap_or_default() {
        let Some(symbol) = code.scoping().get_root_binding(Ident::from(local.as_str())) else { continue };
        if known(&local) != Some((specifier, name)) {
            let place = code.scoping().symbol_span(symbol);
            let message = format!("`{local}`, which the moved code uses, has a different meaning in this file");
            return Err(refusal_at(message, place).hint("first rename one of the two"));
        }
    }
    Ok(())
}
