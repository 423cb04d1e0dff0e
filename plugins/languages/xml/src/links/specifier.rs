//! Specifiers of links: resolves them, and formats new ones in the same style.

use marquetry_sdk::{
    Destination, FailureKind, Resolved, Result, SpecifierRequest, fail,
    paths::{folder, join, relative},
    urls, workspace,
};

use super::rules::{Style, specifier_style};

/// MSBuild property for the folder of the file that contains the property reference.
const THIS_FILE_FOLDER: &str = "$(MSBuildThisFileDirectory)";
/// MSBuild properties that also have this value in a project file, because other projects do not import it.
const PROJECT_FOLDER: [&str; 2] = ["$(MSBuildProjectDirectory)", "$(ProjectDir)"];

/// Target of a specifier in the file `from`.
pub(crate) fn resolve(from: &str, kind: &str, specifier: &str) -> Destination {
    let style = specifier_style(kind);
    let (path, suffix) = match style {
        Style::Uri | Style::CssUri => urls::split(specifier),
        _ => (specifier, ""),
    };
    if urls::is_remote(path) || path.starts_with("\\\\") {
        return Destination::External;
    }
    let path = match specifier_path(from, path, style) {
        Ok(path) => path,
        Err(why) => return Destination::Unknown(why),
    };
    if path.starts_with('/') {
        return match style {
            Style::Uri | Style::CssUri => {
                Destination::Unknown("it is relative to the root of the site or application".to_owned())
            }
            _ => Destination::External,
        };
    }
    let Some(joined) = join(folder(from), &path) else { return Destination::External };
    let suffix = suffix.to_owned();
    match workspace::stat(&joined) {
        Some(workspace::EntryKind::Directory) if style == Style::Module => {
            let pom = format!("{joined}/pom.xml").trim_start_matches('/').to_owned();
            let path = if workspace::stat(&pom).is_some() { pom } else { joined };
            Destination::Inside(Resolved { path, suffix })
        }
        Some(_) => Destination::Inside(Resolved { path: joined, suffix }),
        None => Destination::Missing(joined),
    }
}

fn is_uri(style: Style) -> bool {
    matches!(style, Style::Uri | Style::CssUri)
}

/// Path of a specifier, with `/` and without escapes.
fn specifier_path(from: &str, path: &str, style: Style) -> std::result::Result<String, String> {
    if style != Style::Build {
        let path = if is_uri(style) { urls::decode(path).into_owned() } else { path.replace('\\', "/") };
        return match path.contains(['*']) && style == Style::Path {
            true => Err("a pattern can match many files".to_owned()),
            false => Ok(path),
        };
    }
    let rest = match folder_property(from, path) {
        Some(here) => path[here.len()..].trim_start_matches(['\\', '/']),
        None => path,
    };
    if rest.contains("$(") || rest.contains("@(") || rest.contains("%(") {
        return Err("the path contains properties or items whose values are known only during the build".to_owned());
    }
    if rest.contains(['*', '?']) {
        return Err("a pattern can match many files".to_owned());
    }
    Ok(urls::decode(rest).replace('\\', "/"))
}

/// Returns the property at the start of a path, if it stands for the folder of the file.
fn folder_property<'p>(from: &str, path: &'p str) -> Option<&'p str> {
    let is_project = from.ends_with("proj");
    let known = PROJECT_FOLDER.iter().filter(|_| is_project).chain(&[THIS_FILE_FOLDER]);
    known
        .into_iter()
        .find(|known| {
            path.len() >= known.len()
                && path.is_char_boundary(known.len())
                && path[..known.len()].eq_ignore_ascii_case(known)
        })
        .map(|known| &path[..known.len()])
}

/// Formats a specifier in one file for another file, in the style of the previous specifier.
pub(super) fn format_specifier(request: &SpecifierRequest) -> Result<String> {
    let style = specifier_style(&request.kind);
    let old = request.specifier.as_str();
    let (old_path, suffix) = if is_uri(style) { urls::split(old) } else { (old, "") };
    let mut to = request.to.as_str();
    if style == Style::Module && !old_path.ends_with("pom.xml") {
        to = to.strip_suffix("/pom.xml").unwrap_or(to);
    }
    let mut path = relative(folder(&request.from), to);
    let start = match style {
        Style::Build => folder_property(&request.from, old_path),
        _ => None,
    };
    if start.is_none() && old_path.contains("$(") {
        return Err(fail(
            FailureKind::RefactorFailed,
            format!("`{old}` has a property whose value only the build knows"),
        )
        .hint("change it by hand"));
    }
    path = escape_path(&path, old_path, style);
    let rest = start.map_or(old_path, |start| &old_path[start.len()..]);
    let is_dotted = rest.starts_with("./") || rest.starts_with(".\\");
    if is_dotted && !path.starts_with("..") {
        path.insert_str(0, "./");
    }
    if old_path.ends_with(['/', '\\']) && !path.ends_with('/') {
        path.push('/');
    }
    let backward = match style {
        Style::Uri | Style::CssUri | Style::Module => false,
        Style::Build => !rest.contains('/') || rest.contains('\\'),
        Style::Path => rest.contains('\\'),
    };
    if backward {
        path = path.replace('/', "\\");
    }
    if let Some(start) = start {
        let separated = rest.starts_with(['/', '\\']);
        path = format!("{start}{}{path}", if separated { &rest[..1] } else { "" });
    }
    Ok(escape_for_xml(&format!("{path}{suffix}")))
}

/// Escapes characters of a path that are special in a specifier.
fn escape_path(path: &str, old: &str, style: Style) -> String {
    let special: &[char] = match style {
        Style::CssUri => &['%', '?', '#', ' ', '"', '\'', '(', ')', '&', '\\'],
        Style::Uri if old.contains(' ') => &['%', '?', '#'],
        Style::Uri => &['%', '?', '#', ' '],
        Style::Build => &['%', '$', '@', '\'', ';', '?', '*'],
        Style::Path | Style::Module => &[],
    };
    if special.is_empty() { path.to_owned() } else { urls::encode(path, |c| special.contains(&c)) }
}

/// Escapes a specifier for an attribute or a text.
fn escape_for_xml(specifier: &str) -> String {
    specifier.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;").replace('\'', "&apos;")
}
