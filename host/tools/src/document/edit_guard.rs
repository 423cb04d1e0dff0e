//! Guard against edits outside of the target. A pack may add separators, include comments and adjust blank lines
//! between the target and its neighbours. Edits beyond the neighbours are refused.

use marquetry_model::{Edit, Error, Kind, Result, Span, pack::Node, text::Lines};

/// The lines of a target and its attached comment.
fn lines_around(text: &str, node: &Node) -> Span {
    let Span { start, end } = with_doc(node);
    let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    Span::new(start, end)
}

fn with_doc(node: &Node) -> Span {
    let doc = node.doc.unwrap_or(node.span);
    Span::new(doc.start.min(node.span.start), doc.end.max(node.span.end))
}

/// Span from the end of the last node before the target to the start of the first node after it. The target, its
/// descendants and its ancestors do not count as neighbours, even if an empty target is at the edge of its parent.
fn span_between_neighbours(text: &str, node: &Node, outline: &[Node]) -> Span {
    let own = with_doc(node);
    let mut is_inside: Vec<bool> = Vec::with_capacity(outline.len());
    for other in outline {
        let parent = other.parent.and_then(|parent| is_inside.get(parent as usize)).is_some_and(|inside| *inside);
        is_inside.push(parent || other.id == node.id);
    }
    let mut above = outline.iter().find(|other| other.id == node.id).and_then(|own| own.parent);
    while let Some(index) = above.map(|parent| parent as usize).filter(|index| *index < outline.len()) {
        is_inside[index] = true;
        above = outline[index].parent.filter(|parent| (*parent as usize) < index);
    }
    let others = || outline.iter().zip(&is_inside).filter(|(_, own)| !**own).map(|(other, _)| other);
    let before = others().map(|other| other.span.end).filter(|end| *end <= own.start).max();
    let after = others().map(|other| with_doc(other).start).filter(|start| *start >= own.end).min();
    Span::new(before.unwrap_or(0), after.unwrap_or(text.len()))
}

/// Merges adjacent spans, because one edit may delete several adjacent targets.
fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable_by_key(|span| span.start);
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

fn span_contains(span: Span, edit: &Edit) -> bool {
    span.contains(edit.span)
}

/// Requests to a pack that are made only if an edit is outside of the lines of its target.
pub(super) trait PackQuestions {
    /// Returns all nodes of the document.
    fn outline(&mut self) -> Result<Vec<Node>>;
    /// Returns the ranges beyond the neighbours that the operation may change.
    fn ranges(&mut self) -> Result<Vec<Span>>;
}

/// Refuses edits that are neither at a target nor in a range that belongs to the operation. Returns the starts of the
/// edits in such ranges, which are reported to the caller.
pub(super) fn check_reach<'n>(
    text: &str,
    targets: impl Iterator<Item = &'n Node> + Clone,
    edits: &[Edit],
    plugin: &str,
    mut asked: impl PackQuestions,
) -> Result<Vec<usize>> {
    let near = merged(targets.clone().map(|node| lines_around(text, node)).collect());
    let is_beyond = |ranges: &[Span], edit: &&Edit| !ranges.iter().any(|span| span_contains(*span, edit));
    let beyond: Vec<&Edit> = edits.iter().filter(|edit| is_beyond(&near, edit)).collect();
    if beyond.is_empty() {
        return Ok(Vec::new());
    }
    let outline = asked.outline()?;
    let reach = merged(targets.clone().map(|node| span_between_neighbours(text, node, &outline)).collect());
    let beyond: Vec<&Edit> = beyond.into_iter().filter(|edit| is_beyond(&reach, edit)).collect();
    if beyond.is_empty() {
        return Ok(Vec::new());
    }
    let ranges = merged(asked.ranges()?);
    match beyond.iter().find(|edit| is_beyond(&ranges, edit)) {
        None => Ok(beyond.into_iter().map(|edit| edit.span.start).collect()),
        Some(edit) => {
            let at = Lines::new(text).position(edit.span.start).line;
            let message =
                format!("plugin `{plugin}` would change line {at}, which is outside of {}", target_names(targets));
            Err(Error::new(Kind::PluginFailed, message).hint(
                "nothing was written: an operation may change only its target and the text up to its neighbours; \
                 `force` allows it, `dryRun` shows it first",
            ))
        }
    }
}

