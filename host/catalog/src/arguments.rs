//! Validates tool arguments against the tool's schema. Unknown arguments are errors at any depth, unambiguous
//! synonyms are accepted, and errors suggest the nearest valid name.

use marquetry_model::{Error, Result, nearest::nearest_names};
use serde_json::{Map, Number, Value};

use crate::refactor_arguments::move_into_arguments;

/// Arguments that are accepted although no schema lists them: editor settings that some refactorings use.
pub(crate) const UNLISTED: [&str; 1] = ["preferences"];
/// Synonyms for the file that a tool works on. The schema decides which of them is the tool's own name.
const FILE: [&str; 7] = ["file", "source", "path", "filePath", "filename", "fileName", "from"];
/// Synonyms for the destination path.
const DESTINATION: [&str; 5] = ["destination", "dest", "to", "newPath", "destinationPath"];
/// Synonyms, known from other editing tools, for the text to search for and for its replacement.
const OLD: [&str; 6] = ["old", "oldString", "oldText", "oldStr", "search", "find"];
const CONTENT: [&str; 5] = ["content", "newString", "newText", "newStr", "contents"];
/// Synonyms for "every occurrence".
const ALL: [&str; 2] = ["all", "replaceAll"];
/// Synonyms for the replacement, if a text to search for is given. Without it, these names are ambiguous.
const NEW: [&str; 3] = ["new", "replace", "replaceWith"];
/// Operation names of other tools, the operation to use instead, and a hint.
const OPERATIONS: [(&[&str], &str, &str); 8] = [
    (&["remove", "erase", "cut"], "delete", "`delete` removes the target"),
    (
        &["update", "set", "change", "modify", "edit", "rewrite"],
        "replace",
        "`replace` replaces the target with `content`",
    ),
    (&["upsert", "create", "add"], "replace", "`replace` with `upsert: true` creates the target if it does not exist"),
    (
        &["append", "insert", "prepend", "push"],
        "insert_into",
        "`insert_into` inserts `content` inside the target, `insert_after` and `insert_before` next to it",
    ),
    (
        &["str_replace", "substitute", "patch"],
        "replace_text",
        "`replace_text` replaces `old` inside the target with `content`",
    ),
    (
        &[
            "extract_function",
            "extract_variable",
            "extract_constant",
            "extract_type",
            "inline_variable",
            "inline_function",
            "move_to_file",
            "change_signature",
            "organize_imports",
            "add_import",
        ],
        "",
        "this is a refactor, not an operation: pass it as `refactor`; query `codeActions` lists the ones that apply",
    ),
    (
        &["rename", "rename_symbol", "renameSymbol"],
        "",
        "`refactor: \"rename_symbol\"` with `symbol` and `newName` renames a symbol and all its uses",
    ),
    (&["undo", "revert"], "", "`file_undo` takes the last change back"),
];
/// Arguments that belong to another tool or have another name: tool, arguments, hint.
const MISPLACED: [(&str, &[&str], &str); 15] = [
    (
        "file_edit",
        &["patch", "diff", "unifiedDiff", "hunks"],
        "no tool applies diffs: for several edits of several files use `changes`, each with `old` and `content`",
    ),
    (
        "file_rename",
        &["symbol", "refactor", "line", "column"],
        "`file_edit` with `refactor: \"rename_symbol\"` renames a symbol; this renames a file",
    ),
    ("file_rename", &["destination", "dest", "to", "newPath"], "`file_move` moves a file to another folder"),
    ("file_move", &["newName", "name"], "use `file_rename` to rename a file in its folder; `destination` is a path"),
    (
        "file_delete",
        &["symbol", "selector", "heading", "lines"],
        "`file_edit` with `operation: \"delete\"` deletes a part of a file",
    ),
    ("file_delete", &["files"], "`paths` names several files"),
    ("file_read", &["line", "startLine", "endLine"], "`lines: \"7-12\"` reads lines"),
    ("file_read", &["jsonPath"], "`path: \"$.name\"` reads a value of data"),
    (
        "query",
        &["glob", "globs", "include", "includes", "exclude", "folder", "directory", "paths"],
        "`files` takes paths and globs; `!` before one excludes",
    ),
    (
        "query",
        &["max", "maxResults", "maxCount", "maxMatches", "headLimit", "top"],
        "`limit` is the maximum number of results",
    ),
    (
        "query",
        &["caseSensitive", "matchCase", "caseInsensitive"],
        "a search distinguishes case unless `ignoreCase: true` is given",
    ),
    ("file_read", &["pattern", "text", "query", "regex"], "`query` with `type: \"search\"` searches files"),
    ("file_read", &["glob", "globs", "include"], "`files` takes paths and globs; `!` before one excludes"),
    ("query", &["position"], "`line`, from 1, and `column`, from 0, give a position"),
    (
        "query",
        &["range", "selection", "selectionRange"],
        "`startLine`, `startColumn`, `endLine` and `endColumn` give the selection",
    ),
];
/// Sets of synonyms. The flag is true for those that apply only at the top level, because `path` inside an edit is not
/// a file.
const SYNONYMS: [(&[&str], bool); 5] =
    [(&FILE, true), (&DESTINATION, true), (&OLD, false), (&CONTENT, false), (&ALL, false)];

