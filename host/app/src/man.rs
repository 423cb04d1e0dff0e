//! Manual pages, generated from the command-line grammar: `marq man edit | man -l -`.

use std::fmt::Write as _;

use marquetry_model::{Error, Result, nearest::nearest_names};

use crate::flags;

/// Returns the page of the program or of one command.
pub(crate) fn page(command: Option<&str>) -> Result<String> {
    let mut program = flags::cli();
    program.build();
    let Some(name) = command else { return Ok(render(program)) };
    if let Some(found) = program.find_subcommand(name) {
        return Ok(render(found.clone()));
    }
    let names = program.get_subcommands().map(|command| command.get_name().to_owned());
    Err(Error::argument(format!("no command `{name}`")).candidates(nearest_names(name, names)))
}

fn render(mut command: clap::Command) -> String {
    let title = command.get_bin_name().unwrap_or("marq").replace(' ', "-");
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let help = command.render_long_help().to_string();
    let mut out = String::new();
    let _ = writeln!(out, ".TH {} 1 \"\" \"marq {}\"", escape(&title.to_uppercase()), env!("CARGO_PKG_VERSION"));
    let _ = writeln!(out, ".SH NAME\n{} \\- {}", escape(&title), escape(about.lines().next().unwrap_or_default()));
    // The text before the usage is already in the NAME section.
    let usage = help.find("Usage:").unwrap_or(0);
    let (before, rest) = help.split_at(usage);
    let description = before.trim().strip_prefix(about.trim()).unwrap_or(before).trim();
    if !description.is_empty() {
        let _ = writeln!(out, ".SH DESCRIPTION\n.nf\n{}\n.fi", escape_lines(description));
    }
    let _ = writeln!(out, ".SH SYNOPSIS AND OPTIONS\n.nf\n{}\n.fi", escape_lines(rest.trim_end()));
    out
}

fn escape_lines(text: &str) -> String {
    text.lines().map(escape).collect::<Vec<String>>().join("\n")
}

/// Escapes a line, so that roff interprets no part of it as an escape or a request.
fn escape(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn man_page_has_a_name_and_escapes_roff_commands() {
        let page = page(Some("edit")).expect("a page");
        assert!(page.starts_with(".TH MARQ\\-EDIT 1"), "{page}");
        let requests = page.lines().filter(|line| line.starts_with('.'));
        assert!(requests.into_iter().all(|line| [".TH", ".SH", ".nf", ".fi"].contains(&&line[..3])), "{page}");
        assert!(page.contains("\\-\\-json\\-path"), "{page}");
        assert!(super::page(Some("edti")).is_err_and(|error| error.content().candidates.contains(&"edit".to_owned())));
        assert_eq!(escape(".a\\b-c"), "\\&.a\\eb\\-c");
    }
}
