//! Values of text, attributes and elements, with references, CDATA sections and line ends decoded.

use std::borrow::Cow;

use super::{Id, Kind, Tree};
use crate::chars;

/// Returns the character that a reference (the text between `&` and `;`) stands for, or `None` if it is neither a
/// character reference nor a predefined entity.
pub(crate) fn referenced_char(reference: &str) -> Option<char> {
    match reference {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let digits = reference.strip_prefix('#')?;
            let (digits, radix) = digits.strip_prefix('x').map_or((digits, 10), |hex| (hex, 16));
            if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
                return None;
            }
            u32::from_str_radix(digits, radix).ok().and_then(char::from_u32)
        }
    }
}

/// Returns the name and the end of a reference. The text starts with the `&` of the reference.
pub(crate) fn parse_reference(text: &str) -> Option<(&str, usize)> {
    let end = text.bytes().take(128).position(|byte| byte == b';')?;
    Some((&text[1..end], end + 1))
}

/// Decodes the source of a text. References to entities without replacement text are removed.
pub(crate) fn decode_text(source: &str) -> Cow<'_, str> {
    if memchr::memchr3(b'&', b'<', b'\r', source.as_bytes()).is_none() {
        return Cow::Borrowed(source);
    }
    let mut value = String::with_capacity(source.len());
    append_text(&mut value, source);
    Cow::Owned(value)
}

/// Appends the decoded source of a text.
pub(crate) fn append_text(value: &mut String, mut source: &str) {
    while let Some(at) = memchr::memchr3(b'&', b'<', b'\r', source.as_bytes()) {
        value.push_str(&source[..at]);
        source = &source[at..];
        let length = match source.as_bytes()[0] {
            b'\r' => {
                value.push('\n');
                if source[1..].starts_with('\n') { 2 } else { 1 }
            }
            b'<' => append_cdata(value, source),
            _ => append_reference(value, source),
        };
        source = &source[length..];
    }
    value.push_str(source);
}

fn append_cdata(value: &mut String, source: &str) -> usize {
    let Some(inner) = source.strip_prefix("<![CDATA[") else {
        value.push('<'); // not well-formed, but kept as text
        return 1;
    };
    let inner = &inner[..inner.find("]]>").unwrap_or(inner.len())];
    value.push_str(&normalize_line_ends(inner));
    (inner.len() + 12).min(source.len())
}

fn append_reference(value: &mut String, source: &str) -> usize {
    match parse_reference(source) {
        Some((name, length)) if referenced_char(name).is_some() => {
            value.extend(referenced_char(name));
            length
        }
        Some((name, length)) if chars::is_name(name) => length,
        _ => {
            value.push('&');
            1
        }
    }
}

/// The text with `\n` as line ending.
pub(crate) fn normalize_line_ends(source: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\r', source.as_bytes()).is_none() {
        return Cow::Borrowed(source);
    }
    Cow::Owned(source.replace("\r\n", "\n").replace('\r', "\n"))
}

/// Decodes the source of an attribute without entity references.
pub(crate) fn decode_attribute(source: &str) -> Cow<'_, str> {
    if !source.bytes().any(|byte| matches!(byte, b'&' | b'\t' | b'\n' | b'\r')) {
        return Cow::Borrowed(source);
    }
    let mut value = String::with_capacity(source.len());
    append_attribute(&mut value, source, |_, _| {});
    Cow::Owned(value)
}

/// Appends the decoded source of an attribute. `entity` is called for each other entity and appends its replacement.
pub(crate) fn append_attribute(value: &mut String, source: &str, mut entity: impl FnMut(&mut String, &str)) {
    let mut rest = source;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'&' | b'\t' | b'\n' | b'\r')) {
        value.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = if !rest.starts_with('&') {
            value.push(' ');
            if rest.starts_with("\r\n") { 2 } else { 1 }
        } else {
            match parse_reference(rest) {
                Some((name, length)) if referenced_char(name).is_none() && chars::is_name(name) => {
                    entity(value, name);
                    length
                }
                _ => append_reference(value, rest),
            }
        };
        rest = &rest[length..];
    }
    value.push_str(rest);
}

/// Collapses white space between tokens to one space.
pub(crate) fn collapse_space(value: &str) -> String {
    value.split(' ').filter(|token| !token.is_empty()).collect::<Vec<_>>().join(" ")
}

impl Tree {
    /// Value of an attribute, text, comment or processing instruction.
    pub(crate) fn value<'t>(&'t self, text: &'t str, id: Id) -> Cow<'t, str> {
        if let Some(given) = self.explicit_value(id) {
            return Cow::Borrowed(&given.value);
        }
        let source = self.span(id).slice(text);
        match self.kind(id) {
            Kind::Attribute => decode_attribute(Tree::value_span(text, self.span(id)).slice(text)),
            Kind::Text => decode_text(source),
            Kind::Comment => normalize_line_ends(strip_delimiters(source, "<!--", "-->")),
            Kind::Instruction => {
                let inner = strip_delimiters(source, "<?", "?>");
                normalize_line_ends(inner[chars::name_end(inner, 0)..].trim_start_matches([' ', '\t', '\n', '\r']))
            }
            Kind::Document | Kind::Element => Cow::Borrowed(""),
        }
    }

    /// String-value of a node, as XPath defines it.
    pub(crate) fn string_value<'t>(&'t self, text: &'t str, id: Id) -> Cow<'t, str> {
        if !matches!(self.kind(id), Kind::Element | Kind::Document) {
            return self.value(text, id);
        }
        let mut texts = (id + 1..self.after(id)).filter(|node| self.kind(*node) == Kind::Text);
        let Some(first) = texts.next() else { return Cow::Borrowed("") };
        let mut value = self.value(text, first);
        for next in texts {
            value.to_mut().push_str(&self.value(text, next));
        }
        value
    }
}

/// Returns the text between two delimiters. Either delimiter may be missing.
pub(crate) fn strip_delimiters<'t>(source: &'t str, open: &str, close: &str) -> &'t str {
    let inner = source.strip_prefix(open).unwrap_or(source);
    inner.strip_suffix(close).unwrap_or(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_text() {
        assert_eq!(decode_text("plain"), "plain");
        assert_eq!(decode_text("a &lt; b&#x41;&#66;&nbsp;c"), "a < bABc");
        assert_eq!(decode_text("a<![CDATA[<&amp;\r\n]]>b\r\nc\rd"), "a<&amp;\nb\nc\nd");
        assert_eq!(decode_text("a & b <c"), "a & b <c");
        assert_eq!(decode_text("<![CDATA["), "");
    }

    #[test]
    fn decodes_attributes() {
        assert_eq!(decode_attribute("a\t\r\nb&#10;&quot;"), "a  b\n\"");
        assert_eq!(collapse_space("  a   b "), "a b");
    }
}
