//! Values that begin with `-` and cannot be flags: `- item`, `-5`, `--color: red`. The parser of the command line would
//! treat them as flags. Therefore they are marked before parsing, and the marks are removed afterwards.

use std::ffi::OsString;

use crate::shortcuts::SHORTCUTS;

/// Mark before a value. No argument of a process can contain this character.
const MARK: char = '\0';

/// Returns the command line with such values marked, if it is a command of the program that calls a tool.
pub(crate) fn mark(program: &clap::Command, arguments: Vec<OsString>) -> Vec<OsString> {
    let is_command =
        |argument: &OsString| argument.to_str().is_some_and(|name| program.find_subcommand(name).is_some());
    let is_tool = |at: &usize| SHORTCUTS.iter().any(|shortcut| arguments[*at] == shortcut.name);
    let Some(command) = arguments.iter().position(is_command).filter(is_tool) else { return arguments };
    let end = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    let marked = arguments.into_iter().enumerate().map(|(at, argument)| match argument.to_str() {
        Some(text) if command < at && at < end && is_dash_value(text) => format!("{MARK}{text}").into(),
        _ => argument,
    });
    marked.collect()
}

/// Returns a value without the mark.
pub(crate) fn unmarked(value: &str) -> &str {
    value.strip_prefix(MARK).unwrap_or(value)
}

/// Returns a message of the parser without marks.
pub(crate) fn without_marks(message: &str) -> String {
    message.replace(MARK, "")
}

/// Returns whether a text begins with `-` but does not have the form of a flag: `-x`, `-xyz`, `--name`, `--name=value`.
fn is_dash_value(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('-').filter(|rest| !rest.is_empty()) else { return false };
    let long = rest.strip_prefix('-');
    let name = long.unwrap_or(rest);
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    !is_name && long != Some("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_no_flags_are_values() {
        for value in ["- item", "-5", "-5.5e3", "--color: red", "---\ntitle: x\n---", "- [ ] task", "-", "--"] {
            assert_eq!(is_dash_value(value), !matches!(value, "-" | "--"), "{value}");
        }
        for flag in ["-x", "-xv", "--dry-run", "--symbol=a b", "--2"] {
            assert_eq!(is_dash_value(flag), flag == "--2", "{flag}");
        }
        assert!(!is_dash_value("a - b") && !is_dash_value(""));
    }

    #[test]
    fn values_are_marked_after_the_command_and_before_two_dashes() {
        let shown = |words: &[&str]| -> Vec<String> {
            let marked = mark(&crate::flags::cli(), words.iter().map(OsString::from).collect());
            marked.into_iter().map(|word| word.to_string_lossy().replace(MARK, "!")).collect()
        };
        assert_eq!(shown(&["marq", "edit", "f", "$.a", "insert_into", "- b"]).last().expect("a word"), "!- b");
        assert_eq!(shown(&["marq", "edit", "f", "--", "- b"]).last().expect("a word"), "- b");
        assert_eq!(shown(&["marq", "call", "query", "- b"]).last().expect("a word"), "- b");
        assert_eq!(shown(&["marq", "doctor", "- b"]).last().expect("a word"), "- b");
        assert_eq!(unmarked("\0- b"), "- b");
    }
}
