//! The index of a workspace: the links of each file, their targets, and the names it exports and imports.
//!
//! Built by the packs in parallel, cached in memory and on disk, and brought up to date from sizes, modification times
//! and content at every use. Does not depend on any format or protocol.

mod answers;
mod beyond;
mod build;
mod changes;
mod cores;
mod counts;
mod current;
mod entry;
mod importer;
mod kept;
mod latest;
mod layout;
mod leftovers;
mod moment;
mod outlines;
mod probes;
mod resolve;
mod sight;
mod store;
mod survey;
mod takers;
mod texts;
mod types;
mod words;
mod workspace;

pub use cores::{on_all_cores, on_all_cores_with};
pub use counts::{Count, Counted};
pub use entry::{Entry, LinkFact, Names, Need, POSSIBLE, SymbolFact, Target};
pub use importer::Importer;
pub use leftovers::leftover_indices;
pub use outlines::{OutlineNode, Outlines};
pub use survey::Survey;
pub use types::{Base, TypeFact, Types};
pub use workspace::{Graph, Naming, Workspace};
