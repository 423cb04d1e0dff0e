//! Checks the effect of an edit on the syntax by scanning only the members or elements that it touches.

use std::ops::Range;

use marquetry_sdk::{Edit, span::apply_within};

use crate::{
    dialect::Dialect,
    scan,
    source::{Child, Source},
    table::Id,
};

/// Returns whether a valid document is certainly valid after the edits. The members or elements around the edits are
/// scanned as a separate container, with the edits applied. Returns false if they are most of the document anyway.
pub(crate) fn stays_well_formed(source: Source<'_>, rules: Dialect, edits: &[Edit]) -> bool {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return true };
    let (start, end) = (first.span.range().start, last.span.range().end);
    let Some(container) = innermost(source, start, end) else { return false };
    let Some(run) = EntryRun::enclosing(source, container, start, end) else { return false };
    if run.range.len() > source.text.len() / 2 {
        return false;
    }
    let after = apply_within(source.text, run.range.clone(), edits);
    if source.is_json_lines(container) {
        return run.is_well_formed(&after, 0, rules);
    }
    let (open, close) = if source.is_object(container) { ('{', '}') } else { ('[', ']') };
    let one_line = !rules.is_json_lines || !after.contains('\n');
    one_line && run.is_well_formed(&format!("{open}{after}{close}"), 1, Dialect { is_json_lines: false, ..rules })
}

/// Returns the innermost container whose brackets enclose both offsets.
fn innermost(source: Source<'_>, start: usize, end: usize) -> Option<Id> {
    let holds = |id: Id| {
        let range = source.table.range(id);
        source.table.is_container(source.text, id) && range.start < start && end < range.end
    };
    let mut found = Some(0).filter(|root| source.is_json_lines(*root) || holds(*root))?;
    while let Some(inner) = source.children_of(found).map(|child| child.value).find(|child| holds(*child)) {
        found = inner;
    }
    Some(found)
}

/// A range of adjacent members or elements.
struct EntryRun {
    range: Range<usize>,
    /// True if the range begins with a member or element. Otherwise, it begins after the opening bracket.
    begins_with_entry: bool,
    /// True if the range ends with a member or element.
    ends_with_entry: bool,
}

impl EntryRun {
    /// Returns the range from the last entry that begins before `start` to the first entry that ends after `end`.
    fn enclosing(source: Source<'_>, container: Id, start: usize, end: usize) -> Option<EntryRun> {
        let begin = |child: &Child| source.table.range(child.key.unwrap_or(child.value)).start;
        let stop = |child: &Child| source.table.range(child.value).end;
        let (mut first, mut last) = (None, None);
        for child in source.children_of(container) {
            if begin(&child) <= start {
                first = Some(begin(&child));
            }
            if stop(&child) >= end {
                last = Some(stop(&child));
                break;
            }
        }
        let inside = source.body(container)?.range();
        let open = !source.is_json_lines(container);
        Some(EntryRun {
            range: first.or(open.then_some(inside.start))?..last.or(open.then_some(inside.end))?,
            begins_with_entry: first.is_some(),
            ends_with_entry: last.is_some(),
        })
    }

    /// Returns whether `text` has no errors. It contains the edited range inside brackets of `bracket` bytes. If the
    /// range began or ended with an entry, it must still begin or end with one, because a comma or comment at that end
    /// would affect the entries next to the range.
    fn is_well_formed(&self, text: &str, bracket: usize, rules: Dialect) -> bool {
        let (table, problems) = scan::scan_document(text, rules);
        let alone = Source { text, table: &table };
        let mut children = alone.children_of(0);
        let (Some(first), true) = (children.next(), problems.is_empty()) else { return false };
        let last = children.last().unwrap_or(first);
        let begins = table.range(first.key.unwrap_or(first.value)).start == bracket;
        let ends = table.range(last.value).end + bracket == text.len();
        // The container must end with the text: a comment after it could hide the text that follows.
        table.range(0) == (0..text.len()) && (begins || !self.begins_with_entry) && (ends || !self.ends_with_entry)
    }
}

#[cfg(test)]
mod tests {
    use marquetry_sdk::Document as _;

    use super::*;
    use crate::document::JsonDocument;

    /// Checks an edit that replaces `old` by `new` in a much longer document.
    #[track_caller]
    fn check(path: &str, old: &str, new: &str, expected: bool) {
        let item = "{\"a\": 1, \"b\": [2, 3]}";
        let text = match path.ends_with('l') {
            true => format!("{item}\n").repeat(5),
            false => format!("[{item}, {item}, {item}, {item}]"),
        };
        let at = text[30..].find(old).expect("it is there") + 30;
        let document = JsonDocument::new(path, text);
        assert_eq!(document.stays_well_formed(&[Edit::new(at..at + old.len(), new)]), expected, "{new}");
    }

    #[test]
    fn edit_inside_container_is_checked_alone() {
        check("a.json", "1", "{\"x\": []}", true);
        check("a.json", "[2, 3]", "null", true);
        check("a.json", "2, 3", "", false);
        check("a.json", ", 3", "", true);
        check("a.json", ", 3", ", 3, 4", true);
        check("a.json", "2, ", "", true);
        check("a.json", "2, ", "1, 2, ", true);
        check("a.json", "2, ", ", ", false);
        check("a.json", "2, 3", "2, ", false);
        check("a.json", "2, 3", "2] [3", false);
        check("a.json", "{\"a\": 1, \"b\": [2, 3]}", "1", true);
        check("a.json", "{\"a\": 1, \"b\": [2, 3]}", "1,", false);
        check("a.json", "{\"a\": 1, \"b\": [2, 3]}, ", "", true);
        check("a.json", "}, {", "} {", false);
    }

    #[test]
    fn line_comment_before_member_is_not_well_formed() {
        check("a.jsonc", "1", "/* one */ 1", true);
        check("a.jsonc", "3", "3,", false);
        check("a.jsonc", "1", "1,", false);
        check("a.jsonc", "2, 3", "2] } // ", false);
    }

    #[test]
    fn json_lines_edit_must_stay_on_line() {
        check("a.jsonl", "2, 3", "2, 4", true);
        check("a.jsonl", "{\"a\": 1, \"b\": [2, 3]}", "1\n2", true);
        check("a.jsonl", "{\"a\": 1, \"b\": [2, 3]}", "1 2", false);
        check("a.jsonl", "}\n{", "} {", false);
        check("a.jsonl", "2, 3", "2,\n4", false);
    }
}
