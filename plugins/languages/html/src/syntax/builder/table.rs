//! Tables.

use super::stack::Scope;
use super::{Builder, Entry, Flow, Mode, Name, Namespace, Tag, Token, decode};

const TABLE: &[Name] = &[Name::TABLE, Name::TEMPLATE, Name::HTML];
const TABLE_BODY: &[Name] = &[Name::TBODY, Name::TFOOT, Name::THEAD, Name::TEMPLATE, Name::HTML];
const ROW: &[Name] = &[Name::TR, Name::TEMPLATE, Name::HTML];

fn is_section(name: Name) -> bool {
    matches!(name, Name::TBODY | Name::TFOOT | Name::THEAD)
}

fn is_cell(name: Name) -> bool {
    matches!(name, Name::TD | Name::TH)
}

impl Builder<'_> {
    pub(super) fn in_table(&mut self, token: &Token) -> Flow {
        const TEXT: &[Name] = &[Name::TABLE, Name::TBODY, Name::TEMPLATE, Name::TFOOT, Name::THEAD, Name::TR];
        match token {
            Token::Text(_) if self.current_is(TEXT) => {
                self.table_text.clear();
                self.original_mode = self.mode;
                self.mode = Mode::InTableText;
                Flow::Reprocess
            }
            Token::Start(tag) => self.table_start(tag, token),
            Token::End(tag) => match tag.name {
                Name::TABLE => {
                    if !self.in_scope(Name::TABLE, Scope::Table) {
                        return self.ignore_unexpected(token);
                    }
                    self.leave_table();
                    Flow::Done
                }
                Name::TEMPLATE => self.in_head(token),
                Name::BODY
                | Name::CAPTION
                | Name::COL
                | Name::COLGROUP
                | Name::HTML
                | Name::TBODY
                | Name::TD
                | Name::TFOOT
                | Name::TH
                | Name::THEAD
                | Name::TR => self.ignore_unexpected(token),
                _ => self.foster(token),
            },
            Token::Eof => self.in_body(token),
            Token::Doctype(_) | Token::Comment(_) => Flow::Done,
            Token::Text(_) => self.foster(token),
        }
    }

    fn leave_table(&mut self) {
        self.pop_until(|name| name == Name::TABLE);
        self.reset_mode();
    }

    fn table_start(&mut self, tag: &Tag, token: &Token) -> Flow {
        match tag.name {
            Name::CAPTION => {
                self.pop_back_to(TABLE);
                self.formatting.push(Entry::Marker);
                self.insert(tag);
                self.mode = Mode::InCaption;
            }
            Name::COLGROUP => {
                self.pop_back_to(TABLE);
                self.insert(tag);
                self.mode = Mode::InColumnGroup;
            }
            Name::COL => return self.imply_in_table(Name::COLGROUP, Mode::InColumnGroup),
            name if is_section(name) => {
                self.pop_back_to(TABLE);
                self.insert(tag);
                self.mode = Mode::InTableBody;
            }
            Name::TD | Name::TH | Name::TR => return self.imply_in_table(Name::TBODY, Mode::InTableBody),
            Name::TABLE => {
                self.ignore_unexpected(token);
                if self.in_scope(Name::TABLE, Scope::Table) {
                    self.leave_table();
                    return Flow::Reprocess;
                }
            }
            Name::STYLE | Name::SCRIPT | Name::TEMPLATE => return self.in_head(token),
            Name::INPUT
                if self.tag_attribute_value(tag, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("hidden")) =>
            {
                self.insert_void(tag);
            }
            Name::FORM if self.form.is_none() && !self.template_is_open() => {
                self.form = Some(self.insert(tag));
                self.pop_empty();
            }
            Name::FORM => return self.ignore_unexpected(token),
            _ => return self.foster(token),
        }
        Flow::Done
    }

    fn imply_in_table(&mut self, name: Name, mode: Mode) -> Flow {
        self.pop_back_to(TABLE);
        self.insert_implied(name);
        self.mode = mode;
        Flow::Reprocess
    }

    pub(super) fn in_table_text(&mut self, token: &Token) -> Flow {
        match token {
            Token::Text(_) => {
                self.table_text.push(self.remaining_text);
                Flow::Done
            }
            _ => self.flush_table_text(),
        }
    }

    /// Inserts the pending text of a table. White space is inserted into the table, any other text before it.
    pub(super) fn flush_table_text(&mut self) -> Flow {
        let texts = std::mem::take(&mut self.table_text);
        let blank = texts.iter().all(|span| {
            let text = span.slice(self.tokenizer.text).replace('\0', "");
            decode::leading_blank(&text) == text.len()
        });
        let (here, rest, closing) = (self.current_span, self.remaining_text, self.closing.take());
        for span in texts {
            (self.current_span, self.remaining_text) = (span, span);
            if blank {
                self.insert_text();
            } else {
                self.foster(&Token::Text(span));
            }
        }
        (self.current_span, self.remaining_text, self.closing) = (here, rest, closing);
        self.mode = self.original_mode;
        Flow::Reprocess
    }

    pub(super) fn in_caption(&mut self, token: &Token) -> Flow {
        let (own, table) = match token {
            Token::End(tag) => (tag.name == Name::CAPTION, tag.name == Name::TABLE),
            Token::Start(tag) => (false, is_table_part(tag.name)),
            _ => (false, false),
        };
        if own || table {
            if !self.in_scope(Name::CAPTION, Scope::Table) {
                return self.ignore_unexpected(token);
            }
            self.generate_implied_end_tags(None);
            self.pop_until(|name| name == Name::CAPTION);
            self.clear_formatting_to_marker();
            self.mode = Mode::InTable;
            return if own { Flow::Done } else { Flow::Reprocess };
        }
        match token {
            Token::End(tag) if is_table_part(tag.name) || matches!(tag.name, Name::BODY | Name::HTML) => {
                self.ignore_unexpected(token)
            }
            _ => self.in_body(token),
        }
    }

    pub(super) fn in_column_group(&mut self, token: &Token) -> Flow {
        match token {
            Token::Text(_) if !self.insert_leading_blank() => return Flow::Done,
            Token::Doctype(_) => return Flow::Done,
            Token::Start(tag) => match tag.name {
                Name::HTML => return self.in_body(token),
                Name::COL => {
                    self.insert_void(tag);
                    return Flow::Done;
                }
                Name::TEMPLATE => return self.in_head(token),
                _ => {}
            },
            Token::End(tag) => match tag.name {
                Name::COLGROUP if self.current_is(&[Name::COLGROUP]) => {
                    self.pop();
                    self.mode = Mode::InTable;
                    return Flow::Done;
                }
                Name::COLGROUP | Name::COL => return self.ignore_unexpected(token),
                Name::TEMPLATE => return self.in_head(token),
                _ => {}
            },
            Token::Eof => return self.in_body(token),
            _ => {}
        }
        if !self.current_is(&[Name::COLGROUP]) {
            return self.ignore_unexpected(token);
        }
        self.pop();
        self.mode = Mode::InTable;
        Flow::Reprocess
    }

    pub(super) fn in_table_body(&mut self, token: &Token) -> Flow {
        match token {
            Token::Start(tag) => match tag.name {
                Name::TR => {
                    self.pop_back_to(TABLE_BODY);
                    self.insert(tag);
                    self.mode = Mode::InRow;
                    Flow::Done
                }
                name if is_cell(name) => {
                    self.pop_back_to(TABLE_BODY);
                    self.insert_implied(Name::TR);
                    self.mode = Mode::InRow;
                    Flow::Reprocess
                }
                name if is_section(name) || matches!(name, Name::CAPTION | Name::COL | Name::COLGROUP) => {
                    self.leave_table_body(token)
                }
                _ => self.in_table(token),
            },
            Token::End(tag) => match tag.name {
                name if is_section(name) => {
                    if !self.in_scope(name, Scope::Table) {
                        return self.ignore_unexpected(token);
                    }
                    self.pop_back_to(TABLE_BODY);
                    self.pop();
                    self.mode = Mode::InTable;
                    Flow::Done
                }
                Name::TABLE => self.leave_table_body(token),
                Name::BODY
                | Name::CAPTION
                | Name::COL
                | Name::COLGROUP
                | Name::HTML
                | Name::TD
                | Name::TH
                | Name::TR => self.ignore_unexpected(token),
                _ => self.in_table(token),
            },
            _ => self.in_table(token),
        }
    }

    fn leave_table_body(&mut self, token: &Token) -> Flow {
        if !self.any_in_scope(is_section, Scope::Table) {
            return self.ignore_unexpected(token);
        }
        self.pop_back_to(TABLE_BODY);
        self.pop();
        self.mode = Mode::InTable;
        Flow::Reprocess
    }

    pub(super) fn in_row(&mut self, token: &Token) -> Flow {
        match token {
            Token::Start(tag) if is_cell(tag.name) => {
                self.pop_back_to(ROW);
                self.insert(tag);
                self.mode = Mode::InCell;
                self.formatting.push(Entry::Marker);
                Flow::Done
            }
            Token::Start(tag) if is_table_part(tag.name) => self.leave_row(token, Flow::Reprocess),
            Token::End(tag) => match tag.name {
                Name::TR => self.leave_row(token, Flow::Done),
                Name::TABLE => self.leave_row(token, Flow::Reprocess),
                name if is_section(name) => {
                    if !self.in_scope(name, Scope::Table) {
                        return self.ignore_unexpected(token);
                    }
                    self.leave_row(&Token::Eof, Flow::Reprocess)
                }
                Name::BODY | Name::CAPTION | Name::COL | Name::COLGROUP | Name::HTML | Name::TD | Name::TH => {
                    self.ignore_unexpected(token)
                }
                _ => self.in_table(token),
            },
            _ => self.in_table(token),
        }
    }

    fn leave_row(&mut self, token: &Token, flow: Flow) -> Flow {
        if !self.in_scope(Name::TR, Scope::Table) {
            return self.ignore_unexpected(token);
        }
        self.pop_back_to(ROW);
        self.pop();
        self.mode = Mode::InTableBody;
        flow
    }

    pub(super) fn in_cell(&mut self, token: &Token) -> Flow {
        match token {
            Token::End(tag) if is_cell(tag.name) => {
                if !self.in_scope(tag.name, Scope::Table) {
                    return self.ignore_unexpected(token);
                }
                self.generate_implied_end_tags(None);
                self.pop_until(|name| name == tag.name);
                self.clear_formatting_to_marker();
                self.mode = Mode::InRow;
                Flow::Done
            }
            Token::Start(tag) if is_table_part(tag.name) => {
                if !self.any_in_scope(is_cell, Scope::Table) {
                    return self.ignore_unexpected(token);
                }
                self.close_cell()
            }
            Token::End(tag) => match tag.name {
                Name::BODY | Name::CAPTION | Name::COL | Name::COLGROUP | Name::HTML => self.ignore_unexpected(token),
                name if name == Name::TABLE || name == Name::TR || is_section(name) => {
                    if !self.in_scope(name, Scope::Table) {
                        return self.ignore_unexpected(token);
                    }
                    self.close_cell()
                }
                _ => self.in_body(token),
            },
            _ => self.in_body(token),
        }
    }

    fn close_cell(&mut self) -> Flow {
        self.generate_implied_end_tags(None);
        self.pop_until(is_cell);
        self.clear_formatting_to_marker();
        self.mode = Mode::InRow;
        Flow::Reprocess
    }

    /// Sets the insertion mode for the open elements.
    pub(super) fn reset_mode(&mut self) {
        for place in (0..self.open.len()).rev() {
            let node = self.node(self.open[place]);
            if node.namespace != Namespace::HTML {
                continue;
            }
            self.mode = match node.name {
                Name::SELECT if self.in_table_above(place) => Mode::InSelectInTable,
                Name::SELECT => Mode::InSelect,
                Name::TD | Name::TH if place > 0 => Mode::InCell,
                Name::TR => Mode::InRow,
                Name::TBODY | Name::THEAD | Name::TFOOT => Mode::InTableBody,
                Name::CAPTION => Mode::InCaption,
                Name::COLGROUP => Mode::InColumnGroup,
                Name::TABLE => Mode::InTable,
                Name::TEMPLATE => self.template_modes.last().copied().unwrap_or(Mode::InBody),
                Name::HEAD if place > 0 => Mode::InHead,
                Name::BODY => Mode::InBody,
                Name::FRAMESET => Mode::InFrameset,
                Name::HTML if self.head.is_none() => Mode::BeforeHead,
                Name::HTML => Mode::AfterHead,
                _ => continue,
            };
            return;
        }
        self.mode = Mode::InBody;
    }

    fn in_table_above(&self, place: usize) -> bool {
        let above = self.open[..place].iter().rev().take_while(|node| !self.is_html(**node, Name::TEMPLATE));
        above.into_iter().any(|node| self.is_html(*node, Name::TABLE))
    }
}

/// Returns whether a start tag with this name ends an open cell, row or caption.
fn is_table_part(name: Name) -> bool {
    is_section(name) || is_cell(name) || matches!(name, Name::CAPTION | Name::COL | Name::COLGROUP | Name::TR)
}
