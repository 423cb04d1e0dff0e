//! Tool schemas, embedded from the files in `schemas/`.

use std::sync::LazyLock;

use serde_json::{Value, value::RawValue};

/// Argument of all tools that make changes. It gives the reason, which is stored in the history and not passed to the
/// tool.
pub(crate) const WHY: &str = "why";

/// Schemas of a tool, parsed on first use because most runs of the program call only one tool. A test compares them
/// with the types they describe.
pub(crate) struct Schemas {
    pub(crate) arguments: LazyLock<Value, Box<dyn FnOnce() -> Value + Send + Sync>>,
    pub(crate) text: &'static str,
}

/// Content of a file in `schemas/`.
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
        parse(section(self.text, |file| file.result))
    }
}

/// Schema of the arguments in a tool's file.
pub(crate) fn arguments(text: &'static str) -> Value {
    parse(section(text, |file| file.arguments))
}

fn section(text: &'static str, part: fn(SchemaFile<'static>) -> &'static RawValue) -> &'static str {
    serde_json::from_str(text).map_or("{}", |file| part(file).get())
}

fn parse(schema: &str) -> Value {
    serde_json::from_str(schema).unwrap_or_default()
}
