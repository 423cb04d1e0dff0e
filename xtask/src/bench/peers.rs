//! The programs others use for the same: which, how they are called, and where they are found.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::process::{cost, median};
use crate::shell::{self, step, top};

const ROUNDS: usize = 5;
/// Milliseconds.
const SLOW: f64 = 2_000.0;

/// Peers that are crates, with the version that is compared.
const CRATES: &[(&str, &str)] =
    &[("jaq", "3.1.2"), ("htmlq", "0.4.0"), ("mdq", "0.10.0"), ("taplo-cli", "0.10.0"), ("toml-cli", "0.2.3")];

/// Peers that npm has as programs, at the version that is compared: package, version, and where in the package of this platform
/// (its name goes on behind the prefix) the program is.
const PACKAGES: &[(&str, &str, &str, &str)] = &[
    ("@ast-grep/cli", "0.51.1", "@ast-grep/cli-", "ast-grep"),
    ("@vscode/ripgrep", "1.18.0", "@vscode/ripgrep-", "bin/rg"),
];
/// Where they are, below the top.
const NPM: &str = "target/peers/npm";

/// A peer's command for a file name ending: `{}` is the file. What it prints is the whole answer.
pub(crate) struct Peer {
    /// The inputs it is compared on.
    pub(crate) end: &'static str,
    pub(crate) program: &'static str,
    pub(crate) read: &'static [&'static str],
    /// None where it cannot change anything.
    pub(crate) set: Option<&'static [&'static str]>,
}

/// All of them. Those that set print the whole document anew; none but `toml` keeps comments and layout.
pub(crate) const PEERS: &[Peer] = &[
    Peer { end: ".json", program: "jaq", read: &[".last", "{}"], set: Some(&[".last = \"new\"", "{}"]) },
    Peer { end: ".json", program: "jq", read: &[".last", "{}"], set: Some(&[".last = \"new\"", "{}"]) },
    Peer { end: ".yaml", program: "yq", read: &[".last", "{}"], set: Some(&["-y", ".last = \"new\"", "{}"]) },
    // What it changes, it formats anew; it has no command to set a value.
    Peer { end: ".toml", program: "taplo", read: &["get", "-f", "{}", "last.value"], set: None },
    // The command line of `toml_edit`, which keeps comments.
    Peer {
        end: ".toml",
        program: "toml",
        read: &["get", "{}", "last.value"],
        set: Some(&["set", "{}", "last.value", "new"]),
    },
    Peer { end: ".xml", program: "xmllint", read: &["--huge", "--xpath", "/items/last", "{}"], set: None },
    Peer {
        end: ".xml",
        program: "xmlstarlet",
        read: &["sel", "-t", "-v", "/items/last", "{}"],
        set: Some(&["ed", "-u", "/items/last", "-v", "new", "{}"]),
    },
    Peer { end: ".md", program: "mdq", read: &["# The Last", "{}"], set: None },
    Peer { end: ".html", program: "htmlq", read: &["-f", "{}", "#last"], set: None },
];

/// Build those peers that are crates and install those that npm has, below `target/peers`.
pub(crate) fn install() -> Result<()> {
    for (name, version) in CRATES {
        step(&format!("{name} {version}"));
        shell::run("cargo", &["install", "--quiet", "--root", "target/peers", "--version", version, "--locked", name])?;
    }
    let named: Vec<String> = PACKAGES.iter().map(|(name, version, ..)| format!("{name}@{version}")).collect();
    step(&named.join(", "));
    let mut install =
        vec!["install", "--prefix", NPM, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    install.extend(named.iter().map(String::as_str));
    shell::run("npm", &install)?;
    println!("    jq, yq, xmllint and xmlstarlet come with the system's packages");
    Ok(())
}

/// Print what each peer needs for an input.
pub(crate) fn compare(folder: &Path, file: &str) {
    for peer in PEERS.iter().filter(|peer| file.ends_with(peer.end)) {
        let Some(program) = find(peer.program) else {
            println!("{file:<14}{:<12}not installed", peer.program);
            continue;
        };
        print_cost(folder, file, peer.program, "read", &program, peer.read);
        if let Some(set) = peer.set {
            print_cost(folder, file, peer.program, "set", &program, set);
        }
    }
}

fn print_cost(folder: &Path, file: &str, name: &str, what: &str, program: &Path, arguments: &[&str]) {
    let arguments: Vec<&str> =
        arguments.iter().map(|argument| if *argument == "{}" { file } else { argument }).collect();
    // One that needs seconds is not asked again and again.
    let rounds = match cost(program, &arguments, folder) {
        Ok(first) if first.time > SLOW => 1,
        _ => ROUNDS,
    };
    match median(rounds, || cost(program, &arguments, folder)) {
        Ok(cost) => println!("{file:<14}{name:<12}{what:<6}{:>9.1} ms{:>8.0} MiB", cost.time, cost.memory),
        Err(error) => println!("{file:<14}{name:<12}{what:<6}{error}"),
    }
}

/// Where a program is, if it is installed: of our own, or on the path.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let own = top().join("target/peers/bin");
    let paths = std::env::var_os("PATH").unwrap_or_default();
    if let Some(found) = of_npm(program) {
        return Some(found);
    }
    std::iter::once(own).chain(std::env::split_paths(&paths)).map(|path| path.join(program)).find(|path| path.is_file())
}

/// A program of a package of npm, of the one for this platform that was installed.
fn of_npm(program: &str) -> Option<PathBuf> {
    let (.., prefix, inside) = PACKAGES.iter().find(|(.., inside)| inside.rsplit('/').next() == Some(program))?;
    let (scope, start) = prefix.split_once('/')?;
    let folders = std::fs::read_dir(top().join(NPM).join("node_modules").join(scope)).ok()?;
    let of_platform =
        |folder: &PathBuf| folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start));
    folders
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(of_platform)
        .map(|folder| folder.join(inside))
        .find(|path| path.is_file())
}
