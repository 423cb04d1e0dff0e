//! Searches a text for a literal text or regular expression.

use std::{io, sync::Mutex};

use grep_matcher::{Captures as _, LineTerminator, Matcher as _};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use marquetry_model::{Error, Result, Span, limits};

/// Search arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextQuery {
    pub(super) text: String,
    pub(super) is_regex: bool,
    pub(super) ignore_case: bool,
    pub(super) whole_word: bool,
    pub(super) multiline: bool,
}

/// A compiled search.
pub(super) struct TextSearch {
    matcher: RegexMatcher,
    multiline: bool,
    /// Named groups with their numbers.
    names: Vec<(String, usize)>,
    /// Pool of searchers: each has a line buffer, which is reused between files.
    idle: Mutex<Vec<Searcher>>,
}

impl TextSearch {
    pub(super) fn new(words: &TextQuery) -> Result<TextSearch> {
        let what = if words.is_regex { "regular expression" } else { "text" };
        if words.text.is_empty() {
            return Err(Error::argument(format!("the {what} is empty")));
        }
        if words.text.len() > limits::PATTERN_BYTES {
            return Err(Error::argument(format!(
                "the {what} is {} bytes long; the limit is {}",
                words.text.len(),
                limits::PATTERN_BYTES
            )));
        }
        let multiline = words.multiline || (!words.is_regex && words.text.contains('\n'));
        let mut builder = RegexMatcherBuilder::new();
        builder
            .case_insensitive(words.ignore_case)
            .word(words.whole_word)
            .multi_line(true)
            .fixed_strings(!words.is_regex);
        if !multiline && words.is_regex && words.text.contains('$') {
            // `$` matches before the whole line break, even if it is `\r\n`.
            builder.crlf(true);
        } else if !multiline {
            builder.line_terminator(Some(b'\n'));
        }
        let matcher = builder.build(&words.text).map_err(|error| invalid_regex(&words.text, &error.to_string()))?;
        let names = if words.is_regex { group_names(&words.text, &matcher) } else { Vec::new() };
        Ok(TextSearch { matcher, multiline, names, idle: Mutex::default() })
    }

    /// Counts the matches in a text.
    pub(super) fn count(&self, text: &str) -> Result<usize> {
        let mut count = 0;
        self.for_each_match(text, |_| {
            count += 1;
            true
        })?;
        Ok(count)
    }

    /// Returns at most `most` matches from `skip` on.
    pub(super) fn spans(&self, text: &str, skip: usize, most: usize) -> Result<Vec<Span>> {
        let (mut spans, mut seen) = (Vec::new(), 0);
        self.for_each_match(text, |found| {
            seen += 1;
            if seen > skip {
                spans.push(Span::new(found.start, found.end));
            }
            spans.len() < most
        })?;
        Ok(spans)
    }

    /// Returns the groups of a match by name, or by number if they have none.
    pub(super) fn groups(&self, text: &str, span: Span) -> Vec<(String, String)> {
        let Ok(mut captures) = self.matcher.new_captures() else { return Vec::new() };
        if captures.len() < 2 || !self.matcher.captures_at(text.as_bytes(), span.start, &mut captures).unwrap_or(false)
        {
            return Vec::new();
        }
        let group = |index: usize| {
            let found = captures.get(index)?;
            let name = self.names.iter().find(|(_, at)| *at == index);
            let name = name.map_or_else(|| index.to_string(), |(name, _)| name.clone());
            Some((name, text.get(found.start()..found.end())?.to_owned()))
        };
        (1..captures.len()).filter_map(group).collect()
    }

    /// Calls `found` for each match in order until it returns false.
    fn for_each_match(&self, text: &str, found: impl FnMut(Span) -> bool) -> Result<()> {
        let known = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let mut searcher = known.unwrap_or_else(|| searcher(&self.matcher, self.multiline));
        let done = searcher.search_slice(&self.matcher, text.as_bytes(), MatchSink { matcher: &self.matcher, found });
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(searcher);
        }
        done.map_err(|error| Error::argument(format!("the search failed: {error}")))
    }
}

fn searcher(matcher: &RegexMatcher, multiline: bool) -> Searcher {
    let mut builder = SearcherBuilder::new();
    builder.line_terminator(matcher.line_terminator().unwrap_or(LineTerminator::byte(b'\n')));
    builder.binary_detection(BinaryDetection::none()).line_number(false).multi_line(multiline).build()
}

/// Calls `found` for each match in the matching lines.
struct MatchSink<'m, F> {
    matcher: &'m RegexMatcher,
    found: F,
}

impl<F: FnMut(Span) -> bool> Sink for MatchSink<'_, F> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, lines: &SinkMatch<'_>) -> io::Result<bool> {
        let offset = usize::try_from(lines.absolute_byte_offset()).map_err(io::Error::other)?;
        let mut more = true;
        let looked = self.matcher.find_iter(lines.bytes(), |found| {
            // Empty matches are skipped, because they occur everywhere.
            if !found.is_empty() {
                more = (self.found)(Span::new(offset + found.start(), offset + found.end()));
            }
            more
        });
        looked.map_err(io::Error::other)?;
        Ok(more)
    }
}

/// Names of groups, with their numbers.
fn group_names(pattern: &str, matcher: &RegexMatcher) -> Vec<(String, usize)> {
    let named = pattern.split("(?").skip(1).filter_map(|part| {
        let part = part.strip_prefix("P<").or_else(|| part.strip_prefix('<'))?;
        let name = part.split_once('>')?.0;
        Some((name.to_owned(), matcher.capture_index(name)?))
    });
    named.collect()
}

/// Error for an invalid regular expression. Takes message and column from the error of the engine.
fn invalid_regex(pattern: &str, message: &str) -> Error {
    let why = message.lines().find_map(|line| line.trim().strip_prefix("error: ")).unwrap_or(message).trim().to_owned();
    let caret = message.lines().find(|line| !line.trim().is_empty() && line.trim().chars().all(|c| c == '^'));
    let place = caret.and_then(|line| line.find('^')?.checked_sub(4)).map(|at| format!(" (column {at})"));
    let error = Error::argument(format!("`{pattern}` is not a regular expression: {why}{}", place.unwrap_or_default()));
    if message.contains("\\n") && message.contains("not allowed") {
        return error.hint("a match cannot span lines unless `multiline` is true");
    }
    let escaped: String =
        pattern.chars().flat_map(|c| if "\\.+*?()|[]{}^$".contains(c) { vec!['\\', c] } else { vec![c] }).collect();
    error
        .hint("`text` searches for literal text; in a regular expression, escape special characters with `\\`")
        .candidates([escaped])
}
