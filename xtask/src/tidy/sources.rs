//! Rules about source files: what each begins with, how long it is, what it must not name.

use std::fs;

use anyhow::Result;

use super::Tree;
use crate::shell::{EDITORS, LANGUAGES};

/// Lines of a source file; tests in their own files are not counted.
const MOST_LINES: usize = 500;

/// Names of packs that are also words of the host: what its own files and protocols are written in, and plain English.
const HOST_WORDS: [&str; 8] = ["text", "json", "css", "xml", "toml", "properties", "markdown", "web"];
/// What gives the page to browsers: no format of a plugin is meant there.
const PAGE: [&str; 2] = ["host/app/src/doorway.rs", "host/wire/src/ui/files.rs"];

/// Where the file system is touched on purpose.
const TOUCHES_FILES: [&str; 8] = [
    "host/files/",
    "host/runtime/",
    "host/app/",
    "host/testkit/",
    "host/graph/src/store.rs",
    "host/editors/src/address.rs",
    // What the system tells of processes.
    "host/servers/src/process.rs",
    // Plugins that lie in folders.
    "host/sources/src/folder.rs",
];

/// How paths of somebody's machine begin. This file has to name them.
const MACHINES: [&str; 4] = ["/work/", "/home/", "/Users/", "/root/."];

/// What a note to oneself begins with; what is left to do is an issue.
const NOTES: [&str; 4] = ["TODO", "FIXME", "XXX", "HACK"];

/// Every Rust file.
pub(super) fn rust(tree: &Tree, breaches: &mut Vec<String>) -> Result<()> {
    let packs = [tree.crates(LANGUAGES)?, tree.crates(EDITORS)?].concat();
    for name in tree.files(".rs")? {
        let text = fs::read_to_string(tree.top.join(&name))?;
        if !text.starts_with("//!") {
            breaches.push(format!("{name}: the first line does not say what it is (`//!`)"));
        }
        let tests = name.contains("/tests/") || name.ends_with("tests.rs") || name.contains("/examples/");
        let lines = text.lines().count();
        if !tests && lines > MOST_LINES {
            breaches.push(format!("{name}: {lines} lines; at most {MOST_LINES}"));
        }
        for note in NOTES {
            let word = |line: &str| line.split(|c: char| !c.is_alphanumeric()).any(|word| word == note);
            if let Some(line) = text.lines().position(|line| line.trim_start().starts_with("//") && word(line)) {
                breaches.push(format!("{name}:{}: `{note}`: what is left to do is an issue", line + 1));
            }
        }
        // What tests of the host share knows the packs: that is what it is for.
        if name.starts_with("host/") && !tests && !name.starts_with("host/testkit/") && !PAGE.contains(&name.as_str()) {
            host(&name, &text, &packs, breaches);
        }
    }
    Ok(())
}

/// No source of the host names a format, and few crates touch the file system.
fn host(name: &str, text: &str, packs: &[String], breaches: &mut Vec<String>) {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    for pack in packs.iter().filter(|pack| !HOST_WORDS.contains(&pack.as_str())) {
        if code.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| word == pack) {
            breaches.push(format!("{name}: names the format `{pack}`; the host knows none"));
        }
    }
    if code.contains("std::fs") && !TOUCHES_FILES.iter().any(|prefix| name.starts_with(prefix)) {
        breaches.push(format!("{name}: touches the file system; `files` does that"));
    }
}

/// No file names a place on somebody's machine.
pub(super) fn machines(tree: &Tree, breaches: &mut Vec<String>) -> Result<()> {
    for name in tree.files("")? {
        // What is no text names nothing.
        let Ok(text) = fs::read_to_string(tree.top.join(&name)) else { continue };
        if name.starts_with("xtask/src/tidy/") {
            continue;
        }
        for (index, line) in text.lines().enumerate() {
            // `/w/root/.x` is a path in a test; a path of a machine stands at the start of a word.
            let at_start = |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '.' || c == '/');
            let machine = MACHINES.iter().find(|path| line.match_indices(**path).any(|(at, _)| at_start(at)));
            if let Some(path) = machine {
                breaches.push(format!("{name}:{}: a path of somebody's machine (`{path}`)", index + 1));
            }
        }
    }
    Ok(())
}
