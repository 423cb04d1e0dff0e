//! The calls of a function whose parameters change.

use marquetry_code::{CodeDocument, NodeIndex, signature::Item};
use marquetry_sdk::{Edit, Result, Span, lines};

use super::{
    Target, has_comments,
    plan::{Old, ParameterKind},
    refused,
};
use crate::{
    lower::{F, K},
    refactor::expressions::{has_effects, is_one_of},
};

/// An argument of a call.
struct Argument {
    /// The index of its parameter.
    parameter: usize,
    value: NodeIndex,
    /// The name before the value.
    keyword: Option<NodeIndex>,
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
            let spans: Vec<Span> = given.iter().map(|node| arena.node(*node).span).collect();
            edits.push(list_edit(document, list, &spans, &texts));
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
            if target.plan.added().any(|added| added.name == arena.slice(name)) {
                return fail(*node, "has an argument with the name of a new parameter");
            }
            let parameter = target.named(arena.slice(name));
            let value = arena.children(*node).find(|child| *child != name);
            let (Some(parameter), Some(value)) = (parameter, value) else {
                return fail(*node, "has an argument without a parameter");
            };
            Argument { parameter, value, keyword: Some(name) }
        } else {
            let Some(parameter) = target.at_position(found.len()) else {
                return fail(*node, "has more arguments than the function has parameters");
            };
            Argument { parameter, value: *node, keyword: None }
        };
        let is_variadic =
            matches!(target.old[argument.parameter].kind, ParameterKind::Arguments | ParameterKind::Keywords);
        if !is_variadic && found.iter().any(|known| known.parameter == argument.parameter) {
            return fail(*node, "has more arguments than the function has parameters");
        }
        found.push(argument);
    }
    let is_given = |index: usize| found.iter().any(|argument| argument.parameter == index);
    match (0..target.old.len()).find(|index| !target.old[*index].is_optional() && !is_given(*index)) {
        Some(_) => fail(list, "has fewer arguments than the function needs"),
        None => Ok(found),
    }
}

impl Target {
    /// The index of the parameter that takes an argument with a name.
    fn named(&self, name: &str) -> Option<usize> {
        let is_named = |old: &Old| matches!(old.kind, ParameterKind::Plain | ParameterKind::KeywordOnly);
        let own = self.old.iter().position(|old| is_named(old) && old.name() == name);
        own.or_else(|| self.old.iter().position(|old| old.kind == ParameterKind::Keywords))
    }

    /// The index of the parameter that takes an argument without a name.
    fn at_position(&self, position: usize) -> Option<usize> {
        let is_plain = self.old.get(position).is_some_and(|old| old.kind == ParameterKind::Plain);
        let variadic = || self.old.iter().position(|old| old.kind == ParameterKind::Arguments);
        if is_plain { Some(position) } else { variadic() }
    }

    /// The order of an argument in the new list. Names after the plain parameters keep their order.
    fn order(&self, argument: &Argument) -> usize {
        let index = argument.parameter;
        let position = || self.plan.items.iter().position(|item| *item == Item::Kept(index));
        match self.old[index].kind {
            ParameterKind::Plain | ParameterKind::Arguments => position().unwrap_or(usize::MAX),
            ParameterKind::KeywordOnly | ParameterKind::Keywords => usize::MAX,
        }
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
    let keyword = |argument: &Argument| {
        let name = argument.keyword.map_or(target.old[argument.parameter].name(), |name| arena.slice(name));
        format!("{name}={}", code(argument))
    };
    let kept: Vec<&Argument> = arguments.iter().filter(|argument| target.plan.keeps(argument.parameter)).collect();
    let is_reordered = !kept.is_sorted_by_key(|argument| target.order(argument));
    // Arguments are evaluated in their order in the call, which must not change.
    if is_reordered && kept.iter().any(|argument| has_effects(document, argument.value)) {
        let added = target.plan.added().filter(|added| !added.value.is_empty());
        let added = added.map(|added| format!("{}={}", added.name, added.value));
        return Ok(kept.into_iter().map(keyword).chain(added).collect());
    }
    let mut needs_keyword = false;
    let mut texts = Vec::new();
    for item in &target.plan.items {
        match item {
            Item::Kept(index) if target.old[*index].kind == ParameterKind::Plain => {
                let argument = kept.iter().find(|argument| argument.parameter == *index);
                needs_keyword |= argument.is_none_or(|argument| argument.keyword.is_some());
                texts.extend(argument.map(|own| if needs_keyword { keyword(own) } else { code(own) }));
            }
            Item::Kept(index) if target.old[*index].kind == ParameterKind::Arguments => {
                let own = kept.iter().filter(|argument| argument.parameter == *index);
                texts.extend(own.clone().map(|argument| code(argument)));
                if let Some(first) = own.into_iter().next().filter(|_| needs_keyword) {
                    let why = format!("a call of `{}` has more arguments after the new parameter", target.name);
                    return Err(refused(why, "give the new parameter a `value`").at(arena.node(first.value).span));
                }
            }
            Item::Kept(_) => {}
            Item::New(added) if added.value.is_empty() => needs_keyword = true,
            Item::New(added) if needs_keyword => texts.push(format!("{}={}", added.name, added.value)),
            Item::New(added) => texts.push(added.value.clone()),
        }
    }
    texts.extend(kept.iter().filter(|argument| target.order(argument) == usize::MAX).map(|argument| keyword(argument)));
    Ok(texts)
}

/// The edit that replaces the items of a list in brackets.
pub(super) fn list_edit(document: &CodeDocument, list: NodeIndex, old: &[Span], texts: &[String]) -> Edit {
    let arena = document.arena();
    let span = arena.node(list).span;
    let inside = Span { start: span.start + 1, end: span.end - 1 };
    let (Some(first), Some(last)) = (old.first(), old.last()) else { return Edit::new(inside, texts.join(", ")) };
    if texts.is_empty() {
        return Edit::remove(inside.range());
    }
    let own = Span { start: first.start, end: last.end };
    let is_long = old.len() > 1 && arena.text[own.range()].contains('\n') || span.slice(&arena.text).starts_with("(\n");
    let separator = if is_long && lines::starts_line(&arena.text, own.range().start) {
        format!(",\n{}", lines::indent_at(&arena.text, own.range().start))
    } else {
        ", ".to_owned()
    };
    Edit::new(own, texts.join(&separator))
}
