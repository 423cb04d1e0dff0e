//! Paths in `use` trees, expressions, types and macros, and the modules at which they start.

mod macro_paths;

use std::collections::{HashMap, HashSet};

use marquetry_code::{Arena, NodeIndex};
use marquetry_sdk::Span;

use crate::{
    crates,
    kinds::{F, K, child, has_kind},
    modules::{Declaration, declarations, modules_around, plain},
};

/// Maximum number of imports that are followed to resolve the first name of a path.
const MAX_IMPORTS: usize = 8;

/// A name in a path.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Segment {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// A path: the leaf of a `use` tree, or a path elsewhere in the code.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    pub(crate) segments: Vec<Segment>,
    /// The node of the leaf of a `use` tree, or of the path.
    pub(crate) node: NodeIndex,
    /// The node of the `use` item, for a leaf of a `use` tree.
    pub(crate) import: Option<NodeIndex>,
    /// The name after `as`.
    pub(crate) alias: Option<Segment>,
    /// True for `path::*`.
    pub(crate) is_glob: bool,
    /// True for `path::{self}`. The last segment is then the last segment before `self`.
    pub(crate) is_self: bool,
    /// True for `::path`, whose first segment is a crate.
    pub(crate) is_absolute: bool,
    /// The names of the inline modules around the path.
    pub(crate) inline: Vec<String>,
    /// The block that contains the `use` item, if the item is in a block.
    pub(crate) block: Option<Span>,
}

/// The start of a path.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Start {
    /// A module of the crate, or a name that may refer to a module of the crate.
    Inside(Normal),
    /// An item of a block, a type parameter, or a crate that is not part of the workspace.
    Outside,
    /// Unknown: the path may start anywhere.
    Unknown,
}

impl Path {
    /// Returns whether the path is an expression.
    pub(crate) fn is_value(&self, arena: &Arena) -> bool {
        self.import.is_none() && has_kind(arena, arena.node(self.node).parent, K::PATH_EXPR)
    }

    /// Creates a path that is not in a `use` tree.
    pub(crate) fn in_code(segments: Vec<Segment>, node: NodeIndex, inline: Vec<String>) -> Path {
        let (import, alias, block) = (None, None, None);
        let (is_glob, is_self, is_absolute) = (false, false, false);
        Path { segments, node, import, alias, is_glob, is_self, is_absolute, inline, block }
    }

    /// The name that a leaf of a `use` tree binds.
    pub(crate) fn local(&self) -> Option<&Segment> {
        if self.is_glob {
            return None;
        }
        self.alias.as_ref().or(self.segments.last())
    }

    /// The span from the first to the last segment.
    pub(crate) fn span(&self) -> Span {
        let (first, last) = (self.segments.first(), self.segments.last());
        let (start, end) = (first.map_or(0, |first| first.span.start), last.map_or(0, |last| last.span.end));
        Span { start, end: end.max(start) }
    }
}

/// A normalized path, relative to the root of the crate or to an ancestor of the file's top-level module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Normal {
    /// The number of modules from the file's module up to the start; `None` for the root of the crate.
    pub(crate) up: Option<usize>,
    pub(crate) names: Vec<String>,
    /// The number of leading names that the inline module around the path or an import adds.
    pub(crate) implied: usize,
    /// The number of leading segments that are not in `names` themselves: `self`, `super`, `crate`, or the name of an
    /// import.
    pub(crate) consumed: usize,
}

impl Normal {
    /// The path with only its first `count` names.
    pub(crate) fn up_to(&self, count: usize) -> Normal {
        Normal { names: self.names[..count.min(self.names.len())].to_vec(), ..self.clone() }
    }

    /// The path as code in the top-level module of the file.
    pub(crate) fn specifier(&self) -> String {
        let base = match self.up {
            None => "crate".to_owned(),
            Some(0) => "self".to_owned(),
            Some(up) => vec!["super"; up].join("::"),
        };
        std::iter::once(base).chain(self.names.iter().cloned()).collect::<Vec<_>>().join("::")
    }
}

/// All paths and `mod` items of a document.
pub(crate) struct Paths {
    pub(crate) paths: Vec<Path>,
    /// Paths in the arguments of macros, which may not be code.
    pub(crate) in_macros: Vec<Path>,
    pub(crate) declarations: Vec<Declaration>,
    /// The names of the declarations.
    declared: HashSet<Vec<String>>,
    /// The indexes of leaves of `use` trees by the names that they bind.
    leaves: HashMap<String, Vec<usize>>,
    /// Type parameters and items in blocks, each with the span in which it is visible.
    local_types: HashMap<String, Vec<Span>>,
    /// The inline modules that have glob imports.
    with_globs: HashSet<Vec<String>>,
}

