//! Catalog of all tools with their names, descriptions, schemas and functions.

use std::{collections::HashMap, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use marquetry_model::{Error, Kind, Result, Work, nearest::nearest_names, pack::TargetKind};
use marquetry_tools::{
    CreateArgs, DeleteArgs, DuplicateArgs, EditArgs, HistoryArgs, MoveArgs, OpenArgs, QueryArgs, ReadArgs, RenameArgs,
    UndoArgs, Workbench,
};
use schemars::JsonSchema;
use serde::{Deserialize as _, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, value::RawValue};

use crate::{
    arguments,
    clients::Clients,
    limits::LIMITS,
    queues::Queues,
    running::Running,
    tool_schemas::{self, Schemas, WHY},
};

type Call = Box<dyn Fn(&Workbench, Value) -> Result<Box<dyn Answer>> + Send + Sync>;

/// Answer of a tool that is not serialized yet.
pub trait Answer: Send {
    /// Serializes to JSON text.
    fn to_json_text(&self) -> Result<Box<RawValue>>;
    /// Serializes to a JSON value.
    fn to_json(&self) -> Result<Value>;
}

impl<T: Serialize + Send> Answer for T {
    fn to_json_text(&self) -> Result<Box<RawValue>> {
        serde_json::value::to_raw_value(self).map_err(serialization_error)
    }

    fn to_json(&self) -> Result<Value> {
        serde_json::to_value(self).map_err(serialization_error)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "what `map_err` hands over")]
fn serialization_error(error: serde_json::Error) -> Error {
    Error::internal(format!("the answer cannot be written: {error}"))
}

/// A tool.
pub struct Tool {
    /// The name in MCP and on the command line: `file_read`.
    pub name: &'static str,
    /// The JSON-RPC method: `file/read`.
    pub method: &'static str,
    /// Title for display.
    pub title: &'static str,
    /// Description for language models, less than 2 KB.
    pub description: &'static str,
    /// True if the tool is needed for most work.
    pub core: bool,
    /// True if the tool changes nothing.
    pub read_only: bool,
    /// True if the tool may remove or overwrite something.
    pub destructive: bool,
    /// True if repeating a call has no further effect.
    pub idempotent: bool,
    schemas: Schemas,
    /// Type information to check the schemas against.
    #[cfg(test)]
    types: crate::schema::Types,
    call: Call,
}

/// Maximum time that shutdown waits for running calls. Each is cancelled and ends when it next checks for that.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// The catalog of tools, bound to a workbench.
#[derive(Clone)]
pub struct Catalog {
    tools: Arc<Tools>,
    bench: Workbench,
    /// True if more than one root is served. Then an absolute path in the arguments selects the root.
    has_several_roots: bool,
    running: Running,
    queues: Queues,
    clients: Clients,
}

/// The tools, and an index by name and method.
struct Tools {
    list: Vec<Tool>,
    indexes: HashMap<&'static str, usize>,
}

impl Tool {
    /// JSON Schema of the arguments: a self-contained object schema.
    pub fn input_schema(&self) -> &Value {
        &self.schemas.arguments
    }

    /// JSON Schema of the result.
    pub fn output_schema(&self) -> Value {
        self.schemas.result()
    }

    /// Name of the argument for the file that the tool works on.
    fn file_argument(&self) -> Option<&'static str> {
        ["file", "source", "path"].into_iter().find(|name| self.input_schema()["properties"].get(name).is_some())
    }
}

/// Arguments that describe a call in the history, in this order. The names of targets are shown between the two lists.
const DESCRIPTIVE_ARGUMENTS: ([&str; 10], [&str; 7]) = (
    ["type", "file", "files", "source", "path", "paths", "destination", "id", "refactor", "target"],
    ["operation", "text", "regex", "query", "pattern", "newName", "template"],
);

impl Tool {
    /// Describes a call by its arguments.
    fn call_description(&self, arguments: &Map<String, Value>) -> String {
        let text_of = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Array(list) => list.iter().filter_map(Value::as_str).collect::<Vec<&str>>().join(" "),
            other => other.to_string(),
        };
        let list = |name: &str| arguments.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let places = TargetKind::NAMES.into_iter().filter(|name| !DESCRIPTIVE_ARGUMENTS.0.contains(name));
        let own = DESCRIPTIVE_ARGUMENTS
            .0
            .into_iter()
            .chain(places)
            .chain(DESCRIPTIVE_ARGUMENTS.1)
            .filter_map(|name| arguments.get(name));
        let edited = list("edits").iter().filter_map(|edit| edit.get("target"));
        let changed = list("changes").iter().filter_map(|change| change.get("file"));
        let words = own.map(text_of).chain(edited.chain(changed).map(text_of));
        words.filter(|word| !word.is_empty()).collect::<Vec<String>>().join(" ")
    }
}

