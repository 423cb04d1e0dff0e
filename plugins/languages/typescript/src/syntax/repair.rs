//! Error recovery: finds the declarations of a text with syntax errors.
//!
//! The parser gives up at the first error it cannot recover from. A file that is being edited must stay addressable, so
//! the text is parsed again with as little as possible around the error blanked out. Every byte keeps its offset; the
//! repaired text is only longer if closing brackets are missing at the end.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::Parser;
use oxc_span::SourceType;

use crate::syntax::{depth, dialect};

/// A text that can be parsed, and the errors found while repairing it.
pub(crate) struct Repaired {
    pub(crate) text: String,
    pub(crate) errors: Vec<OxcDiagnostic>,
}

/// Maximum number of bytes to parse while looking for a repair: a few passes over a large file, many over a small one.
const PARSE_BUDGET: usize = 4 << 20;
const MOST_ATTEMPTS: usize = 100;

/// Repairs a text whose parsing ended with these errors. `None` if no attempt succeeds.
pub(crate) fn repair(text: &str, grammar: SourceType, first: &[OxcDiagnostic]) -> Option<Repaired> {
    let attempts = (PARSE_BUDGET / text.len().max(1)).clamp(6, MOST_ATTEMPTS);
    let mut repair = Repair {
        original: text,
        text: text.to_owned(),
        grammar,
        errors: Vec::new(),
        arena: Allocator::default(),
        attempts,
    };
    let mut fatal = last_error(first)?;
    if repair.blank_markers() {
        match repair.parse() {
            Outcome::NextError(next) => fatal = next,
            _ => return Some(Repaired { text: repair.text, errors: repair.errors }),
        }
    }
    let mut on_line = 0;
    loop {
        let place = error_range(&fatal, text);
        let outcome = if repair.attempts <= 2 {
            repair.blank_rest(place.clone())
        } else {
            // Do not repair a line with many errors word by word.
            repair.advance_past(&place, on_line > 3)
        };
        match outcome {
            Outcome::Done => return Some(Repaired { text: repair.text, errors: repair.errors }),
            Outcome::OutOfAttempts => return None,
            Outcome::NextError(next) => {
                let next_place = error_range(&next, text);
                let same_line = !text[place.start.min(next_place.start)..next_place.start].contains('\n');
                on_line = if same_line { on_line + 1 } else { 0 };
                if !same_line {
                    repair.errors.push(next.clone());
                }
                fatal = next;
            }
        }
    }
}

/// Result of an attempt.
enum Outcome {
    /// The text can be parsed.
    Done,
    /// The parser now gives up at this error.
    NextError(OxcDiagnostic),
    /// All attempts are used up.
    OutOfAttempts,
}

struct Repair<'t> {
    original: &'t str,
    text: String,
    grammar: SourceType,
    errors: Vec<OxcDiagnostic>,
    arena: Allocator,
    attempts: usize,
}

