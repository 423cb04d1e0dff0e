//! Import paths of packages in texts of any format: `go run example.com/shop/cmd/api`, `-X example.com/shop/version.V=1`,
//! and `-X main.version=1`.
//!
//! A path that starts with a host name certainly is an import path. Other paths, and the path of a whole module, count
//! as import paths only in a `go` command.

use std::collections::BTreeSet;

use marquetry_code::{CodeDocument, TokenKind};
use marquetry_sdk::{
    Mention, Mentions, SearchedText, Span, TextName, is_in_quotes,
    paths::folder,
    workspace::{self, EntryKind},
};

use crate::{
    Go,
    imports::imports,
    memo,
    packages::{below, files_of, import_path, is_go, module_of, outline_of},
    table::{GO, check_name},
};

/// The name of a program's package. Linker flags use this name instead of the import path.
const MAIN: &str = "main";

/// `go` commands that take packages as arguments.
const COMMANDS: [&str; 13] =
    ["build", "clean", "doc", "fix", "fmt", "generate", "get", "install", "list", "run", "test", "tool", "vet"];

/// The text after a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rest<'t> {
    /// Folders below the folder that the name refers to, with `/` before each; `/...` stands for all of them.
    folders: &'t str,
    /// The name of a declaration.
    member: &'t str,
}

impl Mentions for Go {
    fn text_names(paths: &[String], _settings: &str) -> Vec<TextName> {
        let requested: BTreeSet<&str> = paths.iter().map(String::as_str).collect();
        let mut names = BTreeSet::new();
        memo::call(|| {
            for path in paths {
                names.extend(names_of(path, &requested));
            }
        });
        let name = |(name, path): (String, String)| TextName { name, path, kind: "package".to_owned() };
        names.into_iter().map(name).collect()
    }

    fn find_mentions(names: &[TextName], source: &SearchedText) -> Vec<Mention> {
        memo::call(|| find_mentions(names, source))
    }
}

/// The names that texts use for a file or folder, each with the file or folder that it refers to.
fn names_of(path: &str, requested: &BTreeSet<&str>) -> Vec<(String, String)> {
    if !is_go(path) {
        // If a whole module moves, its import path stays the same.
        let is_module = module_of(path).is_some_and(|module| module.root == path);
        let name = import_path(path).filter(|_| !is_module);
        return name.map(|name| (name, path.to_owned())).into_iter().collect();
    }
    if path.ends_with("_test.go") {
        return Vec::new();
    }
    let own = folder(path);
    let mut siblings = files_of(own).into_iter().filter(|file| !file.ends_with("_test.go"));
    let whole = siblings.all(|file| requested.contains(file.as_str())).then_some(own);
    let package = import_path(own).map(|name| (name, whole.unwrap_or(path).to_owned()));
    // A file that does not exist yet may be part of a program.
    let is_program = workspace::stat(path).is_none() || outline_of(path).package == MAIN;
    package.into_iter().chain(is_program.then(|| (MAIN.to_owned(), path.to_owned()))).collect()
}

fn find_mentions(names: &[TextName], source: &SearchedText) -> Vec<Mention> {
    let text = source.text.as_str();
    let searched = is_go(&source.path).then(|| searched_parts(&source.path, text));
    let is_searched = |span: Span| match &searched {
        Some(parts) => parts.iter().any(|part| part.start <= span.start && span.end <= part.end),
        None => !source.is_code || is_in_quotes(text, span.start as usize),
    };
    let mut found = Vec::new();
    for (name, index) in names.iter().zip(0..) {
        for (at, _) in text.match_indices(&name.name) {
            let end = at + name.name.len();
            let Some(rest) = rest_of(text, at, end) else { continue };
            let member_at = end + rest.folders.len() + 1;
            let span =
                Span::new(at, if rest.member.is_empty() { member_at - 1 } else { member_at + rest.member.len() });
            if refers_to(name, rest, &text[..at]) && is_searched(span) {
                let member = (!rest.member.is_empty()).then(|| Span::new(member_at, member_at + rest.member.len()));
                found.push(Mention { name: index, span, member });
            }
        }
    }
    found
}

