//! Keeps imports, package clauses and the names of packages right after files have moved.

use std::collections::BTreeSet;

use marquetry_code::CodeDocument;
use marquetry_sdk::{
    Edit, Span,
    paths::{folder, join, relative_to},
};

use crate::{
    imports::{Import, imports},
    links::embeds,
    moves::Moves,
    names::{BindingKind, Names},
    packages::{
        Found, files_of, local_name, outline_of, package_clause, package_files, package_name, package_name_node,
        resolve,
    },
};

/// The result of moves for one document.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Relinked {
    /// The edits, in order.
    pub(crate) edits: Vec<Edit>,
    /// Places that refer to what moved and were not changed, with the reasons.
    pub(crate) unresolved: Vec<(Span, String)>,
}

struct Relink<'d> {
    document: &'d CodeDocument,
    names: Names,
    moves: &'d Moves,
    /// The path of the document after the moves.
    path: String,
    package: String,
    result: Relinked,
}

/// The edits that keep a document right after the moves. The workspace is the one before them.
pub(crate) fn relink(document: &CodeDocument, moves: &Moves) -> Relinked {
    let path = moves.after(document.path());
    let package = package_clause(document.arena()).unwrap_or_default();
    let names = Names::new(document.arena());
    let mut relink = Relink { document, names, moves, path, package, result: Relinked::default() };
    relink.clause();
    relink.own_package();
    let all = imports(document);
    for import in &all {
        match resolve(document.path(), &import.path) {
            Found::Folder(folder) => relink.import(import, &folder, &all),
            Found::Possible(folder) if moves.folder_after(&folder).as_ref() != Some(&folder) => {
                relink.unresolved(import.span, "no `go.mod` says which folder this is");
            }
            Found::Possible(_) | Found::Missing(_) | Found::Elsewhere => {}
        }
    }
    relink.embeds();
    let mut result = relink.result;
    result.edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    result.edits.dedup();
    result.unresolved.sort_by_key(|(span, _)| span.start);
    result.unresolved.dedup_by_key(|(span, _)| *span);
    result
}

