//! Lines of a text: starts, ends, breaks and indentation.

/// The start of the line at this offset.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::lines::line_start;
///
/// assert_eq!(line_start("one\ntwo\n", 6), 4);
/// ```
pub fn line_start(text: &str, offset: usize) -> usize {
    memchr::memrchr2(b'\n', b'\r', &text.as_bytes()[..offset]).map_or(0, |at| at + 1)
}

/// The end of the line at this offset, without its line break.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::lines::line_end;
///
/// assert_eq!(line_end("one\r\ntwo", 1), 3);
/// ```
pub fn line_end(text: &str, offset: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &text.as_bytes()[offset..]).map_or(text.len(), |at| offset + at)
}

/// The start of the next line; the end of the text on the last line.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::lines::next_line;
///
/// assert_eq!([next_line("one\r\ntwo", 1), next_line("one\r\ntwo", 6)], [5, 8]);
/// ```
pub fn next_line(text: &str, offset: usize) -> usize {
    let end = line_end(text, offset);
    end + break_len(text, end)
}

/// The start of the previous line; `start` is the start of this line. `None` on the first line.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::lines::previous_line;
///
/// assert_eq!([previous_line("one\ntwo\n", 8), previous_line("one\ntwo\n", 0)], [Some(4), None]);
/// ```
pub fn previous_line(text: &str, start: usize) -> Option<usize> {
    let before = text[..start].strip_suffix("\r\n").or_else(|| text[..start].strip_suffix(['\n', '\r']))?;
    Some(line_start(text, before.len()))
}

/// The length of the line break at this offset: 0, 1 or 2.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::lines::break_len;
///
/// assert_eq!([break_len("a\r\nb\n", 1), break_len("a\r\nb\n", 4), break_len("a\r\nb\n", 0)], [2, 1, 0]);
/// ```
pub fn break_len(text: &str, offset: usize) -> usize {
    match &text.as_bytes()[offset..] {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}

/// The white space at the start of the line at this offset.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::lines::indent_at;
///
/// assert_eq!(indent_at("a {\n  b\n}", 7), "  ");
/// ```
pub fn indent_at(text: &str, offset: usize) -> &str {
    let start = line_start(text, offset);
    let rest = &text[start..];
    &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
}

/// Returns whether there is only white space between the start of the line and the offset.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::lines::starts_line;
///
/// assert!(starts_line("a\n  b c", 4) && !starts_line("a\n  b c", 6));
/// ```
pub fn starts_line(text: &str, offset: usize) -> bool {
    // Searches back from the offset, not from the line's start: a line can be the whole text.
    let before = text[..offset].trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with(['\n', '\r'])
}

/// Returns whether there is only white space between the offset and the end of the line.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::lines::ends_line;
///
/// assert!(ends_line("a b  \nc", 3) && !ends_line("a b  \nc", 1));
/// ```
pub fn ends_line(text: &str, offset: usize) -> bool {
    let after = text[offset..].trim_start_matches([' ', '\t']);
    after.is_empty() || after.starts_with(['\n', '\r'])
}

/// The first line break of the text; `\n` if it has none.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::lines::line_break;
///
/// assert_eq!([line_break("a\r\nb\n"), line_break("a")], ["\r\n", "\n"]);
/// ```
pub fn line_break(text: &str) -> &'static str {
    match memchr::memchr2(b'\n', b'\r', text.as_bytes()) {
        Some(at) if text.as_bytes()[at] == b'\n' => "\n",
        Some(at) if text.as_bytes().get(at + 1) == Some(&b'\n') => "\r\n",
        Some(_) => "\r",
        None => "\n",
    }
}
