//! The program `marq`: parses the command line, reads the environment once, wires the pieces, and sets the exit code.

mod commands;
mod config;
mod flags;
mod plugins;
mod show;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let flags = flags::Flags::parse();
    config::trace(flags.verbose);
    match commands::run(&flags) {
        Ok(code) => code,
        Err(error) => {
            show::error(&error, flags.json);
            ExitCode::from(2)
        }
    }
}
