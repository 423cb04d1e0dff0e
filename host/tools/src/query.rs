//! `query`: what is in the workspace. One file per family of types.

mod document;
mod hierarchy;
mod workspace;

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
    /// What to ask: `documentSymbols`, `diagnostics`, `dependencies`, `references`, `workspaceSymbols`, `implementations`,
    /// `typeHierarchy`, `callHierarchy`.
    pub r#type: String,
    /// The file.
    pub path: Option<String>,
    /// The least bad to report: `error`, `warning`, `info`, `hint` (default: all).
    pub severity: Option<String>,
    /// The symbol, by its address.
    pub symbol: Option<String>,
    /// The line of the symbol, from 1.
    pub line: Option<usize>,
    /// The column of the symbol, from 0.
    pub column: Option<usize>,
    /// `references`: with the declaration itself.
    pub include_declaration: Option<bool>,
    /// `dependencies`: `imports` or `importedBy`; `callHierarchy`: `incoming` or `outgoing`; `typeHierarchy`: `supertypes` or `subtypes`.
    pub direction: Option<String>,
    /// `workspaceSymbols`: a name or a part of it; `*` and `?` are wildcards.
    pub query: Option<String>,
    /// `workspaceSymbols`: only symbols of this kind.
    pub kind: Option<String>,
    /// `workspaceSymbols`: at most so many (default 100).
    pub limit: Option<usize>,
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
    /// `dependencies`
    Dependencies(workspace::Dependencies),
    /// `references`
    References(workspace::References),
    /// `workspaceSymbols`
    WorkspaceSymbols(workspace::WorkspaceSymbols),
    /// `implementations`, `typeHierarchy`, `callHierarchy`
    Relations(hierarchy::Relations),
}

impl QueryResult {
    pub(crate) fn new(data: Answer, completeness: String, engine: &str) -> QueryResult {
        QueryResult { success: true, data, completeness, engine: engine.to_owned() }
    }
}

/// The types that can be asked.
pub const TYPES: [&str; 8] = [
    "documentSymbols",
    "diagnostics",
    "dependencies",
    "references",
    "workspaceSymbols",
    "implementations",
    "typeHierarchy",
    "callHierarchy",
];
/// Those that the specification names and that need an editor, a language server or git.
const LATER: [&str; 6] = ["symbolInfo", "typeDefinition", "gitStatus", "projectInfo", "hover", "codeActions"];

impl Workbench {
    /// Ask.
    pub fn query(&self, args: &QueryArgs) -> Result<QueryResult> {
        match args.r#type.as_str() {
            "documentSymbols" => self.document_symbols(args),
            "diagnostics" => self.diagnostics(args),
            "dependencies" => self.dependencies(args),
            "references" => self.references(args),
            "workspaceSymbols" => self.workspace_symbols(args),
            "implementations" => self.implementations(args),
            "typeHierarchy" => self.type_hierarchy(args),
            "callHierarchy" => self.call_hierarchy(args),
            later if LATER.contains(&later) => {
                Err(Error::new(Kind::Unsupported, format!("the query `{later}` is not supported"))
                    .candidates(TYPES.map(str::to_owned)))
            }
            other => Err(Error::argument(format!("no query `{other}`")).candidates(TYPES.map(str::to_owned))),
        }
    }
}

/// An argument that this type of query needs.
pub(crate) fn needed<'a>(value: &'a Option<String>, name: &str, kind: &str) -> Result<&'a str> {
    value.as_deref().ok_or_else(|| {
        Error::argument(format!("`{name}` is missing")).hint(format!("the query `{kind}` needs `{name}`"))
    })
}
