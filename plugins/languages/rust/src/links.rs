//! Links: the files of `mod` items and `include!` macros, and the modules that segments of paths refer to.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_code::{Arena, CodeDocument, NodeIndex, blocks::Statements};
use marquetry_sdk::{
    Context, Destination, Edit, Failure, FailureKind, FileMoves, Link, Linking, Relocation, Request, Resolved, Result,
    Rewrite, Span, SpecifierRequest, fail,
    paths::{folder, join, relative_file},
    workspace::{self, EntryKind},
};

use crate::{
    Rust,
    kinds::{F, K, has_kind},
    memo,
    modules::{self, Declaration, Move},
    paths::{Path, Paths, Start, read_specifier},
    relink::relink,
    resolve::{End, walk},
    submodules, trees,
};

/// Kind of link: the name in `mod name;`.
const MOD: &str = "mod";
/// Kind of link: the string in `#[path = "…"] mod name;`. The inline modules around the item are appended to the kind.
const MOD_PATH: &str = "mod-path";
/// Kind of link: the module from which a leaf of a `use` tree imports.
const USE: &str = "use";
/// Kind of link: a module that a prefix of a path refers to.
const MODULE: &str = "module";
/// Kind of link: a whole path through modules.
const PATH: &str = "path";
/// A whole path that is an expression, so its last segment is not a module.
const VALUE: &str = "value";

/// Kind of link: a path in the arguments of a macro.
const MACRO: &str = "macro";
/// Kind of link: a path whose first name may be a module anywhere in the crate. The host asks the document about every
/// move in the crate.
const ANYWHERE: &str = "glob";

/// Kind of link: the path in `include!("…")`, `include_str!("…")` and `include_bytes!("…")`.
const INCLUDE: &str = "include";

/// Number of links above which only the first path through each module becomes a link.
const MAX_LINKS: usize = 5000;

/// The source of a link.
enum Source {
    /// A `mod` item.
    Item(NodeIndex),
    /// A leaf of a `use` tree.
    Leaf(Path),
    Code,
}

/// All links with their sources, in document order.
fn all_links(document: &CodeDocument) -> Vec<(Link, Source)> {
    let arena = document.arena();
    let all = Paths::new(arena);
    let mut links = Vec::new();
    for declaration in all.declarations.iter().filter(|declaration| !declaration.is_inline) {
        links.extend(declaration_link(document, declaration));
    }
    links.extend(includes(document).into_iter().map(|link| (link, Source::Code)));
    let mut modules: BTreeSet<String> = BTreeSet::new();
    for path in &all.paths {
        path_links(arena, &all, path, &mut (&mut links, &mut modules));
    }
    links.extend(uncertain_links(arena, &all).into_iter().map(|link| (link, Source::Code)));
    links.sort_by_key(|(link, _)| (link.span.start, link.span.end));
    links
}

/// Adds the links of a path whose start is known.
fn path_links(
    arena: &Arena,
    all: &Paths,
    path: &Path,
    (links, modules): &mut (&mut Vec<(Link, Source)>, &mut BTreeSet<String>),
) {
    let Some(normal) = all.normal(path) else { return };
    let statement = arena.node(path.import.unwrap_or(path.node)).span;
    let link = |kind: &str, span: Span, names: usize, imported: Vec<String>| Link {
        kind: kind.to_owned(),
        span,
        statement,
        specifier: normal.up_to(names).specifier(),
        names: imported,
        type_only: false,
    };
    let span = shown_span(arena, path);
    let count = normal.names.len();
    let source = || if path.import.is_some() { Source::Leaf(path.clone()) } else { Source::Code };
    if path.import.is_some() {
        let is_module = path.is_glob || path.is_self;
        let outer = if is_module { count } else { count.saturating_sub(1) };
        let name = path.segments.last().map_or("*", |last| if is_module { "*" } else { &last.name });
        links.push((link(USE, span, outer, vec![name.to_owned()]), source()));
    }
    // The host matches the links before and after a change by their start, so each prefix gets a link at its last
    // segment.
    let is_value = path.is_value(arena);
    for prefix in normal.implied..=count {
        if is_value && prefix == count {
            continue;
        }
        let last = (normal.consumed + prefix - normal.implied).checked_sub(1);
        let Some(last) = last.and_then(|last| path.segments.get(last)) else { continue };
        let module = link(MODULE, last.span, prefix, vec!["*".to_owned()]);
        if modules.insert(module.specifier.clone()) || links.len() < MAX_LINKS {
            links.push((module, source()));
        }
    }
    links.push((link(if is_value { VALUE } else { PATH }, span, count, Vec::new()), source()));
}

