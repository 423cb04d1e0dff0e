//! Commands that are one call of a tool. Their flags are generated from the schema of the tool, so a new argument of a
//! tool becomes a flag without changes here.

use std::io::Read as _;

use clap::{Arg, ArgAction, ArgMatches, Command, parser::ValueSource, value_parser};
use marquetry_catalog::input_schema;
use marquetry_model::{Error, Result};
use serde_json::{Map, Value, json};

use crate::{
    dash_values::unmarked,
    flag_names::kebab,
    help,
    shortcuts::{
        CONTENT_FLAG, EDIT, EDIT_REPLACING_FLAGS, NEW_TEXT, NO_PAGER, OPEN, SHORTCUTS, Shortcut, TARGET_FLAGS,
        WORKSPACE_SYMBOL, parse_edit_words,
    },
};

/// Returns the commands; their flags are generated when a command is used.
pub(crate) fn commands() -> impl Iterator<Item = Command> {
    let order = 0..SHORTCUTS.len();
    SHORTCUTS.iter().zip(order).map(|(shortcut, place)| {
        Command::new(shortcut.name).about(shortcut.about).display_order(place).defer(with_arguments)
    })
}

/// Returns the tool and arguments of a command; `None` if it is not a command of a tool.
pub(crate) fn call(name: &str, matches: &ArgMatches) -> Option<Result<(&'static str, Map<String, Value>)>> {
    let shortcut = SHORTCUTS.iter().find(|shortcut| shortcut.name == name)?;
    Some(tool_arguments(shortcut, matches).map(|arguments| match shortcut.name {
        "refactor" if !arguments.contains_key("refactor") => ("query", default_to_code_actions(&arguments)),
        _ => (shortcut.tool, arguments),
    }))
}

/// Replaces `refactor` without a name by a query that lists the applicable refactors.
fn default_to_code_actions(arguments: &Map<String, Value>) -> Map<String, Value> {
    let mut question = Map::from_iter([("type".to_owned(), "codeActions".into())]);
    let kept = [("file", "path"), ("symbol", "symbol"), ("target", "symbol"), ("line", "line"), ("column", "column")];
    for (name, asked) in kept.into_iter().chain([("maxBytes", "maxBytes")]) {
        question.extend(arguments.get(name).map(|value| (asked.to_owned(), value.clone())));
    }
    question.extend(arguments.get(SELECTION).and_then(Value::as_object).cloned().unwrap_or_default());
    question
}

/// The argument with the syntax `3:4-5:0` on the command line.
const SELECTION: &str = "selectionRange";

/// Parses a selection like `3:4-5:0`. Without columns, it selects whole lines.
fn parse_selection(text: &str) -> Result<Value> {
    let wrong = || {
        Error::argument(format!("`{text}` is not a selection"))
            .hint("write it as `LINE:COLUMN-LINE:COLUMN`, or `LINE-LINE`: lines from 1, columns from 0")
    };
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong());
    let place = |text: &str| match text.split_once(':') {
        Some((line, column)) => Ok((number(line)?, Some(number(column)?))),
        None => Ok((number(text)?, None)),
    };
    let (start, end) = text.split_once('-').unwrap_or((text, text));
    let ((start_line, start_column), (end_line, end_column)) = (place(start)?, place(end)?);
    let mut selection =
        json!({ "startLine": start_line, "startColumn": start_column.unwrap_or(0), "endLine": end_line });
    if let Some(column) = end_column {
        selection["endColumn"] = column.into();
    }
    Ok(selection)
}

/// Returns the schema properties that a command has as arguments.
fn properties(shortcut: &Shortcut) -> Map<String, Value> {
    let schema = input_schema(shortcut.tool).unwrap_or_default();
    let Value::Object(properties) = schema["properties"].clone() else { return Map::new() };
    // The root is a flag of every command.
    properties.into_iter().filter(|(name, _)| name != "root" && shortcut.takes(name)).collect()
}

