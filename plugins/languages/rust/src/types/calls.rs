//! Types of calls: functions and methods of the file, and a few of the standard library.

use marquetry_code::NodeIndex;
use marquetry_sdk::Span;

use super::{
    Types,
    text::{self, element, generic, target, without_references},
    types_in,
};
use crate::kinds::{F, K, child, has_kind};

/// Methods of strings, vectors, slices, maps and sets that only read the receiver, or return a copy.
const READING: [&str; 34] = [
    "as_bytes",
    "as_ref",
    "as_slice",
    "as_str",
    "bytes",
    "capacity",
    "chars",
    "chunks",
    "clone",
    "concat",
    "contains",
    "contains_key",
    "ends_with",
    "eq",
    "first",
    "get",
    "is_empty",
    "is_err",
    "is_none",
    "is_ok",
    "is_some",
    "iter",
    "join",
    "keys",
    "last",
    "len",
    "lines",
    "split",
    "starts_with",
    "to_owned",
    "to_string",
    "to_vec",
    "trim",
    "values",
];

/// Methods that smart pointers may have themselves.
const OF_POINTERS: [&str; 9] =
    ["as_mut", "as_ref", "borrow", "borrow_mut", "clone", "deref", "deref_mut", "into", "to_owned"];

/// Types of the standard library whose methods are known.
const KNOWN: [&str; 12] =
    ["String", "str", "Vec", "Option", "Result", "HashMap", "HashSet", "BTreeMap", "BTreeSet", "VecDeque", "Box", "Rc"];

