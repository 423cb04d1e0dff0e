//! Makes text from repositories, plugins and servers safe to display.
//!
//! A terminal interprets control sequences, and bidirectional marks reorder a line. Either can hide what the user is
//! asked to approve.

use std::{borrow::Cow, fmt::Write};

/// Escapes control characters and invisible formatting characters. Keeps tabs and line breaks.
///
/// # Examples
///
/// ```
/// assert_eq!(marquetry_model::escape::escape_text("a\tb\n\u{1b}[2J"), "a\tb\n\\u{1b}[2J");
/// ```
pub fn escape_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_break = letter == '\r' && letters.peek() == Some(&'\n');
        if matches!(letter, '\n' | '\t') || is_break || !is_hidden(letter) {
            escaped.push(letter);
        } else {
            escaped.extend(letter.escape_default());
        }
    }
    escaped
}

/// Like [`escape_text`], but for a single line: escapes tabs and line breaks as well.
///
/// # Examples
///
/// ```
/// assert_eq!(marquetry_model::escape::escape_line("one\nall is bundled"), "one\\nall is bundled");
/// ```
pub fn escape_line(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_hidden(letter) { escaped.extend(letter.escape_default()) } else { escaped.push(letter) }
    }
    escaped
}

/// Escapes invisible characters in JSON, or in a text, as JSON does. The value stays the same. Keeps tabs and line breaks,
/// which JSON has only between values.
///
/// # Examples
///
/// ```
/// assert_eq!(marquetry_model::escape::escape_json("[\n\"a\u{202e}\"]"), "[\n\"a\\u202e\"]");
/// ```
pub fn escape_json(json: &str) -> Cow<'_, str> {
    let is_escaped = |letter: char| !matches!(letter, '\n' | '\t') && is_hidden(letter);
    if !json.chars().any(is_escaped) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for letter in json.chars() {
        if is_escaped(letter) {
            letter.encode_utf16(&mut [0; 2]).iter().for_each(|unit| _ = write!(escaped, "\\u{unit:04x}"));
        } else {
            escaped.push(letter);
        }
    }
    Cow::Owned(escaped)
}

/// Returns a path for the header of a diff. A path with invisible characters, such as a line break, is quoted as git
/// does, so that it cannot forge a line.
///
/// # Examples
///
/// ```
/// use marquetry_model::escape::quote_path;
/// assert_eq!(quote_path("a/b c.ts"), "a/b c.ts");
/// assert_eq!(quote_path("a/b\nrename to x"), "\"a/b\\nrename to x\"");
/// ```
pub fn quote_path(path: &str) -> Cow<'_, str> {
    if !path.chars().any(is_hidden) {
        return Cow::Borrowed(path);
    }
    let mut quoted = String::from("\"");
    for letter in path.chars() {
        match letter {
            '\n' => quoted += "\\n",
            '\t' => quoted += "\\t",
            '\r' => quoted += "\\r",
            '"' | '\\' => quoted.extend(['\\', letter]),
            hidden if is_hidden(hidden) => {
                for byte in hidden.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(quoted, "\\{byte:03o}");
                }
            }
            plain => quoted.push(plain),
        }
    }
    Cow::Owned(quoted + "\"")
}

/// Formats a command as one line. Words with special characters are quoted, so that the line shows where each word
/// ends.
///
/// # Examples
///
/// ```
/// let words = ["sh", "-c", "touch a; cat"].map(str::to_owned);
/// assert_eq!(marquetry_model::escape::quote_command(&words), "sh -c \"touch a; cat\"");
/// ```
pub fn quote_command(words: &[String]) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_@%+=:,./-".contains(letter);
    let mut line = String::new();
    for (place, word) in words.iter().enumerate() {
        line += if place > 0 { " " } else { "" };
        if !word.is_empty() && word.chars().all(is_plain) {
            line += word;
        } else {
            let inner = escape_line(&word.replace('\\', "\\\\").replace('"', "\\\""));
            let _ = write!(line, "\"{inner}\"");
        }
    }
    line
}

/// Returns whether a terminal or text renderer interprets the character instead of displaying it.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            // Bidirectional marks, embeddings, overrides and isolates.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Line and paragraph separators, the byte order mark, tags.
            | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One character of each kind that is escaped.
    const HIDDEN: [char; 12] = [
        '\u{0}',
        '\u{1b}',
        '\u{7f}',
        '\u{9b}',
        '\u{61c}',
        '\u{200e}',
        '\u{202e}',
        '\u{2066}',
        '\u{2028}',
        '\u{2029}',
        '\u{feff}',
        '\u{e0041}',
    ];

    #[test]
    fn hidden_characters_are_escaped() {
        for letter in HIDDEN {
            let text = format!("a{letter}b");
            assert!(!escape_text(&text).contains(letter), "{letter:?}");
            assert!(!escape_line(&text).contains(letter), "{letter:?}");
            assert!(!quote_command(&[text]).contains(letter), "{letter:?}");
        }
        assert_eq!(escape_text("a\tb\r\nc\rd"), "a\tb\r\nc\\rd");
        assert_eq!(escape_line("a\tb\r\nc"), "a\\tb\\r\\nc");
        assert_eq!(escape_line("straße 👩‍💻 भाषा"), "straße 👩‍💻 भाषा");
    }

    #[test]
    fn hidden_characters_of_json_are_escaped() {
        for letter in HIDDEN {
            let escaped = escape_json(&format!("{{\n\"a{letter}\": 1 }}")).into_owned();
            assert!(!escaped.contains(letter) && escaped.starts_with("{\n\"a\\u"), "{letter:?}: {escaped}");
        }
        assert_eq!(escape_json("\"\u{e0041}\""), "\"\\udb40\\udc41\"");
        assert!(matches!(escape_json("{\n  \"straße\": 1\n}"), Cow::Borrowed(_)));
    }

    #[test]
    fn invisible_characters_of_paths_are_quoted_as_in_git() {
        for (path, quoted) in [
            ("a \"b\"\\c", "a \"b\"\\c"),
            ("\n", "\"\\n\""),
            ("\t", "\"\\t\""),
            ("\r", "\"\\r\""),
            ("\"\\\n", "\"\\\"\\\\\\n\""),
            ("\u{1b}\u{202e}é", "\"\\033\\342\\200\\256é\""),
        ] {
            assert_eq!(quote_path(path), quoted, "{path:?}");
        }
    }

    #[test]
    fn words_of_a_command_are_quoted() {
        let quoted = |words: &[&str]| quote_command(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(quoted(&["a b"]), "\"a b\"");
        assert_eq!(quoted(&["a", "b"]), "a b");
        assert_eq!(quoted(&["a\" \"b", ""]), "\"a\\\" \\\"b\" \"\"");
        assert_eq!(quoted(&["node_modules/.bin/x", "--stdio"]), "node_modules/.bin/x --stdio");
    }
}
