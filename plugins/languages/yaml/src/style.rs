//! Indentation of collections in a file, and conversion of contents to it.

use marquetry_jsonpath::{Tree, json_text_within};
use marquetry_sdk::lines;

use crate::{
    layout::Entry,
    parse,
    source::Source,
    table::{Id, Kind},
};

/// Maximum length of values that are compared, written as JSON. The indentation of larger contents is not changed.
const MAX_JSON_LENGTH: usize = 1 << 20;

/// Indentation steps found in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Style {
    /// Step from a mapping to a mapping nested in it.
    pub(crate) unit: Option<usize>,
    /// Step from a key to the sequence that is its value. It may be 0.
    pub(crate) sequence: Option<usize>,
}

impl Style {
    /// Returns the steps that the first nested collections in the file have.
    pub(crate) fn detect(source: Source<'_>) -> Style {
        let mut style = Style::default();
        for mapping in (0..source.table.len()).filter(|id| source.kind_of(*id) == Kind::BlockMapping) {
            for (_, value) in source.pairs(mapping) {
                // Computing a column reads the line from its start, and lines can be long. So it is computed only if
                // needed.
                let step = || source.entry_column(value).saturating_sub(source.entry_column(mapping));
                match source.kind_of(value) {
                    Kind::BlockMapping if style.unit.is_none() => style.unit = Some(step()).filter(|step| *step > 0),
                    Kind::BlockSequence if style.sequence.is_none() => style.sequence = Some(step()),
                    _ => {}
                }
            }
            if style.unit.is_some() && style.sequence.is_some() {
                break;
            }
        }
        style
    }

    /// Returns the step of nested mappings; 2 if unknown.
    pub(crate) fn unit(self) -> usize {
        self.unit.or(self.sequence).filter(|unit| *unit > 0).unwrap_or(2)
    }

    /// Returns the step from a key to its sequence.
    pub(crate) fn sequence(self) -> usize {
        self.sequence.unwrap_or(self.unit())
    }
}

/// Converts a content to the indentation steps of the file, if both are known and differ. The value does not change.
pub(crate) fn convert_style(content: Source<'_>, style: Style) -> Option<String> {
    let own = Style::detect(content);
    let wanted = Style { unit: style.unit.or(style.sequence.filter(|step| *step > 0)), sequence: style.sequence };
    let differs = |own: Option<usize>, wanted: Option<usize>| own.is_some() && wanted.is_some() && own != wanted;
    if !differs(own.unit, wanted.unit) && !differs(own.sequence, wanted.sequence) {
        return None;
    }
    let mut lines = LineIndents::new(content.text);
    lines.set_all_indents(content, own, wanted);
    let text = lines.print();
    let (table, problems) = parse::parse(&text);
    let new = Source { text: &text, table: &table };
    let value = |source: Source<'_>| json_text_within(&source, source.root(), MAX_JSON_LENGTH);
    let same = value(content).is_some_and(|old| value(new).is_some_and(|new| new == old));
    (problems.is_empty() && same).then_some(text)
}

/// The lines of a text and their new indentation.
struct LineIndents<'t> {
    text: &'t str,
    /// Start of each line.
    starts: Vec<usize>,
    /// The new indentation, if known.
    new_indents: Vec<Option<usize>>,
}

/// A collection with the old and new column of its entries.
struct MovedCollection {
    collection: Id,
    from: usize,
    to: usize,
}

