//! One tool: its names, its schemas, and the function that answers a call.

use std::any::Any;

use marquetry_model::{Error, Result, pack::TargetKind};
use marquetry_tools::Workbench;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, value::RawValue};

use crate::{
    arguments,
    tool_schemas::{self, Schemas},
};

type Call = Box<dyn Fn(&Workbench, Value) -> Result<Box<dyn Answer>> + Send + Sync>;

/// Answer of a tool that is not serialized yet.
pub trait Answer: Send {
    /// Serializes to JSON text.
    fn to_json_text(&self) -> Result<Box<RawValue>>;
    /// Serializes to a JSON value.
    fn to_json(&self) -> Result<Value>;
    /// Returns the result of the tool with its type.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<T: Serialize + Send + 'static> Answer for T {
    fn to_json_text(&self) -> Result<Box<RawValue>> {
        serde_json::value::to_raw_value(self).map_err(serialization_error)
    }

    fn to_json(&self) -> Result<Value> {
        serde_json::to_value(self).map_err(serialization_error)
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
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
    pub(crate) schemas: Schemas,
    /// Type information to check the schemas against.
    #[cfg(test)]
    pub(crate) types: crate::schema::Types,
    call: Call,
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
    pub(crate) fn file_argument(&self) -> Option<&'static str> {
        ["file", "source", "path"].into_iter().find(|name| self.input_schema()["properties"].get(name).is_some())
    }
}

/// Arguments that describe a call in the history, in this order. The names of targets are shown between the two lists.
const DESCRIPTIVE_ARGUMENTS: ([&str; 10], [&str; 7]) = (
    ["type", "file", "files", "source", "path", "paths", "destination", "id", "refactor", "target"],
    ["operation", "text", "regex", "query", "pattern", "newName", "template"],
);

impl Tool {
    /// Runs the tool with validated arguments.
    pub(crate) fn run(&self, bench: &Workbench, arguments: Value) -> Result<Box<dyn Answer>> {
        (self.call)(bench, arguments)
    }

    /// Describes a call by its arguments.
    pub(crate) fn call_description(&self, arguments: &Map<String, Value>) -> String {
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

/// Creates a tool from its function, whose types the schemas describe.
pub(crate) fn tool<A, R>(
    (name, method, title): (&'static str, &'static str, &'static str),
    schemas: &'static str,
    description: &'static str,
    ToolAnnotations { core, read_only, destructive, idempotent }: ToolAnnotations,
    run: fn(&Workbench, &A) -> Result<R>,
) -> Tool
where
    A: Serialize + DeserializeOwned + JsonSchema + 'static,
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
pub(crate) struct ToolAnnotations {
    core: bool,
    read_only: bool,
    destructive: bool,
    idempotent: bool,
}

impl ToolAnnotations {
    /// Marks a tool as needed for most work.
    pub(crate) const fn core(self) -> ToolAnnotations {
        ToolAnnotations { core: true, ..self }
    }
}

/// Annotations of tools that change nothing.
pub(crate) const READ: ToolAnnotations =
    ToolAnnotations { core: false, read_only: true, destructive: false, idempotent: true };
/// Annotations of tools that change files.
pub(crate) const CHANGE: ToolAnnotations =
    ToolAnnotations { core: false, read_only: false, destructive: true, idempotent: false };

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
