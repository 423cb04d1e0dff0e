//! Collects ids in a document, and references to ids in other documents.

use std::{collections::HashMap, ops::Range};

use marquetry_sdk::{
    Span, Usage,
    shared::{CSS_ID, Mention, Mentions, Notation},
    stylesheet::{chars::Dialect, names::Names, words},
    urls,
};

use crate::{
    XmlDocument,
    links::collect::collect_links,
    tree::{Id, Kind, Tree, dtd::Type, value},
};

const XML: &str = "http://www.w3.org/XML/1998/namespace";
const SVG: &str = "http://www.w3.org/2000/svg";
const XLINK: &str = "http://www.w3.org/1999/xlink";
const XINCLUDE: &str = "http://www.w3.org/2001/XInclude";

/// A reference to an id in another document.
#[derive(Debug)]
pub(super) struct OutgoingReference {
    /// Kind of the link.
    pub(super) kind: String,
    pub(super) specifier: String,
    pub(super) name: String,
    /// Span of the id as written.
    pub(super) span: Span,
    pub(super) spelling: Notation,
}

/// Returns all ids in a document, and the references to them in the same document.
pub(super) fn id_mentions(document: &XmlDocument) -> Mentions {
    let mut collector = Collector { document, found: Vec::new() };
    let tree = &document.tree;
    for id in 1..tree.len() {
        match tree.kind(id) {
            Kind::Element if !tree.is_from_entity(id) => collector.collect_element(id),
            _ => {}
        }
    }
    Mentions::new(collector.found)
}

/// All references to ids in other documents.
pub(super) fn outgoing_references(document: &XmlDocument) -> Vec<OutgoingReference> {
    let (tree, text) = (&document.tree, document.text.as_str());
    let mut found = Vec::new();
    let links = collect_links(document);
    // Elements that include other documents, by the offset of their start.
    let mut elements: HashMap<u32, Id> = HashMap::new();
    if links.iter().any(|found| found.link.kind == "include") {
        let all = (1..tree.len()).filter(|id| tree.kind(*id) == Kind::Element && !tree.is_from_entity(*id));
        elements.extend(all.map(|id| (tree.span(id).start, id)));
    }
    for link in links {
        let link = link.link;
        if let Some(name) = decoded_fragment(&link.specifier) {
            let raw = link.span.slice(text);
            let Some(hash) = raw.find('#') else { continue };
            let span = Span::new(link.span.range().start + hash + 1, link.span.range().end);
            found.push(OutgoingReference {
                kind: link.kind,
                specifier: link.specifier,
                name,
                span,
                spelling: Notation::Fragment,
            });
        } else if link.kind == "include" {
            // `<xi:include href="…" xpointer="id"/>`
            let pointer = elements.get(&link.statement.start).and_then(|id| tree.attribute(*id, "xpointer"));
            let Some((range, quote)) = pointer.and_then(|attribute| value_range(document, attribute)) else { continue };
            let name = text[range.clone()].to_owned();
            if crate::chars::is_name(&name) {
                let (kind, specifier) = (link.kind, link.specifier);
                found.push(OutgoingReference {
                    kind,
                    specifier,
                    name,
                    span: range.into(),
                    spelling: value_encoding(quote),
                });
            }
        }
    }
    found
}

/// Returns the range of an attribute value within its quotes, and the quote. Returns `None` if the value is empty or
/// the attribute is not in the tag.
fn value_range(document: &XmlDocument, attribute: Id) -> Option<(Range<usize>, u8)> {
    let tree = &document.tree;
    if tree.is_default(attribute) || tree.is_from_entity(attribute) {
        return None;
    }
    let range = Tree::value_span(&document.text, tree.span(attribute)).range();
    let quote = *document.text.as_bytes().get(range.start.checked_sub(1)?)?;
    (matches!(quote, b'"' | b'\'') && !range.is_empty()).then_some((range, quote))
}

struct Collector<'d> {
    document: &'d XmlDocument,
    found: Vec<Mention>,
}

