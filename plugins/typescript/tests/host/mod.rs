//! The host's part, small: what it does with the answers of the pack to move files and to rename across files.
//!
//! It keeps all files in memory and asks every one of them; the real host has an index for that. The order of
//! questions is the same.

#![allow(dead_code, reason = "each test uses its own part of this module")]

use std::collections::BTreeMap;

use marquetry_sdk::span::apply;
use marquetry_sdk::{Destination, Edit, Failure, LanguagePack, Linking, Request, Respelling, workspace};
use marquetry_typescript::{TypeScript, TypeScriptDocument};

pub(crate) type Files = BTreeMap<String, String>;

const EXTENSIONS: [&str; 8] = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];

pub(crate) fn is_code(path: &str) -> bool {
    EXTENSIONS.iter().any(|extension| path.ends_with(extension))
}

pub(crate) fn open(path: &str, text: &str) -> TypeScriptDocument {
    TypeScript::open(path, text.to_owned(), "{}")
}

/// Where a path is after a file or folder has moved.
fn moved(path: &str, source: &str, destination: &str) -> String {
    match path.strip_prefix(source) {
        Some("") => destination.to_owned(),
        Some(rest) if rest.starts_with('/') => format!("{destination}{rest}"),
        _ => path.to_owned(),
    }
}

/// The workspace after a move. Links out of packages that are not ours are left alone, and so are links that lead nowhere.
pub(crate) fn move_path(files: &Files, source: &str, destination: &str) -> Result<Files, Failure> {
    workspace::set_files(files.clone());
    let mut after = Files::new();
    for (path, text) in files {
        let later = moved(path, source, destination);
        let edits = if is_code(path) { respelled(path, text, source, destination)? } else { Vec::new() };
        after.insert(later, apply(text, &edits));
    }
    Ok(after)
}

/// The workspace after a file has been copied: the links of the copy still lead where they led.
pub(crate) fn duplicate(files: &Files, source: &str, destination: &str) -> Result<Files, Failure> {
    workspace::set_files(files.clone());
    let mut after = files.clone();
    let text = &files[source];
    let links = leading_inside(source, text);
    let edits = spell_all(&links, destination, |path| path.to_owned())?;
    after.insert(destination.to_owned(), apply(text, &edits));
    Ok(after)
}

/// A link with the path it leads to now.
type Led = (marquetry_sdk::Link, String);

fn leading_inside(path: &str, text: &str) -> Vec<Led> {
    let links = TypeScript::links(&open(path, text));
    let request =
        |link: &marquetry_sdk::Link| Request { kind: link.kind.clone(), specifier: link.specifier.clone() };
    let destinations = TypeScript::resolve(path, &links.iter().map(request).collect::<Vec<_>>());
    let inside = |(link, destination)| match destination {
        Destination::Inside(found) => Some((link, found.path)),
        _ => None,
    };
    links.into_iter().zip(destinations).filter_map(inside).collect()
}

fn respelled(path: &str, text: &str, source: &str, destination: &str) -> Result<Vec<Edit>, Failure> {
    let links = leading_inside(path, text);
    let later = moved(path, source, destination);
    let stays = later == path;
    let touched: Vec<Led> =
        links.into_iter().filter(|(_, was)| !stays || moved(was, source, destination) != *was).collect();
    spell_all(&touched, &later, |was| moved(was, source, destination))
}

fn spell_all(links: &[Led], from: &str, later: impl Fn(&str) -> String) -> Result<Vec<Edit>, Failure> {
    let request = |(link, was): &Led| Respelling {
        from: from.to_owned(),
        to: later(was),
        was: was.clone(),
        kind: link.kind.clone(),
        specifier: link.specifier.clone(),
    };
    let spelled = TypeScript::spell(&links.iter().map(request).collect::<Vec<_>>());
    let mut edits = Vec::new();
    for ((link, _), spelled) in links.iter().zip(spelled) {
        let spelled = spelled?;
        if spelled != link.specifier {
            edits.push(Edit::new(link.span, spelled));
        }
    }
    Ok(edits)
}
