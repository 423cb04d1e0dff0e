//! Tags of a template: their names and attributes.

use std::ops::Range;

/// An attribute, with the places of its name and its value without quotes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Attribute {
    pub(super) name: Range<usize>,
    pub(super) value: Option<Range<usize>>,
    /// The value is between quotes.
    pub(super) is_quoted: bool,
}

/// A tag that opens an element.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tag {
    pub(super) name: Range<usize>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) closes_itself: bool,
    /// The offset after the tag.
    pub(super) end: usize,
}

/// Elements without content.
const VOID: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

impl Tag {
    /// Returns whether the element has no content.
    pub(super) fn is_empty(&self, text: &str) -> bool {
        self.closes_itself || VOID.contains(&&text[self.name.clone()])
    }
}

/// Returns the range of the name of a tag that starts at an offset.
pub(super) fn tag_name(text: &str, start: usize, end: usize) -> Range<usize> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '.' | ':');
    let length = text[start..end].find(|c: char| !is_part(c)).unwrap_or(end - start);
    start..start + length
}

/// Reads the tag whose `<` is at an offset. Values may be code in braces, as Svelte and Astro have them, if `braces` is
/// set. `None` if the tag does not end.
pub(super) fn read_tag(text: &str, part: Range<usize>, braces: bool) -> Option<Tag> {
    let name = tag_name(text, part.start + 1, part.end);
    let mut tag = Tag { name: name.clone(), attributes: Vec::new(), closes_itself: false, end: name.end };
    let mut at = name.end;
    loop {
        at += text[at..part.end].len() - text[at..part.end].trim_start().len();
        let rest = &text[at..part.end];
        match rest.as_bytes().first()? {
            b'>' => {
                tag.end = at + 1;
                return Some(tag);
            }
            b'/' => {
                tag.closes_itself = rest[1..].starts_with('>');
                at += 1;
            }
            b'{' if braces => {
                let end = at + closing_brace(rest)?;
                tag.attributes.push(Attribute { name: at..end, value: None, is_quoted: false });
                at = end;
            }
            _ => {
                let (attribute, end) = read_attribute(text, at..part.end, braces)?;
                tag.attributes.push(attribute);
                at = end;
            }
        }
    }
}

fn read_attribute(text: &str, part: Range<usize>, braces: bool) -> Option<(Attribute, usize)> {
    let rest = &text[part.clone()];
    let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '=' | '>');
    let mut length = rest.find(is_end).unwrap_or(rest.len());
    if rest[..length].ends_with('/') && rest[length..].starts_with('>') {
        length -= 1;
    }
    let length = length.max(rest.chars().next().map_or(1, char::len_utf8));
    let name = part.start..part.start + length;
    let spaces = text[name.end..part.end].len() - text[name.end..part.end].trim_start().len();
    let Some(value) = text[name.end + spaces..part.end].strip_prefix('=') else {
        return Some((Attribute { name: name.clone(), value: None, is_quoted: false }, name.end));
    };
    let start = part.end - value.trim_start().len();
    let value = &text[start..part.end];
    if let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let inner = start + 1..start + 1 + value[1..].find(quote)?;
        return Some((Attribute { name, value: Some(inner.clone()), is_quoted: true }, inner.end + 1));
    }
    let length = match value.bytes().next().filter(|_| braces) {
        Some(b'{') => closing_brace(value)?,
        Some(b'`') => closing_quote(&value.as_bytes()[1..], b'`')? + 2,
        _ => value.find(|c: char| c.is_ascii_whitespace() || c == '>').unwrap_or(value.len()),
    };
    Some((Attribute { name, value: Some(start..start + length), is_quoted: false }, start + length))
}

/// Returns the length of the text up to the brace that closes the first one. Skips strings, comments and templates.
pub(super) fn closing_brace(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    // Braces of code, and the templates that contain code: `${`.
    let mut open: Vec<u8> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let in_template = open.last() == Some(&b'`');
        match bytes[at] {
            b'\\' => at += 1,
            b'`' if in_template => {
                open.pop();
            }
            b'$' if in_template && bytes.get(at + 1) == Some(&b'{') => {
                open.push(b'{');
                at += 1;
            }
            _ if in_template => {}
            b'`' => open.push(b'`'),
            quote @ (b'"' | b'\'') => at += closing_quote(&bytes[at + 1..], quote)? + 1,
            b'/' if text[at..].starts_with("/*") => at += text[at + 2..].find("*/")? + 3,
            b'{' => open.push(b'{'),
            b'}' => {
                open.pop();
                if open.is_empty() {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the offset of the quote that ends a string.
fn closing_quote(text: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'\\' => at += 2,
            byte if *byte == quote => return Some(at),
            _ => at += 1,
        }
    }
}

/// Returns the name of a component or a member for a name with dashes: `userName` for `user-name`.
pub(crate) fn camel_case(name: &str) -> String {
    let mut camel = String::new();
    let mut is_start = false;
    for c in name.chars() {
        match c {
            '-' => is_start = !camel.is_empty(),
            c if is_start => {
                camel.extend(c.to_uppercase());
                is_start = false;
            }
            c => camel.push(c),
        }
    }
    camel
}

/// Returns the name of a component for a tag: `BaseCard` for `base-card`.
pub(crate) fn pascal_case(name: &str) -> String {
    let camel = camel_case(name);
    let mut chars = camel.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Returns whether a text is an identifier.
pub(super) fn is_name(text: &str) -> bool {
    oxc_syntax::identifier::is_identifier_name(text)
}