impl Catalog {
    /// Creates the catalog for a workbench.
    pub fn new(bench: Workbench) -> Catalog {
        let list = tools();
        let names = list.iter().enumerate().flat_map(|(place, tool)| [(tool.name, place), (tool.method, place)]);
        let tools = Tools { indexes: names.collect(), list };
        let has_several_roots = bench.roots().served().len() > 1;
        let (running, clients) = (Running::default(), Clients::default());
        Catalog { tools: Arc::new(tools), bench, has_several_roots, running, queues: Queues::new(LIMITS), clients }
    }

    /// Clients connected to the Claude Code endpoint.
    pub(crate) fn clients(&self) -> &Clients {
        &self.clients
    }

    /// Queues that limit concurrent calls of front ends with many clients.
    pub(crate) fn queues(&self) -> &Queues {
        &self.queues
    }

    /// Returns a catalog with other limits.
    #[cfg(test)]
    pub(crate) fn with_limits(&self, limits: crate::limits::Limits) -> Catalog {
        Catalog { queues: Queues::new(limits), ..self.clone() }
    }

    /// All tools.
    pub fn tools(&self) -> &[Tool] {
        &self.tools.list
    }

    /// The workbench that the tools use.
    pub fn bench(&self) -> &Workbench {
        &self.bench
    }

    /// Returns a catalog whose answers have about this many bytes at most, unless a call sets its own limit.
    #[must_use]
    pub fn with_answer_limit(&self, bytes: usize) -> Catalog {
        Catalog { bench: self.bench.with_max_bytes(bytes), ..self.clone() }
    }

    /// Returns a catalog for a caller that announced the roots it works in. `None` if none of them is served.
    pub fn narrowed(&self, uris: &[String]) -> Option<Catalog> {
        let roots = self.bench.roots().restricted_to(uris)?;
        let several = roots.served().len() > 1;
        Some(Catalog { bench: self.bench.with_roots(roots), has_several_roots: several, ..self.clone() })
    }

    /// Finds a tool by its name or method.
    pub fn find(&self, name: &str) -> Result<&Tool> {
        if let Some(place) = self.tools.indexes.get(name) {
            return Ok(&self.tools.list[*place]);
        }
        let names = self.tools().iter().map(|tool| tool.name.to_owned());
        let mut candidates = nearest_names(name, names.clone());
        if candidates.is_empty() {
            candidates = names.collect();
        }
        Err(Error::argument(format!("no tool `{name}`")).hint("use one of the candidates").candidates(candidates))
    }

    /// Calls a tool. A panic becomes an error of this call.
    pub fn call(&self, tool: &Tool, given: Map<String, Value>, work: &Work) -> Result<Box<dyn Answer>> {
        work.check()?;
        let _run = self.running.begin(tool.name, !tool.read_only, work)?;
        tracing::debug!("call of {}", tool.name);
        let mut arguments = arguments::validate(tool.name, tool.input_schema(), given)?;
        if self.has_several_roots && !arguments.contains_key("root") {
            self.infer_root(tool, &mut arguments);
        }
        let why = arguments.remove(WHY);
        work.set_origin(tool.name, &tool.call_description(&arguments), why.as_ref().and_then(Value::as_str));
        let call = AssertUnwindSafe(|| (tool.call)(&self.bench.with_progress(work), Value::Object(arguments)));
        std::panic::catch_unwind(call).unwrap_or_else(|cause| {
            let message = cause
                .downcast_ref::<&str>()
                .map(ToString::to_string)
                .or_else(|| cause.downcast_ref::<String>().cloned());
            Err(Error::internal(format!("the tool `{}` panicked: {}", tool.name, message.unwrap_or_default())))
        })
    }

    /// Returns what `open` would show in an editor, for a terminal without an attached editor.
    pub fn open_content(&self, given: Map<String, Value>, work: &Work) -> Result<Value> {
        let tool = self.find("open")?;
        let arguments = Value::Object(arguments::validate(tool.name, tool.input_schema(), given)?);
        let arguments = OpenArgs::deserialize(&arguments).map_err(|error| {
            let refusal = arguments::enum_value_error(tool.name, tool.input_schema(), &arguments);
            refusal.unwrap_or_else(|| Error::argument(format!("{}: {error}", tool.name)))
        })?;
        self.bench.with_progress(work).show_items(&arguments)?.to_json()
    }

