//! `query`: what is in the workspace. One file per family of types.

mod document;

use marquetry_model::{Error, Kind, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::workbench::Workbench;

/// Arguments of `query`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueryArgs {
    /// Absolute path of the project; by default the root the server was started with.
    pub root: Option<String>,
    /// What to ask: `documentSymbols`, `diagnostics`.
    pub r#type: String,
    /// The file.
    pub path: Option<String>,
    /// The least bad to report: `error`, `warning`, `info`, `hint` (default: all).
    pub severity: Option<String>,
}

/// Result of `query`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct QueryResult {
    /// Always true: a failure is an error.
    pub success: bool,
    /// The answer, in the shape of its type.
    pub data: Answer,
    /// `complete`, `syntactic` or `partial: why`.
    pub completeness: String,
    /// Which plugin answered.
    pub engine: String,
}

/// The answer of a query.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Answer {
    /// `documentSymbols`
    Symbols(document::Symbols),
    /// `diagnostics`
    Diagnostics(document::Diagnostics),
}

/// The types that can be asked.
pub const TYPES: [&str; 2] = ["documentSymbols", "diagnostics"];

impl Workbench {
    /// Ask.
    pub fn query(&self, args: &QueryArgs) -> Result<QueryResult> {
        match args.r#type.as_str() {
            "documentSymbols" => self.document_symbols(args),
            "diagnostics" => self.diagnostics(args),
            other => Err(Error::new(Kind::Unsupported, format!("no query `{other}`")).candidates(TYPES.map(str::to_owned))),
        }
    }
}

/// An argument that this type of query needs.
pub(crate) fn needed<'a>(value: &'a Option<String>, name: &str, kind: &str) -> Result<&'a str> {
    value.as_deref().ok_or_else(|| Error::argument(format!("`{name}` is missing")).hint(format!("the query `{kind}` needs `{name}`")))
}
