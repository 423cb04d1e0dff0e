//! Guards against the most common mistake with `replace`: content that is only the body of a target, such as `color:
//! blue;` for a rule or `return 2;` for a function. It is refused because it would remove the header of the target.
//! Content that consists only of comments is refused, too.
//!
//! The guard does not depend on formats: the outline of the new text must contain a node of the target's kind at the
//! position of the target. If that is uncertain, the content is accepted.

use marquetry_model::{
    EditSet, Error, Result, Span, limits,
    pack::{Node, TargetKind},
};

use super::Part;

/// Maximum number of characters of the content in a message.
const MAX_SHOWN: usize = 40;

/// Refuses content without a node of the kind of the target that it replaces.
pub(super) fn check_replacement(part: &Part, nodes: &[&Node], content: &str, edits: &EditSet) -> Result<()> {
    // A data value has no header that could be lost, and line targets have no kinds.
    let is_value = part.description().targets.first().is_none_or(|help| help.kind == TargetKind::Path);
    let suspects: Vec<&Node> =
        nodes.iter().copied().filter(|node| may_be_body_only(&part.text, node, content)).collect();
    if is_value || suspects.is_empty() || edits.is_empty() {
        return Ok(());
    }
    let before = part.ask(|document| document.outline())?;
    let indices: Vec<Option<usize>> = suspects.iter().map(|node| outline_index(&before, node)).collect();
    for (node, _) in suspects.iter().zip(&indices).filter(|(_, index)| index.is_none()) {
        // The content is not a node of the outline, so the start of the replaced node is compared instead.
        let is_like = begins_with_same_mark(&part.text, node, content);
        let is_comment = is_comment_instead(&part.text, node, content);
        let is_other = has_own_beginning(&part.text, node) && (!is_like || is_comment);
        if is_other || before.len() >= limits::COMPLETE_OUTLINE {
            return Err(not_a_replacement(node, content));
        }
    }
    let known: Vec<usize> = indices.into_iter().flatten().collect();
    if known.is_empty() {
        return Ok(());
    }
    let text = edits.apply(&part.text);
    let after = part.outline_of(&text)?;
    for index in known {
        let target = &before[index];
        let place = after_edits(target.span, edits);
        let new: Vec<&Node> =
            after.iter().filter(|node| place.start <= node.span.start && node.span.start < place.end).collect();
        let children: Vec<&Node> = before.iter().filter(|node| node.parent == Some(index as u32)).collect();
        let old = ReplacedNode { target, children: &children, outline: &before, text: &part.text };
        let is_gone = new.is_empty() && is_comment_instead(&part.text, target, content);
        let is_plausible =
            is_plausible(&old, &outermost(&new), &new, &text) && !begins_before_heading(target, &new, &text, place);
        if is_gone || !is_plausible {
            return Err(not_a_replacement(target, content));
        }
    }
    Ok(())
}

/// The replaced node.
struct ReplacedNode<'a> {
    target: &'a Node,
    /// The direct children of the node.
    children: &'a [&'a Node],
    outline: &'a [Node],
    text: &'a str,
}

/// Returns whether a node has a body or several lines, and the content starts differently than the node.
fn may_be_body_only(text: &str, node: &Node, content: &str) -> bool {
    let own = node.span.slice(text);
    let has_inside = node.body.is_some() || own.trim().contains('\n');
    // Empty content is not a body: it deletes the whole target.
    if content.trim().is_empty() {
        return false;
    }
    let has_inside = has_inside || has_own_beginning(text, node) && !begins_with_same_mark(text, node, content);
    let begins_alike = first_word(own) == first_word(content) && first_word(own).contains(char::is_alphanumeric);
    let is_other_shape = if is_plain(own) { content.contains('(') } else { is_plain(content) };
    let begins_alike = begins_alike && !is_other_shape;
    (has_inside || is_comment_instead(text, node, content)) && (node.level.is_some() || !begins_alike)
}

/// Returns whether the content consists only of comments, and the node that it replaces does not.
fn is_comment_instead(text: &str, node: &Node, content: &str) -> bool {
    is_only_comment(content) && !is_only_comment(node.span.slice(text))
}

/// Returns whether every line of the content looks like part of a comment. In some formats, such a line is not a
/// comment, so the caller also checks that the content declares nothing.
fn is_only_comment(content: &str) -> bool {
    let mut rest = content.trim();
    if rest.is_empty() {
        return false;
    }
    while !rest.is_empty() {
        let block = BLOCK_COMMENTS.iter().find_map(|(open, close)| {
            let inside = rest.strip_prefix(open)?;
            Some(inside.find(close).map_or("", |end| &inside[end + close.len()..]))
        });
        let line = || LINE_COMMENTS.iter().any(|mark| rest.starts_with(mark)).then(|| rest.split_once('\n'));
        rest = match (block, line()) {
            (Some(after), _) => after.trim_start(),
            (None, Some(lines)) => lines.map_or("", |(_, after)| after).trim_start(),
            (None, None) => return false,
        };
    }
    true
}

