//! Names of keys: which names a new key may have, and how a format writes names with special characters.

use std::borrow::Cow;

use marquetry_sdk::{FailureKind, Result, fail};

use crate::dialect::{Continuation, Dialect};

/// Fails if programs that read files of this format would not find a key with this name. Files of environment variables
/// have names of letters, digits, `_`, `.` and `-`; a line with another name is ignored, or is an error.
pub(crate) fn check_new_key(key: &str, dialect: &Dialect) -> Result<()> {
    let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    if dialect.continuation != Continuation::Quotes || key.chars().all(is_allowed) {
        return Ok(());
    }
    let similar: String = key.trim().chars().map(|c| if is_allowed(c) { c } else { '_' }).collect();
    Err(fail(FailureKind::InvalidArgument, format!("`{key}` cannot be the name of a variable"))
        .hint("a name has letters, digits, `_`, `.` and `-`; `force` writes other names anyway")
        .candidates([similar]))
}

/// The name as `.properties` files write it: separators and a comment character at its start are escaped. `None` in other
/// formats, and if nothing has to be escaped.
pub(crate) fn escaped_key(key: &str, dialect: &Dialect) -> Option<String> {
    if dialect.continuation != Continuation::Backslash {
        return None;
    }
    let mut out = String::with_capacity(key.len() + 2);
    for (at, c) in key.char_indices() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            ' ' | '=' | ':' | '\\' => out.extend(['\\', c]),
            '#' | '!' if at == 0 => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    (out != key).then_some(out)
}

/// The name that a key means: without the escapes of `.properties`.
pub(crate) fn unescaped_key<'k>(key: &'k str, dialect: &Dialect) -> Cow<'k, str> {
    if dialect.continuation != Continuation::Backslash || !key.contains('\\') {
        return Cow::Borrowed(key);
    }
    let mut out = String::with_capacity(key.len());
    let mut rest = key.chars();
    while let Some(c) = rest.next() {
        match (c, rest.clone().next()) {
            ('\\', Some(escaped)) => {
                rest.next();
                out.push(match escaped {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'f' => '\u{c}',
                    'u' => unicode_escape(&mut rest).unwrap_or('u'),
                    other => other,
                });
            }
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Reads the four digits of a `\u` escape.
fn unicode_escape(rest: &mut std::str::Chars<'_>) -> Option<char> {
    let digits = rest.as_str().get(..4)?;
    let escaped = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    rest.nth(3);
    Some(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::for_path;

    #[test]
    fn names_of_variables_are_checked() {
        let check = |path: &str, key: &str| check_new_key(key, for_path(path)).map_err(|failure| failure.candidates);
        for key in ["A", "a.b", "A-1", "é"] {
            assert_eq!(check(".env", key), Ok(()), "{key}");
        }
        for (key, similar) in [("a b", "a_b"), ("a:b", "a_b"), ("a#b", "a_b"), ("a[2]", "a_2_"), ("\"a\"", "_a_")] {
            assert_eq!(check(".env", key), Err(vec![similar.to_owned()]), "{key}");
            assert_eq!(check("a.ini", key), Ok(()), "{key}");
        }
    }

    #[test]
    fn escapes_are_inverse() {
        let dialect = for_path("a.properties");
        for (key, escaped) in
            [("a b", "a\\ b"), ("a=b:c", "a\\=b\\:c"), ("#a", "\\#a"), ("a\\b", "a\\\\b"), ("a\n", "a\\n")]
        {
            assert_eq!(escaped_key(key, dialect).as_deref(), Some(escaped), "{key}");
            assert_eq!(unescaped_key(escaped, dialect), key);
        }
        assert_eq!(escaped_key("a#b", dialect), None);
        assert_eq!(unescaped_key("\\u00e9\\f\\x", dialect), "é\u{c}x");
        assert_eq!(escaped_key("a b", for_path("a.ini")), None);
        assert_eq!(unescaped_key("a\\ b", for_path("a.ini")), "a\\ b");
    }
}