    /// The running calls.
    pub(crate) fn running(&self) -> &Running {
        &self.running
    }

    /// Shuts down: cancels all calls, accepts no new ones, and waits a while for running ones so that no change is
    /// interrupted. Returns whether all have ended.
    pub fn shut_down(&self) -> bool {
        self.running.shut_down(SHUTDOWN_TIMEOUT)
    }

    /// Sets `root` to the root that contains the absolute path in the arguments.
    fn infer_root(&self, tool: &Tool, arguments: &mut Map<String, Value>) {
        let path = tool.file_argument().and_then(|name| arguments.get(name)).and_then(Value::as_str);
        // A call works in one root, so the first path of a list decides.
        let first = ["/files/0", "/changes/0/file"].iter().find_map(|at| string_at(arguments, at));
        let path = path.or(first);
        let path = path.map(|path| path.strip_prefix("file://").unwrap_or(path)).filter(|path| path.starts_with('/'));
        if let Some(root) = path.and_then(|path| self.bench.roots().root_of(path)) {
            arguments.insert("root".to_owned(), root.into());
        }
    }
}

/// String at a path such as `/files/0`.
fn string_at<'a>(arguments: &'a Map<String, Value>, at: &str) -> Option<&'a str> {
    let (name, rest) = at.strip_prefix('/')?.split_once('/')?;
    arguments.get(name)?.pointer(&format!("/{rest}"))?.as_str()
}

