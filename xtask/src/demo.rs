//! Demo of the main features: reads and edits, with their diffs, on a copy of the sample workspace.

use std::{fs, path::Path};

use anyhow::{Result, bail};

use crate::{
    plugins,
    shell::{self, begin_step, command, top},
};

/// The steps in order: a line that is printed, and the arguments of `marq`.
const STEPS: &[(&str, &[&str])] = &[
    ("What is in this file?", &["query", "documentSymbols", "src/cart.ts"]),
    ("Show one method.", &["read", "src/cart.ts", "Cart.add"]),
    ("Show the shape of the class.", &["read", "src/cart.ts", "Cart", "--format", "summary"]),
    ("A misspelled name is answered with the names that exist.", &["read", "src/cart.ts", "Cart.ad"]),
    (
        "Add a method: indentation and blank lines are those of the neighbours.",
        &[
            "edit",
            "src/cart.ts",
            "Cart",
            "insert_into",
            "clear(): void {\n  this.lines.clear();\n}",
            "--position",
            "last",
        ],
    ),
    (
        "Change the inside of a function.",
        &["edit", "src/money.ts", "formatPrice", "replace_body", "return `${cents / 100} EUR`;"],
    ),
    (
        "An edit that would break the file is refused.",
        &["edit", "src/cart.ts", "Cart.total", "replace", "get total(: number {"],
    ),
    ("Read one value of a JSON file.", &["read", "package.json", "$.scripts.build"]),
    (
        "Add a member in alphabetical order.",
        &["edit", "package.json", "$.dependencies", "insert_into", "\"vite\": \"^8.0.0\"", "--position", "sorted"],
    ),
    ("Comments and trailing commas stay.", &["edit", "tsconfig.json", "$.compilerOptions.strict", "delete"]),
    ("Read a section by its heading.", &["read", "README.md", "Usage > Prices"]),
    (
        "Insert a section after another.",
        &["edit", "README.md", "Installation", "insert_after", "## Configuration\n\nThere is none."],
    ),
    ("Take the last change back.", &["undo"]),
];

/// The packs for the files of these steps, and the integration for the web page.
const PACKS: [&str; 4] = ["json", "markdown", "typescript", "web"];

/// Command that builds the program without features that the demo does not show: version control, language servers, and
/// plugin downloads.
const PROGRAM: [&str; 7] =
    ["build", "--quiet", "--profile", "quick", "--package", "marquetry-cli", "--no-default-features"];

pub(crate) fn run() -> Result<()> {
    begin_step("the program marq, and the language packs that are shown");
    plugins::build_quickly(&PACKS)?;
    shell::run("cargo", &PROGRAM)?;
    let work = top().join("target/demo");
    if work.exists() {
        fs::remove_dir_all(&work)?;
    }
    copy(&top().join("examples/shop"), &work.join("shop"))?;
    begin_step("the sample workspace is copied to target/demo/shop");
    println!();
    for (what, arguments) in STEPS {
        let shown: Vec<String> = arguments.iter().map(|argument| quote(argument)).collect();
        println!("# {what}\n$ marq {}", shown.join(" "));
        let status = command(&top().join("target/quick/marq").to_string_lossy(), arguments)
            .current_dir(work.join("shop"))
            .env("MARQ_PLUGINS", top().join(plugins::QUICK_FOLDER))
            .env("MARQ_STATE_DIR", work.join("state"))
            .status()?;
        if status.code().is_none_or(|code| code > 2) {
            bail!("marq failed");
        }
        println!();
    }
    println!(
        "# See it in an editor: `MARQ_PLUGINS={} target/quick/marq ui --root target/demo/shop` opens the page; docs/editors.md describes Neovim and VS Code.",
        plugins::QUICK_FOLDER
    );
    Ok(())
}

fn quote(argument: &str) -> String {
    let plain = argument.chars().all(|c| c.is_alphanumeric() || "-_./".contains(c));
    if plain { argument.to_owned() } else { format!("'{argument}'") }
}

/// Copies a folder with its contents.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        // Symbolic links are followed.
        if entry.path().is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
