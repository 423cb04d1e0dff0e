//! JSON text: strings, numbers and whole values.

use std::{borrow::Cow, fmt::Write};

use crate::tree::{Kind, Tree};

/// Appends a string literal.
pub fn push_string(out: &mut String, text: &str) {
    out.push('"');
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(&text[from..at]);
        from = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            _ => {
                let _ = write!(out, "\\u{byte:04x}");
            }
        }
    }
    out.push_str(&text[from..]);
    out.push('"');
}

/// Returns whether the text is a JSON number.
///
/// ```
/// use marquetry_jsonpath::is_number;
///
/// assert!(is_number("-1.50e+07"));
/// assert!(!is_number("01"));
/// ```
pub fn is_number(text: &str) -> bool {
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = text.strip_prefix('-').unwrap_or(text);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest.starts_with('0')) {
        return false;
    }
    let mut rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

/// Maximum nesting of values that are written; few JSON parsers accept more.
const DEEPEST: usize = 400;

/// The value of a node as compact JSON; empty if it is nested too deeply.
pub fn json_text<T: Tree>(tree: &T, node: T::Node) -> String {
    json_text_within(tree, node, usize::MAX).unwrap_or_default()
}

/// The value of a node as compact JSON, or `None` if it is nested too deeply or much longer than `most`: references
/// can make a small text stand for a very large value.
pub fn json_text_within<T: Tree>(tree: &T, node: T::Node, most: usize) -> Option<String> {
    let mut out = String::new();
    // Pieces still to write, last first.
    let mut waiting = vec![Piece::Value(node)];
    let mut depth = 0;
    while let Some(piece) = waiting.pop() {
        if out.len() > most || depth > DEEPEST {
            return None;
        }
        let node = match piece {
            Piece::Close(bracket) => {
                out.push(bracket);
                depth -= 1;
                continue;
            }
            Piece::Comma => {
                out.push(',');
                continue;
            }
            Piece::Name(name) => {
                push_string(&mut out, &name);
                out.push(':');
                continue;
            }
            Piece::Value(node) => node,
        };
        let from = waiting.len();
        match tree.kind(node) {
            Kind::Object => {
                out.push('{');
                for (index, (name, value)) in tree.members(node).enumerate() {
                    waiting.extend((index > 0).then_some(Piece::Comma));
                    waiting.extend([Piece::Name(name), Piece::Value(value)]);
                }
                waiting.push(Piece::Close('}'));
                depth += 1;
            }
            Kind::Array => {
                out.push('[');
                for (index, value) in tree.children(node).enumerate() {
                    waiting.extend((index > 0).then_some(Piece::Comma));
                    waiting.push(Piece::Value(value));
                }
                waiting.push(Piece::Close(']'));
                depth += 1;
            }
            Kind::String => push_string(&mut out, &tree.text(node)),
            Kind::Number => push_number(&mut out, &tree.text(node)),
            Kind::Boolean => out.push_str(if tree.boolean(node) { "true" } else { "false" }),
            Kind::Null => out.push_str("null"),
        }
        waiting[from..].reverse();
    }
    Some(out)
}

enum Piece<'t, N> {
    Comma,
    Close(char),
    Name(Cow<'t, str>),
    Value(N),
}

/// Writes a number. One that JSON cannot represent becomes a string.
fn push_number(out: &mut String, text: &str) {
    if is_number(text) { out.push_str(text) } else { push_string(out, text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_number_accepts_json_numbers() {
        for good in ["0", "-0", "12", "1.5", "-1.50e+07", "1E9"] {
            assert!(is_number(good), "{good}");
        }
        for bad in ["", "-", "01", "+1", ".5", "1.", "1e", "1e+", "0x1", "1 ", "NaN"] {
            assert!(!is_number(bad), "{bad}");
        }
    }

    #[test]
    fn push_string_escapes() {
        let mut out = String::new();
        push_string(&mut out, "a\"\\\n\u{1}é");
        assert_eq!(out, "\"a\\\"\\\\\\n\\u0001é\"");
    }
}