/// Validates and normalizes the arguments of a tool. Unknown enum values are not rejected here, because the tool may
/// have a better error message.
pub(crate) fn validate(tool: &str, schema: &Value, mut given: Map<String, Value>) -> Result<Map<String, Value>> {
    let unlisted: Vec<_> = UNLISTED.iter().filter_map(|name| given.shift_remove_entry(*name)).collect();
    let reader = Validator { tool, root: schema, check_enums: false };
    reader.rename_synonyms(schema, &mut given, true);
    infer_replace_text(schema, &mut given);
    reader.move_path_to_file(&mut given);
    move_into_arguments(schema, &mut given);
    reader.check_object(schema, &mut given, &ArgumentPath::default())?;
    // Editors send objects. No tool can use other values, so they are dropped.
    given.extend(unlisted.into_iter().filter(|(_, value)| value.is_object()));
    Ok(given)
}

/// Returns the error for an unknown enum value, if that is why a tool could not deserialize its arguments.
pub(crate) fn enum_value_error(tool: &str, schema: &Value, given: &Value) -> Option<Error> {
    let reader = Validator { tool, root: schema, check_enums: true };
    reader.check_value(schema, &mut given.clone(), &ArgumentPath::default()).err()
}

/// Position of a value within the arguments.
#[derive(Clone, Default)]
struct ArgumentPath {
    /// The path of the value, such as `edits[0]`; empty at the top level.
    name: String,
    /// The argument that contains the value, such as `edits` or `wrapper`.
    parent: String,
    /// True if the value is an item of a list.
    is_item: bool,
}

impl ArgumentPath {
    fn field(&self, name: &str) -> ArgumentPath {
        let path = if self.name.is_empty() { name.to_owned() } else { format!("{}.{name}", self.name) };
        ArgumentPath { name: path, parent: name.to_owned(), is_item: false }
    }

    fn item(&self, index: usize) -> ArgumentPath {
        ArgumentPath { name: format!("{}[{index}]", self.name), parent: self.parent.clone(), is_item: true }
    }

    /// Returns a name of the enclosing object for hints, such as `an edit` or `it`.
    fn parent_text(&self) -> String {
        match self.parent.strip_suffix('s').filter(|_| self.is_item) {
            Some(one) if one.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {one}"),
            Some(one) => format!("a {one}"),
            None => "it".to_owned(),
        }
    }
}

struct Validator<'a> {
    tool: &'a str,
    root: &'a Value,
    /// True if unknown enum values are errors.
    check_enums: bool,
}

