//! `symbolInfo`, `hover` and `typeDefinition`.

use std::fmt::Write as _;

use marquetry_graph::{Count, CountKey};
use marquetry_model::{
    Error, Interface, Kind, Result, Span,
    hover::{FileLocation, HoverInfo},
    pack::{Node, Subject},
    text::{Lines, Position},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Answer, QueryArgs, QueryResult,
    symbol_details::{SymbolDetails, innermost, line_at},
};
use crate::{
    document::OpenFile,
    pagination::ByteBudget,
    result_types::{Location, Range, range_of},
    session::Session,
};

/// Result of `symbolInfo`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SymbolInfo {
    /// Name.
    pub name: String,
    /// Kind, such as `class`.
    pub kind: String,
    /// Its declared or inferred type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    /// Its declaration, as code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Text of its comment or schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
    /// Number of uses in the workspace; `None` if the format does not report uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub references: Option<usize>,
    /// Position of the declaration.
    pub location: Location,
    /// Its address in that file, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Range of the declaration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// Further information.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Remark>,
}

/// An additional piece of information.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Remark {
    /// `overridden by`, `leads to`, `default` …
    pub label: String,
    /// The information.
    pub text: String,
    /// Its position, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// Result of `hover`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Hover {
    /// Markdown, with code in fences.
    pub contents: String,
    /// Range of the element under the cursor.
    pub range: Range,
}

/// Result of `typeDefinition`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TypeDefinition {
    /// Name of the symbol.
    pub name: String,
    /// Its declared or inferred type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    /// Definitions of the type; empty for built-in types.
    pub definitions: Vec<Definition>,
}

/// Definition of a type.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Definition {
    /// Name.
    pub name: String,
    /// Kind, such as `class`.
    pub kind: String,
    /// Position of the declaration.
    #[serde(flatten)]
    pub location: Location,
    /// Its address in that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Range of the whole definition.
    pub range: Range,
    /// Its first line.
    pub preview: String,
    /// Text of the definition.
    pub content: String,
}

