//! What an edit does to the syntax, told from the container it lies in alone.

use marquetry_sdk::Edit;

use crate::{
    rules::Rules,
    scan,
    source::Source,
    table::{Id, Table},
};

/// Whether a document without problems has none after the edits: the innermost container around them, scanned alone
/// with the edits in it, is one whole value. Not told where that is most of the document anyway.
pub(crate) fn stays_well_formed(source: Source<'_>, rules: Rules, edits: &[Edit]) -> bool {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return true };
    let Some(container) = innermost(source, first.span.range().start, last.span.range().end) else { return false };
    let range = source.table.range(container);
    if range.len() > source.text.len() / 2 {
        return false;
    }
    let after = marquetry_sdk::span::apply_within(source.text, range, edits);
    let one_line = !rules.lines || !after.contains('\n');
    let (table, problems) = scan::scan(&after, Rules { lines: false, ..rules });
    one_line && problems.is_empty() && spans_all(&table, &after)
}

/// Behind the value there could be a comment that takes in what follows.
fn spans_all(table: &Table, text: &str) -> bool {
    table.range(0) == (0..text.len())
}

/// The innermost container that holds the places between its brackets; in a file of lines, the one that fills a line.
fn innermost(source: Source<'_>, start: usize, end: usize) -> Option<Id> {
    let holds = |id: Id| {
        let range = source.table.range(id);
        source.table.is_container(source.text, id) && range.start < start && end < range.end
    };
    let inside = |id: Id| source.children_of(id).map(|child| child.value).find(|child| holds(*child));
    if source.is_lines(0) {
        return inside(0);
    }
    let mut found = Some(0).filter(|root| holds(*root))?;
    while let Some(inner) = inside(found) {
        found = inner;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use marquetry_sdk::Document as _;

    use super::*;
    use crate::document::JsonDocument;

    /// Puts the new text in the place of `old`, in a document that is much longer.
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
    fn a_container_tells_what_an_edit_does() {
        check("a.json", "1", "{\"x\": []}", true);
        check("a.json", "[2, 3]", "null", true);
        check("a.json", "2, 3", "", true);
        check("a.json", "2, 3", "2, ", false);
        check("a.json", "2, 3", "2] [3", false);
        // The container itself, all of it, is a matter of what is around it.
        check("a.json", "{\"a\": 1, \"b\": [2, 3]}", "1", false);
    }

    #[test]
    fn a_comment_does_not_swallow_what_follows() {
        check("a.jsonc", "1", "1 /* one */", true);
        check("a.jsonc", "2, 3", "2] } // ", false);
    }

    #[test]
    fn a_line_stays_a_line() {
        check("a.jsonl", "2, 3", "2, 4", true);
        check("a.jsonl", "2, 3", "2,\n4", false);
    }
}
