//! Parses the arguments of a refactor: its file or embedded part, the place, and its parameters.

use std::rc::Rc;

use marquetry_model::{
    Error, Interface, Kind, Result, Span, nearest,
    refactor::{Refactor, RefactorLocation, Selection},
    text::{Lines, Position},
};
use serde_json::Value;

use crate::{
    document::{FindOptions, Found, OpenFile, Part},
    edit::EditArgs,
    line_numbers::line_count_hint,
    session::Session,
    target::{SelectionRange, TargetArgs},
};

/// The refactor that the host implements for all packs.
pub(crate) const RENAME: &str = "rename_symbol";

/// Selects the document of a refactor: the file, or an embedded part at the place, such as a script in a page, if only
/// the pack of that part provides the refactor.
pub(super) fn refactor_part(session: &Session, file: &OpenFile, name: &str, args: &EditArgs) -> Result<Rc<Part>> {
    let whole = || Rc::clone(file.whole());
    if has_refactor(file.whole(), name) {
        return Ok(whole());
    }
    let place = PlaceArgs {
        range: args.selection_range.as_ref(),
        line: args.line,
        column: args.column,
        target: &args.edit.place,
    };
    // `selection` reports errors about the place.
    let Ok(Some(at)) = place.selection(session, file) else { return Ok(whole()) };
    Ok(embedded_part_at(session, file, at)?.filter(|part| has_refactor(part, name)).unwrap_or_else(whole))
}

fn has_refactor(part: &Part, name: &str) -> bool {
    part.description().refactors.iter().any(|refactor| refactor.id == name)
}

/// Returns the embedded part that contains a place.
pub(crate) fn embedded_part_at(session: &Session, file: &OpenFile, at: Selection) -> Result<Option<Rc<Part>>> {
    let part = file.part_at(session, at.span.start)?;
    Ok(part.filter(|part| at.span.end <= part.offset() + part.text().len()))
}

/// Converts a place in a file to a place in an embedded part.
pub(crate) fn selection_in_part(part: &Part, at: Selection) -> Selection {
    let offset = part.offset();
    let local = |at: usize| at.saturating_sub(offset);
    Selection { span: Span::new(local(at.span.start), local(at.span.end)), caret: local(at.caret) }
}

/// Returns the refactor with this name.
pub(super) fn find_refactor(part: &Part, name: &str) -> Result<Refactor> {
    let refactors = &part.description().refactors;
    refactors.iter().find(|refactor| refactor.id == name).cloned().ok_or_else(|| {
        let renames = part.has(Interface::Symbols).then_some(RENAME);
        let all: Vec<&str> = refactors.iter().map(|refactor| refactor.id.as_str()).chain(renames).collect();
        // The most similar names come first, then all others, so that the caller sees all available names.
        let mut candidates = nearest::nearest_names(name, all.iter().map(|id| (*id).to_owned()));
        let others = all.iter().map(|id| (*id).to_owned()).filter(|id| !candidates.contains(id)).collect::<Vec<_>>();
        candidates.extend(others);
        let message = format!("no refactor `{name}` for {} files", part.description().name);
        let error = Error::new(Kind::Unsupported, message);
        if all.is_empty() {
            return error.hint("make the change with `operation` and `content`");
        }
        error.hint("make the change with `operation`, or use a candidate").candidates(candidates)
    })
}

/// Arguments that describe a place in a file.
pub(crate) struct PlaceArgs<'a> {
    pub(crate) range: Option<&'a SelectionRange>,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
    pub(crate) target: &'a TargetArgs,
}

impl PlaceArgs<'_> {
    /// Returns the place in the text; `None` if the arguments do not describe one.
    pub(crate) fn selection(&self, session: &Session, file: &OpenFile) -> Result<Option<Selection>> {
        if let Some(range) = self.range {
            let span = span_of(file.text(), range)?;
            return Ok(Some(Selection { span, caret: span.start }));
        }
        if let Some(line) = self.line {
            let at = offset(file.text(), line, self.column)?;
            return Ok(Some(Selection { span: Span::new(at, at), caret: at }));
        }
        if self.target.given_targets(file.description()).is_empty() {
            return Ok(None);
        }
        selection_of_target(session, file, self.target).map(Some)
    }
}

