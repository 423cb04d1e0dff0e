//! Parts of paths, and relative paths.

use std::borrow::Cow;

pub(crate) fn last_segment(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The part of a file name before its first dot. If the name starts with a dot, the whole name.
pub(crate) fn stem(name: &str) -> &str {
    match name.find('.') {
        None | Some(0) => name,
        Some(at) => &name[..at],
    }
}

pub(crate) fn without_extensions(path: &str) -> &str {
    &path[..path.len() - last_segment(path).len() + stem(last_segment(path)).len()]
}

/// File names, without extensions, of files to which the path of their folder may refer.
const INDEX_STEMS: [&str; 3] = ["index", "mod", "__init__"];

/// Shorter paths that may refer to the same file: the path without extensions, the same path without a leading `_` in
/// the file name, and the path of the folder for an index file.
pub(crate) fn shortened_paths(path: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let short = without_extensions(path);
    let name = last_segment(short);
    let is_index = INDEX_STEMS.contains(&name);
    let plain = name.strip_prefix('_').filter(|plain| !is_index && !plain.is_empty());
    let plain = plain.map(|plain| Cow::Owned(format!("{}{plain}", &short[..short.len() - name.len()])));
    let of_folder = Some(folder(path)).filter(|folder| is_index && !folder.is_empty()).map(Cow::Borrowed);
    [Cow::Borrowed(short)].into_iter().chain(plain).chain(of_folder)
}

/// The last segments of the shorter paths of a file. Every path that refers to the file contains at least one of them.
pub(crate) fn searched_names(path: &str) -> impl Iterator<Item = String> {
    shortened_paths(path).map(|short| last_segment(&short).to_owned())
}

/// Resolves a relative path in a folder; `None` if the result is outside of the root, or if the path is not relative.
pub(crate) fn resolve_relative(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    if path.starts_with('/') {
        return None;
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_are_joined() {
        for (folder, path, expected) in [
            ("a/b", "../c", Some("a/c")),
            ("a", "./x/", Some("a/x")),
            ("", "../x", None),
            ("a", "/x", None),
            ("", "a//b", Some("a/b")),
        ] {
            assert_eq!(resolve_relative(folder, path).as_deref(), expected, "{folder} {path}");
        }
        for (path, expected) in [
            ("src/a.d.ts", &["src/a"] as &[_]),
            ("css/_vars.scss", &["css/_vars", "css/vars"]),
            ("src/foo/index.ts", &["src/foo/index", "src/foo"]),
            ("app/__init__.py", &["app/__init__", "app"]),
            ("index.ts", &["index"]),
            ("_", &["_"]),
        ] {
            assert_eq!(shortened_paths(path).collect::<Vec<_>>(), expected, "{path}");
        }
        assert_eq!(searched_names("src/foo/index.ts").collect::<Vec<_>>(), ["index", "foo"]);
        assert_eq!((without_extensions("a.b/c.d.ts"), without_extensions("a/.env")), ("a.b/c", "a/.env"));
    }
}
