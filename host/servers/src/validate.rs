//! Validation of server answers: ranges must be in the text, edited files must be in the root, edits must not overlap,
//! and the number of items is limited. An invalid answer is treated as a failure of the server.

use std::{collections::BTreeMap, sync::Arc};

use lsp_types::{
    Diagnostic, DiagnosticSeverity, GotoDefinitionResponse, Hover, HoverContents, Location, MarkedString,
    NumberOrString, Position, Range, TextEdit, WorkspaceEdit,
};
use marquetry_model::{
    Edit, EditSet, Error, Kind, Result, Span,
    pack::Severity,
    ports::{Files, Source},
    servers::{ServerDiagnostic, ServerEdits, ServerLocation},
    text::{self, Lines},
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::limits;

/// Validates and converts the answers of one server.
pub(crate) struct Validator<'a> {
    pub(crate) server: &'a str,
    pub(crate) files: &'a Arc<dyn Files>,
    /// The file of the request, with the text that was sent to the server.
    pub(crate) source: &'a Source,
}

/// Number of locations outside of the root, which no tool can show.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutsideCount(pub(crate) usize);

/// A place that a server names as a definition.
pub(crate) struct Target {
    pub(crate) uri: String,
    pub(crate) range: Range,
}

/// The file of a definition.
pub(crate) enum TargetFile {
    Outside,
    /// The path of a file in the root that cannot be read as text.
    Unread(String),
    Read(Source),
}

