//! The space between a dash and its item, and conversion of contents to the dashes of a file.

use marquetry_jsonpath::{Tree, json_text_within};
use marquetry_sdk::lines;

use crate::{
    layout::Entry,
    parse,
    source::Source,
    table::{Id, Kind},
};

/// Maximum length of values that are compared, written as JSON. The dashes of larger contents are not changed.
const MAX_JSON_LENGTH: usize = 1 << 20;

/// The separator between the dash of an item and the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dash {
    /// The given number of spaces.
    Spaces(usize),
    /// A tab. Only scalars and flow collections can follow it.
    Tab,
    /// A line break. The item is a collection on the lines below. The collection is indented this many columns more
    /// than the dash.
    Break(usize),
}

impl Dash {
    /// Returns the separator of the item nearest to an index.
    pub(crate) fn near_index(source: Source<'_>, sequence: Id, index: usize) -> Option<Dash> {
        let entries = source.entries_of(sequence);
        let near = index.min(entries.len());
        let (before, behind) = entries.split_at(near);
        before.iter().rev().chain(behind).find_map(|entry| Dash::of_item(source, sequence, entry))
    }

    /// Returns the separator of the first item in the file whose separator is spaces.
    pub(crate) fn first_of_file(source: Source<'_>) -> Option<Dash> {
        let mut sequences = (0..source.table.len()).filter(|id| source.kind_of(*id) == Kind::BlockSequence);
        sequences.find_map(|sequence| {
            let first = source.table.children(sequence).next()?;
            let start = source.table.range(sequence).start;
            let gap = source.text.get(start + 1..source.start(first))?;
            (!gap.is_empty() && gap.bytes().all(|byte| byte == b' ')).then_some(Dash::Spaces(gap.len()))
        })
    }

    fn of_item(source: Source<'_>, sequence: Id, entry: &Entry) -> Option<Dash> {
        let gap = source.text.get(entry.span.range().start + 1..source.start(entry.value))?;
        if gap.is_empty() {
            return None;
        }
        if gap.bytes().all(|byte| byte == b' ') {
            return Some(Dash::Spaces(gap.len()));
        }
        if gap == "\t" {
            return Some(Dash::Tab);
        }
        let below =
            gap.trim_matches(' ').trim_start_matches('\r') == "\n" && source.kind_of(entry.value).is_block_collection();
        let step = || source.entry_column(entry.value).checked_sub(source.entry_column(sequence));
        if below { step().filter(|step| *step > 0).map(Dash::Break) } else { None }
    }
}

/// Changes the dashes of the content's outermost sequence, or of all its sequences. Returns `None` if nothing changes,
/// or if the value would change.
pub(crate) fn change_dashes(content: Source<'_>, dash: Dash, outermost: bool) -> Option<String> {
    let root = content.root_id();
    let mut change = DashChange::new(content.text);
    let sequences = (0..content.table.len()).filter(|id| content.kind_of(*id) == Kind::BlockSequence);
    for sequence in sequences.filter(|id| !outermost || *id == root) {
        for entry in content.entries_of(sequence) {
            change.set_dash(content, &entry, dash);
        }
    }
    let text = change.apply()?;
    let (table, problems) = parse::parse(&text);
    let new = Source { text: &text, table: &table };
    let (old_problems, value) =
        (parse::parse(content.text).1, |source: Source<'_>| json_text_within(&source, source.root(), MAX_JSON_LENGTH));
    let same = value(content).is_some_and(|old| value(new).is_some_and(|new| new == old));
    (problems.len() == old_problems.len() && same).then_some(text)
}

/// New text after dashes, and the distance by which each line moves.
struct DashChange<'t> {
    text: &'t str,
    /// Start of each line.
    starts: Vec<usize>,
    /// Number of columns that each line moves to the right.
    line_shifts: Vec<isize>,
    /// Ranges after dashes with their new text.
    gaps: Vec<(std::ops::Range<usize>, String)>,
}

impl<'t> DashChange<'t> {
    fn new(text: &'t str) -> DashChange<'t> {
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        let line_shifts = vec![0; starts.len()];
        DashChange { text, starts, line_shifts, gaps: Vec::new() }
    }

    fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    fn set_dash(&mut self, content: Source<'_>, entry: &Entry, dash: Dash) {
        let from = entry.span.range().start + 1;
        let to = content.start(entry.value);
        let Some(gap) = self.text.get(from..to).filter(|gap| !gap.is_empty()) else { return };
        if !gap.bytes().all(|byte| byte == b' ') {
            return;
        }
        let collection = content.kind_of(entry.value).is_block_collection();
        let has_properties = !content.table.properties(entry.value).is_none();
        let (new, shift) = match dash {
            Dash::Spaces(width) => (" ".repeat(width), width as isize - gap.len() as isize),
            Dash::Tab if !collection => ("\t".to_owned(), 0),
            Dash::Break(step) if collection && !has_properties => {
                let column = from - 1 - lines::line_start(self.text, from);
                (format!("\n{}", " ".repeat(column + step)), step as isize - gap.len() as isize - 1)
            }
            _ => return,
        };
        if new == gap {
            return;
        }
        self.gaps.push((from..to, new));
        let (first, last) = (self.line_of(from), self.line_of(entry.span.range().end));
        self.line_shifts[first + 1..=last.max(first)].iter_mut().for_each(|moved| *moved += shift);
    }

    /// Returns the new text. Returns `None` if nothing changes, or if a line is not indented enough to move to the
    /// left.
    fn apply(mut self) -> Option<String> {
        if self.gaps.is_empty() {
            return None;
        }
        self.gaps.sort_by_key(|(range, _)| range.start);
        let mut out = String::with_capacity(self.text.len() * 2);
        let mut gaps = self.gaps.into_iter().peekable();
        for (line, start) in self.starts.iter().enumerate() {
            let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
            let mut at = *start;
            if !self.text[at..end].trim().is_empty() {
                let indent = self.text[at..end].len() - self.text[at..end].trim_start_matches(' ').len();
                out.push_str(&" ".repeat(indent.checked_add_signed(self.line_shifts[line])?));
                at += indent;
            }
            while let Some((range, new)) = gaps.next_if(|(range, _)| range.start < end) {
                out.push_str(&self.text[at..range.start]);
                out.push_str(&new);
                at = range.end;
            }
            out.push_str(&self.text[at..end]);
        }
        Some(out)
    }
}
