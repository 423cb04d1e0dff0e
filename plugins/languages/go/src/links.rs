//! Links: the packages that a file imports, and the files that it embeds.

mod mentions;

use marquetry_code::{CodeDocument, NodeIndex, TokenKind, blocks::Statements};
use marquetry_sdk::{
    Context, Destination, Edit, Failure, FailureKind, FileMoves, Link, Linking, Request, Resolved, Result, Rewrite,
    Span, SpecifierRequest, fail,
    paths::{folder, join, relative_to},
    workspace,
};

use crate::{
    Go,
    imports::imports,
    kinds::{K, has_kind},
    memo,
    moves::Moves,
    packages::{self, Found, package_name_node},
    relink::relink,
};
use mentions::{MENTION, OPENED, format_mention, format_opened, mentioned, mentions, opened, opened_file};

/// Kind of link: the path of an import.
const IMPORT: &str = "import";
/// Kind of link: a file that `//go:embed` names.
const EMBED: &str = "embed";
/// Kind of link: a folder. The host asks the document about every move below this folder. It is the folder of the file,
/// the folder of an import, or the fixed start of a pattern of `//go:embed`.
const GLOB: &str = "glob";

/// All links with the nodes of their imports, in document order.
fn all_links(document: &CodeDocument) -> Vec<(Link, Option<NodeIndex>)> {
    let arena = document.arena();
    let mut links = Vec::new();
    let link = |kind: &str, span: Span, statement: Span, specifier: &str| Link {
        kind: kind.to_owned(),
        span,
        statement,
        specifier: specifier.to_owned(),
        names: if kind == IMPORT { vec!["*".to_owned()] } else { Vec::new() },
        type_only: false,
    };
    if let Some(name) = package_name_node(arena) {
        let span = arena.node(name).span;
        links.push((link(GLOB, span, arena.node(arena.node(name).parent).span, "."), None));
    }
    for import in imports(document) {
        let statement = arena.node(import.node).span;
        // The host matches the links before and after a change by their start, so the two links start at different
        // offsets.
        let quoted = Span { start: import.span.start - 1, end: import.span.end };
        links.push((link(GLOB, quoted, statement, &import.path), None));
        links.push((link(IMPORT, import.span, statement, &import.path), Some(import.node)));
    }
    for (comment, span) in embeds(document) {
        let pattern = span.slice(&arena.text);
        let is_pattern = pattern.contains(['*', '?', '[', '\\']);
        links.push((link(if is_pattern { GLOB } else { EMBED }, span, comment, pattern), None));
    }
    let texts = mentions(document).into_iter().map(|(around, span)| (MENTION, around, span));
    let files = opened(document).into_iter().map(|(around, span)| (OPENED, around, span));
    links.extend(
        texts.chain(files).map(|(kind, around, span)| (link(kind, span, around, span.slice(&arena.text)), None)),
    );
    links.sort_by_key(|(link, _)| (link.span.start, link.span.end));
    links
}

/// The patterns of `//go:embed`, each with its comment.
pub(crate) fn embeds(document: &CodeDocument) -> Vec<(Span, Span)> {
    let text = document.text_str();
    let comments = document.arena().tokens.iter().filter(|token| token.kind == TokenKind::Comment);
    let mut found = Vec::new();
    for token in comments {
        let comment = token.span.slice(text);
        let Some(rest) = comment.strip_prefix("//go:embed ") else { continue };
        let mut at = token.span.start as usize + comment.len() - rest.len();
        for word in rest.split([' ', '\t']) {
            let quotes = usize::from(word.starts_with(['"', '`']) && word.len() > 1);
            if word.len() > 2 * quotes {
                found.push((token.span, Span::new(at + quotes, at + word.len() - quotes)));
            }
            at += word.len() + 1;
        }
    }
    found
}

impl Linking for Go {
    fn links(document: &crate::GoDocument) -> Vec<Link> {
        all_links(document).into_iter().map(|(link, _)| link).collect()
    }

    fn resolve(context: &Context, requests: &[Request]) -> Vec<Destination> {
        memo::call(|| requests.iter().map(|request| destination(&context.path, request)).collect())
    }

    fn format_specifiers(_context: &Context, requests: &[SpecifierRequest]) -> Vec<Result<String>> {
        memo::call(|| requests.iter().map(format_specifier).collect())
    }

    fn relink(document: &crate::GoDocument, moves: &FileMoves) -> Result<Rewrite> {
        let relinked = memo::call(|| relink(document, &Moves::new(&moves.relocations)));
        let unresolved = relinked.unresolved.into_iter().map(|(span, _)| span).collect();
        Ok(Rewrite { edits: relinked.edits, unresolved, ..Rewrite::default() })
    }

