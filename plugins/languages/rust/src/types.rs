//! Types of variables and expressions, where the code of the file shows them with certainty.
//!
//! A type is known if it is written, or if it follows from literals, operators, declarations of the file, and a few
//! functions of the standard library. Other types are unknown: this is not type inference.

mod calls;
mod context;
mod foreign;
pub(crate) mod owners;
mod patterns;
pub(crate) mod text;

use marquetry_code::{Arena, NodeIndex};
use marquetry_sdk::Span;

use crate::{
    kinds::{F, K, child, has_kind, is_expression_kind, is_type},
    names::{BindingIndex, BindingKind, Names, ScopeIndex, TYPES, VALUES},
    paths::Path,
    symbols::Symbol,
    table::RUST,
};
pub(crate) use foreign::ForeignTypes;
use owners::POINTERS;
use text::{element, generic, is_number, target, tuple, without_references};

/// Maximum number of nested expressions through which a type is followed.
const MAX_DEPTH: usize = 192;
/// The number of expressions that a variable counts as. Unlike expressions, variables may repeat.
const VARIABLE: usize = 16;

/// The types of a document.
#[derive(Clone, Copy)]
pub(crate) struct Types<'s> {
    arena: &'s Arena,
    symbol: &'s Symbol<'s>,
    depth: usize,
    /// True if the types of declarations in other files are followed.
    crosses: bool,
}

impl<'s> Types<'s> {
    pub(crate) fn new(arena: &'s Arena, symbol: &'s Symbol<'s>) -> Types<'s> {
        Types { arena, symbol, depth: 0, crosses: false }
    }

    fn names(&self) -> &'s Names {
        &self.symbol.names
    }

