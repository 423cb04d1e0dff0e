//! Paths outside of imports: in comments, and in calls with which tests open files. Go runs a test in the folder of its
//! file, so a path in such a call is relative to that folder. A path in a comment may be relative to the folder of its
//! file, or of its module, or to the workspace.

use std::collections::BTreeSet;

use marquetry_code::{CodeDocument, TokenKind};
use marquetry_sdk::{
    Destination, Resolved, Span, SpecifierRequest,
    paths::{folder, join, relative, relative_to},
    workspace,
};

use crate::{
    imports::imports,
    kinds::{F, K, child, has_kind},
    packages::{self, Found, below, module_of},
    table::unquoted,
};

/// Kind of link: a path in a comment.
pub(super) const MENTION: &str = "link";
/// Kind of link: the path of a file that a test opens.
pub(super) const OPENED: &str = "path";

/// Functions of the standard library whose first argument is a path.
const OPENING: [(&str, &[&str]); 2] = [
    ("os", &["DirFS", "Lstat", "Open", "OpenFile", "ReadDir", "ReadFile", "Stat"]),
    ("io/ioutil", &["ReadDir", "ReadFile"]),
];

/// The paths in comments, each with its comment. Compiler directives and build constraints are left out.
pub(super) fn mentions(document: &CodeDocument) -> Vec<(Span, Span)> {
    let text = document.text_str();
    let is_text = |comment: &str| !comment.starts_with("//go:") && !comment.starts_with("// +build ");
    let comments = document.arena().tokens.iter().filter(|token| token.kind == TokenKind::Comment);
    let mut found = Vec::new();
    for comment in comments.map(|token| token.span).filter(|span| is_text(span.slice(text))) {
        found.extend(words(comment, text).map(|word| (comment, word)));
    }
    found
}

/// The words of a comment that may be relative paths with several parts.
fn words(comment: Span, text: &str) -> impl Iterator<Item = Span> {
    let is_part = |c: char| c.is_alphanumeric() || "/._-@~+".contains(c);
    let (start, body) = (comment.start as usize, comment.slice(text));
    let marks = body.len() - body.trim_start_matches(['/', '*']).len();
    let mut at = marks;
    std::iter::from_fn(move || {
        let from = at + body[at..].find(is_part)?;
        let end = body[from..].find(|c| !is_part(c)).map_or(body.len(), |length| from + length);
        at = end;
        Some((from, from + body[from..end].trim_end_matches(['.', '/']).len()))
    })
    .filter(move |(from, end)| {
        let word = &body[*from..*end];
        let mut parts = word.trim_start_matches("./").split('/');
        word.contains('/') && parts.all(|part| !part.is_empty())
    })
    .map(move |(from, end)| Span::new(start + from, start + end))
}

/// The paths of the files that a test opens, each with the span of its call.
pub(super) fn opened(document: &CodeDocument) -> Vec<(Span, Span)> {
    if !document.path().ends_with("_test.go") {
        return Vec::new();
    }
    let arena = document.arena();
    let imported = imports(document);
    let calls = arena.nodes().map(|(node, _)| node).filter(|node| has_kind(arena, *node, K::Call));
    let paths = calls.filter_map(|call| {
        let function = arena.children(call).next().filter(|function| has_kind(arena, *function, K::Selector))?;
        let (package, name) = (arena.children(function).next()?, arena.child(function, F::Name.into())?);
        let import = imported.iter().find(|import| import.local() == arena.slice(package))?;
        let opens = |(path, names): &(&str, &[&str])| *path == import.path && names.contains(&arena.slice(name));
        let argument = arena.children(child(arena, call, K::Args)?).next()?;
        let text = arena.slice(argument);
        let path = unquoted(text);
        let is_path = has_kind(arena, argument, K::Text) && path.len() + 2 == text.len() && !path.contains('\\');
        let start = arena.node(argument).span.start + 1;
        let is_it = is_path && !path.is_empty() && OPENING.iter().any(opens);
        is_it.then(|| (arena.node(call).span, Span { start, end: start + path.len() as u32 }))
    });
    paths.collect()
}

/// The base that a path in a comment is relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Base {
    /// The folder of the file.
    Own,
    /// The folder of the module, or the root of the workspace.
    Root(String),
    /// The path is an import path.
    Import,
}

/// The files and folders that a path in a comment may refer to, each with the base of the path.
fn candidates(from: &str, path: &str) -> Vec<(String, Base)> {
    let own = folder(from);
    let roots: BTreeSet<String> =
        [Some(String::new()), module_of(own).map(|module| module.root)].into_iter().flatten().collect();
    let relative = join(own, path).map(|found| (found, Base::Own));
    let is_written_relative = path.starts_with("./") || path.starts_with("../");
    let rooted = roots
        .into_iter()
        .filter(|root| !is_written_relative && root != own)
        .map(|root| (below(&root, path), Base::Root(root)));
    let import = match packages::resolve(from, path) {
        Found::Folder(folder) if !is_written_relative && !folder.is_empty() => Some((folder, Base::Import)),
        Found::Folder(_) | Found::Possible(_) | Found::Missing(_) | Found::Elsewhere => None,
    };
    let all = relative.into_iter().chain(rooted).chain(import);
    all.filter(|(found, _)| !found.is_empty() && workspace::stat(found).is_some()).collect()
}

/// The destination of a path in a comment. A word that is not the path of an existing file or folder has no
/// destination.
pub(super) fn mentioned(from: &str, path: &str) -> Destination {
    let found = candidates(from, path);
    let places: BTreeSet<&String> = found.iter().map(|(place, _)| place).collect();
    match places.len() {
        0 => Destination::External,
        1 => Destination::Inside(Resolved { path: found[0].0.clone(), suffix: String::new() }),
        _ => Destination::Unknown("the path may start at several folders".to_owned()),
    }
}

/// The destination of a path that a test opens.
pub(super) fn opened_file(from: &str, path: &str) -> Destination {
    let found = join(folder(from), path).filter(|_| !path.starts_with('/'));
    match found.filter(|path| !path.is_empty() && workspace::stat(path).is_some()) {
        Some(path) => Destination::Inside(Resolved { path, suffix: String::new() }),
        None => Destination::External,
    }
}

/// Formats the new path in a comment, relative to the same base as the old one.
pub(super) fn format_mention(request: &SpecifierRequest) -> Option<String> {
    let base = candidates(&request.from, &request.specifier).into_iter().find(|(place, _)| *place == request.was);
    let written = match base.map(|(_, base)| base) {
        Some(Base::Import) => packages::import_path(&request.to)?,
        Some(Base::Root(root)) => relative_to(&root, &request.to)?.to_owned(),
        Some(Base::Own) | None => format_opened(request),
    };
    Some(written)
}

/// Formats a path relative to the folder of the file.
pub(super) fn format_opened(request: &SpecifierRequest) -> String {
    let path = relative(folder(&request.from), &request.to);
    let (is_marked, was_marked) = (path.starts_with('.'), request.specifier.starts_with("./"));
    if was_marked && !is_marked {
        format!("./{path}")
    } else if was_marked {
        path
    } else {
        path.trim_start_matches("./").to_owned()
    }
}
