//! Renames of a name in one document.

use marquetry_sdk::{Edit, FailureKind, ImportKey, RenameResult, RenamedExport, Result, Span, Usage, fail, shared};

use super::{
    Symbol,
    uses::{Qualified, Uses},
};
use crate::{
    modules::{self, plain},
    names::{BindingIndex, BindingKind, FILE_SCOPE, Form, Place},
    outline::outline_of,
};

/// A rename of an item, for the documents that use it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Renaming<'n> {
    pub(super) name: &'n str,
    pub(super) new_name: &'n str,
    /// True if a pattern with the name refers to the item.
    pub(super) is_constant: bool,
}

impl Symbol<'_> {
    pub(super) fn rename(&self, binding: BindingIndex, new_name: &str) -> Result<RenameResult> {
        let own = &self.names.bindings[binding];
        let mut result = shared::empty_renaming(&own.name);
        if plain(new_name) == own.name {
            return Ok(result);
        }
        let renaming = Renaming { name: &own.name, new_name, is_constant: own.is_constant };
        self.check_rename(binding, &renaming)?;
        result.edits = self.names.references(binding).map(|place| self.edit(place, new_name)).collect();
        let is_import = own.kind == BindingKind::Import;
        let is_shown = self
            .paths
            .paths
            .iter()
            .any(|path| is_import && path.inline.is_empty() && self.binding_of_leaf(path) == Some(binding));
        if own.scope == FILE_SCOPE && (own.kind == BindingKind::Item || is_shown) {
            result.exported.push(RenamedExport { old: own.name.clone(), new: new_name.to_owned() });
        }
        match self.module_of(binding) {
            Some(module) => {
                self.check_module(&module, &renaming, &mut result)?;
                let uses = self.uses(module, &own.name, |leaf| self.follows(leaf, &renaming));
                self.rename_uses(&uses, &renaming, vec![binding], &mut result)?;
                self.list_unbound(&own.name, &mut result);
            }
            None => result.unresolved.extend(self.names.words_of(self.document.text_str(), binding)),
        }
        if own.scope == FILE_SCOPE && is_undeclared(self.document.path()) {
            result.unresolved.extend(self.names.bound_at(binding).map(|place| place.span));
        }
        result.unresolved.extend(self.names.words_that_see(self.document.text_str(), binding, new_name));
        finish(&mut result);
        Ok(result)
    }

    pub(super) fn rename_imported(&self, key: &ImportKey, new_name: &str) -> Result<RenameResult> {
        let target = self.target(key);
        let name = target.as_ref().map_or(key.name.as_str(), |(_, name)| *name);
        let mut result = shared::empty_renaming(name);
        let is_constant = target.as_ref().is_some_and(|(module, name)| {
            outline_of(&module.file).modules.get(&module.inline).is_some_and(|own| own.constants.contains(*name))
        });
        let renaming = Renaming { name, new_name, is_constant };
        let uses =
            target.as_ref().map(|(module, name)| self.uses(module.clone(), name, |leaf| self.follows(leaf, &renaming)));
        self.rename_uses(&uses.unwrap_or_default(), &renaming, Vec::new(), &mut result)?;
        self.list_unbound(name, &mut result);
        finish(&mut result);
        Ok(result)
    }

    /// Returns whether the name that a leaf binds is renamed together with the item.
    fn follows(&self, leaf: &Qualified<'_>, renaming: &Renaming<'_>) -> bool {
        leaf.path.alias.is_none()
            && self.binding_of_leaf(leaf.path).is_some_and(|local| self.conflict(local, renaming).is_none())
    }

    /// Renames an item in paths and imports and where glob imports provide it. Lists the words of macros that may refer
    /// to it.
    fn rename_uses(
        &self,
        uses: &Uses<'_>,
        renaming: &Renaming<'_>,
        mut bindings: Vec<BindingIndex>,
        result: &mut RenameResult,
    ) -> Result<()> {
        let new_name = renaming.new_name;
        self.check_sources(uses, result)?;
        for one in &uses.qualified {
            bindings.extend(self.rename_qualified(one, renaming, result));
        }
        for (glob, name) in &uses.globs {
            let exported = self.exports(glob, name).into_iter();
            result.exported.extend(exported.map(|old| RenamedExport { new: renamed(&old, new_name), old }));
            let mut is_used = false;
            for place in self.free(glob, name) {
                if let Some(taken) = self.names.lookup(new_name, place.namespaces(), place.scope()) {
                    let at = self.names.references(taken).next().map_or(place.span, |place| place.span);
                    return Err(taken_by_glob(name, new_name, at));
                }
                result.edits.push(self.edit(place, new_name));
                is_used = true;
            }
            self.check_glob(glob, renaming, is_used, result)?;
        }
        let text = self.document.text_str();
        for binding in &bindings {
            result.unresolved.extend(self.names.words_that_see(text, *binding, new_name));
        }
        result.unresolved.extend(self.words(uses, renaming.name, &bindings));
        result.unresolved.extend(self.paths_in_comments(renaming.name));
        Ok(())
    }

    /// Adds the edits of a path that refers to the renamed item, and of the uses of the name that the path binds.
    /// Returns the binding if it is renamed.
    fn rename_qualified(
        &self,
        one: &Qualified<'_>,
        renaming: &Renaming<'_>,
        result: &mut RenameResult,
    ) -> Option<BindingIndex> {
        let new_name = renaming.new_name;
        let local = self.binding_of_leaf(one.path).filter(|_| one.is_leaf && one.path.alias.is_none());
        let Some(local) = local else {
            result.edits.push(Edit::new(one.span, new_name));
            return None;
        };
        if self.conflict(local, renaming).is_some() {
            // The new name is taken in this file, so the uses keep the old name.
            let old = one.span.slice(self.document.text_str());
            result.edits.push(Edit::new(one.span, format!("{new_name} as {old}")));
            return None;
        }
        let places = self.names.references(local);
        result.edits.extend(places.map(|place| match place.form {
            Form::Imported => Edit::new(place.span, new_name),
            Form::Plain | Form::Shorthand => self.edit(place, new_name),
        }));
        let exported = self.exports(one.path, &self.names.bindings[local].name).into_iter();
        result.exported.extend(exported.map(|old| RenamedExport { new: renamed(&old, new_name), old }));
        Some(local)
    }

    /// Lists uses of the name that may come from a glob import which the pack cannot resolve.
    fn list_unbound(&self, name: &str, result: &mut RenameResult) {
        let is_edited = |span: Span| result.edits.iter().any(|edit| edit.span.contains(span));
        let open: Vec<Span> =
            self.names.unbound(name).map(|place| place.span).filter(|span| !is_edited(*span)).collect();
        result.unresolved.extend(open);
    }

    /// The edit that renames one occurrence.
    fn edit(&self, place: &Place, new_name: &str) -> Edit {
        let written = place.span.slice(self.document.text_str());
        // A format string contains variable names without `r#`.
        let new_name = if place.usage == Usage::InString { plain(new_name) } else { new_name };
        match place.form {
            Form::Plain => Edit::new(place.span, new_name),
            Form::Imported => Edit::insert(place.span.end as usize, format!(" as {new_name}")),
            Form::Shorthand if place.start == place.span.start => {
                Edit::new(place.span, format!("{written}: {new_name}"))
            }
            // `ref` or `mut` precedes the name.
            Form::Shorthand => Edit::new(
                Span { start: place.start, end: place.span.end },
                format!("{written}: {}{new_name}", place.before),
            ),
        }
    }
}

/// Returns whether no `mod` item for a file of a package was found. A macro may declare the module, so its users are
/// unknown.
fn is_undeclared(file: &str) -> bool {
    modules::module_path(file).is_none() && modules::manifest_of(file).is_some()
}

/// The failure if the new name is taken in a file that has a glob import of the renamed item.
pub(super) fn taken_by_glob(name: &str, new_name: &str, at: Span) -> marquetry_sdk::Failure {
    let message = format!("`{new_name}` has another meaning in this file, which imports `{name}` by `*`");
    fail(FailureKind::RefactorFailed, message).hint("choose another name").at(at)
}

/// An exported name whose last part is replaced: `prelude::old` becomes `prelude::new`.
fn renamed(old: &str, new_name: &str) -> String {
    old.rsplit_once("::").map_or_else(|| new_name.to_owned(), |(outer, _)| format!("{outer}::{new_name}"))
}

fn finish(result: &mut RenameResult) {
    result.edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    result.edits.dedup_by_key(|edit| edit.span);
    result.exported.sort_by(|one, other| one.old.cmp(&other.old));
    result.exported.dedup();
    result.unresolved.sort_by_key(|span| span.start);
    result.unresolved.dedup();
}
