//! Guard against content that reaches beyond its place: an open comment takes in the code that follows, and a closing
//! bracket ends the node around it.

use std::sync::Arc;

use marquetry_model::{
    Edit, EditSet, Error, Kind, Result,
    pack::{Node, Operation},
};

use super::Part;

/// Opening and closing marks of comments and other literal text, in all formats.
const LITERALS: [(&str, &str); 4] = [("/*", "*/"), ("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];

/// Refuses an edit after which nodes outside of the targets have another place, or are missing. Without targets, the
/// edit creates a new node.
pub(crate) fn check_confined(part: &Part, targets: &[&Node], operation: &Operation, edits: &EditSet) -> Result<()> {
    let content = match operation {
        Operation::Replace(content) | Operation::ReplaceBody(content) => content,
        Operation::InsertBefore(content) | Operation::InsertAfter(content) | Operation::InsertInto(content, _) => {
            content
        }
        Operation::Delete | Operation::Wrap { .. } => return Ok(()),
    };
    if !may_reach_beyond(content) {
        return Ok(());
    }
    let keeps_targets = !matches!(operation, Operation::Replace(_));
    let old = part.document()?.outline()?;
    let outside = lines_of(&old, |node| !is_inside(node, targets, keeps_targets));
    let after: Arc<str> = Arc::from(edits.apply(&part.text));
    let mut changed = Arc::clone(&part.pack).open(&part.path, &after)?;
    // The check of the syntax has a better message.
    if changed.parse_errors()?.len() > part.document()?.parse_errors()?.len() {
        return Ok(());
    }
    let new = changed.outline()?;
    let filled = filled_places((&part.text, &old), targets, operation, edits);
    let is_same = |line: &Line<'_>, other: &Line<'_>| {
        line == other || ((line.0, line.2) == (other.0, other.2) && filled.contains(line))
    };
    let mut rest = lines_of(&new, |_| true).into_iter();
    match outside.iter().find(|line| !rest.any(|other| is_same(line, &other))) {
        Some((_, _, name)) => Err(reaches_beyond(name)),
        None if matches!(operation, Operation::ReplaceBody(_)) => check_bodies(&old, &new, targets, outside.len()),
        None => Ok(()),
    }
}

/// Nodes without content that an insertion fills, which changes their kind: a null becomes a mapping.
fn filled_places<'n>(
    (text, old): (&str, &'n [Node]),
    targets: &[&Node],
    operation: &Operation,
    edits: &EditSet,
) -> Vec<Line<'n>> {
    if !matches!(operation, Operation::InsertInto(..)) {
        return Vec::new();
    }
    let is_parent = |index: usize| old.iter().any(|node| node.parent == Some(index as u32));
    // The span of a node without text may be beside its place, on the same line.
    let is_touched = |node: &Node| {
        let touches = |edit: &Edit| {
            let between = text.get(node.span.end..edit.span.start).unwrap_or_default();
            edit.span.end >= node.span.start
                && (between.is_empty() || (node.span.is_empty() && !between.contains(['\n', '\r'])))
        };
        edits.as_slice().iter().any(touches)
    };
    let is_filled = |index: usize, node: &Node| {
        let is_asked = targets.is_empty() || targets.iter().any(|target| target.span == node.span);
        is_asked && !is_parent(index) && is_touched(node)
    };
    let mut index = 0;
    lines_of(old, |node| {
        index += 1;
        is_filled(index - 1, node)
    })
}

/// Refuses new bodies that add nodes beside their nodes.
fn check_bodies(old: &[Node], new: &[Node], targets: &[&Node], outside: usize) -> Result<()> {
    // Nodes before a target stay. So the target has the same number as before among nodes of this kind and name.
    let after = |target: &&Node| {
        let is_like = |node: &&Node| node.kind == target.kind && node.name == target.name;
        let number = old.iter().take_while(|node| node.id != target.id).filter(is_like).count();
        new.iter().filter(is_like).nth(number)
    };
    let Some(own) = targets.iter().map(after).collect::<Option<Vec<&Node>>>() else {
        return Err(reaches_beyond(targets.first().map_or("", |target| &target.name)));
    };
    match lines_of(new, |node| !is_inside(node, &own, true)).get(outside) {
        None => Ok(()),
        Some(_) => Err(reaches_beyond(own.first().map_or("", |node| &node.name))),
    }
}

/// A node in comparisons: depth, kind and name.
type Line<'n> = (usize, &'n str, &'n str);

fn lines_of(nodes: &[Node], mut is_meant: impl FnMut(&Node) -> bool) -> Vec<Line<'_>> {
    let mut depths: Vec<usize> = Vec::with_capacity(nodes.len());
    let mut lines = Vec::new();
    for node in nodes {
        let depth = node.parent.and_then(|parent| depths.get(parent as usize)).map_or(0, |depth| depth + 1);
        depths.push(depth);
        if is_meant(node) {
            // The names of list items are their indices, which an insertion changes.
            let is_index = node.name.chars().all(|c| c.is_ascii_digit() || matches!(c, '[' | ']'));
            lines.push((depth, node.kind.as_str(), if is_index { "" } else { node.name.as_str() }));
        }
    }
    lines
}

/// Returns whether a node is in one of the targets, or is one that does not have to stay.
fn is_inside(node: &Node, targets: &[&Node], keeps_targets: bool) -> bool {
    targets.iter().any(|target| match node.span == target.span {
        true => !keeps_targets,
        false => target.span.contains(node.span),
    })
}

/// Returns whether a content has an open comment, or brackets or tags that do not match. Such content may be harmless,
/// for example if the bracket is in a text.
fn may_reach_beyond(content: &str) -> bool {
    let is_open = |(open, close): &(&str, &str)| {
        content.rfind(open).is_some_and(|at| !content[at + open.len()..].contains(close))
    };
    let mut depth = 0i64;
    let ends_early = content.bytes().any(|byte| {
        depth += i64::from(b"([{".contains(&byte)) - i64::from(b")]}".contains(&byte));
        depth < 0
    });
    let closing = content.find("</");
    let opening = content.match_indices('<').find(|(at, _)| content[at + 1..].starts_with(char::is_alphabetic));
    let closes_tag = closing.is_some_and(|at| opening.is_none_or(|(open, _)| at < open));
    let ends_in_comment = content.lines().next_back().is_some_and(|line| line.contains("//"));
    LITERALS.iter().any(is_open) || ends_early || depth != 0 || closes_tag || ends_in_comment
}

fn reaches_beyond(name: &str) -> Error {
    let message = format!("the content reaches beyond its place: `{name}` would be read differently");
    Error::new(Kind::InvalidArgument, message)
        .hint("close comments, brackets and tags in the content, or give `force: true` to write it anyway")
}

#[cfg(test)]
mod tests {
    use super::may_reach_beyond;

    #[test]
    fn open_marks_are_suspicious() {
        for content in ["/* q", "a */ /* b", "<![CDATA[q", "a } .b { c", "f(", "</b><b>", "3 // d", "<!-- x"] {
            assert!(may_reach_beyond(content), "{content}");
        }
        for content in ["/* q */", "a { b }", "<b>x</b>", "f(1)[2]", "<br/>", "x", "// a\nb()"] {
            assert!(!may_reach_beyond(content), "{content}");
        }
    }
}
