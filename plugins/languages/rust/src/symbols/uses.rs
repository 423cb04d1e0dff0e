//! The occurrences in a document that refer to an item of a module: in paths, imports, re-exports, and by glob imports.

use std::{collections::HashSet, rc::Rc};

use marquetry_code::{Arena, NodeIndex, TokenKind};
use marquetry_sdk::{ImportKey, Span};

use super::Symbol;
use crate::{
    kinds::{K, child, has_kind},
    modules::{Module, plain},
    names::{BindingIndex, Place},
    paths::{Normal, Path, Start, read_specifier},
    resolve::{End, Walk, shows, walk},
};

/// A path of the document, and the modules that its prefixes refer to.
pub(crate) struct Resolved {
    /// The index of the path in the paths of the document.
    path: usize,
    pub(crate) normal: Normal,
    pub(crate) walk: Rc<Walk>,
}

/// A path segment that refers to the item.
pub(crate) struct Qualified<'p> {
    pub(crate) path: &'p Path,
    pub(crate) span: Span,
    /// True if the segment is the last one of a leaf of a `use` tree.
    pub(crate) is_leaf: bool,
}

/// The occurrences that refer to an item, without those that the scopes of the file resolve.
#[derive(Default)]
pub(crate) struct Uses<'p> {
    pub(crate) qualified: Vec<Qualified<'p>>,
    /// The glob imports that provide the item, each with the name of the item in the imported module.
    pub(crate) globs: Vec<(&'p Path, String)>,
    /// The modules in which the item is visible, each with the item's name in the module.
    pub(crate) modules: HashSet<(Module, String)>,
}

impl Symbol<'_> {
    /// The paths of the document that start at a module, and the modules that their prefixes refer to.
    pub(crate) fn resolved(&self) -> &[Resolved] {
        self.resolved.get_or_init(|| {
            let paths = self.paths.paths.iter().enumerate();
            let resolved = |(index, path): (usize, &Path)| {
                let normal = self.paths.normal(path)?;
                let walk = walk(self.document.path(), &normal);
                Some(Resolved { path: index, normal, walk })
            };
            paths.filter_map(resolved).collect()
        })
    }

    /// The path that was resolved.
    pub(crate) fn path_of(&self, one: &Resolved) -> &Path {
        &self.paths.paths[one.path]
    }

    /// Returns whether a path is the name of a macro in a macro call.
    pub(crate) fn is_macro_call(&self, path: &Path) -> bool {
        let arena = self.document.arena();
        has_kind(arena, arena.node(path.node).parent, K::MACRO_CALL)
    }

    /// The occurrences that refer to an item of a module. `follows` returns whether the name that a leaf binds refers
    /// to the item, too.
    pub(crate) fn uses(&self, module: Module, name: &str, follows: impl Fn(&Qualified<'_>) -> bool) -> Uses<'_> {
        let mut uses = Uses::default();
        let mut open = vec![(module, plain(name).to_owned())];
        let mut edited: HashSet<(u32, u32)> = HashSet::new();
        while let Some((module, name)) = open.pop() {
            if !uses.modules.insert((module.clone(), name.clone())) {
                continue;
            }
            for one in self.resolved() {
                let path = &self.paths.paths[one.path];
                let inside = || Module { file: self.document.path().to_owned(), inline: path.inline.clone() };
                if path.is_glob && one.is_all_of(&module) && shows(&module, &name, &inside()) {
                    if path.block.is_none() {
                        open.push((inside(), name.clone()));
                    }
                    uses.globs.push((path, name.clone()));
                }
                let place = one.place_of(path, &module, &name);
                let Some(span) = place.filter(|span| edited.insert((span.start, span.end))) else { continue };
                let is_last = path.segments.last().is_some_and(|last| last.span == span);
                let is_leaf = path.import.is_some() && !path.is_glob && is_last;
                let found = Qualified { path, span, is_leaf };
                if let Some(local) = path.local().filter(|_| is_leaf && path.block.is_none() && follows(&found)) {
                    open.push((inside(), plain(&local.name).to_owned()));
                }
                uses.qualified.push(found);
            }
        }
        uses
    }

    /// The module and the name that a key refers to in this document.
    pub(super) fn target<'k>(&self, key: &'k ImportKey) -> Option<(Module, &'k str)> {
        let (outer, name) = key.name.rsplit_once("::").unwrap_or(("", &key.name));
        let inline = outer.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let own = self.document.path();
        let file_of = |specifier: &String| {
            let normal = read_specifier(specifier).or_else(|| read_specifier(&format!("self::{specifier}")))?;
            let walk = walk(own, &normal);
            let (_, module) = walk.found.last()?;
            (module.file != own).then(|| module.file.clone())
        };
        let file = key.specifiers.iter().find_map(file_of)?;
        Some((Module { file, inline }, name))
    }

    /// The binding of a leaf of a `use` tree.
    pub(crate) fn binding_of_leaf(&self, path: &Path) -> Option<BindingIndex> {
        let local = path.local()?;
        self.names
            .at(local.span.start)
            .filter(|place| place.span == local.span)
            .and_then(|place| self.names.binding_of(place))
    }

    /// Uses of a name that a glob import may provide, because no scope of the file binds it.
    pub(crate) fn free<'n>(&'n self, glob: &'n Path, name: &'n str) -> impl Iterator<Item = &'n Place> {
        let module = self.names.module(&glob.inline);
        let sees = move |place: &&Place| glob.block.is_none_or(|block| block.contains(place.span));
        module.into_iter().flat_map(move |module| self.names.free(name, module)).filter(sees)
    }

    /// The names by which other files can import an item that a leaf or a glob import provides.
    pub(super) fn exports(&self, path: &Path, name: &str) -> Vec<String> {
        if path.block.is_some() {
            return Vec::new();
        }
        let mut found = Vec::new();
        if self.names.is_shown(&path.inline) {
            found.push(name.to_owned());
        }
        let arena = self.document.arena();
        let has_files = || {
            let mut files = self.paths.declarations.iter().filter(|declaration| !declaration.is_inline);
            files.any(|declaration| {
                declaration.names.len() > path.inline.len() && declaration.names.starts_with(&path.inline)
            })
        };
        if !path.inline.is_empty() && (is_visible(arena, path) || has_files()) {
            found.push(format!("{}::{name}", path.inline.join("::")));
        }
        found
    }

    /// The macros that include code which another program generates: `include!(concat!(env!("OUT_DIR"), "/a.rs"))`.
    pub(super) fn generated_code(&self) -> impl Iterator<Item = Span> + '_ {
        let arena = self.document.arena();
        let calls = arena.nodes().map(|(node, _)| node).filter(|node| has_kind(arena, *node, K::MACRO_CALL));
        let is_generated = |call: &NodeIndex| {
            let name = child(arena, *call, K::PATH).map_or("", |path| arena.slice(path));
            name == "include" && arena.slice(*call).contains("OUT_DIR")
        };
        calls.filter(is_generated).map(|call| arena.node(call).span)
    }

    /// Words in the arguments of macros that may refer to the item.
    pub(crate) fn words(&self, uses: &Uses<'_>, name: &str, bindings: &[BindingIndex]) -> Vec<Span> {
        let text = self.document.text_str();
        let in_path = |span: Span| {
            let mut paths = self.paths.in_macros.iter();
            paths.find_map(|path| Some((path, path.segments.iter().position(|segment| segment.span == span)?)))
        };
        let is_possible = |span: Span, scope| {
            let before = text[..span.range().start].trim_end();
            // The word is the name of a field or method.
            if before.ends_with('.') && !before.ends_with("..") {
                return false;
            }
            match in_path(span).filter(|(_, index)| *index > 0) {
                Some((path, index)) => self.may_name(path, index, uses),
                None => self.names.any_binding(name, scope).is_none_or(|binding| bindings.contains(&binding)),
            }
        };
        let words = self.names.words_named(text, name);
        words.filter(|(span, scope)| is_possible(*span, *scope)).map(|(span, _)| span).collect()
    }

    /// Paths in comments that end with a name. The examples in doc comments are compiled as tests.
    pub(crate) fn paths_in_comments(&self, name: &str) -> Vec<Span> {
        let text = self.document.text_str();
        let tokens = self.document.arena().tokens.iter().filter(|token| token.kind == TokenKind::Comment);
        let find = |comment: Span| {
            let start = comment.range().start;
            let all = comment
                .slice(text)
                .match_indices(name)
                .map(move |(at, _)| Span::new(start + at, start + at + name.len()));
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            all.filter(move |span| {
                text[..span.range().start].ends_with("::") && !text[span.range().end..].starts_with(is_part)
            })
        };
        tokens.flat_map(|token| find(token.span)).collect()
    }

    /// Returns whether a segment of a path in a macro may refer to the item.
    fn may_name(&self, path: &Path, index: usize, uses: &Uses<'_>) -> bool {
        let normal = match self.paths.start(path) {
            Start::Inside(normal) => normal,
            Start::Outside => return false,
            Start::Unknown => return true,
        };
        let Some(count) = (index + normal.implied).checked_sub(normal.consumed) else { return false };
        let walk = walk(self.document.path(), &normal);
        let known = walk.found.last().map_or(0, |(count, _)| *count);
        let here = walk.found.iter().find(|(own, _)| *own == count);
        match (here, normal.names.get(count)) {
            (Some((_, module)), Some(name)) => uses.modules.contains(&(module.clone(), name.clone())),
            _ => count > known && walk.end == End::Unknown,
        }
    }
}

