//! Developer commands: the only door to building, testing, measuring and checking.

mod check;
mod demo;
mod e2e;
mod install;
mod kit;
mod measure;
mod new_pack;
mod oracle;
mod plugins;
mod prove;
mod registry;
mod shell;
mod systems;
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
    /// Make a new language pack: a folder that builds and keeps the laws, with its page and its entries
    NewPack {
        /// Lower-case letters, digits and dashes, such as `toml`
        name: String,
    },
    /// Run the tests: native, through wasm, of the program
    Test,
    /// Format, lints, the rules of the project, and those of dependencies
    Check,
    /// The rules of the project alone
    Tidy,
    /// Whether the code for Windows and macOS compiles
    Systems {
        /// The whole program, which takes minutes for each
        #[arg(long)]
        all: bool,
    },
    /// Show the main job on the sample workspace
    Demo,
    /// Run proofs: every figure and every long check; all, or those that are named
    Prove(prove::Prove),
    /// Install tools that checks and proofs use, below target/tools
    Tools {
        /// Only these tools
        #[arg(value_parser = PossibleValuesParser::new(tools::names()))]
        only: Vec<String>,
    },
    /// Run a command, print milliseconds and MiB
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
    /// Next to TypeScript's own servers, on sources that packages ship, and with clients of MCP; needs Node and Python
    E2e {
        /// --only PACKAGE; --case TEXT; --answers, without type checks; or clients or servers, and what their run.mjs takes
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    let result = run(Flags::parse().command);
    shell::done();
    // Without the stack, whatever RUST_BACKTRACE says: the end of a failed run is what is read of it, and the reason is
    // in what was printed before.
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
            shell::step("the language packs, as components");
            plugins::build(&only)
        }
        Command::NewPack { name } => new_pack::run(&name),
        Command::Test => test::run(),
        Command::Check => check::run(),
        Command::Tidy => tidy::run(),
        Command::Systems { all } => systems::check(all),
        Command::Demo => demo::run(),
        Command::Prove(prove) => prove::run(prove),
        Command::Tools { only } => tools::install(&only),
        Command::Cost { command } => measure::process::print_cost(&command),
        Command::Install { prefix } => install::run(prefix),
        Command::E2e { arguments } => e2e::run(&arguments),
    }
}
