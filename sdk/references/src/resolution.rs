//! Resolves references, and writes their new specifiers after a move.

use std::collections::HashMap;

use marquetry_sdk::{
    Destination, FailureKind, Request, Resolved, Result, SpecifierRequest, fail,
    paths::{folder, is_relative, join, relative},
    possible_paths,
    workspace::{self, EntryKind},
};

use crate::rules::{BASE_SEPARATOR, POSSIBLE};

/// Resolves the references of the file `from`.
pub fn resolve(from: &str, requests: &[Request]) -> Vec<Destination> {
    requests.iter().map(|request| destination(from, &request.kind, &request.specifier)).collect()
}

/// The new specifiers in the style of the old ones: relative as before, with `./` or without an extension if the old
/// one was.
pub fn format_specifiers(requests: &[SpecifierRequest]) -> Vec<Result<String>> {
    let bases = MovedBases::collect(requests);
    requests.iter().map(|request| format_specifier(request, &bases)).collect()
}

/// New paths of folders that are links and also bases of other links, such as `baseUrl` for `paths` in `tsconfig.json`.
/// The key is the file and the path as written. The value is the path after the change.
struct MovedBases<'r>(HashMap<(&'r str, String), &'r str>);

impl<'r> MovedBases<'r> {
    fn collect(requests: &'r [SpecifierRequest]) -> MovedBases<'r> {
        let named = |request: &'r SpecifierRequest| {
            let (_, base) = request.kind.split_once(BASE_SEPARATOR).unwrap_or_default();
            let written = normalized(&format!("{base}/{}", request.specifier))?;
            Some(((request.from.as_str(), written), request.to.as_str()))
        };
        MovedBases(requests.iter().filter_map(named).collect())
    }

    /// The base folder of a link's path after the change.
    fn base_after_moves(&self, request: &SpecifierRequest) -> Option<String> {
        let (_, start) = plain_kind_and_base(&request.from, &request.kind);
        let written = request.kind.split_once(BASE_SEPARATOR).and_then(|(_, base)| normalized(base));
        let moved = written.and_then(|written| self.0.get(&(request.from.as_str(), written)));
        moved.map(|to| (*to).to_owned()).or(start)
    }
}

/// Normalizes a path that may begin with `..`.
fn normalized(path: &str) -> Option<String> {
    join(&"0/".repeat(DEEPEST), path)
}

/// Maximum number of `..` steps in a path.
const DEEPEST: usize = 32;

/// Placeholder for the folder of the Jest configuration.
const ROOT_DIR: &str = "<rootDir>/";

/// The parts of a specifier: a placeholder for the start, the path, and the rest.
struct SpecifierParts<'a> {
    start: &'a str,
    path: &'a str,
    suffix: &'a str,
}

fn specifier_parts<'a>(kind: &str, specifier: &'a str) -> SpecifierParts<'a> {
    let start = if kind == "jest" && specifier.starts_with(ROOT_DIR) { ROOT_DIR.len() } else { 0 };
    let (start, rest) = specifier.split_at(start);
    // `$1` is text that a pattern captured.
    let wild: &[char] = if kind == "jest" { &['*', '?', '{', '[', '$', '('] } else { &['*', '?', '{', '['] };
    let end = match kind {
        "ref" | "schema" => rest.find('#').unwrap_or(rest.len()),
        // Ends at the last whole folder before a wildcard.
        _ => match rest.find(wild) {
            Some(wild) => rest[..wild].rfind('/').unwrap_or(0),
            None => rest.len(),
        },
    };
    let path = rest[..end].trim_end_matches('/');
    SpecifierParts { start, path, suffix: &rest[path.len()..] }
}

/// Splits a kind into the plain kind and the base folder, relative to the root.
fn plain_kind_and_base<'k>(from: &str, kind: &'k str) -> (&'k str, Option<String>) {
    match kind.split_once(BASE_SEPARATOR) {
        Some((kind, base)) => (kind, join(folder(from), base)),
        None => (kind, Some(folder(from).to_owned())),
    }
}

