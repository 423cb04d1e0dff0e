//! Line targets. Every text file supports them, with or without a pack.

use marquetry_model::{
    Edit, EditSet, Error, Kind, Result, Span,
    pack::{Node, Operation},
    text::{LineBreak, Lines},
};

use crate::line_numbers::{line_count, line_count_hint};

/// Node for lines written as `7` or `7-12`: from the start of the first line to the end of the last, without its line
/// break.
pub(super) fn line_node(text: &str, numbers: &str) -> Result<Node> {
    let span = line_span(text, numbers)?;
    Ok(Node {
        id: 0,
        parent: None,
        kind: "lines".to_owned(),
        name: numbers.to_owned(),
        address: numbers.to_owned(),
        span,
        selection: Span::new(span.start, span.start),
        body: None,
        doc: None,
        level: None,
        value: None,
    })
}

fn line_span(text: &str, numbers: &str) -> Result<Span> {
    let invalid = || {
        Error::new(Kind::InvalidTarget, format!("`{numbers}` is not a line range"))
            .hint("write `7` or `7-12`, counted from 1, both included")
    };
    let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
    let number = |text: &str| text.trim().parse::<usize>().ok().filter(|number| *number > 0);
    let (first, last) = number(first).zip(number(last)).filter(|(first, last)| first <= last).ok_or_else(invalid)?;
    let lines = Lines::new(text);
    match (lines.line(first), lines.line(last)) {
        (Some(from), Some(to)) => Ok(Span::new(from.start, to.end)),
        _ => Err(Error::new(
            Kind::TargetNotFound,
            format!("there is no line {}", if lines.line(first).is_some() { last } else { first }),
        )
        .hint(line_count_hint(text))
        .candidates([format!("{}-{}", first.min(line_count(text)), line_count(text))])),
    }
}

/// Edits for an operation on the lines of a span. A wrapper is put around `own` instead of the text of the lines, if
/// `own` is given.
pub(super) fn edit_lines(text: &str, (span, own): (Span, Option<&str>), operation: &Operation) -> Result<EditSet> {
    let line_break = LineBreak::most_frequent(text).as_str();
    let ended = |content: &str| format!("{}{line_break}", without_final_break(content));
    let insert = |at: usize, text: String| Edit { span: Span::new(at, at), text };
    let edit = match operation {
        Operation::Replace(content) | Operation::ReplaceBody(content) => {
            Edit { span, text: without_final_break(content).to_owned() }
        }
        Operation::InsertBefore(content) => insert(span.start, ended(content)),
        Operation::InsertAfter(content) => insert(span.end, format!("{line_break}{}", without_final_break(content))),
        Operation::Delete => Edit { span: Span::new(span.start, after_break(text, span.end)), text: String::new() },
        Operation::Wrap { before, after } => {
            let own = own.unwrap_or(span.slice(text));
            let after = without_final_break(after);
            let after = if after.is_empty() { String::new() } else { format!("{line_break}{after}") };
            Edit { span, text: format!("{}{own}{after}", ended(before)) }
        }
        Operation::InsertInto(..) => {
            return Err(Error::new(Kind::Unsupported, "`insert_into` does not work on lines")
                .hint("use `insert_before` or `insert_after`"));
        }
    };
    EditSet::new(text, vec![edit])
}

fn without_final_break(content: &str) -> &str {
    let content = content.strip_suffix('\n').unwrap_or(content);
    content.strip_suffix('\r').unwrap_or(content)
}

/// Offset after the line break at `end`.
fn after_break(text: &str, end: usize) -> usize {
    let rest = &text[end..];
    end + if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with(['\n', '\r'])) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, numbers: &str, operation: Operation, after: &str) {
        let span = line_span(text, numbers).expect("there are such lines");
        let set = edit_lines(text, (span, None), &operation).expect("done");
        assert_eq!(
            set.normalized(text, LineBreak::most_frequent(text)).apply(text),
            after,
            "{operation:?} of {numbers}"
        );
    }

    #[test]
    fn line_ranges_select_lines() {
        let text = "one\ntwo\r\nthree\rfour";
        for (numbers, named) in
            [("1", "one"), ("2", "two"), ("2-3", "two\r\nthree"), ("4", "four"), (" 1 - 2 ", "one\ntwo")]
        {
            assert_eq!(line_span(text, numbers).expect(numbers).slice(text), named);
        }
        for wrong in ["", "0", "x", "2-1", "1-x", "-1", "1-2-3"] {
            assert_eq!(line_span(text, wrong).expect_err(wrong).kind(), Kind::InvalidTarget, "{wrong}");
        }
        let beyond = line_span(text, "3-9").expect_err("beyond");
        assert_eq!((beyond.kind(), beyond.content().candidates.join(" ")), (Kind::TargetNotFound, "3-4".to_owned()));
    }

    #[test]
    fn line_operations_keep_surrounding_lines() {
        let content = |text: &str| text.to_owned();
        check("a\nb\nc\n", "2", Operation::Replace(content("x\ny\n")), "a\nx\ny\nc\n");
        check("a\nb\nc\n", "2", Operation::InsertBefore(content("x")), "a\nx\nb\nc\n");
        check("a\nb\nc\n", "2", Operation::InsertAfter(content("x\n")), "a\nb\nx\nc\n");
        check("a\nb", "2", Operation::InsertAfter(content("x")), "a\nb\nx");
        check("a\nb\nc\n", "1-2", Operation::Delete, "c\n");
        check("a\r\nb\r\nc", "2", Operation::Replace(content("x\ny")), "a\r\nx\r\ny\r\nc");
        let wrap = Operation::Wrap { before: content("{"), after: content("}") };
        check("a\nb\n", "1", wrap, "{\na\n}\nb\n");
        let wrap = Operation::Wrap { before: content("{\n"), after: content("}\n") };
        check("a\nb\n", "1", wrap, "{\na\n}\nb\n");
        let wrap = Operation::Wrap { before: content("with x:"), after: content("") };
        check("  a\nb\n", "1", wrap, "with x:\n  a\nb\n");
    }
}