/// The links of paths in macros, and of paths whose start cannot be resolved within the file.
fn uncertain_links(arena: &Arena, all: &Paths) -> Vec<Link> {
    let mut found: BTreeMap<(&str, String), Link> = BTreeMap::new();
    let mut add = |kind: &'static str, path: &Path, specifier: String| {
        found.entry((kind, specifier.clone())).or_insert_with(|| Link {
            kind: kind.to_owned(),
            span: shown_span(arena, path),
            statement: arena.node(path.node).span,
            specifier,
            names: vec!["*".to_owned()],
            type_only: false,
        });
    };
    for path in &all.in_macros {
        if let Start::Inside(normal) = all.start(path) {
            add(MACRO, path, normal.specifier());
        }
    }
    for path in &all.paths {
        match all.start(path) {
            // By convention, a name that starts with a capital letter is a type, so it is not a module that could move.
            Start::Inside(normal) if all.needs_workspace(path, &normal) => {
                add(ANYWHERE, path, normal.up_to(normal.implied + 1).specifier());
            }
            Start::Unknown => {
                let names: Vec<&str> = path.segments.iter().map(|segment| segment.name.as_str()).collect();
                add(ANYWHERE, path, names.join("::"));
            }
            Start::Inside(_) | Start::Outside => {}
        }
    }
    found.into_values().chain(modules_in_macros(arena)).collect()
}

/// The links of `mod name;` in the arguments of macros such as `cfg_if!`.
fn modules_in_macros(arena: &Arena) -> impl Iterator<Item = Link> {
    let tokens = arena.nodes().filter(|(_, node)| node.kind == K::MACRO_TOKEN.into());
    let is_item = |span: Span| {
        let (before, after) = (&arena.text[..span.range().start], &arena.text[span.range().end..]);
        before.trim_end().ends_with("mod") && after.trim_start().starts_with(';')
    };
    let link = |node: NodeIndex, span: Span| {
        let names = modules::modules_around(arena, node).into_iter().chain([span.slice(&arena.text).to_owned()]);
        let specifier = names.collect::<Vec<_>>().join("::");
        Link { kind: MOD.to_owned(), span, statement: span, specifier, names: vec!["*".to_owned()], type_only: false }
    };
    tokens.filter(move |(_, own)| is_item(own.span)).map(move |(node, own)| link(node, own.span))
}

/// The span of a path. If the path of a leaf is split over several parts of a `use` tree, the span of its last name.
fn shown_span(arena: &Arena, path: &Path) -> Span {
    let own = if path.import.is_some() { arena.node(path.node).span } else { path.span() };
    if own.contains(path.span()) { path.span() } else { path.segments.last().map_or(own, |last| last.span) }
}

/// The links of files that macros include.
fn includes(document: &CodeDocument) -> Vec<Link> {
    let arena = document.arena();
    let calls = arena.nodes().filter(|(_, node)| node.kind == K::MACRO_CALL.into());
    let link = |call: NodeIndex| {
        let name = arena.children(call).find(|node| has_kind(arena, *node, K::PATH))?;
        let tree = arena.children(call).find(|node| has_kind(arena, *node, K::TOKEN_TREE))?;
        let mut arguments = arena.children(tree);
        let text = arguments.next().filter(|_| arguments.next().is_none())?;
        let content = arena.slice(text).strip_prefix('"')?.strip_suffix('"')?;
        let is_include = matches!(arena.slice(name), "include" | "include_str" | "include_bytes");
        let own = arena.node(text).span;
        (is_include && !content.contains('\\')).then(|| Link {
            kind: INCLUDE.to_owned(),
            span: Span { start: own.start + 1, end: own.end - 1 },
            statement: arena.node(call).span,
            specifier: content.to_owned(),
            names: Vec::new(),
            type_only: false,
        })
    };
    calls.filter_map(|(call, _)| link(call)).collect()
}

