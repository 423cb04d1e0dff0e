//! Tags of JSX and HTML: their names and attributes.

use std::ops::Range;

/// Returns whether the tag has the form `</name>`.
pub(crate) fn is_closing(tag: &str) -> bool {
    tag.strip_prefix('<').is_some_and(|rest| rest.trim_start().starts_with('/'))
}

/// Returns whether the tag has the form `<name />`.
pub(crate) fn is_self_closing(tag: &str) -> bool {
    tag.strip_suffix('>').is_some_and(|rest| rest.trim_end().ends_with('/'))
}

/// Returns the name of a tag, without white space around `.` and `:`. The name of a fragment (`<>`) is empty.
pub(crate) fn tag_name(tag: &str) -> String {
    let mut name = String::new();
    let mut rest = tag.trim_start_matches(['<', '/']).trim_start().trim_start_matches('/').trim_start();
    loop {
        let part = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '$'))).unwrap_or(rest.len());
        name.push_str(&rest[..part]);
        rest = rest[part..].trim_start();
        match rest.chars().next() {
            Some(joint @ ('.' | ':')) => name.push(joint),
            _ => return name,
        }
        rest = rest[1..].trim_start();
    }
}

/// An attribute with a text value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attribute<'t> {
    pub(crate) name: &'t str,
    /// Range of the value, without its quotes.
    pub(crate) value: Range<usize>,
    /// Range of the attribute: its name, its value with the quotes, and the white space before it.
    pub(crate) whole: Range<usize>,
    /// Range of the tag that contains the attribute.
    pub(crate) tag: Range<usize>,
}

/// Returns the attributes of the tags in a piece of HTML or JSX.
pub(crate) fn attributes(html: &str) -> Vec<Attribute<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = memchr::memchr(b'<', &html.as_bytes()[at..]) {
        let start = at + open;
        if html[start..].starts_with("<!--") {
            at = html[start..].find("-->").map_or(html.len(), |end| start + end);
            continue;
        }
        at = start + 1;
        if html[at..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            at = tag_attributes(html, start, &mut found);
        }
    }
    found
}

/// Collects the attributes of the tag at `start`; returns its end.
fn tag_attributes<'t>(html: &'t str, start: usize, found: &mut Vec<Attribute<'t>>) -> usize {
    let skip = |at: usize, inside: fn(char) -> bool| html.len() - html[at..].trim_start_matches(inside).len();
    let is_name = |c: char| !(c.is_whitespace() || matches!(c, '=' | '>' | '/' | '"' | '\'' | '<' | '{'));
    let first = found.len();
    let mut at = skip(start + 1, is_name);
    loop {
        let before = at;
        let name = skip(at, |c| c.is_whitespace() || c == '/');
        at = skip(name, is_name);
        if at == name {
            // The tag ends here, or the next text is not an attribute, such as `{...x}`.
            match html[at..].chars().next() {
                Some('>') => break,
                Some('{') => at = braces_end(html, at),
                Some('<') | None => break,
                Some(other) => at += other.len_utf8(),
            }
            continue;
        }
        let name = &html[name..at];
        let equals = skip(at, char::is_whitespace);
        if !html[equals..].starts_with('=') {
            continue;
        }
        let value = skip(equals + 1, char::is_whitespace);
        let quote = html[value..].chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, end) = match quote {
            Some(quote) => {
                let Some(length) = html[value + 1..].find(quote) else { return html.len() };
                (value + 1..value + 1 + length, value + length + 2)
            }
            None if html[value..].starts_with('{') => {
                at = braces_end(html, value);
                continue;
            }
            None => {
                let end = skip(value, |c| !c.is_whitespace() && c != '>');
                (value..end, end)
            }
        };
        at = end;
        found.push(Attribute { name, value, whole: before..end, tag: start..end });
    }
    let end = (at + 1).min(html.len());
    for attribute in &mut found[first..] {
        attribute.tag.end = html.floor_char_boundary(end);
    }
    at
}

/// Returns the offset after the brace that closes the one at `start`.
fn braces_end(html: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in html.bytes().enumerate().skip(start) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return at + 1,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    html.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_tag_names() {
        for (tag, expected) in
            [("<Tabs x={1}>", "Tabs"), ("</ a . b >", "a.b"), ("<a:b/>", "a:b"), ("<>", ""), ("</>", "")]
        {
            assert_eq!(tag_name(tag), expected);
        }
        assert!(is_closing("< /a>") && !is_closing("<a/>"));
        assert!(is_self_closing("<a / >") && !is_self_closing("</a>"));
    }

    #[test]
    fn finds_attributes() {
        let html = "<a href='x' {...y} b={\"<\"} c><img src=z.png/><!-- <a href=no> -->";
        let found: Vec<_> = attributes(html).into_iter().map(|a| (a.name, &html[a.value], &html[a.whole])).collect();
        assert_eq!(found, [("href", "x", " href='x'"), ("src", "z.png/", " src=z.png/")]);
        let tags: Vec<_> = attributes(html).into_iter().map(|a| &html[a.tag]).collect();
        assert_eq!(tags, ["<a href='x' {...y} b={\"<\"} c>", "<img src=z.png/>"]);
    }
}
