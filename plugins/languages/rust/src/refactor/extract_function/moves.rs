//! Parts that move out of a variable which the function gets by reference.

use marquetry_code::NodeIndex;
use marquetry_sdk::{Result, Usage};

use super::{
    super::expressions::{is_arithmetic, is_first, is_one_of, operator, path_at},
    flow::{Flow, Input, Mode},
    refused,
    usage::{Use, top, usage},
};
use crate::{
    implemented::may_implement,
    kinds::{K, child, has_kind},
    names::{BindingIndex, BindingKind, Names, TYPES},
    types::text::{generic, is_number, target, tuple},
};

/// Types of the standard library that move.
const MOVED: [&str; 10] =
    ["BTreeMap", "BTreeSet", "Box", "HashMap", "HashSet", "PathBuf", "Rc", "String", "Vec", "VecDeque"];

/// Methods of the standard library that take their receiver by value.
const TAKING: [&str; 14] = [
    "and_then",
    "err",
    "expect",
    "into",
    "map",
    "map_err",
    "ok",
    "ok_or",
    "ok_or_else",
    "unwrap",
    "unwrap_err",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
];

/// The effect of a use on a part of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    Stays,
    Unknown,
    Moves,
}

impl Flow<'_> {
    /// The reason why the function may not compile: a part of a variable may move out of a reference.
    ///
    /// # Errors
    ///
    /// Fails if a part moves.
    pub(super) fn moved_part(&self, inputs: &[Input]) -> Result<Option<String>> {
        let mut unknown = None;
        let references = inputs.iter().filter(|own| {
            matches!(own.mode, Mode::Reference | Mode::MutableReference) && target(&own.type_text).is_none()
        });
        for input in references {
            for (place, _) in self.places().filter(|(place, own)| {
                *own == input.binding && !Names::is_declaration(place) && place.usage != Usage::InString
            }) {
                let name = &input.name;
                let effect = path_at(self.arena, place.span).map_or(Effect::Stays, |node| self.effect(node));
                match effect {
                    Effect::Stays => {}
                    Effect::Unknown => {
                        unknown.get_or_insert_with(|| {
                            format!("a part of `{name}` may move, and the function gets only a reference to it")
                        });
                    }
                    Effect::Moves => {
                        let why =
                            format!("a part of `{name}` moves, and the function would get only a reference to it");
                        let hint = format!("clone the part, or select all code that uses `{name}`");
                        return Err(refused(why, &hint).at(place.span));
                    }
                }
            }
        }
        Ok(unknown)
    }

    fn effect(&self, node: NodeIndex) -> Effect {
        let arena = self.arena;
        let (top, is_part) = top(arena, node);
        let parent = arena.node(top).parent;
        let is = |kind: K| has_kind(arena, parent, kind);
        match usage(arena, self.types, node) {
            Use::Read | Use::Change | Use::Assign => Effect::Stays,
            Use::Unknown => {
                let name = child(arena, parent, K::NAME_REF).map_or("", |name| arena.slice(name));
                let takes = is(K::METHOD_CALL_EXPR) && (TAKING.contains(&name) || name.starts_with("into_"));
                if is_part && takes { self.effect_of_place(top) } else { Effect::Stays }
            }
            Use::Value { .. } if is(K::MATCH_EXPR) || is(K::LET_EXPR) || is(K::LET_STMT) => {
                let is_named = is(K::LET_STMT) && child(arena, parent, K::IDENT_PAT).is_some();
                match (is_named, is_part) {
                    (true, true) => self.effect_of_place(top),
                    (true, false) => Effect::Stays,
                    (false, _) => self.effect_of_patterns(top, parent),
                }
            }
            // `P { name, ..other }` moves the other fields.
            Use::Value { .. } if is(K::RECORD_EXPR_FIELD_LIST) => Effect::Unknown,
            Use::Value { is_part: false } => Effect::Stays,
            Use::Value { .. } if is(K::BIN_EXPR) => {
                let operator = operator(arena, parent);
                let is_known = |operand: NodeIndex| {
                    has_kind(arena, operand, K::LITERAL) && !arena.slice(operand).contains('"')
                        || self.types.type_of(operand).is_some_and(|own| is_number(&own))
                };
                let is_number = is_arithmetic(operator) && arena.children(parent).any(is_known);
                if is_number || matches!(operator, "&&" | "||") { Effect::Stays } else { self.effect_of_place(top) }
            }
            Use::Value { .. } => {
                let numbers = [K::PREFIX_EXPR, K::CAST_EXPR, K::RANGE_EXPR, K::INDEX_EXPR, K::IF_EXPR, K::WHILE_EXPR];
                let is_copied = is_one_of(arena, parent, &numbers) && !(is(K::INDEX_EXPR) && is_first(arena, top));
                if is_copied { Effect::Stays } else { self.effect_of_place(top) }
            }
        }
    }

    fn effect_of_place(&self, node: NodeIndex) -> Effect {
        let own = self.types.type_of(node).or_else(|| self.types.expected(node));
        own.map_or(Effect::Unknown, |own| self.effect_of_type(&own))
    }

    /// The effect of taking a value of a type.
    fn effect_of_type(&self, own: &str) -> Effect {
        if self.is_copied(own) {
            return Effect::Stays;
        }
        let of_all = |types: &[&str]| types.iter().map(|own| self.effect_of_type(own)).max().unwrap_or(Effect::Unknown);
        if let Some(fields) = tuple(own) {
            return of_all(&fields);
        }
        let scope = self.types.scope_at(self.selected.statement);
        let (base, arguments) = generic(own);
        let is_declared = self.names().lookup(base, TYPES, scope).is_some() && !self.types.is_standard(base, scope);
        match base {
            "Option" | "Result" if !is_declared => of_all(&arguments),
            _ if target(own).is_some() || MOVED.contains(&base) && !is_declared => Effect::Moves,
            _ if self.types.type_item(own, scope).is_some() && !may_implement(self.symbol().path(), "Copy", base) => {
                Effect::Moves
            }
            _ => Effect::Unknown,
        }
    }

    /// The effect of the patterns that a value is matched with.
    fn effect_of_patterns(&self, value: NodeIndex, owner: NodeIndex) -> Effect {
        let (arena, names) = (self.arena, self.names());
        if self.types.type_of(value).is_some_and(|own| target(&own).is_some()) {
            return Effect::Stays;
        }
        let arms = child(arena, owner, K::MATCH_ARM_LIST);
        let owners: Vec<NodeIndex> = arms.map_or_else(|| vec![owner], |list| arena.children(list).collect());
        let patterns =
            owners.into_iter().filter_map(|own| arena.children(own).find(|part| !has_kind(arena, *part, K::ATTR)));
        let binds = |pattern: NodeIndex| {
            let span = arena.node(pattern).span;
            names.places.iter().filter(move |place| span.contains(place.span) && Names::is_declaration(place))
        };
        let moved = patterns.flat_map(binds).filter(|place| !place.before.contains("ref"));
        let of_binding = |binding: BindingIndex| match self.types.of_variable(binding) {
            Some(own) => self.effect_of_type(&own),
            None => Effect::Unknown,
        };
        let bound = moved.filter_map(|place| names.binding_of(place));
        let locals = bound.filter(|binding| names.bindings[*binding].kind == BindingKind::Local);
        locals.map(of_binding).max().unwrap_or(Effect::Stays)
    }
}