impl<'t> LineIndents<'t> {
    fn new(text: &'t str) -> LineIndents<'t> {
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        let new_indents = vec![None; starts.len()];
        LineIndents { text, starts, new_indents }
    }

    fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    fn indent(&self, line: usize) -> usize {
        lines::indent_at(self.text, self.starts[line]).len()
    }

    fn set_all_indents(&mut self, source: Source<'_>, own: Style, wanted: Style) {
        let root = source.root_id();
        if !source.kind_of(root).is_block_collection() {
            return;
        }
        let column = source.entry_column(root);
        let mut waiting = vec![MovedCollection { collection: root, from: column, to: column }];
        while let Some(moved) = waiting.pop() {
            for entry in source.entries_of(moved.collection) {
                self.set_entry_indent(source, &moved, &entry);
                let value = entry.value;
                if source.kind_of(value).is_block_collection() {
                    let to = self.inner_column(source, &moved, &entry, (own, wanted));
                    waiting.push(MovedCollection { collection: value, from: source.entry_column(value), to });
                } else {
                    self.set_rest_indents(source, &moved, value, (own, wanted));
                }
            }
        }
    }

    /// Sets the indentation of an entry's comment and first line.
    fn set_entry_indent(&mut self, source: Source<'_>, moved: &MovedCollection, entry: &Entry) {
        let from = self.line_of(entry.start_with_comment());
        let to = self.line_of(entry.span.range().start);
        for line in from..=to {
            if line < to || lines::starts_line(source.text, entry.span.range().start) {
                self.new_indents[line] = Some(moved.to);
            }
        }
    }

    fn inner_column(
        &self,
        source: Source<'_>,
        moved: &MovedCollection,
        entry: &Entry,
        (own, wanted): (Style, Style),
    ) -> usize {
        let step = source.entry_column(entry.value).saturating_sub(moved.from);
        let start = entry.span.range().start;
        let beside = self.line_of(source.table.range(entry.value).start) == self.line_of(start);
        let explicit = entry.key.is_some() && source.text[start..].starts_with('?');
        let step = match source.kind_of(entry.value) {
            _ if beside || explicit => step,
            Kind::BlockSequence if entry.key.is_some() => wanted.sequence.unwrap_or(step),
            _ => convert_distance(step, own, wanted),
        };
        moved.to + step
    }

    /// Sets the indentation of the lines of a scalar or flow collection, except the line of its key or dash.
    fn set_rest_indents(
        &mut self,
        source: Source<'_>,
        moved: &MovedCollection,
        value: Id,
        (own, wanted): (Style, Style),
    ) {
        let (start, end) = (source.start(value), source.end(value));
        let kind = source.kind_of(value);
        let first = self.line_of(start) + usize::from(!lines::starts_line(source.text, start));
        let last = self.line_of(end.max(start + 1).min(source.text.len()) - usize::from(end > start));
        let block = kind.is_block_scalar().then(|| source.table.extra(value) as usize);
        for line in first..=last.min(self.starts.len() - 1) {
            let indent = self.indent(line);
            let base = block.unwrap_or(indent);
            let step = base.saturating_sub(moved.from);
            let header = source.raw(value).lines().next().unwrap_or_default();
            let fixed = block.is_some() && header.contains(|c: char| c.is_ascii_digit());
            let step = if fixed { step } else { convert_distance(step, own, wanted) };
            let to = moved.to + step;
            self.new_indents[line].get_or_insert((to + indent).saturating_sub(base));
        }
    }

    /// Returns the text with the new indentation. A line that belongs to no entry is indented like the next line that
    /// does.
    fn print(&self) -> String {
        let mut out = String::with_capacity(self.text.len());
        for (line, start) in self.starts.iter().enumerate() {
            let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
            let (indent, text) = (self.indent(line), &self.text[*start..end]);
            if text.trim().is_empty() {
                out.push_str(text);
                continue;
            }
            let moved = |other: &usize| self.new_indents[*other].map(|to| (self.indent(*other), to));
            let near = (line..self.starts.len()).find_map(|other| moved(&other));
            let near = near.or_else(|| (0..line).rev().find_map(|other| moved(&other)));
            let to = near.map_or(indent, |(from, to)| (indent + to).saturating_sub(from));
            out.extend(std::iter::repeat_n(' ', to));
            out.push_str(&text[indent..]);
        }
        out
    }
}

/// Converts a distance to the steps of the file, if it is a multiple of the step of the content.
fn convert_distance(distance: usize, own: Style, wanted: Style) -> usize {
    match (own.unit.or(own.sequence.filter(|step| *step > 0)), wanted.unit) {
        (Some(own), Some(wanted)) if distance.is_multiple_of(own) => distance / own * wanted,
        _ => distance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    #[track_caller]
    fn check(content: &str, (unit, sequence): (Option<usize>, Option<usize>), expected: Option<&str>) {
        let (table, _) = parse(content);
        let text = convert_style(Source { text: content, table: &table }, Style { unit, sequence });
        assert_eq!(text.as_deref(), expected, "{content}");
    }

    #[test]
    fn converts_indentation_to_steps_of_file() {
        check("a:\n    b:\n        c: 1\n    d: 2", (Some(2), None), Some("a:\n  b:\n    c: 1\n  d: 2"));
        check("a:\n  b: 1", (Some(4), None), Some("a:\n    b: 1"));
        check("a:\n  b: 1", (Some(2), Some(0)), None);
        check("a:\n  b: 1", (None, None), None);
        check("a: 1", (Some(4), None), None);
    }

    #[test]
    fn converts_sequence_indentation() {
        check("a:\n  - 1\n  - x: 1\n    y: 2", (Some(2), Some(0)), Some("a:\n- 1\n- x: 1\n  y: 2"));
        check("a:\n- 1\n- x: 1\n  y:\n  - 2", (Some(2), Some(2)), Some("a:\n  - 1\n  - x: 1\n    y:\n      - 2"));
    }

    #[test]
    fn moves_lines_below_with_entry() {
        check(
            "# top\na:\n    # why\n    run: |\n        one\n\n          two\n    # end\n    list: [\n        1\n      ]",
            (Some(2), None),
            Some("# top\na:\n  # why\n  run: |\n    one\n\n      two\n  # end\n  list: [\n    1\n    ]"),
        );
        check("a:\n    b: |2\n      x\n", (Some(2), None), Some("a:\n  b: |2\n    x\n"));
        check("a:\n    b: one\n        two", (Some(2), None), Some("a:\n  b: one\n    two"));
    }
}
