//! `:lang()`: the language of an element, and language ranges.

use std::borrow::Cow;

use crate::syntax::{Id, Name, Namespace, Tree};

pub(super) fn matches(tree: &Tree, id: Id, ranges: &[String]) -> bool {
    let language = language_of(tree, id);
    ranges.iter().any(|range| is_in_range(&language, range))
}

/// Returns the language of an element: the nearest `lang` attribute of the element and its ancestors, otherwise the
/// language of the page.
fn language_of(tree: &Tree, id: Id) -> Cow<'_, str> {
    let own = tree.self_and_ancestors(id).find_map(|id| {
        let plain = || tree.attribute_value(id, "lang").filter(|_| tree.element(id).namespace == Namespace::HTML);
        let xml = tree
            .attribute_value(id, "xml:lang")
            .filter(|_| tree.dialect.is_xml() || tree.element(id).namespace != Namespace::HTML);
        xml.or_else(plain)
    });
    own.or_else(|| page_language(tree)).unwrap_or_default()
}

/// Returns the language in `<meta http-equiv="content-language">`.
fn page_language(tree: &Tree) -> Option<Cow<'_, str>> {
    let is_meta = |id: &Id| {
        tree.is_html_element(*id, Name::META)
            && tree.attribute_value(*id, "http-equiv").is_some_and(|name| name.eq_ignore_ascii_case("content-language"))
    };
    let content = tree.attribute_value((0..tree.element_count()).find(is_meta)?, "content")?;
    let word = content.split_ascii_whitespace().next().filter(|_| !content.contains(','))?;
    Some(Cow::Owned(word.to_owned()))
}

/// Returns whether a language matches a range by the extended filtering of RFC 4647: all parts of the range must occur
/// in the language, in the same order.
fn is_in_range(language: &str, range: &str) -> bool {
    if range.is_empty() || language.is_empty() {
        return range == language;
    }
    let mut wanted = range.split('-');
    let mut given = language.split('-');
    let same = |a: &str, b: &str| a == "*" || a.eq_ignore_ascii_case(b);
    if !wanted.next().zip(given.next()).is_some_and(|(range, own)| same(range, own)) {
        return false;
    }
    'parts: for part in wanted.filter(|part| *part != "*") {
        for own in given.by_ref() {
            if same(part, own) {
                continue 'parts;
            }
            // A single letter starts an extension, which is not matched.
            if own.len() == 1 {
                return false;
            }
        }
        return false;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_range_matches_more_specific_languages() {
        assert!(is_in_range("de-Latn-DE", "de-DE"));
        assert!(is_in_range("de-CH", "*-CH"));
        assert!(is_in_range("en-US", "EN"));
        assert!(!is_in_range("de-x-DE", "de-DE"));
        assert!(!is_in_range("english", "en"));
        assert!(is_in_range("", "") && !is_in_range("", "*"));
    }
}
