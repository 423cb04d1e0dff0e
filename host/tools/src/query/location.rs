//! The subject of a query: a node that is given by its address, or a position in a file.

use std::sync::Arc;

use marquetry_model::{
    Error, Interface, Kind, Result,
    pack::{Node, Subject},
    text::{Lines, Position},
};

use super::QueryArgs;
use crate::{
    document::{FindOptions, Found, NodeLocation, OpenFile},
    line_numbers::line_count_hint,
    session::Session,
    target::TargetArgs,
    words::{whole_word_offsets, word_offsets},
};

/// Maximum number of positions to try if the position is not exact.
const MAX_TRIED_OFFSETS: usize = 50;
/// Maximum number of nearby symbols in an error.
const MAX_NEARBY: usize = 5;

/// File and subject of a query.
pub(super) struct Location {
    pub(super) file: OpenFile,
    pub(super) subject: LocationKind,
}

/// A node or a position. They are distinct because several nodes can start at the same position.
pub(super) enum LocationKind {
    Node(NodeLocation),
    At(usize),
}

impl Location {
    /// Offset of the name, for questions that need a position.
    pub(super) fn offset(&self) -> usize {
        match &self.subject {
            LocationKind::Node(place) => place.selection().start,
            LocationKind::At(offset) => *offset,
        }
    }
}

impl Session {
    /// Resolves the file of a query and the node or position in it.
    pub(super) fn location_of_query(&self, args: &QueryArgs, kind: &str) -> Result<Location> {
        let path = match (&args.path, &args.symbol) {
            (Some(path), _) => path.clone(),
            (None, Some(symbol)) => self.only_declaring_file(symbol)?,
            (None, None) => {
                return Err(Error::argument("`path` is missing")
                    .hint(format!("the query `{kind}` needs `symbol`, or `path`, `line` and `column`")));
            }
        };
        let file = self.open_or_symbol(&path)?;
        let text = Arc::clone(file.text());
        let subject = match (&args.symbol, args.line, args.column) {
            (_, Some(line), Some(column)) => LocationKind::At(offset_of_column(&text, line, column)?),
            (Some(symbol), Some(line), None) => LocationKind::At(offset_of_name_on_line(&text, line, symbol)?),
            (None, Some(line), None) => LocationKind::At(self.offset_on_line(&file, line)?),
            (Some(symbol), None, _) => self.location_of_symbol(&file, symbol)?,
            (None, None, _) => {
                return Err(Error::argument("`line` is missing")
                    .hint(format!("the query `{kind}` needs `symbol`, or `line` and `column`")));
            }
        };
        Ok(Location { file, subject })
    }

    /// Opens a file that the caller named. If `path` is the name of a symbol instead, the error says so.
    pub(crate) fn open_or_symbol(&self, path: &str) -> Result<OpenFile> {
        match self.open(path) {
            Err(error) if error.kind() == Kind::FileNotFound && !path.contains('/') => {
                match self.only_declaring_file(path) {
                    Ok(home) => Err(error
                        .hint(format!("`{path}` is a symbol: give it as `symbol: \"{path}\"`"))
                        .candidates([home])),
                    Err(other) if other.kind() == Kind::AmbiguousTarget => Err(error
                        .hint(format!("`{path}` is a symbol of several files: give it as `symbol: \"{path}\"` with one of them as `path`"))
                        .candidates(other.content().candidates.clone())),
                    Err(_) => Err(error),
                }
            }
            opened => opened,
        }
    }

    /// Returns the first offset on a line that has a name or value, or else the start of its text.
    fn offset_on_line(&self, file: &OpenFile, line: usize) -> Result<usize> {
        let text = file.text();
        let span = Lines::new(text).line(line).ok_or_else(|| no_line(text, line))?;
        let own = span.slice(text);
        for at in word_offsets(own).take(MAX_TRIED_OFFSETS).map(|at| span.start + at) {
            if self.has_name_at(file, at)? {
                return Ok(at);
            }
        }
        Ok(span.start + (own.len() - own.trim_start().len()))
    }

