//! List of active formatting elements, and the adoption agency algorithm for misnested tags such as
//! `<b><p></b></p>`.

use super::super::names::{NameSet, name_set};
use super::stack::{Scope, is_foreign_border};
use super::{Builder, Code, NONE, Name, Namespace, Token};

/// An entry of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    Marker,
    Element(u32),
}

/// Limits for copies of formatting elements. A document can have `MAX_FREE_COPIES` copies, and one more for each
/// `BYTES_PER_COPY` bytes of its text.
const BYTES_PER_COPY: usize = 16;
const MAX_FREE_COPIES: usize = 1024;

impl Builder<'_> {
    /// Adds an element to the list. If the list already contains three equal elements, the oldest is removed.
    pub(super) fn push_formatting(&mut self, node: u32) {
        let mut alike = 0;
        for place in (0..self.formatting.len()).rev() {
            let Entry::Element(other) = self.formatting[place] else { break };
            if self.are_alike(node, other) {
                alike += 1;
                if alike == 3 {
                    self.formatting.remove(place);
                    break;
                }
            }
        }
        self.formatting.push(Entry::Element(node));
    }

    fn are_alike(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.node(a), self.node(b));
        if a.name != b.name || a.namespace != b.namespace || a.attributes.1 != b.attributes.1 {
            return false;
        }
        let text = self.tokenizer.text;
        let (first, count) = a.attributes;
        self.tokenizer.attributes[first as usize..(first + count) as usize].iter().all(|attribute| {
            let name = attribute.name.slice(text);
            self.attribute_value_in(a.attributes, name) == self.attribute_value_in(b.attributes, name)
        })
    }

    pub(super) fn clear_formatting_to_marker(&mut self) {
        while !matches!(self.formatting.pop(), None | Some(Entry::Marker)) {}
    }

    /// Returns the last element with this name in the list. Only the part of the list after the last marker is
    /// searched.
    pub(super) fn find_formatting(&self, name: Name) -> Option<u32> {
        let elements = self.formatting.iter().rev().map_while(|entry| match entry {
            Entry::Element(node) => Some(*node),
            Entry::Marker => None,
        });
        elements.into_iter().find(|node| self.is_html(*node, name))
    }

    pub(super) fn forget_formatting(&mut self, node: u32) {
        self.formatting.retain(|entry| *entry != Entry::Element(node));
    }

    fn may_copy(&self) -> bool {
        self.copies < self.tokenizer.text.len() / BYTES_PER_COPY + MAX_FREE_COPIES
    }

    /// Reopens the formatting elements that were closed by the end of a block, but not by their own end tag.
    pub(super) fn reconstruct_formatting(&mut self) {
        let is_open = |entry: &Entry| match entry {
            Entry::Marker => true,
            Entry::Element(node) => self.open.contains(node),
        };
        match self.formatting.last() {
            Some(last) if !is_open(last) => {}
            _ => return,
        }
        let first = self.formatting.iter().rposition(is_open).map_or(0, |place| place + 1);
        for place in first..self.formatting.len() {
            let Entry::Element(node) = self.formatting[place] else { continue };
            if !self.may_copy() {
                self.report(Code::NestedTooDeep, self.current_span);
                self.formatting.truncate(place);
                return;
            }
            self.formatting[place] = Entry::Element(self.insert_copy(node));
        }
    }

    /// Runs the adoption agency algorithm. It applies to end tags, and to start tags that close an open element with
    /// the same name.
    pub(super) fn run_adoption_agency(&mut self, name: Name, token: &Token) {
        if self.current_is(&[name])
            && let Some(node) = self.open.last().copied()
            && !self.formatting.contains(&Entry::Element(node))
        {
            self.pop();
            return;
        }
        for _ in 0..8 {
            let Some(element) = self.find_formatting(name).filter(|_| self.may_copy()) else {
                self.any_other_end_tag(name, token);
                return;
            };
            let Some(depth) = self.open.iter().rposition(|open| *open == element) else {
                self.report(Code::StrayEndTag, self.current_span);
                self.forget_formatting(element);
                return;
            };
            if !self.is_in_scope(element) {
                self.report(Code::StrayEndTag, self.current_span);
                return;
            }
            if self.open.last() != Some(&element) && matches!(token, Token::End(_)) {
                self.report(Code::Misnested, self.current_span);
            }
            let furthest = (depth + 1..self.open.len()).find(|place| self.is_special(self.open[*place]));
            let Some(furthest) = furthest else {
                while self.open.len() > depth {
                    self.pop();
                }
                self.forget_formatting(element);
                return;
            };
            self.adoption_agency_step(element, depth, furthest);
        }
    }

    fn is_in_scope(&self, element: u32) -> bool {
        let above = self.open.iter().rev().take_while(|open| **open != element);
        above.into_iter().all(|open| !Scope::Default.ends_at(self.node(*open)))
    }

    /// Runs one iteration of the algorithm. `element` is at index `depth` of the stack, and contains the block at index
    /// `furthest`. `element` is ended before the block, and the content of the block is put into a copy of `element`.
    fn adoption_agency_step(&mut self, element: u32, depth: usize, furthest: usize) {
        let block = self.open[furthest];
        let ancestor = self.open[depth.saturating_sub(1)];
        let mut bookmark = self.formatting.iter().position(|entry| *entry == Entry::Element(element)).unwrap_or(0);
        let mut last = block;
        let mut place = furthest;
        let mut round = 0;
        while place > depth + 1 {
            place -= 1;
            round += 1;
            let node = self.open[place];
            let listed = self.formatting.iter().position(|entry| *entry == Entry::Element(node));
            let Some(listed) = listed.filter(|_| round <= 3) else {
                if let Some(listed) = listed {
                    self.formatting.remove(listed);
                    bookmark -= usize::from(listed < bookmark);
                }
                self.remove_open(node);
                continue;
            };
            let copy = self.copy(node);
            self.formatting[listed] = Entry::Element(copy);
            self.replace_open(place, copy);
            if last == block {
                bookmark = listed + 1;
            }
            self.arena.insert(last, copy, NONE);
            last = copy;
        }
        let (parent, before) = self.foster_insertion_point(ancestor);
        self.arena.insert(last, parent, before);
        let copy = self.copy(element);
        self.arena.move_children(block, copy);
        self.arena.insert(copy, block, NONE);
        if let Some(listed) = self.formatting.iter().position(|entry| *entry == Entry::Element(element)) {
            self.formatting.remove(listed);
            bookmark -= usize::from(listed < bookmark);
        }
        self.formatting.insert(bookmark.min(self.formatting.len()), Entry::Element(copy));
        self.remove_open(element);
        let below = self.open.iter().rposition(|open| *open == block).map_or(self.open.len(), |place| place + 1);
        self.push(copy);
        self.open.pop();
        self.open.insert(below, copy);
    }

    /// Replaces an open element on the stack by a copy of it.
    fn replace_open(&mut self, place: usize, copy: u32) {
        let node = self.open[place];
        self.push(copy);
        self.open.swap_remove(place);
        self.end_element(node);
    }

    /// Returns the insertion position for the adoption agency algorithm. In a table, it is before the table.
    fn foster_insertion_point(&mut self, ancestor: u32) -> (u32, u32) {
        let foster = std::mem::replace(&mut self.foster, true);
        let place = self.insertion_point(Some(ancestor));
        self.foster = foster;
        place
    }

    pub(super) fn is_special(&self, node: u32) -> bool {
        let node = self.node(node);
        if node.namespace == Namespace::HTML { SPECIAL.contains(node.name) } else { is_foreign_border(node) }
    }
}

/// The special elements of the standard. The search for the element that an end tag closes stops at such an element.
static SPECIAL: NameSet = name_set! {
    ADDRESS APPLET AREA ARTICLE ASIDE BASE BASEFONT BGSOUND BLOCKQUOTE BODY BR BUTTON CAPTION CENTER COL
    COLGROUP DD DETAILS DIR DIV DL DT EMBED FIELDSET FIGCAPTION FIGURE FOOTER FORM FRAME FRAMESET H1 H2 H3
    H4 H5 H6 HEAD HEADER HGROUP HR HTML IFRAME IMG INPUT KEYGEN LI LINK LISTING MAIN MARQUEE MENU META NAV
    NOEMBED NOFRAMES NOSCRIPT OBJECT OL P PARAM PLAINTEXT PRE SCRIPT SEARCH SECTION SELECT SOURCE STYLE
    SUMMARY TABLE TBODY TD TEMPLATE TEXTAREA TFOOT TH THEAD TITLE TR TRACK UL WBR XMP
};
