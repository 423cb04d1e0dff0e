//! `:dir()`: the direction of an element.

use crate::syntax::{Id, Name, Namespace, Tree};

/// Returns whether the direction of the element is left to right, as opposed to right to left.
pub(super) fn is_left_to_right(tree: &Tree, id: Id) -> bool {
    tree.self_and_ancestors(id).find_map(|id| own_direction(tree, id)).unwrap_or(true)
}

/// Returns the direction that an element sets for itself and its descendants: true for left to right.
fn own_direction(tree: &Tree, id: Id) -> Option<bool> {
    if tree.element(id).namespace != Namespace::HTML {
        return None;
    }
    let given = tree.attribute_value(id, "dir").map(|dir| dir.to_ascii_lowercase());
    match given.as_deref() {
        Some("ltr") => Some(true),
        Some("rtl") => Some(false),
        Some("auto") => Some(is_auto_left_to_right(tree, id)),
        _ if tree.is_html_element(id, Name::BDI) => Some(is_auto_left_to_right(tree, id)),
        _ if tree.is_html_element(id, Name::INPUT)
            && tree.attribute_value(id, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("tel")) =>
        {
            Some(true)
        }
        _ => None,
    }
}

/// Returns the direction for `dir="auto"`: that of the first character with a strong direction.
fn is_auto_left_to_right(tree: &Tree, id: Id) -> bool {
    if tree.is_html_element(id, Name::INPUT) {
        return tree.attribute_value(id, "value").and_then(|value| text_direction(&value)).unwrap_or(true);
    }
    if tree.is_html_element(id, Name::TEXTAREA) {
        return text_direction(&crate::text::text_content(tree, id)).unwrap_or(true);
    }
    let skipped = |inner: Id| {
        let element = tree.element(inner);
        tree.has_attribute(inner, "dir")
            || [Name::BDI, Name::SCRIPT, Name::STYLE, Name::TEXTAREA].iter().any(|name| element.is_html_element(*name))
    };
    let mut found = None;
    crate::text::visit_text(tree, id, skipped, &mut |text| {
        found = text_direction(text);
        found.is_none()
    });
    found.unwrap_or(true)
}

fn text_direction(text: &str) -> Option<bool> {
    text.chars().find_map(|c| match u32::from(c) {
        0x0590..=0x08ff | 0x200f | 0xfb1d..=0xfdff | 0xfe70..=0xfeff | 0x10800..=0x10fff | 0x1e800..=0x1efff => {
            (c.is_alphabetic() || c == '\u{200f}').then_some(false)
        }
        0x200e => Some(true),
        _ => c.is_alphabetic().then_some(true),
    })
}
