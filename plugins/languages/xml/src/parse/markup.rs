//! Comments, processing instructions, CDATA sections, and the XML declaration.

use super::{Parser, cursor::Cursor};
use crate::{chars, tree::Kind};

impl Parser {
    /// Parses markup that starts with `<!`.
    pub(super) fn declaration(&mut self, cursor: &mut Cursor<'_>) {
        let start = cursor.at;
        if cursor.rest().starts_with("<!--") {
            self.comment(cursor, true);
        } else if cursor.rest().starts_with("<![CDATA[") {
            self.section(cursor);
        } else if cursor.rest().starts_with("<!DOCTYPE") && cursor.origin.is_none() && !self.fragment {
            self.flush(cursor);
            self.doctype(cursor);
        } else {
            cursor.at += 2;
            self.problem(cursor, start, cursor.at, "expected a comment or a CDATA section after `<!`");
            self.extend_text(cursor, start, cursor.at);
        }
    }

    /// Parses a comment. If `node` is set, it becomes a node; comments in the DTD do not.
    pub(super) fn comment(&mut self, cursor: &mut Cursor<'_>, node: bool) {
        let start = cursor.at;
        cursor.at += 4;
        let inner = cursor.at;
        let end = match cursor.find("--") {
            Some(dashes) if cursor.text[dashes + 2..].starts_with('>') => dashes,
            Some(dashes) => {
                let message =
                    if cursor.find("-->").is_some() { "`--` within a comment" } else { "a comment has no `-->`" };
                self.problem(cursor, dashes, dashes + 2, message);
                cursor.find("-->").unwrap_or(cursor.text.len())
            }
            None => {
                self.problem(cursor, start, inner, "a comment has no `-->`");
                cursor.text.len()
            }
        };
        cursor.at = (end + 3).min(cursor.text.len());
        self.check_characters(cursor, inner, end);
        if node {
            self.leaf(cursor, Kind::Comment, 0, start, (inner, end));
        }
    }

    fn leaf(&mut self, cursor: &Cursor<'_>, kind: Kind, name: u32, start: usize, inner: (usize, usize)) {
        self.flush(cursor);
        let id = self.add(kind, name, cursor.span(start, cursor.at));
        if cursor.origin.is_some() {
            self.tree.give(id, &cursor.text[inner.0..inner.1], true);
        }
    }

    /// Parses a processing instruction in content.
    pub(super) fn instruction(&mut self, cursor: &mut Cursor<'_>) {
        let start = cursor.at;
        let (target, data) = self.instruction_parts(cursor);
        let written = self.tree.names.write(target);
        let name = self.tree.names.name(written, 0);
        self.leaf(cursor, Kind::Instruction, name, start, data);
    }

    /// Parses a processing instruction; returns its target and the range of its data.
    pub(super) fn instruction_parts<'i>(&mut self, cursor: &mut Cursor<'i>) -> (&'i str, (usize, usize)) {
        let start = cursor.at;
        cursor.at += 2;
        let target = cursor.name();
        if target.is_empty() {
            let message = format!("expected the target of a processing instruction, not {}", cursor.found());
            self.problem(cursor, start, start + 2, message);
        } else if target.eq_ignore_ascii_case("xml") {
            self.problem(cursor, start, cursor.at, "an XML declaration is allowed only at the very beginning");
        } else if target.contains(':') {
            self.problem(cursor, start + 2, cursor.at, format!("a colon in the target `{target}`"));
        }
        let target_end = cursor.at;
        let spaced = cursor.space();
        let inner = cursor.at;
        let end = cursor.find("?>").unwrap_or_else(|| {
            self.problem(cursor, start, inner, "a processing instruction has no `?>`");
            cursor.text.len()
        });
        if !spaced && end != target_end && !target.is_empty() {
            let message = format!("expected white space or `?>` after the target `{target}`, not {}", cursor.found());
            self.problem(cursor, target_end, target_end + 1, message);
        }
        cursor.at = (end + 2).min(cursor.text.len());
        self.check_characters(cursor, inner.min(end), end);
        (target, (inner.min(end), end))
    }

    /// Parses a CDATA section, which is part of the surrounding text.
    fn section(&mut self, cursor: &mut Cursor<'_>) {
        let start = cursor.at;
        cursor.at += "<![CDATA[".len();
        let inner = cursor.at;
        if self.open.is_empty() && !self.fragment {
            self.problem(cursor, start, inner, "a CDATA section outside of the root element");
        }
        let end = cursor.find("]]>").unwrap_or_else(|| {
            self.problem(cursor, start, inner, "a CDATA section has no `]]>`");
            cursor.text.len()
        });
        self.check_characters(cursor, inner, end);
        cursor.at = (end + 3).min(cursor.text.len());
        self.extend_text(cursor, start, cursor.at);
    }

    /// Parses `<?xml version="1.0" …?>` if the document starts with it.
    pub(super) fn xml_declaration(&mut self, cursor: &mut Cursor<'_>) {
        let start = cursor.at;
        let is_there = cursor.eat("<?xml") && (chars::is_space(cursor.peek()) || cursor.peek() == b'?');
        if !is_there {
            cursor.at = start;
            return;
        }
        let close = cursor.find("?>").unwrap_or(cursor.text.len());
        if let Err(message) = self.declaration_parts(cursor) {
            self.problem(cursor, cursor.at.min(close), close, message);
        }
        cursor.at = (close + 2).min(cursor.text.len());
        self.check_characters(cursor, start, close);
        self.tree.xml_declaration = Some(cursor.span(start, cursor.at));
    }

    fn declaration_parts(&mut self, cursor: &mut Cursor<'_>) -> Result<(), String> {
        let version = pseudo_attribute(cursor, "version")?
            .ok_or_else(|| "the XML declaration begins with `version=\"1.0\"`".to_owned())?;
        let digits = version.strip_prefix("1.").unwrap_or_default();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!("`{version}` is not an XML version"));
        }
        self.newer = digits != "0";
        if let Some(encoding) = pseudo_attribute(cursor, "encoding")? {
            let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
            if !encoding.starts_with(|c: char| c.is_ascii_alphabetic()) || !encoding.bytes().all(good) {
                return Err(format!("`{encoding}` is not the name of a character encoding"));
            }
        }
        match pseudo_attribute(cursor, "standalone")? {
            Some("yes") => self.standalone = true,
            Some("no") | None => {}
            Some(other) => return Err(format!("`standalone` is `yes` or `no`, not `{other}`")),
        }
        cursor.space();
        if cursor.eat("?>") { Ok(()) } else { Err(format!("expected `?>`, not {}", cursor.found())) }
    }
}

/// Parses ` name="value"` in the XML declaration if it is next.
fn pseudo_attribute<'i>(cursor: &mut Cursor<'i>, name: &str) -> Result<Option<&'i str>, String> {
    let before = cursor.at;
    let spaced = cursor.space();
    if !cursor.eat(name) {
        cursor.at = before;
        return Ok(None);
    }
    if !spaced {
        return Err(format!("expected white space before `{name}`"));
    }
    cursor.space();
    if !cursor.eat("=") {
        return Err(format!("expected `=` behind `{name}`"));
    }
    cursor.space();
    let quote = match cursor.peek() {
        b'"' => "\"",
        b'\'' => "'",
        _ => return Err(format!("the value of `{name}` is not in quotes")),
    };
    cursor.at += 1;
    let start = cursor.at;
    let end = cursor.find(quote).ok_or_else(|| format!("the value of `{name}` has no closing quote"))?;
    cursor.at = end + 1;
    Ok(Some(&cursor.text[start..end]))
}
