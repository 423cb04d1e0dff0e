//! The file that receives the moved declarations.

use marquetry_sdk::{Edit, Result, Rewrite, Span, lines};
use oxc_ast::ast::*;
use oxc_span::GetSpan as _;

use crate::TypeScriptDocument;
use crate::editor::indentation;
use crate::imports::add;
use crate::infer::checker::Checker;
use crate::program::exports::export_name;
use crate::refactor::move_to_file::importers::without_names;
use crate::refactor::move_to_file::moved_text::insert_imports;
use crate::refactor::move_to_file::refusal_at;
use crate::semantics::with_checker;
use crate::syntax::spans::span_in;
use crate::syntax::tree::{Parsed, Tree};

/// Inserts the declarations from the file at `from`.
pub(super) fn answer(document: &TypeScriptDocument, from: &str, payload: &str) -> Result<Rewrite> {
    let (names, rest) = payload.split_once('\n').unwrap_or((payload, ""));
    let (length, content) = rest.split_once('\n').unwrap_or(("0", rest));
    let length: usize = length.parse().unwrap_or(0);
    let (imports, moved) = content.split_at_checked(length).unwrap_or(("", content));
    let names: Vec<&str> = names.split('\t').collect();
    let tree = &document.tree;
    let mut edits = with_checker(document, |checker| remove_own_imports(checker, from, &names))?;
    tree.with(|parsed| {
        if !imports.is_empty() {
            check_imports(parsed.semantic(), parsed.program, imports)?;
            add_imports(parsed, tree, imports, &mut edits);
        }
        let text = tree.text();
        let line_break = lines::line_break(text);
        let end = text.trim_end().len();
        let gap = if end == 0 { String::new() } else { line_break.repeat(2) };
        let tail = if text[end..].contains('\n') { "" } else { line_break };
        let moved = moved.replace('\n', line_break);
        edits.push(Edit::insert(end, format!("{gap}{moved}{tail}")));
        Ok(edits.into())
    })
}

/// Removes imports of names that are declared here now. Refused if a moved name has another meaning here.
fn remove_own_imports(checker: &Checker<'_>, from: &str, names: &[&str]) -> Result<Vec<Edit>> {
    let here = checker.open_module();
    let text = here.text();
    let mut edits: Vec<Edit> = Vec::new();
    let mut released: Vec<&str> = Vec::new();
    for statement in &here.program.body {
        let Statement::ImportDeclaration(import) = statement else { continue };
        if !import.source.value.as_str().is_some_and(|specifier| checker.resolves_to(specifier, from)) {
            continue;
        }
        let specifiers = import.specifiers.as_ref().map(|all| all.as_slice()).unwrap_or_default();
        let mut gone = Vec::new();
        for (at, listed) in specifiers.iter().enumerate() {
            if let Some(name) = imported_local_name(listed, names)? {
                released.push(name);
                gone.push(at);
            }
        }
        let spans: Vec<Span> = specifiers.iter().map(|it| span_in(it.span(), text)).collect();
        edits.extend(without_names(text, span_in(import.span, text), &spans, &gone));
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
    Ok(edits)
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
fn add_imports(parsed: &Parsed<'_>, tree: &Tree, imports: &str, edits: &mut Vec<Edit>) {
    let text = tree.text();
    let added = add::merge_imports(parsed, text, &indentation::unit(tree), imports, tree.grammar());
    let (more, rest) = added.map_or((Vec::new(), imports.to_owned()), |added| (added.edits, added.remaining));
    let touches = |one: &Edit, other: &Edit| other.span.contains(one.span) || one.span.contains(other.span);
    let clashes = more.iter().any(|one| edits.iter().any(|other| touches(one, other)));
    let rest = if clashes { imports.to_owned() } else { rest };
    if !clashes {
        edits.extend(more);
    }
    if !rest.is_empty() {
        edits.push(insert_imports(parsed.program, text, &rest));
    }
}

/// Refuses imports whose names have another meaning in the file.
fn check_imports(semantic: &oxc_semantic::Semantic<'_>, program: &Program<'_>, imports: &str) -> Result<()> {
    let known = |name: &str| {
        let statements = program.body.iter().flat_map(crate::imports::model::imports_of_statement);
        let mut bindings = statements.flat_map(|import| {
            let specifier = import.specifier.to_string();
            import.bindings.into_iter().map(move |binding| (specifier.clone(), binding))
        });
        bindings
            .find(|(_, binding)| binding.local.name == name)
            .map(|(specifier, binding)| (specifier, binding.name.to_string()))
    };
    let wanted = crate::editor::fragment::with_parsed(imports, oxc_span::SourceType::ts(), |program| {
        let all = crate::imports::model::imports(program);
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
        let Some(symbol) = semantic.scoping().get_root_binding(Ident::from(local.as_str())) else { continue };
        if known(&local) != Some((specifier, name)) {
            let place = semantic.scoping().symbol_span(symbol);
            let message = format!("`{local}`, which the moved code uses, has a different meaning in this file");
            return Err(refusal_at(message, place).hint("first rename one of the two"));
        }
    }
    Ok(())
}
