//! Document type declaration and its internal subset: finds the declarations and their ends.

use std::rc::Rc;

use super::{MAX_ENTITY_DEPTH, Parser, cursor::Cursor};
use crate::{chars, tree::dtd::Entity};

/// Result of parsing a declaration. The error is a message that applies to the position of the cursor.
pub(crate) type ParseResult<T = ()> = Result<T, String>;

/// An external identifier.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct ExternalId {
    /// True if the declaration has an external identifier.
    pub is_present: bool,
    /// Range of the system literal within its quotes.
    pub system: Option<(usize, usize)>,
}

impl Parser {
    /// Parses `<!DOCTYPE …>`. The cursor is at its `<`.
    pub(super) fn parse_doctype(&mut self, cursor: &mut Cursor<'_>) {
        let start = cursor.at;
        if self.doctype_seen || self.root_seen {
            self.report_error(
                cursor,
                start,
                start + 9,
                "the document type declaration is allowed only once, before the root element",
            );
        }
        self.doctype_seen = true;
        cursor.at += "<!DOCTYPE".len();
        if let Err(message) = self.parse_doctype_parts(cursor) {
            self.report_error(cursor, cursor.at, cursor.at + 1, message);
            cursor.at =
                memchr::memchr(b'>', cursor.rest().as_bytes()).map_or(cursor.text.len(), |at| cursor.at + at + 1);
        }
        self.tree.dtd.span.get_or_insert(cursor.span(start, cursor.at));
    }

    fn parse_doctype_parts(&mut self, cursor: &mut Cursor<'_>) -> ParseResult {
        expect_space(cursor)?;
        expect_name(cursor, "the name of the root element")?;
        let spaced = cursor.skip_space();
        let external = parse_external_id(cursor, true)?;
        if external.is_present && !spaced {
            return Err("expected white space after the name".to_owned());
        }
        self.tree.dtd.is_incomplete |= external.is_present;
        self.tree.dtd.system = external.system.map(|(start, end)| cursor.span(start, end));
        cursor.skip_space();
        if cursor.eat("[") {
            self.parse_subset(cursor);
            if !cursor.eat("]") {
                return Err(format!("expected `]` at the end of the declarations, not {}", cursor.describe_next()));
            }
            cursor.skip_space();
        }
        expect(cursor, ">")
    }

    /// Parses declarations up to `]` or the end of the text.
    pub(super) fn parse_subset(&mut self, cursor: &mut Cursor<'_>) {
        loop {
            cursor.skip_space();
            let start = cursor.at;
            let parsed = match cursor.peek() {
                0 if cursor.at_end() => return,
                b']' => return,
                b'%' => self.parse_parameter_reference(cursor),
                b'<' => self.parse_markup_declaration(cursor),
                _ => Err(format!("expected a declaration, not {}", cursor.describe_next())),
            };
            if let Err(message) = parsed {
                self.report_error(cursor, cursor.at, cursor.at + 1, message);
                // Continue after the declaration, or at the end of the internal subset.
                let next = memchr::memchr2(b'>', b']', cursor.rest().as_bytes());
                cursor.at = next.map_or(cursor.text.len(), |at| cursor.at + at);
                cursor.eat(">");
                if cursor.at == start {
                    return;
                }
            }
        }
    }

