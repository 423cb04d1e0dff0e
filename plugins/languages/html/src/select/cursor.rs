//! CSS lexer: white space, identifiers, strings, escapes.

/// Position in the text of a selector.
#[derive(Debug)]
pub(super) struct Cursor<'s> {
    text: &'s str,
    pub(super) at: usize,
}

/// Returns whether the character is white space in CSS.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c')
}

fn is_newline(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\x0c')
}

fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || !c.is_ascii() || c == '\0'
}

fn continues_name(c: char) -> bool {
    starts_name(c) || c.is_ascii_digit() || c == '-'
}

impl<'s> Cursor<'s> {
    pub(super) fn new(text: &'s str) -> Cursor<'s> {
        Cursor { text, at: 0 }
    }

    pub(super) fn rest(&self) -> &'s str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Consumes the character if it is next.
    pub(super) fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    /// Consumes the closing bracket. At the end of the text, all brackets count as closed.
    pub(super) fn eat_closing(&mut self, bracket: char) -> bool {
        self.skip_blank();
        self.is_at_end() || self.eat(bracket)
    }

    /// Skips white space and comments; returns whether there was white space.
    pub(super) fn skip_blank(&mut self) -> bool {
        let mut blank = false;
        loop {
            let rest = self.rest();
            let spaces = rest.len() - rest.trim_start_matches(is_blank).len();
            blank |= spaces > 0;
            self.at += spaces;
            let Some(comment) = self.rest().strip_prefix("/*") else { return blank };
            self.at += 2 + comment.find("*/").map_or(comment.len(), |end| end + 2);
        }
    }

    fn is_escape(&self, at: usize) -> bool {
        let mut chars = self.text[at..].chars();
        chars.next() == Some('\\') && !chars.next().is_some_and(is_newline)
    }

    /// Returns whether an identifier starts at the current position.
    pub(super) fn at_identifier(&self) -> bool {
        let rest = self.rest();
        let (after_dash, at) = match rest.strip_prefix('-') {
            Some(after) => (after, self.at + 1),
            None => (rest, self.at),
        };
        let dashed = after_dash.len() < rest.len();
        match after_dash.chars().next() {
            Some('-') => dashed,
            Some('\\') => self.is_escape(at),
            Some(c) => starts_name(c),
            None => false,
        }
    }

    /// Reads an identifier and resolves its escapes.
    pub(super) fn identifier(&mut self) -> Option<String> {
        if self.at_identifier() { Some(self.name()) } else { None }
    }

    /// Reads the characters of a name and resolves its escapes. It does not check that the first character can start an
    /// identifier; see [`Self::at_identifier`].
    pub(super) fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.peek() {
            if continues_name(c) {
                self.bump();
                name.push(if c == '\0' { '\u{fffd}' } else { c });
            } else if self.is_escape(self.at) {
                self.bump();
                name.push(self.escape());
            } else {
                break;
            }
        }
        name
    }

    /// Reads an escape. The backslash has already been consumed.
    fn escape(&mut self) -> char {
        let digits: String = self.rest().chars().take(6).take_while(char::is_ascii_hexdigit).collect();
        if digits.is_empty() {
            return match self.bump() {
                None | Some('\0') => '\u{fffd}',
                Some(c) => c,
            };
        }
        self.at += digits.len();
        // One white space character after the digits belongs to the escape.
        if self.rest().starts_with("\r\n") {
            self.at += 2;
        } else if self.peek().is_some_and(is_blank) {
            self.bump();
        }
        let number = u32::from_str_radix(&digits, 16).unwrap_or(0);
        char::from_u32(number).filter(|c| *c != '\0').unwrap_or('\u{fffd}')
    }

    /// Reads a quoted string. `None` if no string starts at the current position, or if the string contains a line
    /// break.
    pub(super) fn string(&mut self) -> Option<String> {
        let quote = self.peek().filter(|c| matches!(c, '"' | '\''))?;
        self.bump();
        let mut value = String::new();
        while let Some(c) = self.bump() {
            match c {
                _ if c == quote => break,
                '\\' if self.rest().starts_with("\r\n") => self.at += 2,
                '\\' if self.peek().is_some_and(is_newline) => {
                    self.bump();
                }
                '\\' if self.is_at_end() => {}
                '\\' => value.push(self.escape()),
                _ if is_newline(c) => return None,
                '\0' => value.push('\u{fffd}'),
                _ => value.push(c),
            }
        }
        Some(value)
    }

    /// Reads digits as a number, limited to `i32::MAX`.
    pub(super) fn digits(&mut self) -> Option<i64> {
        let rest = self.rest();
        let len = rest.bytes().take_while(u8::is_ascii_digit).count();
        self.at += len;
        (len > 0).then(|| rest[..len].parse::<i64>().unwrap_or(i64::MAX).min(i64::from(i32::MAX)))
    }

    /// Consumes the word, ignoring case.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let start = self.at;
        if self.identifier().is_some_and(|found| found.eq_ignore_ascii_case(word)) {
            return true;
        }
        self.at = start;
        false
    }

    /// Skips to the next comma or closing parenthesis of the current list.
    pub(super) fn skip_item(&mut self) {
        let mut depth = Vec::new();
        while let Some(c) = self.peek() {
            match c {
                ',' | ')' if depth.is_empty() => return,
                '"' | '\'' => {
                    let before = self.at;
                    self.string();
                    debug_assert!(self.at > before, "reading a string must advance");
                    continue;
                }
                '\\' => {
                    self.bump();
                }
                '(' => depth.push(')'),
                '[' => depth.push(']'),
                '{' => depth.push('}'),
                _ if depth.last() == Some(&c) => {
                    depth.pop();
                }
                _ => {}
            }
            self.bump();
        }
    }
}
