//! Updates uses of names that are in another package after a move: adds or removes qualifiers, and updates the imports.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_code::NodeIndex;
use marquetry_sdk::{Edit, Span, paths::folder};

use super::{Relink, is_visible};
use crate::{
    imports::Import,
    kinds::{K, has_kind},
    links::remove_imports,
    names::BindingKind,
    packages::{files_of, local_name, outline_of, package_files},
    refactor::add_import,
    symbols::is_exported,
};

/// The imports to add to a document, and those to remove because it no longer uses them.
#[derive(Debug, Default)]
pub(super) struct ImportChanges {
    /// Import paths, each with the span of the first use that needs it.
    added: BTreeMap<String, Span>,
    removed: Vec<Import>,
}

/// The package that declares a name after the moves.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Home {
    pub(super) folder: String,
    package: String,
    is_test: bool,
}

/// Returns the only package in the set, or the reason why there is not exactly one.
fn only(homes: &BTreeSet<Home>) -> Result<&Home, &'static str> {
    let mut all = homes.iter();
    match (all.next(), all.next()) {
        (Some(home), None) => Ok(home),
        (None, _) => Err("no file of the package declares the name"),
        (Some(_), Some(_)) => Err("the declarations are in several packages now"),
    }
}

impl Relink<'_> {
    /// The packages that declare a name after the moves, if `package` in the folder `own` declares it before them.
    pub(super) fn homes(&self, own: &str, package: &str, name: &str) -> BTreeSet<Home> {
        let files = package_files(own, package).into_iter();
        let declaring = files.filter(|file| outline_of(file).declared.contains_key(name));
        let homes = declaring.map(|file| Home {
            folder: folder(&self.moves.after(&file)).to_owned(),
            package: self.moves.package_after(&file, package),
            is_test: file.ends_with("_test.go"),
        });
        homes.collect()
    }

    /// Qualifies uses of names of the file's own package whose declarations are in another folder than this file after
    /// the moves.
    pub(super) fn qualify_own_names(&mut self) {
        let (own, new) = (folder(self.document.path()).to_owned(), folder(&self.path).to_owned());
        let package = self.file.package.clone();
        let mut elsewhere: BTreeMap<String, BTreeSet<Home>> = BTreeMap::new();
        for name in self.file.names.places.iter().map(|place| self.file.arena().slice(place.node)) {
            if !elsewhere.contains_key(name) {
                elsewhere.insert(name.to_owned(), self.homes(&own, &package, name));
            }
        }
        elsewhere.retain(|_, homes| homes.iter().any(|home| home.folder != new));
        let is_package =
            |binding: Option<usize>| binding.is_none_or(|own| self.names().bindings[own].kind == BindingKind::Package);
        let places = self.names().places.iter().filter(|place| is_package(place.binding));
        let places: Vec<(NodeIndex, Span)> = places.map(|place| (place.node, place.span)).collect();
        for (node, span) in places {
            let name = self.file.arena().slice(node).to_owned();
            let Some(homes) = elsewhere.get(&name) else { continue };
            if !self.is_use(node) {
                continue;
            }
            match self.qualifier(homes, &name, node) {
                Ok(local) => self.result.edits.push(Edit::insert(span.start as usize, format!("{local}."))),
                Err(reason) => self.unresolved(span, reason),
            }
        }
    }

    /// Returns whether an occurrence may refer to a name of the package. Every occurrence may, except the key of a
    /// composite literal that is certainly the name of a field.
    fn is_use(&self, node: NodeIndex) -> bool {
        let is_key = self.names().places.iter().any(|place| place.node == node && place.is_key);
        !is_key || crate::types::Resolver::default().is_field_key(&self.file, node) != Some(true)
    }

    /// The qualifier that a use needs, or the reason why it cannot be qualified.
    fn qualifier(&mut self, homes: &BTreeSet<Home>, name: &str, node: NodeIndex) -> Result<String, &'static str> {
        let arena = self.file.arena();
        let home = only(homes)?;
        let is_key = self.names().places.iter().any(|place| place.node == node && place.is_key);
        if is_key && crate::types::Resolver::default().is_field_key(&self.file, node).is_none() {
            return Err("this may be a field or a name of another package");
        }
        if arena.ancestors(node).any(|above| has_kind(arena, above, K::Receiver)) {
            return Err("the type of a method is in another package now");
        }
        if self
            .names()
            .places
            .iter()
            .any(|place| place.node == node && place.usage == marquetry_sdk::Usage::Declaration)
        {
            return Err("another declaration of the name is in another package now");
        }
        if !is_exported(name) {
            return Err("the declaration is in another package now, which does not export it");
        }
        let at = arena.node(node).span;
        self.import_of(home, at)
    }

    /// The name by which this file refers to a package at a span. Adds an import if the file has none.
    fn import_of(&mut self, home: &Home, at: Span) -> Result<String, &'static str> {
        let to = folder(&self.path).to_owned();
        if home.is_test || home.package == "main" {
            return Err("the declaration is in a package now that cannot be imported");
        }
        let Some(path) = self.moves.import_path(&home.folder) else { return Err("the folder is not in a module") };
        if !is_visible(&home.folder, &to) {
            return Err("an internal package is not visible here");
        }
        if self.is_cycle(&home.folder) {
            return Err("the reference to the declaration would create an import cycle");
        }
        let own = self.document.path();
        let known = self.imports.iter().find(|import| {
            import.path == path && import.alias.as_ref().is_none_or(|(alias, _)| !matches!(alias.as_str(), "_" | "."))
        });
        let local = known.map_or_else(|| home.package.clone(), |import| local_name(own, import));
        let is_hidden = self.names().local(&local, at.start).is_some_and(|own| own.kind != BindingKind::Import);
        let is_other = known.is_none()
            && self.imports.iter().any(|import| import.path != path && local_name(own, import) == local);
        if is_hidden || is_other || self.is_declared_after(&local) {
            return Err("the name of the package has another meaning here");
        }
        if known.is_none() {
            self.changes.added.entry(path).or_insert(at);
        }
        Ok(local)
    }

    /// Returns whether the folder of the file before or after the moves declares a name.
    fn is_declared_after(&self, name: &str) -> bool {
        let (own, new) = (folder(self.document.path()), folder(&self.path));
        files_of(own).iter().chain(&files_of(new)).any(|file| outline_of(file).declared.contains_key(name))
    }

    /// Updates an import of a package whose declarations are in several packages after the moves, or in the package of
    /// this file.
    pub(super) fn split(&mut self, import: &Import, old: &str, name: &str) {
        let local = local_name(self.document.path(), import);
        let uses: Vec<(NodeIndex, NodeIndex)> = self.uses_of(&local);
        let targets: Vec<BTreeSet<Home>> =
            uses.iter().map(|(_, member)| self.homes(old, name, self.file.arena().slice(*member))).collect();
        // A file does not import the package to which it belongs after the moves.
        let is_own = old == folder(&self.path) && !self.is_external_test();
        let has_files = !self.moves.files_in(old).is_empty();
        let is_kept = |homes: &BTreeSet<Home>| {
            !is_own && (homes.is_empty() && has_files || homes.iter().any(|home| home.folder == old))
        };
        let keeps = targets.iter().any(is_kept);
        let mut is_open = false;
        for ((left, member), homes) in uses.into_iter().zip(targets) {
            if is_kept(&homes) && homes.len() <= 1 {
                continue;
            }
            if let Err(reason) = self.move_use((left, member), &homes) {
                is_open = true;
                let span = self.file.arena().node(member).span;
                self.unresolved(span, reason);
            }
        }
        if !keeps && !is_open {
            self.changes.removed.push(import.clone());
        }
    }

    /// The selectors whose left side is the name of an import: the nodes of the name and of the member.
    fn uses_of(&self, local: &str) -> Vec<(NodeIndex, NodeIndex)> {
        let arena = self.file.arena();
        let members = self.names().members.iter().filter(|member| !member.is_declaration);
        let pairs = members.filter_map(|member| {
            let left = arena.children(arena.node(member.node).parent).next()?;
            let is_it = has_kind(arena, left, K::NameRef) && arena.slice(left) == local;
            let own = self.names().local(local, arena.node(left).span.start);
            (is_it && own.is_none_or(|own| own.kind == BindingKind::Import)).then_some((left, member.node))
        });
        pairs.collect()
    }

    fn move_use(&mut self, (left, member): (NodeIndex, NodeIndex), homes: &BTreeSet<Home>) -> Result<(), &'static str> {
        let home = only(homes)?;
        let arena = self.file.arena();
        let (qualifier, name) = (arena.node(left).span, arena.node(member).span);
        if home.folder == folder(&self.path) && !self.is_external_test() {
            let text = name.slice(&arena.text);
            let is_taken = self.names().lookup(text, qualifier.start).is_some()
                || self.imports.iter().any(|import| local_name(self.document.path(), import) == text);
            if is_taken {
                return Err("the name has another meaning here");
            }
            self.result.edits.push(Edit::new(Span { start: qualifier.start, end: name.start }, ""));
            return Ok(());
        }
        let local = self.import_of(home, qualifier)?;
        if local != qualifier.slice(self.document.text_str()) {
            self.result.edits.push(Edit::new(qualifier, local));
        }
        Ok(())
    }

    /// Edits the imports. An added path replaces a removed import if possible, so that the order stays the same.
    pub(super) fn change_imports(&mut self) {
        let ImportChanges { mut added, mut removed } = std::mem::take(&mut self.changes);
        while let Some((path, _)) = added.first_key_value().filter(|_| !removed.is_empty()) {
            let (old, path) = (removed.remove(0), path.clone());
            added.remove(&path);
            self.result.edits.push(Edit::new(old.span, path));
            if let Some((_, alias)) = &old.alias {
                self.result.edits.push(Edit::new(Span { start: alias.start, end: old.span.start - 1 }, ""));
            }
        }
        if !removed.is_empty() {
            let nodes = removed.iter().map(|import| import.node).collect();
            match remove_imports(self.document, nodes) {
                Ok(edits) => self.result.edits.extend(edits),
                Err(_) => removed.iter().for_each(|import| self.unresolved(import.span, "the import is not used now")),
            }
        }
        let paths: Vec<&str> = added.keys().map(String::as_str).collect();
        match add_import::add_paths(self.document, &paths) {
            Ok(edits) => self.result.edits.extend(edits),
            Err(_) => added.into_values().for_each(|at| self.unresolved(at, "the package cannot be imported here")),
        }
    }
}
