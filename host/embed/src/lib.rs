//! Precise file edits for Rust programs: reads and edits files by naming the thing (a symbol, a JSONPath, a CSS selector,
//! an XPath, a heading), moves files together with their links, and undoes every change.
//!
//! A [`Host`] has the tools of the program `marq`, in this process: no server, no command line. Formats are *language
//! packs*: WebAssembly components in a sandbox, as bytes or in a folder.
//!
//! ```no_run
//! use marquetry::Host;
//! use serde_json::json;
//!
//! fn main() -> marquetry::Result<()> {
//!     let host = Host::builder()
//!         .root(".")
//!         .pack_folder("target/wasm32-wasip2/release")
//!         .build()?;
//!     let edit = json!({ "file": "package.json", "path": "$.version", "operation": "replace", "content": "\"2.0.0\"" });
//!     let answer = host.call("file_edit", edit)?;
//!     println!("{}", answer["diff"].as_str().unwrap_or_default());
//!     Ok(())
//! }
//! ```
//!
//! - Calls: [`Host::call`] with JSON, [`Host::call_async`] for any executor, and a method for each tool with its types,
//!   such as [`Host::file_edit`].
//! - Files: folders, with transactions that survive a crash, or [`MemoryFiles`], or another implementation of
//!   [`ports::Files`].
//! - Models: [`Host::tool_definitions`] in the format of their API, and [`Host::text_for_model`].
//!
//! The crate has no command line and no network. The features `git` and `servers` add git repositories and language
//! servers. It must not depend on protocols.

mod builder;
mod event;
pub mod folders;
mod host;
mod memory;
mod pending;
pub mod ports;
mod roots;
mod typed;
mod workers;

/// Compiles the programs in `docs/embedding.md` as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/embedding.md")]
struct Page;

pub use marquetry_catalog::{Catalog, Tool, ToolFormat, error_json};
pub use marquetry_model::{Error, Kind, Progress, Result, Work};
pub use marquetry_runtime::{BundledPlugin, Compiler, PackSet, TrustPolicy};
pub use marquetry_tools::{
    CreateArgs, CreateResult, DeleteArgs, DeleteResult, DuplicateArgs, DuplicateResult, EditArgs, EditResult, FileEdit,
    HistoryArgs, HistoryResult, MoveArgs, MovePair, MoveResult, OneEdit, OpenArgs, OpenItem, OpenResult, OperationName,
    PositionName, QueryArgs, QueryResult, ReadAnswer, ReadArgs, ReadResult, RenameArgs, RenameResult, TargetArgs,
    UndoArgs, UndoResult,
};

pub use builder::{DEFAULT_REGISTRY, HostBuilder};
pub use event::{Event, EventKind};
pub use host::Host;
pub use memory::MemoryFiles;
pub use pending::PendingCall;