fn with_arguments(mut command: Command) -> Command {
    let Some(shortcut) = SHORTCUTS.iter().find(|shortcut| shortcut.name == command.get_name()) else { return command };
    let properties = properties(shortcut);
    for (index, place) in shortcut.positionals.iter().enumerate() {
        let name = place.trim_end_matches(['?', '*']);
        if name == NEW_TEXT {
            let new = Arg::new(NEW_TEXT).index(index + 1).value_name("NEW");
            command = command.arg(new.help("For `replace_text OLD NEW`: the new text"));
            continue;
        }
        let schema = properties.get(name).unwrap_or(&Value::Null);
        let arg = with_values(Arg::new(name.to_owned()), schema, description(shortcut, name, schema)).index(index + 1);
        let arg = if place.contains('*') { arg.num_args(1..) } else { arg };
        let stands_in = |list: &&str| shortcut.tool == "file_edit" && properties.contains_key(*list);
        // A flag that names the target replaces a positional argument.
        let named = if shortcut.name == EDIT { TARGET_FLAGS.as_slice() } else { &[] };
        let lists = EDIT_REPLACING_FLAGS.into_iter().chain(named.iter().copied()).filter(stands_in);
        let arg = match (place.contains('?'), lists.clone().next()) {
            (true, _) => arg,
            (false, None) => arg.required(true),
            (false, Some(_)) => arg.required_unless_present_any(lists),
        };
        let arg = arg.value_name(kebab(name).replace('-', "_").to_uppercase());
        command = command.arg(arg);
    }
    let named = |name: &str| shortcut.positionals.iter().any(|place| place.trim_end_matches(['?', '*']) == name);
    for (name, schema) in properties.iter().filter(|(name, _)| !named(name)) {
        for arg in flags(shortcut, name, schema) {
            command = command.arg(arg);
        }
    }
    if shortcut.name == EDIT {
        let content = Arg::new(CONTENT_FLAG).long("content").value_name("CONTENT").conflicts_with("content");
        command = command.arg(content.help("The same as CONTENT; `-` reads standard input"));
    }
    if shortcut.name == OPEN {
        let pager = Arg::new(NO_PAGER).long(NO_PAGER).action(ArgAction::SetTrue);
        command = command.arg(pager.help("Print without a pager if no editor is attached"));
    }
    if shortcut.name == "query" {
        let symbol = Arg::new(WORKSPACE_SYMBOL).long("symbol").value_name("SYMBOL").conflicts_with("symbol");
        command = command.arg(symbol.help("A symbol of the workspace, without a file"));
    }
    if let Some(examples) = help::examples(shortcut.name) {
        command = command.after_help(examples);
    }
    command
}

/// Returns the description of an argument: the one written for the command, or else the first sentence of the one in
/// the schema.
fn description(shortcut: &Shortcut, name: &str, schema: &Value) -> String {
    let schema = || first_sentence(schema["description"].as_str().unwrap_or_default());
    help::argument(shortcut.name, name).map_or_else(schema, str::to_owned)
}

/// Returns the flags of one argument.
fn flags(shortcut: &Shortcut, name: &str, schema: &Value) -> Vec<Arg> {
    let renamed = shortcut.renamed.iter().find(|(argument, _)| *argument == name).map(|(_, flag)| (*flag).to_owned());
    let is_renamed = renamed.is_some();
    let long = renamed.unwrap_or_else(|| kebab(name));
    let help = schema["description"].as_str().unwrap_or_default();
    match schema["type"].as_str() {
        Some("boolean") => {
            // A flag that is on by default is shown only in its negative form.
            let usual = help.contains("default true");
            let yes = Arg::new(name.to_owned()).long(long.clone()).action(ArgAction::SetTrue).hide(usual);
            let no = Arg::new(format!("no-{name}")).long(format!("no-{long}")).action(ArgAction::SetTrue).hide(!usual);
            let short = (name == "recursive").then_some('r');
            let help = description(shortcut, name, schema);
            let not = help::negated(name).map_or_else(|| format!("Turn off `--{long}`"), str::to_owned);
            vec![yes.short(short).help(help), no.help(not).overrides_with(name.to_owned())]
        }
        Some("object") if name == "around" => {
            let lines = Arg::new(name.to_owned()).long(long).value_name("LINES").value_parser(value_parser!(u64));
            vec![lines.requires("target").help("Lines to show above and below the target")]
        }
        Some("object") if name == SELECTION => {
            vec![
                Arg::new(name.to_owned())
                    .long(long)
                    .value_name("LINE:COLUMN-LINE:COLUMN")
                    .help(description(shortcut, name, schema)),
            ]
        }
        Some("object") if schema["properties"].is_object() => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            fields
                .map(|(field, schema)| {
                    let help = description(shortcut, field, schema);
                    let arg = with_values(Arg::new(format!("{name}.{field}")), schema, help).long(kebab(field));
                    arg.value_name(kebab(field).to_uppercase())
                })
                .collect()
        }
        _ => {
            let arg = with_values(Arg::new(name.to_owned()), schema, description(shortcut, name, schema));
            let value = match name {
                _ if is_map(schema) => pair_form(name).to_owned(),
                _ => long.replace('-', "_").to_uppercase(),
            };
            let arg = arg.long(long).value_name(value);
            vec![if is_renamed { arg.alias(kebab(name)) } else { arg }]
        }
    }
}

