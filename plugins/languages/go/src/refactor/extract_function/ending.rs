//! Terminating statements: those after which no statement runs.

use marquetry_code::NodeIndex;

use super::Selected;
use crate::{
    kinds::{F, K, child, children, with_role},
    typing::is_predeclared,
};

/// Returns whether a statement is a terminating statement in the sense of the language specification.
pub(super) fn ends(selected: &Selected, statement: NodeIndex) -> bool {
    let arena = selected.file.arena();
    let last_ends = |block: NodeIndex| arena.children(block).last().is_some_and(|last| ends(selected, last));
    let has = |kind: K| selected.has(statement, kind);
    match () {
        () if has(K::Return) => true,
        () if has(K::Branch) => arena.slice(statement).starts_with("goto"),
        () if has(K::ExprStmt) => arena.children(statement).next().is_some_and(|call| is_panic(selected, call)),
        () if has(K::Block) => last_ends(statement),
        () if has(K::Labeled) => arena
            .children(statement)
            .last()
            .is_some_and(|inner| !selected.has(inner, K::Label) && ends(selected, inner)),
        () if has(K::If) => {
            let then = child(arena, statement, K::Block);
            let other = arena.child(statement, F::Else.into());
            then.is_some_and(last_ends) && other.is_some_and(|other| ends(selected, other))
        }
        () if has(K::For) => {
            let has_end =
                arena.child(statement, F::Condition.into()).is_some() || child(arena, statement, K::Range).is_some();
            !has_end && !has_break(selected, statement)
        }
        () if has(K::Switch) || has(K::Select) => cases_end(selected, statement),
        () => false,
    }
}

/// Returns whether every case of a `switch` or `select` ends, and one of them runs.
fn cases_end(selected: &Selected, statement: NodeIndex) -> bool {
    let arena = selected.file.arena();
    let cases: Vec<NodeIndex> =
        child(arena, statement, K::Cases).map_or_else(Vec::new, |cases| children(arena, cases, K::Case).collect());
    let is_default = |case: &NodeIndex| with_role(arena, *case, F::Key).next().is_none();
    let falls = |last: NodeIndex| selected.has(last, K::Branch) && arena.slice(last) == "fallthrough";
    let body_ends = |case: &NodeIndex| {
        let last = arena.child(*case, F::Body.into()).and_then(|body| arena.children(body).last());
        last.is_some_and(|last| falls(last) || ends(selected, last))
    };
    let is_complete = selected.has(statement, K::Select) || cases.iter().any(is_default);
    is_complete && !has_break(selected, statement) && cases.iter().all(body_ends)
}

/// Returns whether `break` ends a loop, `switch` or `select`.
fn has_break(selected: &Selected, statement: NodeIndex) -> bool {
    let arena = selected.file.arena();
    let parent = arena.node(statement).parent;
    let own = arena.child(parent, F::Name.into()).filter(|_| selected.has(parent, K::Labeled));
    let own = own.map(|label| arena.slice(label));
    let is_around =
        |node: NodeIndex| [K::For, K::Switch, K::Select, K::FuncLit].iter().any(|kind| selected.has(node, *kind));
    arena.descendants(statement).filter(|node| selected.has(*node, K::Branch)).any(|branch| {
        let label = child(arena, branch, K::Label).map(|label| arena.slice(label));
        let is_break = arena.slice(branch).starts_with("break");
        match label {
            Some(label) => is_break && own == Some(label),
            None => is_break && arena.ancestors(branch).skip(1).find(|above| is_around(*above)) == Some(statement),
        }
    })
}

/// Returns whether an expression is a call of the predeclared `panic`.
pub(super) fn is_panic(selected: &Selected, call: NodeIndex) -> bool {
    let arena = selected.file.arena();
    let function = arena.children(call).next().filter(|_| selected.has(call, K::Call));
    function.is_some_and(|function| arena.slice(function) == "panic" && is_predeclared(&selected.file, function))
}