    /// The types of the document with a higher recursion depth. `None` at the maximum depth.
    fn deeper(self, count: usize) -> Option<Types<'s>> {
        (self.depth < MAX_DEPTH).then_some(Types { depth: self.depth + count, ..self })
    }

    /// The code of a type node. `None` if a part of the type is inferred.
    fn written(&self, node: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let is_inferred =
            |part: NodeIndex| has_kind(arena, part, K::INFER_TYPE) || has_kind(arena, part, K::MACRO_TYPE);
        let is_known = !is_inferred(node) && !arena.descendants(node).any(is_inferred);
        let code = arena.slice(node).split_whitespace().collect::<Vec<_>>().join(" ");
        is_known.then(|| self.without_self(code, node))
    }

    /// A type in which the type of the implementation around a node replaces `Self`.
    fn without_self(&self, code: String, node: NodeIndex) -> String {
        match self.own_type(node).filter(|_| code.contains("Self")) {
            Some(own) => text::replace_name(&code, "Self", own),
            None => code,
        }
    }

    /// The code of the type whose implementation is around a node.
    pub(crate) fn own_type(&self, node: NodeIndex) -> Option<&'s str> {
        let arena = self.arena;
        let implementation = arena.ancestors(node).find(|above| has_kind(arena, *above, K::IMPL))?;
        types_in(arena, implementation).last().map(|own| arena.slice(own))
    }

    /// The type of a variable.
    pub(crate) fn of_variable(&self, binding: BindingIndex) -> Option<String> {
        let (arena, types) = (self.arena, self.deeper(VARIABLE)?);
        let mut declared = self.names().bound_at(binding);
        let place = declared.next().filter(|place| !place.before.contains("ref"))?;
        if declared.next().is_some() || self.names().bindings[binding].kind != BindingKind::Local {
            return None;
        }
        let pattern = pattern_at(arena, place.span)?;
        let parent = arena.node(pattern).parent;
        let is = |kind: K| has_kind(arena, parent, kind);
        if is(K::PARAM) || is(K::LET_STMT) {
            if let Some(annotated) = types_in(arena, parent).next() {
                return types.written(annotated);
            }
            let value = arena.children(parent).find(|part| is_expression_kind(arena, *part) && *part != pattern);
            let Some(value) = value else { return types.of_closure_parameter(parent) };
            return types.type_of(value).or_else(|| types.of_number(binding, value));
        }
        if is(K::FOR_EXPR) {
            return types.item_of_loop(parent);
        }
        let outer = arena.node(parent).parent;
        if is(K::REF_PAT) && has_kind(arena, outer, K::FOR_EXPR) {
            return target(&types.item_of_loop(outer)?).map(|(_, inner)| inner.to_owned());
        }
        if is(K::TUPLE_PAT) && (has_kind(arena, outer, K::PARAM) || has_kind(arena, outer, K::LET_STMT)) {
            let whole = types.written(types_in(arena, outer).next()?)?;
            let index = arena.children(parent).position(|part| part == pattern)?;
            return tuple(&whole)?.get(index).map(|field| (*field).to_owned());
        }
        match () {
            () if is(K::TUPLE_STRUCT_PAT) => types.payload(parent, pattern),
            () if is(K::RECORD_PAT_FIELD) => types.of_pattern_field(parent),
            () => None,
        }
    }

    /// The type of the variable of a `for` loop.
    fn item_of_loop(&self, node: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let iterated = arena.children(node).find(|part| is_expression_kind(arena, *part))?;
        if has_kind(arena, iterated, K::RANGE_EXPR) {
            let mut known = arena.children(iterated).filter_map(|end| self.type_of(end));
            return known.next().filter(|own| text::is_integer(own));
        }
        let whole = self.iterated(iterated)?;
        let inner = element(without_references(&whole))?;
        Some(match target(&whole) {
            Some((true, _)) => format!("&mut {inner}"),
            Some((false, _)) => format!("&{inner}"),
            None => inner.to_owned(),
        })
    }

    /// The type of a collection whose items a loop over an expression has: `list` of `list.iter()` and of `list`.
    fn iterated(&self, node: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let name = child(arena, node, K::NAME_REF).filter(|_| has_kind(arena, node, K::METHOD_CALL_EXPR));
        let sign = match name.map(|name| arena.slice(name)) {
            Some("iter") => "&",
            Some("iter_mut") => "&mut ",
            _ => return self.type_of(node),
        };
        let whole = self.type_of(arena.children(node).next()?)?;
        Some(format!("{sign}{}", without_references(&whole)))
    }

    /// The type of an expression.
    pub(crate) fn type_of(&self, node: NodeIndex) -> Option<String> {
        let (arena, types) = (self.arena, self.deeper(1)?);
        let first = || arena.children(node).next();
        let kind = RUST.kind_name(arena.node(node).kind);
        match kind {
            "LITERAL" => literal(arena.slice(node)).map(str::to_owned),
            "PAREN_EXPR" => types.type_of(first()?),
            "CAST_EXPR" => types.written(types_in(arena, node).next()?),
            "REF_EXPR" => {
                let sign = if is_mutable_reference(arena, node) { "&mut " } else { "&" };
                types.type_of(arena.children(node).last()?).map(|inner| format!("{sign}{inner}"))
            }
            "PREFIX_EXPR" => {
                let inner = types.type_of(first()?)?;
                if arena.slice(node).starts_with('*') {
                    return target(&inner).map(|(_, inner)| inner.to_owned());
                }
                (is_number(&inner) || inner == "bool").then_some(inner)
            }
            "BIN_EXPR" => types.of_operator(node),
            "PATH_EXPR" => types.of_path(node),
            "FIELD_EXPR" => types.of_field(node),
            "INDEX_EXPR" => {
                let mut parts = arena.children(node);
                let (base, index) = (types.type_of(parts.next()?)?, parts.next()?);
                let is_number = has_kind(arena, index, K::LITERAL) || types.type_of(index).as_deref() == Some("usize");
                element(without_references(&base)).filter(|_| is_number).map(str::to_owned)
            }
            "TUPLE_EXPR" => {
                let fields: Option<Vec<String>> = arena.children(node).map(|field| types.type_of(field)).collect();
                fields.map(|fields| format!("({})", fields.join(", "))).filter(|own| !own.contains("(,"))
            }
            "RECORD_EXPR" => types.of_record(node),
            "TRY_EXPR" => {
                let whole = types.type_of(first()?)?;
                let (name, arguments) = generic(&whole);
                let is_tried = matches!(name, "Option" | "Result");
                arguments.first().filter(|_| is_tried).map(|inner| (*inner).to_owned())
            }
            "CALL_EXPR" => types.of_call(node),
            "METHOD_CALL_EXPR" => types.of_method_call(node),
            _ => None,
        }
    }

    fn of_operator(&self, node: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let mut operands = arena.children(node);
        let (left, right) = (operands.next()?, operands.next()?);
        let operator = Span { start: arena.node(left).span.end, end: arena.node(right).span.start };
        let operator = operator.slice(&arena.text).trim();
        if matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||") {
            return Some("bool".to_owned());
        }
        if operator.ends_with('=') {
            return None;
        }
        let number = |node: NodeIndex| {
            self.type_of(node).map(|own| without_references(&own).to_owned()).filter(|own| is_number(own))
        };
        match (number(left), number(right)) {
            (left, _) if matches!(operator, "<<" | ">>") => left,
            (Some(left), Some(right)) => (left == right).then_some(left),
            (Some(known), None) if is_unsuffixed(arena, right) => Some(known),
            (None, Some(known)) if is_unsuffixed(arena, left) => Some(known),
            _ => None,
        }
    }

    fn of_path(&self, node: NodeIndex) -> Option<String> {
        let arena = self.arena;
        if arena.slice(node) == "self" {
            return self.of_self(node);
        }
        if child(arena, node, K::PATH).is_some_and(|path| child(arena, path, K::PATH).is_some()) {
            return self.of_foreign_value(child(arena, node, K::PATH)?);
        }
        let place = self.names().at(arena.node(node).span.start).filter(|place| place.span == arena.node(node).span)?;
        let binding = self.names().binding_of(place)?;
        if self.names().bindings[binding].kind == BindingKind::Local {
            return self.of_variable(binding);
        }
        let Some(item) = self.item(binding) else { return self.of_foreign_value(child(arena, node, K::PATH)?) };
        let has_fields = [K::RECORD_FIELD_LIST, K::TUPLE_FIELD_LIST, K::GENERIC_PARAM_LIST];
        if has_kind(arena, item, K::STRUCT) && has_fields.iter().all(|kind| child(arena, item, *kind).is_none()) {
            return Some(arena.slice(node).to_owned());
        }
        let is_value = has_kind(arena, item, K::CONST) || has_kind(arena, item, K::STATIC);
        self.written(types_in(arena, item).next().filter(|_| is_value)?)
    }

    /// The type of `self`.
    pub(crate) fn of_self(&self, node: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let function = arena.ancestors(node).find(|above| has_kind(arena, *above, K::FN))?;
        let receiver = child(arena, child(arena, function, K::PARAM_LIST)?, K::SELF_PARAM)?;
        let code = arena.slice(receiver);
        let own = self.own_type(node).unwrap_or("Self");
        match () {
            () if code.contains(':') => None,
            () if code.starts_with('&') && code.contains("mut ") => Some(format!("&mut {own}")),
            () if code.starts_with('&') => Some(format!("&{own}")),
            () => Some(own.to_owned()),
        }
    }

    fn of_field(&self, node: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let mut parts = arena.children(node);
        let (base, name) = (self.type_of(parts.next()?)?, arena.slice(parts.next()?));
        let base = self.pointee(&base, self.scope_at(node));
        if let Some(fields) = tuple(base) {
            return fields.get(name.parse::<usize>().ok()?).map(|field| (*field).to_owned());
        }
        let item = self.type_item(base, self.scope_at(node)).filter(|item| has_kind(arena, *item, K::STRUCT));
        let Some(item) = item else { return self.of_foreign_member(base, name, node) };
        if let Some(list) = child(arena, item, K::TUPLE_FIELD_LIST) {
            let field = arena.children(list).nth(name.parse::<usize>().ok()?)?;
            return self.written(types_in(arena, field).next()?);
        }
        let list = child(arena, item, K::RECORD_FIELD_LIST)?;
        let is_it = |field: &NodeIndex| arena.child(*field, F::Name.into()).is_some_and(|own| arena.slice(own) == name);
        let field = arena.children(list).find(is_it)?;
        self.written(types_in(arena, field).next()?)
    }

    /// The type to which references and smart pointers of a type point.
    fn pointee<'c>(&self, code: &'c str, scope: ScopeIndex) -> &'c str {
        let mut inner = without_references(code);
        while let (base, arguments) = generic(inner)
            && POINTERS.contains(&base)
            && self.is_standard(base, scope)
            && let Some(argument) = arguments.first()
        {
            inner = without_references(argument);
        }
        inner
    }

    fn of_record(&self, node: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let path = arena.slice(child(arena, node, K::PATH)?);
        let name = if path == "Self" { self.own_type(node)? } else { path };
        let scope = self.scope_at(node);
        let is_enum = |owner: &&str| self.type_item(owner, scope).is_some_and(|item| has_kind(arena, item, K::ENUM));
        match self.type_item(name, scope) {
            Some(item) => has_kind(arena, item, K::STRUCT).then(|| name.to_owned()),
            None => self.of_foreign_record(name, node).or_else(|| {
                // The value of a variant: `Kind::Big { size: 1 }`.
                let owner = name.rsplit_once("::").map(|(owner, _)| owner)?;
                let owner = if owner == "Self" { self.own_type(node)? } else { owner };
                Some(owner).filter(is_enum).map(str::to_owned)
            }),
        }
    }

    /// The declaration of a type of the file. `None` if the type has parameters that its name does not repeat, because
    /// their arguments would have to be replaced.
    pub(crate) fn type_item(&self, code: &str, scope: ScopeIndex) -> Option<NodeIndex> {
        let arena = self.arena;
        let name = code.split_once('<').map_or(code, |(name, _)| name).trim();
        let binding = self.names().lookup(name, TYPES, scope).filter(|_| !name.contains("::"))?;
        let item = self.item(binding)?;
        let parameters = child(arena, item, K::GENERIC_PARAM_LIST);
        let names = parameters.into_iter().flat_map(|list| arena.children(list)).map(|own| {
            let name =
                arena.children(own).find(|part| has_kind(arena, *part, K::NAME) || has_kind(arena, *part, K::LIFETIME));
            name.map_or("", |name| arena.slice(name))
        });
        let arguments = generic(code).1;
        // Lifetimes do not matter for types that are not written into the document.
        let is_compared = |name: &&str| !(self.crosses && name.starts_with('\''));
        let is_same = names.filter(is_compared).eq(arguments.into_iter().filter(is_compared));
        is_same.then_some(item)
    }

    /// The only item that declares a binding.
    pub(crate) fn item(&self, binding: BindingIndex) -> Option<NodeIndex> {
        let arena = self.arena;
        if self.names().bindings[binding].kind != BindingKind::Item {
            return None;
        }
        let mut declared = self.names().bound_at(binding);
        let place = declared.next().filter(|_| declared.next().is_none())?;
        let name = arena.ancestors(arena.innermost(place.span)).find(|node| has_kind(arena, *node, K::NAME))?;
        Some(arena.node(name).parent)
    }

    /// The scope of the names at a node.
    pub(crate) fn scope_at(&self, node: NodeIndex) -> ScopeIndex {
        let span = self.arena.node(node).span;
        let places = &self.names().places;
        let first = places.partition_point(|place| place.span.start < span.start);
        places.get(first).filter(|place| span.contains(place.span)).map_or_else(
            || self.names().module(&crate::modules::modules_around(self.arena, node)).unwrap_or_default(),
            crate::names::Place::scope,
        )
    }

    /// The last name of a path in the file, or of the start of a path, that has the same text as a type with `::`.
    /// `None` for paths of the standard library, and if the text may have several meanings.
    pub(crate) fn qualified_name(&self, code: &str) -> Option<Span> {
        let path = code.split('<').next().unwrap_or(code).trim();
        let names: Vec<&str> = path.split("::").collect();
        if names.len() < 2 || is_standard_path(path) {
            return None;
        }
        let is_it = |own: &&Path| {
            let start = own.segments.get(..names.len()).filter(|_| own.import.is_none());
            start.is_some_and(|start| start.iter().map(|segment| segment.name.as_str()).eq(names.iter().copied()))
        };
        let mut paths = self.symbol.paths.paths.iter().filter(is_it);
        let found = paths.next()?;
        let is_same = paths.all(|other| other.inline == found.inline && other.block == found.block);
        is_same.then(|| found.segments[names.len() - 1].span)
    }

    /// Returns whether a name of a type may refer to different items in the scopes of the file. The code of a type does not
    /// say in which scope it is.
    pub(crate) fn has_several_meanings(&self, name: &str) -> bool {
        let names = self.names();
        let all = (0..names.bindings.len()).filter(|index| {
            let own = &names.bindings[*index];
            let is_item = own.kind == BindingKind::Item || own.kind == BindingKind::Import;
            is_item && own.name == name && own.namespaces & TYPES != 0
        });
        let all: Vec<BindingIndex> = all.collect();
        if all.iter().all(|index| names.bindings[*index].scope == names.bindings[all[0]].scope) {
            return false;
        }
        let item = |index: &BindingIndex| self.symbol.item_at(names.bound_at(*index).next()?.span.start);
        let first = item(&all[0]);
        first.is_none() || all.iter().any(|index| item(index) != first)
    }

    /// The place of the name of a type in a scope: that of its declaration or import, or else of its first use.
    pub(crate) fn type_name(&self, name: &str, scope: ScopeIndex) -> Option<Span> {
        let names = self.names();
        match names.lookup(name, TYPES, scope) {
            Some(binding) => Some(names.bound_at(binding).next()?.span),
            None => Some(names.places.iter().find(|place| place.name == name && place.namespaces() & TYPES != 0)?.span),
        }
    }

    /// Returns whether a type is from outside of the workspace. `qualified` is its name if its code has `::`.
    pub(crate) fn is_outside(&self, code: &str, qualified: Option<Span>, scope: ScopeIndex) -> bool {
        let base = generic(code).0;
        if is_standard_path(code) || qualified.is_none() && self.is_standard(base, scope) {
            return true;
        }
        let name = qualified.or_else(|| self.type_name(base, scope)).filter(|_| self.foreign(code).is_none());
        name.is_some_and(|name| self.symbol.is_outside(name))
    }

    /// Returns whether a name is that of the standard library.
    pub(crate) fn is_standard(&self, name: &str, scope: ScopeIndex) -> bool {
        let Some(binding) = self.names().lookup(name, TYPES, scope) else { return crate::crates::is_standard(name) };
        let Some(place) = self.names().bound_at(binding).next() else { return false };
        let mut leaves = self.symbol.paths.paths.iter().filter(|path| path.import.is_some() && path.alias.is_none());
        let leaf = leaves.find(|path| path.local().is_some_and(|local| local.span == place.span));
        let root = leaf.and_then(|leaf| leaf.segments.first()).map_or("", |first| first.name.as_str());
        matches!(root, "std" | "core" | "alloc")
    }

    /// Returns whether the file shows that values of a type are copied.
    pub(crate) fn is_copied(&self, code: &str, scope: ScopeIndex) -> bool {
        if let Some((is_mutable, _)) = target(code) {
            return !is_mutable;
        }
        if text::is_primitive(code)
            || code.starts_with("*const ")
            || code.starts_with("*mut ")
            || code.starts_with("fn(")
        {
            return true;
        }
        if let Some(fields) = tuple(code) {
            return fields.iter().all(|field| self.is_copied(field, scope));
        }
        if code.starts_with('[') && code.contains(';') {
            return element(code).is_some_and(|inner| self.is_copied(inner, scope));
        }
        let arena = self.arena;
        let Some(item) = self.type_item(code, scope).filter(|_| !code.contains('<')) else { return false };
        let mut attributes = arena.children(item).filter(|part| has_kind(arena, *part, K::ATTR));
        attributes.any(|own| {
            arena.slice(own).starts_with("#[derive") && text::words(arena.slice(own)).any(|word| word == "Copy")
        })
    }

    /// The binding of a function that a path with one name calls.
    fn function(&self, name: Span) -> Option<NodeIndex> {
        let place =
            self.names().at(name.start).filter(|place| place.span == name && place.namespaces() & VALUES != 0)?;
        self.item(self.names().binding_of(place)?).filter(|item| has_kind(self.arena, *item, K::FN))
    }
}

