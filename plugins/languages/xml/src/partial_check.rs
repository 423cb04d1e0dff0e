//! Checks the effect of an edit on well-formedness by parsing only the affected nodes.

use std::{fmt::Write as _, ops::Range};

use marquetry_sdk::{Edit, span::apply_within};

use crate::{
    parse,
    tree::{Id, Kind, Tree},
};

/// Returns whether a document without problems certainly has none after the edits.
///
/// Only the nodes that the edits affect are parsed, with the edits applied and with the namespaces in scope. The result
/// must be well-formed content. Returns `false` if these nodes are most of the document, or if there is a DTD.
pub(crate) fn stays_well_formed(text: &str, tree: &Tree, edits: &[Edit]) -> bool {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return true };
    let newer = tree.xml_declaration.is_some_and(|declaration| declaration.slice(text).contains("1.1"));
    if newer || tree.dtd.span.is_some() {
        return false;
    }
    let Some((parent, range)) = affected_nodes(text, tree, first.span.range().start, last.span.range().end) else {
        return false;
    };
    if range.len() > text.len() / 2 {
        return false;
    }
    let part = format!("{}{}</_>", start_tag(text, tree, parent), apply_within(text, range, edits));
    let alone = parse::parse_document(&part);
    alone.problems.is_empty() && alone.root().is_some_and(|root| alone.span(root).range() == (0..part.len()))
}

/// Returns the range of the adjacent nodes that contain the given range, and their parent.
fn affected_nodes(text: &str, tree: &Tree, start: usize, end: usize) -> Option<(Id, Range<usize>)> {
    let element = innermost_element(tree, start as u32, end as u32)?;
    let span = |id: Id| tree.span(id).range();
    if tree.body(text, element).is_some_and(|body| body.range().start <= start && end <= body.range().end) {
        let mut nodes = tree.children(element).skip_while(|node| span(*node).end < start);
        if let Some(first) = nodes.next().filter(|first| span(*first).start <= end) {
            let last = nodes.take_while(|node| span(*node).start <= end).last().unwrap_or(first);
            // Include adjacent text nodes. Then the range is next to markup, and the edited text cannot merge with
            // other text.
            let is_text = |node: &Id| tree.kind(*node) == Kind::Text;
            let first = tree.previous_sibling(first).filter(is_text).unwrap_or(first);
            let last = tree.next_sibling(last).filter(is_text).unwrap_or(last);
            return Some((element, span(first).start..span(last).end));
        }
    }
    Some((tree.parent(element)?, span(element)))
}

/// Returns a start tag that binds the same namespaces as the given element.
fn start_tag(text: &str, tree: &Tree, parent: Id) -> String {
    let mut tag = "<_".to_owned();
    let mut bound = Vec::new();
    let mut above = Some(parent);
    while let Some(id) = above {
        for declaration in tree.declarations_of(id) {
            if !bound.contains(&&*declaration.prefix) {
                bound.push(&*declaration.prefix);
                let _ = write!(tag, " {}", declaration.span.slice(text));
            }
        }
        above = tree.parent(id);
    }
    tag + ">"
}

/// Innermost element that starts before `start` and ends after `end`.
fn innermost_element(tree: &Tree, start: u32, end: u32) -> Option<Id> {
    let holds = |id: Id| {
        let span = tree.span(id);
        span.start < start && end < span.end
    };
    let mut found = tree.root().filter(|root| holds(*root))?;
    while let Some(inner) = tree.elements(found).find(|child| holds(*child)) {
        found = inner;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use marquetry_sdk::Document as _;

    use super::*;
    use crate::document::XmlDocument;

    #[track_caller]
    fn check_in(head: &str, old: &str, new: &str, expected: bool) {
        let text =
            format!("{head}<b:i>1</b:i><i n='0'><c>2</c></i><i/><k/><i>some more text, of which there is much</i></a>");
        let at = text.find(old).expect("it is there");
        let document = XmlDocument::new("a.xml", text);
        assert!(document.diagnostics().is_empty(), "{:?}", document.diagnostics());
        assert_eq!(document.stays_well_formed(&[Edit::new(at..at + old.len(), new)]), expected, "{new}");
    }

    #[track_caller]
    fn check(old: &str, new: &str, expected: bool) {
        check_in("<a xmlns:b='urn:b'>", old, new, expected);
    }

    #[test]
    fn edit_inside_element_is_checked_alone() {
        check("<c>2</c>", "<b:c/> text &amp; <!-- more -->", true);
        check("<c>2</c>", "<x:c/>", false);
        check("<c>2</c>", "</i><i>", false);
        check("2", "<d>", false);
        check("n='0'", "n='1' m='2'", true);
        check("n='0'", "n='1' n='2'", false);
        check("<i/>", "<j/>", true);
        check("<i/>", "", true);
        check("</i><i/>", "</i>x<b:j/>y", true);
        check("<i/>", "</a><a>", false);
        check("<i/>", "</_><_>", false);
        check("<i/>", "]]>", false);
        // An edit in the root element affects the whole document.
        check("xmlns:b='urn:b'", "", false);
    }

    #[test]
    fn text_node_is_checked_as_a_whole() {
        check_in("<a xmlns:b='urn:b'>]<x/>]<y/>&gt;", "<x/>", "", true);
        check_in("<a xmlns:b='urn:b'>]]<x/>&gt;", "<x/>", "", true);
        check_in("<a xmlns:b='urn:b'>]<x/>]<y/>&gt;", "<y/>&gt;", ">", true);
        check_in("<a xmlns:b='urn:b'>]<x/>]&gt;", "<x/>]&gt;", "]>", false);
    }

    #[test]
    fn document_with_dtd_is_not_checked_in_part() {
        check_in("<!DOCTYPE a [<!ENTITY e 'x'>]><a xmlns:b='urn:b'>", "2", "3", false);
        check_in("<?xml version='1.1'?><a xmlns:b='urn:b'>", "2", "3", false);
    }
}
