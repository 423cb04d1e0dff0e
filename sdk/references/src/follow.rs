//! Where references lead, and how they are spelled when that is elsewhere.

use marquetry_sdk::{
    Destination, FailureKind, Request, Resolved, Respelling, Result, fail,
    paths::{folder, join, relative},
    workspace::{self, EntryKind},
};

use crate::rules::{MAPPED, is_relative};

/// Where the references of the file `from` lead.
pub fn resolve(from: &str, requests: &[Request]) -> Vec<Destination> {
    requests.iter().map(|request| follow(from, &request.kind, &request.specifier)).collect()
}

/// The references as they are spelled from now on: relative as before, with `./` where it was, without the extension
/// where it was missing.
pub fn spell(requests: &[Respelling]) -> Vec<Result<String>> {
    requests.iter().map(spell_one).collect()
}

/// A specifier taken apart: the path, and what follows it.
struct Parts<'a> {
    path: &'a str,
    suffix: &'a str,
}

fn parts<'a>(kind: &str, specifier: &'a str) -> Parts<'a> {
    let end = match kind {
        "ref" | "schema" => specifier.find('#').unwrap_or(specifier.len()),
        // Up to the last whole folder before a wildcard.
        _ => match specifier.find(['*', '?', '{', '[']) {
            Some(wild) => specifier[..wild].rfind('/').unwrap_or(0),
            None => specifier.len(),
        },
    };
    let path = specifier[..end].trim_end_matches('/');
    Parts { path, suffix: &specifier[path.len()..] }
}

/// The folder that a specifier starts at.
fn base(from: &str, kind: &str) -> String {
    let folder = folder(from);
    match kind.strip_prefix(MAPPED) {
        Some(base) => join(folder, base).unwrap_or_default(),
        None => folder.to_owned(),
    }
}

fn follow(from: &str, kind: &str, specifier: &str) -> Destination {
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
    let Some(path) = join(&base(from, kind), parts.path) else {
        return Destination::Unknown("it leads out of the root".to_owned());
    };
    let suffix = parts.suffix.to_owned();
    let candidates: &[&str] = match kind {
        "extends" => &["", ".json", "/tsconfig.json"],
        "project" => &["", "/tsconfig.json"],
        "entry" => &["", ".js", ".json", "/index.js"],
        kind if kind.starts_with(MAPPED) => &["", ".ts", ".tsx", ".d.ts", ".js", "/index.ts", "/index.js"],
        _ => &[""],
    };
    let there = candidates.iter().map(|end| format!("{path}{end}")).find(|path| match workspace::stat(path) {
        Some(EntryKind::Directory) => kind != "extends",
        found => found.is_some(),
    });
    match there {
        Some(path) => Destination::Inside(Resolved { path, suffix }),
        None => Destination::Missing(path),
    }
}

fn spell_one(request: &Respelling) -> Result<String> {
    let parts = parts(&request.kind, &request.specifier);
    let mut to = relative(&base(&request.from, &request.kind), &request.to);
    // What the old spelling left out stays out: an extension, an index file.
    let old_name = parts.path.rsplit('/').next().unwrap_or(parts.path);
    let was_name = request.was.rsplit('/').next().unwrap_or(&request.was);
    if let Some(left_out) = was_name.strip_prefix(old_name).filter(|left_out| left_out.starts_with('.')) {
        match to.strip_suffix(left_out) {
            Some(shorter) => to.truncate(shorter.len()),
            None if request.kind == "entry" || request.kind.starts_with(MAPPED) => {}
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
    let needs_dot = request.specifier.starts_with("./")
        || (is_relative(&request.specifier) && matches!(request.kind.as_str(), "extends" | "entry"));
    if needs_dot && !to.starts_with("../") {
        to.insert_str(0, "./");
    }
    Ok(format!("{to}{}", parts.suffix))
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
    }
}
