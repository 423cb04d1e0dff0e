//! Inlining in importing files: calls are inlined, and an import is removed if it becomes unused.

use marquetry_sdk::items::{C_STYLE, EmptyStyle, Items};
use marquetry_sdk::{Destination, Edit, Result, Rewrite, Span};
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;

use super::callee::InlinedFunction;
use super::sites::{CallingFile, InlineResult};
use super::{ID, Source, function_of, refusal};
use crate::TypeScriptDocument;
use crate::editor::{final_checks, indentation};
use crate::imports::model;
use crate::program::ids::OPEN_DOCUMENT;
use crate::semantics::with_checker;
use crate::syntax::spans::to_sdk_span;
use crate::syntax::tree::Tree;

/// Returns the payload for importers: the path of this file, the exported names of the function, the names of this file
/// that the function uses, and the text of the function.
pub(super) fn payload(source: Source<'_, '_>, callee: &InlinedFunction<'_, '_>, exported: &[String]) -> String {
    let own = source.source_text(callee.function.span());
    let bound: Vec<&str> =
        callee.free_names.iter().filter(|name| name.symbol.is_some()).map(|name| name.name).collect();
    format!("{ID}\n{}\n{}\n{}\n({own})", source.tree.path(), exported.join(","), bound.join(","))
}

/// Inlines a function of the module at `from` in this document. `payload` is a [`payload`] without its first line.
pub(in crate::refactor) fn answer(document: &TypeScriptDocument, from: &str, payload: &str) -> Result<Rewrite> {
    let unreadable = || refusal("the request cannot be parsed", "run the refactoring again");
    let (path, rest) = payload.split_once('\n').ok_or_else(unreadable)?;
    let (names, rest) = rest.split_once('\n').ok_or_else(unreadable)?;
    let (bound, own) = rest.split_once('\n').ok_or_else(unreadable)?;
    let (names, bound): (Vec<&str>, Vec<&str>) = (names.split(',').collect(), bound.split(',').collect());
    let local = imported_symbols(document, from, &names);
    let program = Tree::parse(path, format!("const inlined = {own};"));
    let mut all = InlineResult::default();
    document.tree.with(|parsed| {
        if parsed.repaired {
            return Err(refusal("the file cannot be parsed", "fix its syntax errors first"));
        }
        program.with(|callee_parsed| {
            let callee_source = Source::new(&program, callee_parsed);
            let source = Source::new(&document.tree, parsed);
            let function = payload_function(callee_source).ok_or_else(unreadable)?;
            let callee = InlinedFunction::new(callee_source, function)?;
            for (symbol, _) in &local {
                let caller =
                    CallingFile { source, callee_source, callee: &callee, is_same_file: false, needed_names: &bound };
                inline_imported_calls(&caller, *symbol, &mut all);
            }
            Ok(())
        })
    })?;
    let mut edits = all.edits;
    let mut stays = None;
    for (symbol, name) in &local {
        if !is_unused(document, *symbol, &edits) {
            continue;
        }
        match document.tree.with(|parsed| remove_from_import(Source::new(&document.tree, parsed), *name)) {
            Some(removal) => edits.extend(removal),
            None => {
                let name = name.slice(document.tree.text());
                let why = "because loading the module may have side effects; `remove_unused_imports` removes it";
                stays = Some(format!("the import of `{name}` was kept in `{}` {why}", document.tree.path()));
            }
        }
    }
    let edits = final_checks::sort_edits(edits)?;
    document.tree.with(|parsed| final_checks::check_syntax(parsed, &document.tree, &edits))?;
    let mut rewrite = Rewrite::from(edits);
    rewrite.unresolved = all.unresolved;
    rewrite.incomplete = stays;
    Ok(rewrite)
}

