//! Finds markup in the expressions of Astro, and the ends of both.

use std::ops::Range;

use super::markup::read_tag;

/// A part of an expression.
#[derive(Debug, PartialEq)]
pub(super) enum Piece {
    Code(Range<usize>),
    Markup(Range<usize>),
}

/// Maximum depth of expressions in markup in expressions.
const DEEPEST: usize = 100;

/// Returns the offset after the brace that closes the one at the start of a range.
pub(super) fn expression_end(text: &str, range: Range<usize>) -> Option<usize> {
    scan_code(text, range.start + 1..range.end, 0, &mut Vec::new()).filter(|end| text[..*end].ends_with('}'))
}

/// Splits an expression into code and markup.
pub(super) fn pieces_of(text: &str, range: Range<usize>) -> Vec<Piece> {
    let mut markup = Vec::new();
    scan_code(text, range.clone(), 0, &mut markup);
    let mut pieces = Vec::new();
    let mut at = range.start;
    for found in markup {
        pieces.push(Piece::Code(at..found.start));
        at = found.end;
        pieces.push(Piece::Markup(found));
    }
    pieces.push(Piece::Code(at..range.end));
    pieces
}

/// Returns the offset after the brace that closes the code, or the end of the range. Collects the outermost markup.
fn scan_code(text: &str, range: Range<usize>, depth: usize, markup: &mut Vec<Range<usize>>) -> Option<usize> {
    if depth > DEEPEST {
        return None;
    }
    let bytes = &text.as_bytes()[..range.end];
    let mut braces = 0_usize;
    let mut at = range.start;
    // The last byte that is not a space.
    let mut before = b'(';
    while at < bytes.len() {
        let byte = bytes[at];
        match byte {
            b'"' | b'\'' | b'`' => at = string_end(bytes, at)?,
            b'/' if bytes[at..].starts_with(b"//") => {
                at = text[at..range.end].find('\n').map_or(range.end, |end| at + end);
                continue;
            }
            b'/' if bytes[at..].starts_with(b"/*") => {
                at += text[at..range.end].find("*/")? + 2;
                continue;
            }
            b'{' => braces += 1,
            b'}' if braces == 0 => return Some(at + 1),
            b'}' => braces -= 1,
            b'<' if starts_markup(&bytes[at..], before, &text[range.start..at]) => {
                let end = markup_end(text, at..range.end, depth + 1)?;
                markup.push(at..end);
                (at, before) = (end, b')');
                continue;
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
        at += 1;
    }
    Some(range.end)
}

/// Returns whether a `<` starts an element, and is not an operator.
fn starts_markup(rest: &[u8], before: u8, code: &str) -> bool {
    let is_tag = rest.get(1).is_some_and(|next| next.is_ascii_alphabetic() || *next == b'>');
    let is_value = matches!(before, b'(' | b'{' | b'[' | b',' | b'?' | b':' | b'&' | b'|' | b'>' | b';' | b'=' | b'!');
    is_tag && (is_value || code.trim_end().ends_with("return"))
}

/// Returns the offset of the quote that closes the string at an offset.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            byte if *byte == bytes[start] => return Some(at),
            _ => at += 1,
        }
    }
}

/// Returns the offset after the element at the start of a range.
fn markup_end(text: &str, range: Range<usize>, depth: usize) -> Option<usize> {
    let mut open = 0_usize;
    let mut at = range.start;
    loop {
        at += text[at..range.end].find(['<', '{'])?;
        let rest = &text[at..range.end];
        if rest.starts_with('{') {
            at = scan_code(text, at + 1..range.end, depth + 1, &mut Vec::new())?;
        } else if rest.starts_with("<!--") {
            at += rest.find("-->")? + 3;
        } else if rest.starts_with("</") {
            at += rest.find('>')? + 1;
            open = open.checked_sub(1)?;
        } else if rest.starts_with("<>") {
            at += 2;
            open += 1;
        } else if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            let tag = read_tag(text, at..range.end, true)?;
            at = tag.end;
            open += usize::from(!tag.is_empty(text));
        } else {
            at += 1;
            continue;
        }
        if open == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> String {
        let end = expression_end(text, 0..text.len()).expect("an end");
        let shown = pieces_of(text, 1..end - 1).into_iter().map(|piece| match piece {
            Piece::Code(code) => text[code].to_owned(),
            Piece::Markup(markup) => format!("[{}]", &text[markup]),
        });
        shown.collect()
    }

    #[test]
    fn markup_in_expressions_is_found() {
        assert_eq!(pieces("{a < b} c"), "a < b");
        assert_eq!(pieces("{a && <p>Don't {b} }</p>} c"), "a && [<p>Don't {b} }</p>]");
        assert_eq!(pieces("{l.map((a) => <A b={a} />)}"), "l.map((a) => [<A b={a} />])");
        assert_eq!(pieces("{a ? <b><c/></b> : <><br></>}"), "a ? [<b><c/></b>] : [<><br></>]");
        assert_eq!(pieces("{'<b>' + \"}\" /* } */}"), "'<b>' + \"}\" /* } */");
        assert_eq!(pieces("{() => { return <p>{c && <d/>}</p> }}"), "() => { return [<p>{c && <d/>}</p>] }");
    }

    #[test]
    fn open_expressions_have_no_end() {
        for text in ["{a", "{<p>", "{\"a}", "{<p>{</p>}", "{/* }"] {
            assert_eq!(expression_end(text, 0..text.len()), None, "{text}");
        }
        assert_eq!(expression_end(&"{<p>".repeat(10_000), 0..40_000), None);
    }
}
