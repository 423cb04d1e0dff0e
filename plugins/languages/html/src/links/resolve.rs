//! Link resolution.

use marquetry_sdk::{Destination, Request, Resolved, paths, workspace};
use workspace::EntryKind;

use super::find::MAPPED_IMPORT;
use super::script::MODULE_KINDS;
use super::url::{self, NotAPath};

pub(super) fn resolve_link(from: &str, request: &Request) -> Destination {
    let (kind, base) = url::split_kind(&request.kind);
    if kind == MAPPED_IMPORT {
        return Destination::Unknown("the name is defined in the page's import map".to_owned());
    }
    let found = match url::parse(&request.specifier) {
        Ok(found) => found,
        Err(NotAPath::External) => return Destination::External,
        Err(NotAPath::Computed) => return Destination::Unknown("the link contains a template placeholder".to_owned()),
    };
    let Some(path) = paths::percent_decoded(found.path) else {
        return Destination::Unknown("the link is not percent-encoded UTF-8".to_owned());
    };
    let absolute = path.starts_with('/');
    let Some(start) = url::base_directory(from, base) else { return Destination::External };
    let candidates = if absolute || start.absolute {
        let rooted = if absolute { paths::join("", &path) } else { paths::join(&start.directory, &path) };
        rooted.map(|rooted| site_roots(from).into_iter().filter_map(|root| paths::join(&root, &rooted)).collect())
    } else {
        paths::join(&start.directory, &path).map(|path| vec![path])
    };
    let Some(candidates): Option<Vec<String>> = candidates else {
        return Destination::Unknown("the link is outside the workspace".to_owned());
    };
    let is_module = MODULE_KINDS.contains(&kind);
    if is_module && !path.starts_with(['/', '.']) {
        return Destination::External;
    }
    let page = matches!(kind, "href" | "frame" | "form" | "refresh" | "link");
    let suffix = found.suffix.to_owned();
    let mut found: Vec<String> = Vec::new();
    for path in candidates.iter().filter_map(|path| find_file(path, page).or_else(|| find_folder(path, kind))) {
        if !found.contains(&path) {
            found.push(path);
        }
    }
    if let Some(path) = only_in_package(from, &found) {
        return Destination::Inside(Resolved { path, suffix });
    }
    if let [first, second, ..] = found.as_slice() {
        return Destination::Unknown(format!("the root of the site is not known: `{first}` or `{second}`"));
    }
    // The file does not exist, but a path without an extension may be handled by a server.
    let wanted = candidates.into_iter().next().unwrap_or_default();
    let is_file = wanted.rsplit('/').next().is_some_and(|name| name.contains('.'));
    if page && (kind == "form" || !is_file) {
        return Destination::Unknown(format!("there is no file `{wanted}`; the server may handle this URL"));
    }
    if is_module && !is_file {
        return Destination::Unknown(format!("there is no file `{wanted}`; a bundler may add an extension"));
    }
    Destination::Missing(wanted)
}

/// Returns the only file that was found, or the only one in the package of the page: its folder is the root of the site.
fn only_in_package(from: &str, found: &[String]) -> Option<String> {
    if let [only] = found {
        return Some(only.clone());
    }
    let has_manifest = |folder: &&str| {
        let manifest = paths::join(folder, "package.json");
        manifest.is_some_and(|manifest| workspace::stat(&manifest) == Some(EntryKind::File))
    };
    let package = paths::folders_around(from).find(has_manifest)?;
    let mut inside = found.iter().filter(|path| paths::relative_to(package, path).is_some());
    inside.next().filter(|_| inside.next().is_none()).cloned()
}

/// Returns the path if it is a folder. Only import maps and links such as `href="."` can refer to a folder.
fn find_folder(path: &str, kind: &str) -> Option<String> {
    let is_folder = || workspace::stat(path) == Some(EntryKind::Directory);
    (matches!(kind, "import-map" | "href") && !path.is_empty() && is_folder()).then(|| path.to_owned())
}

/// Returns the candidates for the root of the site: the workspace and its `public` folder. The site may be only a part
/// of the workspace, so each folder around the page, and the `public` folder in it, is a candidate, too.
pub(super) fn site_roots(from: &str) -> Vec<String> {
    let mut roots = vec![String::new(), "public".to_owned()];
    for folder in paths::folders_around(from).filter(|folder| !folder.is_empty()) {
        roots.push(folder.to_owned());
        roots.push(format!("{folder}/public"));
    }
    roots
}

/// Returns the file at a path. A link to a page can also refer to the index file of a folder, or omit the extension
/// `.html`.
fn find_file(path: &str, page: bool) -> Option<String> {
    match workspace::stat(path) {
        Some(EntryKind::File) => return Some(path.to_owned()),
        _ if !page => return None,
        Some(EntryKind::Directory) => {
            let index = INDEXES.iter().filter_map(|index| paths::join(path, index));
            if let Some(index) = index.into_iter().find(|index| workspace::stat(index) == Some(EntryKind::File)) {
                return Some(index);
            }
        }
        None => {}
    }
    let page = format!("{path}.html");
    (!path.is_empty() && workspace::stat(&page) == Some(EntryKind::File)).then_some(page)
}

/// Names of index files, in order of precedence.
pub(super) const INDEXES: [&str; 2] = ["index.html", "index.htm"];