/// Returns an argument that takes one or several values.
fn with_values(arg: Arg, schema: &Value, help: String) -> Arg {
    // Invalid words are rejected by the tool, whose error lists the valid ones.
    let words: Vec<&str> = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let help_text = if words.is_empty() { help } else { format!("{help} [{}]", words.join(", ")) };
    let arg = arg.help(help_text);
    match schema["type"].as_str() {
        Some("integer") => arg.value_parser(value_parser!(u64)),
        Some("array") if schema["items"]["type"] == "string" => arg.action(ArgAction::Append),
        _ if is_map(schema) => arg.action(ArgAction::Append),
        _ => arg,
    }
}

/// Returns whether a value is an object with arbitrary names.
fn is_map(schema: &Value) -> bool {
    schema["type"] == "object" && !schema["properties"].is_object()
}

/// Converts the given flags to the arguments of the tool.
fn tool_arguments(shortcut: &Shortcut, matches: &ArgMatches) -> Result<Map<String, Value>> {
    let mut given = Map::new();
    for (name, schema) in properties(shortcut) {
        if let Some(value) = parse_value(&name, &schema, matches)? {
            given.insert(name, value);
        }
    }
    for name in [WORKSPACE_SYMBOL, NEW_TEXT, CONTENT_FLAG] {
        if let Ok(Some(text)) = matches.try_get_one::<String>(name) {
            let text = if name == CONTENT_FLAG && text == "-" { read_stdin()? } else { unmarked(text).to_owned() };
            given.insert(name.to_owned(), text.into());
        }
    }
    if shortcut.name == EDIT {
        parse_edit_words(&mut given)?;
    }
    (shortcut.adjust)(&mut given);
    Ok(given)
}

fn parse_value(name: &str, schema: &Value, matches: &ArgMatches) -> Result<Option<Value>> {
    let on_command_line = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let texts = || matches.get_many::<String>(name).into_iter().flatten().map(|text| unmarked(text));
    if schema["type"] == "boolean" {
        let not = format!("no-{name}");
        return Ok(if on_command_line(&not) {
            Some(false.into())
        } else {
            on_command_line(name).then_some(true.into())
        });
    }
    if name == SELECTION {
        return matches.get_one::<String>(name).map(|text| parse_selection(unmarked(text))).transpose();
    }
    if schema["properties"].is_object() && name != "around" {
        let fields = schema["properties"].as_object().into_iter().flatten();
        let given = fields.filter_map(|(field, _)| {
            let text = matches.get_one::<String>(&format!("{name}.{field}"))?;
            Some((field.clone(), Value::from(unmarked(text))))
        });
        let mut given: Map<String, Value> = given.collect();
        if given.is_empty() {
            return Ok(None);
        }
        // A required field that has no flag, such as `after` if only `--before` is given, is empty.
        for field in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            given.entry(field).or_insert_with(|| "".into());
        }
        return Ok(Some(given.into()));
    }
    if !on_command_line(name) {
        return Ok(None);
    }
    Ok(Some(match schema["type"].as_str() {
        Some("integer") => matches.get_one::<u64>(name).copied().into(),
        Some("object") if name == "around" => matches.get_one::<u64>(name).copied().into(),
        Some("object") => Value::Object(parse_pairs(texts(), pair_form(name))?),
        Some("array") if schema["items"]["type"] == "string" => texts().collect(),
        Some("array") => {
            let text = texts().next().unwrap_or_default();
            let text = if text == "-" { read_stdin()? } else { text.to_owned() };
            serde_json::from_str(&text).map_err(|error| Error::argument(format!("`{name}` is not JSON: {error}")))?
        }
        _ => match texts().next().unwrap_or_default() {
            "-" if name == "content" => read_stdin()?.into(),
            text => text.into(),
        },
    }))
}

