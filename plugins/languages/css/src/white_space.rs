//! White space in selectors and preludes: where it is significant, and how it is normalized.

use crate::chars::is_name;

/// Returns whether the character can be part of a name.
pub(crate) fn is_word(c: char) -> bool {
    !c.is_ascii() || is_name(c as u8)
}

/// The white space between two tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gap {
    None,
    Comment,
    Space,
}

/// Replaces each line break, with the white space around it, by one space. Strings are not changed.
pub(crate) fn normalize_white_space(text: &str, out: &mut String) {
    let mut quote = None;
    let mut at = 0;
    let bytes = text.as_bytes();
    for (index, c) in text.char_indices() {
        if index < at {
            continue;
        }
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            _ if quote == Some(c) => quote = None,
            _ => {}
        }
        if quote.is_none() && c.is_ascii_whitespace() {
            at = index + bytes[index..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let beside_bracket = out.ends_with(['(', '[', '{']) || matches!(bytes.get(at), Some(b')' | b']' | b'}'));
            if !beside_bracket {
                out.push(' ');
            }
        } else {
            out.push(c);
        }
    }
}