impl Validator<'_> {
    /// Renames synonyms to the names in the schema.
    fn rename_synonyms(&self, schema: &Value, given: &mut Map<String, Value>, top: bool) {
        let Some(properties) = schema["properties"].as_object() else { return };
        let unknown: Vec<String> = given.keys().filter(|name| !properties.contains_key(*name)).cloned().collect();
        let replaces = given.keys().any(|name| OLD.contains(&camel(name).as_str()));
        for name in unknown {
            let camel = camel(&name);
            let camel = if replaces && NEW.contains(&camel.as_str()) { "newText".to_owned() } else { camel };
            let own =
                if properties.contains_key(&camel) { Some(camel.as_str()) } else { synonym(properties, &camel, top) };
            let Some(own) = own.filter(|own| !given.contains_key(*own)) else { continue };
            if let Some(value) = given.remove(&name) {
                given.insert(own.to_owned(), value);
            }
        }
    }

    /// If a tool takes both a `file` and a JSONPath called `path`, a `path` that is not a JSONPath names the file,
    /// unless another argument names it.
    fn move_path_to_file(&self, given: &mut Map<String, Value>) {
        let properties = &self.root["properties"];
        let both = properties.get("file").is_some() && properties.get("path").is_some();
        let names_file = |path: &Value| path.as_str().is_some_and(|path| !path.trim_start().starts_with('$'));
        let none = ["file", "files", "changes"].iter().all(|name| !given.contains_key(*name));
        if both && none && given.get("path").is_some_and(names_file) {
            let file = given.remove("path").unwrap_or_default();
            given.insert("file".to_owned(), file);
        }
    }

    fn check_object(&self, schema: &Value, given: &mut Map<String, Value>, place: &ArgumentPath) -> Result<()> {
        let none = Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&none);
        let more = schema.get("additionalProperties");
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        // `null` is the same as leaving the argument out.
        given.retain(|name, value| {
            !value.is_null() || required.contains(&name.as_str()) || !properties.contains_key(name)
        });
        for (name, value) in given.iter_mut() {
            let field = place.field(name);
            match (properties.get(name), more) {
                (Some(schema), _) => self.check_value(schema, value, &field)?,
                (None, Some(Value::Object(schema))) => {
                    self.check_value(&Value::Object(schema.clone()), value, &field)?
                }
                (None, None | Some(Value::Bool(true))) if properties.is_empty() => {}
                (None, _) => return Err(self.unknown_argument(name, schema, place)),
            }
        }
        if let Some(missing) = required.iter().find(|name| !given.contains_key(**name)) {
            return Err(self.missing_argument(missing, schema, given, place));
        }
        // An empty path would mean the root itself, which is never intended for a required path.
        let is_path = |name: &str| FILE.contains(&name) || DESTINATION.contains(&name);
        match required.iter().find(|name| is_path(name) && given.get(**name).is_some_and(|path| path == "")) {
            Some(empty) => Err(self.empty_argument(empty, schema, place)),
            None => Ok(()),
        }
    }

    fn check_value(&self, schema: &Value, value: &mut Value, place: &ArgumentPath) -> Result<()> {
        // A single object is accepted in place of a list of objects.
        let one = value.as_object().is_some_and(|fields| !fields.is_empty());
        if one && schema["type"] == "array" && schema["items"]["type"] == "object" {
            *value = Value::Array(vec![std::mem::take(value)]);
        }
        if let Some(variants) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
            let mut first = None;
            for variant in variants {
                let mut tried = value.clone();
                match self.check_value(variant, &mut tried, place) {
                    Ok(()) => {
                        *value = tried;
                        return Ok(());
                    }
                    Err(error) => first = first.or(Some(error)),
                }
            }
            return first.map_or(Ok(()), Err);
        }
        if let Some(words) = schema["enum"].as_array() {
            return self.check_enum(words, value, place);
        }
        match (schema["type"].as_str(), &mut *value) {
            (Some("object"), Value::Object(fields)) => {
                self.rename_synonyms(schema, fields, false);
                infer_replace_text(schema, fields);
                self.check_object(schema, fields, place)
            }
            (Some("array"), Value::Array(items)) => items
                .iter_mut()
                .enumerate()
                .try_for_each(|(index, item)| self.check_value(&schema["items"], item, &place.item(index))),
            (Some("string"), Value::String(_))
            | (Some("boolean"), Value::Bool(_))
            | (Some("number"), Value::Number(_))
            | (None, _) => Ok(()),
            (Some("integer"), Value::Number(number)) => match integer(number, &schema["minimum"]) {
                Some(number) => {
                    *value = Value::Number(number);
                    Ok(())
                }
                None => Err(self.type_error(schema, value, place)),
            },
            _ => Err(self.type_error(schema, value, place)),
        }
    }

    fn check_enum(&self, words: &[Value], value: &Value, place: &ArgumentPath) -> Result<()> {
        if words.contains(value) || (value.is_string() && !self.check_enums) {
            return Ok(());
        }
        let known: Vec<String> = words.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let given = value.as_str().unwrap_or_default();
        let takes = |own: &str| own.is_empty() || known.iter().any(|word| word == own);
        let is_meant =
            |others: &[&str], own: &str| place.parent == "operation" && others.contains(&given) && takes(own);
        let meant = OPERATIONS.iter().find(|(others, own, _)| is_meant(others, own));
        let mut candidates: Vec<String> = meant.iter().map(|(_, own, _)| (*own).to_owned()).collect();
        candidates.retain(|own| !own.is_empty());
        // If the word means a refactor or another tool, similar operations are not suggested.
        let is_other = meant.is_some() && candidates.is_empty();
        candidates.extend(refactor_of(given).filter(|_| is_other).map(|name| format!("refactor: \"{name}\"")));
        for word in nearest_names(given, known.clone()).into_iter().chain(known.clone()).filter(|_| !is_other) {
            if !candidates.contains(&word) {
                candidates.push(word);
            }
        }
        Err(Error::argument(format!("{}: {} is not a valid `{}`", self.tool, short_value(value), place.name))
            .hint(meant.map_or("use one of the candidates", |(.., instead)| *instead))
            .candidates(candidates))
    }

    /// Error for a value of the wrong type.
    fn type_error(&self, schema: &Value, value: &Value, place: &ArgumentPath) -> Error {
        let expected = match schema["type"].as_str() {
            Some("object") => match schema["properties"].as_object() {
                Some(fields) => format!("an object with {}", quoted(fields.keys())),
                None => "an object".to_owned(),
            },
            Some("array") => match schema["items"]["type"].as_str() {
                Some("object") => "a list of objects".to_owned(),
                Some(of) => format!("a list of {of}s"),
                None => "a list".to_owned(),
            },
            Some("integer") => match schema["minimum"].as_u64() {
                Some(least) => format!("a whole number, {least} or more"),
                None => "a whole number".to_owned(),
            },
            Some("boolean") => "`true` or `false`".to_owned(),
            other => format!("a {}", other.unwrap_or("value")),
        };
        let message = format!("{}: `{}` is {}, and must be {expected}", self.tool, place.name, short_value(value));
        match schema["description"].as_str() {
            Some(description) => Error::argument(message).hint(description),
            None => Error::argument(message),
        }
    }

    /// Error for an unknown argument. Suggests the place where it would be valid.
    fn unknown_argument(&self, name: &str, schema: &Value, place: &ArgumentPath) -> Error {
        let known: Vec<String> = schema["properties"].as_object().into_iter().flat_map(Map::keys).cloned().collect();
        let message = format!("{} has no argument `{}`", self.tool, place.field(name).name);
        let own = schema["properties"]
            .as_object()
            .and_then(|properties| synonym(properties, &camel(name), place.name.is_empty()));
        let outer = &self.root["properties"];
        let here = !place.name.is_empty();
        let top = place.name.split(['.', '[']).next().unwrap_or_default();
        let aside = |name: &str| format!("`{name}` belongs beside `{top}`, not inside {}", place.parent_text());
        if let Some(own) = own.or(Some(camel(name).as_str()).filter(|name| known.iter().any(|known| known == name))) {
            let hint = format!("`{name}` means `{own}`, which is given as well: give one of them");
            return Error::argument(message).hint(hint).candidates([own.to_owned()]);
        }
        if let ("changes", "edits") | ("edits", "file") = (top, camel(name).as_str()) {
            let hint =
                "give one entry of `changes` for each edit, with its `file`; several entries may have the same `file`";
            return Error::argument(message).hint(hint).candidates(["changes".to_owned()]);
        }
        if here && let Some(right) = outer.as_object().and_then(|outer| find_name(outer, name)) {
            return Error::argument(message).hint(aside(&right)).candidates([right]);
        }
        if let Some((holder, right)) = self.find_nested(name) {
            let hint = format!("`{right}` belongs inside `{holder}`");
            return Error::argument(message).hint(hint).candidates([format!("{holder}.{right}")]);
        }
        if name == "new" && known.iter().any(|known| known == "content") {
            let hint = "`content` is the new text, `newName` is the new name";
            return Error::argument(message).hint(hint).candidates(["content", "newName"].map(str::to_owned));
        }
        let elsewhere =
            |(tool, names, _): &&(&str, &[&str], &str)| *tool == self.tool && names.contains(&&*camel(name));
        if let Some((.., instead)) = MISPLACED.iter().find(elsewhere).filter(|_| !here) {
            return Error::argument(message).hint(*instead);
        }
        let near = nearest_names(name, known.iter().cloned());
        let far = outer.as_object().map(|outer| nearest_names(name, outer.keys().cloned())).unwrap_or_default();
        match far.first().filter(|_| here && near.is_empty()) {
            Some(right) => Error::argument(message).hint(aside(right)).candidates(far.clone()),
            None => {
                let whose =
                    if here { format!("the arguments of `{}`", place.name) } else { "its arguments".to_owned() };
                // If there are similar names, the hint does not list all names.
                let hint = match near.is_empty() {
                    true => format!("{whose} are: {}", known.join(", ")),
                    false => "use one of the candidates".to_owned(),
                };
                Error::argument(message).hint(hint).candidates(near)
            }
        }
    }

    /// Finds a nested argument of this name below a top-level one. Returns both names.
    fn find_nested(&self, name: &str) -> Option<(String, String)> {
        self.root["properties"].as_object()?.iter().find_map(|(holder, schema)| {
            let fields = schema["properties"].as_object().or(schema["items"]["properties"].as_object())?;
            Some((holder.clone(), find_name(fields, name)?))
        })
    }

    fn empty_argument(&self, name: &str, schema: &Value, place: &ArgumentPath) -> Error {
        let error = Error::argument(format!("{}: `{}` is empty", self.tool, place.field(name).name));
        match schema["properties"][name]["description"].as_str() {
            Some(description) => error.hint(format!("`{name}`: {description}")),
            None => error,
        }
    }

    fn missing_argument(&self, name: &str, schema: &Value, given: &Map<String, Value>, place: &ArgumentPath) -> Error {
        let error = Error::argument(format!("{}: `{}` is missing", self.tool, place.field(name).name));
        let own = &schema["properties"][name];
        // A nested argument without a description shares that of the top-level argument of the same name.
        let description = own["description"].as_str().or(self.root["properties"][name]["description"].as_str());
        let words = own["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        let error = error.candidates(words.collect::<Vec<String>>());
        if name == "file" && place.name.is_empty() && given.contains_key("path") {
            return error
                .hint("in this call `path` is a JSONPath inside the file: pass the path of the file as `file`");
        }
        match description {
            Some(description) => error.hint(format!("`{name}`: {description}")),
            None => error,
        }
    }
}