/// Inlines the calls that can be inlined, and reports the rest.
fn inline_imported_calls(caller: &CallingFile<'_, '_, '_, '_>, symbol: SymbolId, all: &mut InlineResult) {
    match caller.inline(symbol, false) {
        Ok(done) => {
            all.edits.extend(done.edits);
            all.unresolved.extend(done.unresolved);
        }
        Err(_) => {
            let semantic = caller.source.semantic;
            let references = semantic.scoping().get_resolved_references(symbol);
            all.unresolved.extend(references.map(|reference| to_sdk_span(semantic.reference_span(reference))));
        }
    }
}

/// Returns the function in the parsed payload.
fn payload_function<'a>(source: Source<'_, 'a>) -> Option<super::FunctionNode<'a>> {
    let Some(Statement::VariableDeclaration(variables)) = source.parsed.program.body.first() else { return None };
    let declarator = variables.declarations.first()?;
    let BindingPattern::BindingIdentifier(name) = &declarator.id else { return None };
    function_of(source.semantic, name.symbol_id.get()?).or_else(|| {
        match declarator.init.as_ref()?.get_inner_expression() {
            Expression::FunctionExpression(function) => Some(super::FunctionNode::Function(function)),
            Expression::ArrowFunctionExpression(arrow) => Some(super::FunctionNode::Arrow(arrow)),
            _ => None,
        }
    })
}

/// Returns the local names of these imports from the module, with the spans of the names.
fn imported_symbols(document: &TypeScriptDocument, from: &str, names: &[&str]) -> Vec<(SymbolId, Span)> {
    with_checker(document, |checker| {
        let here = checker.open_module();
        let mut found = Vec::new();
        for import in model::imports(here.program) {
            let wanted = import.bindings.iter().filter(|binding| names.contains(&&*binding.name));
            let symbols: Vec<_> =
                wanted.filter_map(|it| Some((it.local.symbol_id.get()?, to_sdk_span(it.local.span)))).collect();
            let destination = || checker.destination(OPEN_DOCUMENT, &import.specifier);
            if !symbols.is_empty() && matches!(destination(), Destination::Inside(found) if found.path == from) {
                found.extend(symbols);
            }
        }
        found
    })
}

/// Returns whether the edits cover all uses of a name.
fn is_unused(document: &TypeScriptDocument, symbol: SymbolId, edits: &[Edit]) -> bool {
    document.tree.with(|parsed| {
        let semantic = parsed.semantic();
        let mut uses = semantic.scoping().get_resolved_references(symbol);
        !edits.is_empty()
            && uses.all(|used| edits.iter().any(|edit| edit.span.contains(to_sdk_span(semantic.reference_span(used)))))
    })
}

/// Removes a name from an import. `None` if it is the only one.
fn remove_from_import(source: Source<'_, '_>, name: Span) -> Option<Vec<Edit>> {
    let text = source.text();
    let holds = |import: &&ImportDeclaration<'_>| to_sdk_span(import.span).contains(name);
    let import = source.parsed.program.body.iter().find_map(|statement| match statement {
        Statement::ImportDeclaration(import) => Some(&**import).filter(holds),
        _ => None,
    })?;
    let named = import.specifiers.iter().flatten().filter_map(|specifier| match specifier {
        ImportDeclarationSpecifier::ImportSpecifier(named) => Some(to_sdk_span(named.span)),
        _ => None,
    });
    let items: Vec<Span> = named.collect();
    let index = items.iter().position(|item| item.contains(name))?;
    if items.len() < 2 {
        return None;
    }
    let start = import.span.start as usize;
    let open = start + text[start..items[0].range().start].rfind('{')? + 1;
    let last = items.last()?.range().end;
    let close = last + text[last..].find('}')?;
    let unit = indentation::unit(source.tree);
    let list = Items {
        text,
        inner: Span::new(open, close),
        items,
        separator: ",",
        terminated: false,
        comments: C_STYLE,
        unit: &unit,
        empty: EmptyStyle::Padded,
        breaks: 1,
    };
    Some(list.delete(&[index]))
}
