//! Updates imports, package clauses and qualifiers after files have moved.

mod boundaries;
mod cycles;
mod qualifiers;

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use marquetry_code::{CodeDocument, TokenKind};
use marquetry_sdk::{
    Edit, Span,
    paths::{folder, join, relative_to},
};

use crate::{
    imports::{Import, imports},
    links::embeds,
    moves::Moves,
    names::Names,
    packages::{Found, files_of, local_name, outline_of, package_files, package_name, package_name_node, resolve},
    types::File,
};

/// The effect of moves on one document.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Relinked {
    /// The edits, in order.
    pub(crate) edits: Vec<Edit>,
    /// Occurrences that refer to a moved file and were not updated, each with the reason.
    pub(crate) unresolved: Vec<(Span, String)>,
}

struct Relink<'d> {
    document: &'d CodeDocument,
    file: Rc<File>,
    moves: &'d Moves,
    /// The path of the document after the moves.
    path: String,
    imports: Vec<Import>,
    changes: qualifiers::ImportChanges,
    /// Caches, by folder, whether an import of the folder would create a cycle.
    cycles: RefCell<BTreeMap<String, bool>>,
    result: Relinked,
}

/// The edits that update a document for moves. The workspace still has the state before the moves.
pub(crate) fn relink(document: &CodeDocument, moves: &Moves) -> Relinked {
    let path = moves.after(document.path());
    let file = Rc::new(File::new(document.path(), document.text_str().to_owned()));
    let imports = imports(document);
    let (changes, cycles, result) = Default::default();
    let mut relink = Relink { document, file, moves, path, imports: imports.clone(), changes, cycles, result };
    relink.clause();
    relink.own_package();
    for import in &imports {
        match resolve(document.path(), &import.path) {
            Found::Folder(folder) => relink.import(import, &folder),
            Found::Possible(folder) if moves.folder_after(&folder).as_ref() != Some(&folder) => {
                relink.unresolved(import.span, "no `go.mod` says which folder this is");
            }
            Found::Possible(_) | Found::Missing(_) | Found::Elsewhere => {}
        }
    }
    relink.change_imports();
    relink.embeds();
    let mut result = relink.result;
    result.edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    result.edits.dedup();
    result.unresolved.sort_by_key(|(span, _)| span.start);
    result.unresolved.dedup_by_key(|(span, _)| *span);
    result
}

impl Relink<'_> {
    fn names(&self) -> &Names {
        &self.file.names
    }

    fn unresolved(&mut self, span: Span, reason: impl Into<String>) {
        self.result.unresolved.push((span, reason.into()));
    }

    /// Returns whether the file is an external test of a package (`package x_test`), which imports that package.
    fn is_external_test(&self) -> bool {
        self.document.path().ends_with("_test.go") && self.file.package.ends_with("_test")
    }

    /// Updates the package clause of a file that moves.
    fn clause(&mut self) {
        let Some(node) = package_name_node(self.document.arena()) else { return };
        let new = self.moves.package_after(self.document.path(), &self.file.package);
        let span = self.document.arena().node(node).span;
        let base = |name: &str| name.strip_suffix("_test").unwrap_or(name).to_owned();
        let is_left_out = inner_comments(self.document).any(|comment| comment.starts_with("//go:build ignore"));
        if self.path != self.document.path()
            && !is_left_out
            && self.moves.staying_package(folder(&self.path)).is_some_and(|other| base(&other) != base(&new))
        {
            self.unresolved(span, "the folder has another package");
        }
        if new != self.file.package {
            self.result.edits.push(Edit::new(span, new));
        }
    }

    fn import(&mut self, import: &Import, old: &str) {
        let (from, to) = (folder(self.document.path()).to_owned(), folder(&self.path).to_owned());
        let name = package_name(old).unwrap_or_default();
        let is_unnamed = import.alias.as_ref().is_some_and(|(alias, _)| matches!(alias.as_str(), "_" | "."));
        let new = match self.moves.folder_after(old) {
            Some(new) if new == to && !self.is_external_test() && (new != old || from != to) => {
                return if is_unnamed {
                    self.unresolved(import.span, "the file is in this package now");
                } else {
                    self.split(import, old, &name);
                };
            }
            Some(new) => new,
            None if is_unnamed => {
                return self.unresolved(import.span, "some declarations are in another package now");
            }
            None => return self.split(import, old, &name),
        };
        if new == old && from == to {
            return;
        }
        if !is_visible(&new, &to) {
            self.unresolved(import.span, "an internal package is not visible here");
        }
        if from != to && self.is_cycle(&new) {
            self.unresolved(import.span, "the import would create an import cycle");
        }
        let Some(path) = self.moves.import_path(&new) else {
            return self.unresolved(import.span, "the folder is not in a module");
        };
        if path == import.path {
            return;
        }
        let is_twice = self.imports.iter().any(|other| other.path == path && other.alias.is_none());
        if is_twice && import.alias.is_none() {
            return self.split(import, old, &name);
        }
        self.result.edits.push(Edit::new(import.span, path));
        let sample = files_of(old).into_iter().find(|file| !file.ends_with("_test.go"));
        let new_name = sample.map_or_else(|| name.clone(), |file| self.moves.package_after(&file, &name));
        if new_name != name && import.alias.is_none() {
            self.rename_package(import, &name, &new_name);
        }
    }

    /// Renames the qualifiers of an import if its package has a new name, or adds the old name as an alias.
    fn rename_package(&mut self, import: &Import, name: &str, new_name: &str) {
        let arena = self.file.arena();
        let free = self.names().places.iter().filter(|place| place.binding.is_none() && !place.is_key);
        let places: Vec<Span> = free.filter(|place| arena.slice(place.node) == name).map(|place| place.span).collect();
        let own = folder(self.document.path());
        let is_taken = places.iter().any(|span| self.names().lookup(new_name, span.start).is_some())
            || self.imports.iter().any(|other| local_name(self.document.path(), other) == new_name)
            || package_files(own, &self.file.package)
                .iter()
                .any(|file| outline_of(file).declared.contains_key(new_name))
            || self.names().places.iter().any(|place| place.binding.is_none() && arena.slice(place.node) == new_name);
        if is_taken {
            let start = import.span.start as usize - 1;
            self.result.edits.push(Edit::insert(start, format!("{name} ")));
            return;
        }
        self.result.edits.extend(places.into_iter().map(|span| Edit::new(span, new_name)));
    }

    /// Updates the patterns of `//go:embed`.
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

    /// Returns whether the moves change paths below a folder, other than by moving the folder itself.
    fn has_moves_below(&self, was: &str) -> bool {
        self.moves.changes_below(was)
    }
}

/// The comments before the package clause.
fn inner_comments(document: &CodeDocument) -> impl Iterator<Item = &str> {
    let tokens = document.arena().tokens.iter().take_while(|token| token.kind != TokenKind::Word);
    tokens.filter(|token| token.kind == TokenKind::Comment).map(|token| token.span.slice(document.text_str()))
}

/// Returns whether code in a folder may import a package. A package in or below a folder `internal` is visible only
/// below the parent of `internal`.
fn is_visible(package: &str, from: &str) -> bool {
    let parts: Vec<&str> = package.split('/').collect();
    let Some(at) = parts.iter().rposition(|part| *part == "internal") else { return true };
    relative_to(&parts[..at].join("/"), from).is_some()
}