/// Returns the selection to which the refactor applies.
pub(super) fn selection(session: &Session, file: &OpenFile, refactor: &Refactor, args: &EditArgs) -> Result<Selection> {
    let of_document = refactor.location == RefactorLocation::Document;
    let nothing = TargetArgs::default();
    let place = PlaceArgs {
        range: args.selection_range.as_ref(),
        line: args.line,
        column: args.column,
        // For a refactor of the whole document, `symbol` is a parameter instead of the place.
        target: if of_document { &nothing } else { &args.edit.place },
    };
    match place.selection(session, file)? {
        Some(selection) => Ok(selection),
        None if of_document => Ok(Selection { span: Span::new(0, 0), caret: 0 }),
        None => {
            let hint = match refactor.location {
                RefactorLocation::Selection => {
                    "give `selectionRange` {startLine, startColumn, endLine, endColumn}, or `symbol`"
                }
                _ => "give `symbol`, or `line` and `column`",
            };
            Err(Error::argument(format!("`{}` needs a symbol or a selection", refactor.id)).hint(hint))
        }
    }
}

/// Returns the node that a target matches.
fn selection_of_target(session: &Session, file: &OpenFile, target: &TargetArgs) -> Result<Selection> {
    let (name, given) = (target.name(), target.given_targets(file.description()));
    match file.find(session, given, FindOptions { limit: 20, values: false })? {
        Found::Places(places) if places.total == 1 => {
            let place = &places.list[0];
            Ok(Selection { span: place.span(), caret: place.selection().start })
        }
        Found::Places(places) => {
            Err(Error::new(Kind::AmbiguousTarget, format!("`{name}` matches {} places", places.total))
                .hint("use one of the candidates, or `line` and `column`")
                .candidates(places.list.iter().map(|place| place.address().to_owned())))
        }
        Found::Value(value) => {
            Err(Error::new(Kind::InvalidTarget, format!("`{name}` is a value ({}), not a node", value.text)))
        }
    }
}

fn span_of(text: &str, range: &SelectionRange) -> Result<Span> {
    let start = offset(text, range.start_line, Some(range.start_column))?;
    let end = match range.end_column {
        Some(column) => offset(text, range.end_line, Some(column))?,
        None => Lines::new(text).line(range.end_line).ok_or_else(|| no_line(text, range.end_line))?.end,
    };
    if start > end {
        return Err(Error::argument("the selection ends before it starts"));
    }
    Ok(Span::new(start, end))
}

/// Returns the offset of a place. Without a column, this is the start of the text on the line.
fn offset(text: &str, line: usize, column: Option<usize>) -> Result<usize> {
    let lines = Lines::new(text);
    let Some(column) = column else {
        let span = lines.line(line).ok_or_else(|| no_line(text, line))?;
        let own = span.slice(text);
        return Ok(span.start + (own.len() - own.trim_start().len()));
    };
    let at = lines.offset(Position { line, column });
    match at.filter(|at| lines.position(*at) == Position { line, column }) {
        Some(at) => Ok(at),
        None if lines.line(line).is_none() => Err(no_line(text, line)),
        None => Err(Error::argument(format!("line {line} has no column {column}"))
            .hint("columns are counted from 0 in UTF-16 code units")),
    }
}

fn no_line(text: &str, line: usize) -> Error {
    Error::argument(format!("no line {line}")).hint(line_count_hint(text))
}

/// Returns the parameters by name: strings unchanged, all other values as JSON.
pub(super) fn arguments(refactor: &Refactor, args: &EditArgs) -> Vec<(String, String)> {
    let takes = |name: &str| refactor.arguments.iter().any(|argument| argument.name == name);
    let mut given: Vec<(String, String)> = Vec::new();
    let strings = [("extractedName", &args.extracted_name), ("newName", &args.new_name), ("scope", &args.scope)];
    given.extend(strings.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?))));
    // `newName` is accepted for the name of an extracted symbol, too.
    if args.extracted_name.is_none() && takes("extractedName") && !takes("newName") {
        for (name, _) in given.iter_mut().filter(|(name, _)| name == "newName") {
            *name = "extractedName".to_owned();
        }
    }
    if args.edit.all {
        given.push(("all".to_owned(), "true".to_owned()));
    }
    let symbol = args.edit.place.symbol.as_ref().or(args.edit.place.target.as_ref());
    if refactor.location == RefactorLocation::Document
        && let Some(symbol) = symbol
    {
        given.push(("symbol".to_owned(), symbol.clone()));
    }
    if takes("preferences") && !args.preferences.is_empty() {
        given.push(("preferences".to_owned(), Value::Object(args.preferences.clone()).to_string()));
    }
    for (name, value) in &args.arguments {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        given.retain(|(known, _)| known != name);
        given.push((name.clone(), text));
    }
    given
}
