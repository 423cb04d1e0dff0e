//! End tags in the body.

use super::body::{BLOCK, FORMATTING};
use super::stack::{Scope, is_heading};
use super::{Builder, Code, Flow, Mode, Name, Span, Tag, Token};

impl Builder<'_> {
    pub(super) fn body_end(&mut self, tag: &Tag, token: &Token) -> Flow {
        match tag.name {
            Name::TEMPLATE => return self.in_head(token),
            Name::BODY | Name::HTML => return self.end_body(tag, token),
            Name::P => {
                if !self.in_scope(Name::P, Scope::Button) {
                    self.ignore_unexpected(token);
                    self.insert_implied(Name::P);
                }
                self.close_p();
            }
            Name::FORM => return self.end_form(token),
            Name::LI | Name::DD | Name::DT => {
                let scope = if tag.name == Name::LI { Scope::ListItem } else { Scope::Default };
                if !self.in_scope(tag.name, scope) {
                    return self.ignore_unexpected(token);
                }
                self.generate_implied_end_tags(Some(tag.name));
                self.pop_until(|name| name == tag.name);
            }
            name if is_heading(name) => {
                if !self.any_in_scope(is_heading, Scope::Default) {
                    return self.ignore_unexpected(token);
                }
                self.generate_implied_end_tags(None);
                self.pop_until(is_heading);
            }
            name if FORMATTING.contains(name) => self.run_adoption_agency(name, token),
            Name::APPLET | Name::MARQUEE | Name::OBJECT => {
                if !self.in_scope(tag.name, Scope::Default) {
                    return self.ignore_unexpected(token);
                }
                self.generate_implied_end_tags(None);
                self.pop_until(|name| name == tag.name);
                self.clear_formatting_to_marker();
            }
            Name::BR => {
                self.ignore_unexpected(token);
                self.reconstruct_formatting();
                self.insert_implied(Name::BR);
                self.pop();
                self.frameset_ok = false;
            }
            name if BLOCK.contains(name) || matches!(name, Name::BUTTON | Name::LISTING | Name::PRE) => {
                if !self.in_scope(name, Scope::Default) {
                    return self.ignore_unexpected(token);
                }
                self.generate_implied_end_tags(None);
                self.pop_until(|other| other == name);
            }
            name => self.any_other_end_tag(name, token),
        }
        Flow::Done
    }

    fn end_body(&mut self, tag: &Tag, token: &Token) -> Flow {
        if !self.in_scope(Name::BODY, Scope::Default) {
            return self.ignore_unexpected(token);
        }
        self.end_content();
        self.mode = Mode::AfterBody;
        if tag.name == Name::HTML {
            return Flow::Reprocess;
        }
        if let Some(body) = self.open.get(1).copied() {
            self.end_root(body, tag.span);
        }
        Flow::Done
    }

    /// Sets the end of the `html` or `body` element. The element stays on the stack, because content can follow its end
    /// tag.
    pub(super) fn end_root(&mut self, root: u32, close: Span) {
        if !self.node(root).implied {
            self.end_at(root, close);
        }
    }

    /// Sets the end of all elements that are still open in the body to the end of their content. They stay on the
    /// stack.
    fn end_content(&mut self) {
        for place in 1..self.open.len() {
            let id = self.open[place];
            let node = self.node(id);
            if !node.implied && !node.closed {
                let close = self.end_of_content(node.open);
                self.end_at(id, close);
            }
        }
    }

    fn end_form(&mut self, token: &Token) -> Flow {
        if self.template_is_open() {
            if !self.in_scope(Name::FORM, Scope::Default) {
                return self.ignore_unexpected(token);
            }
            self.generate_implied_end_tags(None);
            self.pop_until(|name| name == Name::FORM);
            return Flow::Done;
        }
        let Some(form) = self.form.take().filter(|form| self.open.contains(form)) else {
            return self.ignore_unexpected(token);
        };
        let above = self.open.iter().rev().take_while(|open| **open != form);
        if above.into_iter().any(|open| Scope::Default.ends_at(self.node(*open))) {
            return self.ignore_unexpected(token);
        }
        self.generate_implied_end_tags(None);
        if self.open.last() != Some(&form) {
            self.report(Code::Misnested, self.current_span);
        }
        self.remove_open(form);
        Flow::Done
    }

    pub(super) fn any_other_end_tag(&mut self, name: Name, token: &Token) {
        if self.may_be_open(name) {
            for place in (0..self.open.len()).rev() {
                let id = self.open[place];
                if self.is_html(id, name) {
                    self.generate_implied_end_tags(Some(name));
                    while self.open.len() > place {
                        self.pop();
                    }
                    return;
                }
                if self.is_special(id) {
                    break;
                }
            }
        }
        self.ignore_unexpected(token);
    }
}
