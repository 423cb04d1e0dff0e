//! Rules for source files: their first line, their length, and names that they must not contain.

use std::fs;

use anyhow::Result;

use super::Tree;
use crate::shell::{EDITORS, LANGUAGES};

/// The maximum number of lines of a source file. Separate test files are excluded.
const MOST_LINES: usize = 500;

/// Names of packs that host files may contain: formats that the host itself uses, languages of packs, and common
/// English words.
const HOST_WORDS: [&str; 12] =
    ["text", "json", "css", "xml", "toml", "properties", "markdown", "web", "python", "rust", "go", "java"];
/// Files that serve the web page, or list folders of clients and names of files, where names of formats and editors do
/// not refer to packs.
const PAGE_FILES: [&str; 5] = [
    "host/app/src/flags.rs",
    "host/app/src/hook.rs",
    "host/app/src/page_address.rs",
    "host/clients/src/table/editors.rs",
    "host/wire/src/ui/files.rs",
];

/// Files that may access the file system.
const MAY_USE_FILES: [&str; 8] = [
    "host/files/",
    "host/runtime/",
    "host/app/",
    "host/testkit/",
    "host/graph/src/store.rs",
    "host/editors/src/address.rs",
    // Information about processes in `/proc`.
    "host/servers/src/process.rs",
    // Plugins in folders.
    "host/sources/src/folder.rs",
];

/// Folder of the refactorings that use the façade of the TypeScript pack, not its parser.
const REFACTORINGS: &str = "plugins/languages/typescript/src/refactor/";

/// File with the refactorings that name types of the parser all the same, one path per line. It may only get shorter.
const PARSER_USERS: &str = "xtask/parser_types.txt";

/// Words in code that names the parser's types.
const PARSER_WORDS: [&str; 2] = ["oxc_", "AstKind"];

/// Prefixes of machine-specific paths. Not checked in this file.
const MACHINE_PREFIXES: [&str; 4] = ["/work/", "/home/", "/Users/", "/root/."];

/// Prefixes of notes about unfinished work, which should be issues.
const NOTES: [&str; 4] = ["TODO", "FIXME", "XXX", "HACK"];

/// Checks every Rust file.
pub(super) fn check_rust(tree: &Tree, breaches: &mut Vec<String>) -> Result<()> {
    let packs = [tree.crates(LANGUAGES)?, tree.crates(EDITORS)?].concat();
    for name in tree.files(".rs")? {
        let text = fs::read_to_string(tree.top.join(&name))?;
        if !text.starts_with("//!") {
            breaches.push(format!("{name}: it does not start with a `//!` comment"));
        }
        let tests = name.contains("/tests/") || name.ends_with("tests.rs") || name.contains("/examples/");
        let lines = text.lines().count();
        if !tests && lines > MOST_LINES {
            breaches.push(format!("{name}: {lines} lines; at most {MOST_LINES}"));
        }
        for note in NOTES {
            let word = |line: &str| line.split(|c: char| !c.is_alphanumeric()).any(|word| word == note);
            if let Some(line) = text.lines().position(|line| line.trim_start().starts_with("//") && word(line)) {
                breaches.push(format!("{name}:{}: `{note}`: open work belongs in an issue", line + 1));
            }
        }
        // The host's test kit may refer to packs.
        if name.starts_with("host/")
            && !tests
            && !name.starts_with("host/testkit/")
            && !PAGE_FILES.contains(&name.as_str())
        {
            check_host_file(&name, &text, &packs, breaches);
        }
    }
    Ok(())
}

/// Checks that a host file does not name a format, and does not access the file system unless allowed.
fn check_host_file(name: &str, text: &str, packs: &[String], breaches: &mut Vec<String>) {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    for pack in packs.iter().filter(|pack| !HOST_WORDS.contains(&pack.as_str())) {
        if code.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| word == pack) {
            breaches.push(format!("{name}: names the format `{pack}`; the host must not know formats"));
        }
    }
    if code.contains("std::fs") && !MAY_USE_FILES.iter().any(|prefix| name.starts_with(prefix)) {
        breaches.push(format!("{name}: uses the file system; only `files` may do that"));
    }
}

/// Checks that refactorings of TypeScript name no type of the parser or the binder: they read with the façade in
/// `semantics`, and write with the one in `editor`. Files that are not migrated are listed; a file that is
/// migrated must be removed from the list.
pub(super) fn check_refactorings(tree: &Tree, breaches: &mut Vec<String>) -> Result<()> {
    let listed = tree.read(PARSER_USERS);
    let listed: Vec<&str> = listed.lines().collect();
    let names_parser = |name: &str| {
        let text = tree.read(name);
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        PARSER_WORDS.iter().any(|word| code.contains(word))
    };
    let files = tree.files(".rs")?.into_iter().filter(|name| name.starts_with(REFACTORINGS));
    for name in files.filter(|name| !name.ends_with("tests.rs") && !name.ends_with("testing.rs")) {
        if names_parser(&name) && !listed.contains(&name.as_str()) {
            breaches.push(format!("{name}: names types of the parser; use the facade in `semantics` and `editor`"));
        }
    }
    for name in listed.iter().filter(|name| !names_parser(name)) {
        breaches.push(format!("{PARSER_USERS}: `{name}` names no type of the parser; remove it from the list"));
    }
    Ok(())
}

/// Checks that no file contains a machine-specific path.
pub(super) fn check_machine_paths(tree: &Tree, breaches: &mut Vec<String>) -> Result<()> {
    for name in tree.files("")? {
        // Skip binary files.
        let Ok(text) = fs::read_to_string(tree.top.join(&name)) else { continue };
        if name.starts_with("xtask/src/tidy/") {
            continue;
        }
        for (index, line) in text.lines().enumerate() {
            // A machine-specific path is at the start of a word, unlike the end of `/w/root/.x`, which is a path in a
            // test.
            let at_start = |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '.' || c == '/');
            let machine = MACHINE_PREFIXES.iter().find(|path| line.match_indices(**path).any(|(at, _)| at_start(at)));
            if let Some(path) = machine {
                breaches.push(format!("{name}:{}: a path of a developer's machine (`{path}`)", index + 1));
            }
        }
    }
    Ok(())
}