impl Types<'_> {
    /// The type of a call of a function, or of a macro whose arguments are parsed as those of a function.
    pub(super) fn of_call(&self, node: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let callee = arena.children(node).next()?;
        let list = child(arena, node, K::ARG_LIST)?;
        let between = Span { start: arena.node(callee).span.end, end: arena.node(list).span.start };
        if between.slice(&arena.text).contains('!') || arena.slice(callee).ends_with('!') {
            return match arena.slice(callee).trim_end_matches('!').trim_end() {
                "format" => Some("String".to_owned()),
                "matches" => Some("bool".to_owned()),
                "vec" => self.type_of(arena.children(list).next()?).map(|inner| format!("Vec<{inner}>")),
                _ => None,
            };
        }
        let path = child(arena, callee, K::PATH).filter(|_| has_kind(arena, callee, K::PATH_EXPR))?;
        let Some(outer) = child(arena, path, K::PATH) else {
            return match self.function(arena.node(path).span) {
                Some(function) => self.result(function),
                None => self.of_foreign_function(path),
            };
        };
        let name = child(arena, path, K::PATH_SEGMENT).map(|own| arena.slice(own))?;
        let owner = match arena.slice(outer) {
            "Self" => self.own_type(node)?,
            other => other,
        };
        let scope = self.scope_at(node);
        if owner == "String" && matches!(name, "new" | "from" | "with_capacity") && self.is_standard("String", scope) {
            return Some("String".to_owned());
        }
        if self.type_item(owner, scope).is_none_or(|item| has_kind(arena, item, K::MODULE)) {
            return self.of_foreign_member(owner, name, node).or_else(|| self.of_foreign_function(path));
        }
        match self.member(owner, name) {
            Some(function) => self.result(function),
            // Functions of traits of the standard library whose result is the type itself.
            None => (self.crosses && matches!(name, "default" | "from")).then(|| owner.to_owned()),
        }
    }

    /// The type that a function returns. `None` if it depends on a type parameter.
    pub(crate) fn result(&self, function: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let own = arena.node(function).span;
        let name = arena.child(function, F::Name.into())?;
        let head = Span { start: own.start, end: arena.node(name).span.start };
        if text::words(head.slice(&arena.text)).any(|word| word == "async") {
            return None;
        }
        let Some(written) = child(arena, function, K::RET_TYPE) else { return Some("()".to_owned()) };
        let parameters =
            child(arena, function, K::GENERIC_PARAM_LIST).into_iter().flat_map(|list| arena.children(list));
        let mut names = parameters.filter_map(|own| child(arena, own, K::NAME)).map(|name| arena.slice(name));
        if names.any(|name| text::words(arena.slice(written)).any(|word| word == name)) {
            return None;
        }
        self.written(types_in(arena, written).next()?).filter(|own| !own.contains("impl "))
    }

    /// The only function of a name in the implementations of a type without a trait.
    pub(crate) fn member(&self, owner: &str, name: &str) -> Option<NodeIndex> {
        let arena = self.arena;
        let wanted = generic(owner).0;
        let implementations = arena.nodes().map(|(index, _)| index).filter(|node| {
            let mut types = types_in(arena, *node);
            has_kind(arena, *node, K::IMPL)
                && types.next().is_some_and(|own| generic(arena.slice(own)).0 == wanted)
                && types.next().is_none()
        });
        let lists = implementations.filter_map(|node| child(arena, node, K::ASSOC_ITEM_LIST));
        let mut functions = lists.flat_map(|list| arena.children(list)).filter(|item| {
            let own = arena.child(*item, F::Name.into());
            has_kind(arena, *item, K::FN) && own.is_some_and(|own| arena.slice(own) == name)
        });
        let only = functions.next()?;
        functions.next().is_none().then_some(only)
    }

    /// The type of a method call.
    pub(super) fn of_method_call(&self, node: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let receiver = arena.children(node).next()?;
        let name = arena.slice(child(arena, node, K::NAME_REF)?);
        if let Some(list) = child(arena, node, K::GENERIC_ARG_LIST) {
            let argument = arena.children(list).next().and_then(|own| types_in(arena, own).next())?;
            return matches!(name, "collect" | "sum" | "product").then(|| self.written(argument)).flatten();
        }
        let whole = self.type_of(receiver)?;
        let scope = self.scope_at(node);
        let is_of_pointer = OF_POINTERS.contains(&name);
        let inner = if is_of_pointer { without_references(&whole) } else { self.pointee(&whole, scope) };
        if self.type_item(inner, scope).is_some() {
            return match self.member(inner, name) {
                Some(method) => self.result(method),
                None => (name == "clone" && self.crosses).then(|| inner.to_owned()),
            };
        }
        let (base, arguments) = generic(inner);
        let is_known = KNOWN.contains(&base) && (base == "str" || self.is_standard(base, scope))
            || inner.starts_with('[')
            || text::is_primitive(inner);
        if !is_known {
            return self.of_foreign_member(inner, name, node);
        }
        let is_text = matches!(base, "str" | "String");
        let first = arguments.first().map(|own| (*own).to_owned());
        match name {
            "len" => Some("usize".to_owned()),
            "is_empty" | "contains" | "contains_key" | "starts_with" | "ends_with" | "is_some" | "is_none"
            | "is_ok" | "is_err" => Some("bool".to_owned()),
            "clone" if base == "str" || inner.starts_with('[') => None,
            "clone" => Some(inner.to_owned()),
            "to_string" if is_text || text::is_primitive(inner) => Some("String".to_owned()),
            "to_owned" | "to_uppercase" | "to_lowercase" | "repeat" | "replace" if is_text => Some("String".to_owned()),
            "trim" | "as_str" | "trim_start" | "trim_end" if is_text => Some("&str".to_owned()),
            "as_bytes" if is_text => Some("&[u8]".to_owned()),
            "to_vec" => element(inner).map(|own| format!("Vec<{own}>")),
            "unwrap" | "expect" | "unwrap_or_default" if base == "Option" || base == "Result" => {
                first.filter(|_| target(&whole).is_none())
            }
            _ => None,
        }
    }

    /// Returns whether a method only reads its receiver. `None` if the method is not known.
    pub(crate) fn reads_receiver(&self, call: NodeIndex) -> Option<bool> {
        let arena = self.arena;
        let receiver = arena.children(call).next()?;
        let name = arena.slice(child(arena, call, K::NAME_REF)?);
        let whole = self.type_of(receiver)?;
        let inner = without_references(&whole);
        let scope = self.scope_at(call);
        if self.type_item(inner, scope).is_some() {
            let method = self.member(inner, name)?;
            let own = child(arena, child(arena, method, K::PARAM_LIST)?, K::SELF_PARAM)?;
            let code = arena.slice(own);
            return Some(code.starts_with('&') && !code.contains("mut "));
        }
        let base = generic(inner).0;
        let is_known = KNOWN.contains(&base) && (base == "str" || self.is_standard(base, scope))
            || inner.starts_with('[')
            || text::is_primitive(inner);
        (is_known && (READING.contains(&name) || text::is_primitive(inner))).then_some(true)
    }
}
