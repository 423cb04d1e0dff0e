//! Checks that refuse renames: of names that cannot change, and to names that are taken.

use marquetry_code::NodeIndex;
use marquetry_sdk::{DeclaredKey, Failure, FailureKind, Result, Span, fail};

use super::{Symbol, is_exported};
use crate::{
    kinds::{K, has_kind},
    names::{BindingIndex, BindingKind, is_universal},
    packages::{local_name, outline_of, package_files},
    symbols::uses::Declared,
    types::{Lookup, Resolver, Type},
};

/// The failure if a new name already has another meaning.
fn taken(new_name: &str, where_: &str) -> Failure {
    fail(FailureKind::RefactorFailed, format!("`{new_name}` already has another meaning {where_}"))
        .hint("choose another name: the two could not be distinguished afterwards")
}

fn fixed(name: &str, reason: &str) -> Failure {
    fail(FailureKind::Unsupported, format!("`{name}` cannot be renamed: {reason}"))
        .hint("edit each place that a search for the name finds")
}

impl Symbol<'_> {
    pub(super) fn check_local(&self, binding: BindingIndex, new_name: &str) -> Result<()> {
        let names = &self.file.names;
        match names.conflict(self.file.arena(), binding, new_name) {
            Some(at) => Err(taken(new_name, "here").at(at)),
            None if names.bindings[binding].kind == BindingKind::Import => {
                let places: Vec<Span> = names.references(binding).map(|place| place.span).collect();
                self.check_import_name(&places, new_name)
            }
            None => self.check_keys(names.bindings[binding].visible, new_name),
        }
    }

    /// Refuses a new name that is already the key of a composite literal, unless that key is a field.
    fn check_keys(&self, visible: Span, new_name: &str) -> Result<()> {
        let keys = self.file.names.places.iter().filter(|place| place.is_key && visible.contains(place.span));
        let mut named = keys.filter(|place| self.text(place.span) == new_name);
        match named.find(|place| Resolver::default().is_field_key(&self.file, place.node) != Some(true)) {
            Some(place) => Err(taken(new_name, "here").at(place.span)),
            None => Ok(()),
        }
    }

    /// Checks the new name of an import. The name is visible in the whole file, so the package must not declare it.
    pub(super) fn check_import_name(&self, places: &[Span], new_name: &str) -> Result<()> {
        let own = self.package();
        let has_name = |file: &String| outline_of(file).declared.contains_key(new_name);
        if package_files(&own.folder, &own.name).iter().any(has_name)
            || self.imports.iter().any(|(_, local)| local == new_name)
        {
            return Err(taken(new_name, "in this package"));
        }
        if let Some(at) = places.iter().find(|span| self.file.names.lookup(new_name, span.start).is_some()) {
            return Err(taken(new_name, "here").at(*at));
        }
        let free = self.file.names.places.iter().filter(|place| place.binding.is_none() && !place.is_key);
        match free.into_iter().find(|place| self.text(place.span) == new_name) {
            Some(place) => Err(taken(new_name, "here").at(place.span)),
            None => Ok(()),
        }
    }

    /// Checks the new name of a declaration that other files can use.
    pub(super) fn check_declaration(&self, key: &DeclaredKey, new_name: &str) -> Result<()> {
        let declared = Declared::new(key);
        let at = key.locations.iter().find(|known| known.path == self.document.path()).map(|known| known.offset);
        let at = at.map(|start| Span { start, end: start + key.name.len() as u32 });
        let with_place = |failure: Failure| match at {
            Some(at) => failure.at(at),
            None => failure,
        };
        if declared.top.is_some() {
            return self.check_top(key, &declared, new_name).map_err(with_place);
        }
        self.check_member(at, new_name).map_err(with_place)
    }

    fn check_top(&self, key: &DeclaredKey, declared: &Declared, new_name: &str) -> Result<()> {
        let name = &key.name;
        let own = self.package();
        if name == "init" || name == "main" && own.name == "main" {
            return Err(fixed(name, "Go requires this name for entry points"));
        }
        let is_test =
            |name: &str| ["Test", "Benchmark", "Fuzz", "Example"].into_iter().find(|prefix| name.starts_with(prefix));
        if self.document.path().ends_with("_test.go")
            && let Some(prefix) = is_test(name).filter(|prefix| is_test(new_name) != Some(prefix))
            && self.is_function(key)
        {
            return Err(
                fixed(name, "the name makes it a test").hint(format!("choose a name that starts with `{prefix}`"))
            );
        }
        if matches!(new_name, "init" | "main") && own.name == "main" || new_name == "init" {
            return Err(taken(new_name, "in every package"));
        }
        for path in package_files(&own.folder, &own.name) {
            let outline = outline_of(&path);
            if outline.declared.contains_key(new_name) {
                return Err(taken(new_name, &format!("in {path}")));
            }
            if outline.imports.iter().any(|import| local_name(&path, import) == new_name) {
                return Err(taken(new_name, &format!("in {path}, which imports a package of this name")));
            }
            // Uses of the new name that refer to a predeclared identifier or a dot import would refer to the renamed
            // declaration.
            if outline.free.contains(new_name) {
                return Err(taken(new_name, &format!("in {path}")));
            }
        }
        if is_universal(new_name) && declared.is_type {
            return Err(taken(new_name, "in the language"));
        }
        Ok(())
    }

    fn is_function(&self, key: &DeclaredKey) -> bool {
        let arena = self.file.arena();
        let here = key.locations.iter().filter(|known| known.path == self.document.path());
        here.into_iter().any(|known| {
            let node = arena.innermost(Span { start: known.offset, end: known.offset + key.name.len() as u32 });
            has_kind(arena, arena.node(node).parent, K::Func)
        })
    }

    /// Refuses a new name if the type already has a member of that name.
    pub(super) fn check_member(&self, at: Option<Span>, new_name: &str) -> Result<()> {
        let arena = self.file.arena();
        let Some(name) = at.map(|at| arena.innermost(at)) else { return Ok(()) };
        let member = arena.node(name).parent;
        let own = if has_kind(arena, member, K::Method) {
            crate::table::receiver_type(arena, member).and_then(|own| Resolver::default().written(&self.file, own))
        } else {
            let around = arena.node(arena.node(member).parent).parent;
            Some(Type::Written(std::rc::Rc::clone(&self.file), around))
        };
        let found = own.map_or(Lookup::Absent, |own| Resolver::default().member(&own, new_name));
        match found {
            Lookup::Found(..) => Err(taken(new_name, "in this type")),
            Lookup::Absent | Lookup::Unknown => Ok(()),
        }
    }

    /// Checks a use of a member: a type that embeds the member's type may already have a member with the new name,
    /// which hides the renamed one.
    pub(super) fn check_member_use(&self, node: NodeIndex, new_name: &str) -> Result<()> {
        match Resolver::default().referred_as(&self.file, node, new_name) {
            Lookup::Found(..) => {
                let span = self.file.arena().node(node).span;
                Err(taken(new_name, &format!("in the type that {} uses", self.document.path())).at(span))
            }
            Lookup::Absent | Lookup::Unknown => Ok(()),
        }
    }

    /// Checks a use without a qualifier: no local name may hide the new name, and no import of the file may have it.
    pub(super) fn check_plain_use(&self, span: Span, new_name: &str) -> Result<()> {
        let names = &self.file.names;
        if names.local(new_name, span.start).is_some() || self.imports.iter().any(|(_, local)| local == new_name) {
            return Err(taken(new_name, &format!("in {}", self.document.path())).at(span));
        }
        // The package of a dot import may export the new name.
        let dots = self.dot_imports();
        let is_taken =
            dots.iter().any(|package| is_exported(new_name) && !super::declaring_files(package, new_name).is_empty());
        if is_taken { Err(taken(new_name, "here, by a dot import").at(span)) } else { Ok(()) }
    }
}
