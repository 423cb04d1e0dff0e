//! Content to insert: classification and indentation.

use marquetry_sdk::{indent, lines};

use crate::{
    chars, parse,
    tree::{Id, Kind, Tree},
};

/// A piece of XML source to insert.
#[derive(Debug)]
pub(crate) struct Content<'c> {
    pub(crate) text: &'c str,
    pub(crate) tree: Tree,
    /// Indentation unit of the document, to which the content is converted.
    unit: Option<String>,
}

impl<'c> Content<'c> {
    /// Parses the content.
    pub(crate) fn new(text: &'c str) -> Content<'c> {
        Content { text, tree: parse::parse_fragment(text), unit: None }
    }

    /// Parses content for a document and converts its indentation to that of the document.
    pub(crate) fn for_document(document: &str, text: &'c str) -> Content<'c> {
        let unit = text.contains('\n').then(|| indent::detected_unit(document)).flatten();
        Content { unit, ..Content::new(text) }
    }

    /// The first element.
    pub(crate) fn first_element(&self) -> Option<Id> {
        self.tree.root()
    }

    /// Returns the content at this indentation. Lines that start within comments, CDATA sections, processing
    /// instructions, attribute values and preserved white space keep their indentation.
    pub(crate) fn indented(&self, indent: &str) -> String {
        if !self.text.contains('\n') {
            return chars::trim(self.text).to_owned();
        }
        let frozen = self.frozen_lines();
        indent::reindent_with_unit(self.text, indent, self.unit.as_deref(), |line| {
            frozen.get(line).copied().unwrap_or(false)
        })
    }

    /// Returns whether the element contains elements, and no text except white space. In such an element,
    /// `xml:space="preserve"` protects only the white space within the child elements.
    fn has_only_elements(&self, id: Id) -> bool {
        let is_text = |child: &Id| {
            let text = &self.text[self.tree.span(*child).range()];
            self.tree.kind(*child) == Kind::Text && !chars::is_blank(text)
        };
        let is_element = |child: Id| self.tree.kind(child) == Kind::Element;
        self.tree.children(id).any(is_element) && !self.tree.children(id).any(|child| is_text(&child))
    }

    /// Returns, for each line, whether its indentation must not change.
    fn frozen_lines(&self) -> Vec<bool> {
        let mut ranges = Vec::new();
        let mut id = 1;
        while id < self.tree.len() {
            let span = self.tree.span(id).range();
            match self.tree.kind(id) {
                Kind::Comment | Kind::Instruction | Kind::Attribute => ranges.push(span),
                Kind::Text => ranges.extend(cdata_sections(&self.text[span.clone()], span.start)),
                Kind::Element if preserves_space(&self.tree, self.text, id) && !self.has_only_elements(id) => {
                    ranges.push(self.tree.tag_end(self.text, id)..span.end);
                    id = self.tree.after(id);
                    continue;
                }
                Kind::Element | Kind::Document => {}
            }
            id += 1;
        }
        let mut frozen = Vec::new();
        let (mut start, mut next) = (0, 0);
        for line in self.text.split_inclusive('\n') {
            while ranges.get(next).is_some_and(|range| range.end <= start) {
                next += 1;
            }
            frozen.push(ranges.get(next).is_some_and(|range| range.start < start));
            start += line.len();
        }
        frozen
    }
}

/// Returns the ranges of the CDATA sections in a text.
fn cdata_sections(source: &str, offset: usize) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = source[at..].find("<![CDATA[").map(|start| at + start) {
        let end = source[start..].find("]]>").map_or(source.len(), |end| start + end + 3);
        found.push(offset + start..offset + end);
        at = end;
    }
    found
}

/// Returns whether white space in the element is preserved: the nearest `xml:space` is `preserve`.
pub(crate) fn preserves_space(tree: &Tree, text: &str, id: Id) -> bool {
    let mut at = Some(id);
    while let Some(element) = at {
        if let Some(attribute) = tree.attribute(element, "xml:space") {
            return tree.value(text, attribute) == "preserve";
        }
        at = tree.parent(element);
    }
    false
}

/// An attribute in content, with its name and source.
#[derive(Debug, PartialEq)]
pub(crate) struct Attribute<'c> {
    pub(crate) name: &'c str,
    pub(crate) source: &'c str,
}

/// Parses content that consists only of attributes: `a="1" b='2'`. `None` for any other content.
pub(crate) fn parse_attributes(content: &str) -> Option<Vec<Attribute<'_>>> {
    let bytes = content.as_bytes();
    let mut found = Vec::new();
    let mut at = chars::skip_space(bytes, 0);
    while at < content.len() {
        let name_end = chars::name_end(content, at);
        let equals = chars::skip_space(bytes, name_end);
        if name_end == at || bytes.get(equals) != Some(&b'=') {
            return None;
        }
        let open = chars::skip_space(bytes, equals + 1);
        let quote = *bytes.get(open).filter(|byte| matches!(byte, b'"' | b'\''))?;
        let close = open + 1 + memchr::memchr(quote, &bytes[open + 1..])?;
        found.push(Attribute { name: &content[at..name_end], source: &content[at..=close] });
        let next = chars::skip_space(bytes, close + 1);
        if next == close + 1 && next < content.len() {
            return None;
        }
        at = next;
    }
    (!found.is_empty()).then_some(found)
}

/// Returns whether the text starts with a line that contains only white space.
pub(crate) fn begins_with_break(text: &str) -> bool {
    let end = lines::line_end(text, 0);
    end < text.len() && chars::is_blank(&text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_attribute_content() {
        let names = |content| parse_attributes(content).map(|all| all.iter().map(|one| one.name).collect::<Vec<_>>());
        assert_eq!(names("a=\"1\" b:c = '2'"), Some(vec!["a", "b:c"]));
        for other in ["", "a", "a=1", "<a b=\"c\"/>", "a=\"1\"b=\"2\"", "a=\"", "x = y"] {
            assert_eq!(names(other), None, "{other}");
        }
    }

    #[test]
    fn reindents_except_frozen_lines() {
        let content = "<a>\n  <b>x</b>\n  <![CDATA[\nraw\n]]>\n  <!-- one\ntwo -->\n  <c d='\n'/>\n</a>";
        let moved = Content::new(content).indented("    ");
        assert_eq!(
            moved,
            "<a>\n      <b>x</b>\n      <![CDATA[\nraw\n]]>\n      <!-- one\ntwo -->\n      <c d='\n'/>\n    </a>"
        );
        let kept = "<a xml:space=\"preserve\">\n  x\n</a>";
        assert_eq!(Content::new(kept).indented("  "), kept);
        // White space between elements is reindented, but the text in the elements is not.
        let resource = "<data xml:space=\"preserve\">\n  <value>one\n  two</value>\n</data>";
        let moved = "<data xml:space=\"preserve\">\n    <value>one\n  two</value>\n  </data>";
        assert_eq!(Content::new(resource).indented("  "), moved);
        let mixed = "<p xml:space=\"preserve\">one\n  <b>two</b>\n</p>";
        assert_eq!(Content::new(mixed).indented("  "), mixed);
    }
}
