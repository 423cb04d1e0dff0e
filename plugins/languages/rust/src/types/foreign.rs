//! Types that other files declare.
//!
//! A type is code in the scope of the document. A type in the declaration of another file is converted: each of its
//! names is either one that the document has for the same item, or one that the document does not have at all. The
//! declarations of the latter are kept in [`ForeignTypes`].

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use marquetry_code::{CodeDocument, NodeIndex};
use marquetry_sdk::{FileLocation, workspace};

use super::{Types, text, types_in};
use crate::{
    hierarchy::last_name,
    kinds::{F, K, child, has_kind},
    memo,
    modules::plain,
    names::{BindingKind, FILE_SCOPE, ScopeIndex, TYPES},
    symbols::Symbol,
    table::RUST,
};

/// Declarations of types whose names have no other meaning in a document.
pub(crate) type ForeignTypes = RefCell<HashMap<String, FileLocation>>;

/// Another document.
fn document(path: &str) -> Option<Rc<CodeDocument>> {
    let open = || Some(Rc::new(CodeDocument::open(&RUST, path, workspace::read(path).ok()?)));
    memo::once(|memo| &mut memo.documents, &path.to_owned(), open)
}

impl<'s> Types<'s> {
    /// These types, also of expressions whose types other files declare. Their code may contain names that the document
    /// does not have, so it cannot be written into the document.
    pub(crate) fn across_files(self) -> Types<'s> {
        Types { crosses: true, ..self }
    }

    /// The declaration of a type that the document has no name for.
    pub(crate) fn foreign(&self, code: &str) -> Option<FileLocation> {
        let inner = text::without_references(code);
        let is_path = inner.split('<').next().is_some_and(|path| path.contains("::"));
        self.symbol.foreign.borrow().get(text::generic(inner).0).filter(|_| self.crosses && !is_path).cloned()
    }

    /// The declaration of a type. `None` for type parameters and types from outside of the workspace.
    fn declaration(&self, code: &str, scope: ScopeIndex) -> Option<FileLocation> {
        if let Some(place) = self.foreign(code) {
            return Some(place);
        }
        let name = self.qualified_name(code).or_else(|| self.type_name(text::generic(code).0, scope))?;
        let binding = self.names().at(name.start).and_then(|place| self.names().binding_of(place));
        let is_parameter = binding.is_some_and(|own| self.names().bindings[own].kind == BindingKind::Generic);
        self.symbol.item_at(name.start).filter(|_| !is_parameter)
    }

    /// The type that a member of a type of another file has: that of a field, or of the result of a function.
    pub(super) fn of_foreign_member(&self, owner: &str, name: &str, node: NodeIndex) -> Option<String> {
        self.in_declaration(owner, self.scope_at(node), |types, item| {
            let arena = types.arena;
            let own = arena.child(item, F::Name.into())?;
            let list = child(arena, item, K::RECORD_FIELD_LIST);
            let mut fields = list.into_iter().flat_map(|list| arena.children(list));
            let is_it = |field: &NodeIndex| {
                arena.child(*field, F::Name.into()).is_some_and(|own| plain(arena.slice(own)) == name)
            };
            let field = fields.find(is_it).filter(|_| has_kind(self.arena, node, K::FIELD_EXPR));
            if let Some(field) = field {
                return self.adopted(types, types_in(arena, field).next()?);
            }
            let Some(function) = types.member(arena.slice(own), name) else {
                let is_same = has_kind(self.arena, node, K::METHOD_CALL_EXPR) && name == "clone"
                    || has_kind(self.arena, node, K::CALL_EXPR) && matches!(name, "default" | "from");
                return is_same.then(|| owner.to_owned());
            };
            types.result(function)?;
            let result = child(arena, function, K::RET_TYPE)?;
            self.adopted(types, types_in(arena, result).next()?)
        })
    }

    /// The type of the result of a function that another file declares, at the end of a path.
    pub(super) fn of_foreign_function(&self, path: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let name = child(arena, child(arena, path, K::PATH_SEGMENT)?, K::NAME_REF)?;
        let place = self.symbol.item_at(arena.node(name).span.start).filter(|_| self.crosses)?;
        self.in_file(&place, |types, item| {
            types.result(item).filter(|_| has_kind(types.arena, item, K::FN))?;
            let result = child(types.arena, item, K::RET_TYPE)?;
            self.adopted(types, types_in(types.arena, result).next()?)
        })
    }

    /// The type of a constant, static or struct without fields that another file declares.
    pub(super) fn of_foreign_value(&self, path: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let name = child(arena, child(arena, path, K::PATH_SEGMENT)?, K::NAME_REF)?;
        let place = self.symbol.item_at(arena.node(name).span.start).filter(|_| self.crosses)?;
        self.in_file(&place, |types, item| {
            let has_parts = [K::RECORD_FIELD_LIST, K::TUPLE_FIELD_LIST, K::GENERIC_PARAM_LIST];
            let is_plain = has_parts.iter().all(|kind| child(types.arena, item, *kind).is_none());
            if is_plain && has_kind(types.arena, item, K::STRUCT) {
                return Some(arena.slice(path).to_owned());
            }
            let is_value = has_kind(types.arena, item, K::CONST) || has_kind(types.arena, item, K::STATIC);
            self.adopted(types, types_in(types.arena, item).next().filter(|_| is_value)?)
        })
    }

    /// The code of a literal's type that another file declares.
    pub(super) fn of_foreign_record(&self, code: &str, node: NodeIndex) -> Option<String> {
        let place = self.declaration(code, self.scope_at(node)).filter(|_| self.crosses)?;
        let is_plain = |types: &Types<'_>, item: NodeIndex| {
            let arena = types.arena;
            let is_struct = has_kind(arena, item, K::STRUCT) && child(arena, item, K::GENERIC_PARAM_LIST).is_none();
            is_struct.then(|| code.to_owned())
        };
        self.in_file(&place, is_plain)
    }

    /// Runs a function with the types of the other document that declares a type without type parameters.
    pub(super) fn in_declaration<R>(
        &self,
        code: &str,
        scope: ScopeIndex,
        run: impl FnOnce(&Types<'_>, NodeIndex) -> Option<R>,
    ) -> Option<R> {
        let place = self.declaration(code, scope).filter(|_| self.crosses)?;
        self.in_file(&place, |types, item| {
            let list = child(types.arena, item, K::GENERIC_PARAM_LIST);
            let mut parameters = list.into_iter().flat_map(|list| types.arena.children(list));
            let is_plain = parameters.all(|part| has_kind(types.arena, part, K::LIFETIME_PARAM));
            if is_plain { run(types, item) } else { None }
        })
    }

    /// Runs a function with the types of another document and an item that it declares.
    fn in_file<R>(&self, place: &FileLocation, run: impl FnOnce(&Types<'_>, NodeIndex) -> Option<R>) -> Option<R> {
        if place.path == self.symbol.path() {
            return None;
        }
        let document = document(&place.path)?;
        let arena = document.arena();
        let here = marquetry_sdk::Span { start: place.offset, end: place.offset };
        let name = arena.ancestors(arena.innermost(here)).find(|node| has_kind(arena, *node, K::NAME))?;
        let symbol = Symbol::new(&document);
        run(&Types::new(arena, &symbol), arena.node(name).parent)
    }

    /// The code of a type of another document in this document. `None` if one of its names has another meaning here.
    pub(super) fn adopted(&self, other: &Types<'_>, node: NodeIndex) -> Option<String> {
        let arena = other.arena;
        other.written(node)?;
        let is_path =
            |node: &NodeIndex| has_kind(arena, *node, K::PATH) && last_name(arena, arena.node(*node).parent).is_some();
        let is_outermost = |node: &NodeIndex| !has_kind(arena, arena.node(*node).parent, K::PATH);
        let paths = std::iter::once(node).chain(arena.descendants(node)).filter(is_path).filter(is_outermost);
        let (mut code, mut at) = (String::new(), arena.node(node).span.start);
        for path in paths {
            let name = last_name(arena, arena.node(path).parent)?;
            let end = arena.node(name).span.end;
            code += &arena.text[at as usize..arena.node(path).span.start as usize];
            code += &self.adopted_name(other, name)?;
            at = end;
        }
        code += &arena.text[at as usize..arena.node(node).span.end as usize];
        Some(code.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// The name of a type of another document in this document.
    fn adopted_name(&self, other: &Types<'_>, name: NodeIndex) -> Option<String> {
        let arena = other.arena;
        let own = match arena.slice(name) {
            "Self" => {
                let implementation = arena.ancestors(name).find(|above| has_kind(arena, *above, K::IMPL))?;
                last_name(arena, types_in(arena, implementation).last()?)?
            }
            _ => name,
        };
        let (text, start) = (arena.slice(own), arena.node(own).span.start);
        let binding = other.names().at(start).and_then(|place| other.names().binding_of(place));
        if binding.is_some_and(|own| other.names().bindings[own].kind == BindingKind::Generic) {
            return None;
        }
        if self.has_several_meanings(text) {
            return None;
        }
        let here = self.names().lookup(text, TYPES, FILE_SCOPE);
        if other.is_standard(text, FILE_SCOPE) || text::is_primitive(text) || text == "str" {
            return (here.is_none() || self.is_standard(text, FILE_SCOPE)).then(|| text.to_owned());
        }
        let place = other.symbol.item_at(start)?;
        // A glob import may provide the name.
        let used = self.type_name(text, FILE_SCOPE);
        if place.path == self.symbol.path() || used.is_some() {
            let is_it = used.is_some_and(|used| self.symbol.item_at(used.start).as_ref() == Some(&place));
            return is_it.then(|| text.to_owned());
        }
        let mut foreign = self.symbol.foreign.borrow_mut();
        let known = foreign.entry(text.to_owned()).or_insert_with(|| place.clone());
        (*known == place).then(|| text.to_owned())
    }
}
