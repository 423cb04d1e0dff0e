//! The catalog: every tool once, with its names, texts, schemas and function.

use std::{panic::AssertUnwindSafe, sync::Arc};

use marquetry_model::{Error, Kind, Result, Work, nearest::nearest};
use marquetry_tools::{
    CreateArgs, DeleteArgs, DuplicateArgs, EditArgs, HistoryArgs, MoveArgs, QueryArgs, ReadArgs, RenameArgs, UndoArgs,
    Workbench,
};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, value::RawValue};

type Call = Box<dyn Fn(&Workbench, &str) -> Result<Box<RawValue>> + Send + Sync>;

/// One tool.
pub struct Tool {
    /// The name in MCP and on the command line: `file_read`.
    pub name: &'static str,
    /// The JSON-RPC method: `file/read`.
    pub method: &'static str,
    /// For people.
    pub title: &'static str,
    /// For language models, below 2 KB.
    pub description: &'static str,
    /// It changes nothing.
    pub read_only: bool,
    /// It may remove or overwrite something.
    pub destructive: bool,
    /// Repeating it changes nothing more.
    pub idempotent: bool,
    input: fn() -> Value,
    output: fn() -> Value,
    call: Call,
}

/// All tools.
#[derive(Clone)]
pub struct Catalog {
    tools: Arc<Vec<Tool>>,
    bench: Workbench,
}

impl Tool {
    /// JSON Schema of the arguments: an object, self-contained.
    pub fn input_schema(&self) -> Value {
        (self.input)()
    }

    /// JSON Schema of the result.
    pub fn output_schema(&self) -> Value {
        (self.output)()
    }

    /// The names of the arguments.
    pub fn arguments(&self) -> Vec<String> {
        let schema = self.input_schema();
        schema["properties"].as_object().map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
    }
}

impl Catalog {
    /// The catalog over a workbench.
    pub fn new(bench: Workbench) -> Catalog {
        Catalog { tools: Arc::new(tools()), bench }
    }

    /// Every tool.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The workbench that the tools work with.
    pub fn bench(&self) -> &Workbench {
        &self.bench
    }

    /// A tool by its name or method.
    pub fn find(&self, name: &str) -> Result<&Tool> {
        self.tools.iter().find(|tool| tool.name == name || tool.method == name).ok_or_else(|| {
            let names = self.tools.iter().map(|tool| tool.name.to_owned());
            let mut candidates = nearest(name, names.clone());
            if candidates.is_empty() {
                candidates = names.collect();
            }
            Error::argument(format!("no tool `{name}`")).candidates(candidates)
        })
    }

    /// Call a tool with its arguments as JSON text. A panic becomes an error of this one call.
    pub fn call(&self, tool: &Tool, arguments: &str, work: &Work) -> Result<Box<RawValue>> {
        work.check()?;
        tracing::debug!("call of {}", tool.name);
        let call = AssertUnwindSafe(|| (tool.call)(&self.bench.working(work), arguments));
        std::panic::catch_unwind(call).unwrap_or_else(|cause| {
            let said = cause
                .downcast_ref::<&str>()
                .map(ToString::to_string)
                .or_else(|| cause.downcast_ref::<String>().cloned());
            Err(Error::internal(format!("the tool `{}` panicked: {}", tool.name, said.unwrap_or_default())))
        })
    }
}

fn schema<T: JsonSchema>() -> Value {
    let generator =
        SchemaGenerator::new(SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true));
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
        object.insert("type".to_owned(), "object".into());
    }
    schema
}

