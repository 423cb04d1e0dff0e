//! Checks the laws (properties required of every pack) for edits on generated documents: an operation changes its
//! target, and everything else keeps its order.
//!
//! The relevant words of a generated document are *marks*, a letter and a number: `k3` is a key, `v3` its value, `c3` a
//! comment, and `x3` belongs to the container or its surroundings. The documents are assembled from parts, so the laws
//! know which comment describes which item without asking the pack.

use std::ops::Range;

use super::{TestDocument, check_edits, edited, open};
use crate::{
    Document, Edit, EditOptions, Failure, LanguagePack, Node, Operation, Position, Span, TargetKind, lines, span::apply,
};

/// Number of documents generated for each form of list.
const DOCUMENTS: usize = 120;

/// Number of the item that operations add.
const NEW_ITEM: usize = 90;

/// One form of list of a format: a container, its items, and the comments between them. `§` in a text is replaced with
/// the number of an item or comment.
#[derive(Debug, Clone, Copy)]
pub struct List {
    /// Name of the file.
    pub path: &'static str,
    /// Text before the items, with all line breaks. Its marks start with `x`.
    pub open: &'static str,
    /// Text after the items.
    pub close: &'static str,
    /// An item without separator and line break, with the marks `k§` and `v§`, or one of them.
    pub item: &'static str,
    /// An item as the content of an insertion, if that differs from `item`.
    pub content: Option<&'static str>,
    /// Content that replaces the value of an item; `None` if a replacement replaces the whole item.
    pub value: Option<&'static str>,
    /// Separator between two items: `,` or nothing. There is none after the last item.
    pub separator: &'static str,
    /// Indentation of items and comments.
    pub indent: &'static str,
    /// A comment: `// c§`. Empty if the format has none.
    pub comment: &'static str,
    /// True if a comment at the end of a line describes the item on that line.
    pub trailing: bool,
    /// True if a comment directly above an item describes it.
    pub leading: bool,
    /// Kind of the targets.
    pub kind: TargetKind,
    /// The target of an item.
    pub address: &'static str,
    /// The target of the container, if the laws also cover operations on its contents.
    pub container: Option<&'static str>,
    /// The whole document with an empty container, if the format has one.
    pub empty: Option<&'static str>,
}

/// Number of documents, edits and refusals in the check of a law.
#[derive(Debug, Clone, Copy, Default)]
pub struct Count {
    /// Documents that were generated.
    pub documents: usize,
    /// Operations that were tried.
    pub edits: usize,
    /// Operations that the pack refused.
    pub refused: usize,
}

/// A generated document.
struct Generated {
    text: String,
    items: Vec<Item>,
}

/// Positions in the list of marks.
#[derive(Clone)]
struct Item {
    number: usize,
    /// The marks of the item with the comments that describe it.
    marks: Range<usize>,
    /// The marks of the item without these comments.
    own_marks: Range<usize>,
}

/// Generator of pseudo-random numbers, the same in every run.
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn new(seed: u64) -> Numbers {
        Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// The marks of a text, in order.
fn marks(text: &str) -> Vec<String> {
    let is_mark = |word: &&str| {
        let mut chars = word.chars();
        chars.next().is_some_and(|first| "kvcx".contains(first)) && chars.as_str().parse::<u32>().is_ok()
    };
    text.split(|c: char| !c.is_alphanumeric()).filter(is_mark).map(str::to_owned).collect()
}

impl List {
    fn numbered(template: &str, number: usize) -> String {
        template.replace('§', &number.to_string())
    }

    fn generate(&self, numbers: &mut Numbers) -> Generated {
        let mut text = self.open.to_owned();
        let mut items = Vec::new();
        let count = 1 + numbers.below(4);
        let mut comments = 0;
        let mut comment = || {
            comments += 1;
            Self::numbered(self.comment, comments)
        };
        let has_comments = !self.comment.is_empty();
        for number in 0..count {
            if number > 0 && numbers.below(4) == 0 {
                text += "\n";
            }
            // A comment between blank lines does not describe an item.
            if has_comments && numbers.below(5) == 0 {
                text += &format!("\n{}{}\n\n", self.indent, comment());
            }
            // A directive for the rest of the file does not describe the item directly below it.
            if has_comments && numbers.below(6) == 0 {
                text += &format!("{}{}\n", self.indent, comment().replace('c', "eslint-disable c"));
            }
            let start = marks(&text).len();
            if has_comments && self.leading && numbers.below(3) == 0 {
                // Of several documentation comments, the last one describes the item.
                let most = if self.comment.starts_with("/**") { 1 } else { 2 };
                for _ in 0..=numbers.below(most) {
                    text += &format!("{}{}\n", self.indent, comment());
                }
            }
            let own = marks(&text).len();
            let item = Self::numbered(self.item, number);
            let separator = if number + 1 < count { self.separator } else { "" };
            text += &format!("{}{item}{separator}", self.indent);
            let end = marks(&text).len();
            if has_comments && self.trailing && numbers.below(3) == 0 {
                text += &format!(" {}", comment());
            }
            text += "\n";
            items.push(Item { number, marks: start..marks(&text).len(), own_marks: own..end });
        }
        if has_comments && numbers.below(3) == 0 {
            text += &format!("\n{}{}\n", self.indent, comment());
        }
        text += self.close;
        Generated { text, items }
    }

    fn new_item(&self) -> String {
        Self::numbered(self.content.unwrap_or(self.item), NEW_ITEM)
    }
}

/// Check of the laws on one document.
struct ListCheck<'l, P: LanguagePack> {
    list: &'l List,
    text: &'l str,
    bench: TestDocument<P>,
    count: &'l mut Count,
}

