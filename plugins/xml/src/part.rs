//! What an edit does to the form, told from the element it lies in alone.

use std::fmt::Write as _;

use marquetry_sdk::Edit;

use crate::{
    parse,
    tree::{Id, Kind, Tree},
};

/// Whether a document without problems has none after the edits: the innermost element around them, parsed alone with
/// the edits in it and with the namespaces in force there, is one element. Not told where that is most of the document
/// anyway, or where a DTD has a say.
pub(crate) fn stays_well_formed(text: &str, tree: &Tree, edits: &[Edit]) -> bool {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return true };
    let newer = tree.xml_declaration.is_some_and(|declaration| declaration.of(text).contains("1.1"));
    if newer || tree.dtd.span.is_some() {
        return false;
    }
    let Some(element) = innermost(tree, first.span.start, last.span.end) else { return false };
    let range = tree.span(element).range();
    if range.len() > text.len() / 2 {
        return false;
    }
    let before = start_tag(text, tree, element);
    let after = marquetry_sdk::span::apply_within(text, range, edits);
    let part = parse::document(&format!("{before}{after}</_>"));
    let inside = (before.len() as u32, (before.len() + after.len()) as u32);
    let is_one = part.root().and_then(|root| part.first_child(root)).is_some_and(|child| {
        let span = part.span(child);
        part.kind(child) == Kind::Element && (span.start, span.end) == inside
    });
    is_one && part.problems.is_empty()
}

/// The tag of an element that binds what is bound around this one.
fn start_tag(text: &str, tree: &Tree, element: Id) -> String {
    let mut tag = "<_".to_owned();
    let mut bound = Vec::new();
    let mut above = tree.parent(element);
    while let Some(id) = above {
        for declaration in tree.declarations_of(id) {
            if !bound.contains(&&*declaration.prefix) {
                bound.push(&*declaration.prefix);
                let _ = write!(tag, " {}", declaration.span.of(text));
            }
        }
        above = tree.parent(id);
    }
    tag + ">"
}

/// The innermost element that begins before the first place and ends behind the last one.
fn innermost(tree: &Tree, start: u32, end: u32) -> Option<Id> {
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
        let text = format!("{head}<b:i>1</b:i><i n='0'><c>2</c></i><i/><i>some more text</i></a>");
        let at = text.find(old).expect("it is there");
        let document = XmlDocument::new("a.xml", text);
        assert!(document.problems().is_empty(), "{:?}", document.problems());
        assert_eq!(document.stays_well_formed(&[Edit::new(at..at + old.len(), new)]), expected, "{new}");
    }

    #[track_caller]
    fn check(old: &str, new: &str, expected: bool) {
        check_in("<a xmlns:b='urn:b'>", old, new, expected);
    }

    #[test]
    fn an_element_tells_what_an_edit_does() {
        check("<c>2</c>", "<b:c/> text &amp; <!-- more -->", true);
        check("<c>2</c>", "<x:c/>", false);
        check("<c>2</c>", "</i><i>", false);
        check("2", "<d>", false);
        check("n='0'", "n='1' m='2'", true);
        check("n='0'", "n='1' n='2'", false);
        // The root is the whole document.
        check("<i/>", "<j/>", false);
    }

    #[test]
    fn a_document_type_has_a_say() {
        check_in("<!DOCTYPE a [<!ENTITY e 'x'>]><a xmlns:b='urn:b'>", "2", "3", false);
        check_in("<?xml version='1.1'?><a xmlns:b='urn:b'>", "2", "3", false);
    }
}
