//! `query`: questions about the workspace. One module per group of query types.

mod actions;
mod broken_links;
mod comment;
mod dependencies;
mod describe;
mod diagnostic_conditions;
mod diagnostic_types;
mod diagnostics;
mod document;
mod editor_diagnostics;
mod files;
mod hierarchy;
mod language_server;
mod location;
mod node_details;
mod project;
mod relation;
mod repository;
mod search;
mod subtypes;
mod symbol_details;
mod uncertain_references;
mod unused_arguments;
mod unused_exports;
mod workspace;

pub use diagnostic_types::Diagnostic;
pub(crate) use diagnostic_types::{RawDiagnostic, UNRESOLVED, to_diagnostics};
pub(crate) use diagnostics::FileFindings;
pub(crate) use search::match_count_text;

use marquetry_model::{Error, Kind, Result, nearest::nearest_names};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use language_server::{engine_name, is_server_engine};

use crate::{
    pagination::{ByteBudget, Page, paginate},
    session::Session,
};

/// Arguments of `query`.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueryArgs {
    /// Project root (default: the server's).
    pub root: Option<String>,
    /// Query type.
    #[schemars(extend("enum" = TYPES))]
    pub r#type: String,
    /// File or folder; `search`: a JSONPath if it starts with `$`.
    pub path: Option<String>,
    /// `diagnostics`: minimum severity.
    #[schemars(extend("enum" = ["error", "warning", "info", "hint"]))]
    pub severity: Option<String>,
    /// `diagnostics`: only this severity.
    #[schemars(extend("enum" = ["error", "warning", "info", "hint"]))]
    pub only: Option<String>,
    /// `diagnostics`: checks to run (default: all).
    #[serde(default)]
    #[schemars(extend("items" = {"type": "string", "enum": ["syntax", "links", "names"]}))]
    pub checks: Vec<String>,
    /// Address of the symbol.
    pub symbol: Option<String>,
    /// Line of the symbol, from 1.
    pub line: Option<usize>,
    /// Column of the symbol, from 0.
    pub column: Option<usize>,
    /// `codeActions`: first line of the selection, from 1.
    pub start_line: Option<usize>,
    /// Its column, from 0.
    pub start_column: Option<usize>,
    /// Last line of the selection.
    pub end_line: Option<usize>,
    /// Its column, exclusive.
    pub end_column: Option<usize>,
    /// `references`: include the declaration.
    pub include_declaration: Option<bool>,
    /// `references`: only this kind of use.
    #[schemars(extend("enum" = USAGES))]
    pub usage: Option<String>,
    /// Direction of `dependencies` and hierarchies.
    #[schemars(extend("enum" = ["imports", "importedBy", "incoming", "outgoing", "supertypes", "subtypes"]))]
    pub direction: Option<String>,
    /// `workspaceSymbols`: name or part; wildcards `*`, `?`.
    pub query: Option<String>,
    /// `workspaceSymbols`: only this kind.
    pub kind: Option<String>,
    /// Arguments of `search`.
    #[serde(flatten)]
    pub search: search::SearchArgs,
    /// Maximum results.
    pub limit: Option<usize>,
    /// Skip this many results.
    pub offset: Option<usize>,
    /// Maximum levels (`callHierarchy`: default 1).
    pub depth: Option<usize>,
    /// Maximum bytes of content.
    pub max_bytes: Option<usize>,
    /// `server`: the language server; `editor`: editor diagnostics.
    #[schemars(extend("enum" = ["plugin", "server", "editor"]))]
    pub engine: Option<String>,
}

/// Result of `query`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct QueryResult {
    /// Always true; failures are returned as errors.
    pub success: bool,
    /// The answer, in the form of its query type.
    pub data: Answer,
    /// `complete`, `syntactic` or `partial: reason`.
    pub completeness: String,
    /// The plugin that answered.
    pub engine: String,
    /// Warnings, such as a change that was interrupted and rolled back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Number of all items, if some were omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<usize>,
    /// Omitted parts, and how to get them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
}

/// The answer to a query.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Answer {
    /// `documentSymbols`
    Symbols(document::Symbols),
    /// `diagnostics`
    Diagnostics(diagnostics::Diagnostics),
    /// `dependencies`
    Dependencies(dependencies::Dependencies),
    /// `references`
    References(workspace::References),
    /// `workspaceSymbols`
    WorkspaceSymbols(workspace::WorkspaceSymbols),
    /// `implementations`, `typeHierarchy`, `callHierarchy`
    Relations(relation::Relations),
    /// `codeActions`
    Actions(actions::Actions),
    /// `symbolInfo`
    SymbolInfo(Box<describe::SymbolInfo>),
    /// `projectInfo`
    Project(Box<project::ProjectInfo>),
    /// `hover`
    Hover(describe::Hover),
    /// `typeDefinition`
    TypeDefinition(describe::TypeDefinition),
    /// `gitStatus`
    Git(Box<repository::GitStatus>),
    /// `search`
    Matches(search::Matches),
    /// `files`
    Files(files::FileList),
}

impl QueryResult {
    pub(crate) fn new(data: Answer, completeness: String, engine: &str) -> QueryResult {
        let engine = engine.to_owned();
        QueryResult { success: true, data, completeness, engine, warnings: Vec::new(), total: None, truncated: None }
    }

    /// Adds the total and the omissions of a page.
    pub(crate) fn paged(mut self, total: usize, truncated: Option<String>) -> QueryResult {
        self.total = truncated.is_some().then_some(total);
        self.truncated = truncated;
        self
    }
}

