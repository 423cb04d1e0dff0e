//! Reorders the items of a container.
//!
//! Comments directly above an item, before its separator, and after it on its line move with the item. Separators,
//! blank lines and indentation stay in place, so a last item without a separator keeps none.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::{Span, items::Items, lines};

/// An item with its comments, and the separator of its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slot {
    /// The item with the comments before it, and those between it and its separator.
    pub item: Span,
    /// The separator with the white space before it; empty if it is missing.
    pub separator: Span,
    /// The comments after the separator on the same line.
    pub tail: Span,
}

/// A piece of the new text.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A range of the old text.
    Old(Span),
    /// An added line break, followed by this indentation.
    Break(String),
}

/// A container whose items are reordered.
#[derive(Debug)]
pub struct Region {
    /// From the first item to the last, including their comments.
    pub span: Span,
    /// The new content of the span.
    pub parts: Vec<Part>,
}

impl Items<'_> {
    /// Each item with its comments and separator.
    pub fn slots(&self) -> Vec<Slot> {
        let mut from = self.inner.range().start;
        let mut slots = Vec::with_capacity(self.items.len());
        for (index, item) in self.items.iter().enumerate() {
            let start = item.range().start;
            // A separate comment between two items moves with the item below it. A separate comment above the first
            // item stays, because it may describe all items.
            let start = if index == 0 { start } else { self.first_comment(from, start) };
            let end = item.range().end;
            let separator = self.separator_after(end);
            let (own_end, behind) = match separator {
                Some(found) if self.text[end..found.range().start].trim().is_empty() => (end, found.range().end),
                Some(found) => (found.range().start, found.range().end),
                None => (end, end),
            };
            let tail = self.end_of_comments(behind);
            slots.push(Slot {
                item: Span::new(start, own_end),
                separator: Span::new(own_end, behind),
                tail: Span::new(behind, tail),
            });
            from = tail;
        }
        slots
    }

    /// The start of the first comment between an item and the next one; the next item if no comment is between them.
    fn first_comment(&self, from: usize, next: usize) -> usize {
        let gap = &self.text[from..next];
        from + gap.len() - gap.trim_start().len()
    }
}

/// Reorders slots. For each place, `order` contains the index of the slot that moves there. `None` if nothing changes.
/// `line_comments` are the starts of comments that end with the line.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::{
///     Span,
///     items::{C_STYLE, EmptyStyle, Items},
///     order::{reorder, sorted_order, text_after_reordering},
/// };
///
/// let text = "[\n  b, // B\n  a\n]";
/// let items = Items {
///     text,
///     inner: Span::new(1, text.len() - 1),
///     items: vec![Span::new(4, 5), Span::new(14, 15)],
///     separator: ",",
///     terminated: false,
///     comments: C_STYLE,
///     unit: "  ",
///     empty: EmptyStyle::Block,
///     breaks: 1,
/// };
/// let keys: Vec<&str> = items.items.iter().map(|item| item.slice(text)).collect();
/// let region = reorder(text, &items.slots(), &sorted_order(&keys), C_STYLE.line);
/// let sorted = text_after_reordering(text, Span::new(0, text.len()), region.into_iter().collect());
/// assert_eq!(sorted, "[\n  a,\n  b // B\n]");
/// ```
pub fn reorder(text: &str, slots: &[Slot], order: &[usize], line_comments: &[&str]) -> Option<Region> {
    if order.iter().enumerate().all(|(place, item)| place == *item) {
        return None;
    }
    let (first, last) = (slots.first()?, slots.last()?);
    let mut parts = Vec::with_capacity(slots.len() * 4);
    for (place, item) in order.iter().enumerate() {
        let (slot, moved) = (&slots[place], &slots[*item]);
        parts.push(Part::Old(moved.item));
        parts.push(Part::Old(slot.separator));
        parts.push(Part::Old(moved.tail));
        let ends_open = |span: Span| line_comments.iter().any(|start| span.slice(text).contains(start));
        if ends_open(moved.tail) && !lines::ends_line(text, slot.tail.range().end) {
            let indent = lines::indent_at(text, first.item.range().start);
            parts.push(Part::Break(format!("{}{indent}", lines::line_break(text))));
        }
        if let Some(next) = slots.get(place + 1) {
            parts.push(Part::Old(Span { start: slot.tail.end, end: next.item.start }));
        }
    }
    Some(Region { span: Span { start: first.item.start, end: last.tail.end }, parts })
}

/// The text of a span after all regions in it are reordered, including nested ones. Regions must be nested or
/// disjoint.
pub fn text_after_reordering(text: &str, span: Span, mut regions: Vec<Region>) -> String {
    regions.sort_by_key(|region| (region.span.start, Reverse(region.span.end)));
    let mut out = String::with_capacity(span.len());
    // Pieces still to write, last first, each with the first region that can be inside it.
    let mut waiting = vec![(Part::Old(span), 0)];
    while let Some((part, first)) = waiting.pop() {
        let span = match part {
            Part::Break(text) => {
                out.push_str(&text);
                continue;
            }
            Part::Old(span) => span,
        };
        let next = first + regions[first..].partition_point(|region| region.span.start < span.start);
        match regions.get(next).filter(|region| span.contains(region.span)) {
            None => out.push_str(span.slice(text)),
            Some(region) => {
                out.push_str(&text[span.range().start..region.span.range().start]);
                let behind = next + regions[next..].partition_point(|other| other.span.start < region.span.end);
                waiting.push((Part::Old(Span { start: region.span.end, end: span.end }), behind));
                waiting.extend(region.parts.iter().rev().map(|part| (part.clone(), next + 1)));
            }
        }
    }
    out
}