impl Paths {
    pub(crate) fn new(arena: &Arena) -> Paths {
        let mut paths = Vec::new();
        let mut local_types: HashMap<String, Vec<Span>> = HashMap::new();
        for (index, node) in arena.nodes() {
            if node.kind == K::USE.into() {
                if let Some(tree) = child(arena, index, K::USE_TREE) {
                    let context =
                        Context { import: index, inline: modules_around(arena, index), block: block_of(arena, index) };
                    collect_tree(arena, tree, &[], &context, &mut paths);
                }
            } else if node.kind == K::PATH.into()
                && !has_kind(arena, node.parent, K::PATH)
                && !has_kind(arena, node.parent, K::USE_TREE)
            {
                let (segments, is_absolute) = segments(arena, index);
                if segments.len() > 1 {
                    let inline = modules_around(arena, index);
                    paths.push(Path { is_absolute, ..Path::in_code(segments, index, inline) });
                }
            } else if let Some((name, seen)) = local_type(arena, index) {
                local_types.entry(name).or_default().push(seen);
            }
        }
        let declarations = declarations(arena);
        let mut leaves: HashMap<String, Vec<usize>> = HashMap::new();
        let imports = paths.iter().enumerate().filter(|(_, path)| path.import.is_some());
        for (index, local) in imports.filter_map(|(index, path)| Some((index, path.local()?))) {
            leaves.entry(plain(&local.name).to_owned()).or_default().push(index);
        }
        let declared = declarations.iter().map(|declaration| declaration.names.clone()).collect();
        let with_globs = paths.iter().filter(|path| path.is_glob).map(|path| path.inline.clone()).collect();
        let in_macros = macro_paths::collect(arena);
        Paths { paths, in_macros, declarations, declared, leaves, local_types, with_globs }
    }

    /// The normalized path, if the path starts at a module of the crate. `None` if it starts elsewhere or its start is
    /// unknown.
    pub(crate) fn normal(&self, path: &Path) -> Option<Normal> {
        match self.start(path) {
            Start::Inside(normal) => Some(normal),
            Start::Outside | Start::Unknown => None,
        }
    }

    /// The start of a path.
    pub(crate) fn start(&self, path: &Path) -> Start {
        self.start_of(path, MAX_IMPORTS)
    }

    /// Returns whether only the workspace can resolve the first name of a path. A glob import may provide a module of
    /// this name, or the name may be a crate. By convention, a name with a capital letter is a type.
    pub(crate) fn needs_workspace(&self, path: &Path, normal: &Normal) -> bool {
        let is_bare = normal.up == Some(0) && normal.consumed == 0;
        let own = &normal.names[..normal.names.len().min(normal.implied + 1)];
        is_bare
            && normal.names.len() > normal.implied + usize::from(path.import.is_none())
            && !self.declared.contains(own)
            && own.last().is_some_and(|name| !name.starts_with(char::is_uppercase))
    }

    fn start_of(&self, path: &Path, depth: usize) -> Start {
        let (segments, inline) = (&path.segments, &path.inline);
        let names = |from: usize| segments[from..].iter().map(|segment| plain(&segment.name).to_owned());
        let Some(first) = segments.first().map(|first| first.name.as_str()) else { return Start::Outside };
        if path.is_absolute {
            return if crates::is_standard(first) { Start::Outside } else { Start::Unknown };
        }
        match first {
            "crate" => Start::Inside(Normal { up: None, names: names(1).collect(), implied: 0, consumed: 1 }),
            "$crate" => Start::Unknown,
            "self" | "super" => {
                let mut rest = inline.clone();
                let is_base = |segment: &&Segment| matches!(segment.name.as_str(), "self" | "super");
                let consumed = segments.iter().take_while(is_base).count();
                let supers = segments[..consumed].iter().filter(|segment| segment.name == "super").count();
                let up = supers.saturating_sub(rest.len());
                rest.truncate(rest.len().saturating_sub(supers));
                let implied = rest.len();
                let names = rest.into_iter().chain(names(consumed)).collect();
                Start::Inside(Normal { up: Some(up), names, implied, consumed })
            }
            first => self.named_start(path, plain(first), depth),
        }
    }

    /// The start of a path whose first segment is a name.
    fn named_start(&self, path: &Path, first: &str, depth: usize) -> Start {
        let (segments, inline) = (&path.segments, &path.inline);
        let names = |from: usize| segments[from..].iter().map(|segment| plain(&segment.name).to_owned());
        let import = self.import_of(path, first);
        let in_block = import.filter(|import| import.block.is_some());
        let own: Vec<String> = inline.iter().cloned().chain([first.to_owned()]).collect();
        let own_module = || {
            let names = inline.iter().cloned().chain(names(0)).collect();
            Start::Inside(Normal { up: Some(0), names, implied: inline.len(), consumed: 0 })
        };
        if in_block.is_none() {
            if self.is_local(path) {
                return Start::Outside;
            }
            if self.declared.contains(&own) {
                return own_module();
            }
        }
        let Some(import) = import else {
            // Only a glob import can hide the names of the standard library.
            let is_standard = crates::is_standard(first) && !self.with_globs.contains(inline);
            return if is_standard { Start::Outside } else { own_module() };
        };
        if depth == 0 {
            return Start::Unknown;
        }
        match self.start_of(import, depth - 1) {
            Start::Inside(start) => {
                let implied = start.names.len();
                let names = start.names.into_iter().chain(names(1)).collect();
                Start::Inside(Normal { up: start.up, names, implied, consumed: 1 })
            }
            other => other,
        }
    }

