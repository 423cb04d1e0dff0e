//! Hover information for elements, and checks of ids and anchors in a page.

use std::collections::HashMap;

use marquetry_sdk::{
    Area, Diagnostic, Hover, HoverInfo, Note, SemanticDiagnostic, SemanticDiagnostics, Severity, Span, urls,
};

use crate::{
    Html,
    document::HtmlDocument,
    syntax::{Id, Name, Tree},
};

/// Markers of template languages. The output of a template is unknown.
const TEMPLATE_MARKERS: [&str; 5] = ["{{", "{%", "<%", "${", "<?"];

/// Returns the element whose name is at an offset, in its start tag or its end tag, and the span of the name.
fn element_at(tree: &Tree, offset: u32) -> Option<(Id, Span)> {
    let name = |id: Id, tag: Span, skipped: usize| {
        let start = tag.range().start + skipped;
        let span = Span::new(start, start + tree.name(id).len());
        (span.range().end <= tag.range().end && span.touches(offset as usize)).then_some((id, span))
    };
    (0..tree.element_count()).filter(|id| !tree.element(*id).implied).find_map(|id| {
        let element = tree.element(id);
        name(id, element.start_tag, 1)
            .or_else(|| if element.end_tag.is_empty() { None } else { name(id, element.end_tag, 2) })
    })
}

impl Hover for Html {
    fn hover(document: &HtmlDocument, offset: u32) -> Option<HoverInfo> {
        let tree = &document.tree;
        let (id, span) = element_at(tree, offset)?;
        let element = tree.element(id);
        let mut info = HoverInfo::plain(tree.name(id), "element", span);
        info.code = Some(element.start_tag.slice(&tree.text).to_owned());
        for (attribute, label) in [("id", "id"), ("class", "classes"), ("role", "role"), ("aria-label", "label")] {
            if let Some(value) = tree.attribute_value(id, attribute).filter(|value| !value.is_empty()) {
                info.notes.push(Note { label: label.to_owned(), text: value.into_owned(), location: None });
            }
        }
        let within = tree.children(id).filter(|child| !tree.element(*child).implied).count();
        Some(info.note("has", format!("{within} elements")))
    }

    /// Reports duplicate ids and links to missing anchors of the page.
    fn check(document: &HtmlDocument) -> SemanticDiagnostics {
        let tree = &document.tree;
        let text = tree.text.as_str();
        let is_template = TEMPLATE_MARKERS.iter().any(|sign| text.contains(sign));
        let mut first: HashMap<String, Span> = HashMap::new();
        let mut found = Vec::new();
        let (mut is_scripted, mut anchors) = (false, Vec::new());
        for id in (0..tree.element_count()).filter(|id| !tree.element(*id).implied) {
            is_scripted |= tree.element(id).name == Name::SCRIPT;
            for attribute in tree.attributes(id) {
                let Some(span) = attribute.value.filter(|span| !span.is_empty()) else { continue };
                let value = tree.decoded_value(*attribute).into_owned();
                let name = attribute.name.slice(text).to_ascii_lowercase();
                match name.as_str() {
                    "id" | "name" if name == "id" || tree.name(id) == "a" => {
                        let is_own = name == "id" && !is_template && !in_template(tree, id);
                        match first.get(&value) {
                            Some(_) if is_own => found.push(duplicate_id(span, &value)),
                            Some(_) => {}
                            None => _ = first.insert(value, span),
                        }
                    }
                    "href" => anchors.extend(value.strip_prefix('#').map(|anchor| (anchor.to_owned(), span))),
                    _ => {}
                }
            }
        }
        // With scripts, a missing anchor is not an error: a script could create the anchor, or handle clicks on the
        // link.
        if !is_scripted && !is_template {
            let is_dead = |(anchor, _): &(String, Span)| {
                let name = urls::decode(anchor);
                !name.is_empty() && !name.eq_ignore_ascii_case("top") && !first.contains_key(name.as_ref())
            };
            found.extend(anchors.into_iter().filter(is_dead).map(|(anchor, span)| missing_anchor(span, &anchor)));
        }
        found.sort_by_key(|finding| finding.diagnostic.span.start);
        SemanticDiagnostics { checked: vec![Area::Links, Area::Names], diagnostics: found }
    }
}

/// Returns whether an element is inside a `template`. Scripts clone the content of templates, so its ids need not be
/// unique.
fn in_template(tree: &Tree, id: Id) -> bool {
    tree.self_and_ancestors(id).any(|around| tree.name(around) == "template")
}

fn duplicate_id(span: Span, id: &str) -> SemanticDiagnostic {
    let message = format!("the id `{id}` is already used by an earlier element");
    let problem = Diagnostic { severity: Severity::Warning, span, message, code: Some("duplicate-id".to_owned()) };
    SemanticDiagnostic::certain(Area::Names, problem)
}

fn missing_anchor(span: Span, anchor: &str) -> SemanticDiagnostic {
    let message = format!("the page has no id `{anchor}`");
    let problem = Diagnostic { severity: Severity::Warning, span, message, code: Some("dead-anchor".to_owned()) };
    SemanticDiagnostic::certain(Area::Links, problem)
}
