//! The schemas of the tools, as data: a file of `schemas/` for each tool.

use std::sync::LazyLock;

use serde_json::{Value, value::RawValue};

/// The argument by which the caller of a tool that changes something says why. It is the history's, not the tool's.
pub(crate) const WHY: &str = "why";

/// The schemas of one tool: data of `schemas/`, parsed when it is asked for, because most calls of a program are of one tool.
/// A test compares them with the types they describe.
pub(crate) struct Schemas {
    pub(crate) arguments: LazyLock<Value, Box<dyn FnOnce() -> Value + Send + Sync>>,
    pub(crate) text: &'static str,
}

/// The text of a file of `schemas/`.
#[derive(serde::Deserialize)]
struct SchemaFile<'f> {
    #[serde(borrow)]
    arguments: &'f RawValue,
    #[serde(borrow)]
    result: &'f RawValue,
}

impl Schemas {
    pub(crate) fn new(text: &'static str, is_change: bool) -> Schemas {
        let with_why = move || {
            let mut schema = arguments(text);
            if is_change {
                schema["properties"][WHY] =
                    serde_json::json!({ "type": "string", "description": "Why, for file_history." });
            }
            schema
        };
        Schemas { arguments: LazyLock::new(Box::new(with_why)), text }
    }

    pub(crate) fn result(&self) -> Value {
        parsed(part(self.text, |file| file.result))
    }
}

/// The schema of arguments in the text of a tool's file.
pub(crate) fn arguments(text: &'static str) -> Value {
    parsed(part(text, |file| file.arguments))
}

fn part(text: &'static str, part: fn(SchemaFile<'static>) -> &'static RawValue) -> &'static str {
    serde_json::from_str(text).map_or("{}", |file| part(file).get())
}

fn parsed(schema: &str) -> Value {
    serde_json::from_str(schema).unwrap_or_default()
}