impl<P: LanguagePack> ListCheck<'_, P> {
    /// Returns the text after an operation; `None` if the pack refuses it.
    #[track_caller]
    fn edit(&mut self, target: &str, operation: &Operation) -> Option<String> {
        let text = self.text;
        let found = self.bench.nodes(self.list.kind, target);
        let nodes = found.unwrap_or_else(|failure| panic!("`{target}`: {failure:?} in\n{text}"));
        assert_eq!(nodes.len(), 1, "`{target}` does not select exactly one node of\n{text}");
        let options = EditOptions { include_doc: false, force: false };
        let ids = [nodes[0].id];
        self.count.edits += 1;
        let edits = match edited(self.bench.document(), &ids, operation, options) {
            Ok(edits) => edits,
            Err(failure) => {
                check_refusal(&failure, target, operation, text);
                self.count.refused += 1;
                return None;
            }
        };
        check_edits(text, &edits);
        check_reach(self.bench.document(), &nodes, operation, &edits);
        let after = apply(text, &edits);
        let problems = open::<P>(self.list.path, &after).diagnostics();
        if matches!(operation, Operation::ReplaceBody(_)) && problems.len() > self.bench.diagnostics().len() {
            // The host refuses a new body that adds syntax errors.
            self.count.refused += 1;
            return None;
        }
        assert_eq!(
            problems,
            self.bench.diagnostics(),
            "{operation:?} of `{target}` changes the problems of\n{text}\nThe result is\n{after}"
        );
        Some(after)
    }

    #[track_caller]
    fn check(&mut self, target: &str, operation: &Operation, is_right: impl Fn(&[String]) -> bool) {
        if let Some(after) = self.edit(target, operation) {
            let text = self.text;
            assert!(
                is_right(&marks(&after)),
                "wrong marks after {operation:?} of `{target}` in\n{text}\nThe result is\n{after}"
            );
        }
    }
}

#[track_caller]
fn check_refusal(failure: &Failure, target: &str, operation: &Operation, text: &str) {
    assert!(failure.hint.is_some(), "{operation:?} of `{target}`: the failure has no hint: {failure:?} in\n{text}");
}

/// Returns whether `after` is `before` with `new` inserted at one of `places`.
fn is_inserted(before: &[String], after: &[String], new: &[String], places: &Range<usize>) -> bool {
    let with = |at: usize| [&before[..at], new, &before[at..]].concat();
    (places.start..=places.end).any(|at| with(at) == after)
}

/// Checks the laws on one form of list. When an item is replaced, deleted, or gets a neighbour, all other marks stay in
/// order. A comment is deleted only with the item that it describes. Comments at the container and after it stay even
/// if the container loses its last item or gets its first one. Every edit is in a range that the host allows.
///
/// # Panics
///
/// Panics with the broken law.
#[track_caller]
pub fn check_list_laws<P: LanguagePack>(list: &List) -> Count {
    let mut count = Count::default();
    let mut numbers = Numbers::new(list.item.len() as u64);
    for _ in 0..DOCUMENTS {
        let generated = list.generate(&mut numbers);
        let bench = open::<P>(list.path, &generated.text);
        assert_eq!(
            bench.diagnostics(),
            Vec::<String>::new(),
            "the generated document has problems:\n{}",
            generated.text
        );
        let mut trial = ListCheck { list, text: &generated.text, bench, count: &mut count };
        check_items(&mut trial, &generated);
        check_container(&mut trial, &generated);
        check_delete_all::<P>(list, &generated, &mut count);
        count.documents += 1;
    }
    if let Some(empty) = list.empty {
        let bench = open::<P>(list.path, empty);
        assert_eq!(bench.diagnostics(), Vec::<String>::new(), "the empty document has problems:\n{empty}");
        check_fill_empty(&mut ListCheck { list, text: empty, bench, count: &mut count });
        count.documents += 1;
    }
    count
}

