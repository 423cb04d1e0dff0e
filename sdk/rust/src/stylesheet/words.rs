//! Keywords of CSS and markup: attributes that contain names, and keywords of `animation`.

use std::ops::Range;

/// The content of an attribute value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttributeContent {
    /// Classes, separated by white space.
    Classes,
    /// The id of the element.
    Id,
    /// Ids of other elements, separated by white space.
    Ids,
    /// A URL, which may refer to an element of the page by `#id`.
    Url,
    /// The name of an image map after `#`.
    Map,
}

/// The content of the attribute with this lower-case name.
pub fn content_of_attribute(attribute: &str) -> Option<AttributeContent> {
    Some(match attribute {
        "class" => AttributeContent::Classes,
        "id" => AttributeContent::Id,
        "for" | "form" | "list" | "headers" | "itemref" | "popovertarget" | "commandfor" | "contextmenu" | "menu"
        | "interesttarget" | "interestfor" | "anchor" => AttributeContent::Ids,
        "aria-activedescendant"
        | "aria-controls"
        | "aria-describedby"
        | "aria-details"
        | "aria-errormessage"
        | "aria-flowto"
        | "aria-labelledby"
        | "aria-owns"
        | "aria-actions" => AttributeContent::Ids,
        "href" | "xlink:href" => AttributeContent::Url,
        "usemap" => AttributeContent::Map,
        _ => return None,
    })
}

/// The words separated by white space.
pub fn tokens(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let start = text.as_ptr() as usize;
    text.split_ascii_whitespace().map(move |word| {
        let at = word.as_ptr() as usize - start;
        at..at + word.len()
    })
}

/// A property or at-rule without a vendor prefix such as `-webkit-`.
pub fn without_vendor(name: &str) -> &str {
    let own = name.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| rest.split_once('-'));
    own.map_or(name, |(_, own)| own)
}

/// Keywords of `animation`, which are not animation names.
const ANIMATION_KEYWORDS: [&str; 27] = [
    "none",
    "initial",
    "inherit",
    "unset",
    "revert",
    "revert-layer",
    "linear",
    "ease",
    "ease-in",
    "ease-out",
    "ease-in-out",
    "step-start",
    "step-end",
    "infinite",
    "normal",
    "reverse",
    "alternate",
    "alternate-reverse",
    "forwards",
    "backwards",
    "both",
    "running",
    "paused",
    "auto",
    "replace",
    "add",
    "accumulate",
];

/// Returns whether a word of `animation` is a keyword.
pub fn is_animation_keyword(word: &str) -> bool {
    ANIMATION_KEYWORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_classified() {
        assert_eq!(tokens(" a  bc\n").collect::<Vec<_>>(), [1..2, 4..6]);
        assert_eq!(without_vendor("-webkit-animation"), "animation");
        assert_eq!(without_vendor("--x-y"), "--x-y");
        assert_eq!(without_vendor("color"), "color");
    }
}
