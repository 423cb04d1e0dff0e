//! Indentation of content at line targets in code: content that starts in the first column gets the indentation of the
//! lines around it, and lines that a wrapper puts into a block are indented by one more level.
//!
//! Independent of formats. Content or lines that may contain a part of a string over several lines stay as they are,
//! because white space in a string is data.

use marquetry_model::{Span, pack::Operation};

/// Note for an answer whose content was indented.
pub(super) const NOTE: &str =
    "the content was indented like the lines around it; with `force: true` lines are inserted as given";

/// Indentation of one level if the file has no indented line.
const DEFAULT_LEVEL: &str = "    ";

/// The operation on the lines of a span with indented content, and the text of the lines if a wrapper moves them into a
/// block. `None` if the content is already indented, or the lines around it are not.
pub(super) fn indented(text: &str, span: Span, operation: &Operation) -> Option<(Operation, Option<String>)> {
    let start = if matches!(operation, Operation::InsertAfter(_)) { span.end } else { span.start };
    if may_be_in_string(&text[..start]) {
        return None;
    }
    match operation {
        Operation::InsertBefore(content) => {
            let base = base_between(&text[..span.start], &text[span.start..], false)?;
            Some((Operation::InsertBefore(with_base(content, base)?), None))
        }
        Operation::InsertAfter(content) => {
            let base = base_between(&text[..span.end], &text[span.end..], true)?;
            Some((Operation::InsertAfter(with_base(content, base)?), None))
        }
        Operation::Wrap { before, after } => wrapped(text, span.slice(text), [before, after]),
        _ => None,
    }
}

/// The indentation of content between two texts. `None` if one of the lines next to it is in the first column: the
/// content may then belong there, too.
fn base_between<'t>(above: &'t str, below: &'t str, is_after: bool) -> Option<&'t str> {
    let above = filled_lines(above).next_back()?;
    let below = filled_lines(below).next()?;
    let (before, after) = (indentation(above), indentation(below));
    if before.is_empty() || after.is_empty() {
        return None;
    }
    let is_closing = below.trim_start().starts_with(['}', ')', ']']) || below.trim_start().starts_with("</");
    let is_above = is_closing || (is_after && !opens_block(above));
    Some(if is_above { before } else { after })
}

fn wrapped(text: &str, lines: &str, [before, after]: [&String; 2]) -> Option<(Operation, Option<String>)> {
    let base = filled_lines(lines).map(indentation).min_by_key(|indentation| indentation.len())?;
    let around = format!("{before}\n{after}");
    let is_outside = filled_lines(&around).any(|line| indentation(line).is_empty()) && !base.is_empty();
    let indent = |part: &str| match is_outside {
        true => with_base_of_lines(part, base),
        false => part.to_owned(),
    };
    let is_plain = !has_string_over_lines(&around) && !has_string_over_lines(lines);
    let (before, after) = match is_plain {
        true => (indent(before), indent(after)),
        false => return None,
    };
    let last = filled_lines(&before).next_back()?;
    let deeper = (opens_block(last) && indentation(last) == base).then(|| with_base_of_lines(lines, one_level(text)));
    (is_outside || deeper.is_some()).then_some((Operation::Wrap { before, after }, deeper))
}

/// The content with an indentation in front of each line. `None` if a line of the content is indented already less than
/// the others, or may be in a string.
fn with_base(content: &str, base: &str) -> Option<String> {
    let is_outside = filled_lines(content).any(|line| indentation(line).is_empty());
    (is_outside && !has_string_over_lines(content)).then(|| with_base_of_lines(content, base))
}

fn with_base_of_lines(content: &str, base: &str) -> String {
    let line = |line: &str| if line.trim().is_empty() { line.to_owned() } else { format!("{base}{line}") };
    content.split_inclusive('\n').map(line).collect()
}

fn filled_lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty())
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns whether lines below this line are usually indented by one more level: it ends with an opening bracket, a
/// start tag, an arrow or a colon.
fn opens_block(line: &str) -> bool {
    let line = line.trim_end();
    line.ends_with(['{', '(', '[', ':']) || (line.ends_with('>') && !line.ends_with("/>"))
}

/// The characters of one level of indentation in a text: a tab, or the smallest number of spaces by which a line is
/// deeper than the line above it.
fn one_level(text: &str) -> &str {
    let indentations: Vec<&str> = filled_lines(text).map(indentation).collect();
    if indentations.iter().any(|indentation| indentation.starts_with('\t')) {
        return "\t";
    }
    let deeper = indentations.windows(2).filter_map(|pair| pair[1].strip_prefix(pair[0]));
    // A single space is usually the second line of a block comment.
    deeper.filter(|added| added.len() > 1).min_by_key(|added| added.len()).unwrap_or(DEFAULT_LEVEL)
}

/// Returns whether a text may contain a string over several lines: a line has an odd number of a kind of quotes, or ends
/// with a backslash.
fn has_string_over_lines(text: &str) -> bool {
    let is_odd = |line: &str, quote: char| line.matches(quote).count() % 2 == 1;
    let many = text.lines().count() > 1;
    many && text
        .lines()
        .any(|line| is_odd(line, '"') || is_odd(line, '`') || line.ends_with('\\') || line.contains("'''"))
}

