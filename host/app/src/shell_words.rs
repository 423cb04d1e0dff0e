//! Translates errors, hints and notes for the command line: tools and arguments become commands and flags.

use std::collections::BTreeSet;

use marquetry_catalog::input_schema;
use marquetry_model::Error;
use serde_json::Value;

use crate::{flag_names::kebab, shortcuts::SHORTCUTS};

/// Commands of refactors, and of tools whose command is not the first one of the tool in [`SHORTCUTS`].
const COMMANDS: [(&str, &str); 2] = [("rename_symbol", "marq rename-symbol"), ("query", "marq query")];

/// Arguments whose names are also ordinary words. Such a word in quotes is not translated, because it may mean
/// something else.
const WORDS: [&str; 7] = ["type", "all", "old", "content", "pattern", "text", "arguments"];

/// Translates the message and the hint of an error for the command line.
pub(crate) fn for_shell(error: &Error) -> Error {
    let names = ArgumentNames::read();
    let content = error.content();
    let translated = error.clone().message(message_for_shell(&content.message, &names));
    match &content.hint {
        Some(hint) => translated.hint(hint_for_shell(hint, &names)),
        None => translated,
    }
}

/// Translates a message. It also quotes words of the caller, so only names that are arguments beyond doubt change:
/// `newName`, `path: "x"`, and the tool at the start.
fn message_for_shell(message: &str, names: &ArgumentNames) -> String {
    let message = match message.split_once(": ") {
        Some((tool, rest)) if command_of_tool(tool).is_some() => rest,
        _ => message,
    };
    let piece = |(index, piece): (usize, &str)| {
        let is_compound = piece.contains(|c: char| c.is_ascii_uppercase()) && names.has(piece);
        match index % 2 {
            0 => piece.to_owned(),
            _ if is_compound && is_positional(piece) => kebab(piece).replace('-', "_").to_uppercase(),
            _ if is_compound => format!("--{}", flag_name(piece)),
            _ if is_json_argument(piece) => flag_for(piece, names).unwrap_or_else(|| piece.to_owned()),
            _ => piece.to_owned(),
        }
    };
    message.split('`').enumerate().map(piece).collect::<Vec<_>>().join("`")
}

/// Returns an answer with the arguments that its notes name translated to flags.
pub(crate) fn answer_for_shell(answer: &Value) -> Value {
    let names = ArgumentNames::read();
    let mut answer = answer.clone();
    let translate = |value: &mut Value, translation: fn(&str, &ArgumentNames) -> String| {
        let lines = match value {
            Value::Array(lines) => lines.as_mut_slice(),
            line => std::slice::from_mut(line),
        };
        for line in lines {
            if let Value::String(text) = line {
                *text = translation(text, &names);
            }
        }
    };
    for field in ["completeness", "warnings"] {
        if let Some(value) = answer.get_mut(field) {
            translate(value, certain_arguments_for_shell);
        }
    }
    // The text of these suggestions contains no names of the workspace.
    if let Some(value) = answer.pointer_mut("/data/near") {
        translate(value, hint_for_shell);
    }
    answer
}

/// Translates only names that are arguments beyond doubt: `dryRun: false`, and names after the word `argument`. The text
/// also quotes names of the workspace, which may be equal to names of arguments.
fn certain_arguments_for_shell(text: &str, names: &ArgumentNames) -> String {
    let pieces: Vec<&str> = text.split('`').collect();
    let translate = |(index, piece): (usize, &&str)| {
        let follows_word = index > 0 && pieces[index - 1].ends_with("argument ");
        match index % 2 {
            0 => None,
            _ if is_json_argument(piece) => flag_for(piece, names),
            _ if follows_word && names.has(piece) && !is_positional(piece) => Some(format!("--{}", flag_name(piece))),
            _ => None,
        }
    };
    let translated = pieces.iter().enumerate().map(|piece| translate(piece).unwrap_or_else(|| (*piece.1).to_owned()));
    translated.collect::<Vec<_>>().join("`")
}

