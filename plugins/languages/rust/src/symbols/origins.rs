//! Finds the declaration of a name that a file uses by a path or an import.

use std::collections::HashSet;

use marquetry_code::{CodeDocument, hierarchy};
use marquetry_sdk::{FileLocation, Span, Usage, workspace};

use super::{Symbol, members::declaration_of_use};
use crate::{
    modules::{Module, plain},
    names::{BindingIndex, BindingKind, Names, Place},
    outline::outline_of,
    paths::{Normal, Path, Segment, Start},
    resolve::{End, shows, walk},
    table::RUST,
};

/// Maximum number of names after `as` between a name and its item.
const MAX_ALIASES: usize = 8;

/// The meaning of a name that may be bound with `as`.
#[derive(Debug, PartialEq)]
pub(crate) enum Aliased {
    Item(FileLocation),
    /// A module, or an item from outside of the workspace.
    Other,
    Unknown,
}

/// An item in the module that declares it, or a name that an import of the module binds with `as`.
struct Declared {
    module: Module,
    name: String,
    offset: u32,
}

impl Symbol<'_> {
    /// The declaration of the name at an offset, also if this file declares it. For a name that an import from outside
    /// of the workspace binds, only the import is known.
    pub(crate) fn related(&self, offset: u32) -> hierarchy::Declared {
        let elsewhere = self.declaration_at(offset).map(|(_, place)| place);
        let binding = self.bound_at(offset).ok();
        let here = || {
            let mut places = self.names.references(binding?).filter(|place| Names::is_declaration(place));
            let offset = places.next()?.span.start;
            Some(FileLocation { path: self.document.path().to_owned(), offset })
        };
        let origin = binding.and_then(|binding| self.origin(binding));
        hierarchy::Declared { place: elsewhere.or_else(here), specifier: origin.map(|origin| origin.specifier) }
    }

    /// The declaration of the name at an offset, also of a member of a type or trait.
    pub(crate) fn related_or_member(&self, offset: u32) -> hierarchy::Declared {
        let related = self.related(offset);
        if related.place.is_some() || related.specifier.is_some() {
            return related;
        }
        hierarchy::Declared { place: declaration_of_use(self, offset), specifier: None }
    }

    /// Returns whether a name in a path is that of an item from outside of the workspace.
    pub(crate) fn is_outside(&self, name: Span) -> bool {
        let index = |path: &Path| path.segments.iter().position(|segment| segment.span == name);
        let mut paths = self.paths.paths.iter().chain(&self.paths.in_macros);
        let found = paths.find_map(|path| Some((path.clone(), index(path)?))).or_else(|| {
            let place = self.names.at(name.start).filter(|place| place.span == name)?;
            let segment = Segment { name: place.name.clone(), span: name };
            Some((Path::in_code(vec![segment], 0, self.names.inline_of(place.scope())), 0))
        });
        let Some((path, index)) = found else { return false };
        // `#[cfg]` may select one of several imports.
        let bound = if path.import.is_some() { path.local() } else { path.segments.first() };
        let mut twins = self.paths.paths.iter().filter(|other| {
            let is_import = other.import.is_some() && other.inline == path.inline && !other.segments.is_empty();
            is_import && other.local().map(|local| plain(&local.name)) == bound.map(|bound| plain(&bound.name))
        });
        self.starts_outside(&path, index) && twins.all(|twin| self.starts_outside(twin, twin.segments.len() - 1))
    }

    /// Returns whether the segment of a path is the name of an item from outside of the workspace, if the first import
    /// of its first name determines it.
    fn starts_outside(&self, path: &Path, segment: usize) -> bool {
        match self.paths.start(path) {
            Start::Outside => path.segments[0].name != "Self" && !self.paths.is_local(path),
            Start::Inside(normal) => {
                let count = (segment + 1 + normal.implied).saturating_sub(normal.consumed);
                walk(self.path(), &normal.up_to(count)).end == End::Outside
            }
            Start::Unknown => false,
        }
    }

    /// The names that are called without a path, also in the arguments of macros.
    pub(crate) fn called_names(&self) -> impl Iterator<Item = Span> + '_ {
        self.names.places.iter().filter(|place| place.usage == Usage::Called).map(|place| place.span)
    }

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

    /// The item that the declaration at a place refers to: the item before `as`, also in other files, or itself.
    pub(crate) fn behind_aliases(&self, place: &FileLocation) -> Aliased {
        let mut place = place.clone();
        for _ in 0..MAX_ALIASES {
            let is_here = place.path == self.path();
            let other = workspace::read(&place.path).ok().filter(|_| !is_here);
            let other = other.map(|text| CodeDocument::open(&RUST, &place.path, text));
            let document = other.as_ref().unwrap_or(self.document);
            let before = document.text_str().get(..place.offset as usize).unwrap_or_default();
            if !is_after_as(before) {
                return Aliased::Item(place);
            }
            let next = match &other {
                Some(document) => Symbol::new(document).before_name(place.offset),
                None => self.before_name(place.offset),
            };
            match next {
                Aliased::Item(next) => place = next,
                found => return found,
            }
        }
        Aliased::Unknown
    }

    /// The declaration of the name at an offset, also if only a name after `as` refers to it. `None` if it is not known.
    pub(crate) fn item_at(&self, offset: u32) -> Option<FileLocation> {
        match self.behind_aliases(&self.related(offset).place?) {
            Aliased::Item(place) => Some(place),
            Aliased::Other | Aliased::Unknown => None,
        }
    }

    /// The meaning of the name after `as` at an offset.
    fn before_name(&self, offset: u32) -> Aliased {
        let is_it = |path: &&Path| path.alias.as_ref().is_some_and(|alias| alias.span.start == offset);
        let Some(leaf) = self.paths.paths.iter().find(is_it) else {
            // `extern crate a as b`.
            return Aliased::Other;
        };
        let name = |path: &Path| path.local().map(|local| local.name.clone());
        let is_twin = |path: &&Path| {
            let is_same_place = path.inline == leaf.inline && path.block == leaf.block;
            path.import.is_some() && is_same_place && name(path) == name(leaf)
        };
        if self.paths.paths.iter().filter(is_twin).count() > 1 {
            return Aliased::Unknown;
        }
        if let Some(found) = leaf.segments.len().checked_sub(1).and_then(|last| self.named_by(leaf, last)) {
            return Aliased::Item(FileLocation { path: found.module.file, offset: found.offset });
        }
        match self.paths.start(leaf) {
            Start::Outside => Aliased::Other,
            Start::Unknown => Aliased::Unknown,
            Start::Inside(normal) => match walk(self.path(), &normal).end {
                End::Module | End::Outside => Aliased::Other,
                End::Unknown if normal.specifier().starts_with("self::") => Aliased::Other,
                End::Item | End::Unknown => Aliased::Unknown,
            },
        }
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
        let at = |segment: &Segment| segment.span.start <= offset && offset <= segment.span.end;
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

/// Returns whether a text ends with the keyword `as`.
fn is_after_as(text: &str) -> bool {
    text.trim_end().strip_suffix("as").is_some_and(|before| before.ends_with(char::is_whitespace))
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
