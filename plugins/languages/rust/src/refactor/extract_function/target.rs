//! The place of an extracted function: beside the function around the selection, or beside its implementation.

use marquetry_code::{Arena, NodeIndex, ParseContext};
use marquetry_sdk::{Result, Span};

use super::{flow::Flow, generics, refused, selection::Selected, usage::Use};
use crate::{
    kinds::{K, has_kind},
    names::{BindingKind, MACROS, Names, TYPES, VALUES},
    types::text::words,
};

/// The place of the new function.
#[derive(Debug)]
pub(super) struct Target {
    /// The statement after which the function is inserted.
    pub(super) neighbor: NodeIndex,
    pub(super) context: ParseContext,
    /// The parameter `self`, as code.
    pub(super) receiver: Option<String>,
    /// The code before the name in the call: `self.` or `Self::`.
    pub(super) qualifier: &'static str,
}

impl Target {
    /// Finds the place. `types` are the types in the signature of the function.
    ///
    /// # Errors
    ///
    /// Fails if the code depends on an implementation that cannot have other functions.
    pub(super) fn find(arena: &Arena, flow: &Flow<'_>, selected: Selected, types: &str) -> Result<Target> {
        let list = arena.node(selected.function).parent;
        let context = |list: NodeIndex| {
            if has_kind(arena, list, K::STMT_LIST) { ParseContext::Inside("STMT_LIST") } else { ParseContext::File }
        };
        let plain = |neighbor| {
            Ok(Target { neighbor, context: context(arena.node(neighbor).parent), receiver: None, qualifier: "" })
        };
        if !has_kind(arena, list, K::ASSOC_ITEM_LIST) {
            return plain(selected.function);
        }
        let around = arena.node(list).parent;
        let uses = flow.uses_of_self();
        let own = arena.tokens_in(selected.span).iter().map(|token| token.span);
        let parameters = generics::names(arena, around);
        let depends = own.clone().any(|span| {
            let word = span.slice(&arena.text);
            word == "Self" || parameters.contains(&word)
        });
        let in_types = words(types).any(|word| word == "Self" || parameters.contains(&word));
        let has_self = own.clone().any(|span| span.slice(&arena.text) == "self");
        if uses.is_empty() && !depends && !in_types && !has_self {
            return plain(around);
        }
        let is_inherent = has_kind(arena, around, K::IMPL) && crate::types::types_in(arena, around).count() == 1;
        if !is_inherent {
            let why = "the code uses `self`, `Self` or a type parameter, and an implementation of a trait cannot have other functions";
            return Err(refused(why, "select code that does not use them, or extract it from a method of the type")
                .at(selected.span));
        }
        let receiver = receiver(arena, flow, selected, &uses)?;
        if receiver.is_none() && has_self {
            let at = own.clone().find(|span| span.slice(&arena.text) == "self").unwrap_or(selected.span);
            return Err(refused("the arguments of a macro use `self`", "select code without this macro").at(at));
        }
        let qualifier = if receiver.is_some() { "self." } else { "Self::" };
        Ok(Target {
            neighbor: selected.function,
            context: ParseContext::Inside("ASSOC_ITEM_LIST"),
            receiver,
            qualifier,
        })
    }

    /// Refuses a name that already has a meaning where the function is declared or called.
    pub(super) fn check_name(&self, arena: &Arena, names: &Names, name: &str) -> Result<()> {
        let taken = |span: Span| {
            Err(refused(format!("the file already has the name `{name}`"), "give another `extractedName`").at(span))
        };
        let word = names.words_named(&arena.text, name).map(|(span, _)| span).next();
        let member = names.members.iter().find(|span| span.slice(&arena.text) == name).copied();
        let place = names.places.iter().find(|place| place.name == name && place.namespaces() & (VALUES | MACROS) != 0);
        let found = if self.qualifier.is_empty() { place.map(|place| place.span).or(word) } else { member.or(word) };
        found.map_or(Ok(()), taken)
    }

    /// Refuses code that uses an item or a type which is not visible at the new place.
    pub(super) fn check_names(&self, arena: &Arena, flow: &Flow<'_>, selected: Selected, types: &str) -> Result<()> {
        let names = flow.names();
        let scope = crate::types::Types::new(arena, flow.symbol()).scope_at(selected.statement);
        let written =
            words(types).filter_map(|word| names.lookup(word, TYPES, scope)).map(|binding| (selected.span, binding));
        let used = flow.places().map(|(place, binding)| (place.span, binding));
        let target = arena.node(self.neighbor).span;
        for (span, binding) in used.chain(written) {
            let own = &names.bindings[binding];
            let Some(declared) = names.bound_at(binding).next().map(|place| place.span) else { continue };
            let is_inside = selected.span.contains(declared) || !target.contains(declared);
            let is_item = matches!(own.kind, BindingKind::Item | BindingKind::Import);
            if is_item && !is_inside && !names.is_module(own.scope) {
                let why = format!("`{}` is declared in the function, and is not visible outside of it", own.name);
                return Err(refused(why, "move it out of the function first").at(span));
            }
        }
        Ok(())
    }
}

/// The parameter `self` of the new method. `None` if the code does not use `self`.
fn receiver(arena: &Arena, flow: &Flow<'_>, selected: Selected, uses: &[(NodeIndex, Use)]) -> Result<Option<String>> {
    let Some(own) = selected.receiver(arena).filter(|_| !uses.is_empty()) else { return Ok(None) };
    let code = arena.slice(own);
    let refuse = |why: &str| Err(refused(why, "select code that does not use `self`").at(selected.span));
    if code.contains(':') {
        return refuse("the type of `self` is written, and the method would need the same");
    }
    let is_reference = code.starts_with('&');
    let is_mutable = code.contains("mut ");
    if is_reference && !is_mutable {
        return Ok(Some(code.to_owned()));
    }
    let mut words = flow.names().words_named(&arena.text, "self");
    let in_macro = words.any(|(word, _)| selected.span.contains(word));
    if in_macro && !is_reference {
        return refuse("the arguments of a macro use `self`, which may move");
    }
    let reads = uses.iter().all(|(_, own)| *own == Use::Read || is_reference && *own == Use::Value { is_part: true });
    if reads && !in_macro {
        return Ok(Some("&self".to_owned()));
    }
    let mentions = |span: Span| arena.tokens_in(span).iter().any(|token| token.span.slice(&arena.text) == "self");
    flow.check_borrows("self", mentions, arena.node(own).span)?;
    if is_reference {
        return Ok(Some(code.to_owned()));
    }
    let changes = uses.iter().all(|(_, own)| matches!(own, Use::Read | Use::Change));
    match flow.is_self_used_after() {
        false => Ok(Some(code.to_owned())),
        true if changes => Ok(Some("&mut self".to_owned())),
        true => refuse("`self` may move into the method, and code after the selection uses it"),
    }
}
