//! Types as code: the parts of references, tuples and generic types.

/// The types whose values are copied instead of moved.
const COPIED: [&str; 17] = [
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128",
    "usize", "()",
];

/// Returns whether a type is a number.
pub(crate) fn is_number(text: &str) -> bool {
    is_primitive(text) && !matches!(text, "bool" | "char" | "()")
}

/// Returns whether a type is an integer.
pub(crate) fn is_integer(text: &str) -> bool {
    is_number(text) && !text.starts_with('f')
}

/// Returns whether a type is a type of the language that is copied.
pub(crate) fn is_primitive(text: &str) -> bool {
    COPIED.contains(&text)
}

/// The target of a reference type, and whether the reference is mutable.
pub(crate) fn target(text: &str) -> Option<(bool, &str)> {
    let mut rest = text.strip_prefix('&')?.trim_start();
    if rest.starts_with('\'') {
        rest = rest.split_once(char::is_whitespace)?.1.trim_start();
    }
    match rest.strip_prefix("mut ") {
        Some(inner) => Some((true, inner.trim_start())),
        None => Some((false, rest)),
    }
}

/// A type without the references around it.
pub(crate) fn without_references(mut text: &str) -> &str {
    while let Some((_, inner)) = target(text) {
        text = inner;
    }
    text
}

/// The parts of a text between commas outside of brackets.
pub(crate) fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found, mut before) = (0_i32, 0, Vec::new(), ' ');
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if before == '-' => {}
            '>' | ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        before = c;
    }
    found.push(text[start..].trim());
    found.retain(|part| !part.is_empty());
    found
}

/// The last name and the arguments of a generic type: `Vec` and `u8` of `std::vec::Vec<u8>`.
pub(crate) fn generic(text: &str) -> (&str, Vec<&str>) {
    let (path, arguments) = match text.strip_suffix('>').and_then(|text| text.split_once('<')) {
        Some((path, arguments)) => (path, parts(arguments)),
        None => (text, Vec::new()),
    };
    (path.trim_end_matches("::").rsplit("::").next().unwrap_or(path).trim(), arguments)
}

/// The types of a tuple's fields.
pub(crate) fn tuple(text: &str) -> Option<Vec<&str>> {
    text.strip_prefix('(')?.strip_suffix(')').map(parts)
}

/// The type of the elements of an array, slice or vector.
pub(crate) fn element(text: &str) -> Option<&str> {
    if let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        return Some(inner.rsplit_once(';').map_or(inner, |(element, _)| element).trim());
    }
    match generic(text) {
        ("Vec", arguments) => match arguments[..] {
            [only] => Some(only),
            _ => None,
        },
        _ => None,
    }
}

/// The words of a type: names and lifetimes.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\'')));
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '\'')))
}

/// Returns whether a type contains a reference or lifetime.
pub(crate) fn has_lifetime(text: &str) -> bool {
    text.contains('&') || text.contains('\'')
}

/// Returns whether a type contains a reference without a written lifetime, below its outermost reference.
pub(crate) fn has_inner_elided_lifetime(text: &str) -> bool {
    let inner = target(text).map_or(text, |(_, inner)| inner);
    inner.contains("'_") || inner.match_indices('&').any(|(at, _)| !inner[at + 1..].trim_start().starts_with('\''))
}

/// A type in which another type replaces a name.
pub(crate) fn replace_name(text: &str, name: &str, by: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(name) {
        let is_whole = !rest[..at].ends_with(is_part) && !rest[at + name.len()..].starts_with(is_part);
        out += &rest[..at];
        out += if is_whole { by } else { name };
        rest = &rest[at + name.len()..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_parts() {
        assert_eq!(target("&'a mut Vec<u8>"), Some((true, "Vec<u8>")));
        assert_eq!(target("& [u8]"), Some((false, "[u8]")));
        assert_eq!(target("Vec<&u8>"), None);
        assert_eq!(without_references("&&mut u8"), "u8");
        assert_eq!(generic("std::collections::HashMap<K, Vec<(u8, u8)>>"), ("HashMap", vec!["K", "Vec<(u8, u8)>"]));
        assert_eq!(generic("fn(u8) -> u8"), ("fn(u8) -> u8", vec![]));
        assert_eq!(parts("fn(u8) -> u8, [u8; 2],"), ["fn(u8) -> u8", "[u8; 2]"]);
        assert_eq!(tuple("(u8, (u8, u8))"), Some(vec!["u8", "(u8, u8)"]));
        assert_eq!((element("[u8; 2]"), element("[u8]"), element("Vec<&str>")), (Some("u8"), Some("u8"), Some("&str")));
        assert_eq!((element("Set<u8>"), element("str")), (None, None));
        assert_eq!(replace_name("&Self<Selfish, Self>", "Self", "W"), "&W<Selfish, W>");
        assert_eq!(words("&'a Vec<T, 3>").collect::<Vec<_>>(), ["'a", "Vec", "T"]);
    }

    #[test]
    fn lifetimes_may_be_elided() {
        for (text, expected) in [
            ("&str", false),
            ("&'a &'b str", false),
            ("Vec<&str>", true),
            ("&mut Vec<&str>", true),
            ("Vec<&'a str>", false),
            ("P<'_>", true),
            ("u8", false),
        ] {
            assert_eq!(has_inner_elided_lifetime(text), expected, "{text}");
        }
        assert!(is_integer("usize") && !is_integer("f32") && is_number("f32") && !is_number("bool"));
    }
}
