//! Finds occurrences whose meaning a rename would change.

use marquetry_sdk::Span;

use super::{BindingIndex, BindingKind, MAX_GLOBS, Names, Place, ScopeIndex, VALUES};
use crate::{crates::is_pattern_of_prelude, modules::plain};

impl Names {
    /// The first occurrence at which a rename of the binding changes the meaning of a name.
    pub(crate) fn conflict(&self, binding: BindingIndex, new_name: &str, is_constant: bool) -> Option<Span> {
        let new_name = plain(new_name);
        let own = &self.bindings[binding];
        let taken = self.bound_in(own.scope, new_name, own.namespaces, true);
        if let Some(taken) = taken {
            return self.references(taken).map(|place| place.span).next();
        }
        // After the rename, a use would refer to another binding with the new name in an inner scope.
        let captured = self.references(binding).find(|place| {
            let mut inner = self.path(place.scope).take_while(|(at, _)| *at != own.scope);
            inner.any(|(at, sees)| self.bound_in(at, new_name, own.namespaces, sees).is_some())
        });
        if let Some(captured) = captured {
            return Some(captured.span);
        }
        let is_local = matches!(own.kind, BindingKind::Local | BindingKind::Generic);
        let pattern = || match own.kind {
            BindingKind::Local => self.constant_before(binding, new_name),
            _ if is_constant => self.pattern_in(new_name, |scope| self.sees(scope, own.scope)),
            _ => None,
        };
        self.hidden_by(binding, new_name, is_local).or_else(pattern)
    }

    /// A use of the new name that would refer to the renamed binding afterwards.
    fn hidden_by(&self, binding: BindingIndex, new_name: &str, is_local: bool) -> Option<Span> {
        let own = &self.bindings[binding];
        let uses = self
            .places
            .iter()
            .filter(|place| place.name == new_name && place.namespaces & own.namespaces != 0 && place.binds.is_none());
        let mut uses = uses.map(|place| (place, self.binding_of(place)));
        let hidden = uses.find(|(place, target)| {
            let target_scope = target.map(|target| self.bindings[target].scope);
            let mut path = self.path(place.scope);
            let first = path.find(|(at, sees)| (*at == own.scope && (*sees || !is_local)) || Some(*at) == target_scope);
            let is_first = first.is_some_and(|(at, _)| at == own.scope);
            is_first || target.is_none() && !is_local && self.sees(place.scope, own.scope)
        });
        hidden.map(|(place, _)| place.span)
    }

    /// Returns whether the items of the scope `scope` are visible in the scope `from` without a path.
    fn sees(&self, from: ScopeIndex, scope: ScopeIndex) -> bool {
        self.path(from).any(|(at, _)| at == scope) || self.imports_all(self.module_of(from), scope, MAX_GLOBS)
    }

    fn imports_all(&self, module: ScopeIndex, scope: ScopeIndex, depth: usize) -> bool {
        let targets = self.globs.iter().filter(|(from, to)| *from == module && from != to && depth > 0);
        targets.into_iter().any(|(_, to)| *to == scope || self.imports_all(*to, scope, depth - 1))
    }

    /// A pattern variable with this name in a scope that passes the test. If a constant had this name, the pattern
    /// would refer to the constant.
    pub(crate) fn pattern_in(&self, name: &str, is_concerned: impl Fn(ScopeIndex) -> bool) -> Option<Span> {
        let is_variable = |place: &&Place| {
            let binding = place.binds.map(|index| &self.bindings[index]);
            place.name == plain(name) && binding.is_some_and(|binding| binding.kind == BindingKind::Local)
        };
        self.places.iter().filter(is_variable).find(|place| is_concerned(place.scope)).map(|place| place.span)
    }

    /// The declaration of a variable whose new name is the name of a constant. Its pattern would refer to the constant.
    fn constant_before(&self, binding: BindingIndex, new_name: &str) -> Option<Span> {
        let own = &self.bindings[binding];
        let found = self.lookup(new_name, VALUES, own.scope).map(|found| &self.bindings[found]);
        // By convention, an import with a capital letter may be a constant.
        let is_capital = new_name.starts_with(char::is_uppercase);
        let is_taken = match found {
            Some(found) => {
                found.is_constant
                    || found.kind == BindingKind::Import && is_capital
                    || found.kind == BindingKind::Generic
            }
            None => is_pattern_of_prelude(new_name),
        };
        let mut places = self.references(binding);
        places.find(|place| is_taken && Names::is_declaration(place)).map(|place| place.span)
    }

    /// Words in the arguments of macros that equal the new name and are in a scope in which the renamed binding is
    /// visible.
    pub(crate) fn words_that_see(&self, text: &str, binding: BindingIndex, new_name: &str) -> Vec<Span> {
        let scope = self.bindings[binding].scope;
        let words = self.words_named(text, plain(new_name));
        words.filter(|(_, from)| self.sees(*from, scope)).map(|(span, _)| span).collect()
    }
}
