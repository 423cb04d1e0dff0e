//! Creates a new language pack that builds and passes the checks, with its entries in the lists of packs.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail, ensure};
use marquetry_scaffold::{RUST, fill_template, is_name, pascal};

use crate::shell::{self, LANGUAGES, top};

const MANIFEST: &str = include_str!("../template/Cargo.toml");
const PAGE: &str = include_str!("../template/page.md");

/// Creates the pack and prints the next steps.
pub(crate) fn run(name: &str) -> Result<()> {
    create(&top(), name)?;
    // The pack has to be formatted, because the length of its name affects line breaks.
    shell::run("cargo", &["fmt", "--package", &format!("marquetry-{name}")])?;
    println!(
        "made {LANGUAGES}/{name}, docs/formats/{name}.md, and entries in registry.toml, README.md and ARCHITECTURE.md"
    );
    println!("next:");
    println!("    cargo test --package marquetry-{name}             # its tests, natively: seconds");
    println!("    cargo xtask plugins {name}                        # the component");
    println!("    cargo test --package marquetry-cli --test all docs::  # the commands of its page");
    Ok(())
}

/// Writes the pack and its entries into a repository.
fn create(top: &Path, name: &str) -> Result<()> {
    ensure!(
        is_name(name),
        "`{name}` is not a valid name for a pack: lower-case letters, digits and dashes, as in `toml` or `git-config`"
    );
    let folder = top.join(LANGUAGES).join(name);
    if folder.exists() {
        bail!("{LANGUAGES}/{name} already exists");
    }
    // Prepare the entries in memory first, so that a failure leaves nothing half-written.
    let entries = [
        (
            "registry.toml",
            "\n# Every text file",
            format!("\n[plugins.{name}]\nsource = \"bundled\"\nversion = \"^0.1\"\n"),
        ),
        ("README.md", "| any other text |", format!("| {} | `.{name}` | `path`: `title` |\n", pascal(name))),
        ("ARCHITECTURE.md", "| `plugins/languages/text` |", format!("| `{LANGUAGES}/{name}` | `.{name}` files | |\n")),
    ];
    let mut changed = Vec::new();
    for (file, before, entry) in entries {
        let text = fs::read_to_string(top.join(file)).with_context(|| format!("{file} cannot be read"))?;
        let at =
            text.find(before).with_context(|| format!("{file} has no `{}` to add the pack before", before.trim()))?;
        changed.push((file, format!("{}{entry}{}", &text[..at], &text[at..])));
    }
    let mut help = String::new();
    for (file, template) in RUST.into_iter().chain([("Cargo.toml", MANIFEST)]) {
        let text = fill_template(template, name);
        write(&folder.join(file), &text)?;
        if file == "help.md" {
            help = text;
        }
    }
    write(&top.join(format!("docs/formats/{name}.md")), &fill_template(PAGE, name).replace("HELP", &help))?;
    for (file, text) in changed {
        write(&top.join(file), &text)?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
    fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Copies what a pack needs to build: the workspace manifest, the SDK and the WIT interface.
    fn tree(name: &str) -> std::path::PathBuf {
        let folder = top().join("target/tmp/new-pack").join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).expect("an old tree goes");
        }
        let manifest = fs::read_to_string(top().join("Cargo.toml")).expect("the manifest");
        let members = manifest.lines().find(|line| line.starts_with("members")).expect("the members");
        write(
            &folder.join("Cargo.toml"),
            &manifest.replace(members, "members = [\"plugins/languages/*\", \"sdk/rust\"]"),
        )
        .expect("written");
        for file in
            ["Cargo.lock", "rust-toolchain.toml", "rustfmt.toml", "registry.toml", "README.md", "ARCHITECTURE.md"]
        {
            fs::copy(top().join(file), folder.join(file)).expect(file);
        }
        for part in ["sdk/rust", "wit/language"] {
            crate::demo::copy(&top().join(part), &folder.join(part)).expect(part);
        }
        folder
    }

    /// Runs cargo with a separate target folder. Otherwise, building the copied SDK would invalidate the build of this
    /// repository.
    fn cargo(folder: &Path, arguments: &[&str]) {
        let output = Command::new("cargo")
            .args(arguments)
            .current_dir(folder)
            .env("CARGO_TARGET_DIR", top().join("target/new-pack"))
            .env_remove("RUSTFLAGS")
            .output()
            .expect("cargo starts");
        assert!(output.status.success(), "cargo {arguments:?}:\n{}", String::from_utf8_lossy(&output.stderr));
    }

    #[test]
    fn new_pack_builds_and_satisfies_the_laws() {
        let folder = tree("builds");
        create(&folder, "git-notes").expect("made");
        cargo(&folder, &["test", "--quiet", "--offline", "--lib", "--package", "marquetry-git-notes"]);
        let registry = fs::read_to_string(folder.join("registry.toml")).expect("the registry");
        assert!(registry.contains("[plugins.git-notes]\nsource = \"bundled\"\n"), "{registry}");
        let page = fs::read_to_string(folder.join("docs/formats/git-notes.md")).expect("the page");
        assert!(page.starts_with("# GitNotes\n") && page.contains("\nGitNotes (`.git-notes`): lines"), "{page}");
    }

    #[test]
    fn taken_or_invalid_name_changes_nothing() {
        let folder = tree("refuses");
        let before = fs::read_to_string(folder.join("registry.toml")).expect("the registry");
        for name in ["Toml", "a b", "", "-a", "a-", "../a"] {
            let error = create(&folder, name).expect_err(name).to_string();
            assert!(error.contains("is not a valid name for a pack"), "{error}");
        }
        create(&folder, "recipes").expect("made");
        let error = create(&folder, "recipes").expect_err("twice").to_string();
        assert_eq!(error, "plugins/languages/recipes already exists");
        let after = fs::read_to_string(folder.join("registry.toml")).expect("the registry");
        assert_eq!(after.matches("[plugins.recipes]").count(), before.matches("[plugins.recipes]").count() + 1);
    }
}
