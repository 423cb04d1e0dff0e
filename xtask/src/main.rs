//! Developer commands: the only door to building, testing, measuring and checking.

mod bench;
mod check;
mod demo;
mod e2e;
mod install;
mod kit;
mod laws;
mod new_pack;
mod oracle;
mod plugins;
mod registry;
mod shell;
mod stress;
mod suites;
mod systems;
mod test;
mod tidy;
mod torture;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

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
    /// Run the tests: native, through wasm, of the program; and the suites, where MARQ_SUITES names their folder
    Test,
    /// Format, lints, and the rules of the project
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
    /// The laws of every pack on all documents of folders
    Laws {
        /// Folders of files or of suites [default: this tree, and the suites of MARQ_SUITES]; --only EXT,EXT; --most N; --every
        /// for all addresses and not a sample; or `manifests`, for those of all crates that cargo has fetched
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Measure; everything, where no part is named
    Bench {
        #[command(subcommand)]
        part: Option<bench::Bench>,
    },
    /// Kill the program in the middle of every kind of change, fill its disk, take its rights, and count what is broken
    Torture(torture::Torture),
    /// Many clients at once against one server: every edit on what it names, none lost
    Stress(stress::Stress),
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
        Command::Laws { arguments } => laws::run(&arguments),
        Command::Bench { part } => bench::run(part),
        Command::Stress(stress) => stress::run(&stress),
        Command::Torture(torture) => torture::run(&torture),
        Command::Install { prefix } => install::run(prefix),
        Command::E2e { arguments } => e2e::run(&arguments),
    }
}