impl Validator<'_> {
    /// Converts the answer to `textDocument/hover`.
    pub(crate) fn hover(&self, answer: Value) -> Result<Option<(String, Option<Span>)>> {
        if answer.is_null() {
            return Ok(None);
        }
        let hover: Hover = self.read(answer)?;
        let text = match hover.contents {
            HoverContents::Scalar(text) => marked_string(text),
            HoverContents::Array(texts) => texts.into_iter().map(marked_string).collect::<Vec<_>>().join("\n\n"),
            HoverContents::Markup(markup) => markup.value,
        };
        let span =
            hover.range.map(|range| self.span(&Lines::new(&self.source.text), &self.source.text, range)).transpose()?;
        let text = remove_images(&text);
        Ok((!text.trim().is_empty()).then(|| (text.trim().to_owned(), span)))
    }

    /// Converts a list of locations, sorted by file. Also returns the number of locations outside of the root.
    pub(crate) fn locations(&self, answer: Value) -> Result<(Vec<ServerLocation>, OutsideCount)> {
        let list: Option<Vec<Location>> = self.read(answer)?;
        let list = list.unwrap_or_default();
        self.check_count(list.len(), "places")?;
        let mut by_file: BTreeMap<String, Vec<Range>> = BTreeMap::new();
        for location in list {
            by_file.entry(location.uri.as_str().to_owned()).or_default().push(location.range);
        }
        let (mut places, mut outside) = (Vec::new(), OutsideCount::default());
        for (uri, ranges) in by_file {
            let Some(path) = self.path_in_root(&uri)? else {
                outside.0 += ranges.len();
                continue;
            };
            let source = self.source(&path)?;
            let lines = Lines::new(&source.text);
            for range in ranges {
                places.push(ServerLocation { path: path.clone(), span: self.span(&lines, &source.text, range)? });
            }
        }
        places.sort_by(|a, b| (&a.path, a.span.start, a.span.end).cmp(&(&b.path, b.span.start, b.span.end)));
        places.dedup();
        Ok((places, outside))
    }

    /// Converts the answer to `textDocument/definition`: a location, a list of them, or a list of links.
    pub(crate) fn targets(&self, answer: Value) -> Result<Vec<Target>> {
        let answer: Option<GotoDefinitionResponse> = self.read(answer)?;
        let location = |location: Location| Target { uri: location.uri.as_str().to_owned(), range: location.range };
        let targets: Vec<Target> = match answer {
            None => Vec::new(),
            Some(GotoDefinitionResponse::Scalar(only)) => vec![location(only)],
            Some(GotoDefinitionResponse::Array(list)) => list.into_iter().map(location).collect(),
            Some(GotoDefinitionResponse::Link(list)) => list
                .into_iter()
                .map(|link| Target { uri: link.target_uri.as_str().to_owned(), range: link.target_selection_range })
                .collect(),
        };
        self.check_count(targets.len(), "definitions")?;
        Ok(targets)
    }

    /// Reads the file of a definition.
    pub(crate) fn target_file(&self, uri: &str) -> Result<TargetFile> {
        let Some(path) = self.path_in_root(uri)? else { return Ok(TargetFile::Outside) };
        if path == self.source.path {
            return Ok(TargetFile::Read(self.source.clone()));
        }
        Ok(self.files.read(&path).map_or(TargetFile::Unread(path), TargetFile::Read))
    }

    /// Converts the diagnostics of the file in question.
    pub(crate) fn diagnostics(&self, answer: Value) -> Result<Vec<ServerDiagnostic>> {
        let list: Vec<Diagnostic> = self.read(answer)?;
        self.check_count(list.len(), "problems")?;
        let lines = Lines::new(&self.source.text);
        let mut problems = Vec::with_capacity(list.len());
        for found in list {
            let code = match found.code {
                Some(NumberOrString::Number(number)) => Some(number.to_string()),
                Some(NumberOrString::String(word)) => Some(word),
                None => None,
            };
            problems.push(ServerDiagnostic {
                span: self.span(&lines, &self.source.text, found.range)?,
                severity: match found.severity {
                    Some(DiagnosticSeverity::WARNING) => Severity::Warning,
                    Some(DiagnosticSeverity::INFORMATION) => Severity::Info,
                    Some(DiagnosticSeverity::HINT) => Severity::Hint,
                    _ => Severity::Error,
                },
                message: found.message,
                source: found.source.unwrap_or_default(),
                code,
            });
        }
        problems.sort_by_key(|problem| (problem.span.start, problem.span.end));
        Ok(problems)
    }

    /// Converts a workspace edit to one set of edits per file.
    pub(crate) fn edits(&self, answer: Value) -> Result<Vec<ServerEdits>> {
        let edit: Option<WorkspaceEdit> = self.read(normalize_edit(answer)?)?;
        let mut by_file: BTreeMap<String, Vec<TextEdit>> = BTreeMap::new();
        for (uri, edits) in edit.and_then(|edit| edit.changes).unwrap_or_default() {
            by_file.entry(uri.as_str().to_owned()).or_default().extend(edits);
        }
        self.check_count(by_file.values().map(Vec::len).sum(), "edits")?;
        let mut all = Vec::new();
        for (uri, edits) in by_file {
            let path = self.path_in_root(&uri)?.ok_or_else(|| {
                Error::new(
                    Kind::OutsideWorkspace,
                    format!("the server `{}` would edit {uri}, which is outside of the root", self.server),
                )
            })?;
            let source = self.source(&path)?;
            let lines = Lines::new(&source.text);
            let edit =
                |edit: TextEdit| Ok(Edit { span: self.span(&lines, &source.text, edit.range)?, text: edit.new_text });
            let edits: Vec<Edit> = edits.into_iter().map(edit).collect::<Result<_>>()?;
            let set = EditSet::new(&source.text, edits)
                .map_err(|error| self.invalid_answer(&format!("{path}: {}", error.content().message)))?;
            all.push((source.clone(), set.as_slice().to_vec()));
        }
        all.sort_by(|a, b| a.0.path.cmp(&b.0.path));
        Ok(all)
    }

    pub(crate) fn read<T: DeserializeOwned>(&self, answer: Value) -> Result<T> {
        serde_json::from_value(answer)
            .map_err(|error| self.invalid_answer(&format!("an answer of an unexpected type: {error}")))
    }

    pub(crate) fn check_count(&self, count: usize, what: &str) -> Result<()> {
        if count > limits::ITEMS {
            return Err(Error::new(
                Kind::LimitExceeded,
                format!("the server `{}` answers {count} {what}", self.server),
            )
            .hint(format!("at most {} are accepted", limits::ITEMS)));
        }
        Ok(())
    }

    /// Returns the path of a file in the root. `None` if it is outside of the root or not a `file:` URI.
    fn path_in_root(&self, uri: &str) -> Result<Option<String>> {
        if !uri.starts_with("file://") {
            return Ok(None);
        }
        match self.files.locate(uri) {
            Ok(path) => Ok(Some(path)),
            Err(error) if error.kind() == Kind::OutsideWorkspace => Ok(None),
            Err(error) => Err(self.invalid_answer(&error.content().message)),
        }
    }

    fn source(&self, path: &str) -> Result<Source> {
        if path == self.source.path {
            return Ok(self.source.clone());
        }
        self.files
            .read(path)
            .map_err(|error| self.invalid_answer(&format!("a position in a file that cannot be read: {error}")))
    }

    /// Converts a range. A column past the end of a line means the end of the line; the line after the last one means
    /// the end of the text.
    pub(crate) fn span(&self, lines: &Lines<'_>, text: &str, range: Range) -> Result<Span> {
        let place =
            |position: Position| {
                let line = position.line as usize + 1;
                match lines.offset(text::Position { line, column: position.character as usize }) {
                    Some(offset) => Ok(offset),
                    None if line == lines.count() + 1 && position.character == 0 => Ok(text.len()),
                    None => Err(self
                        .invalid_answer(&format!("a position on line {line} of a file with {} lines", lines.count()))),
                }
            };
        let (start, end) = (place(range.start)?, place(range.end)?);
        if start > end {
            return Err(self.invalid_answer("a range that ends before it starts"));
        }
        Ok(Span::new(start, end))
    }

    pub(crate) fn invalid_answer(&self, what: &str) -> Error {
        Error::new(Kind::PluginFailed, format!("the server `{}` sent an invalid answer: {what}", self.server))
    }
}

