//! Unified diffs, computed from edits. The cost depends on the size of the edits and not on the size of the file.

use std::fmt::Write;

use crate::{EditSet, Span, escape::quote_path};

const CONTEXT: usize = 3;

/// Returns the unified diff of a file from its text before and the edits. Empty if nothing changes.
///
/// # Examples
///
/// ```
/// use marquetry_model::{Edit, EditSet, Span, diff::unified};
///
/// let text = "one\ntwo\n";
/// let edits = EditSet::new(text, vec![Edit { span: Span::new(4, 7), text: "2".to_owned() }])?;
/// assert_eq!(unified("a/f", "b/f", text, &edits), "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
/// # Ok::<(), marquetry_model::Error>(())
/// ```
pub fn unified(before_path: &str, after_path: &str, text: &str, edits: &EditSet) -> String {
    let mut hunks = hunks(text, edits);
    hunks.retain(|hunk| hunk.span.slice(text) != hunk.after);
    if hunks.is_empty() {
        return String::new();
    }
    let mut out = diff_header(before_path, after_path);
    let mut counter = LineCounter { text, at: 0, line: 0 };
    let mut grown = 0_isize;
    for hunk in hunks {
        let first = counter.line_of(hunk.span.start);
        grown += write_hunk(&mut out, hunk.span.slice(text), &hunk.after, first, grown);
    }
    out
}

/// The lines above the hunks.
fn diff_header(before: &str, after: &str) -> String {
    format!("--- {}\n+++ {}\n", quote_path(before), quote_path(after))
}

/// Formats the header of git's diff for a renamed or copied file; `how` is `rename` or `copy`.
///
/// # Examples
///
/// ```
/// use marquetry_model::diff::rename_header;
///
/// let expected = "diff --git a/x.ts b/y.ts\nrename from x.ts\nrename to y.ts\n";
/// assert_eq!(rename_header("rename", "x.ts", "y.ts"), expected);
/// ```
pub fn rename_header(how: &str, from: &str, to: &str) -> String {
    let [old, new] = [format!("a/{from}"), format!("b/{to}")];
    let (old, new, from, to) = (quote_path(&old), quote_path(&new), quote_path(from), quote_path(to));
    format!("diff --git {old} {new}\n{how} from {from}\n{how} to {to}\n")
}

/// Formats the header of a diff for a deleted file whose text is not shown.
pub fn deletion_header(path: &str) -> String {
    let [old, new] = [format!("a/{path}"), format!("b/{path}")];
    format!("diff --git {} {}\ndeleted\n", quote_path(&old), quote_path(&new))
}

/// Returns the diff of a file that is created (`before` is `None`) or deleted (`after` is `None`).
///
/// # Examples
///
/// ```
/// use marquetry_model::diff::whole_file;
///
/// assert_eq!(whole_file(None, Some(("b/f", "new\n"))), "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+new\n");
/// ```
pub fn whole_file(before: Option<(&str, &str)>, after: Option<(&str, &str)>) -> String {
    let (old_path, old) = before.unwrap_or(("/dev/null", ""));
    let (new_path, new) = after.unwrap_or(("/dev/null", ""));
    let mut out = diff_header(old_path, new_path);
    write_hunk(&mut out, old, new, 0, 0);
    out
}

/// Returns the unified diff of two texts with this many lines of context. Empty if they are equal.
///
/// # Examples
///
/// ```
/// use marquetry_model::diff::between;
///
/// let shown = between(("old", "1\n2\n3\n"), ("new", "1\ntwo\n3\n"), 0);
/// assert_eq!(shown, "--- old\n+++ new\n@@ -2 +2 @@\n-2\n+two\n");
/// ```
pub fn between((old_path, old): (&str, &str), (new_path, new): (&str, &str), context: usize) -> String {
    if old == new {
        return String::new();
    }
    let mut out = diff_header(old_path, new_path);
    write_hunk_part(&mut out, (old, new), context, 0, 0);
    out
}

/// A range of whole lines and its replacement.
struct Hunk {
    span: Span,
    after: String,
}

/// Groups the edits into hunks: edits that are close to each other share one.
fn hunks(text: &str, edits: &EditSet) -> Vec<Hunk> {
    let mut hunks: Vec<(Span, usize, usize)> = Vec::new();
    for (index, edit) in edits.as_slice().iter().enumerate() {
        let around =
            Span::new(line_start_above(text, edit.span.start, CONTEXT), line_end_below(text, edit.span.end, CONTEXT));
        match hunks.last_mut() {
            Some((span, _, last)) if around.start <= span.end => {
                span.end = around.end.max(span.end);
                *last = index;
            }
            _ => hunks.push((around, index, index)),
        }
    }
    let splice = |(span, first, last): (Span, usize, usize)| {
        let mut after = String::new();
        let mut at = span.start;
        for edit in &edits.as_slice()[first..=last] {
            after.push_str(&text[at..edit.span.start]);
            after.push_str(&edit.text);
            at = edit.span.end;
        }
        after.push_str(&text[at..span.end]);
        Hunk { span, after }
    };
    hunks.into_iter().map(splice).collect()
}

/// Returns the start of the line `count` lines above the one that contains the offset.
fn line_start_above(text: &str, offset: usize, count: usize) -> usize {
    let mut at = line_start(text, offset);
    for _ in 0..count {
        if at == 0 {
            break;
        }
        at = line_start(text, at - 1);
    }
    at
}

fn line_start(text: &str, offset: usize) -> usize {
    memchr::memrchr(b'\n', &text.as_bytes()[..offset]).map_or(0, |at| at + 1)
}