/// Note for the caller about edits beyond the target.
pub(super) fn beyond_target_note<'n>(text: &str, targets: impl Iterator<Item = &'n Node>, starts: &[usize]) -> String {
    let lines = Lines::new(text);
    let mut numbers: Vec<usize> = starts.iter().map(|start| lines.position(*start).line).collect();
    numbers.dedup();
    let shown: Vec<String> = numbers.iter().take(MOST_SHOWN).map(usize::to_string).collect();
    let word = if numbers.len() == 1 { "line" } else { "lines" };
    let more = if numbers.len() > MOST_SHOWN { ", …" } else { "" };
    format!("also changed other parts of {}: {word} {}{more}", target_names(targets), shown.join(", "))
}

/// Maximum number of lines in a note.
const MOST_SHOWN: usize = 10;

fn target_names<'n>(targets: impl Iterator<Item = &'n Node>) -> String {
    targets.take(3).map(|node| format!("`{}`", node.address)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: u32, parent: Option<u32>, span: (usize, usize)) -> Node {
        let span = Span::new(span.0, span.1);
        Node { id, parent, span, selection: span, address: format!("n{id}"), ..Node::default() }
    }

    fn is_refused(text: &str, target: &Node, edit: (usize, usize), outline: &[Node]) -> bool {
        let edits = [Edit { span: Span::new(edit.0, edit.1), text: String::new() }];
        check_reach(text, std::iter::once(target), &edits, "p", Known(outline, &[])).is_err()
    }

    struct Known<'k>(&'k [Node], &'k [Span]);

    impl PackQuestions for Known<'_> {
        fn outline(&mut self) -> Result<Vec<Node>> {
            Ok(self.0.to_vec())
        }

        fn ranges(&mut self) -> Result<Vec<Span>> {
            Ok(self.1.to_vec())
        }
    }

    #[test]
    fn only_ranges_of_the_operation_are_allowed() {
        let text = "[a]\nx\n[b]\ny\n[a.c]\nz\n";
        let outline = [node(1, None, (0, 5)), node(2, None, (6, 11)), node(3, None, (12, 19))];
        let range = [Span::new(12, 20)];
        let asked = |edit: (usize, usize)| {
            let edits = [Edit { span: Span::new(edit.0, edit.1), text: String::new() }];
            check_reach(text, std::iter::once(&outline[0]), &edits, "p", Known(&outline, &range))
        };
        assert_eq!(asked((0, 6)).expect("allowed in the target"), Vec::<usize>::new());
        assert_eq!(asked((12, 20)).expect("allowed in the range"), [12]);
        assert!(asked((6, 12)).is_err(), "neither target nor range");
        assert!(asked((11, 20)).is_err(), "beyond the range");
        assert_eq!(
            beyond_target_note(text, outline[..1].iter(), &[12, 13, 18]),
            "also changed other parts of `n1`: lines 5, 6"
        );
    }

    /// `on` ends with an entry whose value is empty, followed by a blank line: `(8, 8)` is that value.
    #[test]
    fn empty_nodes_inside_target_are_not_neighbours() {
        let text = "on:\n  a:\n\njobs: {}\n";
        let outline =
            [node(1, None, (0, 8)), node(2, Some(0), (6, 8)), node(3, Some(1), (8, 8)), node(4, None, (10, 18))];
        assert!(!is_refused(text, &outline[0], (0, 10), &outline), "the target with the blank line after it");
        assert!(!is_refused(text, &outline[2], (8, 10), &outline), "an empty target");
        assert!(is_refused(text, &outline[0], (0, 11), &outline), "the next entry is beyond the target");
    }

    #[test]
    fn nodes_around_empty_target_are_not_neighbours() {
        let text = "x: 1\non:\n\n  a:\n";
        let outline = [node(1, None, (0, 4)), node(2, None, (5, 14)), node(3, Some(1), (14, 14))];
        assert!(!is_refused(text, &outline[2], (9, 15), &outline), "the blank line above the target");
        assert!(is_refused(text, &outline[2], (3, 15), &outline), "the entry before is beyond the target");
    }
}
