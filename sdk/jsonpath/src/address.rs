//! Writes paths: normalized paths (RFC 9535, section 2.7) and shorter ones for display.

use std::fmt::Write;

/// Appends a step to a member: `.name`, or `['odd name']`.
///
/// ```
/// use marquetry_jsonpath::push_name;
///
/// let mut path = "$".to_owned();
/// push_name(&mut path, "name");
/// push_name(&mut path, "odd name");
/// assert_eq!(path, "$.name['odd name']");
/// ```
pub fn push_name(path: &mut String, name: &str) {
    let first = |c: char| c.is_alphabetic() || c == '_';
    let plain = name.starts_with(first) && name.chars().all(|c| first(c) || c.is_ascii_digit());
    if plain {
        path.push('.');
        path.push_str(name);
    } else {
        normalized_name(path, name);
    }
}

/// Appends a step to one of several members with the same name, counted from 1.
pub fn push_occurrence(path: &mut String, name: &str, number: u32) {
    normalized_name(path, name);
    path.pop();
    let _ = write!(path, "#{number}]");
}

/// Appends a step to an element.
pub fn push_index(path: &mut String, index: usize) {
    normalized_index(path, index);
}

/// Appends a step to an element, in the syntax of normalized paths.
pub fn normalized_index(path: &mut String, index: usize) {
    let _ = write!(path, "[{index}]");
}

/// Appends a step to a member, in the syntax of normalized paths.
pub fn normalized_name(path: &mut String, name: &str) {
    path.push_str("['");
    for c in name.chars() {
        match c {
            '\u{8}' => path.push_str("\\b"),
            '\t' => path.push_str("\\t"),
            '\n' => path.push_str("\\n"),
            '\u{c}' => path.push_str("\\f"),
            '\r' => path.push_str("\\r"),
            '\'' => path.push_str("\\'"),
            '\\' => path.push_str("\\\\"),
            '\0'..' ' => {
                let _ = write!(path, "\\u{:04x}", u32::from(c));
            }
            _ => path.push(c),
        }
    }
    path.push_str("']");
}