/// Returns whether a type is written with its path in the standard library.
fn is_standard_path(code: &str) -> bool {
    ["std::", "core::", "alloc::"].iter().any(|root| code.starts_with(root))
}

/// The types that are direct children of a node.
pub(crate) fn types_in(arena: &Arena, node: NodeIndex) -> impl Iterator<Item = NodeIndex> {
    arena.children(node).filter(|part| is_type(RUST.kind_name(arena.node(*part).kind)))
}

/// The pattern of a variable that is declared at a position.
pub(crate) fn pattern_at(arena: &Arena, name: Span) -> Option<NodeIndex> {
    arena.ancestors(arena.innermost(name)).find(|node| has_kind(arena, *node, K::IDENT_PAT))
}

/// Returns whether an expression `&x` is mutable.
fn is_mutable_reference(arena: &Arena, node: NodeIndex) -> bool {
    arena.slice(node).trim_start_matches('&').trim_start().starts_with("mut ")
}

/// Returns whether an expression is a number without a type.
fn is_unsuffixed(arena: &Arena, node: NodeIndex) -> bool {
    has_kind(arena, node, K::LITERAL)
        && arena.slice(node).starts_with(|c: char| c.is_ascii_digit())
        && literal(arena.slice(node)).is_none()
}

/// The type of a literal. `None` for numbers without a suffix.
fn literal(code: &str) -> Option<&'static str> {
    const SUFFIXES: [&str; 14] =
        ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64"];
    match code {
        "true" | "false" => Some("bool"),
        _ if code.starts_with(['"', 'r']) => Some("&'static str"),
        _ if code.starts_with('\'') => Some("char"),
        _ if code.starts_with("b'") => Some("u8"),
        _ if code.starts_with(|c: char| c.is_ascii_digit()) && !code.starts_with("0x") => {
            SUFFIXES.into_iter().find(|suffix| code.ends_with(suffix))
        }
        _ => None,
    }
}
