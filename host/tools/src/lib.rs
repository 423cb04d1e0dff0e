//! The product: one file per tool. Arguments and results are the binding shapes of the specification; everything below
//! is reached through the ports of `model`. Knows no wasm, no JSON-RPC, no MCP, no format and no editor.

mod call_files;
mod create;
mod dangling;
mod delete;
mod document;
mod draft;
mod duplicate;
mod edit;
mod exports;
mod held;
mod history;
mod main_export;
mod open;
mod page;
pub mod query;
mod read;
mod refactor;
mod relink;
mod relocate;
mod rename_symbol;
mod selection;
mod session;
mod shape;
mod spelled;
mod spread;
mod target;
mod template;
mod trial;
mod turns;
mod words;
mod workbench;

pub use create::{CreateArgs, CreateResult};
pub use delete::{DeleteArgs, DeleteResult};
pub use duplicate::{DuplicateArgs, DuplicateResult};
pub use edit::{EditArgs, EditResult};
pub use history::{HistoryArgs, HistoryResult, UndoArgs, UndoResult};
pub use open::{ItemResult, OpenArgs, OpenItem, OpenResult, ShowResult, Shown};
pub use query::{QueryArgs, QueryResult};
pub use read::{ReadAnswer, ReadArgs, ReadResult};
pub use refactor::SelectionRange;
pub use relocate::{MoveArgs, MoveResult, RenameArgs, RenameResult};
pub use shape::{FileChange, Point, Range};
pub use template::TEMPLATE_FOLDER;
pub use trial::Checked;
pub use workbench::Workbench;
