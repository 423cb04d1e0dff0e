//! Paths in the code: those of `use` trees and those of expressions, types and macros, and the modules that they start
//! with.

use marquetry_code::{Arena, CodeDocument, NodeIndex};
use marquetry_sdk::Span;

use crate::{
    kinds::{K, child, has_kind},
    modules::{Declaration, Module, declarations, module_path, modules_around, parent, plain},
};

/// Maximum number of imports through which the first name of a path is followed.
const MAX_IMPORTS: usize = 8;

/// A name in a path.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Segment {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// A path, as one leaf of a `use` tree or in the code.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    pub(crate) segments: Vec<Segment>,
    /// Its node: the leaf of a `use` tree, or the path.
    pub(crate) node: NodeIndex,
    /// The `use` item, if it is in one.
    pub(crate) import: Option<NodeIndex>,
    /// The name after `as`.
    pub(crate) alias: Option<Segment>,
    /// True for `path::*`.
    pub(crate) is_glob: bool,
    /// True for `path::{self}`; the last segment is then the last one of the path.
    pub(crate) is_self: bool,
    /// The modules of the file around it.
    pub(crate) inline: Vec<String>,
}

impl Path {
    /// The name that a leaf of a `use` tree binds.
    pub(crate) fn local(&self) -> Option<&Segment> {
        if self.is_glob {
            return None;
        }
        self.alias.as_ref().or(self.segments.last())
    }

    /// From the first to the last segment.
    pub(crate) fn span(&self) -> Span {
        let (first, last) = (self.segments.first(), self.segments.last());
        let (start, end) = (first.map_or(0, |first| first.span.start), last.map_or(0, |last| last.span.end));
        Span { start, end: end.max(start) }
    }
}

/// A path from a module that needs no names: the root of the crate, or a number of modules up from the file's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Normal {
    /// The number of modules up; `None` for the root of the crate.
    pub(crate) up: Option<usize>,
    pub(crate) names: Vec<String>,
    /// The number of names that the first segment implies.
    pub(crate) implied: usize,
    /// The number of segments that are not in `names` one by one.
    pub(crate) consumed: usize,
}

impl Normal {
    /// The path as it can be written in the module of the file.
    pub(crate) fn specifier(&self) -> String {
        let base = match self.up {
            None => "crate".to_owned(),
            Some(0) => "self".to_owned(),
            Some(up) => vec!["super"; up].join("::"),
        };
        std::iter::once(base).chain(self.names.iter().cloned()).collect::<Vec<_>>().join("::")
    }
}

/// All paths of a document with its `mod` items.
pub(crate) struct Paths {
    pub(crate) paths: Vec<Path>,
    pub(crate) declarations: Vec<Declaration>,
}

impl Paths {
    pub(crate) fn new(document: &CodeDocument) -> Paths {
        let arena = document.arena();
        let mut paths = Vec::new();
        for (index, node) in arena.nodes() {
            if node.kind == K::USE.into() {
                if let Some(tree) = child(arena, index, K::USE_TREE) {
                    let inline = modules_around(arena, index);
                    collect_tree(arena, (index, tree), &[], &inline, &mut paths);
                }
            } else if node.kind == K::PATH.into()
                && !has_kind(arena, node.parent, K::PATH)
                && !has_kind(arena, node.parent, K::USE_TREE)
            {
                let segments = segments(arena, index);
                if segments.len() > 1 {
                    let inline = modules_around(arena, index);
                    let (import, alias) = (None, None);
                    paths.push(Path { segments, node: index, import, alias, is_glob: false, is_self: false, inline });
                }
            }
        }
        Paths { paths, declarations: declarations(arena) }
    }

    /// The start of a path as a module of the crate. `None` for paths that start elsewhere.
    pub(crate) fn normal(&self, path: &Path) -> Option<Normal> {
        self.normal_of(&path.segments, &path.inline, MAX_IMPORTS)
    }

