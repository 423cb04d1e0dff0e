//! Formats a link after a file has moved, in the style of the old link.

use marquetry_sdk::{
    FailureKind, Result, SpecifierRequest, fail, paths,
    workspace::{self, EntryKind},
};

use super::resolve::{INDEXES, site_roots};
use super::script::MODULE_KINDS;
use super::url::{self, Url};
use crate::syntax::decode;

pub(super) fn format_specifier(request: &SpecifierRequest) -> Result<String> {
    let (kind, base) = url::split_kind(&request.kind);
    let cannot = |why: &str| fail(FailureKind::InvalidArgument, format!("`{}` {why}", request.specifier));
    let old = url::parse(&request.specifier).map_err(|_| cannot("is not a path in the workspace"))?;
    let start = url::base_directory(&request.from, base).ok_or_else(|| cannot("is relative to another site"))?;
    let decoded = paths::percent_decoded(old.path).ok_or_else(|| cannot("is not percent-encoded UTF-8"))?;
    let is_module = MODULE_KINDS.contains(&kind);
    let to = match is_module {
        // The specifier of a folder keeps its trailing slash.
        true if decoded.ends_with('/') => format!("{}/", request.to),
        true => request.to.clone(),
        false if ends_as_folder(&decoded) && workspace::stat(&request.was) == Some(EntryKind::Directory) => {
            format!("{}/", request.to)
        }
        false => shorten_path(&request.to, &request.was, &decoded),
    };
    let absolute = decoded.starts_with('/');
    let path = if absolute || start.absolute {
        let root = relative_to_root(request, &decoded, &start.directory, absolute).ok_or_else(|| {
            let message =
                format!("cannot find the site root of `{}` that `{}` is relative to", request.from, request.specifier);
            fail(FailureKind::Unsupported, message).hint("change the link by hand")
        })?;
        let rooted = to.strip_prefix(&root).ok_or_else(|| {
            let message =
                format!("`{to}` is outside `{root}`, the site root that `{}` is relative to", request.specifier);
            fail(FailureKind::Unsupported, message).hint("change the link by hand")
        })?;
        if absolute { format!("/{rooted}") } else { relative_path(&start.directory, rooted, &decoded) }
    } else {
        relative_path(&start.directory, &to, &decoded)
    };
    if is_module || matches!(kind, "url" | "css-import" | "worker" | "new-url") {
        // Without leading dots, the path of a module would be read as the name of a package.
        let dots = if is_module && !path.starts_with(['/', '.']) { "./" } else { "" };
        return Ok(format!("{dots}{}", url::encode_in_code(&path, old.path.contains('%'))));
    }
    Ok(encode_specifier(&path, &old, is_xml(&request.from)))
}

/// Returns whether the form of a path shows that it is a folder: it ends with `/`, or its last part is `.` or `..`.
fn ends_as_folder(path: &str) -> bool {
    matches!(path.rsplit('/').next(), None | Some("" | "." | ".."))
}

/// Shortens the new path in the same way as the old one. The old path can omit the index file of a folder, or the
/// extension of a page.
fn shorten_path(to: &str, was: &str, old: &str) -> String {
    let name_of = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let (to_name, was_name, old_name) = (name_of(to), name_of(was), name_of(old));
    if was_name == old_name {
        return to.to_owned();
    }
    let is_index = |name: &str| INDEXES.contains(&name);
    if is_index(&was_name) && is_index(&to_name) {
        let folder = paths::folder(to);
        // Keep the trailing slash of the old path.
        return if ends_as_folder(old) { format!("{folder}/") } else { folder.to_owned() };
    }
    match to.strip_suffix(".html") {
        Some(page) if was_name.strip_suffix(".html") == Some(old_name.as_str()) => page.to_owned(),
        _ => to.to_owned(),
    }
}

fn relative_path(directory: &str, to: &str, old: &str) -> String {
    let path = match to.strip_suffix('/') {
        // The target is a folder, so its relative path ends with a slash.
        Some(folder) => {
            let way = paths::relative(directory, &format!("{folder}/x"));
            way.strip_suffix('x').unwrap_or(&way).to_owned()
        }
        // The target is a file. If its extension is omitted, a folder can have the same path, but it is still a file.
        None => paths::relative_file(directory, to),
    };
    let first_part = path.split('/').next().unwrap_or_default();
    let dotted = !path.starts_with("..") && (old.starts_with("./") || path.is_empty() || first_part.contains(':'));
    if dotted { format!("./{path}") } else { path }
}

/// Returns the root of the site, with a trailing slash; empty if it is the workspace. It is the first candidate from
/// which the old path resolves to the old target.
fn relative_to_root(request: &SpecifierRequest, old: &str, start: &str, absolute: bool) -> Option<String> {
    let rooted = if absolute { paths::join("", old)? } else { paths::join(start, old)? };
    let all = site_roots(&request.from);
    let finds_file = |root: &&String| {
        paths::join(root, &rooted).is_some_and(|path| {
            path == request.was
                || format!("{path}.html") == request.was
                || INDEXES.iter().any(|index| paths::join(&path, index).as_deref() == Some(request.was.as_str()))
        })
    };
    let root = all.iter().find(finds_file)?;
    Some(if root.is_empty() { String::new() } else { format!("{root}/") })
}

/// Encodes the path for its context and appends the old suffix.
fn encode_specifier(path: &str, old: &Url<'_>, xml: bool) -> String {
    let mut written = format!("{}{}", url::encode_path(path, old.path.contains('%')), old.suffix);
    if xml || decode::attribute(&written) != written {
        written = written.replace('&', "&amp;");
    }
    written.replace('"', "&quot;").replace('\'', "&#39;").replace('<', "&lt;")
}

fn is_xml(from: &str) -> bool {
    let extension = from.rsplit('.').next().unwrap_or_default();
    extension.eq_ignore_ascii_case("xhtml") || extension.eq_ignore_ascii_case("xht")
}
