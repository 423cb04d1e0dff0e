//! Rules for documents: they mention every crate and plugin, and the commands in them exist.

use std::fs;

use anyhow::Result;
use clap::CommandFactory;

use super::Tree;
use crate::shell::{EDITORS, LANGUAGES};

/// Pages whose commands `host/app/tests/docs.rs` runs.
const TESTED_PAGES: [&str; 7] = [
    "docs/formats/",
    "docs/check.md",
    "docs/project.md",
    "docs/many.md",
    "docs/queries.md",
    "docs/search.md",
    "docs/start.md",
];

/// Checks that `ARCHITECTURE.md` mentions every crate.
pub(super) fn check_architecture(tree: &Tree, breaches: &mut Vec<String>) -> Result<()> {
    let text = tree.read("ARCHITECTURE.md");
    for folder in ["host", LANGUAGES, EDITORS, "sdk"] {
        for name in tree.crates(folder)? {
            if !text.contains(&format!("{folder}/{name}")) {
                breaches.push(format!("ARCHITECTURE.md does not mention {folder}/{name}"));
            }
        }
    }
    Ok(())
}

/// The page about editors.
const EDITORS_PAGE: &str = "docs/editors.md";

/// Checks that every pack and every integration of an editor is in the default registry and has documentation.
pub(super) fn check_packs(tree: &Tree, breaches: &mut Vec<String>) -> Result<()> {
    let registry = tree.read("registry.toml");
    for name in tree.crates(EDITORS)? {
        if !registry.contains(&format!("\n[editors.{name}]\n")) {
            breaches.push(format!("{EDITORS}/{name}: not in registry.toml"));
        }
        if !tree.read(EDITORS_PAGE).contains(&format!("marq plugin show {name}")) {
            breaches.push(format!("{EDITORS}/{name}: {EDITORS_PAGE} does not mention `marq plugin show`"));
        }
    }
    for name in tree.crates(LANGUAGES)? {
        if !registry.contains(&format!("\n[plugins.{name}]\n")) {
            breaches.push(format!("{LANGUAGES}/{name}: not in registry.toml"));
        }
        let page = format!("docs/formats/{name}.md");
        if !tree.read(&page).contains(&format!("$ marq plugin show {name}\n")) {
            breaches.push(format!("{LANGUAGES}/{name}: {page} does not show its help"));
        }
    }
    Ok(())
}

/// Checks that shell sessions in pages are run by a test.
pub(super) fn check_sessions(tree: &Tree, breaches: &mut Vec<String>) -> Result<()> {
    for name in tree.files(".md")?.into_iter().filter(|name| name.starts_with("docs/")) {
        let is_run = TESTED_PAGES.iter().any(|run| name.starts_with(run));
        if !is_run && tree.read(&name).contains("```console") {
            breaches.push(format!("{name}: shows a session that no test runs (host/app/tests/docs.rs)"));
        }
    }
    Ok(())
}

/// Checks that every `make …` and `cargo xtask …` in a page exists.
pub(super) fn check_commands(tree: &Tree, breaches: &mut Vec<String>) -> Result<()> {
    let makefile = tree.read("Makefile");
    let xtask = crate::Flags::command();
    for name in tree.files(".md")? {
        let text = fs::read_to_string(tree.top.join(&name))?;
        for word in words_after(&text, "cargo xtask ") {
            if xtask.find_subcommand(word).is_none() {
                breaches.push(format!("{name}: there is no `cargo xtask {word}`"));
            }
        }
        // `make` is also an English word, so only code is checked.
        let code = text.split('`').skip(1).step_by(2).chain(text.lines());
        let commands = code.filter(|code| code.trim_start().starts_with("make "));
        for word in commands.flat_map(|code| words_after(code, "make ").next()) {
            if !makefile.lines().any(|line| line.starts_with(&format!("{word}:"))) {
                breaches.push(format!("{name}: there is no `make {word}`"));
            }
        }
    }
    Ok(())
}

/// Commands that install a Python package and are followed by its name.
const PYTHON_INSTALLERS: [&str; 4] = ["uvx ", "pipx run ", "pip install ", "uv tool install "];

/// Checks that no Python package of ours is called `marquetry`, and that no file names a command that installs it: this
/// name belongs to another project there.
pub(super) fn check_python_name(tree: &Tree, breaches: &mut Vec<String>) -> Result<()> {
    for name in tree.files("")? {
        let Ok(text) = fs::read_to_string(tree.top.join(&name)) else { continue };
        let is_foreign = |installer: &&&str| package_after(&text, installer);
        for installer in PYTHON_INSTALLERS.iter().filter(is_foreign) {
            breaches.push(format!("{name}: `{installer}marquetry` installs another project; ours is `marquetry-cli`"));
        }
        if name.ends_with("pyproject.toml") && text.lines().any(|line| line == "name = \"marquetry\"") {
            breaches.push(format!("{name}: the Python package `marquetry` belongs to another project"));
        }
    }
    Ok(())
}

/// Returns whether a command installs exactly `marquetry`.
fn package_after(text: &str, installer: &str) -> bool {
    let is_other = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    text.split(installer).skip(1).filter_map(|rest| rest.strip_prefix("marquetry")).any(|rest| !is_other(rest))
}

/// Returns the names that follow each occurrence of a text.
fn words_after<'t>(text: &'t str, before: &'t str) -> impl Iterator<Item = &'t str> {
    let word = |(at, _): (usize, &str)| {
        let rest = &text[at + before.len()..];
        rest.split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && c != '-').next().unwrap_or_default()
    };
    text.match_indices(before).map(word).filter(|word| !word.is_empty())
}