/// `old` with `content` can only mean `replace_text`, so the operation may be left out.
fn infer_replace_text(schema: &Value, given: &mut Map<String, Value>) {
    let takes = ["operation", "old", "content"].iter().all(|name| schema["properties"].get(name).is_some());
    let has = |name: &str| given.get(name).is_some_and(|value| !value.is_null());
    let is_other = ["operation", "refactor", "edits", "changes", "pattern"].iter().any(|name| has(name));
    let is_text = ["old", "content"].iter().all(|name| given.get(*name).is_some_and(Value::is_string));
    if takes && is_text && !is_other {
        given.insert("operation".to_owned(), "replace_text".into());
    }
}

/// Returns the tool's own name for a synonym.
fn synonym<'a>(properties: &'a Map<String, Value>, name: &str, top: bool) -> Option<&'a str> {
    // A nested object with a `file` accepts these synonyms, but not `path`, which is a JSONPath in such an object.
    let is_file = properties.contains_key("file") && ["filePath", "filename", "fileName"].contains(&name);
    let (set, _) = SYNONYMS.iter().find(|(set, only_top)| set.contains(&name) && (top || is_file || !only_top))?;
    let own = set.iter().find(|own| properties.contains_key(**own))?;
    properties.get_key_value(*own).map(|(own, _)| own.as_str())
}

