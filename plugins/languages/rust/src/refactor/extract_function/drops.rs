//! Values with destructors that the function drops earlier than the code did.

use marquetry_code::NodeIndex;
use marquetry_sdk::Usage;

use super::{
    super::expressions::{is_one_of, is_place, macro_argument, path_at},
    flow::{Flow, Input, Mode, Output},
    usage::{Use, usage},
};
use crate::{
    implemented::may_implement,
    kinds::{K, child, has_kind, is_expression_kind},
    names::{BindingIndex, BindingKind, Names, TYPES},
    types::{
        text::{element, generic, is_number, target, tuple, without_references},
        types_in,
    },
};

/// Types of the standard library whose values are dropped without visible effects if their arguments are, too.
const PLAIN: [&str; 18] = [
    "BTreeMap",
    "BTreeSet",
    "BinaryHeap",
    "Box",
    "Cow",
    "Duration",
    "HashMap",
    "HashSet",
    "Instant",
    "Option",
    "OsString",
    "PathBuf",
    "Result",
    "String",
    "SystemTime",
    "Vec",
    "VecDeque",
    "str",
];

/// Methods that return numbers, texts or parts of texts.
const PLAIN_RESULTS: [&str; 16] = [
    "as_bytes",
    "as_str",
    "chars",
    "contains",
    "count",
    "ends_with",
    "is_empty",
    "is_err",
    "is_none",
    "is_ok",
    "is_some",
    "len",
    "split_whitespace",
    "starts_with",
    "to_string",
    "trim",
];

/// Maximum number of nested expressions in which a destructor is searched.
const MAX_DEPTH: usize = 6;
/// Maximum number of types in which a destructor is searched.
const MAX_TYPES: usize = 64;

/// The reason why the result may behave differently.
const DROPPED: &str = "a value that moves into the function is dropped at its end, which is earlier than before";

