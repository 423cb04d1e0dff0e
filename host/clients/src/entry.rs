//! The entry of marq in a configuration: the members to write, and the command that an existing entry runs.

use std::path::Path;

use marquetry_model::{Error, Kind, Result};
use marquetry_tools::{FileEdit, OneEdit, OperationName, ReadArgs, TargetArgs, Workbench};
use serde_json::Value;

use crate::{
    machine::{Machine, PROGRAM},
    select::Choice,
    table::{Field, Roots, Scope},
};

/// Name of the entry.
pub const SERVER_NAME: &str = "marq";
/// Argument that gives a root to the server.
const ROOT: &str = "--root";
/// Argument that starts the MCP server.
const MCP: &str = "mcp";

/// The command that an entry runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// The program.
    pub command: String,
    /// The arguments of the program.
    pub arguments: Vec<String>,
    /// Variables that the client sets.
    pub environment: Vec<(String, String)>,
}

impl Connection {
    /// Reads the command of an entry.
    pub(crate) fn of_entry(entry: &Value) -> Option<Connection> {
        let texts = |value: &Value| -> Vec<String> {
            value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let mut line = match &entry["command"] {
            Value::String(command) => vec![command.clone()],
            list => texts(list),
        };
        if line.is_empty() {
            return None;
        }
        let command = line.remove(0);
        line.extend(texts(&entry["args"]));
        let variables = [&entry["env"], &entry["environment"]].into_iter().find_map(Value::as_object);
        let environment = variables.into_iter().flatten();
        let environment = environment.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
        Some(Connection { command, arguments: line, environment: environment.collect() })
    }

    /// Returns whether this is the MCP server of marq.
    pub(crate) fn is_marq(&self) -> bool {
        let stem = self.command.rsplit(['/', '\\']).next().unwrap_or_default();
        stem.strip_suffix(".exe").unwrap_or(stem) == PROGRAM && self.arguments.first().is_some_and(|first| first == MCP)
    }

    /// The roots in the arguments.
    pub fn roots(&self) -> Vec<&str> {
        let after = self.arguments.windows(2).filter(|pair| pair[0] == ROOT).map(|pair| pair[1].as_str());
        let joined = self.arguments.iter().filter_map(|argument| joined_root(argument));
        after.chain(joined).collect()
    }

    /// Returns the same command for another folder, which replaces all roots.
    #[must_use]
    pub fn for_folder(&self, folder: &Path) -> Connection {
        let (mut arguments, folder) = (self.arguments.clone(), text_of(folder));
        for index in 0..arguments.len() {
            if joined_root(&arguments[index]).is_some() {
                arguments[index] = format!("{ROOT}={folder}");
            } else if index > 0 && arguments[index - 1] == ROOT {
                arguments[index].clone_from(&folder);
            }
        }
        Connection { arguments, ..self.clone() }
    }
}

/// Returns the root of an argument such as `--root=src`.
fn joined_root(argument: &str) -> Option<&str> {
    argument.strip_prefix(ROOT)?.strip_prefix('=')
}

/// Returns the entry of marq. `None` if the file or the entry does not exist.
pub(crate) fn read(bench: &Workbench, root: &Path, choice: &Choice) -> Result<Option<Value>> {
    value(bench, root, &choice.file, &format!("{}.{SERVER_NAME}", choice.place.key))
}

/// Returns the value at a JSONPath of a file. `None` if the file or the value does not exist.
pub(crate) fn value(bench: &Workbench, root: &Path, file: &Path, path: &str) -> Result<Option<Value>> {
    if !file.exists() || bench.files(Some(&text_of(root)))?.read(&text_of(file))?.text.trim().is_empty() {
        return Ok(None);
    }
    let args = ReadArgs {
        root: Some(text_of(root)),
        file: Some(text_of(file)),
        target: TargetArgs { path: Some(path.to_owned()), ..TargetArgs::default() },
        include_metadata: Some(false),
        values: true,
        ..ReadArgs::default()
    };
    let answer = match bench.read(&args) {
        Err(error) if error.kind() == Kind::TargetNotFound => return Ok(None),
        other => other?,
    };
    let Some(one) = answer.one else { return Ok(None) };
    if let Some(problem) = one.problems.first() {
        return Err(Error::new(Kind::ParseError, format!("{}: {problem}", one.file))
            .hint("correct the file, and run the command again; nothing was written"));
    }
    let Some(raw) = one.value else { return Ok(None) };
    let parsed = serde_json::from_str(raw.get());
    parsed.map(Some).map_err(|error| Error::internal(format!("the value at {path}: {error}")))
}

/// Returns the members to write: all members of a new entry, or those of an existing entry that are missing or
/// outdated. Other members are kept.
pub(crate) fn wanted(machine: &Machine, choice: &Choice, existing: Option<&Value>) -> Vec<(&'static str, Value)> {
    let known = existing.and_then(Connection::of_entry).unwrap_or_else(|| Connection {
        command: machine.command(choice.scope == Scope::Project),
        arguments: vec![MCP.to_owned()],
        environment: Vec::new(),
    });
    let command = current_command(machine, choice, &known.command);
    let arguments = arguments(machine, choice.place.roots, &known);
    let fields = choice.place.fields.iter().map(|(name, field)| {
        let value = match field {
            Field::Text(text) => Value::from(*text),
            Field::Texts(texts) => Value::from(texts.to_vec()),
            Field::Command => Value::from(command.clone()),
            Field::Arguments => Value::from(arguments.clone()),
            Field::CommandLine => std::iter::once(&command).chain(&arguments).cloned().collect(),
        };
        let is_fixed = matches!(field, Field::Text(_) | Field::Texts(_));
        let is_right = match existing.and_then(|entry| entry.get(name)) {
            Some(_) if is_fixed => true,
            Some(present) => *present == value,
            None => false,
        };
        (*name, value, is_right)
    });
    fields.filter(|(.., is_right)| !is_right).map(|(name, value, _)| (name, value)).collect()
}

/// Keeps the command in a file of the user unless its program does not exist any more. A file of a project contains the
/// name of the program instead of its path.
fn current_command(machine: &Machine, choice: &Choice, known: &str) -> String {
    let path = Path::new(known);
    let is_found = if path.is_absolute() { path.is_file() } else { machine.find_program(known).is_some() };
    if choice.scope == Scope::User && is_found {
        known.to_owned()
    } else {
        machine.command(choice.scope == Scope::Project)
    }
}

/// Keeps the arguments of an entry, and adds the root if they lack it.
fn arguments(machine: &Machine, roots: Roots, known: &Connection) -> Vec<String> {
    let mut arguments = known.arguments.clone();
    let root = match roots {
        Roots::WorkingFolder => return arguments,
        Roots::Variable(_) if !known.roots().is_empty() => return arguments,
        Roots::Variable(variable) => variable.to_owned(),
        Roots::Listed if known.roots().iter().any(|root| machine.project.starts_with(root)) => return arguments,
        Roots::Listed => text_of(&machine.project),
    };
    arguments.extend([ROOT.to_owned(), root]);
    arguments
}

/// Returns the edits that write these members. Each is a separate edit, because strings and lists of strings are written
/// alike in all formats, and a whole entry is not.
pub(crate) fn edits(file: &str, choice: &Choice, members: &[(&'static str, Value)]) -> Vec<FileEdit> {
    let path = |name: &str| format!("{}.{SERVER_NAME}.{name}", choice.place.key);
    members.iter().map(|(name, value)| set_value(file, path(name), value_text(value))).collect()
}

/// Returns the edit that sets a value, and creates it if it is missing.
pub(crate) fn set_value(file: &str, path: String, content: String) -> FileEdit {
    let edit = OneEdit {
        place: TargetArgs { path: Some(path), ..TargetArgs::default() },
        operation: Some(OperationName::Replace),
        content: Some(content),
        upsert: true,
        ..OneEdit::default()
    };
    FileEdit { file: file.to_owned(), edit, expected_hash: None }
}

/// Returns the edit that deletes a value.
pub(crate) fn delete_value(file: &str, path: String) -> FileEdit {
    let edit = OneEdit {
        place: TargetArgs { path: Some(path), ..TargetArgs::default() },
        operation: Some(OperationName::Delete),
        ..OneEdit::default()
    };
    FileEdit { file: file.to_owned(), edit, expected_hash: None }
}

/// Returns the JSONPath of the outermost value that contains nothing but the value at `path`.
pub(crate) fn outermost_path(bench: &Workbench, root: &Path, file: &Path, path: &str) -> Result<String> {
    let names: Vec<&str> = path.split('.').skip(1).collect();
    let Some(first) = names.first() else { return Ok(path.to_owned()) };
    let Some(top) = value(bench, root, file, &format!("$.{first}"))? else { return Ok(path.to_owned()) };
    let (mut inner, mut kept) = (&top, 1);
    for (depth, name) in names.iter().enumerate().skip(1) {
        if inner.as_object().is_none_or(|members| members.len() > 1) {
            kept = depth + 1;
        }
        inner = &inner[*name];
    }
    Ok(format!("$.{}", names[..kept].join(".")))
}

/// Returns the text of a string or a list of strings.
fn value_text(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(Value::to_string).collect::<Vec<String>>().join(", ")),
        other => other.to_string(),
    }
}

/// Returns a path as text.
pub(crate) fn text_of(path: &Path) -> String {
    path.display().to_string()
}