impl Relink<'_> {
    fn unresolved(&mut self, span: Span, reason: impl Into<String>) {
        self.result.unresolved.push((span, reason.into()));
    }

    /// The clause of the package of a file that moves.
    fn clause(&mut self) {
        let Some(node) = package_name_node(self.document.arena()) else { return };
        let new = self.moves.package_after(self.document.path(), &self.package);
        if new != self.package {
            self.result.edits.push(Edit::new(self.document.arena().node(node).span, new));
        }
    }

    /// Names of the own package whose declarations are in another folder than this file afterwards.
    fn own_package(&mut self) {
        let arena = self.document.arena();
        let own = folder(self.document.path());
        let new = folder(&self.path).to_owned();
        let mut elsewhere: BTreeSet<String> = BTreeSet::new();
        for file in package_files(own, &self.package) {
            if folder(&self.moves.after(&file)) != new {
                elsewhere.extend(outline_of(&file).declared.keys().cloned());
            }
        }
        let is_declared =
            |name: &str| self.names.bindings.iter().any(|own| own.kind == BindingKind::Package && own.name == name);
        let free = self.names.places.iter().filter(|place| place.binding.is_none());
        let found: Vec<Span> = free
            .filter(|place| elsewhere.contains(arena.slice(place.node)) && !is_declared(arena.slice(place.node)))
            .map(|place| place.span)
            .collect();
        for span in found {
            self.unresolved(span, "the declaration is in another package now");
        }
        if new != own {
            self.check_new_package(&new);
        }
    }

    /// Declarations of a file that moves into a package which has their names already.
    fn check_new_package(&mut self, new: &str) {
        let arena = self.document.arena();
        let stays = files_of(new).into_iter().filter(|file| self.moves.after(file) == *file);
        let taken: BTreeSet<String> =
            stays.flat_map(|file| outline_of(&file).declared.keys().cloned().collect::<Vec<_>>()).collect();
        let own =
            self.names.bindings.iter().filter(|own| own.kind == BindingKind::Package && taken.contains(&own.name));
        let found: Vec<Span> = own.filter(|own| own.name != "init").map(|own| arena.node(own.node).span).collect();
        for span in found {
            self.unresolved(span, "the package has a declaration of this name already");
        }
    }

    fn import(&mut self, import: &Import, old: &str, all: &[Import]) {
        let name = package_name(old).unwrap_or_default();
        let Some(new) = self.moves.folder_after(old) else { return self.split(import, old, &name) };
        if new == old {
            return;
        }
        let Some(path) = self.moves.import_path(&new) else {
            return self.unresolved(import.span, "the folder is not in a module");
        };
        if folder(&self.path) == new && folder(self.document.path()) != old {
            return self.unresolved(import.span, "the file is in this package now");
        }
        if all.iter().any(|other| other.path == path) && path != import.path {
            self.unresolved(import.span, "the package is imported already");
        }
        if !is_visible(&new, folder(&self.path)) {
            self.unresolved(import.span, "an internal package is not visible here");
        }
        if path != import.path {
            self.result.edits.push(Edit::new(import.span, path));
        }
        let sample = files_of(old).into_iter().find(|file| !file.ends_with("_test.go"));
        let new_name = sample.map_or_else(|| name.clone(), |file| self.moves.package_after(&file, &name));
        if new_name != name && import.alias.is_none() {
            self.rename_package(import, &name, &new_name);
        }
    }

    /// Renames the package of an import where it is used, or keeps the old name as an alias.
    fn rename_package(&mut self, import: &Import, name: &str, new_name: &str) {
        let arena = self.document.arena();
        let free = self.names.places.iter().filter(|place| place.binding.is_none() && !place.is_key);
        let places: Vec<Span> = free.filter(|place| arena.slice(place.node) == name).map(|place| place.span).collect();
        let own = folder(self.document.path());
        let is_taken = places.iter().any(|span| self.names.lookup(new_name, span.start).is_some())
            || imports(self.document).iter().any(|other| local_name(self.document.path(), other) == new_name)
            || package_files(own, &self.package).iter().any(|file| outline_of(file).declared.contains_key(new_name))
            || self.names.places.iter().any(|place| place.binding.is_none() && arena.slice(place.node) == new_name);
        if is_taken {
            let start = import.span.start as usize - 1;
            self.result.edits.push(Edit::insert(start, format!("{name} ")));
            return;
        }
        self.result.edits.extend(places.into_iter().map(|span| Edit::new(span, new_name)));
    }

    /// An import of a folder of which only some files move: lists the names that they declare.
    fn split(&mut self, import: &Import, old: &str, name: &str) {
        let arena = self.document.arena();
        let local = local_name(self.document.path(), import);
        let mut moved: BTreeSet<String> = BTreeSet::new();
        for file in package_files(old, name).into_iter().filter(|file| folder(&self.moves.after(file)) != old) {
            moved.extend(outline_of(&file).declared.keys().cloned());
        }
        if local == "." && !moved.is_empty() {
            return self.unresolved(import.span, "some declarations are in another package now");
        }
        let found: Vec<Span> = self
            .names
            .members
            .iter()
            .filter(|member| !member.is_declaration && moved.contains(arena.slice(member.node)))
            .filter(|member| {
                let left = arena.children(arena.node(member.node).parent).next();
                left.is_some_and(|left| {
                    arena.slice(left) == local
                        && self
                            .names
                            .local(&local, arena.node(left).span.start)
                            .is_none_or(|own| own.kind == BindingKind::Import)
                })
            })
            .map(|member| member.span)
            .collect();
        for span in found {
            self.unresolved(span, "the declaration is in another package now");
        }
    }

    /// Files that `//go:embed` names.
    fn embeds(&mut self) {
        let (own, new) = (folder(self.document.path()).to_owned(), folder(&self.path).to_owned());
        for (_, span) in embeds(self.document) {
            let pattern = span.slice(self.document.text_str()).to_owned();
            let (prefix, rest) = match pattern.strip_prefix("all:") {
                Some(rest) => ("all:", rest),
                None => ("", pattern.as_str()),
            };
            let start = rest.split(['*', '?', '[', '\\']).next().unwrap_or_default();
            let is_pattern = start.len() < rest.len();
            let fixed = if is_pattern { folder(start) } else { start };
            let Some(was) = join(&own, fixed) else { continue };
            let now = self.moves.after(&was);
            match relative_to(&new, &now) {
                Some(path) if is_pattern => {
                    let is_same = path == fixed.trim_end_matches('/');
                    if !is_same || self.has_moves_below(&was) {
                        self.unresolved(span, "files that the pattern may match have moved");
                    }
                }
                Some(path) if !path.is_empty() => {
                    if path != rest.trim_end_matches('/') {
                        self.result.edits.push(Edit::new(span, format!("{prefix}{path}")));
                    }
                }
                _ => self.unresolved(span, "the file is not below the folder of the package any more"),
            }
        }
    }

    /// Returns whether a file below a folder moves in another way than the folder.
    fn has_moves_below(&self, was: &str) -> bool {
        self.moves.changes_below(was)
    }
}

/// Returns whether code in a folder may import a package: one below a folder `internal` only in the folder around that.
fn is_visible(package: &str, from: &str) -> bool {
    let parts: Vec<&str> = package.split('/').collect();
    let Some(at) = parts.iter().rposition(|part| *part == "internal") else { return true };
    relative_to(&parts[..at].join("/"), from).is_some()
}
