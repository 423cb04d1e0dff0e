//! `align_table`: aligns the columns of a table.

use marquetry_sdk::refactor::{Place, RefactorInput, Refactoring, refactor_failure};
use marquetry_sdk::{Edit, Result, Rewrite, lines, span::apply};

use crate::blocks::{Heading, Kind};
use crate::document::MarkdownDocument;
use crate::table::raw_cells;

pub(super) const ALIGN_TABLE: Refactoring<MarkdownDocument> = Refactoring {
    id: "align_table",
    title: "Align the columns of a table",
    place: Place::Name,
    arguments: &[],
    asks_exporters: false,
    apply: align,
};

/// Minimum width of a column, so that the delimiter row has room for a colon on both sides of a dash.
const MIN_WIDTH: usize = 3;

/// Alignment of a column, given by the colons in the delimiter row.
#[derive(Debug, Clone, Copy)]
struct Alignment {
    left: bool,
    right: bool,
}

fn align(document: &MarkdownDocument, input: &RefactorInput) -> Result<Rewrite> {
    let table = table_at(document, input.at.caret as usize)?;
    let rows = table_lines(document, table);
    let cells: Vec<Vec<&str>> = rows.iter().map(|(start, end)| trimmed_cells(&document.text[*start..*end])).collect();
    // The first line of a table is the header, and the second is the delimiter row.
    let sides: Vec<Alignment> = cells[1]
        .iter()
        .map(|dashes| Alignment { left: dashes.starts_with(':'), right: dashes.ends_with(':') })
        .collect();
    let columns = cells.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        let written = (0..).zip(&cells).filter(|(row, _)| *row != 1).filter_map(|(_, cells)| cells.get(column));
        written.map(|cell| cell.chars().count()).max().unwrap_or_default().max(MIN_WIDTH)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut edits = Vec::new();
    for (index, ((start, end), cells)) in rows.iter().zip(&cells).enumerate() {
        // Cells beyond the last column of the header are kept, although they are not rendered. Missing cells are added.
        let written = (0..cells.len().max(sides.len())).map(|column| {
            let side = sides.get(column).copied().unwrap_or(Alignment { left: false, right: false });
            if index == 1 {
                delimiter_cell(widths[column], side)
            } else {
                pad_cell(cells.get(column).unwrap_or(&""), widths[column], side)
            }
        });
        let new = format!("| {} |", written.collect::<Vec<_>>().join(" | "));
        if new != document.text[*start..*end] {
            edits.push(Edit::new(*start..*end, new));
        }
    }
    let kinds = |document: &MarkdownDocument| document.tree().blocks.iter().map(|block| block.kind).collect::<Vec<_>>();
    if kinds(&document.with_text(apply(&document.text, &edits))) != kinds(document) {
        return Err(
            refactor_failure("the aligned table would parse differently").hint("write its rows with `|` at both ends")
        );
    }
    Ok(edits.into())
}

/// Returns the innermost table at the caret. If the caret is on the line of a heading, returns the table of its
/// section.
fn table_at(document: &MarkdownDocument, caret: usize) -> Result<u32> {
    let tables = |from: u32, to: u32| (from..to).filter(|index| document.block(*index).kind == Kind::Table);
    let holds = |index: &u32| {
        let span = document.block(*index).span.range();
        span.start <= lines::line_end(&document.text, caret) && caret <= span.end
    };
    let all = u32::try_from(document.tree().blocks.len()).unwrap_or(u32::MAX);
    if let Some(table) = tables(0, all).rfind(holds) {
        return Ok(table);
    }
    let headings = &document.tree().headings;
    let is_in_line = |heading: &&Heading| {
        (document.block(heading.block).span.range().start..=heading.line_end as usize).contains(&caret)
    };
    let section = headings.iter().find(is_in_line).map(|heading| heading.block);
    let mut inside = section.into_iter().flat_map(|section| tables(section, document.block(section).end));
    match (inside.next(), inside.next()) {
        (Some(table), None) => Ok(table),
        (Some(_), Some(_)) => {
            Err(refactor_failure("the section has several tables").hint("give a position in one of them"))
        }
        _ => Err(refactor_failure("no table at this position").hint("give a position in a table, or its heading")),
    }
}

/// Returns the lines of a table (the header, the delimiter row, the rows) without the marks of their container.
fn table_lines(document: &MarkdownDocument, table: u32) -> Vec<(usize, usize)> {
    let text = &document.text;
    let mut rows: Vec<(usize, usize)> = document
        .tree()
        .children(table)
        .map(|row| document.block(row).span.range())
        .map(|span| (span.start, span.end))
        .collect();
    let below = lines::next_line(text, rows[0].1);
    let line = &text[below..lines::line_end(text, below)];
    // Marks of a quote or an item may precede the delimiter row.
    let start = below + line.find(['|', ':', '-']).unwrap_or_default();
    rows.insert(1, (start, below + line.trim_ascii_end().len()));
    rows
}

fn trimmed_cells(row: &str) -> Vec<&str> {
    raw_cells(row).into_iter().map(str::trim_ascii).collect()
}

fn delimiter_cell(width: usize, sides: Alignment) -> String {
    let colon = |is_there: bool| if is_there { ":" } else { "" };
    let dashes = width - usize::from(sides.left) - usize::from(sides.right);
    format!("{}{}{}", colon(sides.left), "-".repeat(dashes), colon(sides.right))
}

fn pad_cell(cell: &str, width: usize, sides: Alignment) -> String {
    let room = width - cell.chars().count();
    let before = match sides {
        Alignment { left: true, right: true } => room / 2,
        Alignment { left: false, right: true } => room,
        _ => 0,
    };
    format!("{}{cell}{}", " ".repeat(before), " ".repeat(room - before))
}
