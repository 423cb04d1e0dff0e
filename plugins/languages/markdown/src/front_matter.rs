//! Front matter: YAML or TOML between fences at the very start of a document.

use std::ops::Range;

use marquetry_sdk::lines;

/// Front matter with its fences, and its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FrontMatter {
    pub(crate) whole: Range<usize>,
    pub(crate) content: Range<usize>,
}

/// Returns the front matter that starts at this offset. If an opening fence is not closed, fails with its range.
pub(crate) fn find_front_matter(text: &str, start: usize) -> Result<Option<FrontMatter>, Range<usize>> {
    let Some(fence) = ["---", "+++"].into_iter().find(|fence| is_fence(text, start, fence)) else { return Ok(None) };
    let first = lines::next_line(text, start);
    let mut at = first;
    while at < text.len() {
        if is_fence(text, at, fence) {
            let content = first..at - trailing_break(&text[first..at]);
            return Ok(Some(FrontMatter { whole: start..at + fence.len(), content }));
        }
        at = lines::next_line(text, at);
    }
    // A line of dashes may also be a thematic break. It is an unclosed fence only if the next line looks like a key.
    let second = &text[first..lines::line_end(text, first)];
    let key = second.split_once([':', '=']).map(|(key, _)| key.trim());
    let is_key = key.is_some_and(|key| {
        !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-' || c == '.')
    });
    if is_key { Err(start..start + fence.len()) } else { Ok(None) }
}

/// Returns the ranges of the values on simple lines of front matter. A value follows a key or a dash, and is returned
/// without quotes and comments.
pub(crate) fn value_ranges(content: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < content.len() {
        let line = &content[at..lines::line_end(content, at)];
        let start = line.len() - line.trim_start_matches([' ', '\t', '-']).len();
        let behind_key = line[start..].find([':', '=']).map_or(start, |sign| start + sign + 1);
        let value = line[behind_key..].split(" #").next().unwrap_or_default();
        let inner = value.trim().trim_matches(['"', '\'', ',']);
        if let Some(inset) = line[behind_key..].find(inner).filter(|_| !inner.is_empty()) {
            found.push(at + behind_key + inset..at + behind_key + inset + inner.len());
        }
        at = lines::next_line(content, at);
    }
    found
}

fn is_fence(text: &str, line: usize, fence: &str) -> bool {
    let line = &text[line..lines::line_end(text, line)];
    line.strip_prefix(fence).is_some_and(|rest| rest.bytes().all(|b| b == b' ' || b == b'\t'))
}

fn trailing_break(text: &str) -> usize {
    text.len() - text.strip_suffix("\r\n").or(text.strip_suffix(['\n', '\r'])).unwrap_or(text).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, content: Option<&str>) {
        let found = find_front_matter(text, 0).expect("closed or none");
        assert_eq!(found.map(|front| &text[front.content]), content);
    }

    #[test]
    fn finds_content_between_fences() {
        check("---\na: 1\n---\n# x", Some("a: 1"));
        check("--- \r\na: 1\r\nb: 2\r\n---\t\r\n", Some("a: 1\r\nb: 2"));
        check("+++\na = 1\n+++", Some("a = 1"));
        check("---\n---\n", Some(""));
        check("---\n\n---", Some(""));
    }

    #[test]
    fn finds_values_after_keys_and_dashes() {
        let content = "cover: ./a.png # why\nlist:\n  - 'b/c.md'\n  - d: \"e\"\ntitle = \"x: y\"\n";
        let found: Vec<&str> = value_ranges(content).into_iter().map(|range| &content[range]).collect();
        assert_eq!(found, ["./a.png", "b/c.md", "e", "x: y"]);
    }

    #[test]
    fn thematic_break_is_not_front_matter() {
        check("---\ntext\n", None);
        check("--- a\n---", None);
        check("----\na: 1\n----", None);
        assert_eq!(find_front_matter("---\ntitle: x\n\n# y\n", 0), Err(0..3));
    }
}
