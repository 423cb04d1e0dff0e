//! What an operation changes lies at its target. A pack adds separators, takes comments along and mends blank lines; all of that
//! stands between the target and its neighbours. What lies beyond them nobody named: a plugin that changes it is not obeyed.

use marquetry_model::{Edit, Error, Kind, Result, Span, pack::Node, text::Lines};

/// The lines that a target stands on, with the comment that is attached to it.
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

/// Span from the end of the last node before the target to the start of the first node after it. The target and the nodes inside
/// it do not count as neighbours, even if they are empty and at its edge.
fn between_neighbours(text: &str, node: &Node, outline: &[Node]) -> Span {
    let own = with_doc(node);
    let mut is_inside: Vec<bool> = Vec::with_capacity(outline.len());
    for other in outline {
        let parent = other.parent.and_then(|parent| is_inside.get(parent as usize)).is_some_and(|inside| *inside);
        is_inside.push(parent || other.id == node.id);
    }
    let others = || outline.iter().zip(&is_inside).filter(|(_, inside)| !**inside).map(|(other, _)| other);
    let before = others().map(|other| other.span.end).filter(|end| *end <= own.start).max();
    let after = others().map(|other| with_doc(other).start).filter(|start| *start >= own.end).min();
    Span::new(before.unwrap_or(0), after.unwrap_or(text.len()))
}

/// Neighbours that go together may go in one piece.
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

fn holds(span: Span, edit: &Edit) -> bool {
    span.holds(edit.span)
}

/// Refuse edits that lie at none of the targets. The outline is asked for only where an edit leaves the lines of its target.
pub(super) fn check<'n>(
    text: &str,
    targets: impl Iterator<Item = &'n Node> + Clone,
    edits: &[Edit],
    plugin: &str,
    outline: impl FnOnce() -> Result<Vec<Node>>,
) -> Result<()> {
    let near = merged(targets.clone().map(|node| lines_around(text, node)).collect());
    let mut beyond = edits.iter().filter(|edit| !near.iter().any(|span| holds(*span, edit))).peekable();
    if beyond.peek().is_none() {
        return Ok(());
    }
    let outline = outline()?;
    let reach = merged(targets.clone().map(|node| between_neighbours(text, node, &outline)).collect());
    match beyond.find(|edit| !reach.iter().any(|span| holds(*span, edit))) {
        None => Ok(()),
        Some(edit) => {
            let lines = Lines::new(text);
            let at = lines.position(edit.span.start).line;
            let named: Vec<String> = targets.take(3).map(|node| format!("`{}`", node.address)).collect();
            let message = format!("plugin `{plugin}` wants to change line {at}, which is beyond {}", named.join(", "));
            Err(Error::new(Kind::PluginFailed, message).hint(
                "nothing was written: an operation changes its target and what stands between that and its neighbours; \
                 `force` lets the plugin do it, `dryRun` shows it first",
            ))
        }
    }
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
        check(text, std::iter::once(target), &edits, "p", || Ok(outline.to_vec())).is_err()
    }

    /// `on` ends in an entry whose value is empty, with a blank line behind it: `(7, 7)` is that value.
    #[test]
    fn empty_nodes_inside_the_target_are_no_neighbours() {
        let text = "on:\n  a:\n\njobs: {}\n";
        let outline =
            [node(1, None, (0, 8)), node(2, Some(0), (6, 8)), node(3, Some(1), (8, 8)), node(4, None, (10, 18))];
        assert!(!is_refused(text, &outline[0], (0, 10), &outline), "the target with the blank line behind it");
        assert!(!is_refused(text, &outline[2], (8, 10), &outline), "an empty target");
        assert!(is_refused(text, &outline[0], (0, 11), &outline), "the next entry is beyond the target");
    }
}
