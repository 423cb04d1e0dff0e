//! Errors about unknown flags: if another command of the same tool has the flag, the error names that command.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use marquetry_catalog::input_schema;

use crate::{
    flag_names::kebab,
    shortcuts::{SHORTCUTS, Shortcut},
};

/// The command that is named first for arguments of several commands.
const REFACTOR_COMMAND: &str = "refactor";

/// Returns an error of the parser with the command that has the unknown flag.
pub(crate) fn with_other_command(mut error: clap::Error, command: Option<&str>) -> clap::Error {
    let unknown = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(flag))) => flag.clone(),
        _ => return error,
    };
    if let Some(usage) = other_command(&unknown, command) {
        error.remove(ContextKind::SuggestedArg);
        let tip = clap::builder::StyledStr::from(format!("`{unknown}` belongs to another command: {usage}"));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

/// Returns the usage of the command that takes a flag; `None` if it is not an argument of the same tool.
fn other_command(flag: &str, command: Option<&str>) -> Option<String> {
    let own = SHORTCUTS.iter().find(|shortcut| Some(shortcut.name) == command)?;
    let flag = flag.trim_start_matches('-').split('=').next()?;
    let schema = input_schema(own.tool)?;
    let argument = schema["properties"].as_object()?.keys().find(|name| kebab(name) == flag)?.clone();
    let takes = |it: &&Shortcut| it.tool == own.tool && it.name != own.name && it.takes(&argument);
    let others: Vec<&Shortcut> = SHORTCUTS.iter().filter(takes).collect();
    // A command that takes the argument as a positional is preferred.
    let has_word = |it: &&&Shortcut| it.positionals.iter().any(|word| word.trim_end_matches(['?', '*']) == argument);
    let other = others.iter().find(has_word).or_else(|| others.iter().find(|it| it.name == REFACTOR_COMMAND));
    other.or(others.first()).map(|other| {
        let words = other.positionals.iter().map(|word| match word.strip_suffix('?') {
            Some(optional) => format!("[{}]", kebab(optional).to_uppercase()),
            None => kebab(word.trim_end_matches('*')).to_uppercase(),
        });
        format!("marq {} {}", other.name, words.collect::<Vec<_>>().join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags;

    fn message(line: &[&str]) -> String {
        let error = flags::cli().try_get_matches_from(line).expect_err("an unknown flag");
        with_other_command(error, line.get(1).copied()).render().to_string()
    }

    #[test]
    fn flags_of_another_command_of_the_tool_name_it() {
        for (line, command) in [
            (vec!["marq", "edit", "a.ts", "--refactor", "inline"], "marq refactor FILE [REFACTOR]"),
            (vec!["marq", "edit", "a.ts", "f", "--new-name", "g"], "marq rename-symbol FILE SYMBOL [NEW-NAME]"),
            (vec!["marq", "rename-symbol", "a.ts", "f", "g", "--content", "x"], "marq edit FILE TARGET OPERATION"),
            (vec!["marq", "search", "x", "--direction", "imports"], "marq query TYPE"),
        ] {
            let shown = message(&line);
            assert!(shown.contains(command) && !shown.contains("similar argument"), "{line:?}: {shown}");
        }
        let typing_error = message(&["marq", "edit", "a.ts", "f", "delete", "--dryrun"]);
        assert!(typing_error.contains("--dry-run"), "{typing_error}");
    }
}
