//! The program `marq`: parses the command line, reads the environment once, wires the pieces, and sets the exit code.

mod arguments;
mod commands;
mod config;
mod flags;
mod plugins;
mod show;
mod terminal;

use std::process::ExitCode;

use clap::Parser;
use marquetry_model::Kind;

fn main() -> ExitCode {
    let flags = flags::Flags::parse();
    config::trace(flags.verbose);
    match commands::run(&flags) {
        Ok(code) => code,
        Err(error) => {
            show::error(&error, flags.json);
            match error.kind() {
                Kind::Cancelled => ExitCode::from(terminal::INTERRUPTED),
                _ => ExitCode::from(2),
            }
        }
    }
}
