//! RFC 9535 JSONPath over any tree.
//!
//! [`Query::parse`] accepts the whole standard and checks types; [`Query::select`] runs a query over any type that
//! implements [`Tree`] and returns the nodes in the order of the standard. Nothing recurses with the depth of the
//! document.
//!
//! For documents that store their values in a table, [`places`] computes addresses, [`find`] answers a pack's queries
//! with helpful failures, and [`edits`] applies an operation with the help of a format's [`ValueEditor`].
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
