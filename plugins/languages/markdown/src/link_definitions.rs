//! Finds the destinations of links and link reference definitions in the text, because the parsers do not report the
//! positions of the parts of a link.

use std::ops::Range;

use marquetry_sdk::Span;

/// Returns the definitions in a text that contains nothing else: the span and the destination of each.
pub(crate) fn find_definitions(text: &str, range: Range<usize>, quoted: bool) -> Vec<(Span, Span)> {
    let mut found = Vec::new();
    let mut at = range.start;
    while let Some(open) = memchr::memchr(b'[', &text.as_bytes()[at..range.end]) {
        let start = at + open;
        match parse_definition(text, start, range.end, quoted) {
            Some((end, destination)) => {
                found.push((Span::new(start, end), destination));
                at = end;
            }
            None => at = start + 1,
        }
    }
    found
}

fn parse_definition(text: &str, start: usize, end: usize, quoted: bool) -> Option<(usize, Span)> {
    let label = label_end(text, start, end)?;
    if text.as_bytes().get(label) != Some(&b':') {
        return None;
    }
    let (destination, after) = parse_destination(text, skip_space(text, label + 1, end, quoted), end)?;
    Some((title_end(text, after, end, quoted).unwrap_or(after), destination))
}

/// Returns the offset after the `]` that closes the label opened at `start`.
pub(crate) fn label_end(text: &str, start: usize, end: usize) -> Option<usize> {
    let bytes = &text.as_bytes()[..end];
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'[' => return None,
            b']' => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the destination at this offset without its angle brackets, and the offset after the closing angle bracket.
pub(crate) fn parse_destination(text: &str, start: usize, end: usize) -> Option<(Span, usize)> {
    let bytes = &text.as_bytes()[..end];
    let angle = bytes.get(start) == Some(&b'<');
    let mut at = start + usize::from(angle);
    let mut depth = 0_u32;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 1,
            b'>' if angle => return Some((Span::new(start + 1, at), at + 1)),
            b'<' | b'\n' | b'\r' if angle => return None,
            _ if angle => {}
            b'(' => depth += 1,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            byte if *byte <= b' ' || *byte == 0x7f => break,
            _ => {}
        }
        at += 1;
    }
    (!angle).then(|| (Span::new(start, at.min(end)), at.min(end)))
}

/// Returns the offset after the title of a destination. Returns `None` without a title, or if other text follows
/// it on its last line.
fn title_end(text: &str, after: usize, end: usize, quoted: bool) -> Option<usize> {
    let bytes = &text.as_bytes()[..end];
    let start = skip_space(text, after, end, quoted);
    let close = match bytes.get(start)? {
        b'(' => b')',
        quote @ (b'"' | b'\'') if start > after => *quote,
        _ => return None,
    };
    let mut at = start + 1;
    while *bytes.get(at)? != close {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    let rest = text[at + 1..end].trim_start_matches([' ', '\t']);
    (rest.is_empty() || rest.starts_with(['\n', '\r'])).then_some(at + 1)
}

/// Skips white space, including at most one line break. In a quote, also skips the `>` of the next line.
pub(crate) fn skip_space(text: &str, start: usize, end: usize, quoted: bool) -> usize {
    let blank = |from: usize, chars: &[char]| {
        let rest = &text[from..end];
        from + rest.len() - rest.trim_start_matches(chars).len()
    };
    let at = blank(start, &[' ', '\t']);
    let next = at + marquetry_sdk::lines::break_len(&text[..end], at);
    match next {
        _ if next == at => at,
        _ if quoted => blank(next, &[' ', '\t', '>']),
        _ => blank(next, &[' ', '\t']),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let found = find_definitions(text, 0..text.len(), text.starts_with('>'));
        let found: Vec<_> =
            found.iter().map(|(span, destination)| (span.slice(text), destination.slice(text))).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn finds_definitions_and_their_destinations() {
        check("[a]: b.md\n[c]: <d e.md> \"t\"\n", &[("[a]: b.md", "b.md"), ("[c]: <d e.md> \"t\"", "d e.md")]);
        check("[a\\]b]:\n  c\n  'long\n title'\n", &[("[a\\]b]:\n  c\n  'long\n title'", "c")]);
        check("> [a]:\n> b\n", &[("[a]:\n> b", "b")]);
        check("[a]: b(c)\n'not a title' x\n", &[("[a]: b(c)", "b(c)")]);
    }

    #[test]
    fn check_box_is_not_a_definition() {
        check("- [x] ", &[]);
    }
}
