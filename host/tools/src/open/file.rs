//! `file`: a file with selected lines.

use marquetry_model::{Error, Result, text::Lines};

use super::{FilePart, OpenItem, ResolvedItem, existing_file};
use crate::{result_types::Point, session::Session};

pub(super) fn resolve_file_item(session: &Session, item: &OpenItem) -> Result<ResolvedItem> {
    let path = existing_file(session, item.required(item.path.as_ref(), "path")?)?;
    let part = match (item.start_line, item.end_line) {
        (None, None) => None,
        (start, end) => {
            let start = start.or(end).unwrap_or(1);
            Some(line_part(&session.files.read(&path)?.text, start, end.unwrap_or(start))?)
        }
    };
    Ok(ResolvedItem::File { path, part, address: None })
}

/// Whole lines, without the last line break. A range beyond the end of the text is shortened.
fn line_part(text: &str, start: usize, end: usize) -> Result<FilePart> {
    let lines = Lines::new(text);
    let count = lines.count().max(1);
    if start == 0 || start > count {
        return Err(
            Error::argument(format!("no line {start}")).hint(format!("the file has {count} lines, counted from 1"))
        );
    }
    if end < start {
        return Err(Error::argument(format!("`endLine` {end} is above `startLine` {start}")));
    }
    let end = end.min(count);
    let length =
        lines.line(end).map_or(0, |line| line.slice(text).trim_end_matches(['\n', '\r']).encode_utf16().count());
    Ok(FilePart::between(Point { line: start, column: 0 }, Point { line: end, column: length }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_lines_are_selected() {
        let text = "one\r\nzwölf 🎈\n\nlast";
        for (start, end, expected) in [(1, 1, (1, 3)), (1, 2, (2, 8)), (3, 3, (3, 0)), (2, 99, (4, 4)), (4, 4, (4, 4))]
        {
            let range = line_part(text, start, end).expect("there").range;
            assert_eq!((range.start.line, range.start.column), (start, 0));
            assert_eq!((range.end.line, range.end.column), expected, "{start}-{end}");
        }
        assert!(line_part("", 1, 1).is_ok(), "an empty file has one line");
        for (start, end) in [(0, 1), (5, 5), (3, 2)] {
            assert!(line_part(text, start, end).is_err(), "{start}-{end}");
        }
    }
}
