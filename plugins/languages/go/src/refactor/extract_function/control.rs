//! Statements that leave the selection: `return`, `break`, `goto`, `defer`.

use marquetry_code::NodeIndex;
use marquetry_sdk::Result;

use super::{Selected, ending::ends, refused, result_nodes};
use crate::{
    kinds::{F, K, child, has_kind},
    names::BindingKind,
    typing::{Ty, Typing},
};

/// The way in which the selection ends.
#[derive(Debug)]
pub(super) enum Exit {
    /// It never returns from its function.
    Continues,
    /// It never ends: it always panics or repeats. The function has no results.
    Never,
    /// It always returns from its function, or never ends. The types are those of the results.
    Returns(Vec<Ty>),
    /// It returns in some cases, at these statements.
    MayReturn(Vec<Ty>, Vec<NodeIndex>),
}

impl Exit {
    /// Returns whether no code after the selection runs.
    pub(super) fn is_final(&self) -> bool {
        matches!(self, Exit::Never | Exit::Returns(_))
    }

    pub(super) fn new(selected: &Selected) -> Result<Exit> {
        let arena = selected.file.arena();
        let returns: Vec<NodeIndex> =
            selected.own_nodes().into_iter().filter(|node| selected.has(*node, K::Return)).collect();
        let ends = selected.statements.last().is_some_and(|last| ends(selected, *last));
        if returns.is_empty() && (!ends || result_nodes(selected).is_empty()) {
            return Ok(if ends { Exit::Never } else { Exit::Continues });
        }
        let mut types = Vec::new();
        for (node, count) in result_nodes(selected) {
            let own = Typing::default().written(&selected.file, node).ok_or_else(|| {
                refused(
                    "the type of a result of the function is not known",
                    "select code that does not end the function",
                )
                .at(selected.span(node))
            })?;
            types.extend(std::iter::repeat_n(own, count));
        }
        let is_bare = |node: &&NodeIndex| arena.children(**node).next().is_none();
        if let Some(bare) = returns.iter().find(is_bare).filter(|_| !types.is_empty()) {
            return Err(refused(
                "`return` without values returns the named results",
                "write the values after `return`",
            )
            .at(selected.span(*bare)));
        }
        if ends {
            return Ok(Exit::Returns(types));
        }
        if let Some(call) = returns.iter().find(|node| arena.children(**node).count() != types.len()) {
            return Err(refused("one call gives several results here", "assign the results to variables first")
                .at(selected.span(*call)));
        }
        Ok(Exit::MayReturn(types, returns))
    }
}

/// Refuses statements that belong to the function or to a loop around the selection.
pub(super) fn check(selected: &Selected) -> Result<()> {
    let arena = selected.file.arena();
    let fail = |node: NodeIndex, why: &str, hint: &str| Err(refused(why, hint).at(selected.span(node)));
    for node in selected.own_nodes() {
        if selected.has(node, K::Defer) {
            return fail(node, "`defer` runs at the end of the function around it", "select the code after it");
        }
        let is_recover = selected.has(node, K::Call)
            && arena.children(node).next().is_some_and(|function| arena.slice(function) == "recover");
        if is_recover {
            return fail(node, "`recover` works only in the deferred function", "select code without `recover`");
        }
        if selected.has(node, K::Branch) && !is_inside(selected, node) {
            let word = arena.slice(node).split_whitespace().next().unwrap_or_default();
            let why = format!("`{word}` leaves the selection");
            return fail(node, &why, "select the whole statement to which it belongs");
        }
    }
    let names = &selected.file.names;
    let is_outer = |binding: usize| {
        let own = &names.bindings[binding];
        own.kind == BindingKind::Label && selected.code.contains(selected.span(own.node))
    };
    let mut jumps = names.places.iter().filter(|place| place.binding.is_some_and(is_outer));
    match jumps.find(|place| !selected.code.contains(place.span)) {
        Some(jump) => {
            Err(refused("code outside of the selection jumps into it", "select this code, too").at(jump.span))
        }
        None => Ok(()),
    }
}

/// Returns whether a statement inside of the selection is the target of `break`, `continue` or `fallthrough`.
fn is_inside(selected: &Selected, branch: NodeIndex) -> bool {
    let arena = selected.file.arena();
    let word = arena.slice(branch).split_whitespace().next().unwrap_or_default();
    let around = || arena.ancestors(branch).skip(1).take_while(|above| *above != selected.block);
    if word == "goto" {
        return false;
    }
    if let Some(label) = child(arena, branch, K::Label) {
        let name = arena.slice(label);
        let is_target = |above: NodeIndex| {
            has_kind(arena, above, K::Labeled)
                && arena.child(above, F::Name.into()).is_some_and(|own| arena.slice(own) == name)
        };
        return around().any(is_target);
    }
    let targets: &[K] = match word {
        "break" => &[K::For, K::Switch, K::Select],
        "continue" => &[K::For],
        _ => &[K::Switch],
    };
    around().any(|above| targets.iter().any(|kind| has_kind(arena, above, *kind)))
}
