//! What one document says of itself: its symbols and its problems.

use marquetry_model::{
    Error, Kind, Result, limits,
    pack::{Node, Severity},
    text::Lines,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, QueryArgs, QueryResult, needed};
use crate::{
    document::OpenFile,
    session::Session,
    shape::{Range, counted, range},
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
    /// Which problems are among them: `error`, `warning and worse` …
    pub reported: String,
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

/// Problems of the whole workspace are looked for up to here.
const MOST_DIAGNOSTICS: usize = 2_000;
/// What a pack's problems are: nothing says that the names and types in a file are right.
const SYNTAX_ONLY: &str = "syntactic: the syntax was checked; names, types and links were not";

/// Which problems are asked for.
struct Asked {
    least: Severity,
    only: bool,
}

impl Session {
    pub(super) fn document_symbols(&self, args: &QueryArgs) -> Result<QueryResult> {
        let file = self.open(needed(&args.path, "path", "documentSymbols")?)?;
        let lines = Lines::new(file.text());
        let depth = args.depth.unwrap_or(limits::SYMBOL_LEVELS).clamp(1, limits::SYMBOL_LEVELS);
        let (symbols, cut) = tree(file.outline()?, &lines, depth);
        let page = args.page(self, symbols);
        let more = if depth < limits::SYMBOL_LEVELS { "give a larger `depth`" } else { "read them by their addresses" };
        let deeper = (cut > 0).then(|| format!("{} below the depth; {more}", counted(cut, "symbol")));
        let truncated: Vec<String> = page.truncated.into_iter().chain(deeper).collect();
        let truncated = (!truncated.is_empty()).then(|| truncated.join("; "));
        let data = Answer::Symbols(Symbols { symbols: page.items });
        Ok(QueryResult::new(data, "complete".to_owned(), file.engine()).paged(page.total, truncated))
    }

    pub(super) fn diagnostics(&self, args: &QueryArgs) -> Result<QueryResult> {
        let asked = Asked::of(args)?;
        if let Some(path) = &args.path {
            let file = self.open(path)?;
            return Ok(self.answer(
                args,
                &asked,
                (diagnostics_of(&file, &asked)?, Vec::new()),
                SYNTAX_ONLY,
                file.engine(),
            ));
        }
        let (mut found, mut skipped) = (Vec::new(), Vec::new());
        let mut completeness = SYNTAX_ONLY.to_owned();
        let stamps = self.files.walk("")?;
        let stage = self.work.stage("checking files", stamps.len());
        for stamp in stamps {
            stage.step()?;
            match self.open(&stamp.path).and_then(|file| diagnostics_of(&file, &asked)) {
                Ok(list) => found.extend(list),
                Err(error) if matches!(error.kind(), Kind::Unsupported | Kind::FileNotFound) => {}
                Err(error) => skipped.push(format!("{}: {error}", stamp.path)),
            }
            if found.len() > MOST_DIAGNOSTICS {
                completeness = format!("partial: the first {MOST_DIAGNOSTICS} problems; name a `path` for the rest");
                found.truncate(MOST_DIAGNOSTICS);
                break;
            }
        }
        if !skipped.is_empty() && !completeness.starts_with("partial") {
            completeness =
                format!("partial: {} could not be checked; of the others the syntax", counted(skipped.len(), "file"));
        }
        Ok(self.answer(args, &asked, (found, skipped), &completeness, "packs"))
    }

    fn answer(
        &self,
        args: &QueryArgs,
        asked: &Asked,
        (found, skipped): (Vec<Diagnostic>, Vec<String>),
        completeness: &str,
        engine: &str,
    ) -> QueryResult {
        let page = args.page(self, found);
        let name = severity_name(asked.least);
        let reported = match (asked.only, asked.least) {
            (true, _) | (_, Severity::Error) => name.to_owned(),
            (false, Severity::Hint) => "all".to_owned(),
            (false, _) => format!("{name} and worse"),
        };
        let data = Answer::Diagnostics(Diagnostics { diagnostics: page.items, reported, skipped });
        QueryResult::new(data, completeness.to_owned(), engine).paged(page.total, page.truncated)
    }
}

impl Asked {
    fn of(args: &QueryArgs) -> Result<Asked> {
        match (&args.severity, &args.only) {
            (Some(_), Some(_)) => Err(Error::argument("`severity` and `only` exclude each other")
                .hint("`severity` reports what is that bad or worse, `only` exactly that")),
            (_, Some(only)) => Ok(Asked { least: severity(Some(only))?, only: true }),
            (least, None) => Ok(Asked { least: severity(least.as_deref())?, only: false }),
        }
    }

    fn takes(&self, severity: Severity) -> bool {
        if self.only { severity == self.least } else { severity <= self.least }
    }
}

fn diagnostics_of(file: &OpenFile, asked: &Asked) -> Result<Vec<Diagnostic>> {
    let problems = file.ask(|document| document.problems())?;
    let lines = Lines::new(file.text());
    let shown = problems.into_iter().filter(|problem| asked.takes(problem.severity)).map(|problem| {
        let position = lines.position(problem.span.start);
        Diagnostic {
            path: file.path().to_owned(),
            line: position.line,
            column: position.column,
            severity: severity_name(problem.severity),
            message: problem.message,
            source: file.engine().to_owned(),
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

/// The list with parent indices as a tree of so many levels, and how many symbols lie below. Built from the end: children
/// come after their parents. What is deeper never becomes a part of it: a tree is written and dropped level by level.
fn tree(nodes: Vec<Node>, lines: &Lines<'_>, most: usize) -> (Vec<Symbol>, usize) {
    let mut levels: Vec<usize> = Vec::with_capacity(nodes.len());
    for node in &nodes {
        levels.push(node.parent.and_then(|parent| levels.get(parent as usize)).map_or(1, |above| above + 1));
    }
    let parents: Vec<Option<u32>> = nodes.iter().map(|node| node.parent).collect();
    let shown = |(node, level): (Node, &usize)| (*level <= most).then(|| symbol(node, lines));
    let mut symbols: Vec<Option<Symbol>> = nodes.into_iter().zip(&levels).map(shown).collect();
    let below = levels.iter().filter(|level| **level > most).count();
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
    (roots, below)
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
