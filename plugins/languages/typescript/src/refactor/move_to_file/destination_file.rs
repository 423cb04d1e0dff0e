//! The file that receives the moved declarations.

use marquetry_sdk::{Result, Rewrite};
use oxc_ast::ast::*;
use oxc_span::GetSpan as _;

use crate::TypeScriptDocument;
use crate::editor::SyntaxEditor;
use crate::editor::fragment::with_parsed;
use crate::imports::insertion::insert_imports;
use crate::imports::module_uses::{ModuleUse, uses_of_module};
use crate::imports::{add, model};
use crate::infer::checker::Checker;
use crate::program::exports::export_name;
use crate::semantics::{Semantics, refusal_at};

/// Inserts the declarations from the file at `from`.
pub(super) fn answer(document: &TypeScriptDocument, from: &str, payload: &str) -> Result<Rewrite> {
    let (names, rest) = payload.split_once('\n').unwrap_or((payload, ""));
    let (length, content) = rest.split_once('\n').unwrap_or(("0", rest));
    let length: usize = length.parse().unwrap_or(0);
    let (imports, moved) = content.split_at_checked(length).unwrap_or(("", content));
    let names: Vec<&str> = names.split('\t').collect();
    Semantics::with(document, |code| {
        let mut editor = SyntaxEditor::new(code);
        code.with_checker(|checker| remove_own_imports(checker, from, &names, &mut editor))?;
        if !imports.is_empty() {
            check_imports(code, imports)?;
            add_imports(code, imports, &mut editor);
        }
        let text = code.text();
        let line_break = editor.style().line_break;
        let end = text.trim_end().len();
        let gap = if end == 0 { String::new() } else { line_break.repeat(2) };
        let tail = if text[end..].contains('\n') { "" } else { line_break };
        let moved = moved.replace('\n', line_break);
        editor.insert_before(end..end, format!("{gap}{moved}{tail}"));
        editor.finish()
    })
}

/// Removes imports of names that are declared here now. Refused if a moved name has another meaning here.
fn remove_own_imports(
    checker: &Checker<'_>,
    from: &str,
    names: &[&str],
    editor: &mut SyntaxEditor<'_, '_>,
) -> Result<()> {
    let here = checker.open_module();
    let mut released: Vec<&str> = Vec::new();
    for used in uses_of_module(checker, from) {
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
    Ok(())
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
