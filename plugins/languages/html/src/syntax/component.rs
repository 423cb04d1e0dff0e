//! Parser for the markup of components: Vue, Svelte and Astro.
//!
//! Each element has an end tag, ends with `/>` or is a void element, and nothing is implied. Blocks such as
//! `{#if}`, code in braces and fragments are not elements: the elements in them are children of the element around
//! them. Markup that is not balanced has no elements, so that no edit can be wrong.

use marquetry_sdk::Span;

use super::builder::VOID;
use super::diagnostic::Code;
use super::dialect::Dialect;
use super::tokenizer::component::tag_name;
use super::tokenizer::{Content, Tag, Token, Tokenizer};
use super::tree::{Element, NONE, Namespace, Tree};

/// Maximum depth of elements and blocks.
const MAX_OPEN: usize = 512;

/// State of tree construction.
struct Builder<'t> {
    tokenizer: Tokenizer<'t>,
    dialect: Dialect,
    /// True if the text is a whole file, and not a part such as new content.
    is_document: bool,
    elements: Vec<Element>,
    open: Vec<Open<'t>>,
    comments: Vec<Span>,
    /// Index of the outermost open element whose text is not code.
    verbatim: Option<u32>,
}

/// Something that must be closed.
#[derive(Debug, Clone, Copy)]
enum Open<'t> {
    Element(u32),
    /// A block of Svelte: the name and the first part.
    Block(&'t str, Span),
    Fragment(Span),
}

/// Parses the markup of a component: a whole file, or a part of one.
pub(super) fn parse(dialect: Dialect, text: String, is_document: bool) -> Tree {
    let mut builder = Builder {
        tokenizer: Tokenizer::new(&text, dialect),
        dialect,
        is_document,
        elements: Vec::new(),
        open: Vec::new(),
        comments: Vec::new(),
        verbatim: None,
    };
    let doctype = builder.run();
    let Builder { tokenizer, mut elements, comments, .. } = builder;
    let mut diagnostics = tokenizer.diagnostics;
    diagnostics.retain(|found| found.code.prevents_reading() || found.code == Code::DuplicateAttribute);
    diagnostics.sort_by_key(|found| found.span.start);
    if diagnostics.iter().any(|found| found.code.prevents_reading()) {
        elements.clear();
    }
    let (attributes, names, code) = (tokenizer.attributes, tokenizer.names, tokenizer.code);
    Tree {
        text,
        elements,
        attributes,
        comments,
        doctype,
        names,
        prefixes: Vec::new(),
        quirks: false,
        dialect,
        code,
        diagnostics,
    }
}

impl<'t> Builder<'t> {
    /// Reads all tokens. Returns the doctype.
    fn run(&mut self) -> Option<super::tokenizer::Doctype> {
        let mut doctype = None;
        if self.is_document && self.dialect == Dialect::Astro {
            self.tokenizer.skip_front_matter();
        }
        loop {
            // In a Vue file, only templates contain markup.
            let is_outside = self.is_document && self.dialect == Dialect::Vue && self.open.is_empty();
            self.tokenizer.verbatim = self.verbatim.is_some() || is_outside;
            match self.tokenizer.next(false) {
                Token::Doctype(found) => doctype = Some(found),
                Token::Comment(span) => self.comments.push(span),
                Token::Text(span) => self.text(span),
                Token::Start(tag) => self.start(&tag),
                Token::End(tag) => self.end(&tag),
                Token::Eof => break,
            }
            if self.open.len() > MAX_OPEN {
                break;
            }
        }
        // Code or a tag that is not closed extends to the end of the text.
        if !self.tokenizer.diagnostics.iter().any(|found| found.code.prevents_reading()) {
            self.close_to_depth(0, self.tokenizer.text.len());
        }
        doctype
    }

    /// Returns the innermost open element.
    fn innermost(&self) -> Option<u32> {
        self.open.iter().rev().find_map(|open| if let Open::Element(id) = open { Some(*id) } else { None })
    }

    fn start(&mut self, tag: &Tag) {
        let id = self.elements.len() as u32;
        self.elements.push(Element {
            name: tag.name,
            namespace: Namespace::HTML,
            implied: false,
            has_text: false,
            parent: self.innermost().unwrap_or(NONE),
            end: id + 1,
            start_tag: tag.span,
            end_tag: Span::at(tag.span.range().end),
            attributes: (tag.attributes.start, tag.attributes.end - tag.attributes.start),
        });
        if tag.self_closing || VOID.contains(tag.name) {
            return;
        }
        if self.dialect == Dialect::Vue {
            self.start_in_vue(tag, id);
        }
        self.push(Open::Element(id), tag.span);
    }

