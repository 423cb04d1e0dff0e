//! Limits the nesting depth of a text before it is parsed, because the parser is recursive.

/// Maximum number of nested brackets.
const MAX_BRACKETS: usize = 128;
/// Maximum number of operators and keywords between two separators. Each may add one level to the tree.
const MAX_OPERATORS: usize = 300;

/// Keywords that nest an expression, a pattern or a type.
const KEYWORDS: [&[u8]; 18] = [
    b"else", b"return", b"break", b"if", b"move", b"dyn", b"impl", b"fn", b"mut", b"unsafe", b"async", b"box", b"ref",
    b"const", b"static", b"yield", b"loop", b"for",
];

/// The offset at which a text is nested too deeply to be parsed. Strings and comments are skipped.
pub(crate) fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut operators = vec![0_usize];
    let mut at = 0;
    while at < bytes.len() {
        let last = operators.len() - 1;
        let mut next = at + 1;
        match bytes[at] {
            b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => next = end_of_comment(bytes, at),
            b'"' => next = end_of_string(bytes, at),
            b'\'' => next = end_of_quote(text, at),
            b'r' | b'b' | b'c' if is_raw(&bytes[at..]) => next = end_of_raw(bytes, at),
            b'(' | b'[' | b'{' => operators.push(0),
            b')' | b']' => pop(&mut operators),
            b'}' => {
                pop(&mut operators);
                // A block ends a statement, unless `else` follows.
                let goes_on = text[at + 1..].trim_start().starts_with("else");
                let last = operators.len() - 1;
                operators[last] = if goes_on { operators[last] + 1 } else { 0 };
            }
            b';' | b',' => operators[last] = 0,
            b'-' | b'!' | b'&' | b'*' | b'<' | b'|' | b'=' => operators[last] += 1,
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                let word = word(&bytes[at..]);
                operators[last] += usize::from(KEYWORDS.contains(&word));
                next = at + word.len();
            }
            _ => {}
        }
        if operators.len() > MAX_BRACKETS + 1 || operators[operators.len() - 1] > MAX_OPERATORS {
            return Some(at);
        }
        at = next;
    }
    None
}

fn pop(operators: &mut Vec<usize>) {
    if operators.len() > 1 {
        operators.pop();
    }
}

fn word(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    &bytes[..length]
}

/// Returns whether a raw string starts here: `r"`, `br#"`.
fn is_raw(bytes: &[u8]) -> bool {
    let prefix = word(bytes);
    let rest = &bytes[prefix.len()..];
    let hashes = rest.iter().take_while(|byte| **byte == b'#').count();
    matches!(prefix, b"r" | b"br" | b"cr") && rest.get(hashes) == Some(&b'"')
}

fn end_of_raw(bytes: &[u8], start: usize) -> usize {
    let open = start + bytes[start..].iter().position(|byte| *byte == b'"').unwrap_or(0);
    let hashes = bytes[start..open].iter().filter(|byte| **byte == b'#').count();
    let mut at = open + 1;
    while at < bytes.len() {
        if bytes[at] == b'"' && bytes[at + 1..].iter().take_while(|byte| **byte == b'#').count() >= hashes {
            return at + 1 + hashes;
        }
        at += 1;
    }
    bytes.len()
}

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'"' => return at + 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// The end of a character literal. For a lifetime, the offset after its quote.
fn end_of_quote(text: &str, start: usize) -> usize {
    let rest = &text[start + 1..];
    if let Some(escaped) = rest.strip_prefix('\\') {
        // The escaped character may be a quote character.
        let mut after = escaped.chars();
        after.next();
        let tail = after.as_str();
        return tail.find('\'').map_or(text.len(), |end| text.len() - tail.len() + end + 1);
    }
    let mut chars = rest.char_indices();
    chars.next();
    match chars.next() {
        Some((at, '\'')) => start + 1 + at + 1,
        _ => start + 1,
    }
}

fn end_of_comment(bytes: &[u8], start: usize) -> usize {
    if bytes[start + 1] == b'/' {
        return bytes[start..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| start + length);
    }
    let (mut at, mut depth) = (start, 0_usize);
    while at < bytes.len() {
        match &bytes[at..bytes.len().min(at + 2)] {
            b"/*" => {
                depth += 1;
                at += 2;
            }
            b"*/" => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_texts_are_found() {
        let deep = |open: &str, count: usize| too_deep(&open.repeat(count)).is_some();
        assert!(deep("(", 129) && !deep("(", 128));
        assert!(deep("- ", 301) && !deep("- ", 299));
        assert!(deep("if a {} else ", 301) && deep("&mut ", 301) && deep("Vec<", 301) && deep("|a| ", 301));
    }

    #[test]
    fn ordinary_texts_are_not_deep() {
        assert_eq!(too_deep(&"let x = [1, 2, (3, 4)];\n".repeat(10_000)), None);
        assert_eq!(
            too_deep(&"'(', '\\'', \"[[[\\\"\", r#\"{{\"{{\"#, b'{', // ((((\n/* (( /* */ (( */".repeat(1000)),
            None
        );
        assert_eq!(too_deep(&"fn a<'a>(b: &'a str) -> c { a.b(&c) }\n".repeat(1000)), None);
        assert_eq!(too_deep("\"unclosed ((("), None);
        assert_eq!(too_deep("'\\"), None);
        assert_eq!(end_of_quote("'\\'' + x", 0), 4);
        assert_eq!(end_of_quote("'\\u{1F600}'x", 0), 11);
        assert_eq!(end_of_quote("'a b", 0), 1);
    }
}