    fn normal_of(&self, segments: &[Segment], inline: &[String], depth: usize) -> Option<Normal> {
        let names = |from: usize| segments[from..].iter().map(|segment| plain(&segment.name).to_owned());
        let first = segments.first()?.name.as_str();
        match first {
            "crate" => Some(Normal { up: None, names: names(1).collect(), implied: 0, consumed: 1 }),
            "self" | "super" => {
                let mut rest = inline.to_vec();
                let is_base = |segment: &&Segment| matches!(segment.name.as_str(), "self" | "super");
                let consumed = segments.iter().take_while(is_base).count();
                let supers = segments[..consumed].iter().filter(|segment| segment.name == "super").count();
                let up = supers.saturating_sub(rest.len());
                rest.truncate(rest.len().saturating_sub(supers));
                let implied = rest.len();
                Some(Normal {
                    up: Some(up),
                    names: rest.into_iter().chain(names(consumed)).collect(),
                    implied,
                    consumed,
                })
            }
            _ => {
                let own: Vec<String> = inline.iter().cloned().chain([plain(first).to_owned()]).collect();
                if self.declarations.iter().any(|declaration| declaration.names == own) {
                    let implied = inline.len();
                    let names = inline.iter().cloned().chain(names(0)).collect();
                    return Some(Normal { up: Some(0), names, implied, consumed: 0 });
                }
                let is_it = |path: &&Path| {
                    path.import.is_some()
                        && path.inline == inline
                        && path.local().is_some_and(|local| local.name == first)
                        && path.segments.first().is_some_and(|start| start.name != first || path.segments.len() > 1)
                };
                let import = self.paths.iter().find(is_it).filter(|_| depth > 0)?;
                if import.segments.first().map(|first| first.span) == segments.first().map(|first| first.span) {
                    return None;
                }
                let start = self.normal_of(&import.segments, &import.inline, depth - 1)?;
                let implied = start.names.len();
                let names = start.names.into_iter().chain(names(1)).collect();
                Some(Normal { up: start.up, names, implied, consumed: 1 })
            }
        }
    }
}

/// The segments of a path. Empty if it starts with a type or with `::`.
pub(crate) fn segments(arena: &Arena, path: NodeIndex) -> Vec<Segment> {
    let (mut found, mut at) = (Vec::new(), path);
    loop {
        let name = child(arena, at, K::PATH_SEGMENT).and_then(|segment| child(arena, segment, K::NAME_REF));
        let Some(name) = name else { return Vec::new() };
        found.push(Segment { name: arena.slice(name).to_owned(), span: arena.node(name).span });
        match child(arena, at, K::PATH) {
            Some(outer) => at = outer,
            None => break,
        }
    }
    found.reverse();
    let starts_outside = arena.slice(path).starts_with(':');
    if starts_outside { Vec::new() } else { found }
}

/// Collects the leaves of a `use` tree.
fn collect_tree(
    arena: &Arena,
    (import, tree): (NodeIndex, NodeIndex),
    before: &[Segment],
    inline: &[String],
    found: &mut Vec<Path>,
) {
    let mut all = before.to_vec();
    let own = child(arena, tree, K::PATH);
    if let Some(path) = own {
        let own = segments(arena, path);
        if own.is_empty() {
            return;
        }
        all.extend(own);
    }
    if let Some(list) = child(arena, tree, K::USE_TREE_LIST) {
        for inner in arena.children(list).filter(|inner| has_kind(arena, *inner, K::USE_TREE)) {
            collect_tree(arena, (import, inner), &all, inline, found);
        }
        return;
    }
    let is_self =
        !before.is_empty() && all.len() == before.len() + 1 && all.last().is_some_and(|last| last.name == "self");
    if is_self {
        all.pop();
    }
    let alias = child(arena, tree, K::RENAME).map(|rename| {
        let name = arena.children(rename).find(|node| has_kind(arena, *node, K::NAME)).unwrap_or(rename);
        Segment { name: arena.slice(name).trim_start_matches("as").trim().to_owned(), span: arena.node(name).span }
    });
    let is_glob = arena.slice(tree).ends_with('*');
    if !all.is_empty() {
        let (import, inline) = (Some(import), inline.to_vec());
        found.push(Path { segments: all, node: tree, import, alias, is_glob, is_self, inline });
    }
}

/// The module that a normal path starts at.
pub(crate) fn base(file: &str, up: Option<usize>) -> Option<Module> {
    let Some(up) = up else { return module_path(file).map(|(root, _)| Module::of_file(&root)) };
    let mut at = Module::of_file(file);
    for _ in 0..up {
        if at.inline.pop().is_none() {
            let (outer, mut names) = parent(&at.file)?;
            names.pop();
            at = Module { file: outer, inline: names };
        }
    }
    Some(at)
}

/// The modules that a path goes through, each with the number of names up to it. Ends at the first name that is not a
/// module.
pub(crate) fn modules_on(file: &str, normal: &Normal) -> Vec<(usize, Module)> {
    let Some(start) = base(file, normal.up) else { return Vec::new() };
    let mut found = vec![(0, start)];
    for (index, name) in normal.names.iter().enumerate() {
        let Some(next) = found.last().and_then(|(_, module)| module.inner(name)) else { break };
        found.push((index + 1, next));
    }
    found
}

/// Reads the form that [`Normal::specifier`] writes.
pub(crate) fn read_specifier(specifier: &str) -> Option<Normal> {
    let mut parts = specifier.split("::").peekable();
    let up = match parts.next()? {
        "crate" => None,
        "self" => Some(0),
        "super" => {
            let mut up = 1;
            while parts.next_if_eq(&"super").is_some() {
                up += 1;
            }
            Some(up)
        }
        _ => return None,
    };
    Some(Normal { up, names: parts.map(str::to_owned).collect(), implied: 0, consumed: 0 })
}
