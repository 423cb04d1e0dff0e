//! Formats a link after a file has moved, in the style of the old link.

use marquetry_sdk::{
    FailureKind, Request, Result, SpecifierRequest, fail,
    paths::{file_name, folder, join, relative_file},
    urls,
    workspace::{self, EntryKind},
};

use super::{
    path::{encode, is_computed, split_extension},
    resolve::{self, ResolutionMode, base_folders, is_bare_name, load_paths, resolution_mode},
};

pub(super) fn format_specifier(request: &SpecifierRequest) -> Result<String> {
    let specifier = request.specifier.as_str();
    if urls::is_remote(specifier) || is_computed(specifier) || specifier.starts_with('~') {
        return Err(fail(FailureKind::InvalidArgument, format!("`{specifier}` is not a path in the workspace")));
    }
    let manner = resolution_mode(&request.from, &request.kind);
    let plain = matches!(manner, ResolutionMode::Sass | ResolutionMode::Less);
    let (old, suffix) = match plain {
        true => (specifier.to_owned(), ""),
        false => {
            let (path, suffix) = urls::split(specifier);
            (urls::decode(path).into_owned(), suffix)
        }
    };
    let to = shorten_path(&request.to, &request.was, &old, manner);
    let path = match old_base(request, &old, manner) {
        Some(base) => relative_to_base(&base, &to, old.starts_with('/')),
        None => None,
    };
    let path = path.unwrap_or_else(|| relative_path(&request.from, &to, &old, &request.kind));
    let path = if plain || request.kind != "url" { escape_quotes(&path) } else { encode(&path, specifier) };
    Ok(path + suffix)
}

/// Formats a link of a Sass or Less file relative to the file, without any load path.
pub(super) fn format_relative(request: &SpecifierRequest) -> String {
    let manner = resolution_mode(&request.from, &request.kind);
    let to = shorten_path(&request.to, &request.was, &request.specifier, manner);
    escape_quotes(&relative_path(&request.from, &to, &request.specifier, &request.kind))
}

/// Shortens the new path in the same way as the old link, which can omit the extension, the underscore of a partial, or
/// the name of an index file.
fn shorten_path(to: &str, was: &str, old: &str, manner: ResolutionMode) -> String {
    let (folder, name) = (folder(to), file_name(to));
    let (old_name, was_name) = (file_name(old), file_name(was));
    let (stem, extension) = split_extension(name);
    let in_folder = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    if old_name == was_name {
        return to.to_owned();
    }
    let hidden: &[&str] = match manner {
        ResolutionMode::Sass => &["scss", "sass", "css"],
        ResolutionMode::Less => &["less"],
        ResolutionMode::LessPlugin => &["js"],
        ResolutionMode::Package => &["css"],
        ResolutionMode::File => &[],
    };
    let hides_extension = !hidden.contains(&split_extension(old_name).1) && hidden.contains(&extension);
    if manner != ResolutionMode::Sass {
        return if hides_extension { in_folder(stem) } else { to.to_owned() };
    }
    let own = |name: &str| split_extension(name).0.trim_end_matches(".import").trim_start_matches('_').to_owned();
    let is_index = own(name) == "index";
    if is_index && own(was_name) == "index" && own(old_name) != "index" && hides_extension && !folder.is_empty() {
        return folder.to_owned();
    }
    let stem = if hides_extension { stem.trim_end_matches(".import") } else { name };
    in_folder(if old_name.starts_with('_') { stem } else { stem.strip_prefix('_').unwrap_or(stem) })
}

/// Returns the folder to which the old path is relative. `None` if it is relative to the folder of the file.
fn old_base(request: &SpecifierRequest, old: &str, manner: ResolutionMode) -> Option<String> {
    let finds_file = |base: &String| {
        let whole = join(base, old);
        whole.is_some_and(|whole| {
            let asked = Request { kind: request.kind.clone(), specifier: whole.clone() };
            // The path that starts at the root of the workspace must resolve to the old target.
            let found = resolve::resolve_link(&format!("x.{}", split_extension(file_name(&request.from)).1), &asked);
            whole == request.was
                || matches!(found, marquetry_sdk::Destination::Inside(inside) if inside.path == request.was)
        })
    };
    if old.starts_with('/') {
        return base_folders(&request.from, old, manner).into_iter().find(finds_file);
    }
    // The workspace is still in the state before the change. If the file does not exist in it, the file itself is being
    // moved. Then a path without leading dots is made relative to the file, which is always correct.
    let stays = workspace::stat(&request.from) == Some(EntryKind::File);
    if !stays || !is_bare_name(old) || !matches!(manner, ResolutionMode::Sass | ResolutionMode::Less) {
        return None;
    }
    let own = folder(&request.from).to_owned();
    if finds_file(&own) { None } else { load_paths(&request.from).into_iter().find(finds_file) }
}

/// Returns the path relative to the folder `base`. `None` if it is not in this folder.
fn relative_to_base(base: &str, to: &str, absolute: bool) -> Option<String> {
    let rest = if base.is_empty() { to } else { to.strip_prefix(base)?.strip_prefix('/')? };
    Some(if absolute { format!("/{rest}") } else { rest.to_owned() })
}

/// Returns the path relative to the file. It starts with `./` if the old path started with a dot, or if it would be
/// read as the name of a package otherwise.
fn relative_path(from: &str, to: &str, old: &str, kind: &str) -> String {
    let path = relative_file(folder(from), to);
    let dotted = old.starts_with('.') || matches!(kind, "composes" | "value" | "reference");
    if dotted && !path.starts_with("..") { format!("./{path}") } else { path }
}

/// Escapes a path so that it can be put in single or double quotes.
fn escape_quotes(path: &str) -> String {
    path.replace('\\', "\\\\").replace('"', "\\\"").replace('\'', "\\'")
}