fn tool<A, R>(
    (name, method, title): (&'static str, &'static str, &'static str),
    schemas: &'static str,
    description: &'static str,
    ToolAnnotations { core, read_only, destructive, idempotent }: ToolAnnotations,
    run: fn(&Workbench, &A) -> Result<R>,
) -> Tool
where
    A: DeserializeOwned + JsonSchema + 'static,
    R: Serialize + JsonSchema + Send + 'static,
{
    let call = move |bench: &Workbench, arguments: Value| {
        let arguments = A::deserialize(&arguments).map_err(|error| {
            arguments::enum_value_error(name, &tool_schemas::arguments(schemas), &arguments)
                .unwrap_or_else(|| Error::argument(format!("{name}: {error}")))
        })?;
        Ok(Box::new(run(bench, &arguments)?) as Box<dyn Answer>)
    };
    let schemas = Schemas::new(schemas, !read_only);
    Tool {
        name,
        method,
        title,
        description,
        core,
        read_only,
        destructive,
        idempotent,
        schemas,
        #[cfg(test)]
        types: crate::schema::Types::new::<A, R>(),
        call: Box::new(call),
    }
}

/// MCP tool annotations.
#[derive(Clone, Copy)]
struct ToolAnnotations {
    core: bool,
    read_only: bool,
    destructive: bool,
    idempotent: bool,
}

impl ToolAnnotations {
    /// Marks a tool as needed for most work.
    const fn core(self) -> ToolAnnotations {
        ToolAnnotations { core: true, ..self }
    }
}

const READ: ToolAnnotations = ToolAnnotations { core: false, read_only: true, destructive: false, idempotent: true };
const CHANGE: ToolAnnotations = ToolAnnotations { core: false, read_only: false, destructive: true, idempotent: false };

/// The list of all tools.
fn tools() -> Vec<Tool> {
    let mut tools = content_tools();
    tools.extend(file_tools());
    tools.extend(other_tools());
    tools
}

/// Tools for the content of files.
fn content_tools() -> Vec<Tool> {
    vec![
        tool::<ReadArgs, _>(
            ("file_read", "file/read", "Read File Content"),
            include_str!("../schemas/file_read.json"),
            "Read one thing of a file by name: a code symbol, JSONPath, CSS selector, XPath, heading, region or lines. \
             The content returned is exactly what file_edit `replace` replaces. Without a target: the whole file, or \
             its outline if it is large. Several matches are listed with addresses; an address, passed as `target`, \
             finds that match alone. `format` returns less: `signature`, `body` or `summary`.",
            READ.core(),
            Workbench::read,
        ),
        tool::<EditArgs, _>(
            ("file_edit", "file/edit", "Edit File Content"),
            include_str!("../schemas/file_edit.json"),
            "Change one thing of a file by name (see file_read). Operations: replace, replace_body, insert_before, \
             insert_after, insert_into (`position`), wrap, delete, replace_text (`old` becomes `content` inside the \
             target). Content is re-indented (not by `lines`) and gets the separators of its neighbours; all other bytes stay. An edit \
             that adds syntax errors is refused unless `force`. `edits`, `files` and `changes` make several edits one \
             change. Returns a diff and an id for file_undo. `refactor: \"rename_symbol\"` with `symbol` and `newName` \
             renames in all files; query `codeActions` lists other refactors.",
            CHANGE.core(),
            Workbench::edit,
        ),
        tool::<CreateArgs, _>(
            ("file_create", "file/create", "Create File"),
            include_str!("../schemas/file_create.json"),
            "Create a file with `content`, or from a `template`. An existing file is not replaced unless `overwrite`.",
            CHANGE,
            Workbench::create,
        ),
    ]
}

/// Tools for whole files.
fn file_tools() -> Vec<Tool> {
    vec![
        tool::<DeleteArgs, _>(
            ("file_delete", "file/delete", "Delete File"),
            include_str!("../schemas/file_delete.json"),
            "Delete files or directories (`recursive`). Imports and re-exports of them are removed from other files; \
             uses left without a definition are listed as `dangling`. With `safe`, nothing is deleted while something \
             uses it.",
            CHANGE,
            Workbench::delete,
        ),
        tool::<MoveArgs, _>(
            ("file_move", "file/move", "Move File"),
            include_str!("../schemas/file_move.json"),
            "Move files or directories; links and imports follow, in every format. Links that could not be updated \
             are listed as `unresolved`.",
            CHANGE.core(),
            Workbench::move_path,
        ),
        tool::<RenameArgs, _>(
            ("file_rename", "file/rename", "Rename File"),
            include_str!("../schemas/file_rename.json"),
            "Rename a file or directory in its folder; links and imports follow (see file_move). `renameExports` \
             renames the main export to match, `exportMapping` others.",
            CHANGE,
            Workbench::rename_path,
        ),
        tool::<DuplicateArgs, _>(
            ("file_duplicate", "file/duplicate", "Duplicate File"),
            include_str!("../schemas/file_duplicate.json"),
            "Copy a file. Links of the copy are adjusted to the same destinations.",
            CHANGE,
            Workbench::duplicate,
        ),
    ]
}

/// Queries, the history, and other tools.
fn other_tools() -> Vec<Tool> {
    vec![
        tool::<QueryArgs, _>(
            ("query", "query", "Query Code"),
            include_str!("../schemas/query.json"),
            "Ask about the workspace. `symbolInfo`, `hover`, `typeDefinition`: of a `symbol`, or at `line` and \
             `column`. `documentSymbols`: the outline of `path` with addresses. `diagnostics`: problems in a file, a \
             glob or all files. `references`: uses of a `symbol`. `implementations`, `typeHierarchy`, `callHierarchy`: \
             to any `depth`. `dependencies`: what `path` imports, or what imports it (`direction: \"importedBy\"`). \
             `workspaceSymbols`: by name. `codeActions`: refactors available at a position. `search`: by `text`, \
             `regex`, `pattern` or a target. `files`: list files. `projectInfo`. `gitStatus`.",
            READ.core(),
            Workbench::query,
        ),
        tool::<OpenArgs, _>(
            ("open", "open", "Open in Editor"),
            include_str!("../schemas/open.json"),
            "Show a `file` at lines, a `diff` of two files, a `gitDiff` between revisions, or a `symbol` in the user's \
             editor.",
            READ,
            Workbench::open_items,
        ),
        tool::<UndoArgs, _>(
            ("file_undo", "file/undo", "Undo Change"),
            include_str!("../schemas/file_undo.json"),
            "Undo a change by its id, or the latest one. Refused if a file changed since.",
            CHANGE,
            Workbench::undo,
        ),
        tool::<HistoryArgs, _>(
            ("file_history", "file/history", "List Changes"),
            include_str!("../schemas/file_history.json"),
            "List changes made here, latest first, with ids for file_undo.",
            READ,
            Workbench::history,
        ),
    ]
}

/// JSON Schema of a tool's arguments, without a workbench.
pub fn input_schema(name: &str) -> Option<Value> {
    tools().into_iter().find(|tool| tool.name == name).map(|tool| tool.input_schema().clone())
}

/// JSON-RPC error code of an error kind.
pub fn error_code(kind: Kind) -> i32 {
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
        // Code of LSP's `RequestCancelled`.
        Kind::Cancelled => -32800,
    }
}

/// Error in the form that all front ends use: `{kind, message, hint, candidates}`.
pub fn error_json(error: &Error) -> Value {
    let content = error.content();
    serde_json::json!({
        "kind": content.kind.name(),
        "message": content.message,
        "hint": content.hint,
        "candidates": content.candidates,
    })
}

#[cfg(test)]
#[path = "catalog_tests.rs"]
mod tests;
