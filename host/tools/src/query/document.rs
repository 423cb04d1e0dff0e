//! What one document says of itself: its symbols and its problems.

use marquetry_model::{
    Error, Kind, Result,
    pack::{Node, Severity},
    text::Lines,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, QueryArgs, QueryResult, needed};
use crate::{
    shape::{Range, range},
    workbench::{Opened, Workbench},
};

/// The outline of a file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Symbols {
    /// The outermost symbols.
    pub symbols: Vec<Symbol>,
}

/// One symbol.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: String,
    /// Finds exactly this symbol.
    pub address: String,
    /// Where it stands.
    pub range: Range,
    /// Where its name stands.
    pub selection_range: Range,
    /// Depth of a heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// The symbols inside it.
    pub children: Vec<Symbol>,
}

/// The problems of one file or all files.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Diagnostics {
    /// The problems, file by file.
    pub diagnostics: Vec<Diagnostic>,
    /// Files that could not be checked, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
}

/// One problem.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Diagnostic {
    /// The file.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// From 0, in UTF-16 code units.
    pub column: usize,
    /// `error`, `warning`, `info` or `hint`.
    pub severity: &'static str,
    /// What is wrong.
    pub message: String,
    /// Which plugin says so.
    pub source: String,
    /// The rule's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// Problems of the whole workspace are listed up to here.
const MOST_DIAGNOSTICS: usize = 2_000;

impl Workbench {
    pub(super) fn document_symbols(&self, args: &QueryArgs) -> Result<QueryResult> {
        let opened = self.open(args.root.as_deref(), needed(&args.path, "path", "documentSymbols")?)?;
        let nodes = opened.pack.open(&opened.source.path, &opened.source.text)?.outline()?;
        let lines = Lines::new(&opened.source.text);
        Ok(QueryResult {
            success: true,
            data: Answer::Symbols(Symbols { symbols: tree(nodes, &lines) }),
            completeness: "complete".to_owned(),
            engine: opened.pack.description().id.clone(),
        })
    }

    pub(super) fn diagnostics(&self, args: &QueryArgs) -> Result<QueryResult> {
        let least = severity(args.severity.as_deref())?;
        let root = args.root.as_deref();
        if let Some(path) = &args.path {
            let opened = self.open(root, path)?;
            let found = Diagnostics { diagnostics: diagnostics_of(&opened, least)?, skipped: Vec::new() };
            return Ok(answer(found, "complete".to_owned(), opened.pack.description().id.clone()));
        }
        let mut found = Diagnostics { diagnostics: Vec::new(), skipped: Vec::new() };
        let mut completeness = "complete".to_owned();
        let stamps = self.files(root)?.walk("")?;
        let stage = self.work.stage("checking files", stamps.len());
        for stamp in stamps {
            stage.step()?;
            match self.open(root, &stamp.path).and_then(|opened| diagnostics_of(&opened, least)) {
                Ok(list) => found.diagnostics.extend(list),
                Err(error) if matches!(error.kind(), Kind::Unsupported | Kind::FileNotFound) => {}
                Err(error) => found.skipped.push(format!("{}: {error}", stamp.path)),
            }
            if found.diagnostics.len() > MOST_DIAGNOSTICS {
                completeness = format!("partial: the first {MOST_DIAGNOSTICS} problems; name a `path` for the rest");
                found.diagnostics.truncate(MOST_DIAGNOSTICS);
                break;
            }
        }
        Ok(answer(found, completeness, "packs".to_owned()))
    }
}

fn answer(found: Diagnostics, completeness: String, engine: String) -> QueryResult {
    QueryResult { success: true, data: Answer::Diagnostics(found), completeness, engine }
}

fn diagnostics_of(opened: &Opened, least: Severity) -> Result<Vec<Diagnostic>> {
    let problems = opened.pack.open(&opened.source.path, &opened.source.text)?.problems()?;
    let lines = Lines::new(&opened.source.text);
    let shown = problems.into_iter().filter(|problem| problem.severity <= least).map(|problem| {
        let position = lines.position(problem.span.start);
        Diagnostic {
            path: opened.source.path.clone(),
            line: position.line,
            column: position.column,
            severity: severity_name(problem.severity),
            message: problem.message,
            source: opened.pack.description().id.clone(),
            code: problem.code,
        }
    });
    Ok(shown.collect())
}

fn severity(name: Option<&str>) -> Result<Severity> {
    Ok(match name {
        Some("error") => Severity::Error,
        Some("warning") => Severity::Warning,
        Some("info") => Severity::Info,
        None | Some("hint") => Severity::Hint,
        Some(other) => {
            return Err(Error::argument(format!("no severity `{other}`"))
                .candidates(["error", "warning", "info", "hint"].map(str::to_owned)));
        }
    })
}

fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
        Severity::Hint => "hint",
    }
}

/// The list with parent indices as a tree. Built from the end: children come after their parents.
fn tree(nodes: Vec<Node>, lines: &Lines<'_>) -> Vec<Symbol> {
    let parents: Vec<Option<u32>> = nodes.iter().map(|node| node.parent).collect();
    let mut symbols: Vec<Option<Symbol>> = nodes.into_iter().map(|node| Some(symbol(node, lines))).collect();
    let mut roots = Vec::new();
    for index in (0..symbols.len()).rev() {
        let Some(mut done) = symbols[index].take() else { continue };
        done.children.reverse();
        match parents[index].and_then(|parent| symbols[parent as usize].as_mut()) {
            Some(parent) => parent.children.push(done),
            None => roots.push(done),
        }
    }
    roots.reverse();
    roots
}

fn symbol(node: Node, lines: &Lines<'_>) -> Symbol {
    Symbol {
        range: range(lines, node.span),
        selection_range: range(lines, node.selection),
        name: node.name,
        kind: node.kind,
        address: node.address,
        level: node.level,
        children: Vec::new(),
    }
}
