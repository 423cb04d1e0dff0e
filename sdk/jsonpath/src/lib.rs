//! RFC 9535 JSONPath over any tree.
//!
//! [`Query::parse`] takes the whole standard, with its type checks; [`Query::select`] runs a query over anything that
//! implements [`Tree`] and answers the nodes in the standard's order. Nothing here recurses with the document's depth.
//!
//! For documents that keep their values in a table there are also their [`places`], and [`find`] answers a pack's
//! queries with failures that help; [`edits`] carries out an operation with what a format says of one value.
//!
//! One extension: `['name'#1]` is the first of several members with the same name, `#2` the second, and so on. A plain
//! name is the last of them, which is the one that readers of JSON take.

#![warn(clippy::missing_errors_doc)]

mod address;
mod ast;
mod compare;
mod edit;
mod evaluate;
mod filter;
mod missing;
mod near;
mod parse;
mod places;
mod regexp;
mod shape;
mod target;
mod text;
mod tree;

pub use address::{normalized_index, normalized_name, push_index, push_name, push_occurrence};
pub use ast::{Query, Step};
pub use edit::{ValueEditor, edits};
pub use evaluate::TooLarge;
pub use missing::{Missing, NewStep, missing};
pub use near::near;
pub use parse::Invalid;
pub use places::{Layout, Place, outline, overridden, places, repeated};
pub use shape::{brief, shape};
pub use target::{find, wrong_kind};
pub use text::{is_number, json, json_within, push_string};
pub use tree::{Kind, Tree};
