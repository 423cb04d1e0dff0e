//! XHTML parser. Each element has a start tag in the text, names are case-sensitive, and the document declares its
//! namespaces.

use std::collections::BTreeMap;

use marquetry_sdk::Span;

use super::decode;
use super::diagnostic::Code;
use super::dialect::Dialect;
use super::tokenizer::{Tag, Token, Tokenizer};
use super::tree::{Element, NONE, Namespace, Tree};

/// Maximum depth of elements. Deeper elements become siblings, as in HTML.
const MAX_OPEN: usize = 512;

/// Maximum number of namespaces in scope.
const MAX_DECLARED: usize = 256;

/// URIs of the namespaces with fixed numbers.
const NAMESPACES: [&str; 4] =
    ["", "http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"];

/// State of tree construction.
struct Builder<'t> {
    tokenizer: Tokenizer<'t>,
    elements: Vec<Element>,
    open: Vec<Open>,
    /// Number of open elements for each name.
    open_names: Vec<u32>,
    /// Maps the URI of each namespace to its number.
    namespaces: BTreeMap<String, usize>,
    /// Declared prefixes in scope, innermost last; the empty prefix is the default namespace.
    scope: Vec<(Box<str>, Namespace)>,
    declared: Vec<(Box<str>, Namespace)>,
    comments: Vec<Span>,
}

/// An open element.
struct Open {
    element: u32,
    /// Length of `scope` before the namespaces of this element were declared.
    scope: usize,
}

/// Parses XHTML.
pub(super) fn parse(text: String) -> Tree {
    let mut builder = Builder {
        tokenizer: Tokenizer::new(&text, Dialect::Xml),
        elements: Vec::new(),
        open: Vec::new(),
        open_names: Vec::new(),
        namespaces: NAMESPACES.iter().map(|url| (*url).to_owned()).zip(0..).collect(),
        scope: Vec::new(),
        declared: Vec::new(),
        comments: Vec::new(),
    };
    let mut doctype = None;
    loop {
        match builder.tokenizer.next(true) {
            Token::Doctype(found) => doctype = Some(found),
            Token::Comment(span) => builder.comments.push(span),
            Token::Text(_) => {
                if let Some(open) = builder.open.last() {
                    builder.elements[open.element as usize].has_text = true;
                }
            }
            Token::Start(tag) => builder.start(&tag),
            Token::End(tag) => builder.end(&tag),
            Token::Eof => break,
        }
    }
    builder.close_to_depth(0, text.len());
    let Builder { tokenizer, elements, declared, comments, .. } = builder;
    let mut faults = tokenizer.diagnostics;
    faults.sort_by_key(|fault| fault.span.start);
    let (attributes, names) = (tokenizer.attributes, tokenizer.names);
    let prefixes = declared;
    Tree {
        text,
        elements,
        attributes,
        comments,
        doctype,
        names,
        prefixes,
        quirks: false,
        dialect: Dialect::Xml,
        code: Vec::new(),
        diagnostics: faults,
    }
}

impl Builder<'_> {
    fn start(&mut self, tag: &Tag) {
        let scope = self.scope.len();
        self.declare(tag);
        let qualified = self.tokenizer.names.text(tag.name).to_owned();
        let (prefix, local) = split_name(&qualified);
        let bound = self.scope.iter().rev().find(|(declared, _)| declared.as_ref() == prefix);
        let namespace = bound.map_or(Namespace::NONE, |(_, namespace)| *namespace);
        if bound.is_none() && !prefix.is_empty() {
            self.tokenizer.report(Code::UnboundPrefix, tag.span);
        }
        let id = self.elements.len() as u32;
        self.elements.push(Element {
            name: self.tokenizer.names.intern(local),
            namespace,
            implied: false,
            has_text: false,
            parent: self.open.get(..MAX_OPEN).unwrap_or(&self.open).last().map_or(NONE, |open| open.element),
            end: id + 1,
            start_tag: tag.span,
            end_tag: Span { start: tag.span.end, end: tag.span.end },
            attributes: (tag.attributes.start, tag.attributes.end - tag.attributes.start),
        });
        self.open.push(Open { element: id, scope });
        *self.open_count(id) += 1;
        if tag.self_closing {
            self.pop();
        }
    }

    /// Adds the namespaces that a tag declares to the scope.
    fn declare(&mut self, tag: &Tag) {
        let text = self.tokenizer.text;
        for place in tag.attributes.start as usize..tag.attributes.end as usize {
            let attribute = self.tokenizer.attributes[place];
            let prefix = match attribute.name.slice(text).strip_prefix("xmlns") {
                Some("") => "",
                Some(name) if name.starts_with(':') => &name[1..],
                _ => continue,
            };
            let url = attribute.value.map_or("".into(), |value| decode::attribute(value.slice(text)));
            if self.scope.len() >= MAX_DECLARED {
                return;
            }
            let number = self.namespaces.len();
            let number = *self.namespaces.entry(url.into_owned()).or_insert(number);
            let namespace = Namespace(u16::try_from(number).unwrap_or(0));
            self.scope.push((prefix.into(), namespace));
            if !prefix.is_empty()
                && self.declared.len() < MAX_DECLARED
                && !self.declared.iter().any(|(declared, _)| declared.as_ref() == prefix)
            {
                self.declared.push((prefix.into(), namespace));
            }
        }
    }

    fn end(&mut self, tag: &Tag) {
        let text = self.tokenizer.text;
        let spelled = tag_name(&tag.span.slice(text)[2..]);
        let own = |open: &Open| tag_name(&self.elements[open.element as usize].start_tag.slice(text)[1..]) == spelled;
        let name = self
            .tokenizer
            .names
            .find(split_name(spelled).1)
            .filter(|name| self.open_names.get(name.0 as usize).is_some_and(|n| *n > 0));
        let Some(place) = name.and_then(|_| self.open.iter().rposition(own)) else {
            self.tokenizer.report(Code::StrayEndTag, tag.span);
            return;
        };
        self.close_to_depth(place + 1, tag.span.range().start);
        if let Some(element) = self.pop() {
            self.elements[element as usize].end_tag = tag.span;
        }
    }

    /// Closes the elements from this depth on. They have no end tags.
    fn close_to_depth(&mut self, depth: usize, at: usize) {
        while self.open.len() > depth {
            let Some(id) = self.pop() else { return };
            let open = self.elements[id as usize].start_tag;
            let content = &self.tokenizer.text[open.range().end..at];
            self.elements[id as usize].end_tag = Span::at(open.range().end + content.trim_ascii_end().len());
            self.tokenizer.report(Code::UnclosedElement, open);
        }
    }

    fn pop(&mut self) -> Option<u32> {
        let open = self.open.pop()?;
        self.scope.truncate(open.scope);
        if self.open.len() < MAX_OPEN {
            self.elements[open.element as usize].end = self.elements.len() as u32;
        }
        *self.open_count(open.element) -= 1;
        Some(open.element)
    }

    fn open_count(&mut self, id: u32) -> &mut u32 {
        let name = self.elements[id as usize].name.0 as usize;
        if self.open_names.len() <= name {
            self.open_names.resize(name + 1, 0);
        }
        &mut self.open_names[name]
    }
}

/// Splits a name into prefix and local part.
fn split_name(qualified: &str) -> (&str, &str) {
    qualified
        .split_once(':')
        .filter(|(prefix, local)| !prefix.is_empty() && !local.is_empty())
        .unwrap_or(("", qualified))
}

fn tag_name(tag: &str) -> &str {
    tag.split(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>').next().unwrap_or(tag)
}
