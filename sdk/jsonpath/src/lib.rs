//! RFC 9535 JSONPath over any tree.
//!
//! [`Query::parse`] accepts the whole standard and checks types; [`Query::select`] runs a query over any type that
//! implements [`Tree`] and returns the nodes in the order of the standard. Nothing recurses with the depth of the
//! document.
//!
//! For documents that store their values in a table, [`locations()`] computes addresses, [`find_nodes`] answers a
//! pack's queries with helpful failures, and [`operation_edits`] applies an operation with the help of a format's
//! [`ValueEditor`].
//!
//! One extension: `['name'#1]` is the first of several members with the same name, `#2` the second, and so on. A
//! plain name selects the last of them, as JSON parsers do.

#![warn(clippy::missing_errors_doc)]

mod address;
mod ast;
mod compare;
mod edit;
mod evaluate;
mod filter;
mod locations;
mod missing;
mod parse;
mod regexp;
mod shape;
mod suggestions;
mod target;
mod text;
mod tree;

pub use address::{normalized_index, normalized_name, push_index, push_name, push_occurrence};
pub use ast::{Query, Step};
pub use edit::{ValueEditor, operation_edits};
pub use evaluate::TooLarge;
pub use locations::{
    Location, ValueTable, duplicate_members, locations, outline_limit, outline_locations, overridden_keys,
};
pub use missing::{MissingTarget, NewStep, find_missing};
pub use parse::ParseError;
pub use shape::{shape, value_summary};
pub use suggestions::similar_nodes;
pub use target::{find_nodes, unsupported_kind};
pub use text::{is_number, json_text, json_text_within, push_string};
pub use tree::{Kind, Tree};