/// Translates the arguments named in a note to flags.
pub(crate) fn note_for_shell(note: &str) -> String {
    hint_for_shell(note, &ArgumentNames::read())
}

/// The names of all arguments.
struct ArgumentNames(BTreeSet<String>);

impl ArgumentNames {
    fn read() -> ArgumentNames {
        let schemas = SHORTCUTS.iter().filter_map(|shortcut| input_schema(shortcut.tool));
        let names = schemas.flat_map(|schema| {
            let properties = schema["properties"].as_object().cloned().unwrap_or_default();
            properties.into_iter().map(|(name, _)| name).collect::<Vec<String>>()
        });
        ArgumentNames(names.collect())
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// Returns whether a piece is an argument with a JSON value, such as `path: "a.ts"`, and not data such as `type: text`.
fn is_json_argument(piece: &str) -> bool {
    let is_json = |value: &str| serde_json::from_str::<serde_json::Value>(value).is_ok();
    piece.split_once(": ").is_some_and(|(name, value)| !WORDS.contains(&name) && is_json(value))
}

/// Translates every piece in backquotes, and every tool named outside of them.
fn hint_for_shell(hint: &str, names: &ArgumentNames) -> String {
    let mut out = String::with_capacity(hint.len());
    for (index, piece) in hint.split('`').enumerate() {
        if index % 2 == 0 {
            out += &translate_plain(piece);
        } else {
            out += "`";
            out += &translate_quoted(piece, names);
            out += "`";
        }
    }
    // With an odd number of quotes, the loop closed a quote that the hint does not close.
    if hint.matches('`').count() % 2 == 1 {
        out.pop();
    }
    out
}

/// Translates text outside of quotes: only the names of tools change.
fn translate_plain(text: &str) -> String {
    text.split(' ')
        .map(|word| command_of_tool(word).map_or_else(|| word.to_owned(), |command| format!("`{command}`")))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the command of a tool.
fn command_of_tool(tool: &str) -> Option<String> {
    if let Some((_, command)) = COMMANDS.iter().find(|(name, _)| *name == tool && tool.contains('_')) {
        return Some((*command).to_owned());
    }
    let shortcut = SHORTCUTS.iter().find(|shortcut| shortcut.tool == tool && tool.contains('_'))?;
    Some(format!("marq {}", shortcut.name))
}

/// Translates a piece in quotes: a tool, an argument, or an argument with its value.
fn translate_quoted(piece: &str, names: &ArgumentNames) -> String {
    if let Some(command) = command_of_tool(piece) {
        return command;
    }
    if let Some(flag) = flag_for(piece, names) {
        return flag;
    }
    if names.has(piece) && !WORDS.contains(&piece) && !is_positional(piece) {
        return format!("--{}", flag_name(piece));
    }
    piece.to_owned()
}

/// Returns whether some command takes the argument as a positional.
fn is_positional(name: &str) -> bool {
    SHORTCUTS.iter().any(|shortcut| shortcut.positionals.iter().any(|place| place.trim_end_matches(['?', '*']) == name))
}

/// Translates an argument with its value to a flag: `force: true` to `--force`, `offset: 3` to `--offset 3`.
fn flag_for(piece: &str, names: &ArgumentNames) -> Option<String> {
    let (name, value) = piece.split_once(": ")?;
    let (name, value) = (name.trim(), value.trim());
    if !names.has(name) {
        return None;
    }
    let long = flag_name(name);
    Some(match value {
        // Positionals of `marq edit` and `marq query`.
        _ if name == "operation" => shell_word(value),
        _ if name == "type" => format!("marq query {}", shell_word(value)),
        "true" => format!("--{long}"),
        "false" => format!("--no-{long}"),
        "\"rename_symbol\"" if name == "refactor" => "marq rename-symbol".to_owned(),
        _ => format!("--{long} {}", shell_word(value)),
    })
}

/// Returns the name of the flag for an argument.
fn flag_name(argument: &str) -> String {
    let mut renamed = SHORTCUTS.iter().flat_map(|shortcut| shortcut.renamed);
    renamed.find(|(name, _)| *name == argument).map_or_else(|| kebab(argument), |(_, flag)| (*flag).to_owned())
}

/// Returns a JSON value as one shell word.
fn shell_word(value: &str) -> String {
    let text = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:,@%+=".contains(c);
    if text.chars().all(is_plain) && !text.is_empty() {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(hint: &str) -> String {
        hint_for_shell(hint, &ArgumentNames::read())
    }

    #[test]
    fn json_arguments_become_flags() {
        for (hint, expected) in [
            ("give `force: true` to write it", "give `--force` to write it"),
            ("1 to 3 of 9; give `offset: 3` for the next", "1 to 3 of 9; give `--offset 3` for the next"),
            ("give a larger `maxBytes`", "give a larger `--max-bytes`"),
            ("with `recursive: true`", "with `--recursive`"),
            ("`updateImports: false` leaves them", "`--no-update-imports` leaves them"),
            ("read `lines: \"7-12\"`", "read `--lines 7-12`"),
            ("try `heading: \"Getting Started\"`", "try `--heading 'Getting Started'`"),
            ("`operation: \"replace_body\"` with this content", "`replace_body` with this content"),
            ("look for it with `type: \"search\"`", "look for it with `marq query search`"),
            ("give `selectionRange`", "give `--select`"),
            ("give the variables in `templateVars`", "give the variables in `--var`"),
            ("pass the value of `arguments`", "pass the value of `arguments`"),
            ("use file_move", "use `marq move`"),
            ("`file_undo` takes it back", "`marq undo` takes it back"),
            ("`file_edit` with `refactor: \"rename_symbol\"`", "`marq edit` with `marq rename-symbol`"),
        ] {
            assert_eq!(shown(hint), expected);
        }
    }

    #[test]
    fn messages_name_flags_and_places_of_the_command() {
        let names = ArgumentNames::read();
        for (message, expected) in [
            ("`newName` is missing", "`NEW_NAME` is missing"),
            ("`maxBytes` must be at least 1", "`--max-bytes` must be at least 1"),
            ("`files` and `path: \"x\"` both say where to look", "`files` and `--json-path x` both say where to look"),
            ("file_edit: the string \"x\" is not a valid `operation`", "the string \"x\" is not a valid `operation`"),
            // Words of files and callers.
            ("`position` does not exist", "`position` does not exist"),
            ("`type: \"a\"` and `path: a` are data", "`type: \"a\"` and `path: a` are data"),
            ("note: this is not a tool", "note: this is not a tool"),
        ] {
            assert_eq!(message_for_shell(message, &names), expected);
        }
    }

    #[test]
    fn notes_of_answers_name_flags() {
        let answer = serde_json::json!({
            "completeness": "partial: imports were left as they are (`updateImports: false`)",
            "warnings": ["the argument `ignoreCase` was not used: it applies only to search", "`maxBytes` may be undefined"],
            "data": { "near": ["3 matches in 2 files with `ignoreCase`"], "name": "`ignoreCase`" },
        });
        let expected = serde_json::json!({
            "completeness": "partial: imports were left as they are (`--no-update-imports`)",
            "warnings": ["the argument `--ignore-case` was not used: it applies only to search", "`maxBytes` may be undefined"],
            "data": { "near": ["3 matches in 2 files with `--ignore-case`"], "name": "`ignoreCase`" },
        });
        assert_eq!(answer_for_shell(&answer), expected);
        assert_eq!(answer_for_shell(&serde_json::json!({ "completeness": "complete" }))["completeness"], "complete");
    }

    #[test]
    fn other_text_is_unchanged() {
        for hint in [
            "use one of the candidates",
            "`replace` puts it there",
            "a `type` is missing",
            "an open ` quote",
            "`a: b` is data",
        ] {
            assert_eq!(shown(hint), hint);
        }
    }
}