impl Repair<'_> {
    fn parse(&mut self) -> Outcome {
        self.attempts = self.attempts.saturating_sub(1);
        self.arena.reset();
        let parsed = Parser::new(&self.arena, &self.text, self.grammar).with_options(dialect::parse_options()).parse();
        match last_error(&parsed.diagnostics) {
            Some(error) if parsed.fatal_error => Outcome::NextError(error),
            _ => Outcome::Done,
        }
    }

    /// Blanks the markers of a merge conflict. Both sides stay.
    fn blank_markers(&mut self) -> bool {
        const MARKERS: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];
        let mut start = 0;
        let mut found = Vec::new();
        for line in self.original.split_inclusive('\n') {
            if MARKERS.iter().any(|marker| line.starts_with(marker)) {
                found.push(start..start + line.len());
            }
            start += line.len();
        }
        let any = found.len() > 1;
        for line in found.into_iter().filter(|_| any) {
            self.blank(line, ' ');
        }
        any
    }

    /// Blanks everything from the top-level declaration around `place` to the end of the text.
    fn blank_rest(&mut self, place: Range<usize>) -> Outcome {
        if self.attempts == 0 {
            return Outcome::OutOfAttempts;
        }
        self.text.truncate(self.original.len());
        self.blank(top_level_chunk(self.original, place).start..self.original.len(), ' ');
        self.parse()
    }

    /// Changes the text until the parser gets past `place`.
    fn advance_past(&mut self, place: &Range<usize>, whole_line: bool) -> Outcome {
        let text = self.original;
        if text[place.start.min(text.len())..].trim().is_empty()
            && let Some(closer) = depth::innermost_open(&self.text, self.grammar.is_jsx())
        {
            if closer != '}' || !self.close_open_blocks() {
                self.text.push(closer);
            }
            return self.parse();
        }
        if !whole_line && let Some(outcome) = self.try_small_changes(place) {
            return outcome;
        }
        let mut region = line_range(text, place.clone());
        let mut step = 0;
        while self.attempts > 2 {
            let blanked = self.blank(region.clone(), ' ');
            match self.parse() {
                Outcome::NextError(next) if error_range(&next, text).start < blanked.end.max(place.end) => {}
                outcome => return outcome,
            }
            region = match step {
                0 => indented_block(text, place.clone()),
                1 => top_level_chunk(text, place.clone()),
                // The cause may be further up.
                _ => {
                    let above = region.start.saturating_sub(1);
                    top_level_chunk(text, above..above).start..region.end
                }
            };
            step += 1;
        }
        self.blank_rest(place.clone())
    }

    /// Tries several small changes and keeps the one that gets the parser furthest: blank the line above, replace the
    /// token by a name, blank the token, or blank its line.
    fn try_small_changes(&mut self, place: &Range<usize>) -> Option<Outcome> {
        let before = self.text.clone();
        let mut best: Option<(usize, String, OxcDiagnostic)> = None;
        for change in 0..5 {
            match change {
                // Before a keyword that starts a declaration, the line above is probably unfinished.
                0 if starts_declaration(&before[place.start.min(before.len())..]) => {
                    self.blank(line_above(&before, place.clone()), ' ')
                }
                0 => continue,
                1 => self.blank(place.clone(), '_'),
                2 => self.blank(with_comma(&before, place.clone()), ' '),
                3 => self.blank(line_range(&before, place.clone()), ' '),
                // The line above, if nothing else helped.
                _ if best.is_none() => self.blank(line_above(&before, place.clone()), ' '),
                _ => continue,
            };
            match self.parse() {
                Outcome::NextError(next) => {
                    let reached = error_range(&next, self.original).start;
                    if reached >= place.end && best.as_ref().is_none_or(|(furthest, ..)| reached > *furthest) {
                        best = Some((reached, std::mem::take(&mut self.text), next));
                    }
                }
                outcome => return Some(outcome),
            }
            self.text.clone_from(&before);
            if self.attempts <= 2 {
                break;
            }
        }
        let (_, text, next) = best?;
        self.text = text;
        Some(Outcome::NextError(next))
    }

    /// Replaces everything in the region except line breaks by `filler`.
    fn blank(&mut self, region: Range<usize>, filler: char) -> Range<usize> {
        let region = region.start..region.end.min(self.original.len()).max(region.start);
        let filled: String = self.text[region.clone()]
            .chars()
            .flat_map(|c| {
                let filler = if matches!(c, '\n' | '\r') { c } else { filler };
                std::iter::repeat_n(filler, c.len_utf8())
            })
            .collect();
        self.text.replace_range(region.clone(), &filled);
        region
    }

    /// Closes blocks that are still open at the next unindented declaration, by writing the braces into the white space
    /// before it.
    fn close_open_blocks(&mut self) -> bool {
        let mut patches = Vec::new();
        let mut open = 0_i32;
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            if starts_declaration(line) && open > 0 {
                let gap = start - self.text[..start].trim_end().len();
                if gap >= open as usize {
                    patches.push(start - open as usize..start);
                }
                open = 0;
            } else if starts_declaration(line) {
                open = 0;
            }
            open += line.bytes().map(|byte| i32::from(byte == b'{') - i32::from(byte == b'}')).sum::<i32>();
            start += line.len();
        }
        let found = !patches.is_empty();
        for patch in patches {
            let closers = "}".repeat(patch.len());
            self.text.replace_range(patch, &closers);
        }
        found
    }
}

