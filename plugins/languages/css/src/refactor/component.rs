//! Components of a value: words, numbers with units, strings and functions. Tokens without white space between them are
//! one component.

use std::ops::Range;

use marquetry_sdk::Span;

use crate::{
    scanner::{Scanner, TokenKind},
    tree::{Item, Kind, Tree},
};

/// The components that are directly in a value, or directly in the brackets of a function.
#[derive(Debug, Default)]
pub(super) struct Level {
    pub(super) components: Vec<Range<usize>>,
    /// Indices of the components that are before or after a slash.
    next_to_slash: Vec<usize>,
}

impl Level {
    /// Returns whether a slash is before or after one of these components.
    pub(super) fn is_next_to_slash(&self, range: &Range<usize>) -> bool {
        range.clone().any(|index| self.next_to_slash.binary_search(&index).is_ok())
    }
}

/// Returns the value of a declaration or variable, without flags such as `!important` and `!default`.
pub(super) fn value_range(tree: &Tree, item: &Item) -> Option<Range<usize>> {
    let has_value = matches!(item.kind, Kind::Declaration | Kind::Variable) && !item.block && item.has_body;
    let body = item.body().filter(|_| has_value)?.range();
    let mut scan = tree.scan();
    let (mut at, mut last) = (body.start, body.start);
    while at < body.end {
        let (part, end) = scan.token_at(at);
        match part {
            TokenKind::Other if tree.text.as_bytes()[at] == b'!' => break,
            TokenKind::Space | TokenKind::Comment => {}
            _ => last = end,
        }
        at = end;
    }
    (last > body.start).then(|| body.start..last.min(body.end))
}

/// Returns the components of a value by level. The first level contains the components of the value, and each further
/// level those in the brackets of one function. The content of strings and URLs is not included.
pub(super) fn component_levels(tree: &Tree, value: Range<usize>) -> Vec<Level> {
    let mut scan = tree.scan();
    let mut levels = Vec::new();
    let mut waiting = vec![value];
    while let Some(range) = waiting.pop() {
        let mut level = Level::default();
        let mut open: Option<Range<usize>> = None;
        let mut slash = false;
        let mut at = range.start;
        while at < range.end {
            let (part, end) = scan.token_at(at);
            let byte = tree.text.as_bytes()[at];
            let parts = matches!(
                part,
                TokenKind::Space | TokenKind::Comment | TokenKind::Comma | TokenKind::Semicolon | TokenKind::Colon
            ) || (part == TokenKind::Other && matches!(byte, b'/' | b'*' | b'='));
            if part == TokenKind::Group
                && scan.url_end(at).is_none()
                && end <= range.end
                && tree.text[..end].ends_with([')', ']'])
            {
                waiting.push(at + 1..end - 1);
            }
            if parts {
                level.components.extend(open.take());
                if part == TokenKind::Other && byte == b'/' {
                    level.next_to_slash.extend(level.components.len().checked_sub(1));
                    slash = true;
                }
            } else {
                if open.is_none() && std::mem::take(&mut slash) {
                    level.next_to_slash.push(level.components.len());
                }
                open = Some(open.map_or(at, |open| open.start)..end.min(range.end));
            }
            at = end;
        }
        level.components.extend(open);
        level.next_to_slash.sort_unstable();
        levels.push(level);
    }
    levels
}

/// Returns the components that the selection covers exactly: their level, and the range of their indices. For a caret,
/// returns the innermost component at the caret.
pub(super) fn selected_components(levels: &[Level], span: Span) -> Option<(usize, Range<usize>)> {
    let wanted = span.range();
    if span.is_empty() {
        let holds = |component: &Range<usize>| component.start <= wanted.start && wanted.start <= component.end;
        let found = levels.iter().enumerate().filter_map(|(index, level)| {
            let at = level.components.iter().position(holds)?;
            Some((index, at..at + 1, level.components[at].len()))
        });
        let innermost = found.min_by_key(|(.., length)| *length)?;
        return Some((innermost.0, innermost.1));
    }
    levels.iter().enumerate().find_map(|(index, level)| {
        let first = level.components.iter().position(|component| component.start == wanted.start)?;
        let last = level.components.iter().position(|component| component.end == wanted.end)?;
        (first <= last).then_some((index, first..last + 1))
    })
}

/// Returns whether the text contains the name, not only as a part of a longer name.
pub(super) fn contains_name(text: &str, name: &str) -> bool {
    let mut from = 0;
    while let Some(found) = text[from..].find(name) {
        let (start, end) = (from + found, from + found + name.len());
        let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| crate::chars::is_name(*byte));
        if !is_part(text.as_bytes().get(end)) && !(start > 0 && is_part(text.as_bytes().get(start - 1))) {
            return true;
        }
        from = end;
    }
    false
}

/// Creates a scanner for a separate text. It does not report diagnostics.
pub(super) fn text_scanner<'t>(tree: &Tree, text: &'t str) -> Scanner<'t> {
    Scanner::without_reports(text, tree.dialect)
}
