//! Links of components outside of their code: files that elements of the template and styles load, and components that
//! the project registers by the name of their file.

use std::ops::Range;

use marquetry_sdk::workspace::{self, EntryKind};
use marquetry_sdk::{Link, Span, paths};

use crate::TypeScriptDocument;
use crate::links::find::Found;
use crate::links::link_parts::build_link;
use crate::program::resolution::{ASSET, FILE, POSSIBLE};
use crate::syntax::component_code::{MarkupTag, markup_tags, pascal_case, unbound_tags};
use crate::syntax::components::{self, Kind, kind_of};

/// Attributes of elements that the compiler of Vue turns into imports.
const ASSETS: [(&str, &[&str]); 5] = [
    ("img", &["src"]),
    ("video", &["src", "poster"]),
    ("source", &["src"]),
    ("image", &["xlink:href", "href"]),
    ("use", &["xlink:href", "href"]),
];

/// Beginnings of paths that only an alias can resolve.
const ALIASES: [&str; 4] = ["@/", "~/", "#/", "$lib/"];

/// Folders whose components a project may register by their names.
const FOLDERS: [&str; 3] = ["components", "src/components", "app/components"];
/// Maximum depth of folders, and maximum number of files, that are searched for a component.
const DEEPEST: usize = 4;
const MOST_FILES: usize = 2_000;

/// Finds the links of a component that are not in its code.
pub(super) fn find_links(document: &TypeScriptDocument) -> Vec<Found> {
    let (path, text) = (document.tree.path(), document.tree.text());
    let (Some(kind), Some(outline)) = (kind_of(path), components::outline_of(path, text)) else { return Vec::new() };
    let mut found = Vec::new();
    for part in outline.templates {
        for tag in markup_tags(text, part, kind != Kind::Vue) {
            asset_links(text, kind, &tag, &mut found);
        }
    }
    for style in outline.styles {
        url_links(text, style.clone(), &mut found);
        sass_links(path, text, style, &mut found);
    }
    for source in outline.sources.into_iter().filter(|source| is_relative(&text[source.clone()])) {
        let written = &text[source.clone()];
        found.push(build_link(FILE, to_span(&source), written, to_span(&source), Vec::new(), false));
    }
    if kind == Kind::Vue {
        found.extend(registered_links(document));
    }
    found.into_iter().map(|link| Found { link, removal: None }).collect()
}

fn to_span(range: &Range<usize>) -> Span {
    Span::new(range.start, range.end)
}

fn is_relative(path: &str) -> bool {
    path.starts_with("./") || path.starts_with("../")
}

fn asset_links(text: &str, kind: Kind, tag: &MarkupTag, found: &mut Vec<Link>) {
    let name = &text[tag.name.clone()];
    for (attribute, value) in &tag.values {
        let written = &text[value.clone()];
        if written.contains(['{', ' ', '\n']) {
            continue;
        }
        let is_asset =
            |(element, names): &(&str, &[&str])| *element == name && names.contains(&&text[attribute.clone()]);
        let is_asset = kind == Kind::Vue && ASSETS.iter().any(is_asset);
        if !is_relative(written) {
            found.extend(alias_link(text, value.clone()).filter(|_| is_asset));
            continue;
        }
        let link_kind = if is_asset { FILE } else { POSSIBLE };
        found.push(build_link(link_kind, to_span(value), written, to_span(value), Vec::new(), false));
    }
}

/// Returns the link of a path that begins with an alias, which the settings of the project define for all imports. A `~`
/// before it only means that the path is not relative.
fn alias_link(text: &str, place: Range<usize>) -> Option<Link> {
    let written = &text[place.clone()];
    let skipped = ["~@/", "~#/"].iter().any(|mark| written.starts_with(mark));
    let place = place.start + usize::from(skipped)..place.end;
    let written = &text[place.clone()];
    let is_alias = ALIASES.iter().any(|mark| written.starts_with(mark));
    is_alias.then(|| build_link(ASSET, to_span(&place), written, to_span(&place), Vec::new(), false))
}

