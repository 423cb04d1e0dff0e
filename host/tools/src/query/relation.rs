//! Things that are related to another one: how they are told.

use schemars::JsonSchema;
use serde::Serialize;

use crate::shape::{Location, Range};

/// Things that are related to the one asked about.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Relations {
    /// The symbol that was asked about.
    pub symbol: String,
    /// The related ones, the nearest first; each once, however often it is reached.
    pub items: Vec<Relation>,
}

/// One related thing, where it is declared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Relation {
    /// Its name.
    pub name: String,
    /// What it is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Where it is declared.
    #[serde(flatten)]
    pub at: Location,
    /// Its address in the file, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The whole of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// The text of its line.
    pub preview: String,
    /// The specifier it comes from, where no file of the workspace declares it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// How many steps away it is.
    pub depth: usize,
    /// What it is related to, where that is not the symbol itself: an address in the file of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// Where the calls stand, in the file of the caller.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallSite>,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CallSite {
    /// From 1.
    pub line: usize,
    /// From 0, in UTF-16 code units.
    pub column: usize,
    /// The text of the line.
    pub preview: String,
}

/// What is one step away, and why that may not be all.
pub(super) type Step = (Vec<Relation>, Option<String>);
