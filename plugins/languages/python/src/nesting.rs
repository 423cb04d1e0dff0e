//! Limits the nesting depth of a text before it is parsed, because the parser and its tree are recursive.

use marquetry_sdk::lines;

/// Maximum number of nested brackets; Python's own limit is 200.
const MAX_BRACKETS: usize = 120;
/// Maximum number of nested f-strings or t-strings on one line.
const MAX_STRINGS: usize = 20;
/// Maximum number of nested blocks; Python's own limit is 100.
const MAX_BLOCKS: usize = 100;
/// Maximum number of operators between two commas or brackets. Each operator may add one level to the expression.
const MAX_OPERATORS: usize = 500;

/// The offset at which a text is nested too deeply to be parsed. Strings are skipped, except for the braces of
/// f-strings and t-strings.
pub(crate) fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut operators = vec![0_usize];
    let mut indents: Vec<usize> = Vec::new();
    let mut starts_line = true;
    let mut strings = 0;
    let mut at = 0;
    while at < bytes.len() {
        if starts_line && operators.len() == 1 && !enter_line(&bytes[at..], &mut indents) {
            return Some(at);
        }
        starts_line = false;
        let last = operators.len() - 1;
        match bytes[at] {
            b'#' => at = lines::line_end(text, at) - 1,
            b'\n' | b'\r' => {
                starts_line = true;
                if operators.len() == 1 {
                    operators[0] = 0;
                    strings = 0;
                }
            }
            b'(' | b'[' | b'{' => {
                operators[last] += 1;
                operators.push(0);
            }
            b')' | b']' | b'}' if operators.len() > 1 => {
                operators.pop();
            }
            b',' | b';' => {
                operators[last] = 0;
                strings = 0;
            }
            quote @ (b'"' | b'\'') => {
                at = end_of_string(bytes, at, quote) - 1;
            }
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                let length =
                    bytes[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
                let word = &bytes[at..at + length];
                operators[last] += usize::from(KEYWORDS.contains(&word));
                // The braces of f-strings and t-strings contain code.
                let is_string = matches!(bytes.get(at + length), Some(b'"' | b'\''));
                if is_string && length <= 2 && word.iter().any(|byte| matches!(byte | 0x20, b'f' | b't')) {
                    let end = end_of_string(bytes, at + length, bytes[at + length]);
                    strings += usize::from(is_unclosed(&bytes[at + length..end]));
                    if strings > MAX_STRINGS {
                        return Some(at);
                    }
                    at = end - 1;
                } else {
                    at += length - 1;
                }
            }
            b'.' | b'+' | b'-' | b'*' | b'/' | b'%' | b'@' | b'~' | b'&' | b'|' | b'^' => {
                operators[last] += 1;
            }
            _ => {}
        }
        if operators.len() > MAX_BRACKETS + 1 || operators[operators.len() - 1] > MAX_OPERATORS {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Records the indentation of a line with code. Returns false if the line is in too many nested blocks.
fn enter_line(line: &[u8], indents: &mut Vec<usize>) -> bool {
    let width = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if !matches!(line.get(width), None | Some(b'\n' | b'\r' | b'#')) {
        indents.retain(|indent| *indent < width);
        indents.push(width);
    }
    indents.len() <= MAX_BLOCKS
}

/// Returns whether the end of an f-string or t-string is inside a brace. If so, the closing quote starts a nested
/// string instead.
fn is_unclosed(string: &[u8]) -> bool {
    let count = |sign: u8| {
        let runs = string.chunk_by(|one, other| one == other).filter(|run| run[0] == sign);
        // Doubled braces are literal text.
        runs.map(|run| run.len() % 2).sum::<usize>()
    };
    count(b'{') > count(b'}')
}

/// Keywords that nest an expression or a statement.
const KEYWORDS: [&[u8]; 5] = [b"if", b"else", b"lambda", b"not", b"await"];

/// The offset after a string. If the string is not closed, the offset after its line.
pub(crate) fn end_of_string(bytes: &[u8], start: usize, quote: u8) -> usize {
    let is_triple = bytes[start..].starts_with(&[quote; 3]);
    let length = if is_triple { 3 } else { 1 };
    let mut at = start + length;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' | b'\r' if !is_triple => return at,
            byte if byte == quote && (!is_triple || bytes[at..].starts_with(&[quote; 3])) => return at + length,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_texts_are_found() {
        let deep = |open: &str, count: usize| too_deep(&open.repeat(count)).is_some();
        assert!(deep("(", 121) && !deep("(", 119));
        assert!(deep("- ", 501) && !deep("- ", 499));
        assert!(deep("not ", 501) && deep("x.", 501) && deep("a if b else ", 300) && deep("{[", 61));
        assert!(deep("f\"{", 100));
        let blocks: String = (0..150).map(|depth| format!("{}if x:\n", " ".repeat(depth))).collect();
        assert!(too_deep(&blocks).is_some());
    }

    #[test]
    fn ordinary_texts_are_not_deep() {
        assert_eq!(too_deep(&"x = [1, 2, (3, 4)]\n".repeat(10_000)), None);
        assert_eq!(too_deep(&"'(((', \"[[[\", '''{{{''', # ((((\n".repeat(1000)), None);
        assert_eq!(too_deep(&"f(a - b, c)\nif x:\n    pass\n".repeat(1000)), None);
        assert_eq!(too_deep("'unclosed ((("), None);
    }
}
