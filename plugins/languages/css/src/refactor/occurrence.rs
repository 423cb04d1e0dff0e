//! Finds the occurrences of a variable in values, preludes and selectors, and in interpolations within strings.

use std::ops::Range;

use crate::{
    chars::{Dialect, is_name, name_end},
    scanner::{Scanner, TokenKind},
    tree::Tree,
};

/// Form of an occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OccurrenceForm {
    /// `$name`, `@name`, or the name of a custom property.
    Plain,
    /// `#{$name}` or `@{name}`. The value becomes part of the text around it.
    Interpolated,
    /// `var(--name)`, with or without a fallback.
    Var,
    /// `$name:`, the name of an argument.
    Label,
}

/// An occurrence of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Occurrence {
    /// Range that inlining replaces by the value: the name, `var(…)`, `#{…}` or `@{…}`.
    pub(super) range: Range<usize>,
    pub(super) form: OccurrenceForm,
    /// True within brackets.
    pub(super) in_group: bool,
    /// True within a string.
    pub(super) in_string: bool,
}

/// Returns whether two names are the same. In Sass, `-` and `_` are the same.
pub(super) fn is_same(a: &str, b: &str, dialect: Dialect) -> bool {
    let part = |c: char| if c == '_' && dialect == Dialect::Scss { '-' } else { c };
    a.len() == b.len() && a.chars().map(part).eq(b.chars().map(part))
}

/// Returns all occurrences of a variable, in document order. `name` includes the sigil.
pub(super) fn find_occurrences(tree: &Tree, name: &str) -> Vec<Occurrence> {
    let mut finder = OccurrenceFinder { tree, name, scan: tree.scan(), found: Vec::new() };
    // The ranges that have not been read yet. The first flag is true if a range is in brackets, the second if it is in
    // a string.
    let mut waiting = vec![(0..tree.text.len(), false, false)];
    while let Some((range, in_group, in_string)) = waiting.pop() {
        finder.read_range(range, in_group, in_string, &mut waiting);
    }
    finder.found.sort_by_key(|occurrence| occurrence.range.start);
    finder.found.dedup_by_key(|occurrence| occurrence.range.start);
    finder.found
}

struct OccurrenceFinder<'t> {
    tree: &'t Tree,
    name: &'t str,
    scan: Scanner<'t>,
    found: Vec<Occurrence>,
}

type PendingRanges = Vec<(Range<usize>, bool, bool)>;

impl OccurrenceFinder<'_> {
    fn read_range(&mut self, range: Range<usize>, in_group: bool, in_string: bool, waiting: &mut PendingRanges) {
        let (text, dialect) = (self.tree.text.as_str(), self.tree.dialect);
        let mut at = range.start;
        let mut word: Option<Range<usize>> = None;
        while at < range.end {
            let (part, end) = self.scan.token_at(at);
            let end = end.min(range.end).max(at + 1);
            match part {
                TokenKind::Group => {
                    let is_var =
                        word.take().filter(|word| word.end == at && text[word.clone()].eq_ignore_ascii_case("var"));
                    let taken = is_var.is_some_and(|word| self.read_var(word.start, at, end, in_string));
                    let inner = if taken { self.name_end_after_space(at + 1) } else { at + 1 };
                    if inner < end && !self.scan.url_end(at).is_some_and(|_| dialect == Dialect::Css) {
                        waiting.push((inner..end, true, in_string));
                    }
                }
                TokenKind::Interpolation => self.read_interpolation(at, end, in_string, waiting),
                TokenKind::Text => self.read_string(at, end, waiting),
                TokenKind::Word if dialect == Dialect::Css => self.read_plain(at..end, in_group, in_string),
                TokenKind::Other if matches!(text.as_bytes()[at], b'$' | b'@') => {
                    let name = name_end(text, at + 1);
                    if name > at + 1 {
                        self.read_plain(at..name, in_group, in_string);
                        word = None;
                        at = name;
                        continue;
                    }
                }
                _ => {}
            }
            if part == TokenKind::Word {
                word = Some(at..end);
            }
            at = end;
        }
    }

    fn push(&mut self, range: Range<usize>, form: OccurrenceForm, in_group: bool, in_string: bool) {
        self.found.push(Occurrence { range, form, in_group, in_string });
    }

    fn read_plain(&mut self, range: Range<usize>, in_group: bool, in_string: bool) {
        let (text, dialect) = (self.tree.text.as_str(), self.tree.dialect);
        let before = text[..range.start].bytes().last();
        // `module.$name` belongs to another module.
        let of_another = dialect == Dialect::Scss && before == Some(b'.');
        if of_another || !is_same(&text[range.clone()], self.name, dialect) {
            return;
        }
        let rest = text[range.end..].trim_start();
        let is_label = in_group && rest.starts_with(':');
        self.push(range, if is_label { OccurrenceForm::Label } else { OccurrenceForm::Plain }, in_group, in_string);
    }

    /// Reads `var(--name …)`. Returns whether it contains the name of this variable.
    fn read_var(&mut self, start: usize, bracket: usize, end: usize, in_string: bool) -> bool {
        let text = self.tree.text.as_str();
        let name = self.name_end_after_space(bracket + 1);
        let own = text[bracket + 1..name].trim();
        let is_own = own == self.name && text[..end].ends_with(')');
        if is_own {
            self.push(start..end, OccurrenceForm::Var, true, in_string);
        }
        is_own
    }

    /// Returns the end of the name at the offset. White space can precede the name.
    fn name_end_after_space(&self, at: usize) -> usize {
        let text = self.tree.text.as_str();
        let start = at + text[at..].len() - text[at..].trim_start().len();
        name_end(text, start)
    }

    /// Reads an interpolation. `#{…}` of Sass contains an expression, and `@{…}` of LESS contains a name.
    fn read_interpolation(&mut self, at: usize, end: usize, in_string: bool, waiting: &mut PendingRanges) {
        let text = self.tree.text.as_str();
        let open = text[at..end].find('{').map_or(end, |open| at + open + 1);
        let inner = open..end.saturating_sub(usize::from(text[..end].ends_with('}'))).max(open);
        if self.tree.dialect == Dialect::Less {
            let name = text[inner].trim();
            if self.name.strip_prefix('@') == Some(name) {
                self.push(at..end, OccurrenceForm::Interpolated, false, in_string);
            }
            return;
        }
        if is_same(text[inner.clone()].trim(), self.name, self.tree.dialect) {
            self.push(at..end, OccurrenceForm::Interpolated, false, in_string);
        } else {
            waiting.push((inner, true, in_string));
        }
    }

    fn read_string(&mut self, start: usize, end: usize, waiting: &mut PendingRanges) {
        let text = self.tree.text.as_str();
        let sign = match self.tree.dialect {
            Dialect::Css => return,
            Dialect::Scss => "#{",
            Dialect::Less => "@{",
        };
        let mut at = start;
        while let Some(found) = text[at..end].find(sign).map(|found| at + found) {
            let close = text[found..end].find('}').map_or(end, |close| found + close + 1);
            self.read_interpolation(found, close, true, waiting);
            at = close;
        }
    }
}

/// Returns whether a name or number that replaces this range would merge with the text directly before or after it.
pub(super) fn touches_other_name(text: &str, range: &Range<usize>) -> bool {
    let part = |byte: u8| is_name(byte) || matches!(byte, b'%' | b'.' | b'#');
    let before = range.start.checked_sub(1).map(|at| text.as_bytes()[at]);
    before.is_some_and(|byte| is_name(byte) || byte == b'#')
        || text.as_bytes().get(range.end).is_some_and(|byte| part(*byte))
}
