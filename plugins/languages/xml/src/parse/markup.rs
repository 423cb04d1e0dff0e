//! Comments, processing instructions, CDATA sections, and the XML declaration.

use super::{Parser, cursor::Cursor};
use crate::{chars, tree::Kind};

impl Parser {
    /// Parses markup that starts with `<!`.
    pub(super) fn parse_declaration(&mut self, cursor: &mut Cursor<'_>) {
        let start = cursor.at;
        if cursor.rest().starts_with("<!--") {
            self.parse_comment(cursor, true);
        } else if cursor.rest().starts_with("<![CDATA[") {
            self.parse_cdata_section(cursor);
        } else if cursor.rest().starts_with("<!DOCTYPE") && cursor.origin.is_none() && !self.fragment {
            self.flush_text(cursor);
            self.parse_doctype(cursor);
        } else {
            cursor.at += 2;
            self.report_error(cursor, start, cursor.at, "expected a comment or a CDATA section after `<!`");
            self.append_source(cursor, start, cursor.at);
        }
    }

    /// Parses a comment. If `node` is set, it becomes a node; comments in the DTD do not.
    pub(super) fn parse_comment(&mut self, cursor: &mut Cursor<'_>, node: bool) {
        let start = cursor.at;
        cursor.at += 4;
        let inner = cursor.at;
        let end = match cursor.find("--") {
            Some(dashes) if cursor.text[dashes + 2..].starts_with('>') => dashes,
            Some(dashes) => {
                let message =
                    if cursor.find("-->").is_some() { "`--` within a comment" } else { "a comment has no `-->`" };
                self.report_error(cursor, dashes, dashes + 2, message);
                cursor.find("-->").unwrap_or(cursor.text.len())
            }
            None => {
                self.report_error(cursor, start, inner, "a comment has no `-->`");
                cursor.text.len()
            }
        };
        cursor.at = (end + 3).min(cursor.text.len());
        self.check_characters(cursor, inner, end);
        if node {
            self.push_leaf(cursor, Kind::Comment, 0, start, (inner, end));
        }
    }

    fn push_leaf(&mut self, cursor: &Cursor<'_>, kind: Kind, name: u32, start: usize, inner: (usize, usize)) {
        self.flush_text(cursor);
        let id = self.push_node(kind, name, cursor.span(start, cursor.at));
        if cursor.origin.is_some() {
            self.tree.set_explicit_value(id, &cursor.text[inner.0..inner.1], true);
        }
    }

    /// Parses a processing instruction in content.
    pub(super) fn parse_instruction(&mut self, cursor: &mut Cursor<'_>) {
        let start = cursor.at;
        let (target, data) = self.parse_instruction_parts(cursor);
        let written = self.tree.names.intern(target);
        let name = self.tree.names.name(written, 0);
        self.push_leaf(cursor, Kind::Instruction, name, start, data);
    }

    /// Parses a processing instruction; returns its target and the range of its data.
    pub(super) fn parse_instruction_parts<'i>(&mut self, cursor: &mut Cursor<'i>) -> (&'i str, (usize, usize)) {
        let start = cursor.at;
        cursor.at += 2;
        let target = cursor.read_name();
        if target.is_empty() {
            let message = format!("expected the target of a processing instruction, not {}", cursor.describe_next());
            self.report_error(cursor, start, start + 2, message);
        } else if target.eq_ignore_ascii_case("xml") {
            self.report_error(cursor, start, cursor.at, "an XML declaration is allowed only at the very beginning");
        } else if target.contains(':') {
            self.report_error(cursor, start + 2, cursor.at, format!("a colon in the target `{target}`"));
        }
        let target_end = cursor.at;
        let spaced = cursor.skip_space();
        let inner = cursor.at;
        let end = cursor.find("?>").unwrap_or_else(|| {
            self.report_error(cursor, start, inner, "a processing instruction has no `?>`");
            cursor.text.len()
        });
        if !spaced && end != target_end && !target.is_empty() {
            let message =
                format!("expected white space or `?>` after the target `{target}`, not {}", cursor.describe_next());
            self.report_error(cursor, target_end, target_end + 1, message);
        }
        cursor.at = (end + 2).min(cursor.text.len());
        self.check_characters(cursor, inner.min(end), end);
        (target, (inner.min(end), end))
    }

    /// Parses a CDATA section, which is part of the surrounding text.
    fn parse_cdata_section(&mut self, cursor: &mut Cursor<'_>) {
        let start = cursor.at;
        cursor.at += "<![CDATA[".len();
        let inner = cursor.at;
        if self.open.is_empty() && !self.fragment {
            self.report_error(cursor, start, inner, "a CDATA section outside of the root element");
        }
        let end = cursor.find("]]>").unwrap_or_else(|| {
            self.report_error(cursor, start, inner, "a CDATA section has no `]]>`");
            cursor.text.len()
        });
        self.check_characters(cursor, inner, end);
        cursor.at = (end + 3).min(cursor.text.len());
        self.append_source(cursor, start, cursor.at);
    }

    /// Parses `<?xml version="1.0" …?>` if the document starts with it.
    pub(super) fn parse_xml_declaration(&mut self, cursor: &mut Cursor<'_>) {
        let start = cursor.at;
        let is_there = cursor.eat("<?xml") && (chars::is_space(cursor.peek()) || cursor.peek() == b'?');
        if !is_there {
            cursor.at = start;
            return;
        }
        let close = cursor.find("?>").unwrap_or(cursor.text.len());
        if let Err(message) = self.parse_xml_declaration_parts(cursor) {
            self.report_error(cursor, cursor.at.min(close), close, message);
        }
        cursor.at = (close + 2).min(cursor.text.len());
        self.check_characters(cursor, start, close);
        self.tree.xml_declaration = Some(cursor.span(start, cursor.at));
    }

    fn parse_xml_declaration_parts(&mut self, cursor: &mut Cursor<'_>) -> Result<(), String> {
        let version = parse_pseudo_attribute(cursor, "version")?
            .ok_or_else(|| "the XML declaration begins with `version=\"1.0\"`".to_owned())?;
        let digits = version.strip_prefix("1.").unwrap_or_default();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!("`{version}` is not an XML version"));
        }
        self.is_xml_1_1 = digits != "0";
        if let Some(encoding) = parse_pseudo_attribute(cursor, "encoding")? {
            let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
            if !encoding.starts_with(|c: char| c.is_ascii_alphabetic()) || !encoding.bytes().all(good) {
                return Err(format!("`{encoding}` is not the name of a character encoding"));
            }
        }
        match parse_pseudo_attribute(cursor, "standalone")? {
            Some("yes") => self.standalone = true,
            Some("no") | None => {}
            Some(other) => return Err(format!("`standalone` is `yes` or `no`, not `{other}`")),
        }
        cursor.skip_space();
        if cursor.eat("?>") { Ok(()) } else { Err(format!("expected `?>`, not {}", cursor.describe_next())) }
    }
}

/// Parses ` name="value"` in the XML declaration if it is next.
fn parse_pseudo_attribute<'i>(cursor: &mut Cursor<'i>, name: &str) -> Result<Option<&'i str>, String> {
    let before = cursor.at;
    let spaced = cursor.skip_space();
    if !cursor.eat(name) {
        cursor.at = before;
        return Ok(None);
    }
    if !spaced {
        return Err(format!("expected white space before `{name}`"));
    }
    cursor.skip_space();
    if !cursor.eat("=") {
        return Err(format!("expected `=` after `{name}`"));
    }
    cursor.skip_space();
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