fn url_links(text: &str, style: Range<usize>, found: &mut Vec<Link>) {
    for (at, open) in text[style.clone()].match_indices("url(") {
        let start = style.start + at + open.len();
        let Some(length) = text[start..style.end].find(')') else { return };
        let inner = &text[start..start + length];
        let path = inner.trim().trim_matches(['"', '\'']);
        let Some(offset) = inner.find(path) else { continue };
        let place = start + offset..start + offset + path.len();
        if is_relative(path) {
            found.push(build_link(FILE, to_span(&place), path, to_span(&place), Vec::new(), false));
        } else {
            found.extend(alias_link(text, place));
        }
    }
}

/// Adds possible links to the files that a style loads by a path without extension or underscore, as Sass and Less do.
fn sass_links(path: &str, text: &str, style: Range<usize>, found: &mut Vec<Link>) {
    let folder = paths::folder(path);
    for keyword in ["@use", "@forward", "@import"] {
        for (at, _) in text[style.clone()].match_indices(keyword) {
            let after = style.start + at + keyword.len();
            let quoted = text[after..style.end].trim_start();
            let Some(quote) = quoted.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else { continue };
            let Some(written) = quoted[1..].split(quote).next() else { continue };
            let start = style.end - quoted.len() + 1;
            let Some(file) = paths::join(folder, written).and_then(|path| loaded_file(&path)) else { continue };
            let specifier = paths::relative_file(folder, &file);
            let place = to_span(&(start..start + written.len()));
            // The parser of styles already reports an `@import` with a complete file name as a link.
            if keyword != "@import" || paths::file_name(written) != paths::file_name(&file) {
                found.push(build_link(POSSIBLE, place, &specifier, place, Vec::new(), false));
            }
        }
    }
}

/// Returns the file that Sass or Less loads for a path.
fn loaded_file(path: &str) -> Option<String> {
    let (folder, name) = (paths::folder(path), paths::file_name(path));
    let beside = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let named = ["scss", "sass", "less", "css"]
        .into_iter()
        .flat_map(|extension| [format!("{path}.{extension}"), format!("{beside}_{name}.{extension}")]);
    let inside = ["_index.scss", "index.scss", "_index.sass"].map(|index| format!("{path}/{index}"));
    let mut candidates = std::iter::once(path.to_owned()).chain(named).chain(inside);
    candidates.find(|candidate| workspace::stat(candidate) == Some(EntryKind::File))
}

/// Returns possible links to the components that tags name, although the script does not import them.
fn registered_links(document: &TypeScriptDocument) -> Vec<Link> {
    let (path, text) = (document.tree.path(), document.tree.text());
    let Some(outline) = components::outline_of(path, text) else { return Vec::new() };
    let tags = document.tree.with(|parsed| unbound_tags(text, &outline.templates, parsed.program));
    if tags.is_empty() {
        return Vec::new();
    }
    let files = registered_files(path);
    let folder = paths::folder(path);
    let links = tags.into_iter().flat_map(|tag| {
        let name = pascal_case(&text[tag.clone()]);
        let named: Vec<&String> = files.iter().filter(|(known, _)| *known == name).map(|(_, file)| file).collect();
        named.into_iter().map(move |file| (tag.clone(), file.clone())).collect::<Vec<_>>()
    });
    let link = |(tag, file): (Range<usize>, String)| {
        let specifier = paths::relative_file(folder, &file);
        build_link(POSSIBLE, to_span(&tag), &specifier, to_span(&tag), Vec::new(), false)
    };
    links.map(link).collect()
}

/// Returns the components in the folders of components, by the names under which projects register them.
fn registered_files(path: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in paths::folders_around(path) {
        for components in FOLDERS {
            if let Some(start) = paths::join(folder, components) {
                add_components(&start, "", 0, &mut found);
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

fn add_components(folder: &str, prefix: &str, depth: usize, found: &mut Vec<(String, String)>) {
    if depth > DEEPEST {
        return;
    }
    for entry in workspace::entries(folder) {
        if found.len() >= MOST_FILES {
            return;
        }
        let path = format!("{folder}/{}", entry.name);
        if entry.kind == EntryKind::Directory {
            add_components(&path, &format!("{prefix}{}", pascal_case(&entry.name)), depth + 1, found);
        } else if let Some(stem) = entry.name.strip_suffix(".vue") {
            let name = pascal_case(stem);
            found.push((format!("{prefix}{name}"), path.clone()));
            if !prefix.is_empty() {
                found.push((name, path));
            }
        }
    }
}
