//! Structural search: finds the matches of a pattern in a document.

use super::tokens::{self, normalized_text, without_delimiters};
use super::tree::{Item, Letters, Token, Tree};
use super::{Metavariable, Pattern, Reading, span};
use crate::{Capture, FailureKind, Result, Span, StructureMatch, fail};

/// Maximum number of comparisons per document: several `$$$` in one list can match in exponentially many ways.
const MAX_STEPS: usize = 10_000_000;

/// All matches, ordered by start, outer matches before inner ones.
///
/// # Errors
///
/// Fails with `LimitExceeded` if the search takes too many steps.
pub fn find(pattern: &Pattern, code: &Tree<&str>) -> Result<Vec<StructureMatch>> {
    let mut found: Vec<StructureMatch> = Vec::new();
    let mut steps = 0;
    for reading in &pattern.readings {
        let mut matcher =
            Matcher { reading, names: &pattern.names, code, bindings: Vec::new(), ignored_extras: Vec::new(), steps };
        for index in 0..code.nodes.len() as u32 {
            match reading.roots.as_slice() {
                [root] => found.extend(matcher.match_at(*root, index)),
                roots => matcher.match_runs(roots, index, &mut found),
            }
            if matcher.steps > MAX_STEPS {
                return Err(fail(FailureKind::LimitExceeded, "the pattern can match in too many ways")
                    .hint("use fewer `$$$` in one list, or write more code between them"));
            }
        }
        steps = matcher.steps;
    }
    found.sort_by_key(|found| (found.span.start, std::cmp::Reverse(found.span.end)));
    found.dedup_by_key(|found| found.span);
    Ok(found)
}

/// The match of a metavariable.
#[derive(Debug, Clone)]
struct Binding {
    name: usize,
    span: Span,
    /// Normalized text, to compare with other matches of the same name.
    normalized: String,
}

struct Matcher<'m, 't> {
    reading: &'m Reading,
    names: &'m [String],
    code: &'m Tree<&'t str>,
    bindings: Vec<Binding>,
    ignored_extras: Vec<Span>,
    steps: usize,
}

/// Consecutive items of the pattern: a half-open range of indices in its tree.
type PatternRange = (usize, usize);

