//! Code blocks: fences, their language, and their content.

use std::ops::Range;

use marquetry_sdk::lines;

/// A fenced code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fence<'t> {
    /// The opening line.
    pub(crate) opening: Range<usize>,
    /// The backticks or tildes.
    pub(crate) mark: &'t str,
    /// The info string after the opening backticks or tildes.
    pub(crate) info: &'t str,
    /// The text between the fences, without the line break before the closing fence.
    pub(crate) content: Range<usize>,
    /// The closing backticks or tildes.
    pub(crate) closing: Option<Range<usize>>,
}

/// Returns the fences and the content of a fenced code block at this range.
pub(crate) fn parse_fence(text: &str, block: Range<usize>) -> Option<Fence<'_>> {
    let Range { start, end } = block;
    let mark = fence_mark(&text[start..end]);
    if mark.len() < 3 {
        return None;
    }
    let first_end = lines::line_end(&text[..end], start);
    let info = text[start + mark.len()..first_end].trim();
    let first = lines::next_line(&text[..end], start);
    let last = lines::line_start(text, end);
    let line = text[last.min(end)..end].trim_start_matches([' ', '\t', '>']);
    let closes = last > start
        && line.len() >= mark.len()
        && fence_mark(line).len() == line.len()
        && line.starts_with(&mark[..1]);
    let (content_end, closing) = if closes { (last, Some(end - line.len()..end)) } else { (end, None) };
    let content = first.min(content_end)..content_end;
    let trailing = match closing {
        Some(_) if content.is_empty() => 0,
        Some(_) => break_before(text, content.end),
        None => 0,
    };
    Some(Fence { opening: start..first_end, mark, info, content: content.start..content.end - trailing, closing })
}

fn break_before(text: &str, end: usize) -> usize {
    let before = &text[..end];
    before.len() - before.strip_suffix("\r\n").or(before.strip_suffix(['\n', '\r'])).unwrap_or(before).len()
}

/// Returns the backticks or tildes at the start.
fn fence_mark(line: &str) -> &str {
    let rest = match line.chars().next() {
        Some(mark @ ('`' | '~')) => line.trim_start_matches(mark),
        _ => line,
    };
    &line[..line.len() - rest.len()]
}

/// Returns whether the text starts with an opening fence.
pub(crate) fn starts_fence(text: &str) -> bool {
    fence_mark(text).len() >= 3
}

/// Returns the language in an info string, or an empty text.
pub(crate) fn info_language(info: &str) -> &str {
    let info = info.trim_start_matches(['{', '.', ' ']);
    let end = info
        .find(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | ',' | ':' | '=' | '[' | ']' | '"'))
        .unwrap_or(info.len());
    &info[..end]
}

/// Returns a fence that is long enough for this content, or `None` if `mark` is long enough.
pub(crate) fn longer_fence(mark: &str, content: &str) -> Option<String> {
    let sign = &mark[..1];
    let longest = content.lines().map(|line| fence_mark(line.trim_start()).len()).filter(|length| *length > 0).max()?;
    let clashes = content.lines().any(|line| line.trim_start().starts_with(mark));
    clashes.then(|| sign.repeat(longest + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_fences_and_content() {
        let text = "```js title\na\n\nb\n```";
        let found = parse_fence(text, 0..text.len()).expect("fenced");
        assert_eq!((found.info, &text[found.content], found.closing), ("js title", "a\n\nb", Some(17..20)));
        let text = "~~~\n~~~";
        assert_eq!(parse_fence(text, 0..7).expect("fenced").content, 4..4);
        let open = parse_fence("```\na", 0..5).expect("fenced");
        assert_eq!((open.content, open.closing), (4..5, None));
        let quoted = "> ```\n> a\n> ```";
        assert_eq!(&quoted[parse_fence(quoted, 2..15).expect("fenced").content], "> a");
    }

    #[test]
    fn parses_language_of_info_string() {
        for (info, expected) in
            [("js", "js"), ("rust,ignore", "rust"), ("{.python .x}", "python"), ("c++ a", "c++"), ("", "")]
        {
            assert_eq!(info_language(info), expected);
        }
    }

    #[test]
    fn fence_grows_beyond_backticks_in_content() {
        assert_eq!(longer_fence("```", "a\n````\n"), Some("`````".to_owned()));
        assert_eq!(longer_fence("```", "a ``` b"), None);
    }
}
