//! Processes the start of a document up to the body: doctype, `html` and `head`.

use super::body::METADATA;
use super::quirks::wants_quirks;
use super::{Builder, Code, Content, Entry, Flow, Mode, Name, Tag, Token};

/// Returns whether an end tag is not ignored before the body. It creates the missing `html` and `head` elements
/// instead, as any other content does.
fn implies_start(tag: &Tag) -> bool {
    matches!(tag.name, Name::HEAD | Name::BODY | Name::HTML | Name::BR)
}

impl Builder<'_> {
    pub(super) fn initial(&mut self, token: &Token) -> Flow {
        match token {
            Token::Text(_) if !self.take_leading_blank().1 => return Flow::Done,
            Token::Doctype(doctype) => {
                self.quirks = wants_quirks(doctype);
                self.doctype = Some(doctype.clone());
                self.mode = Mode::BeforeHtml;
                return Flow::Done;
            }
            _ => {}
        }
        if !self.tokenizer.text.trim().is_empty() {
            let start = marquetry_sdk::Span { start: self.current_span.start, end: self.current_span.start };
            self.report(Code::MissingDoctype, start);
        }
        self.quirks = true;
        self.mode = Mode::BeforeHtml;
        Flow::Reprocess
    }

    pub(super) fn before_html(&mut self, token: &Token) -> Flow {
        match token {
            Token::Doctype(_) => return Flow::Done,
            Token::Text(_) if !self.take_leading_blank().1 => return Flow::Done,
            Token::Start(tag) if tag.name == Name::HTML => {
                self.insert(tag);
                self.mode = Mode::BeforeHead;
                return Flow::Done;
            }
            Token::End(tag) if !implies_start(tag) => return self.ignore_unexpected(token),
            _ => {}
        }
        self.insert_implied(Name::HTML);
        self.mode = Mode::BeforeHead;
        Flow::Reprocess
    }

    pub(super) fn before_head(&mut self, token: &Token) -> Flow {
        match token {
            Token::Doctype(_) => return Flow::Done,
            Token::Text(_) if !self.take_leading_blank().1 => return Flow::Done,
            Token::Start(tag) if tag.name == Name::HTML => return self.in_body(token),
            Token::Start(tag) if tag.name == Name::HEAD => {
                self.head = Some(self.insert(tag));
                self.mode = Mode::InHead;
                return Flow::Done;
            }
            Token::End(tag) if !implies_start(tag) => return self.ignore_unexpected(token),
            _ => {}
        }
        self.head = Some(self.insert_implied(Name::HEAD));
        self.mode = Mode::InHead;
        Flow::Reprocess
    }

    pub(super) fn in_head(&mut self, token: &Token) -> Flow {
        match token {
            Token::Doctype(_) => return Flow::Done,
            Token::Text(_) if !self.insert_leading_blank() => return Flow::Done,
            Token::Start(tag) => match tag.name {
                Name::HTML => return self.in_body(token),
                Name::BASE | Name::BASEFONT | Name::BGSOUND | Name::LINK | Name::META => {
                    self.insert_void(tag);
                    return Flow::Done;
                }
                Name::TITLE | Name::NOFRAMES | Name::STYLE => return self.insert_raw(tag, Content::Raw),
                Name::SCRIPT => return self.insert_raw(tag, Content::Script),
                Name::NOSCRIPT => {
                    self.insert(tag);
                    self.mode = Mode::InHeadNoscript;
                    return Flow::Done;
                }
                Name::TEMPLATE => {
                    self.insert(tag);
                    self.formatting.push(Entry::Marker);
                    self.frameset_ok = false;
                    self.mode = Mode::InTemplate;
                    self.template_modes.push(Mode::InTemplate);
                    return Flow::Done;
                }
                Name::HEAD => return self.ignore_unexpected(token),
                _ => {}
            },
            Token::End(tag) => match tag.name {
                Name::HEAD => {
                    self.pop();
                    self.mode = Mode::AfterHead;
                    return Flow::Done;
                }
                Name::TEMPLATE => return self.end_template(token),
                Name::BODY | Name::HTML | Name::BR => {}
                _ => return self.ignore_unexpected(token),
            },
            _ => {}
        }
        self.pop();
        self.mode = Mode::AfterHead;
        Flow::Reprocess
    }

    fn end_template(&mut self, token: &Token) -> Flow {
        if !self.template_is_open() {
            return self.ignore_unexpected(token);
        }
        self.generate_all_implied_end_tags();
        self.leave_template();
        Flow::Done
    }

    pub(super) fn leave_template(&mut self) {
        self.pop_until(|name| name == Name::TEMPLATE);
        self.clear_formatting_to_marker();
        self.template_modes.pop();
        self.reset_mode();
    }

    pub(super) fn in_head_noscript(&mut self, token: &Token) -> Flow {
        match token {
            Token::Doctype(_) => return Flow::Done,
            Token::Text(_) if !self.insert_leading_blank() => return Flow::Done,
            Token::Start(tag) => match tag.name {
                Name::HTML => return self.in_body(token),
                Name::BASEFONT | Name::BGSOUND | Name::LINK | Name::META | Name::NOFRAMES | Name::STYLE => {
                    return self.in_head(token);
                }
                Name::HEAD | Name::NOSCRIPT => return self.ignore_unexpected(token),
                _ => {}
            },
            Token::End(tag) if tag.name == Name::NOSCRIPT => {
                self.pop();
                self.mode = Mode::InHead;
                return Flow::Done;
            }
            Token::End(tag) if tag.name != Name::BR => return self.ignore_unexpected(token),
            _ => {}
        }
        self.pop();
        self.mode = Mode::InHead;
        Flow::Reprocess
    }

    pub(super) fn after_head(&mut self, token: &Token) -> Flow {
        match token {
            Token::Doctype(_) => return Flow::Done,
            Token::Text(_) if !self.insert_leading_blank() => return Flow::Done,
            Token::Start(tag) => match tag.name {
                Name::HTML => return self.in_body(token),
                Name::BODY => {
                    self.insert(tag);
                    self.frameset_ok = false;
                    self.mode = Mode::InBody;
                    return Flow::Done;
                }
                Name::FRAMESET => {
                    self.insert(tag);
                    self.mode = Mode::InFrameset;
                    return Flow::Done;
                }
                name if METADATA.contains(name) => return self.late_head(token),
                Name::HEAD => return self.ignore_unexpected(token),
                _ => {}
            },
            Token::End(tag) => match tag.name {
                Name::TEMPLATE => return self.in_head(token),
                Name::BODY | Name::HTML | Name::BR => {}
                _ => return self.ignore_unexpected(token),
            },
            _ => {}
        }
        self.insert_implied(Name::BODY);
        self.mode = Mode::InBody;
        Flow::Reprocess
    }

    /// Processes an element of the head that is between the head and the body. It becomes a child of the head.
    fn late_head(&mut self, token: &Token) -> Flow {
        let Some(head) = self.head else { return Flow::Done };
        self.push(head);
        let flow = self.in_head(token);
        if let Some(place) = self.open.iter().rposition(|open| *open == head) {
            self.open.remove(place);
            let name = self.node(head).name.0 as usize;
            self.open_names[name] -= 1;
        }
        flow
    }
}
