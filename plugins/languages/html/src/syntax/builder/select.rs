//! `select` elements and templates.

use super::body::METADATA;
use super::stack::Scope;
use super::{Builder, Flow, Mode, Name, Token};

impl Builder<'_> {
    pub(super) fn in_select(&mut self, token: &Token) -> Flow {
        match token {
            Token::Text(_) => {
                if self.remaining_text.slice(self.tokenizer.text).bytes().any(|byte| byte != 0) {
                    self.insert_text();
                }
            }
            Token::Start(tag) => match tag.name {
                Name::HTML => return self.in_body(token),
                Name::OPTION | Name::OPTGROUP | Name::HR => {
                    if self.current_is(&[Name::OPTION]) {
                        self.pop();
                    }
                    if tag.name != Name::OPTION && self.current_is(&[Name::OPTGROUP]) {
                        self.pop();
                    }
                    self.insert(tag);
                    if tag.name == Name::HR {
                        self.pop_empty();
                    }
                }
                Name::SELECT | Name::INPUT | Name::KEYGEN | Name::TEXTAREA => {
                    self.ignore_unexpected(token);
                    if self.in_scope(Name::SELECT, Scope::Select) {
                        self.leave_select();
                        return if tag.name == Name::SELECT { Flow::Done } else { Flow::Reprocess };
                    }
                }
                Name::SCRIPT | Name::TEMPLATE => return self.in_head(token),
                _ => return self.ignore_unexpected(token),
            },
            Token::End(tag) => match tag.name {
                Name::OPTGROUP => {
                    let below = self.open.len().checked_sub(2).map(|place| self.open[place]);
                    if self.current_is(&[Name::OPTION]) && below.is_some_and(|node| self.is_html(node, Name::OPTGROUP))
                    {
                        self.pop();
                    }
                    if !self.current_is(&[Name::OPTGROUP]) {
                        return self.ignore_unexpected(token);
                    }
                    self.pop();
                }
                Name::OPTION if self.current_is(&[Name::OPTION]) => self.pop(),
                Name::SELECT if self.in_scope(Name::SELECT, Scope::Select) => self.leave_select(),
                Name::TEMPLATE => return self.in_head(token),
                _ => return self.ignore_unexpected(token),
            },
            Token::Eof => return self.in_body(token),
            Token::Doctype(_) | Token::Comment(_) => {}
        }
        Flow::Done
    }

    fn leave_select(&mut self) {
        self.pop_until(|name| name == Name::SELECT);
        self.reset_mode();
    }

    pub(super) fn in_select_in_table(&mut self, token: &Token) -> Flow {
        let (name, open) = match token {
            Token::Start(tag) => (tag.name, true),
            Token::End(tag) => (tag.name, self.in_scope(tag.name, Scope::Table)),
            _ => return self.in_select(token),
        };
        let of_table = matches!(
            name,
            Name::CAPTION | Name::TABLE | Name::TBODY | Name::TFOOT | Name::THEAD | Name::TR | Name::TD | Name::TH
        );
        if !of_table {
            return self.in_select(token);
        }
        if !open {
            return self.ignore_unexpected(token);
        }
        self.leave_select();
        Flow::Reprocess
    }

    pub(super) fn in_template(&mut self, token: &Token) -> Flow {
        let mode = match token {
            Token::Text(_) | Token::Comment(_) | Token::Doctype(_) => return self.in_body(token),
            Token::Start(tag) => match tag.name {
                name if METADATA.contains(name) => return self.in_head(token),
                Name::CAPTION | Name::COLGROUP | Name::TBODY | Name::TFOOT | Name::THEAD => Mode::InTable,
                Name::COL => Mode::InColumnGroup,
                Name::TR => Mode::InTableBody,
                Name::TD | Name::TH => Mode::InRow,
                _ => Mode::InBody,
            },
            Token::End(tag) if tag.name == Name::TEMPLATE => return self.in_head(token),
            Token::End(_) => return self.ignore_unexpected(token),
            Token::Eof => {
                if !self.template_is_open() {
                    return Flow::Done;
                }
                self.leave_template();
                return Flow::Reprocess;
            }
        };
        self.template_modes.pop();
        self.template_modes.push(mode);
        self.mode = mode;
        Flow::Reprocess
    }
}