/// The order of sorted keys: compares without case first; equal keys keep their order.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::order::sorted_order;
///
/// assert_eq!(sorted_order(&["beta", "Alpha", "gamma"]), [1, 0, 2]);
/// ```
pub fn sorted_order<K: AsRef<str>>(keys: &[K]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_cached_key(|index| crate::items::sort_key(keys[*index].as_ref()));
    order
}

/// Returns the order nearest to the wanted one in which the first item of each pair precedes the second item.
/// Returns the current order if the pairs form a cycle.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::order::constrained_order;
///
/// // Item 0 must come before item 2.
/// assert_eq!(constrained_order(&[2, 1, 0], vec![(0, 2)]), [1, 0, 2]);
/// ```
pub fn constrained_order(wanted: &[usize], mut pairs: Vec<(usize, usize)>) -> Vec<usize> {
    if pairs.is_empty() {
        return wanted.to_vec();
    }
    pairs.sort_unstable();
    pairs.dedup();
    let count = wanted.len();
    let mut rank = vec![0; count];
    wanted.iter().enumerate().for_each(|(place, item)| rank[*item] = place);
    let mut waits = vec![0_usize; count];
    pairs.iter().for_each(|(_, to)| waits[*to] += 1);
    let free = (0..count).filter(|item| waits[*item] == 0);
    let mut free: BinaryHeap<_> = free.map(|item| Reverse((rank[item], item))).collect();
    let mut order = Vec::with_capacity(count);
    while let Some(Reverse((_, item))) = free.pop() {
        order.push(item);
        let from = pairs.partition_point(|(from, _)| *from < item);
        for (_, to) in pairs[from..].iter().take_while(|(from, _)| *from == item) {
            waits[*to] -= 1;
            if waits[*to] == 0 {
                free.push(Reverse((rank[*to], *to)));
            }
        }
    }
    if order.len() == count { order } else { (0..count).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::items::{C_STYLE, EmptyStyle};

    /// Sorts words between brackets.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let inner = text.find('[').expect("[") + 1..text.rfind(']').expect("]");
        let mut items = Vec::new();
        let mut at = inner.start;
        while let Some(found) = text[at..inner.end].find(|c: char| c.is_ascii_lowercase()) {
            let start = at + found;
            let line = lines::line_start(text, start);
            if text[line..start].contains("//") || text[line..start].contains("/*") {
                at = lines::line_end(text, start).min(inner.end);
                continue;
            }
            let length = text[start..].find(|c: char| !c.is_ascii_lowercase()).expect("the end");
            items.push(Span::new(start, start + length));
            at = start + length;
        }
        let container = Items {
            text,
            inner: inner.clone().into(),
            items: items.clone(),
            separator: ",",
            terminated: false,
            comments: C_STYLE,
            unit: "  ",
            empty: EmptyStyle::Block,
            breaks: 1,
        };
        let slots = container.slots();
        let keys: Vec<&str> = items.iter().map(|item| item.slice(text)).collect();
        let regions = reorder(text, &slots, &sorted_order(&keys), &["//"]).into_iter().collect();
        assert_eq!(text_after_reordering(text, Span::new(0, text.len()), regions), expected, "{text}");
    }

    #[test]
    fn reordering_keeps_separators_in_place() {
        check("[b, a]", "[a, b]");
        check("[\n  b,\n\n  a\n]", "[\n  a,\n\n  b\n]");
        check("[ c , b,a, ]", "[ a , b,c, ]");
        check("[\r\n\tb,\r\n\ta,\r\n]", "[\r\n\ta,\r\n\tb,\r\n]");
        check("[a, b]", "[a, b]");
    }

    #[test]
    fn comments_move_with_their_item() {
        check("[\n  b, // B\n  a // A\n]", "[\n  a, // A\n  b // B\n]");
        check("[\n  b,\n  // A\n  a\n]", "[\n  // A\n  a,\n  b\n]");
        check("[\n  b /* B */,\n  a\n]", "[\n  a,\n  b /* B */\n]");
        check("[\n  // all\n\n  b,\n\n  // part\n\n  a\n]", "[\n  // all\n\n  // part\n\n  a,\n\n  b\n]");
        // A line comment must not comment out what follows its new place.
        check("[\n  b, // B\n  a]", "[\n  a,\n  b // B\n  ]");
    }

    #[test]
    fn dependent_items_come_later() {
        assert_eq!(constrained_order(&[2, 1, 0], vec![]), [2, 1, 0]);
        assert_eq!(constrained_order(&[2, 1, 0], vec![(0, 2)]), [1, 0, 2]);
        assert_eq!(constrained_order(&[2, 1, 0], vec![(0, 1), (0, 1), (1, 2)]), [0, 1, 2]);
        assert_eq!(constrained_order(&[1, 0], vec![(0, 1), (1, 0)]), [0, 1]);
    }
}