/// Returns the form of the pairs that an argument takes, as shown in help and errors.
fn pair_form(argument: &str) -> &'static str {
    if matches!(argument, "arguments" | "templateVars") { "NAME=VALUE" } else { "OLD=NEW" }
}

/// Parses pairs, or JSON objects with several, as in calls of the tool.
fn parse_pairs<'t>(texts: impl Iterator<Item = &'t str>, form: &str) -> Result<Map<String, Value>> {
    let mut pairs = Map::new();
    for text in texts {
        match serde_json::from_str::<Map<String, Value>>(text) {
            Ok(object) => pairs.extend(object),
            Err(_) => pairs.extend([parse_pair(text, form)?]),
        }
    }
    Ok(pairs)
}

/// Parses `NAME=VALUE`; a value that is a number or Boolean is converted.
fn parse_pair(pair: &str, form: &str) -> Result<(String, Value)> {
    let (name, value) = pair.split_once('=').ok_or_else(|| Error::argument(format!("`{pair}` is not {form}")))?;
    let parsed = serde_json::from_str::<Value>(value).ok().filter(|value| value.is_number() || value.is_boolean());
    Ok((name.to_owned(), parsed.unwrap_or_else(|| value.into())))
}

/// Reads all of standard input.
pub(crate) fn read_stdin() -> Result<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| Error::argument(format!("standard input: {error}")))?;
    Ok(text)
}

