//! Scalars and keys: finds their kind, validates and decodes them.

use std::borrow::Cow;

use toml_parser::{
    ErrorSink, ParseError, Raw, Span as At,
    decoder::{Encoding, ScalarKind},
};

use crate::table::Kind;

/// Returns the kind of quotes at the start of a text.
fn quote_kind(raw: &str) -> Option<Encoding> {
    match raw.as_bytes() {
        [b'"', b'"', b'"', ..] => Some(Encoding::MlBasicString),
        [b'\'', b'\'', b'\'', ..] => Some(Encoding::MlLiteralString),
        [b'"', ..] => Some(Encoding::BasicString),
        [b'\'', ..] => Some(Encoding::LiteralString),
        _ => None,
    }
}

/// Returns the text between the quotes, or `None` if it contains escapes.
fn unescaped_content(raw: &str) -> Option<&str> {
    let quote = *raw.as_bytes().first()?;
    let inner = raw.get(1..raw.len().checked_sub(1)?)?;
    let ends = raw.len() > 1 && raw.as_bytes()[raw.len() - 1] == quote;
    let is_plain = match quote {
        b'"' => !inner.contains(['"', '\\']),
        b'\'' => !inner.contains('\''),
        _ => false,
    };
    (ends && is_plain).then_some(inner)
}

/// Decodes a string.
pub(crate) fn decode_string(raw: &str) -> Cow<'_, str> {
    if let Some(inner) = unescaped_content(raw) {
        return Cow::Borrowed(inner);
    }
    let mut out = Cow::Borrowed("");
    let _ = Raw::new_unchecked(raw, quote_kind(raw), At::new_unchecked(0, raw.len())).decode_scalar(&mut out, &mut ());
    out
}

/// Returns the name of a key.
#[inline]
pub(crate) fn key_name(raw: &str) -> Cow<'_, str> {
    if matches!(raw.as_bytes(), [b'"' | b'\'', ..]) { decode_quoted_name(raw) } else { Cow::Borrowed(raw) }
}

fn decode_quoted_name(raw: &str) -> Cow<'_, str> {
    if let Some(inner) = unescaped_content(raw) {
        return Cow::Borrowed(inner);
    }
    let mut out = Cow::Borrowed("");
    Raw::new_unchecked(raw, quote_kind(raw), At::new_unchecked(0, raw.len())).decode_key(&mut out, &mut ());
    out
}

/// Returns whether the name can be a bare key.
pub(crate) fn is_bare(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// Reports the errors of a key.
pub(crate) fn check_key(raw: &str, encoding: Option<Encoding>, span: At, error: &mut dyn ErrorSink) {
    if is_bare(raw) {
        return;
    }
    if raw.is_empty() {
        error.report_error(ParseError::new("a key is missing").with_unexpected(span));
        return;
    }
    Raw::new_unchecked(raw, encoding, span).decode_key(&mut (), error);
}

/// Returns the kind of a scalar and reports its errors.
pub(crate) fn check_scalar(raw: &str, encoding: Option<Encoding>, span: At, error: &mut dyn ErrorSink) -> Kind {
    if raw.is_empty() {
        error.report_error(ParseError::new("a value is missing").with_unexpected(span));
        return Kind::Missing;
    }
    let whole = Raw::new_unchecked(raw, encoding, span);
    if encoding.is_some() {
        let _ = whole.decode_scalar(&mut (), error);
        return Kind::String;
    }
    let mut out = Cow::Borrowed("");
    let mut wrong = false;
    let kind = whole.decode_scalar(&mut out, &mut |found: ParseError| {
        wrong = true;
        error.report_error(found);
    });
    let mut report = |message: &'static str| error.report_error(ParseError::new(message).with_unexpected(span));
    match kind {
        ScalarKind::String => Kind::String,
        ScalarKind::Boolean(_) => Kind::Boolean,
        ScalarKind::Float => Kind::Float,
        ScalarKind::DateTime => {
            if !wrong && raw.parse::<toml_datetime::Datetime>().is_err() {
                report("this date or time does not exist");
            }
            Kind::DateTime
        }
        ScalarKind::Integer(radix) => {
            if !wrong && i64::from_str_radix(&out, radix.value()).is_err() {
                report("the number does not fit into 64 bits");
            }
            Kind::Integer
        }
    }
}

/// Returns a number in JSON notation. A number that JSON cannot represent is returned unchanged.
pub(crate) fn json_number(raw: &str) -> Cow<'_, str> {
    let digits = raw.strip_prefix('+').unwrap_or(raw);
    if digits == "-0" {
        return Cow::Borrowed("0");
    }
    let radix = match digits.get(..2) {
        Some("0x") => 16,
        Some("0o") => 8,
        Some("0b") => 2,
        _ if digits.contains('_') => return Cow::Owned(digits.replace('_', "")),
        _ => return Cow::Borrowed(digits),
    };
    let value = i64::from_str_radix(&digits[2..].replace('_', ""), radix);
    value.map_or(Cow::Borrowed(raw), |value| Cow::Owned(value.to_string()))
}

/// Returns the key for a name. It is quoted only if necessary.
pub(crate) fn print_key(name: &str) -> String {
    if is_bare(name) { name.to_owned() } else { quote_string(name) }
}

/// Returns a string in double quotes.
pub(crate) fn quote_string(text: &str) -> String {
    let mut out = String::new();
    marquetry_jsonpath::push_string(&mut out, text);
    out.replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_strings_and_keys() {
        let cases = [
            (r#""a\n\u00e9""#, "a\né"),
            ("'a\\n'", "a\\n"),
            ("\"\"\"\na\\\n   b\"\"\"", "ab"),
            ("'''\n'a'''", "'a"),
            ("\"\"", ""),
        ];
        for (raw, expected) in cases {
            assert_eq!(decode_string(raw), expected, "{raw}");
        }
        for (raw, expected) in [("a-b", "a-b"), ("'a b'", "a b"), (r#""\u0061""#, "a"), ("", "")] {
            assert_eq!(key_name(raw), expected, "{raw}");
        }
        assert_eq!(print_key("a b"), "\"a b\"");
        assert_eq!(print_key("1-x"), "1-x");
        assert_eq!(quote_string("\u{7f}\u{1}\""), "\"\\u007f\\u0001\\\"\"");
    }

    #[test]
    fn converts_numbers_to_json() {
        for (raw, expected) in [
            ("1_000", "1000"),
            ("+7", "7"),
            ("0xff", "255"),
            ("-0b1", "-0b1"),
            ("0b1_1", "3"),
            ("-0", "0"),
            ("1e5", "1e5"),
        ] {
            assert_eq!(json_number(raw), expected, "{raw}");
        }
    }
}