    fn parse_markup_declaration(&mut self, cursor: &mut Cursor<'_>) -> ParseResult {
        let rest = cursor.rest();
        if rest.starts_with("<!--") {
            self.parse_comment(cursor, false);
            return Ok(());
        }
        if rest.starts_with("<?") {
            self.parse_instruction_parts(cursor);
            return Ok(());
        }
        if rest.starts_with("<![") && cursor.origin.is_some() {
            return self.parse_conditional(cursor);
        }
        let start = cursor.at;
        let parse = [
            ("<!ELEMENT", Parser::parse_element_declaration as fn(&mut Parser, &mut Cursor<'_>, usize) -> ParseResult),
            ("<!ATTLIST", Parser::parse_attribute_list),
            ("<!ENTITY", Parser::parse_entity_declaration),
            ("<!NOTATION", Parser::parse_notation_declaration),
        ];
        let Some((keyword, parse)) = parse.into_iter().find(|(keyword, _)| rest.starts_with(keyword)) else {
            return Err("expected a declaration of an element, attributes, an entity or a notation".to_owned());
        };
        cursor.at += keyword.len();
        expect_space(cursor)?;
        parse(self, cursor, start)?;
        cursor.skip_space();
        expect(cursor, ">")
    }

    /// Parses `%name;` between declarations.
    fn parse_parameter_reference(&mut self, cursor: &mut Cursor<'_>) -> ParseResult {
        let start = cursor.at;
        cursor.at += 1;
        let name = cursor.read_name();
        if name.is_empty() {
            return Err("expected the name of a parameter entity after `%`".to_owned());
        }
        expect(cursor, ";")?;
        let known = self.tree.dtd.parameters.get(name).cloned();
        let was_open = std::mem::replace(&mut self.tree.dtd.is_incomplete, true);
        match known {
            Some(Entity::Internal(text)) => self.expand_parameter(cursor, start, name, &text),
            Some(_) => {
                self.tree.dtd.has_unread_entities = true;
                Ok(())
            }
            None if was_open && !self.standalone => Ok(()),
            None => {
                self.report_error(cursor, start, cursor.at, format!("the parameter entity `{name}` is not declared"));
                Ok(())
            }
        }
    }

    fn expand_parameter(&mut self, cursor: &Cursor<'_>, start: usize, name: &str, text: &Rc<str>) -> ParseResult {
        let key = format!("%{name}");
        if self.expanding.iter().any(|open| **open == *key) {
            return Err(format!("the parameter entity `{name}` refers to itself"));
        }
        if self.expanding.len() >= MAX_ENTITY_DEPTH {
            return Err(format!("entities are nested more than {MAX_ENTITY_DEPTH} levels deep"));
        }
        if !self.spend_allowance(cursor, start, text.len() + 16) {
            return Ok(());
        }
        self.expanding.push(key.into());
        let mut inner = Cursor::new(text, Some(cursor.span(start, cursor.at)));
        self.parse_subset(&mut inner);
        if !inner.at_end() {
            self.report_error(&inner, inner.at, inner.at + 1, "`]` among declarations");
        }
        self.expanding.pop();
        Ok(())
    }

    /// Parses `<![INCLUDE[…]]>` and `<![IGNORE[…]]>`. They are allowed only in parameter entities.
    fn parse_conditional(&mut self, cursor: &mut Cursor<'_>) -> ParseResult {
        cursor.at += "<![".len();
        cursor.skip_space();
        if cursor.eat("IGNORE") {
            cursor.skip_space();
            expect(cursor, "[")?;
            let mut depth = 1;
            while depth > 0 {
                let at =
                    memchr::memchr2(b'<', b']', cursor.rest().as_bytes()).ok_or("an ignored section has no `]]>`")?;
                cursor.at += at;
                if cursor.eat("<![") {
                    depth += 1;
                } else if cursor.eat("]]>") {
                    depth -= 1;
                } else {
                    cursor.at += 1;
                }
            }
            return Ok(());
        }
        if self.expanding.len() >= MAX_ENTITY_DEPTH {
            return Err(format!("sections are nested more than {MAX_ENTITY_DEPTH} levels deep"));
        }
        if !cursor.eat("INCLUDE") {
            return Err("expected `INCLUDE` or `IGNORE`".to_owned());
        }
        cursor.skip_space();
        expect(cursor, "[")?;
        self.expanding.push("INCLUDE".into());
        self.parse_subset(cursor);
        self.expanding.pop();
        expect(cursor, "]]>")
    }
}

/// Parses `SYSTEM "…"` or `PUBLIC "…" "…"` if it is next. If `needs_system` is false, `PUBLIC "…"` is also accepted.
pub(crate) fn parse_external_id(cursor: &mut Cursor<'_>, needs_system: bool) -> ParseResult<ExternalId> {
    let public = if cursor.eat("PUBLIC") {
        true
    } else if cursor.eat("SYSTEM") {
        false
    } else {
        return Ok(ExternalId::default());
    };
    expect_space(cursor)?;
    if public {
        let (start, end) = parse_literal(cursor)?;
        let allowed = |byte: u8| {
            matches!(byte, b' ' | b'\r' | b'\n')
                || byte.is_ascii_alphanumeric()
                || b"-'()+,./:=?;!*#@$_%".contains(&byte)
        };
        if let Some(wrong) = cursor.text[start..end].bytes().position(|byte| !allowed(byte)) {
            cursor.at = start + wrong;
            return Err(format!("a public identifier cannot contain {}", cursor.describe_next()));
        }
        let spaced = cursor.skip_space();
        if !matches!(cursor.peek(), b'"' | b'\'') && !needs_system {
            return Ok(ExternalId { is_present: true, system: None });
        }
        if !spaced {
            return Err("expected white space and a system identifier after the public identifier".to_owned());
        }
    }
    let system = parse_literal(cursor)?;
    Ok(ExternalId { is_present: true, system: Some(system) })
}

/// Parses a quoted literal; returns the range of its content.
pub(crate) fn parse_literal(cursor: &mut Cursor<'_>) -> ParseResult<(usize, usize)> {
    let quote = cursor.peek();
    if !matches!(quote, b'"' | b'\'') {
        return Err(format!("expected a quoted string, not {}", cursor.describe_next()));
    }
    let start = cursor.at + 1;
    let end =
        memchr::memchr(quote, &cursor.text.as_bytes()[start..]).ok_or("a quoted string has no closing quote")? + start;
    let forbidden = |at: &usize| !cursor.text[*at..].chars().next().is_some_and(chars::is_char);
    let mut doubtful = chars::find_byte(&cursor.text.as_bytes()[..end], start, &chars::SUSPECT_BYTES);
    while doubtful < end {
        if forbidden(&doubtful) {
            cursor.at = doubtful;
            return Err(format!("the character {} is not allowed", cursor.describe_next()));
        }
        doubtful = chars::find_byte(&cursor.text.as_bytes()[..end], doubtful + 1, &chars::SUSPECT_BYTES);
    }
    cursor.at = end + 1;
    Ok((start, end))
}

pub(crate) fn expect_space(cursor: &mut Cursor<'_>) -> ParseResult {
    if cursor.skip_space() { Ok(()) } else { Err(format!("expected white space, not {}", cursor.describe_next())) }
}

pub(crate) fn expect_name<'i>(cursor: &mut Cursor<'i>, what: &str) -> ParseResult<&'i str> {
    let name = cursor.read_name();
    if name.is_empty() { Err(format!("expected {what}, not {}", cursor.describe_next())) } else { Ok(name) }
}

pub(crate) fn expect(cursor: &mut Cursor<'_>, literal: &str) -> ParseResult {
    if cursor.eat(literal) { Ok(()) } else { Err(format!("expected `{literal}`, not {}", cursor.describe_next())) }
}