impl<'p> Uses<'p> {
    /// All paths that refer to the item, including glob imports.
    pub(super) fn paths(&self) -> impl Iterator<Item = &'p Path> {
        let named = self.qualified.iter().map(|one| one.path);
        named.chain(self.globs.iter().map(|(glob, _)| *glob))
    }
}

impl Resolved {
    /// Returns whether the whole path refers to this module.
    fn is_all_of(&self, module: &Module) -> bool {
        let is_it = |(count, own): &(usize, Module)| *count == self.normal.names.len() && own == module;
        self.walk.end == End::Module && self.walk.found.last().is_some_and(is_it)
    }

    /// The span of the segment with which a path refers to an item of a module. A segment before `::` that is the module
    /// of a file refers to the module, even if a function has the same name.
    fn place_of(&self, path: &Path, module: &Module, name: &str) -> Option<Span> {
        let found = &self.walk.found;
        let is_file = |count: usize| {
            let is_outer = count < self.normal.names.len();
            is_outer && found.iter().any(|(own, module)| *own == count && module.inline.is_empty())
        };
        let is_it = |(count, own): &&(usize, Module)| {
            *count >= self.normal.implied
                && own == module
                && self.normal.names.get(*count).is_some_and(|own| own == name)
                && !is_file(*count + 1)
        };
        let (count, _) = self.walk.found.iter().find(is_it)?;
        Some(path.segments.get(self.normal.consumed + count - self.normal.implied)?.span)
    }
}

/// Returns whether the `use` item of a leaf is visible outside of its module.
pub(crate) fn is_visible(arena: &Arena, path: &Path) -> bool {
    path.import.is_some_and(|import| child(arena, import, K::VISIBILITY).is_some())
}
