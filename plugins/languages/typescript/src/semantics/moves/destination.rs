//! The file that receives moved declarations: its imports of them, and whether their names and imports fit in.

use marquetry_sdk::Result;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::{GetSpan as _, Span};

use crate::editor::fragment::with_parsed;
use crate::imports::model;
use crate::imports::module_uses::{ModuleUse, uses_of_module};
use crate::infer::checker::Checker;
use crate::program::commonjs::required_call;
use crate::program::exports::export_name;
use crate::program::module::Module;
use crate::semantics::moves::required_names::{MovedUse, moved_use, whole_module_refusal};
use crate::semantics::{Semantics, refusal_at};
use crate::syntax::spans::Place as _;

/// Refuses a file with a `return` outside of functions: the code after it does not run.
pub(crate) fn check_end(code: Semantics<'_, '_>) -> Result<()> {
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
pub(crate) fn strict_mode_warning(checker: &Checker<'_>, from: &str) -> Option<String> {
    let is_strict = |module: &Module<'_>| module.program.directives.iter().any(|it| it.directive == "use strict");
    let original = checker.module(checker.load(from)?);
    let here = checker.open_module();
    (is_strict(&here) && !is_strict(&original))
        .then(|| format!("the moved code runs in strict mode in `{}`, but not in `{from}`", here.path))
}

/// Returns the first statement that is not an import.
pub(crate) fn first_code(code: Semantics<'_, '_>) -> Option<marquetry_sdk::Span> {
    let mut body = code.program().body.iter();
    body.find(|statement| model::imports_of_statement(statement).is_empty()).map(|it| it.span().place())
}

/// Returns whether code can be used before it is executed: it declares only functions and types.
pub(crate) fn is_hoisted(code: Semantics<'_, '_>, moved: &str) -> bool {
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

/// Returns the top-level statement that contains a place.
pub(crate) fn statement_around(checker: &Checker<'_>, place: Span) -> Option<marquetry_sdk::Span> {
    let here = checker.open_module();
    let found = here.program.body.iter().find(|it| it.span().contains_inclusive(place))?;
    Some(found.span().place())
}

/// Change of the imports of a file that gets the declarations itself.
pub(crate) enum Removal<'w> {
    /// Names of an import declaration.
    Names(Span, Vec<Span>),
    /// Properties of a pattern that destructures a required module.
    Properties(&'w ObjectPattern<'w>, Vec<Span>),
    /// A whole `require` statement.
    Require(Span),
}

/// Returns the changes that remove the imports of names that the file declares after the move. Fails if a name has
/// another meaning here.
pub(crate) fn own_imports<'w>(checker: &Checker<'w>, from: &str, names: &[&str]) -> Result<Vec<Removal<'w>>> {
    let here = checker.open_module();
    let mut released: Vec<&str> = Vec::new();
    let mut removals = Vec::new();
    for used in uses_of_module(checker, from) {
        if let ModuleUse::Call(node, call) = used
            && required_call(call).is_some()
        {
            if let Some((removal, locals)) = release_required(&here, node, names)? {
                removals.push(removal);
                released.extend(locals);
            }
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
            removals.push(Removal::Names(import.span, gone));
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
    Ok(removals)
}

/// Returns the change that removes moved names from a `require` of the original file, and the local names that are free
/// then. `None` if the `require` uses no moved name.
fn release_required<'w>(
    here: &Module<'w>,
    node: NodeId,
    names: &[&str],
) -> Result<Option<(Removal<'w>, Vec<&'w str>)>> {
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
        MovedUse::Absent => Ok(None),
        MovedUse::Pattern { gone, object, .. } => {
            let locals = properties(&|property| gone.contains(&property.span))?;
            Ok(Some((Removal::Properties(object, gone), locals)))
        }
        MovedUse::Only if pattern.is_some() => {
            let locals = properties(&|_| true)?;
            let statement = here.self_and_ancestors(node).find_map(|around| match here.kind(around) {
                AstKind::VariableDeclaration(variables) => Some(variables),
                _ => None,
            });
            match statement.filter(|statement| statement.declarations.len() == 1) {
                Some(statement) => Ok(Some((Removal::Require(statement.span), locals))),
                None => Err(whole_module_refusal(here.kind(node).span())),
            }
        }
        _ => Err(refusal_at("the original file is required as a whole here", here.kind(node).span())
            .hint("first require the names individually")),
    }
}

/// Returns the local name if an import specifier imports one of the names. Fails if it has an alias.
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

/// Refuses imports whose names have another meaning in the file.
pub(crate) fn check_imports(code: Semantics<'_, '_>, imports: &str) -> Result<()> {
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
        let Some(symbol) = code.top_level_symbol(&local) else { continue };
        if known(&local) != Some((specifier, name)) {
            let place = code.scoping().symbol_span(symbol);
            let message = format!("`{local}`, which the moved code uses, has a different meaning in this file");
            return Err(refusal_at(message, place).hint("first rename one of the two"));
        }
    }
    Ok(())
}