    /// At the top level of a Vue file, only the content of a `template` in HTML is markup.
    fn start_in_vue(&mut self, tag: &Tag, id: u32) {
        let text = self.tokenizer.text;
        let range = tag.attributes.start as usize..tag.attributes.end as usize;
        let attributes = &self.tokenizer.attributes[range];
        let named = |name: &str| attributes.iter().find(|attribute| attribute.name.slice(text) == name);
        if self.is_document && self.open.is_empty() {
            let language = named("lang").and_then(|lang| lang.value).map_or("html", |lang| lang.slice(text));
            if tag_name(tag.span.slice(text)) != "template" || language != "html" {
                self.tokenizer.switch(Content::Raw, tag);
            }
        } else if named("v-pre").is_some() {
            self.verbatim = self.verbatim.or(Some(id));
        }
    }

    fn push(&mut self, open: Open<'t>, span: Span) {
        if self.open.len() == MAX_OPEN {
            self.tokenizer.report(Code::NestedTooDeep, span);
        }
        self.open.push(open);
    }

    fn end(&mut self, tag: &Tag) {
        let text = self.tokenizer.text;
        let name = tag_name(tag.span.slice(text));
        let is_own = |open: &Open<'t>| match open {
            Open::Element(id) => tag_name(self.elements[*id as usize].start_tag.slice(text)) == name,
            _ => false,
        };
        let Some(place) = self.open.iter().rev().position(is_own) else {
            return self.tokenizer.report(Code::StrayEndTag, tag.span);
        };
        self.close_to_depth(self.open.len() - place, tag.span.range().start);
        if let Some(Open::Element(id)) = self.open.pop() {
            let end = self.elements.len() as u32;
            let element = &mut self.elements[id as usize];
            (element.end_tag, element.end) = (tag.span, end);
            self.verbatim = self.verbatim.filter(|verbatim| *verbatim != id);
        }
    }

    /// Reports everything that is open beyond a depth, and closes it.
    fn close_to_depth(&mut self, depth: usize, at: usize) {
        while self.open.len() > depth {
            let (code, span) = match self.open.pop() {
                Some(Open::Element(id)) => {
                    self.elements[id as usize].end_tag = Span::at(at);
                    (Code::UnclosedElement, self.elements[id as usize].start_tag)
                }
                Some(Open::Block(_, span)) => (Code::UnclosedBlock, span),
                Some(Open::Fragment(span)) => (Code::UnclosedFragment, span),
                None => return,
            };
            self.tokenizer.report(code, span);
        }
    }

    /// Adds text or code. Blocks of Svelte and fragments of Astro must be balanced.
    fn text(&mut self, span: Span) {
        if let Some(id) = self.innermost() {
            self.elements[id as usize].has_text = true;
        }
        if self.tokenizer.code.last() != Some(&span) {
            return;
        }
        let text = span.slice(self.tokenizer.text);
        match self.dialect {
            Dialect::Svelte => self.block_part(text, span),
            Dialect::Astro if text == "<>" => self.push(Open::Fragment(span), span),
            Dialect::Astro if text == "</>" => {
                self.close(Code::StrayFragmentEnd, span, |open| matches!(open, Open::Fragment(_)))
            }
            _ => {}
        }
    }

    /// Follows a part of a block: `{#if a}`, `{:else}`, `{/if}`.
    fn block_part(&mut self, text: &'t str, span: Span) {
        let inner = text[1..].trim_start();
        let word = |rest: &'t str| &rest[..rest.bytes().take_while(u8::is_ascii_alphabetic).count()];
        match inner.bytes().next() {
            Some(b'#') => self.push(Open::Block(word(&inner[1..]), span), span),
            Some(b':') if !matches!(self.open.last(), Some(Open::Block(..))) => {
                self.tokenizer.report(Code::UnexpectedBlock, span);
            }
            Some(b'/') if !word(&inner[1..]).is_empty() => {
                let name = word(&inner[1..]);
                self.close(Code::UnexpectedBlock, span, |open| matches!(open, Open::Block(own, _) if *own == name));
            }
            _ => {}
        }
    }

    /// Closes the innermost block or fragment that is the expected one.
    fn close(&mut self, otherwise: Code, span: Span, is_expected: impl Fn(&Open<'t>) -> bool) {
        let Some(place) = self.open.iter().rposition(is_expected) else {
            return self.tokenizer.report(otherwise, span);
        };
        self.close_to_depth(place + 1, span.range().start);
        self.open.pop();
    }
}
