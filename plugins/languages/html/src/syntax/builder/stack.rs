//! Stack of open elements: scopes, implied end tags, and the ends of elements.

use super::super::names::{NameSet, name_set};
use super::{Builder, Code, Name, Namespace, Node, Span};

/// A scope of the standard. It limits a search in the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Default,
    ListItem,
    Button,
    Table,
    Select,
}

impl Scope {
    pub(super) fn ends_at(self, node: &Node) -> bool {
        let html = node.namespace == Namespace::HTML;
        match self {
            Scope::Table => html && matches!(node.name, Name::HTML | Name::TABLE | Name::TEMPLATE),
            Scope::Select => !(html && matches!(node.name, Name::OPTGROUP | Name::OPTION)),
            Scope::ListItem if html && matches!(node.name, Name::OL | Name::UL) => true,
            Scope::Button if html && node.name == Name::BUTTON => true,
            _ if html => ENDS_SCOPE.contains(node.name),
            _ => is_foreign_border(node),
        }
    }
}

/// Elements that limit every scope except table and select scope.
static ENDS_SCOPE: NameSet = name_set! { APPLET CAPTION HTML TABLE TD TH MARQUEE OBJECT TEMPLATE };

/// MathML elements that contain text, and `annotation-xml`, which contains other markup.
static MATHML_TEXT: NameSet = name_set! { MI MO MN MS MTEXT ANNOTATION_XML };

/// SVG elements that contain HTML.
static SVG_HTML: NameSet = name_set! { FOREIGN_OBJECT DESC TITLE };

/// Elements whose end tag is implied by certain other tags.
static IMPLIED_END: NameSet = name_set! { DD DT LI OPTGROUP OPTION P RB RP RT RTC };

/// Elements whose end tag is implied by the end of a template.
static THOROUGHLY_IMPLIED_END: NameSet = name_set! {
    CAPTION COLGROUP DD DT LI OPTGROUP OPTION P RB RP RT RTC TBODY TD TFOOT TH THEAD TR
};

/// Returns whether the node is a MathML or SVG element that limits scopes.
pub(super) fn is_foreign_border(node: &Node) -> bool {
    match node.namespace {
        Namespace::MATHML => MATHML_TEXT.contains(node.name),
        Namespace::SVG => SVG_HTML.contains(node.name),
        _ => false,
    }
}

pub(super) fn is_heading(name: Name) -> bool {
    matches!(name, Name::H1 | Name::H2 | Name::H3 | Name::H4 | Name::H5 | Name::H6)
}

/// Elements whose end tag is optional.
static OPTIONAL_END: NameSet = name_set! {
    HTML HEAD BODY P LI DT DD OPTION OPTGROUP TR TD TH THEAD TBODY TFOOT COLGROUP CAPTION RB RT RTC RP
};

/// Elements that never have content.
pub(crate) static VOID: NameSet = name_set! {
    AREA BASE BASEFONT BGSOUND BR COL EMBED FRAME HR IMG INPUT KEYGEN LINK META PARAM SOURCE TRACK WBR
};