/// The delimiters of block comments.
const BLOCK_COMMENTS: [(&str, &str); 3] = [("/*", "*/"), ("<!--", "-->"), ("{/*", "*/}")];
/// The prefixes of line comments.
const LINE_COMMENTS: [&str; 3] = ["//", "#", "--"];

/// Returns whether a node starts with a marker or a keyword that is not part of its body: `<img`, `>`, `import`.
fn has_own_beginning(text: &str, node: &Node) -> bool {
    begins_with_mark(text, node) || first_word(node.span.slice(text)) == node.kind
}

/// Returns whether a node starts with the marker of an element or of a quotation.
fn begins_with_mark(text: &str, node: &Node) -> bool {
    node.span.slice(text).trim_start().starts_with(['<', '>'])
}

/// Returns whether the content starts with the same marker as the node that it replaces.
fn begins_with_same_mark(text: &str, node: &Node, content: &str) -> bool {
    begins_with_mark(text, node)
        && content.trim_start().chars().next() == node.span.slice(text).trim_start().chars().next()
}

/// First word of a text: `.a` of `.a { … }`, `<p` of `<p>`, `export` of `export function`.
fn first_word(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.char_indices().skip(1).find(|(_, c)| c.is_whitespace() || "<>(){}[]:;,".contains(*c));
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

fn outline_index(outline: &[Node], node: &Node) -> Option<usize> {
    outline.iter().position(|other| other.span == node.span && other.kind == node.kind)
}

/// Span of a text after the edits.
fn after_edits(span: Span, edits: &EditSet) -> Span {
    let touches = |edit: &Span| edit.start <= span.end && span.start <= edit.end;
    let own: Vec<_> = edits.as_slice().iter().filter(|edit| touches(&edit.span)).collect();
    let start = own.iter().map(|edit| edit.span.start).min().unwrap_or(span.start).min(span.start);
    let end = own.iter().map(|edit| edit.span.end).max().unwrap_or(span.end).max(span.end);
    let ahead = edits.as_slice().iter().filter(|edit| edit.span.end <= start && !touches(&edit.span));
    let (mut new_start, mut new_length) = (start, end - start);
    for edit in ahead {
        new_start = new_start + edit.text.len() - edit.span.len();
    }
    for edit in own {
        new_length = new_length + edit.text.len() - edit.span.len();
    }
    Span::new(new_start, new_start + new_length)
}

/// The nodes that are not inside of another node in the list. The list is in document order.
fn outermost<'n>(nodes: &[&'n Node]) -> Vec<&'n Node> {
    let mut found: Vec<&Node> = Vec::new();
    for node in nodes {
        if found.last().is_none_or(|last| !last.span.contains(node.span)) {
            found.push(node);
        }
    }
    found
}

/// Returns whether the new nodes are a plausible replacement of the target.
fn is_plausible(old: &ReplacedNode<'_>, outer: &[&Node], all: &[&Node], text: &str) -> bool {
    let target = old.target;
    if all.iter().any(|node| node.kind == target.kind) {
        return !are_only_children(old, outer, text);
    }
    if all.is_empty() || target.level.is_some() {
        return false;
    }
    let own = target.span.slice(old.text);
    // A variable instead of a function of another name, or a function instead of a variable, is another declaration.
    let has_same_shape = |node: &Node| is_plain(own) == is_plain(node.span.slice(text));
    if target.body.is_none() {
        let is_like = |node: &&Node| node.name == target.name || has_same_shape(node);
        return !begins_with_mark(old.text, target) && outer.iter().any(is_like);
    }
    let is_inside = |kind: &str| old.children.iter().any(|child| child.kind == kind);
    // A node whose kind is the kind of a sibling of the target is a plausible replacement.
    let stands_beside = |kind: &str| old.outline.iter().any(|node| node.parent == target.parent && node.kind == kind);
    let is_known = |kind: &str| old.outline.iter().any(|node| node.kind == kind);
    let is_child = |node: &Node| old.children.iter().any(|child| child.name == node.name);
    outer.iter().any(|node| {
        let is_of_inside = is_inside(&node.kind) || (is_known(&node.kind) && !stands_beside(&node.kind));
        // A declaration without a body that has another kind and another name may be a statement of the old body.
        let is_other = is_of_inside || is_child(node) || is_line_of_body(own, node, text);
        node.name == target.name || node.body.is_some() && !is_other && has_same_shape(node)
    })
}

/// Returns whether a declaration has neither parameters nor a block, such as a variable with a simple value.
fn is_plain(text: &str) -> bool {
    !text.contains(['(', '{'])
}

/// Returns whether a line of the replaced text begins like the node, up to its name: it declares the same variable.
fn is_line_of_body(own: &str, node: &Node, text: &str) -> bool {
    let new = node.span.slice(text);
    let Some(at) = new.find(node.name.as_str()).filter(|_| !node.name.is_empty()) else { return false };
    let head = &new[..at + node.name.len()];
    own.lines().skip(1).any(|line| {
        let rest = line.trim_start().strip_prefix(head);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '(')))
    })
}

