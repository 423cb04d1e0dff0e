//! Character classes of XML 1.0 (fifth edition): names, white space, and characters allowed in a document.

/// A set of bytes.
pub(crate) type ByteSet = [bool; 256];

/// Bytes that end a run of plain text: `<`, `&`, the `]` of `]]>`, and bytes that can start a forbidden character.
pub(crate) const TEXT_STOPS: ByteSet = byte_set(b"<&]");
/// Bytes that end a run in a double-quoted attribute value.
pub(crate) const DOUBLE_QUOTED_STOPS: ByteSet = byte_set(b"<&\"");
/// Bytes that end a run in a single-quoted attribute value.
pub(crate) const SINGLE_QUOTED_STOPS: ByteSet = byte_set(b"<&'");
/// Bytes that can start a forbidden character.
pub(crate) const SUSPECT_BYTES: ByteSet = byte_set(b"");

const NAME_BYTES: ByteSet = name_bytes();

const fn byte_set(markup: &[u8]) -> ByteSet {
    let mut set = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        set[byte] = !matches!(byte as u8, b'\t' | b'\n' | b'\r');
        byte += 1;
    }
    set[0xEF] = true; // U+FFFE and U+FFFF
    let mut index = 0;
    while index < markup.len() {
        set[markup[index] as usize] = true;
        index += 1;
    }
    set
}

const fn name_bytes() -> ByteSet {
    let mut set = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let b = byte as u8;
        set[byte] = b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b'-' | b'.');
        byte += 1;
    }
    set
}

/// Offset of the first byte in the set, from `at` on; the length if there is none.
pub(crate) fn find_byte(bytes: &[u8], at: usize, set: &ByteSet) -> usize {
    bytes[at..].iter().position(|byte| set[*byte as usize]).map_or(bytes.len(), |run| at + run)
}

/// Returns whether the byte is white space in XML.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// End of the white space at this offset.
pub(crate) fn skip_space(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| !is_space(*byte)).map_or(bytes.len(), |run| at + run)
}

/// Returns whether the text contains only white space.
pub(crate) fn is_blank(text: &str) -> bool {
    text.bytes().all(is_space)
}

/// The text without surrounding white space.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\r'])
}

/// Returns whether the character is allowed in a document.
pub(crate) fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..='\u{10FFFF}')
}

/// Returns whether the character can start a name.
pub(crate) fn is_name_start(c: char) -> bool {
    match c {
        'A'..='Z' | 'a'..='z' | '_' | ':' => true,
        _ if c.is_ascii() => false,
        _ => matches!(c,
            '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}'
            | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}'
            | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}'),
    }
}

/// Returns whether the character can be part of a name.
pub(crate) fn is_name_char(c: char) -> bool {
    is_name_start(c) || matches!(c, '0'..='9' | '-' | '.' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

/// End of the name token (any name characters) at this offset.
pub(crate) fn token_end(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    loop {
        while at < bytes.len() && NAME_BYTES[bytes[at] as usize] {
            at += 1;
        }
        match bytes.get(at) {
            Some(byte) if *byte >= 0x80 => match text[at..].chars().next() {
                Some(c) if is_name_char(c) => at += c.len_utf8(),
                _ => return at,
            },
            _ => return at,
        }
    }
}

/// End of the name at this offset; the offset itself if no name starts there.
pub(crate) fn name_end(text: &str, at: usize) -> usize {
    match text[at..].chars().next() {
        Some(c) if is_name_start(c) => token_end(text, at),
        _ => at,
    }
}

/// Returns whether the whole text is one name.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && name_end(text, 0) == text.len()
}

/// Returns whether the whole text is a name without a colon.
pub(crate) fn is_ncname(text: &str) -> bool {
    is_name(text) && !text.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classifies_name_characters() {
        assert!(is_name("a-b.c:d") && is_name("é·") && is_name("_"));
        assert!(!is_name("-a") && !is_name("1") && !is_name("") && !is_name("a b") && !is_name("·"));
        assert!(is_ncname("x") && !is_ncname("x:y"));
        assert_eq!(name_end("<año>", 1), 5);
    }

    #[test]
    fn classifies_document_characters() {
        assert!(is_char('\t') && is_char('é') && is_char('\u{FFFD}'));
        assert!(!is_char('\0') && !is_char('\u{FFFF}') && !is_char('\u{B}'));
        assert_eq!(find_byte(b"plain text]", 0, &TEXT_STOPS), 10);
    }
}
