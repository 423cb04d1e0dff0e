//! The components of a value: words, numbers with their units, strings, functions, each with what stands glued to it.

use std::ops::Range;

use marquetry_sdk::Span;

use crate::{
    scan::{Part, Scan},
    tree::{Item, Kind, Tree},
};

/// The components that stand beside each other, in a value or between the brackets of a function.
#[derive(Debug, Default)]
pub(super) struct Level {
    pub(super) components: Vec<Range<usize>>,
    /// The components that a slash stands beside: before or behind.
    divided: Vec<usize>,
}

impl Level {
    /// Whether a slash stands before or behind one of these components.
    pub(super) fn is_divided(&self, range: &Range<usize>) -> bool {
        range.clone().any(|index| self.divided.binary_search(&index).is_ok())
    }
}

/// The value of a declaration or variable without `!important`, `!default` and the like.
pub(super) fn value(tree: &Tree, item: &Item) -> Option<Range<usize>> {
    let has_value = matches!(item.kind, Kind::Declaration | Kind::Variable) && !item.block && item.has_body;
    let body = item.body().filter(|_| has_value)?.range();
    let mut scan = tree.scan();
    let (mut at, mut last) = (body.start, body.start);
    while at < body.end {
        let (part, end) = scan.part(at);
        match part {
            Part::Other if tree.text.as_bytes()[at] == b'!' => break,
            Part::Space | Part::Comment => {}
            _ => last = end,
        }
        at = end;
    }
    (last > body.start).then(|| body.start..last.min(body.end))
}

/// The components of a value, level by level: those of the value first, and those in the brackets of each function.
/// What stands in strings and addresses is none.
pub(super) fn levels(tree: &Tree, value: Range<usize>) -> Vec<Level> {
    let mut scan = tree.scan();
    let mut levels = Vec::new();
    let mut waiting = vec![value];
    while let Some(range) = waiting.pop() {
        let mut level = Level::default();
        let mut open: Option<Range<usize>> = None;
        let mut slash = false;
        let mut at = range.start;
        while at < range.end {
            let (part, end) = scan.part(at);
            let byte = tree.text.as_bytes()[at];
            let parts = matches!(part, Part::Space | Part::Comment | Part::Comma | Part::Semicolon | Part::Colon)
                || (part == Part::Other && matches!(byte, b'/' | b'*' | b'='));
            if part == Part::Group
                && scan.url_end(at).is_none()
                && end <= range.end
                && tree.text[..end].ends_with([')', ']'])
            {
                waiting.push(at + 1..end - 1);
            }
            if parts {
                level.components.extend(open.take());
                if part == Part::Other && byte == b'/' {
                    level.divided.extend(level.components.len().checked_sub(1));
                    slash = true;
                }
            } else {
                if open.is_none() && std::mem::take(&mut slash) {
                    level.divided.push(level.components.len());
                }
                open = Some(open.map_or(at, |open| open.start)..end.min(range.end));
            }
            at = end;
        }
        level.components.extend(open);
        level.divided.sort_unstable();
        levels.push(level);
    }
    levels
}

/// The components that a selection is, or the innermost one at a caret: the level, and which of it.
pub(super) fn selected(levels: &[Level], span: Span) -> Option<(usize, Range<usize>)> {
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

/// Whether the name stands in the text as a name of its own.
pub(super) fn has_name(text: &str, name: &str) -> bool {
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

/// The value as a scanner reads it: quiet, for a text of its own.
pub(super) fn scan<'t>(tree: &Tree, text: &'t str) -> Scan<'t> {
    Scan::quiet(text, tree.dialect)
}
