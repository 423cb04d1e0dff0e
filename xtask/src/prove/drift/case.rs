//! One case: a mutated file, the place that an agent names, and the change of another line.

use std::{fs, ops::Range, path::Path};

use anyhow::{Context, Result};

use super::{
    change::LineChange,
    corpus,
    formats::Format,
    mutation::{Kind, is_removable, mutate_line},
    outline::{Node, enclosing, nodes, smallest},
};
use crate::measure::{sample::Random, session::Session};

/// Maximum number of lines of the node that is mutated.
const MAX_NODE_LINES: usize = 40;
/// Number of nodes that are tried in one file.
const ATTEMPTS: usize = 12;

/// A mutation of a file.
pub(super) struct Case {
    pub format: &'static Format,
    /// Name of the file.
    pub file: String,
    pub original: String,
    pub mutated: String,
    pub kind: Kind,
    /// Address of the smallest node with the mutation, in the mutated file.
    pub address: String,
    /// The text of that node in the mutated file, and in the original.
    pub place: String,
    pub content: String,
    /// The first lines of the nodes around the mutation, the smallest first.
    pub headers: Vec<String>,
    /// The change of another line, in the mutated file and in the original.
    pub other: LineChange,
    pub other_in_original: LineChange,
}

/// A mutated text.
struct Mutated {
    text: String,
    kind: Kind,
    /// The mutated part in the new text, or the end of the previous line and the start of the next one if a line was
    /// removed.
    span: Range<usize>,
}

impl Case {
    /// The change of lines that restores the original.
    pub(super) fn restoring_change(&self) -> LineChange {
        LineChange::between(&self.mutated, &self.original)
    }

