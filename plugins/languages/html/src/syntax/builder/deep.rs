//! Elements that are nested deeper than the maximum depth of the stack. They become siblings in the tree, as in
//! browsers.
//!
//! Their spans are still correct, because their end tags are matched with their start tags.

use super::arena::DOCUMENT;
use super::stack::VOID;
use super::{Builder, Code, Content, NONE, Name, Namespace, Tag, Token};

/// Maximum depth of the stack.
const MAX_OPEN: usize = 512;

impl Builder<'_> {
    /// Processes a token if too many elements are open. Returns whether it has processed the token.
    pub(super) fn process_too_deep(&mut self, token: &Token) -> bool {
        if self.deep.is_empty() && (self.open.len() < MAX_OPEN || self.in_text_mode()) {
            return false;
        }
        match token {
            Token::Start(tag) => {
                self.start_deep(tag);
                true
            }
            Token::Text(_) => {
                let Some(node) = self.deep.last() else { return false };
                self.arena.nodes[*node as usize].has_text = true;
                true
            }
            Token::End(tag) => self.end_deep(tag.name),
            _ => false,
        }
    }

    fn start_deep(&mut self, tag: &Tag) {
        if self.deep.is_empty() {
            self.report(Code::NestedTooDeep, tag.span);
        }
        let parent = self.open.last().copied().unwrap_or(DOCUMENT);
        let namespace = self.current().map_or(Namespace::HTML, |node| node.namespace);
        let node = self.create(tag, tag.name, namespace);
        self.arena.insert(node, parent, NONE);
        self.push(node);
        if VOID.contains(tag.name) || (tag.self_closing && namespace != Namespace::HTML) {
            self.pop_empty();
            return;
        }
        self.open.pop();
        self.deep.push(node);
        self.acknowledged = true;
        let content = match tag.name {
            Name::SCRIPT => Content::Script,
            Name::PLAINTEXT => Content::Plain,
            Name::TITLE | Name::TEXTAREA | Name::STYLE | Name::XMP | Name::IFRAME | Name::NOEMBED | Name::NOFRAMES => {
                Content::Raw
            }
            _ => return,
        };
        self.tokenizer.switch(content, tag);
    }

    fn end_deep(&mut self, name: Name) -> bool {
        let own = if self.may_be_open(name) {
            self.deep.iter().rposition(|node| self.node(*node).name == name)
        } else {
            None
        };
        // If no deep element has this name, the end tag belongs to an element on the stack. It closes all deep
        // elements, which are inside that element.
        self.leave_deep(own.unwrap_or(0));
        own.is_some()
    }

    /// Closes the deep elements from this index on.
    pub(super) fn leave_deep(&mut self, from: usize) {
        while self.deep.len() > from {
            if let Some(node) = self.deep.pop() {
                self.end_element(node);
            }
        }
    }
}