    /// Returns whether the pack of the file reports a name or hover information for an offset.
    fn has_name_at(&self, file: &OpenFile, at: usize) -> Result<bool> {
        if file.has(Interface::Hover) && file.ask(|document| document.hover_info(at))?.is_some() {
            return Ok(true);
        }
        Ok(file.has(Interface::Symbols) && file.ask(|document| document.resolve_symbol(&Subject::At(at))).is_ok())
    }

    /// Resolves an address to a node, or to the first occurrence of a name that is only used in the file.
    fn location_of_symbol(&self, file: &OpenFile, symbol: &str) -> Result<LocationKind> {
        let target = TargetArgs { target: Some(symbol.to_owned()), ..TargetArgs::default() };
        let found = file.find(self, target.given_targets(file.description()), FindOptions { limit: 20, values: false });
        match found {
            Ok(Found::Places(mut places)) if places.total == 1 => match places.list.pop() {
                Some(place) => Ok(LocationKind::Node(place)),
                None => Err(Error::internal("the match that was counted is missing")),
            },
            Ok(Found::Places(places)) => {
                let first = places.list[0].selection().start;
                // Overloads and merged declarations are one symbol if the pack resolves their name.
                let subject = Subject::Address(symbol.to_owned());
                if file.has(Interface::Symbols) && file.ask(|document| document.resolve_symbol(&subject)).is_ok() {
                    return Ok(LocationKind::At(first));
                }
                Err(Error::new(Kind::AmbiguousTarget, format!("`{symbol}` matches {} places", places.total))
                    .hint("use one of the candidates, or `line` and `column`")
                    .candidates(places.list.iter().map(|place| place.address().to_owned())))
            }
            Ok(Found::Value(value)) => {
                Err(Error::new(Kind::InvalidTarget, format!("`{symbol}` is a value ({}), not a node", value.text)))
            }
            Err(error) if file.has(Interface::Symbols) => {
                self.first_use(file, symbol).ok_or(error).map(LocationKind::At)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the first use of a name that the file does not declare.
    fn first_use(&self, file: &OpenFile, symbol: &str) -> Option<usize> {
        let subject = Subject::Address(symbol.to_owned());
        if let Ok(found) = file.ask(|document| document.resolve_symbol(&subject))
            && let Some(first) = found.occurrences.first()
        {
            return Some(first.span.start);
        }
        let mut places = whole_word_offsets(file.text(), symbol).into_iter().take(MAX_TRIED_OFFSETS);
        places.find(|at| self.has_name_at(file, *at).unwrap_or(false))
    }
}

/// Error for a position without a name, with the nearest symbols.
pub(super) fn no_symbol_error(file: &OpenFile, offset: usize) -> Error {
    let lines = Lines::new(file.text());
    let place = lines.position(offset.min(file.text().len()));
    let error = Error::new(Kind::TargetNotFound, format!("no symbol at line {}, column {}", place.line, place.column));
    let mut near = file.outline().unwrap_or_default();
    if near.is_empty() {
        return error.hint("the file has no names: `search` finds text in it");
    }
    let distance = |node: &Node| {
        let at = lines.position(node.selection.start);
        (at.line.abs_diff(place.line), at.column.abs_diff(place.column))
    };
    near.sort_by_key(distance);
    error
        .hint("give the position of a name, or one of the candidates as `symbol`; `documentSymbols` lists all")
        .candidates(near.into_iter().take(MAX_NEARBY).map(|node| node.address))
}

/// Returns the offset of the last segment of a symbol's address on a line.
fn offset_of_name_on_line(text: &str, line: usize, symbol: &str) -> Result<usize> {
    let span = Lines::new(text).line(line).ok_or_else(|| no_line(text, line))?;
    let last = symbol.rsplit(['.', '#', '/', ':']).next().unwrap_or(symbol);
    let found = whole_word_offsets(span.slice(text), last).first().copied();
    let missing = || Error::new(Kind::TargetNotFound, format!("`{last}` is not on line {line}"));
    Ok(span.start + found.ok_or_else(missing)?)
}

fn offset_of_column(text: &str, line: usize, column: usize) -> Result<usize> {
    Lines::new(text).offset(Position { line, column }).ok_or_else(|| no_line(text, line))
}

fn no_line(text: &str, line: usize) -> Error {
    Error::argument(format!("no line {line}")).hint(line_count_hint(text))
}