/// Returns the name of the refactor that an unknown operation means.
fn refactor_of(operation: &str) -> Option<&str> {
    match operation {
        "undo" | "revert" => None,
        "rename" | "renameSymbol" => Some("rename_symbol"),
        other => Some(other),
    }
}

/// Finds a name, ignoring case, `_` and `-`.
fn find_name(properties: &Map<String, Value>, name: &str) -> Option<String> {
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    properties.keys().find(|known| plain(known) == plain(name)).cloned()
}

/// Converts `dry_run` and `dry-run` to `dryRun`.
fn camel(name: &str) -> String {
    let mut words = name.split(['_', '-']);
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut all, word| {
        let mut letters = word.chars();
        all.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        all + letters.as_str()
    })
}

/// Returns an integer that the schema allows. Accepts `5.0`.
fn integer(number: &Number, least: &Value) -> Option<Number> {
    let whole = match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15 => Number::from(float as i64),
        _ if number.is_f64() => return None,
        _ => number.clone(),
    };
    let negative = whole.as_i64().is_some_and(|whole| whole < least.as_i64().unwrap_or(i64::MIN));
    (!negative).then_some(whole)
}

fn quoted<'a>(names: impl Iterator<Item = &'a String>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Returns a value as text, shortened for error messages.
fn short_value(value: &Value) -> String {
    const MOST: usize = 60;
    let text = value.to_string();
    let short: String = text.chars().take(MOST).collect();
    let short = if short.len() < text.len() { format!("{short}…") } else { short };
    match value {
        Value::String(_) => format!("the string {short}"),
        Value::Array(_) => format!("the list {short}"),
        Value::Object(_) => format!("the object {short}"),
        _ => short,
    }
}

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;
