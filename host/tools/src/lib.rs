//! The product: one file per tool. Arguments and results are the binding shapes of the specification; everything below
//! is reached through the ports of `model`. Knows no wasm, no JSON-RPC, no MCP, no format and no editor.

mod create;
mod edit;
mod history;
mod open_document;
pub mod query;
mod read;
mod shape;
mod target;
mod template;
mod workbench;

pub use create::{CreateArgs, CreateResult};
pub use edit::{EditArgs, EditResult};
pub use history::{HistoryArgs, HistoryResult, UndoArgs, UndoResult};
pub use query::{QueryArgs, QueryResult};
pub use read::{ReadArgs, ReadResult};
pub use shape::{FileChange, Point, Range};
pub use template::TEMPLATE_FOLDER;
pub use workbench::Workbench;
