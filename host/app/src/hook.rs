//! `marq hook`: answers the hook of Claude Code that runs before a tool. It suggests a marq call if that would give a
//! better result than a text search or a text edit. It never blocks the tool: it exits with success for any input.

use std::{io::Read, path::Path, process::ExitCode};

use serde_json::{Value, json};

use crate::show;

/// Maximum size of a request. A larger one gets no hint.
const MAX_REQUEST: u64 = 1 << 20;
/// Programs that search texts.
const SEARCH_PROGRAMS: [&str; 4] = ["grep", "rg", "ag", "ack"];
/// Programs that edit texts.
const EDIT_PROGRAMS: [&str; 2] = ["sed", "perl"];
/// Extensions of data files, in which marq can address each value.
const DATA_ENDINGS: [&str; 10] = ["json", "jsonc", "yaml", "yml", "toml", "xml", "csproj", "ini", "properties", "env"];

/// Reads a request from standard input and prints the answer.
pub(crate) fn run() -> ExitCode {
    let mut text = String::new();
    let read = std::io::stdin().take(MAX_REQUEST).read_to_string(&mut text);
    if read.is_ok()
        && let Ok(request) = serde_json::from_str::<Value>(&text)
        && let Some(hint) = hint(&request)
    {
        let answer = json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "additionalContext": hint } });
        show::line(&answer.to_string());
    }
    ExitCode::SUCCESS
}

/// Returns the hint for a call of a tool.
fn hint(request: &Value) -> Option<String> {
    let input = &request["tool_input"];
    match request["tool_name"].as_str()? {
        "Grep" => symbol_hint(input["pattern"].as_str()?),
        "Bash" => command_hint(input["command"].as_str()?),
        "Edit" | "MultiEdit" => data_hint(input["file_path"].as_str()?),
        _ => None,
    }
}

/// Hint for the search of a symbol.
fn symbol_hint(pattern: &str) -> Option<String> {
    let symbol = symbol_of(pattern)?;
    Some(format!(
        "marq: to find where `{symbol}` is declared and used, `query` with type \"references\" and symbol \"{symbol}\" (or \
         `marq query references --symbol {symbol}`) finds its uses and says whether the list is complete; a text search \
         cannot."
    ))
}

/// Returns the symbol that a pattern searches for: one identifier, optionally with word boundaries. Ordinary words are not
/// symbols.
fn symbol_of(pattern: &str) -> Option<&str> {
    let name =
        pattern.trim().trim_start_matches("\\b").trim_end_matches("\\b").trim_end_matches("\\(").trim_matches('"');
    let name = ["class ", "function ", "interface ", "const ", "type "]
        .iter()
        .find_map(|keyword| name.strip_prefix(keyword))
        .unwrap_or(name);
    let mut letters = name.chars();
    let is_name = letters.next().is_some_and(|first| first.is_alphabetic() || first == '_' || first == '$')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '$' || letter == '.');
    let has_hump = name.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    (is_name && name.len() >= 3 && (has_hump || name.contains('_') || name != pattern.trim())).then_some(name)
}

/// Hint for a command of the shell: a search, or an edit in place of a data file.
fn command_hint(command: &str) -> Option<String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let program = words.first()?.rsplit('/').next()?;
    if SEARCH_PROGRAMS.contains(&program) {
        let pattern = words.iter().skip(1).find(|word| !word.starts_with('-'))?;
        return symbol_hint(pattern.trim_matches(['\'', '"']));
    }
    let in_place = words.iter().any(|word| word.starts_with("-i") || *word == "-pi");
    if EDIT_PROGRAMS.contains(&program) && in_place {
        return words.iter().rev().find_map(|word| data_hint(word.trim_matches(['\'', '"'])));
    }
    None
}

/// Hint for a text edit of a data file.
fn data_hint(file: &str) -> Option<String> {
    let path = Path::new(file);
    let name = path.file_name()?.to_str()?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_else(|| name.trim_start_matches('.'));
    DATA_ENDINGS.contains(&ending).then(|| {
        format!(
            "marq: `{name}` is a data file. `file_edit` with a path such as \"$.a.b\" (or `marq edit {name} '$.a.b' replace \
             VALUE`) changes one value, keeps comments and formatting, and refuses syntax errors; a text edit does not."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tool: &str, input: Value, expected: &[&str]) {
        let hint = hint(&json!({ "tool_name": tool, "tool_input": input }));
        match (expected, &hint) {
            ([], None) => {}
            ([], Some(hint)) => panic!("{tool} {input}: {hint}"),
            (_, None) => panic!("{tool} {input}: no hint"),
            (expected, Some(hint)) => expected.iter().for_each(|text| assert!(hint.contains(text), "{hint}")),
        }
    }

    #[test]
    fn searches_for_symbols_get_a_hint() {
        check("Grep", json!({ "pattern": "findById" }), &["`findById`", "references"]);
        check("Grep", json!({ "pattern": "\\bUser\\b" }), &["`User`"]);
        check("Grep", json!({ "pattern": "class Cart" }), &["`Cart`"]);
        check("Grep", json!({ "pattern": "load_config\\(" }), &["`load_config`"]);
        check("Bash", json!({ "command": "rg -n 'findById' src" }), &["`findById`"]);
        check("Bash", json!({ "command": "/usr/bin/grep -rn \"UserService\" ." }), &["`UserService`"]);
    }

    #[test]
    fn searches_for_texts_get_no_hint() {
        for pattern in ["error", "not found", "TODO|FIXME", "^import .* from", "http://", "a+b", ""] {
            check("Grep", json!({ "pattern": pattern }), &[]);
        }
        check("Bash", json!({ "command": "ls -la" }), &[]);
        check("Bash", json!({ "command": "cargo test findById" }), &[]);
        check("Bash", json!({ "command": "grep" }), &[]);
        check("Bash", json!({ "command": "" }), &[]);
    }

    #[test]
    fn text_edits_of_data_files_get_a_hint() {
        check("Edit", json!({ "file_path": "/p/package.json", "old_string": "a" }), &["package.json", "file_edit"]);
        check("MultiEdit", json!({ "file_path": "Cargo.toml" }), &["Cargo.toml"]);
        check("Edit", json!({ "file_path": ".github/workflows/ci.yaml" }), &["`ci.yaml`"]);
        check("Edit", json!({ "file_path": "/p/.env" }), &["`.env`"]);
        check("Bash", json!({ "command": "sed -i 's/1/2/' package.json" }), &["package.json"]);
        check("Edit", json!({ "file_path": "src/a.rs" }), &[]);
        check("Bash", json!({ "command": "sed -n 1,5p package.json" }), &[]);
        check("Bash", json!({ "command": "sed -i s/a/b/ src/a.rs" }), &[]);
    }

    #[test]
    fn unknown_requests_get_no_hint() {
        check("Write", json!({ "file_path": "a.json" }), &[]);
        check("Grep", json!({}), &[]);
        assert_eq!(hint(&json!([])), None);
        assert_eq!(hint(&json!({ "tool_name": 3 })), None);
    }
}
