//! Nesting beyond what the stack of open elements takes: such elements become siblings in the tree.
//!
//! Browsers do the same. Their places in the text stay right, since end tags are still matched with start tags.

use super::arena::DOCUMENT;
use super::stack::VOID;
use super::{Builder, Code, Content, NONE, Name, Namespace, Tag, Token};

/// The depth of the stack.
const MOST_OPEN: usize = 512;

impl Builder<'_> {
    /// Deals with a token where too many elements are open. Whether it did.
    pub(super) fn too_deep(&mut self, token: &Token) -> bool {
        if self.deep.is_empty() && (self.open.len() < MOST_OPEN || self.in_text_mode()) {
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
            self.fault(Code::NestedTooDeep, tag.span);
        }
        let parent = self.open.last().copied().unwrap_or(DOCUMENT);
        let namespace = self.current().map_or(Namespace::HTML, |node| node.namespace);
        let node = self.create(tag, tag.name, namespace);
        self.arena.insert(node, parent, NONE);
        self.push(node);
        if VOID.has(tag.name) || (tag.self_closing && namespace != Namespace::HTML) {
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
        // What is left open is closed by the end tag of something around it.
        self.leave_deep(own.unwrap_or(0));
        own.is_some()
    }

    /// The deep elements from this one on are no longer open.
    pub(super) fn leave_deep(&mut self, from: usize) {
        while self.deep.len() > from {
            if let Some(node) = self.deep.pop() {
                self.leave(node);
            }
        }
    }
}
