//! Content that callers give: what it is, and how it looks at another depth.

use marquetry_sdk::{indent, lines};

use crate::{
    chars, parse,
    tree::{Id, Kind, Tree},
};

/// A piece of XML source that is to be inserted.
#[derive(Debug)]
pub(crate) struct Content<'c> {
    pub(crate) text: &'c str,
    pub(crate) tree: Tree,
    /// The steps of indentation that it is to have.
    unit: Option<String>,
}

impl<'c> Content<'c> {
    /// Read the content.
    pub(crate) fn new(text: &'c str) -> Content<'c> {
        Content { text, tree: parse::fragment(text), unit: None }
    }

    /// Read content that goes into a document: its steps of indentation become those of the document.
    pub(crate) fn for_document(document: &str, text: &'c str) -> Content<'c> {
        let unit = text.contains('\n').then(|| indent::shown_unit(document)).flatten();
        Content { unit, ..Content::new(text) }
    }

    /// The first element.
    pub(crate) fn element(&self) -> Option<Id> {
        self.tree.root()
    }

    /// The content as it stands behind this indentation. Lines that start within comments, CDATA sections,
    /// instructions, values of attributes and preserved space do not move.
    pub(crate) fn at(&self, indent: &str) -> String {
        if !self.text.contains('\n') {
            return chars::trim(self.text).to_owned();
        }
        let frozen = self.frozen_lines();
        indent::fit(self.text, indent, self.unit.as_deref(), |line| frozen.get(line).copied().unwrap_or(false))
    }

    /// Whether elements stand in it, and no text but white space: what is preserved is the text of those.
    fn has_elements_alone(&self, id: Id) -> bool {
        let is_text = |child: &Id| {
            let text = &self.text[self.tree.span(*child).range()];
            self.tree.kind(*child) == Kind::Text && !chars::is_blank(text)
        };
        let is_element = |child: Id| self.tree.kind(child) == Kind::Element;
        self.tree.children(id).any(is_element) && !self.tree.children(id).any(|child| is_text(&child))
    }

    /// Of each line, whether it must stay as it is.
    fn frozen_lines(&self) -> Vec<bool> {
        let mut ranges = Vec::new();
        let mut id = 1;
        while id < self.tree.len() {
            let span = self.tree.span(id).range();
            match self.tree.kind(id) {
                Kind::Comment | Kind::Instruction | Kind::Attribute => ranges.push(span),
                Kind::Text => ranges.extend(sections(&self.text[span.clone()], span.start)),
                Kind::Element if preserves(&self.tree, self.text, id) && !self.has_elements_alone(id) => {
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

/// Where the CDATA sections of a text stand.
fn sections(source: &str, offset: usize) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = source[at..].find("<![CDATA[").map(|start| at + start) {
        let end = source[start..].find("]]>").map_or(source.len(), |end| start + end + 3);
        found.push(offset + start..offset + end);
        at = end;
    }
    found
}

/// Whether white space in the element must stay as it is: the nearest `xml:space` says `preserve`.
pub(crate) fn preserves(tree: &Tree, text: &str, id: Id) -> bool {
    let mut at = Some(id);
    while let Some(element) = at {
        if let Some(attribute) = tree.attribute(element, "xml:space") {
            return tree.value(text, attribute) == "preserve";
        }
        at = tree.parent(element);
    }
    false
}

/// An attribute in content: its name, and its source.
#[derive(Debug, PartialEq)]
pub(crate) struct Attribute<'c> {
    pub(crate) name: &'c str,
    pub(crate) source: &'c str,
}

/// The attributes that the content consists of, if it is nothing else: `a="1" b='2'`.
pub(crate) fn attributes(content: &str) -> Option<Vec<Attribute<'_>>> {
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

/// Whether the text begins with a line of nothing but white space.
pub(crate) fn begins_with_break(text: &str) -> bool {
    let end = lines::line_end(text, 0);
    end < text.len() && chars::is_blank(&text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sees_attributes() {
        let names = |content| attributes(content).map(|all| all.iter().map(|one| one.name).collect::<Vec<_>>());
        assert_eq!(names("a=\"1\" b:c = '2'"), Some(vec!["a", "b:c"]));
        for other in ["", "a", "a=1", "<a b=\"c\"/>", "a=\"1\"b=\"2\"", "a=\"", "x = y"] {
            assert_eq!(names(other), None, "{other}");
        }
    }

    #[test]
    fn moves_all_lines_but_those_that_must_stay() {
        let content = "<a>\n  <b>x</b>\n  <![CDATA[\nraw\n]]>\n  <!-- one\ntwo -->\n  <c d='\n'/>\n</a>";
        let moved = Content::new(content).at("    ");
        assert_eq!(
            moved,
            "<a>\n      <b>x</b>\n      <![CDATA[\nraw\n]]>\n      <!-- one\ntwo -->\n      <c d='\n'/>\n    </a>"
        );
        let kept = "<a xml:space=\"preserve\">\n  x\n</a>";
        assert_eq!(Content::new(kept).at("  "), kept);
        // Layout between elements moves, their texts do not.
        let resource = "<data xml:space=\"preserve\">\n  <value>one\n  two</value>\n</data>";
        let moved = "<data xml:space=\"preserve\">\n    <value>one\n  two</value>\n  </data>";
        assert_eq!(Content::new(resource).at("  "), moved);
        let mixed = "<p xml:space=\"preserve\">one\n  <b>two</b>\n</p>";
        assert_eq!(Content::new(mixed).at("  "), mixed);
    }
}