impl Builder<'_> {
    pub(super) fn push(&mut self, node: u32) {
        let name = self.node(node).name.0 as usize;
        if self.open_names.len() <= name {
            self.open_names.resize(name + 1, 0);
        }
        self.open_names[name] += 1;
        self.open.push(node);
    }

    /// Pops the innermost open element.
    pub(super) fn pop(&mut self) {
        if let Some(node) = self.open.pop() {
            self.end_element(node);
        }
    }

    /// Removes an element from any position of the stack.
    pub(super) fn remove_open(&mut self, node: u32) {
        if let Some(place) = self.open.iter().rposition(|open| *open == node) {
            self.open.remove(place);
            self.end_element(node);
        }
    }

    /// Sets the end of an element that was removed from the stack. If the name of the current end tag fits, it is the
    /// end tag of the element. Otherwise the element ends at the end of its content.
    pub(super) fn end_element(&mut self, id: u32) {
        let node = &self.arena.nodes[id as usize];
        let (name, html) = (node.name, node.namespace == Namespace::HTML);
        self.open_names[name.0 as usize] -= 1;
        if node.implied {
            return;
        }
        let own = self.closing.is_some_and(|tag| {
            tag == name || (is_heading(tag) && is_heading(name)) || (!html && self.same_lower(tag, name))
        });
        if own {
            self.closing = None;
            self.end_at(id, self.current_span);
            return;
        }
        let (open, closed) = (node.open, node.closed);
        if !closed {
            self.end_at(id, self.end_of_content(open));
        }
        if !(html && (OPTIONAL_END.contains(name) || VOID.contains(name))) {
            self.report(Code::UnclosedElement, open);
        }
    }

    /// Pops an element without content.
    pub(super) fn pop_empty(&mut self) {
        self.acknowledged = true;
        if let Some(node) = self.open.pop() {
            let own = self.node(node);
            let (end, name) = (Span { start: own.open.end, end: own.open.end }, own.name);
            self.open_names[name.0 as usize] -= 1;
            self.end_at(node, end);
        }
    }

    pub(super) fn end_at(&mut self, node: u32, close: Span) {
        let node = &mut self.arena.nodes[node as usize];
        (node.close, node.closed) = (close, true);
    }

    /// Returns the end of the content of an open element, whose start tag is given: the start of the current token,
    /// without the white space before it.
    pub(super) fn end_of_content(&self, open: Span) -> Span {
        let content = &self.tokenizer.text[open.range().end..self.current_span.range().start.max(open.range().end)];
        Span::at(open.range().end + content.trim_ascii_end().len())
    }

    pub(super) fn same_lower(&self, lower: Name, name: Name) -> bool {
        lower == name || self.tokenizer.names.text(name).eq_ignore_ascii_case(self.tokenizer.names.text(lower))
    }

    pub(super) fn current(&self) -> Option<&Node> {
        self.open.last().map(|node| self.node(*node))
    }

    pub(super) fn current_is(&self, names: &[Name]) -> bool {
        self.current().is_some_and(|node| node.namespace == Namespace::HTML && names.contains(&node.name))
    }

    pub(super) fn is_html(&self, node: u32, name: Name) -> bool {
        let node = self.node(node);
        node.namespace == Namespace::HTML && node.name == name
    }

    /// Returns `false` if no element with this name is open.
    pub(super) fn may_be_open(&self, name: Name) -> bool {
        self.open_names.get(name.0 as usize).is_some_and(|count| *count > 0)
    }

    pub(super) fn in_scope(&self, name: Name, scope: Scope) -> bool {
        self.may_be_open(name) && self.any_in_scope(|other| other == name, scope)
    }

    /// Returns whether an element whose name passes the test is in scope.
    pub(super) fn any_in_scope(&self, wanted: impl Fn(Name) -> bool, scope: Scope) -> bool {
        for id in self.open.iter().rev() {
            let node = self.node(*id);
            if node.namespace == Namespace::HTML && wanted(node.name) {
                return true;
            }
            if scope.ends_at(node) {
                return false;
            }
        }
        false
    }

    pub(super) fn template_is_open(&self) -> bool {
        self.may_be_open(Name::TEMPLATE) && self.open.iter().any(|node| self.is_html(*node, Name::TEMPLATE))
    }

    pub(super) fn generate_implied_end_tags(&mut self, except: Option<Name>) {
        while self.current_is_in(&IMPLIED_END) && !except.is_some_and(|name| self.current_is(&[name])) {
            self.pop();
        }
    }

    pub(super) fn generate_all_implied_end_tags(&mut self) {
        while self.current_is_in(&THOROUGHLY_IMPLIED_END) {
            self.pop();
        }
    }

    fn current_is_in(&self, names: &NameSet) -> bool {
        self.current().is_some_and(|node| node.namespace == Namespace::HTML && names.contains(node.name))
    }

    /// Pops elements up to and including the first HTML element whose name passes the test.
    pub(super) fn pop_until(&mut self, wanted: impl Fn(Name) -> bool) {
        while let Some(node) = self.current() {
            let last = node.namespace == Namespace::HTML && wanted(node.name);
            self.pop();
            if last {
                return;
            }
        }
    }

    /// Pops elements until the current element has one of these names.
    pub(super) fn pop_back_to(&mut self, names: &[Name]) {
        while !self.current_is(names) && self.open.len() > 1 {
            self.pop();
        }
    }

    pub(super) fn close_p(&mut self) {
        if self.in_scope(Name::P, Scope::Button) {
            self.generate_implied_end_tags(Some(Name::P));
            self.pop_until(|name| name == Name::P);
        }
    }

    /// Pops all elements. Called at the end of the text.
    pub(super) fn close_all(&mut self) {
        self.leave_deep(0);
        while !self.open.is_empty() {
            self.pop();
        }
    }
}
