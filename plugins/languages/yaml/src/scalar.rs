//! Decodes scalars: returns their text, and their value in the core schema.

use std::borrow::Cow;

use crate::table::{Id, Kind, Table, Tag};

/// A scalar's value in the core schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value<'d> {
    Null,
    Boolean(bool),
    /// A number, in JSON notation if JSON can represent it.
    Number(Cow<'d, str>),
    String(Cow<'d, str>),
}

/// Returns the text of a scalar, decoded according to its style.
pub(crate) fn decode_text<'d>(source: &'d str, table: &Table, id: Id) -> Cow<'d, str> {
    let raw = &source[table.range(id)];
    match table.kind(id) {
        Kind::Plain if !raw.contains(['\n', '\r']) => Cow::Borrowed(raw),
        Kind::Plain => fold_lines(raw, Quotes::None),
        Kind::SingleQuoted => decode_quoted(raw, '\'', Quotes::Single),
        Kind::DoubleQuoted => decode_quoted(raw, '"', Quotes::Double),
        kind @ (Kind::Literal | Kind::Folded) => {
            Cow::Owned(decode_block(raw, kind == Kind::Folded, table.extra(id) as usize))
        }
        _ => Cow::Borrowed(""),
    }
}

/// Returns the value of a scalar.
pub(crate) fn scalar_value<'d>(source: &'d str, table: &Table, id: Id) -> Value<'d> {
    let kind = table.kind(id);
    let tag = table.properties(id).meaning;
    let text = decode_text(source, table, id);
    match (tag, kind) {
        (Tag::Text, _) => Value::String(text),
        (_, Kind::Plain | Kind::Empty) | (Tag::Plain, _) => resolve_core_schema(text),
        _ => Value::String(text),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    None,
    Single,
    Double,
}

fn decode_quoted(raw: &str, quote: char, style: Quotes) -> Cow<'_, str> {
    let inner = raw.strip_prefix(quote).unwrap_or(raw);
    fold_lines(inner.strip_suffix(quote).unwrap_or(inner), style)
}

/// Joins the lines of a scalar and decodes the escapes of its quotes.
fn fold_lines(inner: &str, quotes: Quotes) -> Cow<'_, str> {
    let special: &[char] = match quotes {
        Quotes::None => &['\n', '\r'],
        Quotes::Single => &['\n', '\r', '\''],
        Quotes::Double => &['\n', '\r', '\\'],
    };
    if !inner.contains(special) {
        return Cow::Borrowed(inner);
    }
    let mut out = String::with_capacity(inner.len());
    // Length of the text without white space that may turn out to be trailing. Trailing white space is removed.
    let mut solid = 0;
    let mut rest = inner;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\n' | '\r' => {
                out.truncate(solid);
                rest = if c == '\r' { rest.strip_prefix('\n').unwrap_or(rest) } else { rest };
                let more = skip_line_breaks(&mut rest);
                if more == 0 { out.push(' ') } else { out.push_str(&"\n".repeat(more)) }
            }
            ' ' | '\t' => {
                out.push(c);
                continue;
            }
            '\'' if quotes == Quotes::Single => {
                rest = rest.strip_prefix('\'').unwrap_or(rest);
                out.push(c);
            }
            '\\' if quotes == Quotes::Double => decode_escape(&mut rest, &mut out),
            _ => out.push(c),
        }
        solid = out.len();
    }
    Cow::Owned(out)
}

/// Skips white space at the start of a line, and empty lines. Returns the number of empty lines.
fn skip_line_breaks(rest: &mut &str) -> usize {
    let mut count = 0;
    loop {
        *rest = rest.trim_start_matches([' ', '\t']);
        let Some(after) = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix(['\n', '\r'])) else { return count };
        *rest = after;
        count += 1;
    }
}

/// Decodes an escape, after its backslash.
fn decode_escape(rest: &mut &str, out: &mut String) {
    let Some(c) = rest.chars().next() else { return };
    *rest = &rest[c.len_utf8()..];
    let digits = match c {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        '\n' | '\r' => {
            *rest = if c == '\r' { rest.strip_prefix('\n').unwrap_or(rest) } else { rest };
            let more = skip_line_breaks(rest);
            return out.push_str(&"\n".repeat(more));
        }
        _ => {
            return out.push(match c {
                '0' => '\0',
                'a' => '\u{7}',
                'b' => '\u{8}',
                't' => '\t',
                'n' => '\n',
                'v' => '\u{b}',
                'f' => '\u{c}',
                'r' => '\r',
                'e' => '\u{1b}',
                'N' => '\u{85}',
                '_' => '\u{a0}',
                'L' => '\u{2028}',
                'P' => '\u{2029}',
                other => other,
            });
        }
    };
    let hex = |text: &str, digits: usize| text.get(..digits).and_then(|text| u32::from_str_radix(text, 16).ok());
    let Some(code) = hex(rest, digits) else { return out.push(char::REPLACEMENT_CHARACTER) };
    *rest = &rest[digits..];
    // Surrogate pairs, as in JSON, are not valid in YAML, but their meaning is clear, so they are decoded.
    let low = rest.strip_prefix("\\u").and_then(|rest| hex(rest, 4)).filter(|low| (0xDC00..0xE000).contains(low));
    if let (0xD800..0xDC00, Some(low)) = (code, low) {
        *rest = &rest[6..];
        return out.push(char::from_u32(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)).unwrap_or_default());
    }
    out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
}

