//! Where references lead, and how they are spelled when that is elsewhere.

use marquetry_sdk::{
    Destination, FailureKind, Request, Resolved, Respelling, Result, fail,
    paths::{folder, is_relative, join, relative},
    possible,
    workspace::{self, EntryKind},
};

use crate::rules::{FROM_FOLDER, POSSIBLE};

/// Where the references of the file `from` lead.
pub fn resolve(from: &str, requests: &[Request]) -> Vec<Destination> {
    requests.iter().map(|request| follow(from, &request.kind, &request.specifier)).collect()
}

/// The references as they are spelled from now on: relative as before, with `./` where it was, without the extension
/// where it was missing.
pub fn spell(requests: &[Respelling]) -> Vec<Result<String>> {
    requests.iter().map(spell_one).collect()
}

/// What stands for the folder of the configuration in paths of tests.
const ROOT_DIR: &str = "<rootDir>/";

/// A specifier taken apart: what says where it starts, the path, and what follows it.
struct Parts<'a> {
    start: &'a str,
    path: &'a str,
    suffix: &'a str,
}

fn parts<'a>(kind: &str, specifier: &'a str) -> Parts<'a> {
    let start = if kind == "jest" && specifier.starts_with(ROOT_DIR) { ROOT_DIR.len() } else { 0 };
    let (start, rest) = specifier.split_at(start);
    // A part that a pattern captured: `$1`.
    let wild: &[char] = if kind == "jest" { &['*', '?', '{', '[', '$', '('] } else { &['*', '?', '{', '['] };
    let end = match kind {
        "ref" | "schema" => rest.find('#').unwrap_or(rest.len()),
        // Up to the last whole folder before a wildcard.
        _ => match rest.find(wild) {
            Some(wild) => rest[..wild].rfind('/').unwrap_or(0),
            None => rest.len(),
        },
    };
    let path = rest[..end].trim_end_matches('/');
    Parts { start, path, suffix: &rest[path.len()..] }
}

/// A kind without the folder that it starts at, and that folder, seen from the root.
fn base<'k>(from: &str, kind: &'k str) -> (&'k str, Option<String>) {
    match kind.split_once(FROM_FOLDER) {
        Some((kind, base)) => (kind, join(folder(from), base)),
        None => (kind, Some(folder(from).to_owned())),
    }
}

fn follow(from: &str, kind: &str, specifier: &str) -> Destination {
    let (kind, base) = base(from, kind);
    let parts = parts(kind, specifier);
    if specifier.contains("://") || specifier.starts_with('/') || specifier.contains("${") || specifier.starts_with('!')
    {
        return Destination::External;
    }
    if kind == "extends" && !is_relative(specifier) && specifier != "." && specifier != ".." {
        return Destination::External;
    }
    if parts.path.is_empty() {
        // `**/*.ts`: everything, wherever it is.
        return Destination::External;
    }
    if kind == POSSIBLE {
        return possible::destination(&base.unwrap_or_default(), parts.path);
    }
    let Some(path) = base.and_then(|base| join(&base, parts.path)) else {
        return if is_told_by_files(kind, specifier) {
            Destination::External
        } else {
            Destination::Unknown("it leads out of the root".to_owned())
        };
    };
    let suffix = parts.suffix.to_owned();
    let candidates: &[&str] = match kind {
        "extends" => &["", ".json", "/tsconfig.json"],
        "project" => &["", "/tsconfig.json"],
        "entry" | "jest" => &["", ".js", ".json", "/index.js"],
        "path-mapping" => &["", ".ts", ".tsx", ".d.ts", ".js", "/index.ts", "/index.js"],
        _ => &[""],
    };
    let there = candidates.iter().map(|end| format!("{path}{end}")).find(|path| match workspace::stat(path) {
        Some(EntryKind::Directory) => kind != "extends",
        found => found.is_some(),
    });
    match there {
        Some(path) => Destination::Inside(Resolved { path, suffix }),
        None if is_told_by_files(kind, specifier) => Destination::External,
        None => Destination::Missing(path),
    }
}

/// Whether only a file that is there tells that the text is a path.
fn is_told_by_files(kind: &str, specifier: &str) -> bool {
    kind == "script" || (kind == "asset" && !is_relative(specifier))
}

fn spell_one(request: &Respelling) -> Result<String> {
    let (kind, base) = base(&request.from, &request.kind);
    let parts = parts(kind, &request.specifier);
    let mut to = relative(&base.unwrap_or_default(), &request.to);
    // What the old spelling left out stays out: an extension, an index file.
    let old_name = parts.path.rsplit('/').next().unwrap_or(parts.path);
    let was_name = request.was.rsplit('/').next().unwrap_or(&request.was);
    if let Some(left_out) = was_name.strip_prefix(old_name).filter(|left_out| left_out.starts_with('.')) {
        match to.strip_suffix(left_out) {
            Some(shorter) => to.truncate(shorter.len()),
            None if matches!(kind, "entry" | "jest" | "path-mapping") => {}
            None => {
                return Err(fail(
                    FailureKind::Unsupported,
                    format!("`{}` leaves out `{left_out}`, which the new name does not end with", request.specifier),
                ));
            }
        }
    } else if !request.was.ends_with(parts.path.trim_start_matches("./").trim_start_matches("../"))
        && let Some(folder) = to.strip_suffix(&format!("/{was_name}"))
    {
        to.truncate(folder.len());
    }
    if kind == "script" && to.contains(|c: char| c.is_whitespace() || "'\"`$&|;()<>*?\\".contains(c)) {
        return Err(fail(FailureKind::Unsupported, format!("`{to}` is no single word of a command line"))
            .hint("change the command by hand"));
    }
    let needs_dot = parts.path.starts_with("./")
        || kind == "action"
        || (is_relative(&request.specifier) && matches!(kind, "extends" | "entry"));
    if needs_dot && !to.starts_with("../") {
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
            panic!("`{specifier}` leads nowhere")
        };
        let respelling = Respelling {
            from: from.to_owned(),
            to: to.to_owned(),
            was: was.path,
            kind: kind.to_owned(),
            specifier: specifier.to_owned(),
        };
        assert_eq!(spell(&[respelling]).remove(0).expect("spelled"), expected);
    }

    #[test]
    fn keeps_the_style_of_the_old_spelling() {
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
        check("script", "package.json", "src/old.ts", "tools/new.ts", "tools/new.ts");
        check("action in ../..", ".github/workflows/ci.yml", "./src/lib", "ci/lib", "./ci/lib");
        check("pattern in ../..", ".github/workflows/ci.yml", "src/lib/**", "src/core", "src/core/**");
        check("page in ../src", "site/mkdocs.yml", "lib/a.ts", "src/b.ts", "b.ts");
    }

    #[test]
    fn what_nothing_proves_is_told_and_never_spelled() {
        workspace();
        let ask = |kind: &str, from: &str, specifier: &str| {
            let request = Request { kind: kind.to_owned(), specifier: specifier.to_owned() };
            resolve(from, &[request]).remove(0)
        };
        let Destination::Unknown(why) = ask("possible", "a/data.json", "src/old.ts") else { panic!("not told") };
        assert!(why.contains("`src/old.ts`"), "{why}");
        assert!(matches!(ask("possible", "src/data.json", "./old.ts"), Destination::Unknown(_)));
        assert_eq!(ask("possible", "data.json", "src/gone.ts"), Destination::External);
        assert_eq!(ask("script", "package.json", "gone.ts"), Destination::External);
        assert_eq!(ask("asset", "package.json", "./gone.png"), Destination::Missing("gone.png".to_owned()));
    }
}