/// Returns the end (after the line break) of the line `count` lines below the one that contains the offset.
fn line_end_below(text: &str, offset: usize, count: usize) -> usize {
    let mut at = offset;
    for _ in 0..=count {
        match memchr::memchr(b'\n', &text.as_bytes()[at..]) {
            Some(found) => at += found + 1,
            None => return text.len(),
        }
    }
    at
}

struct LineCounter<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl LineCounter<'_> {
    /// Returns the line (from 0) of an offset. Offsets must be given in ascending order.
    fn line_of(&mut self, offset: usize) -> usize {
        self.line += memchr::memchr_iter(b'\n', &self.text.as_bytes()[self.at..offset]).count();
        self.at = offset;
        self.line
    }
}

/// Writes the changed lines of a hunk. Returns by how many lines it grew.
fn write_hunk(out: &mut String, before: &str, after: &str, first: usize, grown: isize) -> isize {
    write_hunk_part(out, (before, after), CONTEXT, first, grown)
}

fn write_hunk_part(
    out: &mut String,
    (before, after): (&str, &str),
    context: usize,
    first: usize,
    grown: isize,
) -> isize {
    // Only `\n` ends a line of a diff; `patch` treats `\r` as an ordinary character.
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let diff = similar::TextDiff::from_slices(&before, &after);
    let mut total = 0;
    for group in diff.grouped_ops(context) {
        let (Some(start), Some(end)) = (group.first(), group.last()) else { continue };
        let old = start.old_range().start..end.old_range().end;
        let new = start.new_range().start..end.new_range().end;
        let new_first = (first + new.start).saturating_add_signed(grown);
        let _ =
            writeln!(out, "@@ -{} +{} @@", hunk_range(first + old.start, old.len()), hunk_range(new_first, new.len()));
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let line = change.value();
            let _ = write!(out, "{}{line}", change.tag());
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
        total += new.len() as isize - old.len() as isize;
    }
    total
}

fn hunk_range(start: usize, len: usize) -> String {
    match len {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        _ => format!("{},{len}", start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Edit;

    #[track_caller]
    fn check(text: &str, edits: &[(usize, usize, &str)], expected: &str) {
        let edit = |(start, end, text): &(usize, usize, &str)| Edit {
            span: Span::new(*start, *end),
            text: (*text).to_owned(),
        };
        let edits = EditSet::new(text, edits.iter().map(edit).collect()).expect("valid");
        assert_eq!(unified("a/f", "b/f", text, &edits), expected);
    }

    #[test]
    fn shows_a_changed_line_in_context() {
        check(
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
            &[(10, 11, "six")],
            "--- a/f\n+++ b/f\n@@ -3,7 +3,7 @@\n 3\n 4\n 5\n-6\n+six\n 7\n 8\n 9\n",
        );
    }

    #[test]
    fn later_hunks_have_shifted_line_numbers() {
        let text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n";
        let end = text.len();
        check(
            text,
            &[(0, 0, "0\n"), (end - 3, end, "")],
            "--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -12,4 +13,3 @@\n 12\n 13\n 14\n-15\n",
        );
    }

    #[test]
    fn missing_final_line_break_is_shown() {
        check(
            "a",
            &[(0, 1, "b")],
            "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
        );
    }

    #[test]
    fn shows_the_requested_lines_of_context() {
        let (old, new) = ("1\n2\n3\n4\n", "1\n2\nthree\n4\n");
        assert_eq!(between(("a", old), ("b", new), 0), "--- a\n+++ b\n@@ -3 +3 @@\n-3\n+three\n");
        assert_eq!(between(("a", old), ("b", new), 1), "--- a\n+++ b\n@@ -2,3 +2,3 @@\n 2\n-3\n+three\n 4\n");
        assert_eq!(between(("a", old), ("b", old), 1), "");
        assert_eq!(between(("a", ""), ("b", new), 3).lines().nth(2), Some("@@ -0,0 +1,4 @@"));
    }

    #[test]
    fn path_with_line_break_is_quoted() {
        let path = "a\nundo with: marq undo 1-fake\u{1b}[2J";
        let shown = "\"f/a\\nundo with: marq undo 1-fake\\033[2J\"";
        let path_in = |folder: &str| format!("{folder}/{path}");
        assert_eq!(
            whole_file(None, Some((&path_in("f"), "x\n"))),
            format!("--- /dev/null\n+++ {shown}\n@@ -0,0 +1 @@\n+x\n")
        );
        for text in [rename_header("rename", path, "b c"), rename_header("copy", "b c", path), deletion_header(path)] {
            let is_known =
                |line: &str| ["diff --git ", "rename ", "copy ", "deleted"].iter().any(|head| line.starts_with(head));
            assert!(text.lines().all(is_known), "{text}");
        }
        assert_eq!(rename_header("rename", "a", "b c"), "diff --git a/a b/b c\nrename from a\nrename to b c\n");
    }

    #[test]
    fn shows_a_new_file() {
        assert_eq!(whole_file(None, Some(("f", "a\n"))), "--- /dev/null\n+++ f\n@@ -0,0 +1 @@\n+a\n");
    }

    #[test]
    fn edits_without_a_change_have_no_diff() {
        check("a\n", &[], "");
        check("a\n", &[(0, 1, "a")], "");
    }

    #[test]
    fn deleted_file_has_a_header_only() {
        assert_eq!(deletion_header("a b"), "diff --git a/a b b/a b\ndeleted\n");
    }
}