/// Converts a workspace edit with `documentChanges` to the form with `changes`. An edit that has `changes` is
/// unchanged.
fn normalize_edit(answer: Value) -> Result<Value> {
    let Some(list) = answer["documentChanges"].as_array() else { return Ok(answer) };
    let mut changes = serde_json::Map::new();
    for change in list {
        if let Some(kind) = change["kind"].as_str() {
            return Err(Error::new(Kind::Unsupported, format!("the server would also {kind} a file"))
                .hint("use file_move, file_create or file_delete for that"));
        }
        let uri = change["textDocument"]["uri"].as_str().unwrap_or_default().to_owned();
        let edits = change["edits"].as_array().cloned().unwrap_or_default();
        if let Some(known) = changes.entry(uri).or_insert_with(|| Value::Array(Vec::new())).as_array_mut() {
            known.extend(edits);
        }
    }
    Ok(serde_json::json!({ "changes": changes }))
}

/// Removes embedded images (`data:` URIs) from Markdown.
fn remove_images(text: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find("](data:") {
        let start = rest[..at].rfind("![").filter(|start| !rest[*start..at].contains(']'));
        let end = rest[at..].find(')').map(|length| at + length + 1);
        let (Some(start), Some(end)) = (start, end) else {
            let after = at + "](data:".len();
            kept.push_str(&rest[..after]);
            rest = &rest[after..];
            continue;
        };
        kept.push_str(&rest[..start]);
        rest = &rest[end..];
    }
    kept + rest
}

fn marked_string(text: MarkedString) -> String {
    match text {
        MarkedString::String(text) => text,
        MarkedString::LanguageString(code) => format!("```{}\n{}\n```", code.language, code.value),
    }
}

#[cfg(test)]
mod tests {
    use super::remove_images;

    #[test]
    fn only_pictures_are_removed_from_hover() {
        for (text, kept) in [
            ("a ![b](data:image/png;base64,AAAA) c", "a  c"),
            ("![b](data:x)![c](data:y)", ""),
            ("[a](data:x) ![b](https://x/y.png)", "[a](data:x) ![b](https://x/y.png)"),
            ("![a] [b](data:x)", "![a] [b](data:x)"),
            ("![a](data:x", "![a](data:x"),
            ("](data:", "](data:"),
        ] {
            assert_eq!(remove_images(text), kept, "{text}");
        }
    }
}