/// Returns whether the text that replaces a section begins with a paragraph, which would belong to the section before it.
fn begins_before_heading(target: &Node, new: &[&Node], text: &str, place: Span) -> bool {
    let starts = new.iter().filter(|node| node.kind == target.kind).map(|node| node.span.start);
    let Some(first) = starts.min().filter(|_| target.level.is_some()) else { return false };
    let before = text[place.start..first].trim();
    before.starts_with(char::is_alphanumeric)
}

/// Returns whether the content consists only of nodes that resemble children of the target, such as `<li>`s that would
/// replace their `<ul>`. If the target has several children that are all alike, one such node is sufficient. Otherwise
/// there must be several nodes, and they must not be exactly the body of the target, because a caller may remove a
/// `<div>` and keep its children.
fn are_only_children(old: &ReplacedNode<'_>, outer: &[&Node], text: &str) -> bool {
    let own = first_word(old.target.span.slice(old.text));
    let inside: Vec<&str> = old.children.iter().map(|child| first_word(child.span.slice(old.text))).collect();
    let is_child = |node: &&Node| {
        let word = first_word(node.span.slice(text));
        word != own && node.name != old.target.name && inside.contains(&word)
    };
    if outer.is_empty() || !outer.iter().all(is_child) {
        return false;
    }
    let are_alike = inside.iter().all(|word| *word == inside[0]);
    match (old.children, outer) {
        ([_, _, ..], _) if are_alike => true,
        (_, [first, .., last]) => {
            let new = Span::new(first.span.start, last.span.end).slice(text);
            let body = old.target.body.map_or("", |body| body.slice(old.text));
            let signs = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            signs(new) != signs(body)
        }
        _ => false,
    }
}

fn not_a_replacement(target: &Node, content: &str) -> Error {
    let (kind, address) = (&target.kind, &target.address);
    if is_only_comment(content) && target.level.is_none() {
        return Error::argument(format!("a comment alone would replace all of `{address}`")).hint(format!(
            "`operation: \"insert_before\"` adds a comment, `operation: \"delete\"` removes the {kind}; to replace all \
             of it by the comment, use `force: true`"
        ));
    }
    let line = content.trim().lines().next().unwrap_or_default();
    let shown: String = line.chars().take(MAX_SHOWN).collect();
    let more = if shown.len() < content.trim().len() { "…" } else { "" };
    let error =
        Error::argument(format!("`{shown}{more}` is not of the kind {kind}, and would replace all of `{address}`"));
    let all = format!("to replace all of it, give the whole {kind}, or use `force: true`");
    if target.body.is_none() {
        return error.hint(format!("`operation: \"insert_into\"` adds to `{address}`; {all}"));
    }
    let body = format!("`operation: \"replace_body\"` with this content changes what is inside `{address}`");
    error.hint(format!("{body}; {all}")).candidates(["replace_body".to_owned()])
}

#[cfg(test)]
mod tests {
    use marquetry_model::Edit;

    use super::*;

    #[test]
    fn first_word_ends_at_space_or_punctuation() {
        for (text, word) in [
            (".a { x: y }", ".a"),
            ("<p>one</p>", "<p"),
            ("  export function f() {}", "export"),
            ("## B\n", "##"),
            ("color: blue", "color"),
            ("{ a }", "{"),
            ("", ""),
        ] {
            assert_eq!(first_word(text), word, "{text}");
        }
    }

    #[test]
    fn comments_are_recognized_by_their_marks() {
        for content in [
            "/* none */",
            "// a\n// b",
            "  # x\n\n  # y\n",
            "<!-- a -->\n<!-- b\n c -->",
            "/* a */ // b",
            "/* a\n * b\n */\n",
            "{/* a */}",
            "-- a",
            "/* not closed",
        ] {
            assert!(is_only_comment(content), "{content}");
        }
        for content in
            ["", "  ", "a // b", "/* a */ b", "// a\nb", "<!-- a --><b/>", "*/", "- a", "/a", "/* a */\n.b {}"]
        {
            assert!(!is_only_comment(content), "{content}");
        }
    }

    #[test]
    fn span_is_mapped_through_edits() {
        let text = "0123456789";
        let edits = |list: &[(usize, usize, &str)]| {
            let edit = |(start, end, text): &(usize, usize, &str)| Edit {
                span: Span::new(*start, *end),
                text: (*text).to_owned(),
            };
            EditSet::new(text, list.iter().map(edit).collect()).expect("no overlaps")
        };
        let span = Span::new(4, 6);
        assert_eq!(after_edits(span, &edits(&[(4, 6, "abc")])), Span::new(4, 7));
        assert_eq!(after_edits(span, &edits(&[(0, 2, ""), (4, 7, "x")])), Span::new(2, 3));
        assert_eq!(after_edits(span, &edits(&[(0, 1, "ab"), (3, 6, "x"), (8, 9, "")])), Span::new(4, 5));
    }
}
