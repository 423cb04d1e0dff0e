//! What people see: results and errors on the terminal.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the one place that prints")]

use marquetry_model::Error;
use marquetry_wire::catalog::error_json;

/// One line of output.
pub(crate) fn line(text: &str) {
    println!("{text}");
}

/// An error: what was wrong, what to do, and the nearest right answers.
pub(crate) fn error(error: &Error, json: bool) {
    if json {
        println!("{}", error_json(error));
        return;
    }
    let content = error.content();
    eprintln!("error: {} ({})", content.message, content.kind.name());
    if let Some(hint) = &content.hint {
        eprintln!("hint: {hint}");
    }
    for candidate in &content.candidates {
        eprintln!("  - {candidate}");
    }
}