fn check_items<P: LanguagePack>(trial: &mut ListCheck<'_, P>, generated: &Generated) {
    let list = trial.list;
    let before = marks(&generated.text);
    let content = list.new_item();
    let new = marks(&content);
    for (index, item) in generated.items.iter().enumerate() {
        let target = List::numbered(list.address, item.number);
        let left = [&before[..item.marks.start], &before[item.marks.end..]].concat();
        trial.check(&target, &Operation::Delete, |after| after == left);
        let value = List::numbered(list.value.unwrap_or(list.item), NEW_ITEM);
        let own = &before[item.own_marks.clone()];
        let replaced = match list.value {
            Some(_) => [&own[..own.len() - marks(&value).len()], &marks(&value)].concat(),
            None => marks(&value),
        };
        let replaced = [&before[..item.own_marks.start], &replaced, &before[item.own_marks.end..]].concat();
        trial.check(&target, &Operation::Replace(value), |after| after == replaced);
        let previous = index.checked_sub(1).map_or(0, |index| generated.items[index].marks.end);
        let places = previous..item.marks.start;
        trial.check(&target, &Operation::InsertBefore(content.clone()), |after| {
            is_inserted(&before, after, &new, &places)
        });
        let next = generated.items.get(index + 1).map_or(before.len(), |next| next.marks.start);
        let places = item.marks.end..next;
        trial.check(&target, &Operation::InsertAfter(content.clone()), |after| {
            is_inserted(&before, after, &new, &places)
        });
    }
}

fn check_container<P: LanguagePack>(trial: &mut ListCheck<'_, P>, generated: &Generated) {
    let list = trial.list;
    let (Some(container), [first, .., last] | [first @ last]) = (list.container, &generated.items[..]) else { return };
    let before = marks(&generated.text);
    let content = list.new_item();
    let new = marks(&content);
    let head = marks(list.open).len();
    let end = before.len() - marks(list.close).len();
    for (position, places) in [(Position::First, head..first.marks.start), (Position::Last, last.marks.end..end)] {
        let operation = super::insert_into(&content, position);
        trial.check(container, &operation, |after| is_inserted(&before, after, &new, &places));
    }
    let nodes = trial.bench.nodes(list.kind, container).expect("the container was found");
    let Some(body) = nodes[0].body.map(|body| body.range()) else { return };
    let (open, close) = (marks(&trial.text[..body.start]), marks(&trial.text[body.end..]));
    let replaced = [open, new.clone(), close].concat();
    trial.check(container, &Operation::ReplaceBody(content), |after| after == replaced);
}

/// Checks that all items can be deleted one by one, and that the empty container accepts a new item.
fn check_delete_all<P: LanguagePack>(list: &List, generated: &Generated, count: &mut Count) {
    let mut text = generated.text.clone();
    for item in generated.items.iter().rev() {
        let bench = open::<P>(list.path, &text);
        let target = List::numbered(list.address, item.number);
        let Some(after) = ListCheck { list, text: &text, bench, count }.edit(&target, &Operation::Delete) else {
            return;
        };
        text = after;
    }
    let mut expected = marks(&generated.text);
    for item in generated.items.iter().rev() {
        expected.drain(item.marks.clone());
    }
    assert_eq!(
        marks(&text),
        expected,
        "wrong marks after all items are deleted from\n{}\nThe result is\n{text}",
        generated.text
    );
    let bench = open::<P>(list.path, &text);
    let Some(container) = list.container else { return };
    if bench.nodes(list.kind, container).is_ok_and(|nodes| nodes.len() == 1) {
        check_fill_empty(&mut ListCheck { list, text: &text, bench, count });
    }
}

