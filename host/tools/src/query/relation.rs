//! Results of hierarchy queries.

use schemars::JsonSchema;
use serde::Serialize;

use crate::result_types::{Location, Range};

/// Symbols that are related to a given symbol.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Relations {
    /// The symbol that was asked about.
    pub symbol: String,
    /// Related symbols, closest first. Each one is listed once, even if it is reached several times.
    pub items: Vec<Relation>,
}

/// A related symbol with its declaration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Relation {
    /// Name.
    pub name: String,
    /// Kind, such as `class`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Position of the declaration.
    #[serde(flatten)]
    pub at: Location,
    /// Its address in the file, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Range of the whole declaration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// Text of its line.
    pub preview: String,
    /// The specifier it is imported from, if no file of the workspace declares it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Number of steps from the symbol.
    pub depth: usize,
    /// The intermediate symbol that it is related to, as an address in its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// Positions of the calls, in the file of the caller.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallSite>,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CallSite {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 0, in UTF-16 code units.
    pub column: usize,
    /// Text of the line.
    pub preview: String,
}

/// Symbols that are one step away, and the reason if they may be incomplete.
pub(super) type Step = (Vec<Relation>, Option<String>);