    /// Returns whether the first name of a path is that of a type parameter or of an item in a block.
    pub(crate) fn is_local(&self, path: &Path) -> bool {
        let seen = path.segments.first().and_then(|first| self.local_types.get(plain(&first.name)));
        seen.is_some_and(|seen| seen.iter().any(|span| span.contains(path.span())))
    }

    /// The import that binds the first name of a path. An import of the innermost block takes precedence over imports
    /// of the module.
    fn import_of(&self, path: &Path, first: &str) -> Option<&Path> {
        let at = path.span();
        let is_seen = |import: &&Path| {
            let is_own =
                import.segments.first().map(|first| first.span) == path.segments.first().map(|first| first.span);
            let names_itself = import.segments.len() == 1 && plain(&import.segments[0].name) == first;
            import.inline == path.inline
                && !is_own
                && !names_itself
                && import.block.is_none_or(|block| block.contains(at))
        };
        let all = self.leaves.get(first)?.iter().map(|index| &self.paths[*index]).filter(is_seen);
        all.min_by_key(|import| import.block.map_or(u32::MAX, |block| block.end - block.start))
    }
}

/// The innermost block around a node.
fn block_of(arena: &Arena, node: NodeIndex) -> Option<Span> {
    let mut above = arena.ancestors(node).skip(1);
    let at = above.find(|above| has_kind(arena, *above, K::STMT_LIST) || has_kind(arena, *above, K::MODULE))?;
    has_kind(arena, at, K::STMT_LIST).then(|| arena.node(at).span)
}

/// The name of a type parameter or of an item in a block, and the span in which it is visible.
fn local_type(arena: &Arena, node: NodeIndex) -> Option<(String, Span)> {
    let is = |kind: K| has_kind(arena, node, kind);
    let seen = if is(K::TYPE_PARAM) {
        let list = arena.node(node).parent;
        Some(arena.node(arena.node(list).parent).span)
    } else if [K::STRUCT, K::ENUM, K::UNION, K::TRAIT, K::TYPE_ALIAS].into_iter().any(is) {
        block_of(arena, node)
    } else {
        None
    }?;
    let name = arena.child(node, F::Name.into())?;
    Some((plain(arena.slice(name)).to_owned(), seen))
}

/// The segments of a path, and whether the path starts with `::`. The list is empty if the path starts with a type.
pub(crate) fn segments(arena: &Arena, path: NodeIndex) -> (Vec<Segment>, bool) {
    let (mut found, mut at) = (Vec::new(), path);
    loop {
        let name = child(arena, at, K::PATH_SEGMENT).and_then(|segment| child(arena, segment, K::NAME_REF));
        let Some(name) = name else { return (Vec::new(), false) };
        found.push(Segment { name: arena.slice(name).to_owned(), span: arena.node(name).span });
        match child(arena, at, K::PATH) {
            Some(outer) => at = outer,
            None => break,
        }
    }
    found.reverse();
    (found, arena.slice(path).starts_with(':'))
}

/// The context of the leaves of a `use` tree.
struct Context {
    import: NodeIndex,
    inline: Vec<String>,
    block: Option<Span>,
}

/// Collects the leaves of a `use` tree.
fn collect_tree(arena: &Arena, tree: NodeIndex, before: &[Segment], context: &Context, found: &mut Vec<Path>) {
    let mut all = before.to_vec();
    if let Some(path) = child(arena, tree, K::PATH) {
        let (own, _) = segments(arena, path);
        if own.is_empty() {
            return;
        }
        all.extend(own);
    }
    if let Some(list) = child(arena, tree, K::USE_TREE_LIST) {
        for inner in arena.children(list).filter(|inner| has_kind(arena, *inner, K::USE_TREE)) {
            collect_tree(arena, inner, &all, context, found);
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
    if !all.is_empty() {
        let start = child(arena, context.import, K::USE_TREE).unwrap_or(tree);
        found.push(Path {
            segments: all,
            node: tree,
            import: Some(context.import),
            alias,
            is_glob: arena.slice(tree).ends_with('*'),
            is_self,
            is_absolute: arena.slice(start).starts_with(':'),
            inline: context.inline.clone(),
            block: context.block,
        });
    }
}

/// Parses the output of [`Normal::specifier`].
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