/// Checks that an empty container accepts an item and keeps its comments.
fn check_fill_empty<P: LanguagePack>(trial: &mut ListCheck<'_, P>) {
    let list = trial.list;
    let Some(container) = list.container else { return };
    let before = marks(trial.text);
    let content = list.new_item();
    let new = marks(&content);
    let places = marks(list.open).len()..before.len() - marks(list.close).len();
    for position in [Position::First, Position::Last] {
        let operation = super::insert_into(&content, position);
        trial.check(container, &operation, |after| is_inserted(&before, after, &new, &places));
    }
}

/// Checks that the host accepts every edit: it must be on the lines of a target, between its neighbours, or in a range
/// that the pack declares for the operation.
///
/// # Panics
///
/// Panics with an edit outside of these ranges.
#[track_caller]
pub fn check_reach<D: Document>(document: &D, targets: &[Node], operation: &Operation, edits: &[Edit]) {
    let text = document.text();
    let with_doc = |node: &Node| {
        let doc = node.doc.unwrap_or(node.span);
        Span { start: doc.start.min(node.span.start), end: doc.end.max(node.span.end) }.range()
    };
    let holds = |range: &Range<usize>, edit: &Edit| {
        range.start <= edit.span.range().start && edit.span.range().end <= range.end
    };
    let near = |target: &Node| {
        let own = with_doc(target);
        lines::line_start(text, own.start)..lines::next_line(text, own.end)
    };
    let mut ranges: Vec<Range<usize>> = targets.iter().map(near).collect();
    if edits.iter().all(|edit| ranges.iter().any(|range| holds(range, edit))) {
        return;
    }
    let nodes = document.outline();
    for target in targets {
        let own = with_doc(target);
        let others = || nodes.iter().filter(|other| !are_related(&nodes, target, other));
        let before = others().map(|other| other.span.range().end).filter(|end| *end <= own.start).max();
        let after = others().map(|other| with_doc(other).start).filter(|start| *start >= own.end).min();
        ranges.push(before.unwrap_or(0)..after.unwrap_or(text.len()));
    }
    let ids: Vec<u32> = targets.iter().map(|target| target.id).collect();
    ranges.extend(document.edit_ranges(&ids, operation).iter().map(|span| span.range()));
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    for edit in edits {
        assert!(
            merged.iter().any(|range| holds(range, edit)),
            "{operation:?} of `{}`: {edit:?} is outside of the allowed ranges {merged:?} in\n{text}",
            targets[0].address
        );
    }
}

/// Returns whether one of the nodes contains the other.
fn are_related(nodes: &[Node], one: &Node, other: &Node) -> bool {
    let is_within = |inner: &Node, outer: &Node| {
        let mut at = nodes.iter().find(|node| node.id == inner.id);
        while let Some(node) = at.filter(|node| node.id != outer.id) {
            at = node.parent.map(|parent| &nodes[parent as usize]);
        }
        at.is_some()
    };
    is_within(one, other) || is_within(other, one)
}

/// Checks with [`check_reach`] every operation with every content on every node of these texts. Skips texts with syntax
/// errors.
///
/// # Panics
///
/// Panics with an edit outside of the allowed ranges.
#[track_caller]
pub fn check_reach_laws<P: LanguagePack>(path: &str, texts: impl Iterator<Item = String>, contents: &[&str]) -> Count {
    let with =
        |content: &&str| {
            let content = *content;
            [super::first(content), super::last(content), super::sorted(content), super::body(content)]
                .into_iter()
                .chain([super::before(content), super::after(content), super::replace(content)])
        };
    let operations: Vec<Operation> = contents.iter().flat_map(with).chain([Operation::Delete]).collect();
    let options = EditOptions { include_doc: false, force: false };
    let mut count = Count::default();
    for text in texts {
        let bench = open::<P>(path, &text);
        if !bench.document().diagnostics().is_empty() {
            continue;
        }
        count.documents += 1;
        for node in bench.document().outline() {
            for operation in &operations {
                match edited(bench.document(), &[node.id], operation, options) {
                    Ok(edits) => check_reach(bench.document(), std::slice::from_ref(&node), operation, &edits),
                    Err(_) => count.refused += 1,
                }
                count.edits += 1;
            }
        }
    }
    count
}

/// Generates texts of at most `most` random lines, the same in every run.
pub fn random_lines(pieces: &'static [&'static str], most: usize, texts: usize) -> impl Iterator<Item = String> {
    let mut numbers = Numbers::new(most as u64);
    std::iter::repeat_with(move || {
        (0..2 + numbers.below(most - 1)).map(|_| pieces[numbers.below(pieces.len())]).collect::<String>()
    })
    .take(texts)
}
