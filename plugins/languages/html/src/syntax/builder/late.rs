//! Content after the body, and framesets.

use super::{Builder, Flow, Mode, Name, Token};

impl Builder<'_> {
    pub(super) fn after_body(&mut self, token: &Token) -> Flow {
        match token {
            Token::Text(span) => {
                let (blank, more) = self.take_leading_blank();
                if !blank.is_empty() {
                    let rest = std::mem::replace(&mut self.remaining_text, blank);
                    self.in_body(&Token::Text(*span));
                    self.remaining_text = rest;
                }
                if !more {
                    return Flow::Done;
                }
            }
            Token::Doctype(_) | Token::Comment(_) | Token::Eof => return self.at_end(token),
            Token::Start(tag) if tag.name == Name::HTML => return self.in_body(token),
            Token::End(tag) if tag.name == Name::HTML => {
                if let Some(html) = self.open.first().copied() {
                    self.end_root(html, tag.span);
                }
                self.mode = Mode::AfterAfterBody;
                return Flow::Done;
            }
            _ => {}
        }
        self.mode = Mode::InBody;
        Flow::Reprocess
    }

    /// Handles the end of the text. If templates are still open, they are closed first.
    fn at_end(&mut self, token: &Token) -> Flow {
        if matches!(token, Token::Eof) && !self.template_modes.is_empty() {
            self.in_template(token)
        } else {
            Flow::Done
        }
    }

    pub(super) fn in_frameset(&mut self, token: &Token) -> Flow {
        match token {
            Token::Text(_) => self.frameset_text(),
            Token::Doctype(_) | Token::Comment(_) | Token::Eof => {}
            Token::Start(tag) => match tag.name {
                Name::HTML => return self.in_body(token),
                Name::FRAMESET => {
                    self.insert(tag);
                }
                Name::FRAME => self.insert_void(tag),
                Name::NOFRAMES => return self.in_head(token),
                _ => return self.ignore_unexpected(token),
            },
            Token::End(tag) if tag.name == Name::FRAMESET && self.open.len() > 1 => {
                self.pop();
                if !self.current_is(&[Name::FRAMESET]) {
                    self.mode = Mode::AfterFrameset;
                }
            }
            Token::End(_) => return self.ignore_unexpected(token),
        }
        Flow::Done
    }

    /// Processes text in a frameset. Only its white space is kept.
    fn frameset_text(&mut self) {
        if self.remaining_text.slice(self.tokenizer.text).contains(super::decode::is_blank) {
            self.insert_text();
        }
    }

    pub(super) fn after_frameset(&mut self, token: &Token) -> Flow {
        match token {
            Token::Text(_) => self.frameset_text(),
            Token::Doctype(_) | Token::Comment(_) | Token::Eof => {}
            Token::Start(tag) if tag.name == Name::HTML => return self.in_body(token),
            Token::Start(tag) if tag.name == Name::NOFRAMES => return self.in_head(token),
            Token::End(tag) if tag.name == Name::HTML => {
                if let Some(html) = self.open.first().copied() {
                    self.end_root(html, tag.span);
                }
                self.mode = Mode::AfterAfterFrameset;
            }
            Token::Start(_) | Token::End(_) => return self.ignore_unexpected(token),
        }
        Flow::Done
    }

    pub(super) fn after_after_body(&mut self, token: &Token) -> Flow {
        match token {
            Token::End(_) => {}
            _ => return self.after_body(token),
        }
        self.mode = Mode::InBody;
        Flow::Reprocess
    }

    pub(super) fn after_after_frameset(&mut self, token: &Token) -> Flow {
        match token {
            Token::Text(_) => self.frameset_text(),
            Token::Doctype(_) | Token::Comment(_) | Token::Eof => {}
            Token::Start(tag) if tag.name == Name::HTML => return self.in_body(token),
            Token::Start(tag) if tag.name == Name::NOFRAMES => return self.in_head(token),
            Token::Start(_) | Token::End(_) => return self.ignore_unexpected(token),
        }
        Flow::Done
    }
}
