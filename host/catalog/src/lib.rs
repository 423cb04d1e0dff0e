//! The catalog of tools: names, descriptions, schemas, validation of arguments, calls, and answers as text.
//!
//! Every front end and the library use this one catalog. It must not depend on protocols, async runtimes or formats.

mod arguments;
mod catalog;
mod other_names;
mod refactor_arguments;
mod running;
#[cfg(test)]
mod schema;
pub mod text;
mod tool;
mod tool_formats;
mod tool_schemas;
mod tools;

pub use catalog::Catalog;
pub use running::{CallEvent, Running, RunningCall};
pub use tool::{Answer, Tool, error_json};
pub use tool_formats::{ToolFormat, list as tool_list};
pub use tools::{input_schema, tools};