/// Returns the first sentence, because help has one line per flag.
fn first_sentence(text: &str) -> String {
    let line = text.replace('\n', " ");
    let end = line.find(". ").unwrap_or(line.len());
    line[..end].trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags;

    /// Returns the arguments that a command line gives to a tool.
    fn asked(line: &[&str]) -> Result<Value> {
        let line = crate::dash_values::mark(&flags::cli(), line.iter().map(std::ffi::OsString::from).collect());
        let matches = flags::cli().try_get_matches_from(line).map_err(|error| Error::argument(error.to_string()))?;
        let (name, matches) = matches.subcommand().expect("a command");
        let (_, arguments) = call(name, matches).expect("a command of a tool")?;
        Ok(Value::Object(arguments))
    }

    #[test]
    fn target_flags_replace_the_target_argument() {
        for (flag, name, value) in [
            ("--symbol", "symbol", "x"),
            ("--json-path", "path", "$.b"),
            ("--path", "path", "$.b"),
            ("--selector", "selector", "main > p"),
            ("--xpath", "xpath", "//b"),
            ("--heading", "heading", "B"),
            ("--region", "region", "imports"),
            ("--lines", "lines", "2-3"),
        ] {
            let deleted = asked(&["marq", "edit", "f", flag, value, "delete"]).expect("understood");
            assert_eq!(deleted, json!({ "file": "f", name: value, "operation": "delete" }), "{flag}");
            let before = asked(&["marq", "edit", flag, value, "f", "replace", "new"]).expect("understood");
            assert_eq!(before, json!({ "file": "f", name: value, "operation": "replace", "content": "new" }), "{flag}");
            let texts = asked(&["marq", "edit", "f", "replace_text", "a", "b", flag, value]).expect("understood");
            let expected = json!({ "file": "f", name: value, "operation": "replace_text", "old": "a", "content": "b" });
            assert_eq!(texts, expected, "{flag}");
            let twice = asked(&["marq", "edit", "f", "target", "replace", "new", flag, value]).expect_err("refused");
            assert!(twice.to_string().contains("both give the target"), "{flag}: {twice}");
        }
    }

    #[test]
    fn values_may_begin_with_a_dash() {
        for (line, expected) in [
            (
                vec!["f", "t", "insert_into", "- b"],
                json!({ "target": "t", "operation": "insert_into", "content": "- b" }),
            ),
            (
                vec!["f", "t", "replace", "-5", "--dry-run"],
                json!({ "target": "t", "operation": "replace", "content": "-5", "dryRun": true }),
            ),
            (
                vec!["f", "t", "replace", "--content", "- [ ] x"],
                json!({ "target": "t", "operation": "replace", "content": "- [ ] x" }),
            ),
            (
                vec!["f", "t", "replace_text", "- a", "- b"],
                json!({ "target": "t", "operation": "replace_text", "old": "- a", "content": "- b" }),
            ),
            (
                vec!["f", "t", "wrap", "--before", "- ", "--after=-!"],
                json!({ "target": "t", "operation": "wrap", "wrapper": { "before": "- ", "after": "-!" } }),
            ),
            (
                vec!["f", "--selector", ".a", "insert_into", "--color: red"],
                json!({ "selector": ".a", "operation": "insert_into", "content": "--color: red" }),
            ),
            (
                vec!["f", "t", "replace", "--", "--name"],
                json!({ "target": "t", "operation": "replace", "content": "--name" }),
            ),
        ] {
            let all: Vec<&str> = ["marq", "edit"].into_iter().chain(line.clone()).collect();
            let mut expected = expected;
            expected["file"] = "f".into();
            assert_eq!(asked(&all).expect("understood"), expected, "{line:?}");
        }
        assert!(asked(&["marq", "edit", "f", "t", "replace", "--unknown"]).is_err());
        let replaced = asked(&["marq", "replace", "f", "- a", "- b"]).expect("understood");
        assert_eq!((&replaced["old"], &replaced["content"]), (&json!("- a"), &json!("- b")));
        let found = asked(&["marq", "search", "-> x"]).expect("understood");
        assert_eq!(found["text"], "-> x");
    }

    #[test]
    fn a_rename_by_refactor_takes_the_arguments_of_a_rename() {
        let line = ["marq", "refactor", "f", "rename_symbol", "--symbol", "a", "--with", "newName=b"];
        let expected = json!({ "file": "f", "refactor": "rename_symbol", "symbol": "a", "newName": "b" });
        assert_eq!(asked(&line).expect("understood"), expected);
        let other = asked(&["marq", "refactor", "f", "x", "--with", "newName=b"]).expect("understood");
        assert_eq!(other["arguments"], json!({ "newName": "b" }));
    }

    #[test]
    fn arguments_of_edit_are_taken_in_order() {
        for (line, expected) in [
            (vec!["f", "t", "delete"], json!({ "file": "f", "target": "t", "operation": "delete" })),
            (
                vec!["f", "t", "replace", "c"],
                json!({ "file": "f", "target": "t", "operation": "replace", "content": "c" }),
            ),
            (
                vec!["f", "t", "replace", "--content", "c"],
                json!({ "file": "f", "target": "t", "operation": "replace", "content": "c" }),
            ),
            (
                vec!["f", "t", "replace_text", "a", "b"],
                json!({ "file": "f", "target": "t", "operation": "replace_text", "old": "a", "content": "b" }),
            ),
            (
                vec!["f", "t", "replace_text", "b", "--old", "a"],
                json!({ "file": "f", "target": "t", "operation": "replace_text", "old": "a", "content": "b" }),
            ),
            (
                vec!["f", "--pattern", "p", "--replacement", "r"],
                json!({ "file": "f", "pattern": "p", "replacement": "r" }),
            ),
        ] {
            let all: Vec<&str> = ["marq", "edit"].into_iter().chain(line.clone()).collect();
            assert_eq!(asked(&all).expect("understood"), expected, "{line:?}");
        }
        let many = asked(&["marq", "edit", "f", "t", "replace", "a", "b"]).expect_err("refused");
        assert!(many.to_string().contains("unexpected argument after"), "{many}");
        assert!(asked(&["marq", "edit", "f", "t"]).is_err() && asked(&["marq", "edit", "f"]).is_err());
    }

    #[test]
    fn help_starts_with_summary_and_separates_global_options() {
        let long = flags::cli().render_long_help().to_string();
        assert!(long.starts_with("Read and edit files by naming the thing"), "{long}");
        let mut program = flags::cli();
        program.build();
        for name in ["read", "edit", "query", "search", "refactor", "mcp", "doctor"] {
            let help = program.find_subcommand_mut(name).expect("a command").render_help().to_string();
            let (own, global) = help.split_once("Global options:").unwrap_or_else(|| panic!("{name}: {help}"));
            for flag in ["--root", "--any-root", "--trust", "--no-trust", "--color"] {
                assert!(global.contains(flag) && !own.contains(&format!("{flag} ")), "{name} {flag}: {help}");
            }
        }
    }
}