fn destination(from: &str, kind: &str, specifier: &str) -> Destination {
    let (kind, base) = plain_kind_and_base(from, kind);
    let parts = specifier_parts(kind, specifier);
    if specifier.contains("://") || specifier.starts_with('/') || specifier.contains("${") || specifier.starts_with('!')
    {
        return Destination::External;
    }
    if kind == "extends" && !is_relative(specifier) && specifier != "." && specifier != ".." {
        return Destination::External;
    }
    if parts.path.is_empty() {
        // `**/*.ts` matches files anywhere and has no folder.
        return Destination::External;
    }
    if kind == POSSIBLE {
        return possible_paths::destination(&base.unwrap_or_default(), parts.path);
    }
    let Some(path) = base.and_then(|base| join(&base, parts.path)) else {
        return if requires_existing_file(kind, specifier) {
            Destination::External
        } else {
            Destination::Unknown("the path is outside of the root".to_owned())
        };
    };
    let suffix = parts.suffix.to_owned();
    let ended = |end: &&str| format!("{path}{end}").trim_start_matches('/').to_owned();
    let there = omittable_endings(kind).iter().map(ended).find(|path| match workspace::stat(path) {
        Some(EntryKind::Directory) => kind != "extends",
        found => found.is_some(),
    });
    match there {
        Some(path) => Destination::Inside(Resolved { path, suffix }),
        None if requires_existing_file(kind, specifier) => Destination::External,
        None => Destination::Missing(path),
    }
}

/// The path endings that may be omitted for this kind.
fn omittable_endings(kind: &str) -> &'static [&'static str] {
    match kind {
        "extends" => &["", ".json", "/tsconfig.json"],
        "project" => &["", "/tsconfig.json"],
        "entry" | "jest" => &["", ".js", ".json", "/index.js"],
        "path-mapping" => &["", ".ts", ".tsx", ".d.ts", ".js", "/index.ts", "/index.js"],
        _ => &[""],
    }
}

/// Returns whether the text is only considered a path if the file exists.
fn requires_existing_file(kind: &str, specifier: &str) -> bool {
    kind == "script" || (kind == "asset" && !is_relative(specifier))
}

