//! Developer commands for building, testing, measuring and checking.

mod bundle;
mod check;
mod cross_check;
mod demo;
mod dist;
mod e2e;
mod grammars;
mod install;
mod kit;
mod lanes;
mod measure;
mod mutants;
mod new_pack;
mod oracle;
mod plugins;
mod prove;
mod registry;
mod shell;
mod test;
mod tidy;
mod tools;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand, builder::PossibleValuesParser};

#[derive(Parser)]
#[command(name = "xtask", about = "Developer commands of Marquetry")]
struct Flags {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the language packs as components
    Plugins {
        /// Only these packs
        only: Vec<String>,
    },
    /// Create a new language pack that builds and passes the checks, with its page and its entries
    NewPack {
        /// Lower-case letters, digits and dashes, such as `toml`
        name: String,
    },
    /// Compile the grammars of tree-sitter for the sandbox, into sdk/grammar/archives; needs Python
    Grammars,
    /// Write the types and methods of the typed clients in sdk/clients, from the catalog of tools
    Clients,
    /// Run all tests: of the packs natively, of the components, and of the program
    Test,
    /// Check format, lints, project rules and dependencies
    Check,
    /// Check the project rules only
    Tidy,
    /// Check that the code compiles for Windows and macOS
    Systems {
        /// Check the whole program, which takes minutes per system
        #[arg(long)]
        all: bool,
    },
    /// Show the main features on the sample workspace
    Demo,
    /// Run proofs, which produce every figure and every long check; all, or the named ones
    Prove(prove::Prove),
    /// Install the tools that checks and proofs use, below target/tools
    Tools {
        /// Only these tools
        #[arg(value_parser = PossibleValuesParser::new(tools::names()))]
        only: Vec<String>,
    },
    /// Change functions of a crate one at a time, and list the changes that its tests do not notice
    Mutants(mutants::Mutants),
    /// Run a command and print its milliseconds and MiB
    #[command(hide = true)]
    Cost {
        /// The program and its arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<std::ffi::OsString>,
    },
    /// Install marq with its packs below a folder
    Install {
        /// The folder [default: PREFIX, or else ~/.local]
        prefix: Option<String>,
    },
    /// Build the program for all targets, and make its packages; `--try` installs and uses them
    Dist(dist::Dist),
    /// Run the end-to-end tests: all parts, or the named one; needs Node and Python
    E2e {
        /// A part (clients, typed, kit, servers, editors, vscode, obsidian, registry, oracle, page, load, peers) and its arguments; or
        /// arguments of peers: --only PACKAGE, --case TEXT, --answers to skip type checks
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    let result = run(Flags::parse().command);
    shell::end_step();
    // Prints the error without a backtrace, even if RUST_BACKTRACE is set. The output of the failed command, which is
    // printed above it, gives the reason.
    result.map_or_else(
        |error| {
            eprintln!("error: {}", error.chain().map(ToString::to_string).collect::<Vec<_>>().join(": "));
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Plugins { only } => {
            shell::begin_step("the language packs, as components");
            plugins::build(&only)
        }
        Command::NewPack { name } => new_pack::run(&name),
        Command::Grammars => grammars::run(false),
        Command::Clients => shell::run("cargo", &["run", "--quiet", "--package", "client-types"]),
        Command::Test => test::run(),
        Command::Check => check::run(),
        Command::Tidy => tidy::run(),
        Command::Systems { all } => cross_check::check(all),
        Command::Demo => demo::run(),
        Command::Prove(prove) => prove::run(prove),
        Command::Tools { only } => tools::install(&only),
        Command::Mutants(arguments) => mutants::run(&arguments),
        Command::Cost { command } => measure::process::print_cost(&command),
        Command::Install { prefix } => install::run(prefix),
        Command::Dist(flags) => dist::run(&flags),
        Command::E2e { arguments } => e2e::run(&arguments),
    }
}
