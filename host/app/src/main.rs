//! The program `marq`: parses the command line, reads the environment once, creates the host, and sets the exit code.

#[cfg(feature = "bundle")]
mod bundle;
mod clean;
mod commands;
mod config;
mod dash_values;
mod flag_names;
mod flags;
mod help;
mod hook;
mod ide;
mod ide_lock;
mod init;
mod kit;
mod language_servers;
mod log_lines;
mod man;
mod page_address;
mod plugins;
mod recover;
mod refactor_flags;
mod running;
mod shell_words;
mod shortcuts;
mod show;
mod signals;
mod subprocess;
mod templates;
mod terminal;
mod tool_commands;
mod ui;
mod unknown_flags;

use std::process::ExitCode;

use marquetry_model::{Error, Kind};

fn main() -> ExitCode {
    let flags = match flags::parse() {
        Ok(flags) => flags,
        Err(error) => return report_failure(&error, false),
    };
    config::init_logging(flags.global.verbose);
    commands::run(&flags).unwrap_or_else(|error| report_failure(&error, flags.global.json))
}

fn report_failure(error: &Error, json: bool) -> ExitCode {
    show::error(error, json);
    match error.kind() {
        Kind::Cancelled => ExitCode::from(terminal::exit_code()),
        _ => ExitCode::from(2),
    }
}
