//! Matches of targets as an answer. Each match has its address, content and range. The content and range of the first
//! match are also at the top level.

use std::cell::Cell;

use marquetry_model::{
    Error, Kind, Result, Span, limits,
    pack::{Target, TargetKind, View},
    text::Lines,
};
use serde_json::value::RawValue;

use super::{Around, DependencyShape, Documentation, Format, Match, Missing, ReadArgs, ReadResult, TargetEcho};
use crate::{
    document::{FindOptions, Found, NodeLocation, OpenFile},
    draft::diagnostic_text,
    result_types::{Range, range_of},
    session::Session,
    target::default_kind,
};

/// Maximum number of syntax errors in an answer.
const MAX_SYNTAX_ERRORS: usize = 3;

/// State of one read.
pub(super) struct Reading<'a> {
    pub(super) session: &'a Session,
    pub(super) file: &'a OpenFile,
    pub(super) args: &'a ReadArgs,
    pub(super) lines: Lines<'a>,
    /// Remaining bytes for content.
    room: Cell<usize>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(session: &'a Session, file: &'a OpenFile, args: &'a ReadArgs) -> Reading<'a> {
        let room = args.max_bytes.or(session.max_bytes).unwrap_or(usize::MAX);
        Reading { session, file, args, lines: Lines::new(file.text()), room: Cell::new(room) }
    }

    pub(super) fn text(&self) -> &'a str {
        self.file.text()
    }

    pub(super) fn result(&self, r#type: &'static str, value: &str) -> ReadResult {
        ReadResult {
            file: self.file.path().to_owned(),
            target: Some(TargetEcho { r#type, value: value.to_owned() }),
            hash: self.file.source.hash.clone(),
            engine: self.file.engine().to_owned(),
            ..ReadResult::default()
        }
    }

    /// Returns the first syntax errors of the file.
    pub(super) fn problems(&self) -> Result<Vec<String>> {
        let errors = self.file.parse_errors()?;
        Ok(errors.iter().take(MAX_SYNTAX_ERRORS).map(|error| diagnostic_text(self.text(), error)).collect())
    }

    fn wanted(&self) -> FindOptions {
        let limit = self.args.limit.unwrap_or(limits::DEFAULT_MATCHES).max(1);
        FindOptions { limit: limit.saturating_add(self.offset()), values: self.args.values }
    }

    fn offset(&self) -> usize {
        self.args.offset.unwrap_or(0)
    }

    pub(super) fn target(&self, given: Vec<Target>) -> Result<ReadResult> {
        let wanted = given.first().ok_or_else(|| Error::argument("no target"))?;
        let mut result = self.result(wanted.kind.name(), &wanted.value);
        match self.file.find(self.session, given, self.wanted())? {
            Found::Value(value) => {
                result.content = value.text;
                result.value = RawValue::from_string(value.json).ok();
            }
            Found::Places(places) => self.fill(&mut result, &places.list, places.total)?,
        }
        Ok(result)
    }

    pub(super) fn symbols(&self, symbols: &[String]) -> Result<ReadResult> {
        let mut result = self.result("symbol", &symbols.join(", "));
        let (mut list, mut total, mut last) = (Vec::new(), 0, None);
        for symbol in symbols {
            let target = Target { kind: TargetKind::Symbol, value: symbol.clone() };
            match self.file.find(self.session, vec![target], self.wanted()) {
                Ok(Found::Places(places)) => {
                    list.extend(places.list);
                    total += places.total;
                }
                Ok(Found::Value(_)) => return Err(Error::argument(format!("`{symbol}` is a value, not a node"))),
                Err(error) if error.kind() == Kind::TargetNotFound => {
                    let content = error.content().clone();
                    let (message, candidates) = (content.message, content.candidates);
                    result.missing.push(Missing { symbol: symbol.clone(), message, candidates });
                    last = Some(error);
                }
                Err(error) => return Err(error),
            }
        }
        match last {
            Some(error) if list.is_empty() => Err(no_symbols_error(error, &result.missing)),
            _ => {
                self.fill(&mut result, &list, total)?;
                Ok(result)
            }
        }
    }

    /// Reads lines around a target, or around a text in the file.
    pub(super) fn around(&self, around: &Around) -> Result<ReadResult> {
        let kind = default_kind(self.file.description());
        let target = Target { kind, value: around.target.clone() };
        let named = self.file.find(self.session, vec![target], FindOptions { limit: 1, values: false });
        let (r#type, what, span) = match named {
            Ok(Found::Places(places)) if !places.list.is_empty() => {
                (kind.name(), places.list[0].kind().to_owned(), places.list[0].span())
            }
            Err(error) if error.kind() == Kind::PluginFailed => return Err(error),
            other => match self.text().find(&around.target) {
                Some(start) => ("text", "text".to_owned(), Span::new(start, start + around.target.len())),
                None => {
                    let message = format!("no {} and no text matches `{}`", kind.name(), around.target);
                    let candidates = other.err().map(|error| error.content().candidates.clone());
                    let error = Error::new(Kind::TargetNotFound, message);
                    return Err(error.candidates(candidates.unwrap_or_default()));
                }
            },
        };
        let context = around.context.unwrap_or(3);
        let (first, last) = (self.lines.position(span.start).line, self.lines.position(span.end).line);
        let (first, last) = (first.saturating_sub(context).max(1), (last + context).min(self.lines.count()));
        let shown = Span::new(
            self.lines.line(first).map_or(0, |line| line.start),
            self.lines.line(last).map_or(self.text().len(), |line| line.end),
        );
        let mut result = self.result(r#type, &around.target);
        let (content, span) = self.shortened(shown.slice(self.text()), shown, &mut result.truncated);
        let here = range_of(&self.lines, span);
        result.kind = Some(what.clone());
        result.matches.push(Match {
            address: format!("{first}-{last}"),
            kind: Some(what),
            content: content.clone(),
            range: here,
            target_range: None,
            value: None,
            documentation: None,
        });
        (result.content, result.range, result.match_count) = (content, Some(here), Some(1));
        Ok(result)
    }

    /// Fills in the matches, and the first one at the top level.
    fn fill(&self, result: &mut ReadResult, places: &[NodeLocation], total: usize) -> Result<()> {
        let form = self.args.format.unwrap_or(Format::Full);
        let metadata = self.args.include_metadata.unwrap_or(true);
        let mut cuts = Vec::new();
        for place in places.iter().skip(self.offset()) {
            if !result.matches.is_empty() && self.room.get() == 0 {
                break;
            }
            let view = match form {
                Format::Full => View::Span(place.span_with(self.args.include_doc)),
                other => place.view(other.into())?,
            };
            let mut cut = None;
            let item = self.matched(place, view, metadata, &mut cut);
            // If there are several matches, each has a separate hint on how to get the rest.
            let whose = if places.len() > 1 { format!("{}: ", item.address) } else { String::new() };
            cuts.extend(cut.map(|cut| format!("{whose}{cut}")));
            self.room.set(self.room.get().saturating_sub(item.content.len()));
            result.matches.push(item);
        }
        if let Some(first) = places.get(self.offset()) {
            place_metadata(result, first, self.text(), metadata)?;
        }
        if let Some(first) = result.matches.first() {
            result.content.clone_from(&first.content);
            result.range = Some(first.range);
            result.target_range = first.target_range;
            result.documentation.clone_from(&first.documentation);
            result.value.clone_from(&first.value);
        }
        result.match_count = Some(total);
        result.format = (form != Format::Full).then_some(form);
        let seen = self.offset() + result.matches.len();
        if total > 0 && result.matches.is_empty() {
            cuts.push(format!("no match from `offset: {}` on: there are {total}", self.offset()));
        } else if total > seen {
            let (first, shown) = (self.offset() + 1, result.matches.len());
            cuts.push(format!(
                "matches {first} to {seen} of {total}; give `offset: {seen}` for the next {}",
                (total - seen).min(shown.max(1))
            ));
        }
        result.truncated = (!cuts.is_empty()).then(|| cuts.join("; "));
        Ok(())
    }

    fn matched(&self, place: &NodeLocation, view: View, metadata: bool, truncated: &mut Option<String>) -> Match {
        let whole = place.span_with(self.args.include_doc);
        let (content, shown) = match &view {
            View::Span(span) => self.shortened(span.slice(self.text()), *span, truncated),
            View::Text(text) => match whole.slice(self.text()).find(text.as_str()) {
                // The pack generated this text. If the text also occurs in the file, it has a range.
                Some(at) if !text.is_empty() => {
                    let start = whole.start + at;
                    self.shortened(text, Span::new(start, start + text.len()), truncated)
                }
                _ => (self.shortened(text, whole, truncated).0, whole),
            },
        };
        let doc = place.doc().filter(|_| !self.args.include_doc);
        Match {
            content,
            range: range_of(&self.lines, shown),
            target_range: (shown != whole).then(|| range_of(&self.lines, whole)),
            documentation: doc.map(|doc| Documentation {
                content: doc.slice(self.text()).to_owned(),
                range: range_of(&self.lines, doc),
            }),
            value: place.value().and_then(|value| RawValue::from_string(value.to_owned()).ok()),
            address: place.address().to_owned(),
            kind: metadata.then(|| place.kind().to_owned()),
        }
    }

    /// Shortens content to `maxLines` and the remaining bytes. Returns the text and its span, and describes what was
    /// omitted.
    pub(super) fn shortened(&self, content: &str, span: Span, truncated: &mut Option<String>) -> (String, Span) {
        let by_lines = self.args.max_lines.and_then(|most| {
            let end = content.match_indices('\n').nth(most.max(1) - 1).map(|(end, _)| end)?;
            (end + 1 < content.len()).then_some(end)
        });
        let by_bytes = (content.len() > self.room.get()).then(|| line_end_within(content, self.room.get()));
        let Some(end) = by_lines.into_iter().chain(by_bytes).min() else { return (content.to_owned(), span) };
        let (all, shown) = (content.lines().count(), content[..end].lines().count());
        let first = self.lines.position(span.start).line;
        *truncated = Some(if shown == 0 || all == 1 {
            format!("{end} of {} bytes; give `maxBytes: {}` for all", content.len(), content.len())
        } else {
            format!("{shown} of {all} lines; read `lines: \"{}-{}\"` for the rest", first + shown, first + all - 1)
        });
        let shown_span =
            if span.slice(self.text()) == content { Span::new(span.start, span.start + end) } else { span };
        (content[..end].to_owned(), shown_span)
    }

    pub(super) fn bytes_left(&self) -> usize {
        self.room.get()
    }

    pub(super) fn range_of(&self, span: Span) -> Range {
        range_of(&self.lines, span)
    }
}

/// Fills in kind, signature and dependencies of the first match.
fn place_metadata(result: &mut ReadResult, first: &NodeLocation, text: &str, wanted: bool) -> Result<()> {
    result.engine = first.engine().to_owned();
    if !wanted {
        return Ok(());
    }
    result.kind = Some(first.kind().to_owned());
    result.signature = first.signature(text);
    let list = first.dependencies()?.into_iter();
    let list: Vec<_> = list.map(|used| DependencyShape { symbol: used.symbol, from: used.specifier }).collect();
    result.dependencies = (!list.is_empty()).then_some(list);
    Ok(())
}

/// End of the last whole line within a number of bytes. If the first line is longer, end of the last whole character.
fn line_end_within(content: &str, bytes: usize) -> usize {
    let end = (0..=bytes.min(content.len())).rev().find(|at| content.is_char_boundary(*at)).unwrap_or(0);
    content[..end].rfind('\n').filter(|at| *at > 0).unwrap_or(end)
}

/// Error if several symbols were requested and none of them exists. It lists all of them.
fn no_symbols_error(last: Error, missing: &[Missing]) -> Error {
    if missing.len() < 2 {
        return last;
    }
    let names: Vec<String> = missing.iter().map(|missing| format!("`{}`", missing.symbol)).collect();
    let mut candidates: Vec<String> = missing.iter().flat_map(|missing| missing.candidates.iter().cloned()).collect();
    let mut known = std::collections::HashSet::new();
    candidates.retain(|candidate| known.insert(candidate.clone()));
    let error = Error::new(Kind::TargetNotFound, format!("there are no symbols {}", names.join(", ")));
    match &last.content().hint {
        Some(hint) => error.hint(hint.clone()),
        None => error,
    }
    .candidates(candidates)
}
