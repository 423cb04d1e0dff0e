//! The index of a workspace: the links of each file, their targets, and the names it exports and imports.
//!
//! The packs build it in parallel. It is cached in memory and on disk, and every use updates it according to sizes,
//! modification times and content. This crate does not depend on any format or protocol.

mod answers;
mod build;
mod changes;
mod counts;
mod entry;
mod freshness;
mod importer;
mod latest;
mod layout;
mod lookup_probes;
mod name_users;
mod outlines;
mod outside_lookups;
mod parallel;
mod resolve;
mod snapshot;
mod stale_indices;
mod store;
mod stored_answers;
mod survey;
mod texts;
mod types;
mod visibility;
mod word_filter;
mod workspace;

pub use counts::{Count, CountKey};
pub use entry::{DetailLevel, Entry, LinkFact, MEMBER_LINK, Names, POSSIBLE_LINK, SymbolFact, Target};
pub use importer::Importer;
pub use outlines::{OutlineNode, Outlines};
pub use parallel::{parallel_map, parallel_map_with};
pub use stale_indices::stale_indices;
pub use survey::Survey;
pub use types::{Base, TypeFact, Types};
pub use workspace::{Graph, MemberFiles, Workspace};