/// Kinds of uses.
pub(crate) const USAGES: [&str; 9] =
    ["declaration", "call", "read", "write", "type", "import", "export", "string", "comment"];

/// Values of `engine`.
const ENGINES: [&str; 3] = ["plugin", "server", editor_diagnostics::EDITOR];

/// Query types.
pub const TYPES: [&str; 16] = [
    "projectInfo",
    "symbolInfo",
    "hover",
    "typeDefinition",
    "documentSymbols",
    "diagnostics",
    "dependencies",
    "references",
    "workspaceSymbols",
    "implementations",
    "typeHierarchy",
    "callHierarchy",
    "codeActions",
    "gitStatus",
    "search",
    "files",
];

impl QueryArgs {
    /// Returns the page of a list that the call asks for.
    pub(crate) fn page<T: Serialize>(&self, session: &Session, items: Vec<T>) -> Page<T> {
        let mut room = ByteBudget::new(self.max_bytes.or(session.max_bytes));
        paginate(items, self.offset, self.limit, &mut room)
    }
}

impl Session {
    /// Answers a query.
    pub(crate) fn query(&self, args: &QueryArgs) -> Result<QueryResult> {
        let mut result = self.dispatch(args).map_err(to_query_error)?;
        result.warnings.extend(unused_arguments::unused_warnings(args));
        Ok(result)
    }

    fn dispatch(&self, args: &QueryArgs) -> Result<QueryResult> {
        if args.engine.as_deref() == Some(editor_diagnostics::EDITOR) {
            return self.diagnostics_of_editor(args);
        }
        if let Some(engine) = args.engine.as_deref().filter(|engine| !ENGINES.contains(engine)) {
            return Err(Error::argument(format!("unknown engine `{engine}`"))
                .hint("`plugin` is the default; `editor` is for `diagnostics`")
                .candidates(nearest_first(engine, &ENGINES)));
        }
        if Session::wants_server(args.engine.as_deref())? || self.is_answered_by_server(args) {
            return self.ask_language_server(args);
        }
        match args.r#type.as_str() {
            "documentSymbols" => self.document_symbols(args),
            "diagnostics" => self.diagnostics(args),
            "dependencies" => self.dependencies(args),
            "references" => self.references(args),
            "workspaceSymbols" => self.workspace_symbols(args),
            "implementations" | "typeHierarchy" | "callHierarchy" => self.relations(args),
            "codeActions" => self.code_actions(args),
            "symbolInfo" => self.symbol_info(args),
            "projectInfo" => self.project_info(args),
            "hover" => self.hover(args),
            "typeDefinition" => self.type_definition(args),
            "gitStatus" => self.git_status(args),
            "search" => self.search(args),
            "files" => self.list_files(args),
            other => Err(unknown_query(other)),
        }
    }
}

/// Converts an error of a query. For a name that cannot be resolved, packs report a failed refactoring, but a query
/// does not refactor.
fn to_query_error(error: Error) -> Error {
    if error.kind() == Kind::RefactorFailed { error.with_kind(Kind::InvalidTarget) } else { error }
}

/// Names that editors and other tools use for the query types.
const SYNONYMS: [(&[&str], &str); 10] = [
    (&["definition", "gotodefinition", "declaration", "symbol"], "symbolInfo"),
    (&["symbols", "outline", "structure"], "documentSymbols"),
    (&["refs", "usages", "uses"], "references"),
    (&["callers", "callees", "calls", "incomingcalls", "outgoingcalls"], "callHierarchy"),
    (&["supertypes", "subtypes", "inheritance"], "typeHierarchy"),
    (&["imports", "links", "importers"], "dependencies"),
    (&["errors", "problems", "lint", "warnings"], "diagnostics"),
    (&["grep", "find", "text", "pattern"], "search"),
    (&["list", "listfiles", "ls", "dir", "glob", "tree", "filelist", "directory", "folder"], "files"),
    (&["quickfix", "quickfixes", "refactors"], "codeActions"),
];

fn unknown_query(name: &str) -> Error {
    let plain = name.replace(['_', '-', ' '], "").to_lowercase();
    let meant = SYNONYMS.iter().find(|(others, _)| others.contains(&plain.as_str())).map(|(_, own)| (*own).to_owned());
    let hint = meant.as_ref().map_or("use one of the candidates".to_owned(), |own| format!("`{own}` answers that"));
    // With a clear match, the list of all other types is not needed.
    let mut candidates: Vec<String> = meant.into_iter().collect();
    for known in nearest_names(name, TYPES.map(str::to_owned)) {
        if !candidates.contains(&known) {
            candidates.push(known);
        }
    }
    if candidates.is_empty() {
        candidates = TYPES.map(str::to_owned).to_vec();
    }
    Error::argument(format!("unknown query type `{name}`")).hint(hint).candidates(candidates)
}

/// Returns all known words, most similar first.
pub(crate) fn nearest_first(given: &str, known: &[&str]) -> Vec<String> {
    let all = || known.iter().map(|known| (*known).to_owned());
    let mut words = nearest_names(given, all());
    let rest: Vec<String> = all().filter(|word| !words.contains(word)).collect();
    words.extend(rest);
    words
}

/// Returns a required argument of a query type.
pub(crate) fn required<'a>(value: &'a Option<String>, name: &str, kind: &str) -> Result<&'a str> {
    value.as_deref().ok_or_else(|| {
        Error::argument(format!("`{name}` is missing")).hint(format!("the query `{kind}` needs `{name}`"))
    })
}