/// The parts of a Go file that may name packages without being links: strings, and comments that tools read.
fn searched_parts(path: &str, text: &str) -> Vec<Span> {
    let document = CodeDocument::open(&GO, path, text.to_owned());
    let imported: Vec<Span> = imports(&document).iter().map(|import| import.span).collect();
    let tokens = document.arena().tokens.iter().map(|token| (token.kind, token.span));
    let is_searched = |(kind, span): &(TokenKind, Span)| match kind {
        TokenKind::Comment => span.slice(text).starts_with("//go:"),
        TokenKind::Text => !imported.iter().any(|import| span.start <= import.start && import.end <= span.end),
        _ => false,
    };
    tokens.filter(is_searched).map(|(_, span)| span).collect()
}

fn is_path_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '~' | '+')
}

/// Parses the text after a name. Returns `None` if the name is only a part of a longer word, path or address.
fn rest_of(text: &str, at: usize, end: usize) -> Option<Rest<'_>> {
    if text[..at].ends_with(|c: char| is_path_part(c) || matches!(c, '.' | '/' | '\\' | '@' | '$')) {
        return None;
    }
    let after = &text[end..];
    let length = after.find(|c| !is_path_part(c) && !matches!(c, '/' | '.')).unwrap_or(after.len());
    let (path, next) = after.split_at(length);
    if !path.is_empty() && !path.starts_with(['/', '.']) || next.starts_with(['\\', '$']) {
        return None;
    }
    let (folders, member) = match path.strip_suffix("/...") {
        Some(_) => (path, ""),
        None => {
            let last = path.rfind('/').unwrap_or(0);
            let dot = path[last..].find('.').map_or(path.len(), |dot| last + dot);
            (&path[..dot], path[dot..].trim_start_matches('.').split('.').next().unwrap_or_default())
        }
    };
    let is_member = member.is_empty() || check_name(member).is_ok();
    is_member.then(|| Rest { folders: folders.trim_end_matches('/'), member })
}

/// Returns whether an occurrence of a name certainly refers to the file or folder with that name.
fn refers_to(name: &TextName, rest: Rest<'_>, before: &str) -> bool {
    let is_file = is_go(&name.path);
    let below_it = rest.folders.trim_end_matches("/...");
    let is_below = below_it.is_empty() || is_folder(&below(&name.path, &below_it[1..]));
    let is_member = || {
        let is_declared = is_file && outline_of(&name.path).declared.contains_key(rest.member);
        is_declared || !is_file && (rest.member.starts_with(char::is_uppercase) || linker_flag(before))
    };
    let is_whole = rest.member.is_empty() && !is_file;
    if !is_below || is_file && !rest.folders.is_empty() || !is_whole && !is_member() {
        return false;
    }
    if name.name == MAIN {
        return linker_flag(before);
    }
    let starts_with_host = name.name.split_once('/').is_some_and(|(host, _)| host.contains('.'));
    let is_module = module_of(if is_file { folder(&name.path) } else { &name.path })
        .is_some_and(|module| module.path == name.name && below_it.is_empty() && rest.member.is_empty());
    starts_with_host && !is_module || is_in_command(before)
}

fn is_folder(path: &str) -> bool {
    workspace::stat(path) == Some(EntryKind::Directory)
}

/// Returns whether a text ends with the linker flag that sets a variable (`-X`).
fn linker_flag(before: &str) -> bool {
    let flag = before.trim_end_matches([' ', '"', '\'', ',', '=']);
    flag.len() < before.len() && flag.ends_with("-X")
}

/// Returns whether the last line of a text contains a `go` command, such as `go run` or `["go", "build", `, or ends
/// with the linker flag.
fn is_in_command(before: &str) -> bool {
    let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    let is_separator = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '[' | '(');
    let words: Vec<&str> = line.split(is_separator).filter(|word| !word.is_empty()).collect();
    let is_command = words.windows(2).any(|pair| pair[0] == "go" && COMMANDS.contains(&pair[1]));
    linker_flag(before) || is_command
}
