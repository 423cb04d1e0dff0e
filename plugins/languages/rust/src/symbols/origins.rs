//! Finds the declaration of a name that a file uses by a path or an import.

use std::collections::HashSet;

use marquetry_sdk::FileLocation;

use super::Symbol;
use crate::{
    modules::Module,
    names::{BindingIndex, BindingKind, Place},
    outline::outline_of,
    paths::{Normal, Path, Start},
    resolve::{End, shows, walk},
};

/// An item in the module that declares it, or a name that an import of the module binds with `as`.
struct Declared {
    module: Module,
    name: String,
    offset: u32,
}

impl Symbol<'_> {
    /// The declaration of the name at an offset, if it is at another position: the item that a path or an import refers
    /// to. `None` for a name after `as` and its uses.
    pub(super) fn declaration_at(&self, offset: u32) -> Option<(String, FileLocation)> {
        let is_member = self.names.members.iter().any(|member| member.start <= offset && offset <= member.end);
        let place = self.names.at(offset).filter(|_| !is_member);
        let found = match place.and_then(|place| self.names.binding_of(place)) {
            Some(binding) => match self.leaf_of(binding) {
                // In `use a::b as c`, the import binds `c` and not `b`.
                Some(leaf) if leaf.alias.is_none() => self.named_by(leaf, leaf.segments.len().checked_sub(1)?),
                _ => self.before_alias(offset),
            },
            None => self.named_at(offset).or_else(|| place.and_then(|place| self.through_globs(place))),
        }?;
        let is_here = found.module.file == self.document.path() && found.offset <= offset;
        let is_same = is_here && offset <= found.offset + found.name.len() as u32;
        (!is_same).then(|| {
            let location = FileLocation { path: found.module.file, offset: found.offset };
            (found.name, location)
        })
    }

    /// The leaf of a `use` tree that binds a name.
    fn leaf_of(&self, binding: BindingIndex) -> Option<&Path> {
        let is_import = self.names.bindings[binding].kind == BindingKind::Import;
        let mut leaves = self.paths.paths.iter().filter(|path| is_import && path.import.is_some() && !path.is_self);
        leaves.find(|path| self.binding_of_leaf(path) == Some(binding))
    }

    /// The item that a name before `as` refers to.
    fn before_alias(&self, offset: u32) -> Option<Declared> {
        let mut leaves = self.paths.paths.iter().filter(|path| path.alias.is_some());
        let leaf = leaves.find(|path| path.span().start <= offset && offset <= path.span().end)?;
        self.named_in(leaf, offset)
    }

    /// The item that the path segment at an offset refers to.
    fn named_at(&self, offset: u32) -> Option<Declared> {
        let around = self.paths.paths.iter().filter(|path| path.span().start <= offset && offset <= path.span().end);
        around.into_iter().find_map(|path| self.named_in(path, offset))
    }

    fn named_in(&self, path: &Path, offset: u32) -> Option<Declared> {
        let at = |segment: &crate::paths::Segment| segment.span.start <= offset && offset <= segment.span.end;
        self.named_by(path, path.segments.iter().position(at)?)
    }

    /// The item that a segment of a path refers to.
    fn named_by(&self, path: &Path, segment: usize) -> Option<Declared> {
        let normal = self.paths.normal(path)?;
        let index = (segment + normal.implied).checked_sub(normal.consumed)?;
        item_of(self.document.path(), &normal.up_to(index + 1), &mut HashSet::new())
    }

    /// The item that a glob import provides for the name of an occurrence.
    fn through_globs(&self, place: &Place) -> Option<Declared> {
        let mut globs = self.paths.paths.iter().filter(|path| path.is_glob);
        globs.find_map(|glob| {
            self.free(glob, &place.name).find(|free| free.span == place.span)?;
            let inside = Module { file: self.document.path().to_owned(), inline: glob.inline.clone() };
            through_glob(&inside, &self.paths.start(glob), &place.name, &mut HashSet::new())
        })
    }
}

/// The item that a path refers to. `None` for a module.
fn item_of(file: &str, normal: &Normal, seen: &mut HashSet<(Module, String)>) -> Option<Declared> {
    let walk = walk(file, normal);
    let (name, outer) = normal.names.split_last()?;
    let (_, module) = walk.found.iter().find(|(count, _)| *count == outer.len()).filter(|_| walk.end == End::Item)?;
    declared_in(module, name, seen)
}

/// The item that a name in a module refers to.
fn declared_in(module: &Module, name: &str, seen: &mut HashSet<(Module, String)>) -> Option<Declared> {
    if !seen.insert((module.clone(), name.to_owned())) {
        return None;
    }
    let outline = outline_of(&module.file);
    let own = outline.modules.get(&module.inline)?;
    let here = |offset: u32| Declared { module: module.clone(), name: name.to_owned(), offset };
    if let Some(offset) = own.items.get(name).or_else(|| own.aliases.get(name)) {
        return Some(here(*offset));
    }
    let imports = own.imports.get(name).map_or(&[][..], Vec::as_slice).iter();
    let mut imported = imports.filter_map(|start| match start {
        Start::Inside(normal) => item_of(&module.file, normal, seen),
        Start::Outside | Start::Unknown => None,
    });
    if let Some(found) = imported.next() {
        return Some(found);
    }
    own.globs.iter().find_map(|start| through_glob(module, start, name, seen))
}

/// The item that a glob import provides for a name.
fn through_glob(at: &Module, start: &Start, name: &str, seen: &mut HashSet<(Module, String)>) -> Option<Declared> {
    let Start::Inside(normal) = start else { return None };
    let walk = walk(&at.file, normal);
    let (_, module) = walk.found.last().filter(|_| walk.end == End::Module)?;
    if shows(module, name, at) { declared_in(module, name, seen) } else { None }
}
