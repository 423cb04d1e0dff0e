//! The calls of a function whose parameters change.

use marquetry_code::{CodeDocument, NodeIndex};
use marquetry_sdk::{Edit, Result, Span, lines};

use super::{Target, has_comments, plan::Item, refused};
use crate::{
    lower::{F, K},
    refactor::expressions::{has_effects, is_one_of},
};

/// An argument of a call.
struct Argument {
    /// The index of its parameter.
    parameter: usize,
    value: NodeIndex,
    is_keyword: bool,
}

/// The edits of calls. Every node must be the called expression of a call.
pub(super) fn edits(
    document: &CodeDocument,
    target: &Target,
    uses: impl Iterator<Item = NodeIndex>,
) -> Result<Vec<Edit>> {
    let arena = document.arena();
    let mut edits = Vec::new();
    for node in uses {
        let call = arena.node(node).parent;
        let is_called = is_one_of(document, call, &[K::Call]) && arena.node(node).field == F::Function.into();
        let list = arena.child_of_kind(call, K::Arguments.into()).filter(|_| is_called);
        let Some(list) = list else {
            return Err(refused(
                format!("`{}` is used in {} without being called", target.name, document.path()),
                "change this use by hand first",
            )
            .at(arena.node(node).span));
        };
        let given: Vec<NodeIndex> = arena.children(list).collect();
        let arguments = arguments(document, target, list, &given)?;
        let texts = new_arguments(document, target, &arguments)?;
        let old: Vec<&str> = given.iter().map(|node| arena.slice(*node)).collect();
        if old != texts {
            edits.push(list_edit(document, list, &given, &texts));
        }
    }
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    Ok(edits)
}

/// The arguments of a call with their parameters.
fn arguments(document: &CodeDocument, target: &Target, list: NodeIndex, given: &[NodeIndex]) -> Result<Vec<Argument>> {
    let arena = document.arena();
    let fail = |node: NodeIndex, why: &str| {
        Err(refused(format!("a call of `{}` {why}", target.name), "change this call by hand first")
            .at(arena.node(node).span))
    };
    if has_comments(document, arena.node(list).span) {
        return fail(list, "has comments between its arguments");
    }
    let mut found: Vec<Argument> = Vec::new();
    for node in given {
        let is_bare_generator = is_one_of(document, *node, &[K::Generator]) && !arena.slice(*node).starts_with('(');
        if is_one_of(document, *node, &[K::Starred]) || is_bare_generator {
            return fail(*node, "has arguments whose number is not known, or a generator without brackets");
        }
        let argument = if is_one_of(document, *node, &[K::Keyword]) {
            let name = arena.child_of_kind(*node, K::Identifier.into());
            let Some(name) = name else { return fail(*node, "has `**` arguments") };
            let parameter = target.old.iter().position(|old| old.name == arena.slice(name));
            let value = arena.children(*node).find(|child| *child != name);
            let (Some(parameter), Some(value)) = (parameter, value) else {
                return fail(*node, "has an argument without a parameter");
            };
            Argument { parameter, value, is_keyword: true }
        } else {
            Argument { parameter: found.len(), value: *node, is_keyword: false }
        };
        if argument.parameter >= target.old.len() || found.iter().any(|known| known.parameter == argument.parameter) {
            return fail(*node, "has more arguments than the function has parameters");
        }
        found.push(argument);
    }
    let is_given = |index: usize| found.iter().any(|argument| argument.parameter == index);
    match (0..target.old.len()).find(|index| !target.old[*index].has_default && !is_given(*index)) {
        Some(_) => fail(list, "has fewer arguments than the function needs"),
        None => Ok(found),
    }
}

/// The code of the new arguments.
fn new_arguments(document: &CodeDocument, target: &Target, arguments: &[Argument]) -> Result<Vec<String>> {
    let arena = document.arena();
    let removed = arguments.iter().find(|argument| !target.plan.keeps(argument.parameter));
    if let Some(argument) = removed.filter(|argument| has_effects(document, argument.value)) {
        return Err(refused("the argument of a removed parameter may run other code", "assign it to a variable first")
            .at(arena.node(argument.value).span));
    }
    let code = |argument: &Argument| arena.slice(argument.value).to_owned();
    let keyword = |argument: &Argument| format!("{}={}", target.old[argument.parameter].name, code(argument));
    let kept: Vec<&Argument> = arguments.iter().filter(|argument| target.plan.keeps(argument.parameter)).collect();
    let position = |argument: &Argument| {
        target.plan.items.iter().position(|item| matches!(item, Item::Kept(index) if *index == argument.parameter))
    };
    let is_reordered = !kept.is_sorted_by_key(|argument| position(argument));
    // Arguments are evaluated in their order in the call, which must not change.
    if is_reordered && kept.iter().any(|argument| has_effects(document, argument.value)) {
        let added = target.plan.added().filter_map(|added| Some(format!("{}={}", added.name, added.value.as_ref()?)));
        return Ok(kept.into_iter().map(keyword).chain(added).collect());
    }
    let mut needs_keyword = false;
    let mut texts = Vec::new();
    for item in &target.plan.items {
        let (name, given) = match item {
            Item::Kept(index) => {
                let argument = kept.iter().find(|argument| argument.parameter == *index);
                needs_keyword |= argument.is_none_or(|argument| argument.is_keyword);
                (&target.old[*index].name, argument.map(|argument| code(argument)))
            }
            Item::New(added) => {
                needs_keyword |= added.value.is_none();
                (&added.name, added.value.clone())
            }
        };
        texts.extend(given.map(|given| if needs_keyword { format!("{name}={given}") } else { given }));
    }
    Ok(texts)
}

/// The edit that replaces the items of a list in brackets.
pub(super) fn list_edit(document: &CodeDocument, list: NodeIndex, old: &[NodeIndex], texts: &[String]) -> Edit {
    let arena = document.arena();
    let span = arena.node(list).span;
    let inside = Span { start: span.start + 1, end: span.end - 1 };
    let (Some(first), Some(last)) = (old.first(), old.last()) else { return Edit::new(inside, texts.join(", ")) };
    if texts.is_empty() {
        return Edit::remove(inside.range());
    }
    let own = Span { start: arena.node(*first).span.start, end: arena.node(*last).span.end };
    let is_long = old.len() > 1 && arena.text[own.range()].contains('\n') || span.slice(&arena.text).starts_with("(\n");
    let separator = if is_long && lines::starts_line(&arena.text, own.range().start) {
        format!(",\n{}", lines::indent_at(&arena.text, own.range().start))
    } else {
        ", ".to_owned()
    };
    Edit::new(own, texts.join(&separator))
}