impl Collector<'_> {
    fn push(&mut self, name: &str, range: Range<usize>, usage: Usage, spelling: Notation) {
        self.found.push(Mention::certain(CSS_ID, name, range.into(), usage, spelling));
    }

    fn collect_element(&mut self, id: Id) {
        let (tree, text) = (&self.document.tree, self.document.text.as_str());
        let names = &tree.names;
        let name = tree.name(id);
        let (namespace, local) = (names.uri(names.namespace_of(name)), names.written_form(name).local());
        let is_svg = namespace == SVG || namespace.is_empty() && self.document.extension == "svg";
        for attribute in tree.attributes(id) {
            let Some((range, quote)) = value_range(self.document, attribute) else { continue };
            let own = tree.name(attribute);
            let space = names.uri(names.namespace_of(own));
            let called = names.written_form(own).local();
            let declared = tree.dtd.type_of(tree.written_name(id), tree.written_name(attribute));
            let is_id = space == XML && called == "id"
                || declared == Some(Type::Identifier)
                || is_svg && space.is_empty() && called == "id";
            if is_id {
                self.add_name(&range, Usage::Declaration, value_encoding(quote));
            } else if declared == Some(Type::References) {
                self.add_tokens(&range, quote);
            } else if called == "href" && (space == XLINK || is_svg && space.is_empty()) {
                self.add_fragment(&range);
            } else if namespace == XINCLUDE && called == "xpointer" {
                if tree.attribute(id, "href").is_none() {
                    self.add_name(&range, Usage::Read, value_encoding(quote));
                }
            } else if is_svg && space.is_empty() {
                self.add_svg_names(called, &range, quote);
            }
        }
        if is_svg && local == "style" {
            let texts =
                tree.children(id).filter(|child| tree.kind(*child) == Kind::Text && !tree.is_from_entity(*child));
            for child in texts {
                let range = tree.span(child).range();
                // Text with references or CDATA sections is encoded, so its source cannot be parsed as CSS.
                if !text[range.clone()].contains(['&', '<']) {
                    self.add_style_names(|names| names.stylesheet(range));
                }
            }
        }
    }

    /// Adds an attribute value that is a single id.
    fn add_name(&mut self, range: &Range<usize>, usage: Usage, spelling: Notation) {
        let raw = &self.document.text[range.clone()];
        let name = value::decode_attribute(raw.trim_ascii()).into_owned();
        let start = range.start + raw.len() - raw.trim_ascii_start().len();
        if !name.is_empty() && !name.contains(char::is_whitespace) {
            self.push(&name, start..start + raw.trim_ascii().len(), usage, spelling);
        }
    }

    fn add_tokens(&mut self, range: &Range<usize>, quote: u8) {
        let raw = &self.document.text[range.clone()];
        for word in words::tokens(raw) {
            let name = value::decode_attribute(&raw[word.clone()]).into_owned();
            self.push(&name, range.start + word.start..range.start + word.end, Usage::Read, value_encoding(quote));
        }
    }

    /// Adds the id of an attribute value `#id`.
    fn add_fragment(&mut self, range: &Range<usize>) {
        let raw = &self.document.text[range.clone()];
        if let Some(written) =
            raw.strip_prefix('#').filter(|written| !written.is_empty() && !written.contains(['(', '&']))
        {
            let name = urls::decode(written).into_owned();
            self.push(&name, range.start + 1..range.end, Usage::Read, Notation::Fragment);
        }
    }

    /// Adds ids in SVG attributes, which contain `url(#id)`, lists of ids, or times such as `id.click`.
    fn add_svg_names(&mut self, name: &str, range: &Range<usize>, quote: u8) {
        let raw = &self.document.text[range.clone()];
        if name.starts_with("aria-") && matches!(words::content_of_attribute(name), Some(words::AttributeContent::Ids))
        {
            return self.add_tokens(range, quote);
        }
        if matches!(name, "begin" | "end") {
            for word in raw.split(';') {
                let start = range.start + (word.as_ptr() as usize - raw.as_ptr() as usize);
                let blank = word.len() - word.trim_ascii_start().len();
                if let Some((id, _)) = word.trim_ascii().split_once('.').filter(|(id, _)| crate::chars::is_name(id)) {
                    self.push(id, start + blank..start + blank + id.len(), Usage::Read, value_encoding(quote));
                }
            }
            return;
        }
        if raw.contains("url(") && !raw.contains('&') {
            self.add_style_names(|names| names.value("", range.clone()));
        }
    }

    /// Adds the ids that occur in CSS.
    fn add_style_names(&mut self, read: impl FnOnce(&mut Names<'_>)) {
        let mut names = Names::new(&self.document.text, Dialect::Css);
        read(&mut names);
        self.found.extend(names.found.into_iter().filter(|mention| mention.namespace == CSS_ID).map(|mention| {
            let (usage, declares) = (Usage::Read, false);
            Mention { usage, declares, ..mention }
        }));
    }
}

/// Returns the decoded fragment of a specifier.
fn decoded_fragment(specifier: &str) -> Option<String> {
    let (_, fragment) = specifier.split_once('#')?;
    (!fragment.is_empty()).then(|| urls::decode(fragment).into_owned())
}

/// Returns the encoding of an attribute value in these quotes.
fn value_encoding(quote: u8) -> Notation {
    Notation::Attribute(Some(char::from(quote)))
}
