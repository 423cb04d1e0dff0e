//! Finds the file for the name of a schema: a path, a URL of a file in an installed package, or an entry in editor
//! settings.

use marquetry_jsonpath::{Kind, Tree};
use marquetry_sdk::{
    paths::{file_name, folder, folders_around, has_scheme, join, part_matches},
    workspace,
};

use crate::schema_hover::SchemaDocument;

/// An address relative to another one in the same folder.
pub(crate) fn relative_address<'a>(from: &str, to: &'a str) -> Option<&'a str> {
    let folder = &from[..=from.rfind('/')?];
    to.strip_prefix(folder).filter(|rest| !rest.is_empty())
}

/// The file for the name of a schema used in a file: a path, or a URL of a file in an installed package.
pub(crate) fn schema_file(from: &str, name: &str) -> Option<String> {
    let name = name.split('#').next().unwrap_or(name);
    if !has_scheme(name) {
        let path = match name.strip_prefix('/') {
            Some(rest) => rest.to_owned(),
            None => join(folder(from), name)?,
        };
        return workspace::stat(&path).map(|_| path);
    }
    // Sites that serve the files of packages: `https://unpkg.com/name@1.2.3/path`.
    let rest = ["https://unpkg.com/", "https://cdn.jsdelivr.net/npm/", "https://esm.sh/"];
    let rest = rest.iter().find_map(|site| name.strip_prefix(site))?;
    let scoped = rest.starts_with('@');
    let cut = rest.match_indices('/').nth(usize::from(scoped)).map(|(at, _)| at)?;
    let (package, path) = (&rest[..cut], &rest[cut + 1..]);
    let package = match package.get(1..)?.find('@') {
        Some(at) => &package[..=at],
        None => package,
    };
    let installed = |folder: &str| {
        let path = format!("{folder}{}node_modules/{package}/{path}", if folder.is_empty() { "" } else { "/" });
        workspace::stat(&path).map(|_| path)
    };
    folders_around(from).find_map(installed)
}

/// The schema that the VS Code settings of the workspace assign to a path.
pub(crate) fn schema_from_settings<D: SchemaDocument>(path: &str) -> Option<String> {
    let settings = ".vscode/settings.json";
    let document = D::parse_schema(settings, workspace::read(settings).ok()?);
    let tree = document.tree();
    let text = |node| (tree.kind(node) == Kind::String).then(|| tree.text(node).into_owned());
    let texts = |node| match tree.kind(node) {
        Kind::Array => tree.children(node).filter_map(text).collect(),
        _ => text(node).into_iter().collect::<Vec<String>>(),
    };
    let root = tree.root();
    if tree.kind(root) != Kind::Object {
        return None;
    }
    let lists = tree.member(root, "json.schemas").filter(|list| tree.kind(*list) == Kind::Array);
    let by_list = lists.into_iter().flat_map(|list| tree.children(list)).find_map(|entry| {
        if tree.kind(entry) != Kind::Object {
            return None;
        }
        let patterns = texts(tree.member(entry, "fileMatch")?);
        let url = text(tree.member(entry, "url")?)?;
        patterns.iter().any(|pattern| matches_file_pattern(pattern, path)).then_some(url)
    });
    let maps = tree.member(root, "yaml.schemas").filter(|map| tree.kind(*map) == Kind::Object);
    let by_map = || {
        let mut entries = maps.into_iter().flat_map(|map| tree.members(map));
        let (url, _) =
            entries.find(|(_, patterns)| texts(*patterns).iter().any(|pattern| matches_file_pattern(pattern, path)))?;
        Some(url.into_owned())
    };
    schema_file("settings.json", &by_list.or_else(by_map)?)
}

/// Returns whether a path matches a pattern: a name in any folder, or a path with `*` and `**`.
fn matches_file_pattern(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim_start_matches('/');
    if !pattern.contains('/') {
        return part_matches(pattern, file_name(path));
    }
    let (wanted, parts): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
    parts_match(&wanted, &parts)
}

fn parts_match(wanted: &[&str], parts: &[&str]) -> bool {
    match (wanted.split_first(), parts.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => (0..=parts.len()).any(|skipped| parts_match(rest, &parts[skipped..])),
        (Some((first, rest)), Some((part, behind))) => part_matches(first, part) && parts_match(rest, behind),
        _ => false,
    }
}
