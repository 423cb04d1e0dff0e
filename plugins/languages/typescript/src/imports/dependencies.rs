//! Imports that a part of a document uses.

use std::collections::HashSet;

use marquetry_sdk::{Dependency, Span};
use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_parser::Parser;
use oxc_semantic::{NodeId, SemanticBuilder};
use oxc_span::GetSpan as _;
use oxc_syntax::symbol::SymbolId;

use crate::imports::model;
use crate::semantics::effects::used_names;
use crate::syntax::tree::{Parsed, Tree};

/// Returns the imports whose names are used within the span, in import order.
pub(crate) fn dependencies_within(parsed: &Parsed<'_>, tree: &Tree, span: Span) -> Vec<Dependency> {
    match names_in_part(parsed, tree, span) {
        Some(names) => used_imports(parsed, span, &|local| names.contains(local.name.as_str())),
        None => {
            // `semantic()` runs the scope analysis, which also sets the symbol ids that are compared below.
            let names = used_names(parsed.semantic(), NodeId::ROOT, oxc_span::Span::new(span.start, span.end));
            let symbols: HashSet<SymbolId> = names.into_iter().filter_map(|free| free.symbol).collect();
            used_imports(parsed, span, &|local| local.symbol_id.get().is_some_and(|id| symbols.contains(&id)))
        }
    }
}

/// Returns the names used within the span that the top-level statements around the span do not declare. Only these
/// statements are analyzed. `None` if they are more than half of the text, or contain an import.
fn names_in_part(parsed: &Parsed<'_>, tree: &Tree, span: Span) -> Option<HashSet<String>> {
    let body = &parsed.program.body;
    let first = body.partition_point(|statement| statement.span().end <= span.start);
    let last = body.partition_point(|statement| statement.span().start < span.end);
    let around = body.get(first..last).filter(|around| !around.is_empty())?;
    let (start, end) = (around[0].span().start, around[around.len() - 1].span().end);
    let imports = |statement: &Statement<'_>| {
        matches!(statement, Statement::ImportDeclaration(_) | Statement::TSImportEqualsDeclaration(_))
            || model::imports_of_statement(statement).iter().any(|import| !import.bindings.is_empty())
    };
    let is_small = (end - start) as usize <= tree.text().len() / 2;
    if !is_small || parsed.repaired || around.iter().any(imports) {
        return None;
    }
    let arena = Allocator::default();
    let text = tree.text().get(start as usize..end as usize)?;
    let part = Parser::new(&arena, text, tree.grammar()).parse();
    if part.fatal_error {
        return None;
    }
    let semantic = SemanticBuilder::new().with_build_nodes(true).build(&part.program).semantic;
    let part = oxc_span::Span::new(span.start.max(start) - start, span.end.min(end) - start);
    let free = used_names(&semantic, NodeId::ROOT, part).into_iter().filter(|free| free.symbol.is_none());
    Some(free.map(|free| free.name.to_owned()).collect())
}

/// Returns the imports with a used name.
fn used_imports(parsed: &Parsed<'_>, span: Span, is_used: &dyn Fn(&BindingIdentifier<'_>) -> bool) -> Vec<Dependency> {
    let mut found = Vec::new();
    for import in model::imports(parsed.program) {
        for binding in &import.bindings {
            // The name in the import statement itself is not a use.
            let place = binding.local.span;
            let declares = span.start <= place.start && place.end <= span.end;
            if declares || !is_used(binding.local) {
                continue;
            }
            let dependency = Dependency { symbol: binding.name.to_string(), from: import.specifier.to_string() };
            if !found.contains(&dependency) {
                found.push(dependency);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::declarations::DeclTable;

    /// Checks for every declaration that analyzing the statements alone gives the same result as analyzing the whole
    /// file.
    fn check(path: &str, text: &str) -> usize {
        let tree = Tree::parse(path, text.to_owned());
        tree.with(|parsed| {
            let uses = |symbol, span: Span| {
                let semantic = parsed.semantic();
                let mut places = semantic.symbol_references(symbol).map(|reference| semantic.reference_span(reference));
                places.any(|place| span.start <= place.start && place.end <= span.end)
            };
            let whole = |local: &BindingIdentifier<'_>, span| local.symbol_id.get().is_some_and(|id| uses(id, span));
            let table = DeclTable::build(parsed, text);
            let spans = table.iter().map(|(_, decl)| decl.span);
            let named_parts = spans.filter_map(|span| Some((span, names_in_part(parsed, &tree, span)?)));
            let compared = named_parts.map(|(span, names)| {
                parsed.semantic();
                let part = used_imports(parsed, span, &|local| names.contains(local.name.as_str()));
                let all = used_imports(parsed, span, &|local| whole(local, span));
                assert_eq!(part, all, "{path}: {}", span.slice(text));
            });
            compared.count()
        })
    }

    #[test]
    fn single_statements_have_same_dependencies() {
        let text = "import a, { b, type T } from './m';\nimport * as n from 'n';\n\
            function shadows(b: number) { const a = 1; return a + b; }\n\
            class C<T> extends a { x: T; m(n = b) { return n.y; } static s = () => <n.Tag {...b} />; }\n\
            interface I extends T { a: typeof n }\nenum E { A = b, B }\nconst { c = b } = a;\n\
            export default function () { var n; { let b: T; } }\nlabel: for (const b of a) b;\n";
        assert!(check("a.tsx", text) > 5);
    }
}
