//! Components of a value: words, numbers with units, strings and functions, including adjoining characters.

use std::ops::Range;

use marquetry_sdk::Span;

use crate::{
    scanner::{Scanner, TokenKind},
    tree::{Item, Kind, Tree},
};

/// Adjacent components, in a value or in the brackets of a function.
#[derive(Debug, Default)]
pub(super) struct Level {
    pub(super) components: Vec<Range<usize>>,
    /// Components before or after a slash.
    next_to_slash: Vec<usize>,
}

impl Level {
    /// Returns whether a slash comes before or after one of these components.
    pub(super) fn is_next_to_slash(&self, range: &Range<usize>) -> bool {
        range.clone().any(|index| self.next_to_slash.binary_search(&index).is_ok())
    }
}

/// Value of a declaration or variable, without flags such as `!important` and `!default`.
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

/// Components of a value, level by level: first those of the value, then those in the brackets of each function.
/// Content of strings and addresses is not included.
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

/// Components that the selection covers exactly, or the innermost one at a caret: the level and the range in it.
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

/// Returns whether the text contains the name as a complete name.
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

/// Scanner for a separate text, without problem reports.
pub(super) fn text_scanner<'t>(tree: &Tree, text: &'t str) -> Scanner<'t> {
    Scanner::without_reports(text, tree.dialect)
}
