//! Variables shared with closures: a copy in the new function must not behave differently from the variable.

use marquetry_sdk::Result;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, Reference, Semantic, SymbolId};
use oxc_span::GetSpan as _;

use crate::semantics::effects;
use crate::semantics::extraction::code_range::CodeRange;
use crate::semantics::functions::{enclosing_function, is_in_loop};
use crate::semantics::refusal_at;

/// Methods that call their callback only before they return.
const SYNCHRONOUS_CALLBACK_METHODS: [&str; 17] = [
    "every",
    "filter",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "flatMap",
    "forEach",
    "map",
    "reduce",
    "reduceRight",
    "replace",
    "replaceAll",
    "some",
    "sort",
    "toSorted",
    "from",
];

/// Refuses to pass a variable to a new function if a closure may change or read it while the range runs, or afterwards.
/// With `is_assigned`, the function assigns it.
pub(crate) fn check_passed_variable(
    semantic: &Semantic<'_>,
    range: &CodeRange<'_>,
    symbol: SymbolId,
    is_assigned: bool,
) -> Result<()> {
    let scoping = semantic.scoping();
    if !scoping.symbol_is_mutated(symbol) {
        return Ok(());
    }
    let home = enclosing_function(semantic, range.parent(semantic));
    let looping = is_in_loop(semantic, range.node());
    let shared = |at: oxc_span::Span| {
        let name = scoping.symbol_name(symbol);
        refusal_at(format!("`{name}` is shared with a function that may run at a different time"), at)
            .hint("use `scope: inner` to keep it a single variable")
    };
    if is_assigned {
        check_caught_assignment(semantic, range, symbol)?;
    }
    // A closure created in the range captures the copy.
    let kept = escaping_references(semantic, range, symbol);
    let set_later = |reference: &&Reference| {
        let at = semantic.reference_span(reference);
        reference.is_write() && !range.contains(at) && (at.start > range.span.start || looping)
    };
    if let Some(capture) = kept.first()
        && let Some(_) = scoping.get_resolved_references(symbol).find(set_later)
    {
        return Err(shared(semantic.reference_span(capture)));
    }
    if let Some(written) = kept.iter().find(|reference| reference.is_write()) {
        return Err(shared(semantic.reference_span(written)));
    }
    // A closure outside of the range may run while the range does. It uses the variable, not the copy.
    if range.may_run_other_code {
        let outside = scoping.get_resolved_references(symbol).find(|reference| {
            let at = semantic.reference_span(reference);
            !range.contains(at)
                && enclosing_function(semantic, reference.node_id()) != home
                && !function_contains_range(semantic, reference.node_id(), range)
                && (reference.is_write() || is_assigned)
        });
        if let Some(outside) = outside {
            return Err(shared(semantic.reference_span(outside)));
        }
    }
    Ok(())
}

/// Refuses an assignment in a `try` block if the variable is used after the block: if the selection throws, the new
/// function does not return the assigned value.
fn check_caught_assignment(semantic: &Semantic<'_>, range: &CodeRange<'_>, symbol: SymbolId) -> Result<()> {
    let home = enclosing_function(semantic, range.parent(semantic));
    let mut around = semantic.nodes().ancestors(range.node()).take_while(|node| Some(node.id()) != home);
    let block = around.find_map(|node| match node.kind() {
        AstKind::TryStatement(it) => Some(it.block.span).filter(|block| contains_range(*block, range)),
        _ => None,
    });
    let Some(block) = block else { return Ok(()) };
    let mut references = semantic.scoping().get_resolved_references(symbol).map(|it| semantic.reference_span(it));
    match references.find(|span| span.start >= block.end) {
        None => Ok(()),
        Some(used) => {
            let name = semantic.scoping().symbol_name(symbol);
            let message =
                format!("`{name}` is used after the `try`, and would keep its old value if the selection throws");
            Err(refusal_at(message, used).hint("select the whole `try` statement, or use `scope: inner`"))
        }
    }
}

fn contains_range(outer: oxc_span::Span, range: &CodeRange<'_>) -> bool {
    outer.start <= range.span.start && range.span.end <= outer.end
}

