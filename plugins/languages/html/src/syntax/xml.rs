//! XHTML parser: elements as tagged, nothing implied, case-sensitive names, declared namespaces.

use std::collections::BTreeMap;

use marquetry_sdk::Span;

use super::decode;
use super::fault::Code;
use super::tokenizer::{Tag, Token, Tokenizer};
use super::tree::{Element, NONE, Namespace, Tree};

/// Maximum depth of elements; deeper ones become siblings, as in HTML.
const MOST_OPEN: usize = 512;

/// Maximum number of namespaces in scope.
const MOST_DECLARED: usize = 256;

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
    /// Numbers of the namespaces.
    namespaces: BTreeMap<String, usize>,
    /// Declared prefixes in scope, innermost last; the empty prefix is the default namespace.
    scope: Vec<(Box<str>, Namespace)>,
    declared: Vec<(Box<str>, Namespace)>,
    comments: Vec<Span>,
}

/// An open element.
struct Open {
    element: u32,
    /// Length of the parent's scope.
    scope: usize,
}

/// Parses XHTML.
pub(super) fn parse(text: String) -> Tree {
    let mut builder = Builder {
        tokenizer: Tokenizer::new(&text, true),
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
    builder.leave_to(0, text.len());
    let Builder { tokenizer, elements, declared, comments, .. } = builder;
    let mut faults = tokenizer.faults;
    faults.sort_by_key(|fault| fault.span.start);
    let (attributes, names) = (tokenizer.attributes, tokenizer.names);
    let prefixes = declared;
    Tree { text, elements, attributes, comments, doctype, names, prefixes, quirks: false, xml: true, faults }
}

impl Builder<'_> {
    fn start(&mut self, tag: &Tag) {
        let scope = self.scope.len();
        self.declare(tag);
        let qualified = self.tokenizer.names.text(tag.name).to_owned();
        let (prefix, local) = parts_of(&qualified);
        let bound = self.scope.iter().rev().find(|(declared, _)| declared.as_ref() == prefix);
        let namespace = bound.map_or(Namespace::NONE, |(_, namespace)| *namespace);
        if bound.is_none() && !prefix.is_empty() {
            self.tokenizer.fault(Code::UnboundPrefix, tag.span);
        }
        let id = self.elements.len() as u32;
        self.elements.push(Element {
            name: self.tokenizer.names.intern(local),
            namespace,
            implied: false,
            has_text: false,
            parent: self.open.get(..MOST_OPEN).unwrap_or(&self.open).last().map_or(NONE, |open| open.element),
            end: id + 1,
            open: tag.span,
            close: Span { start: tag.span.end, end: tag.span.end },
            attributes: (tag.attributes.start, tag.attributes.end - tag.attributes.start),
        });
        self.open.push(Open { element: id, scope });
        *self.count(id) += 1;
        if tag.self_closing {
            self.pop();
        }
    }

    /// Declares the namespaces of a tag.
    fn declare(&mut self, tag: &Tag) {
        let text = self.tokenizer.text;
        for place in tag.attributes.start as usize..tag.attributes.end as usize {
            let attribute = self.tokenizer.attributes[place];
            let prefix = match attribute.name.of(text).strip_prefix("xmlns") {
                Some("") => "",
                Some(name) if name.starts_with(':') => &name[1..],
                _ => continue,
            };
            let url = attribute.value.map_or("".into(), |value| decode::attribute(value.of(text)));
            if self.scope.len() >= MOST_DECLARED {
                return;
            }
            let number = self.namespaces.len();
            let number = *self.namespaces.entry(url.into_owned()).or_insert(number);
            let namespace = Namespace(u16::try_from(number).unwrap_or(0));
            self.scope.push((prefix.into(), namespace));
            if !prefix.is_empty()
                && self.declared.len() < MOST_DECLARED
                && !self.declared.iter().any(|(declared, _)| declared.as_ref() == prefix)
            {
                self.declared.push((prefix.into(), namespace));
            }
        }
    }

    fn end(&mut self, tag: &Tag) {
        let text = self.tokenizer.text;
        let spelled = name_of(&tag.span.of(text)[2..]);
        let own = |open: &Open| name_of(&self.elements[open.element as usize].open.of(text)[1..]) == spelled;
        let name = self
            .tokenizer
            .names
            .find(parts_of(spelled).1)
            .filter(|name| self.open_names.get(name.0 as usize).is_some_and(|n| *n > 0));
        let Some(place) = name.and_then(|_| self.open.iter().rposition(own)) else {
            self.tokenizer.fault(Code::StrayEndTag, tag.span);
            return;
        };
        self.leave_to(place + 1, tag.span.range().start);
        if let Some(element) = self.pop() {
            self.elements[element as usize].close = tag.span;
        }
    }

    /// Closes the elements from this depth on without end tags.
    fn leave_to(&mut self, depth: usize, at: usize) {
        while self.open.len() > depth {
            let Some(id) = self.pop() else { return };
            let open = self.elements[id as usize].open;
            let content = &self.tokenizer.text[open.range().end..at];
            self.elements[id as usize].close = Span::at(open.range().end + content.trim_ascii_end().len());
            self.tokenizer.fault(Code::UnclosedElement, open);
        }
    }

    fn pop(&mut self) -> Option<u32> {
        let open = self.open.pop()?;
        self.scope.truncate(open.scope);
        if self.open.len() < MOST_OPEN {
            self.elements[open.element as usize].end = self.elements.len() as u32;
        }
        *self.count(open.element) -= 1;
        Some(open.element)
    }

    fn count(&mut self, id: u32) -> &mut u32 {
        let name = self.elements[id as usize].name.0 as usize;
        if self.open_names.len() <= name {
            self.open_names.resize(name + 1, 0);
        }
        &mut self.open_names[name]
    }
}

/// Splits a name into prefix and local part.
fn parts_of(qualified: &str) -> (&str, &str) {
    qualified
        .split_once(':')
        .filter(|(prefix, local)| !prefix.is_empty() && !local.is_empty())
        .unwrap_or(("", qualified))
}

fn name_of(tag: &str) -> &str {
    tag.split(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>').next().unwrap_or(tag)
}