fn declaration_link(document: &CodeDocument, declaration: &Declaration) -> Option<(Link, Source)> {
    let arena = document.arena();
    let name = arena.child(declaration.node, F::Name.into())?;
    let attribute = modules::path_attribute(arena, declaration.node);
    let (kind, span, specifier) = match (attribute, &declaration.path) {
        (Some(literal), Some(path)) => {
            let own = arena.node(literal).span;
            let outer = declaration.names.split_last().map_or(String::new(), |(_, outer)| outer.join("::"));
            let span = Span { start: own.start + 1, end: own.end.saturating_sub(1).max(own.start + 1) };
            (format!("{MOD_PATH} {outer}").trim_end().to_owned(), span, path.clone())
        }
        _ => (MOD.to_owned(), arena.node(name).span, declaration.names.join("::")),
    };
    let statement = arena.node(declaration.node).span;
    let names = vec!["*".to_owned()];
    Some((Link { kind, span, statement, specifier, names, type_only: false }, Source::Item(declaration.node)))
}

impl Linking for Rust {
    fn links(document: &CodeDocument) -> Vec<Link> {
        all_links(document).into_iter().map(|(link, _)| link).collect()
    }

    fn resolve(context: &Context, requests: &[Request]) -> Vec<Destination> {
        memo::call(|| requests.iter().map(|request| destination(&context.path, request)).collect())
    }

    fn additional_moves(_context: &Context, relocation: &Relocation) -> Vec<Relocation> {
        memo::call(|| submodules::additional_moves(relocation))
    }

    fn format_specifiers(_context: &Context, requests: &[SpecifierRequest]) -> Vec<Result<String>> {
        memo::call(|| requests.iter().map(format_specifier).collect())
    }

    fn relink(document: &CodeDocument, moves: &FileMoves) -> Result<Rewrite> {
        let to_move = |one: &Relocation| Move { from: one.from.clone(), to: one.to.clone() };
        let relocations: Vec<Move> = moves.relocations.iter().map(to_move).collect();
        let relinked = relink(document, &relocations);
        let unresolved = relinked.unresolved.into_iter().map(|(span, _)| span).collect();
        let mut rewrite = Rewrite { edits: relinked.edits, unresolved, ..Rewrite::default() };
        for (path, declaration) in relinked.declare {
            rewrite.ask_file(path, declaration);
        }
        Ok(rewrite)
    }

    fn unlink(document: &CodeDocument, links: &[u32]) -> Result<Rewrite> {
        let all = all_links(document);
        let (mut items, mut leaves) = (Vec::new(), Vec::new());
        for index in links {
            match all.get(*index as usize) {
                Some((_, Source::Item(node))) => items.push(*node),
                Some((_, Source::Leaf(path))) => leaves.push(path.node),
                Some((link, Source::Code)) => {
                    return Err(Failure::unsupported("code that names a module cannot be removed")
                        .hint("edit the code around it")
                        .at(link.span));
                }
                None => {
                    return Err(fail(FailureKind::InvalidArgument, format!("no link {index}"))
                        .hint("list the links of the document again"));
                }
            }
        }
        let mut edits = delete_statements(document, items)?;
        edits.extend(trees::remove(document, leaves)?);
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        edits.dedup();
        Ok(Rewrite::from(edits))
    }
}

/// The edits that delete items with their comments.
///
/// # Errors
///
/// Fails if a block cannot be edited.
pub(crate) fn delete_statements(document: &CodeDocument, mut nodes: Vec<NodeIndex>) -> Result<Vec<Edit>> {
    let arena = document.arena();
    nodes.sort_unstable();
    nodes.dedup();
    nodes.sort_by_key(|node| arena.node(*node).parent);
    let mut edits = Vec::new();
    for run in nodes.chunk_by(|one, other| arena.node(*one).parent == arena.node(*other).parent) {
        let statements = Statements::new(document, arena.node(run[0]).parent);
        let positions: Vec<usize> = run.iter().filter_map(|node| statements.position(*node)).collect();
        edits.extend(statements.delete(&positions)?);
    }
    Ok(edits)
}