/// Returns the text of a literal or folded scalar. `raw` is its source, starting with the header.
fn decode_block(raw: &str, folded: bool, indent: usize) -> String {
    let mut lines =
        raw.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).flat_map(|line| line.split('\r'));
    let header = lines.next().unwrap_or_default();
    let header = header.split([' ', '\t']).next().unwrap_or_default();
    let spaces = |line: &str| line.bytes().take(indent).take_while(|byte| *byte == b' ').count();
    let mut out = String::with_capacity(raw.len());
    let mut empty = 0;
    // True if the previous line was indented more; `None` before the first line.
    let mut deeper: Option<bool> = None;
    for line in lines {
        let line = &line[spaces(line)..];
        if line.is_empty() {
            empty += 1;
            continue;
        }
        let deep = !folded || line.starts_with([' ', '\t']);
        match deeper {
            None => out.push_str(&"\n".repeat(empty)),
            Some(before) if before || deep => out.push_str(&"\n".repeat(empty + 1)),
            Some(_) if empty == 0 => out.push(' '),
            Some(_) => out.push_str(&"\n".repeat(empty)),
        }
        out.push_str(line);
        (empty, deeper) = (0, Some(deep));
    }
    match (header.contains('-'), header.contains('+')) {
        (true, _) => {}
        (_, true) if deeper.is_none() => out.push_str(&"\n".repeat(empty)),
        (_, true) => out.push_str(&"\n".repeat(empty + 1)),
        _ if deeper.is_some() => out.push('\n'),
        _ => {}
    }
    out
}

/// Resolves a plain scalar by the core schema.
fn resolve_core_schema(text: Cow<'_, str>) -> Value<'_> {
    match &*text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Boolean(true),
        "false" | "False" | "FALSE" => return Value::Boolean(false),
        _ => {}
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
        return Value::String(text);
    }
    if marquetry_jsonpath::is_number(&text) {
        return Value::Number(text);
    }
    match json_number(&text) {
        Some(number) => Value::Number(Cow::Owned(number)),
        None => Value::String(text),
    }
}

/// Returns the JSON notation of a number if the notation in YAML differs.
fn json_number(text: &str) -> Option<String> {
    let radix = |digits: &str, radix: u32| {
        let plain = digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
        plain.then(|| u128::from_str_radix(digits, radix).ok()).flatten().map(|number| number.to_string())
    };
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    let (sign, rest) = match text.as_bytes() {
        [b'-', ..] => ("-", &text[1..]),
        [b'+', ..] => ("", &text[1..]),
        _ => ("", text),
    };
    if matches!(rest, ".inf" | ".Inf" | ".INF") {
        return Some(format!("{sign}.inf"));
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(".nan".to_owned());
    }
    let (mantissa, exponent) = rest.find(['e', 'E']).map_or((rest, ""), |at| rest.split_at(at));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let dot = if fraction.is_empty() { "" } else { "." };
    let written = format!("{sign}{whole}{dot}{fraction}{exponent}");
    marquetry_jsonpath::is_number(&written).then_some(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_values_by_core_schema() {
        let number = |text: &'static str| match resolve_core_schema(Cow::Borrowed(text)) {
            Value::Number(number) => number.into_owned(),
            other => panic!("{other:?}"),
        };
        let pairs = [
            ("0x1F", "31"),
            ("0o17", "15"),
            ("+12", "12"),
            ("0123", "123"),
            (".5", "0.5"),
            ("1.", "1"),
            ("-.inf", "-.inf"),
            ("1.5e3", "1.5e3"),
            ("00", "0"),
        ];
        for (text, expected) in pairs {
            assert_eq!(number(text), expected, "{text}");
        }
        for text in ["1_000", "0x", "-", ".", "1e", "12:30", "1.2.3", "-0x1", "+.nan", "e3"] {
            assert_eq!(resolve_core_schema(Cow::Borrowed(text)), Value::String(Cow::Borrowed(text)), "{text}");
        }
    }

    #[test]
    fn folds_lines() {
        assert_eq!(fold_lines("a \n\n  b\\\n  c\\x41 ", Quotes::Double), "a\nbcA ");
        assert_eq!(fold_lines("it''s\r\n  so", Quotes::Single), "it's so");
        assert_eq!(decode_block(">-\n  a\n  b\n\n  c\n    d\n  e", true, 2), "a b\nc\n  d\ne");
        assert_eq!(decode_block("|+\n  a\n", false, 2), "a\n\n");
        assert_eq!(decode_block("|\n  a", false, 2), "a\n");
    }
}