impl Flow<'_> {
    /// The reason why the result may behave differently: a value with a destructor is dropped earlier.
    pub(super) fn dropped_earlier(&self, inputs: &[Input], outputs: &[Output]) -> Option<String> {
        let is_dropped = |input: &&Input| {
            matches!(input.mode, Mode::Value | Mode::MutableValue) && self.may_have_destructor(&input.type_text)
        };
        let input = inputs.iter().find(is_dropped).map(|input| input.name.clone());
        input.or_else(|| self.dropped_local(outputs)).map(|name| format!("{DROPPED}: `{name}`"))
    }

    /// A variable of the selection that was dropped after the code that follows the selection.
    fn dropped_local(&self, outputs: &[Output]) -> Option<String> {
        let (arena, names, selected) = (self.arena, self.names(), self.selected);
        let last = arena.children(selected.list).last()?;
        if arena.node(last).span.start < selected.span.end {
            return None;
        }
        let statements = selected.statements(arena).filter(|own| has_kind(arena, *own, K::LET_STMT));
        for statement in statements {
            let parts = || arena.children(statement).filter(|part| !has_kind(arena, *part, K::ATTR));
            let Some(pattern) = parts().next().map(|own| arena.node(own).span) else { continue };
            let value = parts().skip(1).find(|part| is_expression_kind(arena, *part));
            for (place, binding) in self.places().filter(|(place, _)| pattern.contains(place.span)) {
                let own = &names.bindings[binding];
                let is_returned = outputs.iter().any(|output| output.binding == binding);
                if !Names::is_declaration(place) || own.kind != BindingKind::Local || is_returned {
                    continue;
                }
                let is_plain = self.is_number(binding) || self.is_view(binding);
                if self.drops(binding, value) && !is_plain && !self.is_moved(binding) {
                    return Some(own.name.clone());
                }
            }
        }
        None
    }

    /// Returns whether a variable may have a destructor.
    fn drops(&self, binding: BindingIndex, value: Option<NodeIndex>) -> bool {
        let is_temporary = |node: &NodeIndex| has_kind(self.arena, *node, K::REF_EXPR);
        match (value.filter(is_temporary), self.types.of_variable(binding)) {
            // `&value()` keeps the value as long as the variable.
            (Some(value), _) => self.may_make_destructor(value, MAX_DEPTH),
            (None, Some(own)) => self.may_have_destructor(&own),
            (None, None) => value.is_none_or(|value| self.may_make_destructor(value, MAX_DEPTH)),
        }
    }

    /// Returns whether a variable is an operand beside a number.
    fn is_number(&self, binding: BindingIndex) -> bool {
        let arena = self.arena;
        let uses = self.names().references(binding).filter_map(|place| path_at(arena, place.span));
        let is_known = |node: NodeIndex| {
            let own = self.types.type_of(node);
            has_kind(arena, node, K::LITERAL) || own.is_some_and(|own| is_number(without_references(&own)))
        };
        let mut operands = uses.filter(|node| has_kind(arena, arena.node(*node).parent, K::BIN_EXPR));
        operands.any(|node| arena.children(arena.node(node).parent).any(|other| other != node && is_known(other)))
    }

    /// Returns whether the selection moves a variable in any case.
    fn is_moved(&self, binding: BindingIndex) -> bool {
        let arena = self.arena;
        let uses = self
            .places()
            .filter(|(place, own)| *own == binding && !Names::is_declaration(place) && place.usage != Usage::InString);
        uses.filter_map(|(place, _)| path_at(arena, place.span)).any(|node| {
            let parent = arena.node(node).parent;
            let takes = [K::ARG_LIST, K::RECORD_EXPR_FIELD, K::TRY_EXPR, K::AWAIT_EXPR, K::TUPLE_EXPR, K::LET_STMT];
            let branches = [K::BLOCK_EXPR, K::CLOSURE_EXPR, K::MATCH_ARM];
            let mut around = arena.ancestors(node).take_while(|above| *above != self.selected.list);
            let is_unconditional = !around.any(|above| {
                let is_lazy = has_kind(arena, above, K::BIN_EXPR) && {
                    let operator = super::super::expressions::operator(arena, above);
                    matches!(operator, "&&" | "||")
                };
                is_lazy || is_one_of(arena, above, &branches)
            });
            let is_let = has_kind(arena, parent, K::LET_STMT);
            let is_renamed = arena.children(parent).any(|part| has_kind(arena, part, K::IDENT_PAT));
            is_unconditional
                && is_one_of(arena, parent, &takes)
                && (!is_let || is_renamed)
                && macro_argument(arena, node).is_none_or(|(name, _)| name == "vec")
                && usage(arena, self.types, node) == Use::Value { is_part: false }
        })
    }

    /// Returns whether a value of a type may have a destructor.
    fn may_have_destructor(&self, own: &str) -> bool {
        self.is_destroyed(own, &mut Vec::new())
    }

    /// Returns whether a value of a type may have a destructor. `seen` are the types that are known or being examined.
    fn is_destroyed(&self, own: &str, seen: &mut Vec<String>) -> bool {
        let (arena, types) = (self.arena, self.types);
        if self.is_copied(own) || target(own).is_some() || seen.iter().any(|known| known == own) {
            return false;
        }
        if seen.len() >= MAX_TYPES {
            return true;
        }
        seen.push(own.to_owned());
        if let Some(fields) = tuple(own) {
            return fields.iter().any(|field| self.is_destroyed(field, seen));
        }
        if own.starts_with('[') {
            return element(own).is_none_or(|inner| self.is_destroyed(inner, seen));
        }
        let scope = types.scope_at(self.selected.statement);
        let (base, arguments) = generic(own);
        let is_standard = types.is_standard(base, scope) || self.names().lookup(base, TYPES, scope).is_none();
        if PLAIN.contains(&base) && is_standard {
            let mut types = arguments.iter().filter(|own| !own.starts_with('\''));
            return types.any(|own| self.is_destroyed(own, seen));
        }
        let Some(item) = types.type_item(own, scope) else { return true };
        let is_data = has_kind(arena, item, K::STRUCT) || has_kind(arena, item, K::ENUM);
        if !is_data || may_implement(self.symbol().path(), "Drop", base) {
            return true;
        }
        let parts = arena.descendants(item);
        let fields = parts.filter(|part| is_one_of(arena, *part, &[K::RECORD_FIELD, K::TUPLE_FIELD]));
        let mut types = fields.flat_map(|field| types_in(arena, field)).peekable();
        // A type without fields may exist only for its destructor, which can be in another file.
        types.peek().is_none() || types.any(|own| self.is_destroyed(arena.slice(own), seen))
    }

    /// Returns whether an expression of an unknown type may make a value with a destructor.
    fn may_make_destructor(&self, node: NodeIndex, depth: usize) -> bool {
        let (arena, types) = (self.arena, self.types);
        let Some(deeper) = depth.checked_sub(1) else { return true };
        if let Some(own) = types.type_of(node).filter(|_| !has_kind(arena, node, K::REF_EXPR)) {
            return self.may_have_destructor(&own);
        }
        let is = |kind: K| has_kind(arena, node, kind);
        let mut inner = arena.children(node).filter(|part| is_expression_kind(arena, *part));
        match () {
            () if is(K::LITERAL) || is(K::CAST_EXPR) => false,
            () if is(K::REF_EXPR) => inner.any(|own| !is_place(arena, own) && self.may_make_destructor(own, deeper)),
            () if arena.slice(node).starts_with("vec!") => {
                let list = child(arena, node, K::ARG_LIST);
                list.is_none_or(|list| arena.children(list).any(|own| self.may_make_destructor(own, deeper)))
            }
            // An operand that is a number belongs to an operator for numbers.
            () if is(K::BIN_EXPR) => !inner.any(|own| has_kind(arena, own, K::LITERAL)),
            () if is(K::CLOSURE_EXPR) => arena.slice(node).starts_with("move"),
            () if is(K::METHOD_CALL_EXPR) => {
                let name = child(arena, node, K::NAME_REF).map_or("", |name| arena.slice(name));
                !PLAIN_RESULTS.contains(&name)
            }
            () if [K::PAREN_EXPR, K::PREFIX_EXPR, K::TUPLE_EXPR, K::ARRAY_EXPR].into_iter().any(is) => {
                inner.any(|own| self.may_make_destructor(own, deeper))
            }
            () => true,
        }
    }
}
