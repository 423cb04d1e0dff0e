//! Table rows: splits them into cells, and formats new rows.

use std::ops::Range;

use marquetry_sdk::{Edit, FailureKind, Position, Result, fail, items, lines};

use crate::blocks::Kind;
use crate::document::MarkdownDocument;
use crate::errors::unsupported_operation;
use crate::insertion::prefix_at;

/// Returns the cells of a row as written, with the spaces around them.
pub(crate) fn raw_cells(row: &str) -> Vec<&str> {
    let row = row.trim_ascii();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut cells = Vec::new();
    let (mut start, mut at) = (0, 0);
    let bytes = row.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'|' => {
                cells.push(&row[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    if start < row.len() || cells.is_empty() {
        cells.push(&row[start..]);
    }
    cells
}

fn trimmed_cells(row: &str) -> Vec<&str> {
    raw_cells(row).into_iter().map(str::trim).collect()
}

fn is_delimiter(row: &str) -> bool {
    row.contains('-')
        && trimmed_cells(row).iter().all(|cell| {
            let dashes = cell.trim_start_matches(':').trim_end_matches(':');
            !dashes.is_empty() && dashes.bytes().all(|b| b == b'-')
        })
}

/// A table and the format of its rows.
struct Table<'d> {
    document: &'d MarkdownDocument,
    header: u32,
    rows: Vec<u32>,
}

impl<'d> Table<'d> {
    fn new(document: &'d MarkdownDocument, table: u32) -> Table<'d> {
        let rows = document.tree().children(table).filter(|child| document.block(*child).kind == Kind::Row);
        Table { document, header: table + 1, rows: rows.collect() }
    }

    fn columns(&self) -> usize {
        trimmed_cells(self.document.source(self.header)).len()
    }

    /// Returns the delimiter row below the header.
    fn delimiter(&self) -> Range<usize> {
        let text = &self.document.text;
        let start = lines::next_line(text, self.document.block(self.header).span.range().end);
        start..lines::line_end(text, start)
    }

    fn prefix(&self) -> String {
        prefix_at(&self.document.text, self.document.block(self.header).span.range().start)
    }

    /// Returns the end of the row before this index, or of the delimiter row if there is none.
    fn end_before(&self, index: usize) -> usize {
        match index.checked_sub(1).and_then(|before| self.rows.get(before)) {
            Some(row) => self.document.block(*row).span.range().end,
            None => self.delimiter().end,
        }
    }

    /// Formats a row in the style of its neighbors.
    fn format_row(&self, line: &str, force: bool) -> Result<String> {
        let mut cells = trimmed_cells(line);
        let columns = self.columns();
        if cells.len() > columns && !force {
            let columns = format!("{columns} column{}", if columns == 1 { "" } else { "s" });
            return Err(fail(
                FailureKind::InvalidArgument,
                format!("the row has {} cells, the table {columns}", cells.len()),
            )
            .hint("separate cells by `|`, and write `\\|` for one within a cell"));
        }
        cells.resize(columns.max(cells.len()), "");
        let header = self.document.source(self.header);
        let like = self.rows.last().map_or(header, |row| self.document.source(*row));
        let width = |cell: &str| cell.chars().count();
        let widths: Vec<usize> = raw_cells(header).into_iter().map(width).collect();
        let aligned = widths == raw_cells(like).into_iter().map(width).collect::<Vec<_>>();
        let tight = like.starts_with('|') && !like.contains("| ") && !like.contains(" |");
        let space = if tight { "" } else { " " };
        let written = cells.iter().enumerate().map(|(column, cell)| {
            let cell = format!("{space}{cell}{space}");
            let missing = widths
                .get(column)
                .filter(|_| aligned && !tight)
                .map_or(0, |width| width.saturating_sub(cell.chars().count()));
            format!("{cell}{}", " ".repeat(missing))
        });
        let inner = written.collect::<Vec<_>>().join("|");
        let open = if header.starts_with('|') { "|" } else { "" };
        let close = if header.trim_end().ends_with('|') { "|" } else { "" };
        let row = format!("{open}{inner}{close}");
        Ok(if open.is_empty() { row.trim_start().to_owned() } else { row }.trim_end().to_owned())
    }

    fn insert(&self, index: usize, lines: &[&str]) -> Result<Vec<Edit>> {
        let prefix = self.prefix();
        let mut text = String::new();
        for line in lines {
            text += &format!("\n{prefix}{}", self.format_row(line, false)?);
        }
        Ok(vec![Edit::insert(self.end_before(index), text)])
    }
}

/// Returns the rows in a content. If the content is a whole table, the header and the delimiter row are left out.
fn content_rows(content: &str) -> Vec<&str> {
    let all: Vec<&str> = content.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match all.iter().position(|line| is_delimiter(line)) {
        Some(1) => all[2..].to_vec(),
        _ => all,
    }
}

/// Returns whether the content consists of rows of this table, or is a table with the same header.
pub(crate) fn accepts_rows(document: &MarkdownDocument, table: u32, content: &str) -> bool {
    let table = Table::new(document, table);
    let header = document.source(table.header);
    let is_row = |line: &&str| {
        let is_closed = line.len() > 1 && line.starts_with('|') && line.ends_with('|');
        is_closed || line.contains('|') && !header.starts_with('|') && trimmed_cells(line).len() == table.columns()
    };
    let all: Vec<&str> = content.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match all.iter().position(|line| is_delimiter(line)) {
        Some(1) => trimmed_cells(all[0]) == trimmed_cells(header),
        Some(_) => false,
        None => all.iter().all(is_row),
    }
}

/// Inserts rows into a table.
pub(crate) fn insert(document: &MarkdownDocument, table: u32, content: &str, position: Position) -> Result<Vec<Edit>> {
    let table = Table::new(document, table);
    let new = content_rows(content);
    match position {
        Position::First => table.insert(0, &new),
        Position::Last => table.insert(table.rows.len(), &new),
        Position::Sorted => {
            let [row] = new.as_slice() else {
                return Err(fail(FailureKind::InvalidArgument, "`sorted` inserts only one row at a time")
                    .hint("insert the rows one by one, or use the position `first` or `last`"));
            };
            let first = |row: &str| {
                trimmed_cells(row).first().map_or(String::new(), |cell| crate::commonmark::rendered_line(cell))
            };
            let keys: Vec<String> = table.rows.iter().map(|row| first(document.source(*row))).collect();
            table.insert(items::sorted_index(keys.iter().map(String::as_str), &first(row)), &new)
        }
    }
}

/// Inserts rows before or after a row.
pub(crate) fn insert_beside(document: &MarkdownDocument, row: u32, content: &str, after: bool) -> Result<Vec<Edit>> {
    let table = Table::new(document, document.block(row).parent);
    if document.block(row).kind == Kind::Header {
        return match after {
            true => table.insert(0, &content_rows(content)),
            false => Err(unsupported_operation("insert_before", "table header", "insert before the table")),
        };
    }
    let index = table.rows.iter().position(|known| *known == row).unwrap_or_default();
    table.insert(index + usize::from(after), &content_rows(content))
}

/// Returns the text that replaces a row or the header.
pub(crate) fn replacement_text(document: &MarkdownDocument, row: u32, content: &str, force: bool) -> Result<String> {
    let table = Table::new(document, document.block(row).parent);
    let is_header = document.block(row).kind == Kind::Header;
    let new = content_rows(content);
    if is_header && (new.len() != 1 || (trimmed_cells(new[0]).len() != table.columns() && !force)) {
        let message = format!("a header must be one row of {} cells", table.columns());
        return Err(fail(FailureKind::InvalidArgument, message).hint("replace the whole table to change its columns"));
    }
    let header = document.source(table.header);
    let is_written = |line: &str| {
        trimmed_cells(line).len() == table.columns()
            && line.starts_with('|') == header.starts_with('|')
            && line.contains('|')
    };
    let written: Result<Vec<String>> = new
        .iter()
        .map(|line| if is_written(line) { Ok((*line).to_owned()) } else { table.format_row(line, force) })
        .collect();
    Ok(written?.join(&format!("\n{}", table.prefix())))
}

/// Returns the range of a row with the line break before it.
pub(crate) fn row_range(document: &MarkdownDocument, row: u32) -> Range<usize> {
    let table = Table::new(document, document.block(row).parent);
    let index = table.rows.iter().position(|known| *known == row).unwrap_or_default();
    table.end_before(index)..document.block(row).span.range().end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_cells() {
        assert_eq!(trimmed_cells("| a | b \\| c |"), ["a", "b \\| c"]);
        assert_eq!(trimmed_cells("a|b"), ["a", "b"]);
        assert_eq!(trimmed_cells("| a | |"), ["a", ""]);
        assert_eq!(trimmed_cells("||"), [""]);
        assert!(is_delimiter("|:-:|---|") && !is_delimiter("| a |"));
    }

    #[test]
    fn finds_rows_in_content() {
        assert_eq!(content_rows("| a |\n|---|\n| b |\n"), ["| b |"]);
        assert_eq!(content_rows("| b |\n| c |"), ["| b |", "| c |"]);
    }
}
