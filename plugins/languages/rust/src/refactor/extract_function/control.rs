//! Code that leaves the selection, or that can run only in certain functions.

use marquetry_code::{Arena, NodeIndex};
use marquetry_sdk::{Result, Span};

use super::{super::expressions::is_one_of, refused, selection::Selected};
use crate::{
    kinds::{K, child, has_kind},
    lifetimes::declaration_of,
    names::Names,
    paths::segments,
};

/// Macros that only write or compute something.
const HARMLESS: [&str; 9] = ["debug", "error", "event", "info", "log", "trace", "warn", "anyhow", "eyre"];
/// Macros that return an error from the function.
const FAILING: [&str; 2] = ["bail", "ensure"];
/// Words in the arguments of a macro that leave the code around it.
const JUMPS: [&str; 6] = ["return", "break", "continue", "await", "yield", "?"];

/// Properties of the selected code that its function must have.
#[derive(Debug, Default)]
pub(super) struct Control {
    /// True if `?` may leave the code.
    pub(super) fails: bool,
    /// True if the code waits for a future.
    pub(super) awaits: bool,
    /// A macro that may leave the function.
    pub(super) unknown_macro: Option<String>,
}

/// Checks the code of a selection.
///
/// # Errors
///
/// Fails if the code leaves the selection in a way that a call cannot.
pub(super) fn check(arena: &Arena, names: &Names, selected: Selected) -> Result<Control> {
    let mut control = Control::default();
    let ends = selected.ends_function(arena);
    for node in own_nodes(arena, selected) {
        let is = |kind: K| has_kind(arena, node, kind);
        let fail = |why: &str, hint: &str| Err(refused(why, hint).at(arena.node(node).span));
        if is(K::RETURN_EXPR) && !ends && !selected.ends_with_return(arena) {
            return fail(
                "the selection may or may not return from its function",
                "end the selection with `return` or with the end of the function, or select code without `return`",
            );
        }
        if (is(K::BREAK_EXPR) || is(K::CONTINUE_EXPR)) && !is_in_loop(arena, node, selected) {
            return fail("`break` or `continue` belongs to a loop outside of the selection", "select the whole loop");
        }
        control.fails |= is(K::TRY_EXPR);
        control.awaits |= is(K::AWAIT_EXPR);
        if is(K::MACRO_CALL) {
            check_macro(arena, names, node, &mut control)?;
        }
    }
    // At the end of the function, `?` and `return` have the same effect as before.
    control.fails &= !ends && !selected.ends_with_return(arena);
    Ok(control)
}

/// The nodes of the selection that are not in functions, closures or `async` blocks inside of it.
pub(super) fn own_nodes(arena: &Arena, selected: Selected) -> impl Iterator<Item = NodeIndex> {
    let inside = arena.nodes().filter(move |(_, node)| selected.span.contains(node.span)).map(|(index, _)| index);
    inside.filter(move |node| {
        let around = arena.ancestors(*node).skip(1).take_while(|above| selected.span.contains(arena.node(*above).span));
        !around.into_iter().any(|above| {
            let is_async = has_kind(arena, above, K::BLOCK_EXPR) && arena.slice(above).starts_with("async");
            is_async || is_one_of(arena, above, &[K::FN, K::CLOSURE_EXPR])
        })
    })
}

/// Returns whether the loop or labeled block of a `break` or `continue` is in the selection.
fn is_in_loop(arena: &Arena, node: NodeIndex, selected: Selected) -> bool {
    if let Some(label) = child(arena, node, K::LIFETIME) {
        let declared = declaration_of(arena, label);
        return declared.is_some_and(|declared| selected.span.contains(arena.node(declared).span));
    }
    let mut around = arena.ancestors(node).take_while(|above| selected.span.contains(arena.node(*above).span));
    around.any(|above| is_one_of(arena, above, &[K::FOR_EXPR, K::WHILE_EXPR, K::LOOP_EXPR]))
}

fn check_macro(arena: &Arena, names: &Names, node: NodeIndex, control: &mut Control) -> Result<()> {
    let path = child(arena, node, K::PATH).map(|path| segments(arena, path).0).unwrap_or_default();
    let Some(last) = path.last() else { return Ok(()) };
    let name = last.name.as_str();
    let jump = |span: Span| {
        let mut tokens = arena.tokens_in(span).iter().map(|token| token.span);
        tokens.find(|span| JUMPS.contains(&span.slice(&arena.text)))
    };
    // The declaration of a macro of the file.
    let place = names.at(last.span.start).filter(|place| place.span == last.span);
    let binding = place.and_then(|place| names.binding_of(place));
    let declared = binding.into_iter().flat_map(|binding| names.bound_at(binding)).map(|place| {
        let name = arena.ancestors(arena.innermost(place.span)).find(|node| has_kind(arena, *node, K::NAME));
        name.map_or(place.span, |name| arena.node(arena.node(name).parent).span)
    });
    let own = arena.node(node).span;
    if let Some(jump) = std::iter::once(own).chain(declared).find_map(jump) {
        let why = format!("`{}` in the macro `{name}!` may leave the selection", jump.slice(&arena.text));
        return Err(refused(why, "select code without this macro").at(own));
    }
    if FAILING.contains(&name) {
        control.fails = true;
    } else if !HARMLESS.contains(&name) {
        control.unknown_macro.get_or_insert_with(|| name.to_owned());
    }
    Ok(())
}