impl Session {
    pub(super) fn symbol_info(&self, args: &QueryArgs) -> Result<QueryResult> {
        let queried = self.location_of_query(args, "symbolInfo")?;
        let (path, engine, position) =
            (queried.file.path().to_owned(), queried.file.engine().to_owned(), queried.offset());
        let details = self.symbol_details(queried)?;
        let (references, incomplete) = match (&details.node, details.asked_at) {
            (Some(_), None) => (None, None),
            (Some(_), Some(at)) => self.count_references(&details.declaring_file, at)?,
            (None, _) => self.count_references(&self.open(&path)?, position)?,
        };
        let node = declaration(&details)?;
        let lines = Lines::new(details.declaring_file.text());
        let location = self.location(&(details.declaring_file.path().to_owned(), details.at));
        let SymbolDetails { hover, .. } = &details;
        let mut room = self.room(args);
        let mut cut = |what: &str, text: Option<String>| text.map(|text| room.prose(what, text));
        let info = SymbolInfo {
            name: hover.name.clone(),
            kind: hover.kind.clone(),
            r#type: cut("`type`", hover.r#type.clone()),
            code: cut("`code`", hover.code.clone().filter(|code| hover.r#type.as_ref() != Some(code))),
            documentation: cut("`documentation`", hover.documentation.clone()),
            notes: room.list("`notes`", self.remarks(hover)),
            references,
            location,
            range: node.as_ref().map(|node| range_of(&lines, node.span)),
            address: node.map(|node| node.address),
        };
        let completeness = incomplete.map_or_else(|| "complete".to_owned(), |why| format!("partial: {why}"));
        let mut answer = QueryResult::new(Answer::SymbolInfo(Box::new(info)), completeness, &engine);
        answer.truncated = room.truncated();
        Ok(answer)
    }

    pub(super) fn hover(&self, args: &QueryArgs) -> Result<QueryResult> {
        let location = self.location_of_query(args, "hover")?;
        let file = &location.file;
        let (engine, path, text) = (file.engine().to_owned(), file.path().to_owned(), file.text().clone());
        let details = self.symbol_details(location)?;
        let mut room = self.room(args);
        let contents = room.prose("`contents`", self.contents(&details, &path));
        let hover = Hover { contents, range: range_of(&Lines::new(&text), details.pointed) };
        let mut answer = QueryResult::new(Answer::Hover(hover), "complete".to_owned(), &engine);
        answer.truncated = room.truncated();
        Ok(answer)
    }

    pub(super) fn type_definition(&self, args: &QueryArgs) -> Result<QueryResult> {
        let location = self.location_of_query(args, "typeDefinition")?;
        let (path, engine, position) =
            (location.file.path().to_owned(), location.file.engine().to_owned(), location.offset());
        let name = location.file.description().name.clone();
        let details = self.symbol_details(location)?;
        let places = match (&details.node, details.asked_at) {
            (Some(_), None) => Vec::new(),
            (Some(_), Some(at)) => type_definitions(&details.declaring_file, at)?,
            (None, _) => type_definitions(&self.open(&path)?, position)?,
        };
        if places.is_empty() && details.hover.r#type.is_none() {
            let message = format!("the type of `{}` is unknown", details.hover.name);
            return Err(Error::new(Kind::Unsupported, message)
                .hint(format!("`symbolInfo` shows what the {name} file declares about it, `references` its uses")));
        }
        let mut definitions: Vec<Definition> =
            places.iter().filter_map(|place| self.definition(place).transpose()).collect::<Result<_>>()?;
        let mut room = self.room(args).share(2);
        let r#type = details.hover.r#type.map(|text| room.prose("`type`", text));
        for definition in &mut definitions {
            let what = format!("`content` of `{}`", definition.name);
            definition.content = room.prose(&what, std::mem::take(&mut definition.content));
        }
        let page = args.page(self, definitions).with_omissions_of(&room);
        let data = TypeDefinition { name: details.hover.name, r#type, definitions: page.items };
        let answer = QueryResult::new(Answer::TypeDefinition(data), "complete".to_owned(), &engine);
        Ok(answer.paged(page.total, page.truncated))
    }

    /// Size limit of the answer.
    fn room(&self, args: &QueryArgs) -> ByteBudget {
        ByteBudget::new(args.max_bytes.or(self.max_bytes))
    }

    /// Counts the uses of the symbol at an offset; `None` if the format does not report names.
    fn count_references(&self, file: &OpenFile, offset: usize) -> Result<(Option<usize>, Option<String>)> {
        let subject = Subject::At(offset);
        if !file.has(Interface::Symbols) || file.ask(|document| document.resolve_symbol(&subject)).is_err() {
            return Ok((None, None));
        }
        let scope = self.whole_workspace()?;
        let place = CountKey { path: file.path().to_owned(), hash: file.source.hash.clone(), offset };
        if let Some(Count { uses, incomplete }) = scope.survey.usage_count(&place) {
            return Ok((Some(uses), incomplete));
        }
        match self.references_of(&scope, file, subject) {
            Ok((uses, incomplete)) => {
                let uses = uses.iter().filter(|place| place.usage != "declaration" && place.certain).count();
                scope.survey.store_count(place, &Count { uses, incomplete: incomplete.clone() });
                Ok((Some(uses), incomplete))
            }
            Err(error) if error.kind() == Kind::Cancelled => Err(error),
            Err(error) => Ok((None, Some(format!("its uses could not be counted: {error}")))),
        }
    }

    /// Converts an offset to a line and column; the start of the file if it cannot be read.
    pub(super) fn location(&self, (path, offset): &FileLocation) -> Location {
        match self.files.read(path) {
            Ok(source) => Location::new(path, Lines::new(&source.text).position((*offset).min(source.text.len()))),
            Err(_) => Location::new(path, Position { line: 1, column: 0 }),
        }
    }

    fn remarks(&self, info: &HoverInfo) -> Vec<Remark> {
        let remark = |note: &marquetry_model::hover::Note| Remark {
            label: note.label.clone(),
            text: note.text.clone(),
            location: note.location.as_ref().map(|place| self.location(place)),
        };
        info.notes.iter().map(remark).collect()
    }

    /// Formats hover information as Markdown: the code in a fence of its language, then prose.
    fn contents(&self, details: &SymbolDetails, path: &str) -> String {
        let info = &details.hover;
        let mut out = String::new();
        let extension = details.declaring_file.path().rsplit_once('.').map_or("", |(_, extension)| extension);
        let code = info.code.clone().unwrap_or_else(|| match &info.r#type {
            Some(_) => String::new(),
            None => format!("({}) {}", info.kind, info.name),
        });
        let head = match (&info.r#type, code.is_empty()) {
            (Some(ty), true) => format!("({}) {}: {ty}", info.kind, info.name),
            _ => code,
        };
        // The fence must be longer than every run of backticks in the code.
        let longest = head.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        let _ = write!(out, "{fence}{extension}\n{head}\n{fence}");
        if let (Some(ty), Some(code)) = (&info.r#type, &info.code)
            && !code_contains_type(code, ty)
        {
            let _ = write!(out, "\n\ntype: `{ty}`");
        }
        if let Some(documentation) = &info.documentation {
            let _ = write!(out, "\n\n{documentation}");
        }
        if !info.notes.is_empty() {
            out.push('\n');
        }
        for remark in self.remarks(info) {
            let place = remark.location.filter(|_| remark.label != "leads to");
            let place = place.map_or_else(String::new, |at| format!(" ({}:{})", at.path, at.line));
            let _ = write!(out, "\n- {}: {}{place}", remark.label, remark.text);
        }
        if details.declaring_file.path() != path {
            let at = self.location(&(details.declaring_file.path().to_owned(), details.at));
            let _ = write!(out, "\n\n*declared in `{}:{}`*", at.path, at.line);
        }
        out
    }

    /// Returns the definition at an offset; `None` if the file cannot be read.
    fn definition(&self, (path, offset): &FileLocation) -> Result<Option<Definition>> {
        let Ok(file) = self.open_found(path) else { return Ok(None) };
        let nodes = file.outline()?;
        let named = nodes.iter().find(|node| node.selection.start == *offset);
        let node = named.or_else(|| innermost(&nodes, *offset));
        let text = file.text();
        let lines = Lines::new(text);
        let span = node.map_or(Span::new(0, 0), |node| node.span);
        let start = node.map_or(*offset, |node| node.selection.start).min(text.len());
        Ok(Some(Definition {
            name: node.map_or_else(|| path.clone(), |node| node.name.clone()),
            kind: node.map_or("file", |node| node.kind.as_str()).to_owned(),
            location: Location::new(path, lines.position(start)),
            address: node.map(|node| node.address.clone()),
            range: range_of(&lines, span),
            preview: line_at(text, start),
            content: span.slice(text).to_owned(),
        }))
    }
}

/// Returns whether code contains every word of a type.
fn code_contains_type(code: &str, ty: &str) -> bool {
    let words = |text: &'_ str| -> Vec<String> {
        let parts = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '…');
        parts.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let known = words(code);
    words(ty).iter().all(|word| known.contains(word))
}

/// Returns the type definitions that the pack of a file reports.
fn type_definitions(file: &OpenFile, at: usize) -> Result<Vec<FileLocation>> {
    if file.has(Interface::Hover) { file.ask(|document| document.type_definitions(at)) } else { Ok(Vec::new()) }
}

/// Returns the node of the declaration, in the declaring file.
pub(super) fn declaration(details: &SymbolDetails) -> Result<Option<Node>> {
    if let Some(node) = &details.node {
        return Ok(Some(node.clone()));
    }
    let nodes = details.declaring_file.outline()?;
    let named = nodes.iter().find(|node| node.selection.start == details.at);
    Ok(named
        .or_else(|| {
            innermost(&nodes, details.at)
                .filter(|node| node.selection.start <= details.at && details.at <= node.selection.end)
        })
        .cloned())
}
