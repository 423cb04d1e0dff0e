//! Names made from the words of a text.

use crate::rename::names;

/// Longer strings are not used as names.
const MAX_TEXT_LENGTH: usize = 20;

/// Joins the words of a short text: `Hello world!` gives `helloWorld`. Returns `None` for other texts.
pub(crate) fn camel_case(text: &str) -> Option<String> {
    if text.chars().count() > MAX_TEXT_LENGTH {
        return None;
    }
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').filter(|word| !word.is_empty());
    let mut name = String::new();
    for word in words {
        name += &if name.is_empty() { lowercase_first(word) } else { uppercase_first(word) };
    }
    names::check_binding(&name).is_ok().then_some(name)
}

/// Lowercases the first letter, or the whole word if it is uppercase: `URL` gives `url`.
pub(crate) fn lowercase_first(word: &str) -> String {
    if word.chars().all(|c| !c.is_lowercase()) {
        return word.to_lowercase();
    }
    let mut chars = word.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

fn uppercase_first(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Converts a text to a type name: `is editing` gives `IsEditing`.
pub(crate) fn to_type_name(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(uppercase_first).collect()
}

/// Yields the offsets at which a text contains a name or a path such as `a.b` that is not part of a longer one.
pub(crate) fn name_offsets<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + use<'t> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let found = text.match_indices(name).map(|(at, _)| at);
    found.filter(move |at| !text[..*at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_names() {
        assert_eq!(camel_case("Hello world!").as_deref(), Some("helloWorld"));
        assert_eq!(camel_case("URL").as_deref(), Some("url"));
        assert_eq!(camel_case("a-b_c").as_deref(), Some("aB_c"));
        assert_eq!(camel_case("1 a"), None);
        assert_eq!(camel_case("class"), None);
        assert_eq!(camel_case("a text that is longer than any name"), None);
        assert_eq!(to_type_name("is editing"), "IsEditing");
        assert_eq!(to_type_name("round-circle"), "RoundCircle");
    }
}
