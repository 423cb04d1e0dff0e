//! Runs all commands in the pages for pack authors, as written, in a clean folder.

mod dev;

use std::{fs, path::Path, process::Command, time::Instant};

use anyhow::{Context, Result, ensure};

use crate::{
    shell::{self, begin_step, command, top},
    test::PROGRAM,
};

/// The pages that describe how to create a pack.
const PAGES: [&str; 5] = ["rust", "grammar", "javascript", "python", "extism"];
/// Example packs for the same format: the language, the commands that test and build a copy, and the resulting
/// component.
const EXAMPLES: [(&str, &str, &str); 3] = [
    (
        "javascript",
        "cp -RL \"$MARQUETRY/examples/packs/properties-js\" pack && cp -RL \"$MARQUETRY/sdk/js\" pack/sdk && cd pack
npm pkg set dependencies.@marquetry/sdk=file:./sdk
npm install --no-audit --no-fund --no-package-lock --loglevel=error
node --test > tests.log || { cat tests.log; exit 1; }
npx marquetry-build pack.js -o pack.wasm",
        "pack.wasm",
    ),
    (
        "python",
        "cp -RL \"$MARQUETRY/examples/packs/properties-python\" pack && cp -RL \"$MARQUETRY/sdk/python\" sdk
python3 -m venv venv && venv/bin/pip install --quiet --disable-pip-version-check ./sdk && cd pack
../venv/bin/python -m unittest
../venv/bin/python -m marquetry_sdk build pack.py -o pack.wasm",
        "pack.wasm",
    ),
    (
        "extism",
        "cp -RL \"$MARQUETRY/examples/packs/properties-extism\" pack && cd pack && rm -rf node_modules build
npm install --no-audit --no-fund --no-package-lock --loglevel=error
npm run --silent build
npm test > tests.log || { cat tests.log; exit 1; }",
        "build/properties.wasm",
    ),
];
/// The expected answers of the example packs.
const SPEC: &str = "examples/packs/properties.spec.md";
const FOLDER: &str = "target/e2e/kit";

/// Argument that packages the crates of the SDK as for publishing, and builds them outside of this repository.
const CRATES: &str = "crates";
/// The published crates.
const PUBLISHED: [&str; 4] = ["marquetry-sdk", "marquetry-editor", "marquetry-jsonpath", "marquetry-references"];
/// Argument that rebuilds a pack repeatedly while a client uses it. Takes minutes; runs only if named.
const DEV: &str = "dev";

/// Runs all pages, or the named ones.
pub(crate) fn run(only: &[String]) -> Result<()> {
    if only.is_empty() || only.iter().any(|name| name == CRATES) {
        check_crates()?;
    }
    for page in PAGES.iter().filter(|page| only.is_empty() || only.iter().any(|name| name == *page)) {
        run_page(page)?;
    }
    for (language, script, component) in
        EXAMPLES.iter().filter(|(name, ..)| only.is_empty() || only.iter().any(|one| one == name))
    {
        begin_step(&format!(
            "the example pack in {language}: its tests, the laws, and the same specs as the one in Rust"
        ));
        let test_script = format!("{script}\nmarq plugin test {component} \"$MARQUETRY/{SPEC}\" --seconds 2\n");
        in_clean_folder(&format!("example-{language}"), &test_script)?;
    }
    if only.iter().any(|name| name == DEV) {
        dev::run()?;
    }
    if only.is_empty() {
        begin_step("the pack in Rust, with those specs");
        let built = top().join(crate::plugins::FOLDER).join("marquetry_properties.wasm");
        in_clean_folder(
            "example-rust",
            &format!("marq plugin test {} \"$MARQUETRY/{SPEC}\" --seconds 2\n", built.display()),
        )?;
    }
    Ok(())
}

fn check_crates() -> Result<()> {
    begin_step("the crates of the SDK, packaged, unpacked and built");
    let named: Vec<String> = PUBLISHED.iter().map(|name| format!("--package={name}")).collect();
    let mut arguments = vec!["package", "--quiet", "--allow-dirty"];
    arguments.extend(named.iter().map(String::as_str));
    shell::run("cargo", &arguments)
}

fn run_page(page: &str) -> Result<()> {
    begin_step(&format!("docs/plugins/{page}.md, as written, in a clean folder"));
    let text = fs::read_to_string(top().join(format!("docs/plugins/{page}.md"))).context("the page is there")?;
    in_clean_folder(page, &shell_script(&text))
}

/// Runs a script in a clean folder, with `marq` on the path and `$MARQUETRY` set to the repository.
fn in_clean_folder(name: &str, script: &str) -> Result<()> {
    let place = top().join(FOLDER).join(name);
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    let work = place.join("work");
    fs::create_dir_all(&work)?;
    let began = Instant::now();
    let mut shell = command("sh", &["-eu", "-c", script]);
    set_environment(&mut shell, &place);
    let status = shell.current_dir(&work).env("MARQUETRY", top()).status()?;
    ensure!(status.success(), "{name}: a command fails:\n{script}");
    let commands = script.lines().filter(|line| !line.trim().is_empty()).count();
    println!("    {name}: {commands} commands, {} s", began.elapsed().as_secs());
    Ok(())
}

/// Puts `marq` on the path of a command, and its state into this folder.
fn set_environment(command: &mut Command, place: &Path) {
    let program = top().join(PROGRAM);
    let paths = format!("{}:{}", parent_folder(&program).display(), std::env::var("PATH").unwrap_or_default());
    command.env("PATH", paths).env("MARQ_STATE_DIR", place.join("state"));
    // All runs share a target folder. So dependencies are built once, and only the pack is rebuilt.
    command.env("CARGO_TARGET_DIR", top().join(FOLDER).join("target"));
}

fn parent_folder(program: &Path) -> &Path {
    program.parent().unwrap_or(program)
}

/// Returns the shell commands of a page.
fn shell_script(page: &str) -> String {
    let mut out = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line == "```sh" {
            lines.by_ref().take_while(|line| *line != "```").for_each(|line| {
                out += line;
                out.push('\n');
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_commands_are_its_shell_blocks() {
        let page = "# A\n\n```sh\nmarq a\nmarq b\n```\n\n```rust\nfn no() {}\n```\n\n```sh\nmarq c\n```\n";
        assert_eq!(shell_script(page), "marq a\nmarq b\nmarq c\n");
    }

    #[test]
    fn documented_pages_exist() {
        for page in PAGES {
            let text = fs::read_to_string(top().join(format!("docs/plugins/{page}.md"))).expect(page);
            assert!(shell_script(&text).contains("marq plugin test "), "{page}");
        }
    }
}
