//! Text content of elements.

use std::borrow::Cow;

use crate::syntax::{Id, Name, Namespace, Tree, decode};

/// Returns the whole text of an element.
pub(crate) fn text_content(tree: &Tree, id: Id) -> String {
    let mut content = String::new();
    visit_text(tree, id, |_| false, &mut |text| {
        content.push_str(text);
        true
    });
    content
}

/// Passes the text of an element to `take`, piece by piece, in source order. The text of elements for which `skip`
/// returns true is left out. Stops if `take` returns `false`.
pub(crate) fn visit_text(tree: &Tree, id: Id, skip: impl Fn(Id) -> bool, take: &mut dyn FnMut(&str) -> bool) {
    // For each open element, the texts and child elements that are still to be visited.
    let mut open = vec![parts(tree, id).into_iter()];
    while let Some(parts) = open.last_mut() {
        match parts.next() {
            None => {
                open.pop();
            }
            Some(Part::Element(child)) if skip(child) => {}
            Some(Part::Element(child)) => open.push(self::parts(tree, child).into_iter()),
            Some(Part::Text(text)) => {
                if !take(&text) {
                    return;
                }
            }
        }
    }
}

enum Part<'t> {
    Text(Cow<'t, str>),
    Element(Id),
}

fn parts(tree: &Tree, id: Id) -> Vec<Part<'_>> {
    let element = tree.element(id);
    let raw = element.namespace == Namespace::HTML && !tree.dialect.is_xml() && is_raw_text(element.name);
    let mut parts: Vec<(u32, Part<'_>)> = Vec::new();
    if element.has_text {
        for span in tree.text_spans(id) {
            let text = span.slice(&tree.text);
            parts.push((span.start, Part::Text(if raw { decode::raw_text(text) } else { decode::text(text) })));
        }
    }
    parts.extend(tree.children(id).map(|child| (tree.element(child).start_tag.start, Part::Element(child))));
    parts.sort_by_key(|(start, _)| *start);
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Returns whether character references are not decoded in the element.
pub(crate) fn is_raw_text(name: Name) -> bool {
    matches!(
        name,
        Name::SCRIPT | Name::STYLE | Name::XMP | Name::IFRAME | Name::NOEMBED | Name::NOFRAMES | Name::PLAINTEXT
    )
}