fn tool<A, R>(
    (name, method, title): (&'static str, &'static str, &'static str),
    description: &'static str,
    [read_only, destructive, idempotent]: [bool; 3],
    run: fn(&Workbench, &A) -> Result<R>,
) -> Tool
where
    A: DeserializeOwned + JsonSchema + 'static,
    R: Serialize + JsonSchema + 'static,
{
    let known: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
    let call = move |bench: &Workbench, arguments: &str| {
        let given: Map<String, Value> = serde_json::from_str(arguments)
            .map_err(|error| Error::argument(format!("the arguments of {name} are not an object: {error}")))?;
        let known = known.get_or_init(|| {
            schema::<A>()["properties"].as_object().map(|p| p.keys().cloned().collect()).unwrap_or_default()
        });
        if let Some(unknown) = given.keys().find(|key| !known.contains(key)) {
            // A misspelt `dryRun` must not write.
            return Err(Error::argument(format!("{name} has no argument `{unknown}`"))
                .hint(format!("its arguments are: {}", known.join(", ")))
                .candidates(nearest(unknown, known.iter().cloned())));
        }
        let arguments: A = serde_json::from_value(Value::Object(given)).map_err(|error| {
            Error::argument(format!("{name}: {error}")).hint(format!("its arguments are: {}", known.join(", ")))
        })?;
        let result = run(bench, &arguments)?;
        serde_json::value::to_raw_value(&result)
            .map_err(|error| Error::internal(format!("the result of {name}: {error}")))
    };
    Tool {
        name,
        method,
        title,
        description,
        read_only,
        destructive,
        idempotent,
        input: schema::<A>,
        output: schema::<R>,
        call: Box::new(call),
    }
}

const READ: [bool; 3] = [true, false, true];
const CHANGE: [bool; 3] = [false, true, false];

/// The one list.
fn tools() -> Vec<Tool> {
    let mut tools = content_tools();
    tools.extend(file_tools());
    tools.extend(other_tools());
    tools
}

/// What is in a file.
fn content_tools() -> Vec<Tool> {
    vec![
        tool::<ReadArgs, _>(
            ("file_read", "file/read", "Read File Content"),
            "Read exactly one thing of a file by naming it, in the way of its format: a code symbol, a JSONPath, a CSS selector, an \
             XPath, a heading, a region, or lines. The content returned is exactly what file_edit with operation `replace` replaces. Without a target: the whole file, or its outline when it is large. Several \
             matches come back as a list with addresses; each address, given back as target, finds that match alone. `format` shows \
             less: `signature`, `body` or `summary`.",
            READ,
            Workbench::read,
        ),
        tool::<EditArgs, _>(
            ("file_edit", "file/edit", "Edit File Content"),
            "Change exactly one thing of a file by naming it (see file_read). Operations: replace, replace_body, insert_before, \
             insert_after, insert_into (position first, last, sorted), wrap, delete, replace_text (`old` becomes `content` inside the \
             target). Content is re-indented to its place and gets the separators of its neighbours; every other byte stays. An edit \
             that would add syntax problems is refused unless `force`. `edits` makes several edits one change. The answer has a \
             unified diff and an id for file_undo; `dryRun` writes nothing. With `refactor: \"rename_symbol\"`, `symbol` and `newName` \
             renames a symbol in all files.",
            CHANGE,
            Workbench::edit,
        ),
        tool::<CreateArgs, _>(
            ("file_create", "file/create", "Create File"),
            "Create a file with `content`, or from a `template` with `templateVars`. Directories above it are made. A file that is \
             there is not replaced unless `overwrite`.",
            CHANGE,
            Workbench::create,
        ),
    ]
}

/// Files as a whole.
fn file_tools() -> Vec<Tool> {
    vec![
        tool::<DeleteArgs, _>(
            ("file_delete", "file/delete", "Delete File"),
            "Delete files or directories (`recursive`). Imports and re-exports of them are removed from other files; uses that are left \
             without a definition are listed as `dangling`. With `safe`, nothing is deleted while something still uses it.",
            CHANGE,
            Workbench::delete,
        ),
        tool::<MoveArgs, _>(
            ("file_move", "file/move", "Move File"),
            "Move a file or directory. Everything in the project that names it follows, in every format: imports, re-exports, mocks, \
             URLs, links in documents, pages, stylesheets and configuration. Links that could not be followed are listed as `unresolved`.",
            CHANGE,
            Workbench::move_path,
        ),
        tool::<RenameArgs, _>(
            ("file_rename", "file/rename", "Rename File"),
            "Rename a file or directory within its folder; everything that names it follows (see file_move). `renameExports` renames the \
             main export to match, `exportMapping` any others.",
            CHANGE,
            Workbench::rename_path,
        ),
        tool::<DuplicateArgs, _>(
            ("file_duplicate", "file/duplicate", "Duplicate File"),
            "Copy a file. Relative links of the copy lead where those of the original lead. `renameSymbols` renames the main export of \
             the copy to match its name, `symbolMapping` any others.",
            CHANGE,
            Workbench::duplicate,
        ),
    ]
}

/// Questions, and the past.
fn other_tools() -> Vec<Tool> {
    vec![
        tool::<QueryArgs, _>(
            ("query", "query", "Query Code"),
            "Ask about the workspace. `documentSymbols`: the outline of the file `path` with addresses for file_read and file_edit. \
             `diagnostics`: syntax problems of a file or of all files. `dependencies`: what `path` names, or what names it (`direction: \
             \"importedBy\"`). `references`: where a `symbol` is used. `workspaceSymbols`: symbols of all files by name, with wildcards. \
             `implementations`, `typeHierarchy`, `callHierarchy` of a `symbol` in `path`.",
            READ,
            Workbench::query,
        ),
        tool::<UndoArgs, _>(
            ("file_undo", "file/undo", "Undo Change"),
            "Take back a change by the id that its result named, or the latest one. Refused where a file changed since.",
            CHANGE,
            Workbench::undo,
        ),
        tool::<HistoryArgs, _>(
            ("file_history", "file/history", "List Changes"),
            "The changes made here, latest first, with ids for file_undo.",
            READ,
            Workbench::history,
        ),
    ]
}

/// The JSON-RPC code of an error kind.
pub fn code(kind: Kind) -> i32 {
    match kind {
        Kind::InvalidArgument => -32602,
        Kind::Internal => -32603,
        Kind::FileNotFound => -32001,
        Kind::TargetNotFound => -32002,
        Kind::ParseError => -32003,
        Kind::RefactorFailed => -32004,
        Kind::OverwriteBlocked => -32005,
        Kind::AmbiguousTarget => -32006,
        Kind::InvalidTarget => -32007,
        Kind::Stale => -32008,
        Kind::OutsideWorkspace => -32009,
        Kind::Unsupported => -32010,
        Kind::PluginFailed => -32011,
        Kind::LimitExceeded => -32012,
        Kind::PermissionDenied => -32013,
        // The number of the language server protocol.
        Kind::Cancelled => -32800,
    }
}

/// An error as every front end shows it: `{kind, message, hint, candidates}`.
pub fn error_json(error: &Error) -> Value {
    let content = error.content();
    serde_json::json!({
        "kind": content.kind.name(),
        "message": content.message,
        "hint": content.hint,
        "candidates": content.candidates,
    })
}