impl<'t> Matcher<'_, 't> {
    /// Matches a node of the document with a single node of the pattern.
    fn match_at(&mut self, root: u32, index: u32) -> Option<StructureMatch> {
        let node = self.code.node(index);
        if self.reading.tree.node(root).kind != node.kind {
            return None;
        }
        self.reset();
        let end = if self.reading.with_end { node.span.end } else { node.bare_end };
        let start = node.span.start;
        self.matches_node(root, index).then(|| self.found(span(start, end)))
    }

    /// Matches several consecutive items of this node.
    fn match_runs(&mut self, roots: &[u32], parent: u32, found: &mut Vec<StructureMatch>) {
        let items = self.code.items(parent);
        for first in 0..items.len() {
            if !matches!(items[first], Item::Child(_)) {
                continue;
            }
            self.reset();
            if let Some(end) = self.match_run(roots, &items[first..], None) {
                let start = self.span_of(&items[first]).start;
                found.push(self.found(span(start, end)));
            }
        }
    }

    /// The end of the match of these items, or `None` if they do not match.
    fn match_run(&mut self, roots: &[u32], items: &[Item<&'t str>], end: Option<u32>) -> Option<u32> {
        self.steps += 1;
        let Some((root, rest)) = roots.split_first() else { return end };
        let mark = self.checkpoint();
        if let Some(metavariable) =
            self.reading.tree.node(*root).metavariable.filter(|metavariable| metavariable.is_list)
        {
            let most = items.iter().take_while(|item| !matches!(item, Item::Token(_))).count();
            let place = items.first().map_or(end.unwrap_or(0), |item| self.span_of(item).start);
            for count in if rest.is_empty() { most..=most } else { 0..=most } {
                let taken = &items[..count];
                let end = taken.last().map(|item| self.span_of(item).end).or(end);
                if self.bind_items(metavariable, taken, place)
                    && let Some(end) = self.match_run(rest, &items[count..], end)
                {
                    return Some(end);
                }
                self.roll_back(mark);
            }
            return None;
        }
        match items.split_first()? {
            (Item::Extra(token), items) if end.is_some() => {
                self.ignored_extras.push(token.span);
                let end = self.match_run(roots, items, end);
                if end.is_none() {
                    self.roll_back(mark);
                }
                end
            }
            (Item::Child(index), items) if self.matches_node(*root, *index) => {
                let node = self.code.node(*index);
                let own = if rest.is_empty() && !self.reading.with_end { node.bare_end } else { node.span.end };
                let end = self.match_run(rest, items, Some(own));
                if end.is_none() {
                    self.roll_back(mark);
                }
                end
            }
            _ => {
                self.roll_back(mark);
                None
            }
        }
    }

    fn reset(&mut self) {
        self.bindings.clear();
        self.ignored_extras.clear();
    }

    fn found(&self, span: Span) -> StructureMatch {
        let mut captures: Vec<Capture> = Vec::new();
        for (index, name) in self.names.iter().enumerate() {
            let bound = self.bindings.iter().find(|bound| bound.name == index);
            captures.extend(bound.map(|bound| Capture { name: name.clone(), span: bound.span }));
        }
        let mut unmatched = self.ignored_extras.clone();
        unmatched.sort_by_key(|part| (part.start, part.end));
        unmatched.dedup();
        StructureMatch { span, captures, unmatched }
    }

    fn checkpoint(&self) -> (usize, usize) {
        (self.bindings.len(), self.ignored_extras.len())
    }

    fn roll_back(&mut self, (bound, unmatched): (usize, usize)) {
        self.bindings.truncate(bound);
        self.ignored_extras.truncate(unmatched);
    }

    /// Returns whether a node matches a node of the pattern.
    fn matches_node(&mut self, wanted: u32, index: u32) -> bool {
        self.steps += 1;
        let (pattern, node) = (self.reading.tree.node(wanted), self.code.node(index));
        if let Some(metavariable) = pattern.metavariable {
            let (first, end) = node.items;
            let is_there = first < end || node.span.start < node.span.end;
            return is_there && self.bind_items(metavariable, &[Item::Child(index)], node.span.start);
        }
        if pattern.kind != node.kind {
            return false;
        }
        let mark = self.checkpoint();
        let wanted: PatternRange = (pattern.items.0 as usize, pattern.items.1 as usize);
        let (code, end) = (self.code.items(index), node.span.end);
        let fits = match node.any_order && !self.has_named_list(wanted) {
            true => self.matches_in_any_order(wanted, code),
            false => self.matches_sequence(wanted, code, end),
        };
        if !fits {
            self.roll_back(mark);
        }
        fits
    }

    /// Returns whether the items match those of the pattern in order.
    fn matches_sequence(&mut self, (mut p, last): PatternRange, code: &[Item<&'t str>], end: u32) -> bool {
        let mut c = 0;
        while self.steps <= MAX_STEPS {
            self.steps += 1;
            if p == last {
                return self.skip_extras(&code[c..]);
            }
            if let Some(metavariable) = self.list_metavariable(p) {
                return self.match_list(metavariable, (p + 1, last), &code[c..], end);
            }
            match (&self.reading.tree.items[p], code.get(c)) {
                (Item::Extra(wanted), Some(Item::Extra(there)))
                    if tokens::is_same_token(&wanted.text, there.text, Letters::AnyCase) =>
                {
                    (p, c) = (p + 1, c + 1);
                }
                (_, Some(Item::Extra(there))) => {
                    self.ignored_extras.push(there.span);
                    c += 1;
                }
                (_, Some(there)) if self.matches_item(p, there) => (p, c) = (p + 1, c + 1),
                _ => return false,
            }
        }
        false
    }

    fn skip_extras(&mut self, code: &[Item<&'t str>]) -> bool {
        for item in code {
            let Item::Extra(token) = item else { return false };
            self.ignored_extras.push(token.span);
        }
        true
    }

    /// The `$$$` metavariable at this item of the pattern, if it is one.
    fn list_metavariable(&self, item: usize) -> Option<Metavariable> {
        let Item::Child(child) = self.reading.tree.items[item] else { return None };
        self.reading.tree.node(child).metavariable.filter(|metavariable| metavariable.is_list)
    }

    fn has_named_list(&self, (first, last): PatternRange) -> bool {
        (first..last).any(|item| self.list_metavariable(item).is_some_and(|metavariable| metavariable.name.is_some()))
    }

    /// Matches a `$$$` metavariable: as few items as the rest of the pattern allows, or all remaining items if it is
    /// the last.
    fn match_list(&mut self, metavariable: Metavariable, rest: PatternRange, code: &[Item<&'t str>], end: u32) -> bool {
        let place = code.first().map_or(end, |item| self.span_of(item).start);
        let mark = self.checkpoint();
        let most = code.len();
        for count in if rest.0 == rest.1 { most..=most } else { 0..=most } {
            if self.bind_items(metavariable, &code[..count], place) && self.matches_sequence(rest, &code[count..], end)
            {
                return true;
            }
            self.roll_back(mark);
        }
        false
    }

    /// Returns whether each item of the pattern matches a different item of the document. Items that remain are
    /// allowed only if there is a `$$$` to match them.
    fn matches_in_any_order(&mut self, (first, last): PatternRange, code: &[Item<&'t str>]) -> bool {
        let (lists, mut wanted): (Vec<usize>, Vec<usize>) =
            (first..last).partition(|item| self.list_metavariable(*item).is_some());
        let there = code.iter().filter(|item| !matches!(item, Item::Extra(_))).count();
        if there < wanted.len() || (lists.is_empty() && there > wanted.len()) {
            return false;
        }
        // Assign the most specific items first.
        wanted.sort_by_key(|item| self.is_vague(*item));
        for item in code {
            if let Item::Extra(token) = item {
                self.ignored_extras.push(token.span);
            }
        }
        self.assign(&wanted, code, &mut vec![false; code.len()])
    }

    fn is_vague(&self, item: usize) -> bool {
        let Item::Child(child) = self.reading.tree.items[item] else { return false };
        let (first, end) = self.reading.tree.node(child).items;
        self.reading.tree.node(child).metavariable.is_some()
            || (first..end).next().is_some_and(|first| self.reading.chunks[first as usize].is_some())
    }

    fn assign(&mut self, wanted: &[usize], code: &[Item<&'t str>], used: &mut Vec<bool>) -> bool {
        let Some((first, rest)) = wanted.split_first() else { return true };
        let mark = self.checkpoint();
        for index in 0..code.len() {
            self.steps += 1;
            if used[index] || self.steps > MAX_STEPS || matches!(code[index], Item::Extra(_)) {
                continue;
            }
            used[index] = true;
            if self.matches_item(*first, &code[index]) && self.assign(rest, code, used) {
                return true;
            }
            used[index] = false;
            self.roll_back(mark);
        }
        false
    }

    /// Returns whether an item matches an item of the pattern.
    fn matches_item(&mut self, wanted: usize, there: &Item<&'t str>) -> bool {
        let reading = self.reading;
        match (&reading.tree.items[wanted], there) {
            (Item::Child(wanted), Item::Child(index)) => self.matches_node(*wanted, *index),
            (Item::Token(token), Item::Token(there)) => self.matches_token(wanted, token, there),
            _ => false,
        }
    }

    fn matches_token(&mut self, item: usize, wanted: &Token<Box<str>>, there: &Token<&'t str>) -> bool {
        self.steps += 1;
        let Some(chunks) = &self.reading.chunks[item] else {
            return tokens::is_same_token(&wanted.text, there.text, there.letters);
        };
        // A metavariable in a string only matches the content of a string.
        if wanted.letters == Letters::Text && there.letters != Letters::Text {
            return false;
        }
        let Some(parts) = tokens::match_chunks(chunks, there.text, there.letters, &mut self.steps) else {
            return false;
        };
        // A metavariable without quotes matches the quotes too.
        let with_quotes = chunks.len() == 1 && wanted.outer == wanted.span;
        parts.into_iter().all(|(metavariable, start, end)| {
            let from = there.span.range().start;
            let part = if with_quotes { there.outer } else { Span::new(from + start, from + end) };
            let own = Token { text: &there.text[start..end], ..*there };
            self.bind_text(metavariable, part, &[Item::Token(own)])
        })
    }

    fn bind_items(&mut self, metavariable: Metavariable, items: &[Item<&'t str>], place: u32) -> bool {
        if metavariable.name.is_none() {
            return true;
        }
        let part = match (items.first(), items.last()) {
            (Some(first), Some(last)) => span(self.span_of(first).start, self.span_of(last).end),
            _ => span(place, place),
        };
        self.bind_text(metavariable, part, items)
    }

    fn bind_text(&mut self, metavariable: Metavariable, span: Span, items: &[Item<&'t str>]) -> bool {
        let Some(name) = metavariable.name else { return true };
        let mut text = String::new();
        // Only metavariables that occur more than once are compared.
        if self.reading.repeated.contains(&name) {
            normalized_text(self.code, items, &mut text);
        }
        if let Some(known) = self.bindings.iter().find(|bound| bound.name == name) {
            return without_delimiters(&known.normalized) == without_delimiters(&text);
        }
        self.bindings.push(Binding { name, span, normalized: text });
        true
    }

    fn span_of(&self, item: &Item<&str>) -> Span {
        match item {
            Item::Token(token) | Item::Extra(token) => token.outer,
            Item::Child(child) => self.code.node(*child).span,
        }
    }
}