fn destination(from: &str, request: &Request) -> Destination {
    let inside = |path: String| Destination::Inside(Resolved { path, suffix: String::new() });
    let (kind, base) = request.kind.split_once(' ').unwrap_or((&request.kind, ""));
    let names = |text: &str| text.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    if kind == MOD || kind == MOD_PATH {
        let (names, path) = match kind {
            MOD => (names(&request.specifier), None),
            _ => (names(base).into_iter().chain(["_".to_owned()]).collect(), Some(request.specifier.clone())),
        };
        let declaration = Declaration { names, path, is_inline: false, conditions: Vec::new(), node: 0 };
        let candidates = modules::candidates(from, modules::is_root(from), &declaration);
        let found = candidates.iter().find(|path| workspace::stat(path) == Some(EntryKind::File));
        return match (found, candidates.first()) {
            (Some(path), _) => inside(path.clone()),
            (None, Some(path)) => Destination::Missing(path.clone()),
            (None, None) => Destination::External,
        };
    }
    if kind == INCLUDE {
        let path = join(folder(from), &request.specifier).filter(|_| !request.specifier.starts_with('/'));
        let found = path.filter(|path| workspace::stat(path) == Some(EntryKind::File));
        return found.map_or(Destination::External, inside);
    }
    let anywhere = || match modules::crate_folder(from) {
        root if root.is_empty() => Destination::External,
        folder => inside(folder),
    };
    let known = read_specifier(&request.specifier);
    let Some(walk) = known.as_ref().map(|normal| walk(from, normal)) else {
        return if kind == ANYWHERE { anywhere() } else { Destination::External };
    };
    let count = known.map_or(0, |normal| normal.names.len());
    let mut found = walk.found.iter().rev().skip_while(|(own, _)| kind == VALUE && *own == count);
    match (walk.end, found.next()) {
        (End::Unknown, _) if kind == ANYWHERE => anywhere(),
        // The manifest determines which crate the name refers to.
        (End::Outside, _) if kind == ANYWHERE => modules::manifest_of(from).map_or(Destination::External, inside),
        (_, Some((_, module))) if kind == ANYWHERE => inside(module.file.clone()),
        (_, Some((_, module))) if module.file == from => Destination::External,
        (_, Some((own, module))) if is_whole(kind) || *own == count && module.inline.is_empty() => {
            inside(module.file.clone())
        }
        _ => Destination::External,
    }
}

/// Returns whether links of this kind are whole paths, including the names of items.
fn is_whole(kind: &str) -> bool {
    [PATH, VALUE, MACRO].contains(&kind)
}

fn format_specifier(request: &SpecifierRequest) -> Result<String> {
    let (kind, base) = request.kind.split_once(' ').unwrap_or((&request.kind, ""));
    if kind == INCLUDE {
        return Ok(relative_file(folder(&request.from), &request.to));
    }
    if kind == MOD_PATH {
        let is_root = modules::is_root(&request.from);
        let start = match base {
            "" => folder(&request.from).to_owned(),
            base => {
                join(&modules::folder_of_children(&request.from, is_root), &base.replace("::", "/")).unwrap_or_default()
            }
        };
        return Ok(relative_file(&start, &request.to));
    }
    let package = modules::package(&request.to).unwrap_or_default();
    if modules::package(&request.from) != Some(package) {
        let name = request.specifier.trim_start_matches("self::").split("::").next().unwrap_or_default();
        let message =
            format!("the package of the file has no dependency `{name}`, which is the package in `{package}`");
        return Err(Failure::unsupported(message).hint("add the dependency to its `Cargo.toml`"));
    }
    Err(Failure::unsupported(format!("`{}` cannot be a path to `{}`", request.specifier, request.to))
        .hint("change the `mod` item or the path"))
}

/// Returns whether a node is a `mod` item.
pub(crate) fn is_module(document: &CodeDocument, node: NodeIndex) -> bool {
    has_kind(document.arena(), node, K::MODULE)
}
