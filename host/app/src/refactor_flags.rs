//! Converts flags to arguments of a refactor: `--destination src/a.ts` becomes `--with destination=src/a.ts`. The
//! arguments of a refactor are defined by its pack, so the grammar cannot list them; the tool rejects unknown ones.

use std::ffi::OsString;

use marquetry_model::nearest::similarity;

use crate::flag_names::camel;

/// Minimum similarity to a known flag at which an unknown flag is treated as a typing error rather than an argument.
const MIN_SIMILARITY: f64 = 0.8;

/// Returns the command line with the flags unknown to `refactor` converted to arguments.
pub(crate) fn convert_flags(program: &clap::Command, arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let arguments: Vec<OsString> = arguments.collect();
    let Some(at) = arguments.iter().position(|argument| argument == "refactor") else { return arguments };
    let mut program = program.clone();
    program.build();
    // If a word before `refactor` is a command, `refactor` is an argument of that command, and nothing is converted.
    let is_other = |before: &OsString| before.to_str().is_some_and(|name| program.find_subcommand(name).is_some());
    if arguments.iter().take(at).skip(1).any(is_other) {
        return arguments;
    }
    let known = program.find_subcommand("refactor").map(known_flags).unwrap_or_default();
    let (head, tail) = arguments.split_at(at + 1);
    head.iter().cloned().chain(rewrite(tail, &known)).collect()
}

/// Returns the long flags of a command.
fn known_flags(command: &clap::Command) -> Vec<String> {
    let long = |arg: &clap::Arg| {
        let aliases = arg.get_all_aliases().unwrap_or_default().into_iter().map(str::to_owned);
        arg.get_long().map(str::to_owned).into_iter().chain(aliases).collect::<Vec<String>>()
    };
    command.get_arguments().flat_map(long).collect()
}

fn rewrite(arguments: &[OsString], known: &[String]) -> Vec<OsString> {
    let mut out = Vec::with_capacity(arguments.len());
    let mut rest = arguments.iter().peekable();
    while let Some(argument) = rest.next() {
        let Some(flag) = argument.to_str().and_then(|text| text.strip_prefix("--")).filter(|flag| !flag.is_empty())
        else {
            out.push(argument.clone());
            continue;
        };
        let (name, value) = flag.split_once('=').map_or((flag, None), |(name, value)| (name, Some(value.to_owned())));
        if known.iter().any(|known| known == name || similarity(known, name) >= MIN_SIMILARITY) {
            out.push(argument.clone());
            continue;
        }
        let is_value = |next: &&OsString| next.to_str().is_none_or(|next| !next.starts_with("--"));
        let value = value.or_else(|| rest.next_if(is_value).map(|value| value.to_string_lossy().into_owned()));
        out.push("--with".into());
        out.push(format!("{}={}", camel(name), value.unwrap_or_else(|| "true".to_owned())).into());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> String {
        let known = ["dry-run", "symbol", "with", "json"].map(str::to_owned);
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let words: Vec<String> =
            rewrite(&arguments, &known).iter().map(|word| word.to_string_lossy().into_owned()).collect();
        words.join(" ")
    }

    #[test]
    fn unknown_flags_are_arguments_of_the_refactor() {
        for (line, expected) in [
            ("a.ts move_to_file --destination b.ts", "a.ts move_to_file --with destination=b.ts"),
            ("a.ts x --type-name=T --dry-run", "a.ts x --with typeName=T --dry-run"),
            ("a.ts x --replace-all --symbol f", "a.ts x --with replaceAll=true --symbol f"),
            ("a.ts x --with kind=type", "a.ts x --with kind=type"),
            // A typing error is not converted to an argument.
            ("a.ts x --dryrun", "a.ts x --dryrun"),
            ("a.ts --", "a.ts --"),
        ] {
            assert_eq!(shown(line), expected);
        }
    }

    #[test]
    fn other_commands_are_unchanged() {
        let line = ["marq", "read", "refactor", "--destination", "x"].map(OsString::from);
        assert_eq!(convert_flags(&crate::flags::cli(), line.clone().into_iter()), line);
    }
}