/// Returns the error with the greatest offset, which is where the parser gave up.
fn last_error(errors: &[OxcDiagnostic]) -> Option<OxcDiagnostic> {
    errors.iter().max_by_key(|error| error.labels.first().map_or(0, |label| label.offset())).cloned()
}

/// Returns the token at which an error was found, within one line.
fn error_range(error: &OxcDiagnostic, text: &str) -> Range<usize> {
    let (start, length) = error.labels.first().map_or((0, 0), |label| (label.offset() as usize, label.len() as usize));
    let mut start = start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let line = &text[start..start + text[start..].find(['\n', '\r']).unwrap_or(text.len() - start)];
    let word = line.len() - line.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$')).len();
    let first = line.chars().next().map_or(0, char::len_utf8);
    let mut end = start + length.max(word).max(first).min(line.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

/// Returns the token with the comma before it, so that a list element is removed with its separator.
fn with_comma(text: &str, token: Range<usize>) -> Range<usize> {
    let before = text[..token.start].trim_end();
    let start = if before.ends_with(',') { before.len() - 1 } else { token.start };
    start..token.end
}

/// Returns the range from the line above the token's line to the token.
fn line_above(text: &str, token: Range<usize>) -> Range<usize> {
    let before = text[..token.start].trim_end().len();
    line_range(text, before..before).start..token.start
}

fn starts_declaration(line: &str) -> bool {
    const WORDS: [&str; 16] = [
        "export",
        "import",
        "function",
        "class",
        "interface",
        "type",
        "enum",
        "namespace",
        "declare",
        "abstract",
        "async",
        "const",
        "let",
        "var",
        "describe",
        "module",
    ];
    let word = line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').next().unwrap_or_default();
    WORDS.contains(&word) || line.starts_with("@") || line.starts_with("/**")
}

fn line_range(text: &str, place: Range<usize>) -> Range<usize> {
    let start = text[..place.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[place.end..].find('\n').map_or(text.len(), |at| place.end + at);
    start..end
}

fn indent_of(line: &str) -> Option<usize> {
    let content = line.trim_start_matches([' ', '\t']);
    (!content.trim().is_empty()).then_some(line.len() - content.len())
}

/// Returns the lines around `place` that are indented at least as deeply.
fn indented_block(text: &str, place: Range<usize>) -> Range<usize> {
    let mut region = line_range(text, place);
    let Some(depth) = indent_of(&text[region.clone()]) else { return region };
    let belongs = |line: &str| indent_of(line).is_none_or(|indent| indent >= depth.max(1));
    while region.start > 0 {
        let line = line_range(text, region.start - 1..region.start - 1);
        if !belongs(&text[line.clone()]) {
            break;
        }
        region.start = line.start;
    }
    while region.end < text.len() {
        let line = line_range(text, region.end + 1..region.end + 1);
        if !belongs(&text[line.clone()]) {
            break;
        }
        region.end = line.end.max(region.end + 1);
    }
    region
}

/// Returns the lines from the unindented declaration that contains `place` to the next one.
fn top_level_chunk(text: &str, place: Range<usize>) -> Range<usize> {
    let mut region = line_range(text, place.start.min(text.len())..place.end.min(text.len()));
    while region.start > 0 && !starts_declaration(&text[region.start..]) {
        region.start = text[..region.start - 1].rfind('\n').map_or(0, |at| at + 1);
    }
    while region.end < text.len() && !starts_declaration(&text[(region.end + 1).min(text.len())..]) {
        region.end = text[region.end + 1..].find('\n').map_or(text.len(), |at| region.end + 1 + at);
    }
    region
}
