//! New items of a list in parentheses: items move with their comments.

use marquetry_sdk::span::apply_within;
use marquetry_sdk::{Edit, Span, lines};
use oxc_ast::ast::Comment;

use crate::syntax::spans::{skip_trivia, span_in};

/// New item of a list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NewItem {
    /// An item of the old list.
    Old(usize),
    Text(String),
}

/// A list in parentheses.
pub(crate) struct ParenthesizedList<'t> {
    pub(crate) text: &'t str,
    pub(crate) comments: &'t [Comment],
    /// The offset after the opening parenthesis.
    pub(crate) open: usize,
    pub(crate) items: Vec<Span>,
    /// The `this` parameter, which precedes the items.
    pub(crate) this_parameter: Option<Span>,
}

impl ParenthesizedList<'_> {
    /// Returns the edits that replace the items. `inner` are edits within old items.
    pub(crate) fn replacement_edits(&self, news: &[NewItem], inner: &[Edit]) -> Vec<Edit> {
        let slots: Vec<Span> = (0..self.items.len()).map(|at| self.extend_to_comments(at)).collect();
        let written = |new: &NewItem| match new {
            NewItem::Text(text) => text.clone(),
            NewItem::Old(at) => slots.get(*at).map_or(String::new(), |slot| {
                let mut within: Vec<Edit> = inner.iter().filter(|edit| slot.contains(edit.span)).cloned().collect();
                within.sort_by_key(|edit| (edit.span.start, edit.span.end));
                apply_within(self.text, slot.range(), &within)
            }),
        };
        let mut edits = Vec::new();
        let both = slots.len().min(news.len());
        for (at, slot) in slots.iter().enumerate().take(both) {
            if news[at] != NewItem::Old(at) {
                edits.push(Edit::new(*slot, written(&news[at])));
            }
        }
        let more: Vec<String> = news[both..].iter().map(written).collect();
        match (slots.last(), more.is_empty()) {
            (Some(last), false) => edits.push(self.append_items(*last, &more)),
            (None, false) => {
                let (at, comma) = self.this_parameter.map_or((self.open, ""), |this| (this.range().end, ", "));
                edits.push(Edit::insert(at, format!("{comma}{}", more.join(", "))));
            }
            (Some(last), true) if both < slots.len() => {
                let mut end = last.range().end;
                let start = match both.checked_sub(1) {
                    Some(before) => slots[before].range().end,
                    None => {
                        // Remove the trailing comma as well.
                        let next = skip_trivia(self.text, end);
                        if self.text[next..].starts_with(',') {
                            end = next + 1;
                        }
                        self.this_parameter.map_or(slots[0].range().start, |this| this.range().end)
                    }
                };
                edits.push(Edit::remove(start..end));
            }
            _ => {}
        }
        edits
    }

    /// Appends items after the last one, on separate lines if that one starts a line.
    fn append_items(&self, last: Span, more: &[String]) -> Edit {
        let at = last.range().start;
        let gap = if lines::starts_line(self.text, at) {
            format!("{}{}", lines::line_break(self.text), lines::indent_at(self.text, at))
        } else {
            " ".to_owned()
        };
        let added: Vec<String> = more.iter().map(|item| format!(",{gap}{item}")).collect();
        Edit::insert(last.range().end, added.concat())
    }

    /// Extends an item to the adjacent block comments on its line.
    fn extend_to_comments(&self, at: usize) -> Span {
        let mut span = self.items[at];
        let floor = at.checked_sub(1).map_or(self.open, |before| self.items[before].range().end);
        let index = self.comments.partition_point(|comment| comment.span.start < span.start);
        for comment in self.comments[..index].iter().rev() {
            let own = span_in(comment.span, self.text);
            let gap = &self.text[own.range().end..span.range().start];
            let is_of_item =
                own.range().start >= floor && comment.is_block() && gap.trim_matches([' ', '\t']).is_empty();
            // A comment before the comma belongs to the previous item.
            if !is_of_item || self.text[floor..own.range().start].trim().is_empty() && at > 0 {
                break;
            }
            span.start = own.start;
        }
        for comment in &self.comments[index..] {
            let own = span_in(comment.span, self.text);
            if own.start < span.end {
                continue;
            }
            let gap = &self.text[span.range().end..own.range().start];
            if !comment.is_block() || !gap.trim_matches([' ', '\t']).is_empty() {
                break;
            }
            span.end = own.end;
        }
        span
    }
}
