//! Renames of a name in one document.

use marquetry_sdk::{Edit, FailureKind, ImportKey, RenameResult, RenamedExport, Result, Span, Usage, fail, shared};

use super::{
    Symbol,
    uses::{Qualified, Uses},
};
use crate::{
    modules::{self, Module, plain},
    names::{BindingIndex, BindingKind, FILE_SCOPE, Form, Names, Place},
    outline::{Reach, outline_of, reach},
    paths::Path,
};

/// A rename of an item, for the documents that use it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Renaming<'n> {
    pub(super) name: &'n str,
    pub(super) new_name: &'n str,
    /// True if a pattern with the name refers to the item.
    pub(super) is_constant: bool,
    /// True if re-exports that other crates can use keep the old name: `pub use a::new as old`.
    pub(super) keeps_exports: bool,
}

impl Symbol<'_> {
    pub(super) fn rename(&self, binding: BindingIndex, new_name: &str) -> Result<RenameResult> {
        let own = &self.names.bindings[binding];
        let mut result = shared::empty_renaming(&own.name);
        if plain(new_name) == own.name {
            return Ok(result);
        }
        let renaming = Renaming { name: &own.name, new_name, is_constant: own.is_constant, keeps_exports: true };
        self.check_rename(binding, &renaming)?;
        result.file = self.file_with_name_of(binding);
        if let Some(file) = &result.file {
            return match new_name.starts_with("r#") {
                true => Err(fail(FailureKind::Unsupported, format!("{file} cannot get the name of a keyword"))
                    .hint("choose a name that is not a keyword")),
                false => Ok(result),
            };
        }
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
        let renaming = Renaming { name, new_name, is_constant, keeps_exports: true };
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
            && !self.keeps_name(leaf.path, renaming)
            && self.binding_of_leaf(leaf.path).is_some_and(|local| self.conflict(local, renaming).is_none())
    }

    /// Returns whether a leaf is a re-export that keeps the old name: users in other crates cannot be found.
    fn keeps_name(&self, path: &Path, renaming: &Renaming<'_>) -> bool {
        renaming.keeps_exports && self.is_reexport(path) && modules::is_in_library(self.document.path())
    }

    /// Returns whether a leaf of a `use` tree is visible in other crates, by its own visibility.
    fn is_reexport(&self, path: &Path) -> bool {
        let has_reach = |import| reach(self.document.arena(), import) == Reach::Everywhere;
        path.block.is_none() && !path.is_glob && path.import.is_some_and(has_reach)
    }

    /// The leaves of `use` trees that export a name.
    pub(super) fn reexports<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s Path> {
        let paths = self.paths.paths.iter().filter(|path| self.is_reexport(path));
        paths.filter(move |path| path.local().is_some_and(|local| plain(&local.name) == plain(name)))
    }

    /// Renames the re-exports of a name that kept the name when the item was renamed, and their uses in this file.
    pub(super) fn rename_reexports(&self, name: &str, new_name: &str) -> Result<RenameResult> {
        let mut result = shared::empty_renaming(plain(name));
        let renaming = Renaming { name: plain(name), new_name, is_constant: false, keeps_exports: false };
        for path in self.reexports(name) {
            let Some(binding) = self.binding_of_leaf(path) else { continue };
            self.check_rename(binding, &renaming)?;
            let places = self.names.references(binding).filter(|place| !Names::is_declaration(place));
            result.edits.extend(places.map(|place| self.edit(place, new_name)));
            result.edits.push(self.renamed_leaf(path, new_name));
            let exported = self.exports(path, plain(name)).into_iter();
            result.exported.extend(exported.map(|old| RenamedExport { new: renamed(&old, new_name), old }));
            let module = Module { file: self.document.path().to_owned(), inline: path.inline.clone() };
            let uses = self.uses(module, name, |leaf| self.follows(leaf, &renaming));
            self.rename_uses(&uses, &renaming, vec![binding], &mut result)?;
        }
        finish(&mut result);
        Ok(result)
    }

    /// The edit that gives another name to a leaf of a `use` tree. `new as old` becomes `new`.
    fn renamed_leaf(&self, path: &Path, new_name: &str) -> Edit {
        match (&path.alias, path.segments.last()) {
            (Some(alias), Some(last)) if last.name == new_name && !path.is_self => {
                Edit::new(Span { start: last.span.start, end: alias.span.end }, new_name)
            }
            (Some(alias), _) => Edit::new(alias.span, new_name),
            (None, last) => {
                let end = last.map_or(path.span().end, |last| last.span.end);
                Edit::insert(end as usize, format!(" as {new_name}"))
            }
        }
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
        result.unresolved.extend(self.generated_code());
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
        if self.conflict(local, renaming).is_some() || self.keeps_name(one.path, renaming) {
            // The new name is taken in this file, or other crates use the old one, so the uses keep the old name.
            let old = one.span.slice(self.document.text_str());
            result.edits.push(Edit::new(one.span, format!("{new_name} as {old}")));
            return None;
        }
        let places = self.names.references(local);
        result.edits.extend(places.map(|place| match place.form {
            Form::Imported => Edit::new(place.span, new_name),
            Form::Plain | Form::Shorthand | Form::Field => self.edit(place, new_name),
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
            Form::Field => Edit::new(
                Span { start: place.start, end: place.span.end },
                format!("{written} = {}{new_name}", place.before),
            ),
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