fn format_specifier(request: &SpecifierRequest, bases: &MovedBases<'_>) -> Result<String> {
    let (kind, _) = plain_kind_and_base(&request.from, &request.kind);
    let parts = specifier_parts(kind, &request.specifier);
    let mut to = relative(&bases.base_after_moves(request).unwrap_or_default(), &request.to);
    // Parts that the old specifier omits stay omitted: an extension, an index file.
    let old_name = parts.path.rsplit('/').next().unwrap_or(parts.path);
    let was_name = request.was.rsplit('/').next().unwrap_or(&request.was);
    if let Some(left_out) = was_name.strip_prefix(old_name).filter(|left_out| left_out.starts_with('.')) {
        match to.strip_suffix(left_out) {
            Some(shorter) => to.truncate(shorter.len()),
            None if matches!(kind, "entry" | "jest" | "path-mapping") => {}
            None => {
                return Err(fail(
                    FailureKind::Unsupported,
                    format!("`{}` omits the ending `{left_out}`, which the new name does not have", request.specifier),
                ));
            }
        }
    } else if old_name != was_name && omittable_endings(kind).iter().any(|end| end.strip_prefix('/') == Some(was_name))
    {
        // The old specifier is the folder of the file, such as `.` for `./tsconfig.json`, so the new one is too.
        match to.strip_suffix(was_name) {
            Some("") => ".".clone_into(&mut to),
            Some(folder) if folder.ends_with('/') => to.truncate(folder.len() - 1),
            _ => {}
        }
    }
    if kind == "script" && to.contains(|c: char| c.is_whitespace() || "'\"`$&|;()<>*?\\".contains(c)) {
        return Err(fail(FailureKind::Unsupported, format!("`{to}` would need quotes in a command line"))
            .hint("edit the command by hand"));
    }
    // Keep a leading `./` if it marks the text as a path.
    let says_so = matches!(kind, "extends" | "entry" | "schema" | "jest" | "volume");
    let needs_dot = parts.path.starts_with("./") || kind == "action" || (is_relative(&request.specifier) && says_so);
    if needs_dot && !to.starts_with("../") && !matches!(to.as_str(), "." | "..") {
        to.insert_str(0, "./");
    }
    Ok(format!("{}{to}{}", parts.start, parts.suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() {
        let files = ["src/old.ts", "src/lib/a.ts", "base.json", "schemas/user.json", "dist/index.js"];
        workspace::set_files(files.map(|path| (path.to_owned(), String::new())));
    }

    #[track_caller]
    fn check(kind: &str, from: &str, specifier: &str, to: &str, expected: &str) {
        workspace();
        let request = Request { kind: kind.to_owned(), specifier: specifier.to_owned() };
        let Destination::Inside(was) = resolve(from, &[request]).remove(0) else {
            panic!("`{specifier}` does not resolve to a file")
        };
        let respelling = SpecifierRequest {
            from: from.to_owned(),
            to: to.to_owned(),
            was: was.path,
            kind: kind.to_owned(),
            specifier: specifier.to_owned(),
        };
        assert_eq!(format_specifiers(&[respelling]).remove(0).expect("new specifier"), expected);
    }

    #[test]
    fn new_specifier_keeps_style() {
        check("file", "tsconfig.json", "src/old.ts", "src/new.ts", "src/new.ts");
        check("file", "tsconfig.json", "./src/old.ts", "src/new.ts", "./src/new.ts");
        check("extends", "packages/a/tsconfig.json", "../../base", "config/base.json", "../../config/base");
        check("glob", "tsconfig.json", "src/lib/**/*", "src/core", "src/core/**/*");
        check("ref", "api/openapi.json", "../schemas/user.json#/User", "api/user.json", "user.json#/User");
        check("path-mapping in ./src", "tsconfig.json", "lib/*", "src/core", "core/*");
        check("path-mapping in src", "tsconfig.json", "old", "src/new.ts", "new");
        check("entry", "package.json", "./dist/index.js", "lib/index.js", "./lib/index.js");
        check("jest", "package.json", "<rootDir>/src/old.ts", "test/new.ts", "<rootDir>/test/new.ts");
        check("jest", "package.json", "<rootDir>/src/lib/$1", "src/core", "<rootDir>/src/core/$1");
        check("jest", "src/lib/package.json", "../old.ts", "src/lib/new.ts", "./new.ts");
        check("schema", "src/data.json", "../schemas/user.json", "src/user.json", "./user.json");
        check("volume", "src/compose.yaml", "../dist/index.js", "src/x.js", "./x.js");
        check("script", "package.json", "src/old.ts", "tools/new.ts", "tools/new.ts");
        check("action in ../..", ".github/workflows/ci.yml", "./src/lib", "ci/lib", "./ci/lib");
        check("pattern in ../..", ".github/workflows/ci.yml", "src/lib/**", "src/core", "src/core/**");
        check("page in ../src", "site/mkdocs.yml", "lib/a.ts", "src/b.ts", "b.ts");
    }

    #[test]
    fn dot_is_the_folder_of_the_file() {
        for (kind, specifier, expected) in [
            ("folder", ".", "../src"),
            ("folder", "./", "../src/"),
            ("folder", "./lib", "../src/lib"),
            ("folder", "./lib/", "../src/lib/"),
            ("glob", ".", "../src"),
            ("glob", "./*", "../src/*"),
            ("glob", "./**/*.ts", "../src/**/*.ts"),
            ("project", ".", "../src"),
            ("project", "./", "../src/"),
            ("path-mapping in .", "./*", "../src/*"),
            ("path-mapping in ./", "./*", "../src/*"),
            ("file", ".", "../src"),
        ] {
            moved("src/tsconfig.json", "conf/tsconfig.json", kind, specifier, expected);
        }
        for (kind, specifier, expected) in [
            ("folder", "..", "../src"),
            ("folder", ".", "../src/lib"),
            ("folder", "../lib", "../src/lib"),
            ("glob", "../*", "../src/*"),
        ] {
            moved("src/lib/tsconfig.json", "conf/tsconfig.json", kind, specifier, expected);
        }
        // To a deeper folder and to the root.
        moved("src/compose.yaml", "a/b/compose.yaml", "folder", ".", "../../src");
        moved("src/compose.yaml", "compose.yaml", "folder", ".", "src");
        moved("tsconfig.json", "conf/tsconfig.json", "folder", ".", "..");
        moved("tsconfig.json", "a/b/tsconfig.json", "glob", "./src/**/*", "../../src/**/*");
    }

    /// Checks a reference in a file that moves while the target stays in place.
    #[track_caller]
    fn moved(before: &str, after: &str, kind: &str, specifier: &str, expected: &str) {
        workspace();
        let request = Request { kind: kind.to_owned(), specifier: specifier.to_owned() };
        let Destination::Inside(was) = resolve(before, &[request]).remove(0) else {
            panic!("`{specifier}` does not resolve to a file")
        };
        let respelling = SpecifierRequest {
            from: after.to_owned(),
            to: was.path.clone(),
            was: was.path,
            kind: kind.to_owned(),
            specifier: specifier.to_owned(),
        };
        assert_eq!(format_specifiers(&[respelling]).remove(0).expect("new specifier"), expected, "{kind} {specifier}");
    }

    #[test]
    fn new_specifier_is_relative_to_moved_base() {
        workspace();
        let request = |kind: &str, specifier: &str, was: &str, to: &str| SpecifierRequest {
            from: "c/d/tsconfig.json".to_owned(),
            to: to.to_owned(),
            was: was.to_owned(),
            kind: kind.to_owned(),
            specifier: specifier.to_owned(),
        };
        let formatted = |requests: &[SpecifierRequest]| -> Vec<String> {
            format_specifiers(requests).into_iter().map(|one| one.expect("new specifier")).collect()
        };
        // The configuration has moved but its base has not: paths relative to the base do not change.
        let base = request("folder", ".", "src", "src");
        let alias = request("path-mapping in .", "./lib/*", "src/lib", "src/lib");
        assert_eq!(formatted(&[base, alias]), ["../../src", "./lib/*"]);
        // The folder after `cd` has moved with its files.
        let folder = request("script", "app", "c/d/app", "c/d/web");
        let file = request("script in app", "x.js", "c/d/app/x.js", "c/d/web/x.js");
        assert_eq!(formatted(&[folder, file]), ["web", "x.js"]);
        let folder = request("folder in ../..", "app", "app", "web");
        let file = request("script in ../../app", "x.js", "app/x.js", "web/x.js");
        assert_eq!(formatted(&[folder, file]), ["web", "x.js"]);
    }

    #[test]
    fn folder_specifier_stays_a_folder() {
        workspace::set_files(
            ["a/tsconfig.json", "a/x.ts", "lib/index.js", "pkg/package.json"]
                .map(|path| (path.to_owned(), String::new())),
        );
        let ask = |from: &str, kind: &str, specifier: &str, was: &str, to: &str| {
            format_specifiers(&[SpecifierRequest {
                from: from.to_owned(),
                to: to.to_owned(),
                was: was.to_owned(),
                kind: kind.to_owned(),
                specifier: specifier.to_owned(),
            }])
            .remove(0)
            .expect("new specifier")
        };
        assert_eq!(ask("c/tsconfig.json", "extends", "../a", "a/tsconfig.json", "b/tsconfig.json"), "../b");
        assert_eq!(ask("b/x.json", "extends", "../a", "a/tsconfig.json", "b/tsconfig.json"), ".");
        assert_eq!(ask("package.json", "entry", "./lib", "lib/index.js", "out/index.js"), "./out");
        assert_eq!(ask("package.json", "entry", "./lib", "lib/index.js", "out/main.js"), "./out/main.js");
        assert_eq!(ask("tsconfig.json", "project", "a", "a", "b/c"), "b/c");
    }

    #[test]
    fn possible_paths_resolve_to_unknown() {
        workspace();
        let ask = |kind: &str, from: &str, specifier: &str| {
            let request = Request { kind: kind.to_owned(), specifier: specifier.to_owned() };
            resolve(from, &[request]).remove(0)
        };
        let Destination::Unknown(why) = ask("possible", "a/data.json", "src/old.ts") else { panic!("not `Unknown`") };
        assert!(why.contains("`src/old.ts`"), "{why}");
        assert!(matches!(ask("possible", "src/data.json", "./old.ts"), Destination::Unknown(_)));
        assert_eq!(ask("possible", "data.json", "src/gone.ts"), Destination::External);
        assert_eq!(ask("script", "package.json", "gone.ts"), Destination::External);
        assert_eq!(ask("asset", "package.json", "./gone.png"), Destination::Missing("gone.png".to_owned()));
    }
}