    fn unlink(document: &crate::GoDocument, links: &[u32]) -> Result<Rewrite> {
        let all = all_links(document);
        let mut nodes = Vec::new();
        for index in links {
            match all.get(*index as usize) {
                Some((_, Some(node))) => nodes.push(*node),
                Some((link, None)) if link.kind == GLOB => {}
                Some((link, None)) => {
                    let (message, hint) = match link.kind.as_str() {
                        MENTION => ("a path in a comment is not removed", "edit the comment"),
                        OPENED => ("a file that is opened cannot be removed", "edit the call"),
                        _ => {
                            ("a file that is embedded cannot be removed", "edit the comment and the variable below it")
                        }
                    };
                    return Err(Failure::unsupported(message).hint(hint).at(link.span));
                }
                None => {
                    return Err(fail(FailureKind::InvalidArgument, format!("no link {index}"))
                        .hint("list the links of the document again"));
                }
            }
        }
        remove_imports(document, nodes).map(Rewrite::from)
    }
}

/// The edits that remove imports. A group is removed if it loses all of its imports.
///
/// # Errors
///
/// Fails if a declaration cannot be edited.
pub(crate) fn remove_imports(document: &CodeDocument, mut nodes: Vec<NodeIndex>) -> Result<Vec<Edit>> {
    let arena = document.arena();
    nodes.sort_unstable();
    nodes.dedup();
    let mut whole: Vec<NodeIndex> = Vec::new();
    let mut edits = Vec::new();
    for run in nodes.chunk_by(|one, other| arena.node(*one).parent == arena.node(*other).parent) {
        let block = arena.node(run[0]).parent;
        if has_kind(arena, block, K::ImportSpecs) && arena.children(block).count() > run.len() {
            edits.extend(delete(document, block, run)?);
        } else if has_kind(arena, block, K::ImportSpecs) {
            whole.push(arena.node(block).parent);
        } else {
            whole.extend(run);
        }
    }
    whole.sort_unstable();
    for run in whole.chunk_by(|one, other| arena.node(*one).parent == arena.node(*other).parent) {
        edits.extend(delete(document, arena.node(run[0]).parent, run)?);
    }
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    Ok(edits)
}

fn delete(document: &CodeDocument, block: NodeIndex, nodes: &[NodeIndex]) -> Result<Vec<Edit>> {
    let statements = Statements::new(document, block);
    let positions: Vec<usize> = nodes.iter().filter_map(|node| statements.position(*node)).collect();
    statements.delete(&positions)
}

fn destination(from: &str, request: &Request) -> Destination {
    let inside = |path: String| Destination::Inside(Resolved { path, suffix: String::new() });
    let own = folder(from);
    let is_embedded = |path: &str| path.contains(['*', '?', '[', '\\']);
    match request.kind.as_str() {
        GLOB if request.specifier == "." => to_folder(own),
        GLOB if is_embedded(&request.specifier) => {
            let start = request.specifier.split(['*', '?', '[', '\\']).next().unwrap_or_default();
            let path = join(own, folder(start)).unwrap_or_default();
            to_folder(&path)
        }
        MENTION => mentioned(from, &request.specifier),
        OPENED => opened_file(from, &request.specifier),
        EMBED => {
            let pattern = request.specifier.strip_prefix("all:").unwrap_or(&request.specifier);
            let path = join(own, pattern);
            match path.filter(|path| workspace::stat(path).is_some()) {
                Some(path) => inside(path),
                None => join(own, pattern).map_or(Destination::External, Destination::Missing),
            }
        }
        kind => match packages::resolve(from, &request.specifier) {
            Found::Folder(path) if path.is_empty() => Destination::External,
            Found::Folder(path) => inside(path),
            Found::Possible(path) if kind != IMPORT => inside(path),
            Found::Possible(path) => {
                Destination::Unknown(format!("it may be `{path}`: no `go.mod` defines the path of the module"))
            }
            Found::Missing(path) if kind == IMPORT => Destination::Missing(path),
            Found::Missing(_) | Found::Elsewhere => Destination::External,
        },
    }
}

/// A folder as a destination. If the folder is not known, the host asks the document about all moves.
fn to_folder(path: &str) -> Destination {
    match path {
        "" => Destination::External,
        path => Destination::Inside(Resolved { path: path.to_owned(), suffix: String::new() }),
    }
}

fn format_specifier(request: &SpecifierRequest) -> Result<String> {
    let refused = |message: String, hint: &str| Err(Failure::unsupported(message).hint(hint));
    match request.kind.as_str() {
        EMBED => {
            let prefix = if request.specifier.starts_with("all:") { "all:" } else { "" };
            match relative_to(folder(&request.from), &request.to) {
                Some(path) if !path.is_empty() => Ok(format!("{prefix}{path}")),
                _ => refused(
                    format!("`{}` cannot be embedded: it is not below the folder of the file", request.to),
                    "move the file that embeds it, too",
                ),
            }
        }
        MENTION => match format_mention(request) {
            Some(path) => Ok(path),
            None => refused(format!("`{}` is not below the folder of the module", request.to), "edit the comment"),
        },
        OPENED => Ok(format_opened(request)),
        IMPORT => match packages::import_path(&request.to) {
            Some(path) => Ok(path),
            None => refused(format!("`{}` is not in a module", request.to), "add a `go.mod`"),
        },
        _ => Ok(request.specifier.clone()),
    }
}