    /// Mutates a file, which is copied into the folder of the session. Returns `None` if no node of the file is suitable.
    pub(super) fn new(
        session: &mut Session,
        folder: &Path,
        (format, path): (&'static Format, &Path),
        random: &mut Random,
    ) -> Result<Option<Case>> {
        let Some(original) = corpus::read(path)? else { return Ok(None) };
        let file = path.file_name().context("a name")?.to_string_lossy().into_owned();
        fs::write(folder.join(&file), &original)?;
        let nodes = nodes(session, &file, &original)?.unwrap_or_default();
        let suitable: Vec<&Node> =
            nodes.iter().filter(|node| original[node.span.clone()].lines().count() <= MAX_NODE_LINES).collect();
        for _ in 0..ATTEMPTS.min(suitable.len()) {
            let node = suitable[random.below(suitable.len())];
            let Some(mutated) = mutate_node(&original, node, format, random) else { continue };
            if let Some(case) = describe(session, folder, (format, &file, &original), mutated, random)? {
                return Ok(Some(case));
            }
        }
        fs::remove_file(folder.join(&file))?;
        Ok(None)
    }
}

/// Mutates one line of a node.
fn mutate_node(text: &str, node: &Node, format: &Format, random: &mut Random) -> Option<Mutated> {
    let lines = line_spans(text);
    let inside: Vec<usize> = (0..lines.len()).filter(|line| overlaps(&lines[*line], &node.span)).collect();
    let (first, last) = (*inside.first()?, *inside.last()?);
    let line = inside[random.below(inside.len())];
    let is_inner = line != first && line != last;
    let all: Vec<&str> = lines.iter().map(|span| &text[span.clone()]).collect();
    if is_inner && is_removable(&all, line, format.name) && random.below(2) == 0 {
        let start = lines[line].start;
        let text = format!("{}{}", &text[..start], &text[lines[line].end + 1..]);
        return Some(Mutated { text, kind: Kind::RemovedLine, span: start - 1..start + 1 });
    }
    let span = &lines[line];
    let within = span.start.max(node.span.start) - span.start..span.end.min(node.span.end) - span.start;
    let (kind, range, new) = mutate_line(&text[span.clone()], &within, random)?;
    let (start, end) = (span.start + range.start, span.start + range.end);
    let text = format!("{}{new}{}", &text[..start], &text[end..]);
    Some(Mutated { text, kind, span: start..start + new.len() })
}

/// Finds the place and the other change of a mutated file.
fn describe(
    session: &mut Session,
    folder: &Path,
    (format, file, original): (&'static Format, &str, &str),
    mutated: Mutated,
    random: &mut Random,
) -> Result<Option<Case>> {
    let Mutated { text, kind, span } = mutated;
    fs::write(folder.join(file), &text)?;
    let nodes = nodes(session, file, &text)?.unwrap_or_default();
    let Some(node) = smallest(&nodes, &span) else { return Ok(None) };
    let around = enclosing(&nodes, &span);
    let restoring = LineChange::between(&text, original);
    let Some(other) = change_other_line(&text, &around, &restoring, random) else { return Ok(None) };
    let end = node.span.end + original.len() - text.len();
    let lines: Vec<&str> = text.split('\n').collect();
    let first_line = |node: &&Node| lines[text[..node.span.start].matches('\n').count()].trim().to_owned();
    let shift = if other.line < restoring.line { 0 } else { restoring.new.len() - restoring.old.len() };
    let other_in_original = LineChange { line: other.line + shift, ..other.clone() };
    Ok(Some(Case {
        format,
        file: file.to_owned(),
        original: original.to_owned(),
        kind,
        address: node.address.clone(),
        place: text[node.span.clone()].to_owned(),
        content: original[node.span.start..end].to_owned(),
        headers: around.iter().map(first_line).collect(),
        other,
        other_in_original,
        mutated: text,
    }))
}

/// Changes a random line that the restoring change does not touch, in the smallest node that has such a line.
fn change_other_line(text: &str, around: &[&Node], restoring: &LineChange, random: &mut Random) -> Option<LineChange> {
    let lines = line_spans(text);
    for node in around {
        let mut inside: Vec<usize> = (0..lines.len())
            .filter(|line| overlaps(&lines[*line], &node.span) && !restoring.range().contains(line))
            .collect();
        while !inside.is_empty() {
            let line = inside.swap_remove(random.below(inside.len()));
            let span = &lines[line];
            let old = &text[span.clone()];
            let within = span.start.max(node.span.start) - span.start..span.end.min(node.span.end) - span.start;
            if let Some((_, range, new)) = mutate_line(old, &within, random) {
                let new = format!("{}{new}{}", &old[..range.start], &old[range.end..]);
                return Some(LineChange { line, old: vec![old.to_owned()], new: vec![new] });
            }
        }
    }
    None
}

/// The bytes of each line, without its line break.
fn line_spans(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let span = |line: &str| {
        let span = start..start + line.len();
        start = span.end + 1;
        span
    };
    text.split('\n').map(span).collect()
}

/// Returns whether a line has a part of the node that is not empty.
fn overlaps(line: &Range<usize>, node: &Range<usize>) -> bool {
    line.start.max(node.start) < line.end.min(node.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(span: Range<usize>) -> Node {
        Node { address: "a".to_owned(), span }
    }

    #[test]
    fn mutation_is_inside_of_the_node() {
        let text = "first = 1\nsecond = 2\nthird = 3\n";
        let format = super::super::formats::format_of("toml").expect("TOML");
        for seed in 0..40 {
            let mutated = mutate_node(text, &node(10..20), format, &mut Random::new(seed, "test")).expect("a mutation");
            assert!(["secon = 2", "second = 3"].iter().any(|line| mutated.text == text.replace("second = 2", line)));
            assert!(mutated.span.start >= 10 && mutated.span.end <= 20, "{:?}", mutated.span);
        }
    }

    #[test]
    fn removed_line_is_between_others() {
        let text = "def f():\n    a(1)\n    b(2)\n    c(3)\n";
        let format = super::super::formats::format_of("py").expect("Python");
        let all = (0..200)
            .filter_map(|seed| mutate_node(text, &node(0..text.len() - 1), format, &mut Random::new(seed, "test")));
        let mut removed: Vec<Mutated> = all.filter(|mutated| mutated.kind == Kind::RemovedLine).collect();
        let last = removed.pop().expect("one of them");
        assert_eq!(last.text, "def f():\n    a(1)\n    c(3)\n");
        assert_eq!(&last.text[last.span], "\n ");
        assert!(removed.iter().all(|mutated| mutated.text == last.text));
    }

    #[test]
    fn other_line_is_in_the_smallest_node_that_has_one() {
        let text = "a = [\n  10,\n  20,\n]\nb = 30\n";
        let restoring = LineChange { line: 1, old: vec!["  10,".to_owned()], new: vec!["  11,".to_owned()] };
        let (outer, list, item) = (node(0..text.len()), node(4..20), node(8..10));
        for seed in 0..20 {
            let other = change_other_line(text, &[&item, &list, &outer], &restoring, &mut Random::new(seed, "test"));
            assert_eq!(
                other.expect("a line"),
                LineChange { line: 2, old: vec!["  20,".into()], new: vec!["  21,".into()] }
            );
        }
    }
}