/// Refuses to move a variable that closures in the range share with the code after it.
pub(crate) fn check_exposed_variable(semantic: &Semantic<'_>, range: &CodeRange<'_>, symbol: SymbolId) -> Result<()> {
    let scoping = semantic.scoping();
    check_early_uses(semantic, range, symbol)?;
    let kept = escaping_references(semantic, range, symbol);
    let Some(first) = kept.first() else { return Ok(()) };
    let mut outside = scoping.get_resolved_references(symbol).filter(|it| !range.contains(semantic.reference_span(it)));
    if kept.iter().any(|reference| reference.is_write()) || outside.any(Reference::is_write) {
        let name = scoping.symbol_name(symbol);
        let message = format!("`{name}` would become two variables: a function in the selection captures it");
        return Err(
            refusal_at(message, semantic.reference_span(first)).hint("exclude its declaration from the selection")
        );
    }
    Ok(())
}

/// Refuses to move a variable if the code after its declaration may call a function that uses it: the variable would
/// only be set when the selection has run.
fn check_early_uses(semantic: &Semantic<'_>, range: &CodeRange<'_>, symbol: SymbolId) -> Result<()> {
    let (nodes, scoping) = (semantic.nodes(), semantic.scoping());
    let declared = nodes.kind(scoping.symbol_declaration(symbol)).span().end;
    let later = oxc_span::Span::new(declared, range.span.end.max(declared));
    let mut run = effects::executed_nodes(semantic, range.node(), later);
    if !run.any(|(_, kind)| effects::has_side_effect(&kind)) {
        return Ok(());
    }
    let home = enclosing_function(semantic, range.parent(semantic));
    // Declared functions are hoisted; other functions must exist before the range.
    let may_run = |reference: &&Reference| {
        let mut around =
            nodes.ancestor_kinds(reference.node_id()).take_while(|kind| !contains_range(kind.span(), range));
        !range.contains(semantic.reference_span(reference))
            && enclosing_function(semantic, reference.node_id()) != home
            && around.any(|kind| match kind {
                AstKind::Function(it) => it.is_function_declaration() || it.span.start < range.span.start,
                AstKind::ArrowFunctionExpression(it) => it.span.start < range.span.start,
                _ => false,
            })
            && !function_contains_range(semantic, reference.node_id(), range)
    };
    match scoping.get_resolved_references(symbol).find(may_run) {
        None => Ok(()),
        Some(reference) => {
            let message =
                format!("`{}` is used by a function that the selection may call", scoping.symbol_name(symbol));
            Err(refusal_at(message, semantic.reference_span(reference))
                .hint("exclude the declaration from the selection"))
        }
    }
}

/// Returns uses of a variable in closures that are created in the range and may outlive it.
fn escaping_references<'s>(semantic: &'s Semantic<'_>, range: &CodeRange<'_>, symbol: SymbolId) -> Vec<&'s Reference> {
    let references = semantic.scoping().get_resolved_references(symbol);
    references
        .filter(|reference| {
            range.contains(semantic.reference_span(reference)) && is_in_escaping_closure(semantic, range, reference)
        })
        .collect()
}

/// Returns whether a use is in a closure of the range that is not just a callback for one call.
fn is_in_escaping_closure(semantic: &Semantic<'_>, range: &CodeRange<'_>, reference: &Reference) -> bool {
    let nodes = semantic.nodes();
    let around = nodes.ancestor_ids(reference.node_id()).take_while(|node| range.contains(nodes.kind(*node).span()));
    let is_function =
        |node: &NodeId| matches!(nodes.kind(*node), AstKind::Function(_) | AstKind::ArrowFunctionExpression(_));
    let mut functions = around.filter(is_function);
    functions.any(|function| !is_synchronous_callback(semantic, function))
}

fn is_synchronous_callback(semantic: &Semantic<'_>, function: NodeId) -> bool {
    let nodes = semantic.nodes();
    let own = nodes.kind(function);
    let is_sync = match own {
        AstKind::Function(it) => !it.r#async && !it.generator,
        AstKind::ArrowFunctionExpression(it) => !it.r#async,
        _ => false,
    };
    let mut inner = own.span();
    for around in nodes.ancestor_kinds(function) {
        match around {
            AstKind::ParenthesizedExpression(it) => inner = it.span,
            AstKind::CallExpression(call) => {
                let by_method = matches!(&call.callee, Expression::StaticMemberExpression(member)
                    if SYNCHRONOUS_CALLBACK_METHODS.contains(&member.property.name.as_str()));
                return is_sync && (call.callee.span() == inner || by_method);
            }
            _ => return false,
        }
    }
    false
}

/// Returns whether the function that contains a node also contains the range.
fn function_contains_range(semantic: &Semantic<'_>, node: NodeId, range: &CodeRange<'_>) -> bool {
    enclosing_function(semantic, node).is_none_or(|function| {
        let span = semantic.nodes().kind(function).span();
        span.start <= range.span.start && range.span.end <= span.end
    })
}