/// Returns whether the end of a text may be inside of a string over several lines: the number of a kind of quotes is odd.
fn may_be_in_string(above: &str) -> bool {
    ["\"", "`", "'''"].iter().any(|quote| above.matches(quote).count() % 2 == 1)
}

#[cfg(test)]
mod tests {
    use marquetry_model::text::Lines;

    use super::*;

    fn content(text: &str) -> String {
        text.to_owned()
    }

    /// Applies an operation to the line with a number, or to several lines.
    fn apply(text: &str, (first, last): (usize, usize), operation: &Operation) -> Option<String> {
        let lines = Lines::new(text);
        let span = Span::new(lines.line(first)?.start, lines.line(last)?.end);
        let (operation, own) = indented(text, span, operation)?;
        Some(match operation {
            Operation::InsertBefore(content) | Operation::InsertAfter(content) => content,
            Operation::Wrap { before, after } => {
                format!("{before}{}\n{after}", own.unwrap_or_else(|| span.slice(text).to_owned()))
            }
            other => panic!("{other:?}"),
        })
    }

    #[track_caller]
    fn check_insertion(text: &str, line: usize, inserted: &str, [before, after]: [Option<&str>; 2]) {
        let found = apply(text, (line, line), &Operation::InsertBefore(content(inserted)));
        assert_eq!(found.as_deref(), before, "before");
        let found = apply(text, (line, line), &Operation::InsertAfter(content(inserted)));
        assert_eq!(found.as_deref(), after, "after");
    }

    const CODE: &str = "fn a() {\n    if b {\n        c();\n    }\n    d();\n}\n";

    #[test]
    fn inserted_lines_have_the_indentation_around_them() {
        check_insertion(CODE, 3, "x();", [Some("        x();"), Some("        x();")]);
        check_insertion(
            CODE,
            4,
            "x();\n  y();\n",
            [Some("        x();\n          y();\n"), Some("    x();\n      y();\n")],
        );
        check_insertion(CODE, 2, "x();", [None, Some("        x();")]);
        check_insertion(CODE, 5, "x();", [Some("    x();"), None]);
        check_insertion("def f():\n\tif a:\n\t\tb\n\tc\n", 2, "x", [None, Some("\t\tx")]);
        check_insertion("def f():\n\tif a:\n\t\tb\n\n\tc\n", 5, "x\n\ny", [Some("\tx\n\n\ty"), None]);
    }

    #[test]
    fn indented_content_and_strings_stay_as_they_are() {
        check_insertion(CODE, 3, "    x();", [None, None]);
        check_insertion(CODE, 3, "x(\"a\nb\");", [None, None]);
        check_insertion(CODE, 3, "x(`\n`);", [None, None]);
        check_insertion("a\nb\nc\n", 2, "x", [None, None]);
        check_insertion("f(\n  `\n  a\n  b`,\n  c,\n);\n", 3, "x", [None, None]);
        check_insertion("f(\n  `\n  a\n  b`,\n  c,\n);\n", 5, "x", [Some("  x"), None]);
        check_insertion("f(\n  \"\"\"a\n  b\n  c\"\"\")\n", 3, "x", [None, None]);
    }

    #[track_caller]
    fn check_wrap(text: &str, lines: (usize, usize), [before, after]: [&str; 2], expected: Option<&str>) {
        let operation = Operation::Wrap { before: content(before), after: content(after) };
        assert_eq!(apply(text, lines, &operation).as_deref(), expected);
    }

    #[test]
    fn wrapped_lines_are_indented() {
        let text = "f() {\n  a();\n  if b {\n    c();\n  }\n}\n";
        let expected = "  try {\n    a();\n    if b {\n      c();\n    }\n  } catch {\n  }";
        check_wrap(text, (2, 5), ["try {\n", "} catch {\n}"], Some(expected));
        check_wrap(text, (2, 5), ["  try {\n", "  } catch {\n  }"], Some(expected));
        check_wrap("  a\n", (1, 1), ["if b {\n", "}"], Some("  if b {\n      a\n  }"));
        check_wrap("a\nb\n", (1, 2), ["with c:\n", ""], Some("with c:\n    a\n    b\n"));
        check_wrap("x\n  a\n", (2, 2), ["<b>\n", "</b>"], Some("  <b>\n    a\n  </b>"));
        check_wrap("\ta\n", (1, 1), ["if b {\n", "}"], Some("\tif b {\n\t\ta\n\t}"));
    }

    #[test]
    fn wrappers_that_open_no_block_keep_the_lines() {
        check_wrap("  a\n", (1, 1), ["// b\n", "// c"], Some("  // b\n  a\n  // c"));
        check_wrap("  a\n", (1, 1), ["  // b\n", "  // c"], None);
        check_wrap("a\n", (1, 1), ["// b\n", "// c"], None);
        // The lines are already deeper than the wrapper.
        check_wrap("x {\n  a\n}\n", (2, 2), [" if b {\n", " }"], None);
        check_wrap("  a(`\n`);\n", (1, 2), ["if b {\n", "}"], None);
    }
}
