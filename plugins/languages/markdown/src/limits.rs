//! Limits on the input of the MDX parser. The parser is recursive, so deeply nested input could exhaust the stack.

use marquetry_sdk::{Diagnostic, Severity, Span, lines};

/// Maximum number of containers around one line.
const MAX_CONTAINERS: usize = 100;
/// Maximum number of characters for emphasis, links and images in one paragraph.
const MAX_MARKS: usize = 4000;
/// Maximum nesting of elements, brackets and operators.
const MAX_NESTING: usize = 100;
/// Maximum product of the number of bytes and the number of braces in a paragraph, because the parser scans the bytes
/// for each brace.
const MAX_WORK: usize = 100 << 20;
/// Maximum number of bytes of JavaScript to parse. The parser reads imports and exports again at each blank line, so
/// they are counted for each blank line.
const MAX_SCRIPT_BYTES: usize = 8 << 20;
/// Maximum length that is scanned for the end of a code span. Without it, a line of backticks would take quadratic
/// time.
const MAX_CODE_SCAN: usize = 1000;

/// Returns the reason why the text from this offset on must not be parsed, if there is one.
pub(crate) fn check_limits(text: &str, from: usize) -> Option<Diagnostic> {
    let mut state = LimitScan::default();
    let mut start = from;
    while start < text.len() {
        let end = lines::line_end(text, start);
        if let Some(message) = state.scan_line(&text[start..end]) {
            return Some(Diagnostic {
                severity: Severity::Error,
                span: Span::new(start, end),
                message: format!("{message} to be read as MDX"),
                code: Some("too-deep".to_owned()),
            });
        }
        start = lines::next_line(text, end);
    }
    None
}

/// State of the scan.
#[derive(Debug, Default)]
struct LimitScan<'t> {
    fence: Option<&'t str>,
    /// Number of marks in the current paragraph. `braces` and `bytes` count those of the paragraph, too.
    marks: usize,
    braces: usize,
    bytes: usize,
    /// Number of open elements. `deepest` is its maximum, because one line may open and close many elements.
    elements: usize,
    deepest: usize,
    script: Script,
    /// Number of bytes of imports and exports parsed again at blank lines.
    parsed: usize,
}

impl<'t> LimitScan<'t> {
    fn scan_line(&mut self, line: &'t str) -> Option<&'static str> {
        let (containers, content) = container_prefix(line);
        let mark = content.get(..3).filter(|mark| ["```", "~~~"].contains(mark));
        match (self.fence, mark) {
            (Some(open), Some(mark)) if open == mark => self.fence = None,
            (None, Some(mark)) if !self.script.is_open() => self.fence = Some(mark),
            (Some(_), _) => {}
            (None, _) => self.scan_content(line, content),
        }
        if containers > MAX_CONTAINERS || self.marks > MAX_MARKS {
            return Some("nested too deeply");
        }
        if self.deepest > MAX_NESTING || self.script.deepest > MAX_NESTING {
            return Some("nested too deeply");
        }
        (self.parsed > MAX_SCRIPT_BYTES || self.braces * self.bytes > MAX_WORK).then_some("too long without a break")
    }

    fn scan_content(&mut self, line: &str, content: &str) {
        if content.is_empty() {
            (self.marks, self.braces, self.bytes) = (0, 0, 0);
            if self.script.is_open() {
                self.parsed += self.script.bytes;
            }
        }
        if !self.script.is_open() && (line.starts_with("import") || line.starts_with("export")) {
            self.script = Script::default();
            self.script.module = true;
        }
        self.bytes += line.len() + 1;
        let bytes = content.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            self.braces += usize::from(byte == b'{');
            if self.script.is_open() || byte == b'{' {
                at = self.script.scan_byte(content, at);
                continue;
            }
            match (byte, bytes.get(at + 1).copied().unwrap_or(b' ')) {
                (b'`', _) => {
                    at = code_span_end(content, at);
                    continue;
                }
                (b'*' | b'_' | b'[' | b'~', _) => self.marks += 1,
                (b'<', b'/') | (b'/', b'>') => self.elements = self.elements.saturating_sub(1),
                (b'<', name) if starts_name(name) => {
                    self.elements += 1;
                    self.deepest = self.deepest.max(self.elements);
                }
                _ => {}
            }
            at += 1;
        }
        self.script.end_line(content.is_empty());
    }
}

fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'>' | b'_' | b'$') || !byte.is_ascii()
}

/// State of the scan of JavaScript: an expression up to its closing brace, or imports and exports up to a blank line.
#[derive(Debug, Default)]
struct Script {
    module: bool,
    brackets: usize,
    elements: usize,
    /// Number of operators at which the parser recurses.
    operators: usize,
    deepest: usize,
    bytes: usize,
}

impl Script {
    fn is_open(&self) -> bool {
        self.module || self.brackets > 0
    }

    /// Scans one byte of a line and returns the offset of the next byte to scan.
    fn scan_byte(&mut self, line: &str, at: usize) -> usize {
        let bytes = line.as_bytes();
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        let before = at.checked_sub(1).map_or(b' ', |before| bytes[before]);
        match bytes[at] {
            b'"' => {
                if let Some(end) = memchr::memchr(b'"', &bytes[at + 1..]) {
                    return at + end + 2;
                }
            }
            b'(' | b'[' | b'{' => self.brackets += 1,
            b')' | b']' | b'}' => {
                self.brackets = self.brackets.saturating_sub(1);
                self.operators = 0;
            }
            b',' | b';' => self.operators = 0,
            b'<' if next == b'/' => self.elements = self.elements.saturating_sub(1),
            b'/' if next == b'>' => self.elements = self.elements.saturating_sub(1),
            b'<' if starts_name(next) && !(before.is_ascii_alphanumeric() || before == b')') => self.elements += 1,
            b'!' | b'~' | b'?' | b'+' | b'-' | b'*' | b'=' | b'`' => self.operators += 1,
            b'n' | b't' | b'v' | b'd' | b'a' | b'y'
                if !before.is_ascii_alphanumeric() && starts_keyword_operator(&line[at..]) =>
            {
                self.operators += 1;
            }
            _ => {}
        }
        self.deepest = self.deepest.max(self.brackets + self.elements + self.operators / 16);
        if !self.is_open() {
            *self = Script { deepest: self.deepest, ..Script::default() };
        }
        at + 1
    }

    fn end_line(&mut self, blank: bool) {
        self.bytes += 1;
        if self.module && blank && self.brackets == 0 {
            *self = Script { deepest: self.deepest, ..Script::default() };
        }
    }
}

/// Returns whether the text starts with an operator that is a keyword.
fn starts_keyword_operator(rest: &str) -> bool {
    ["new ", "typeof ", "void ", "delete ", "await ", "yield "].iter().any(|word| rest.starts_with(word))
}

/// Returns the number of containers that a line can have at most, and the text after their marks.
fn container_prefix(line: &str) -> (usize, &str) {
    let (mut marks, mut spaces) = (0, 0);
    let mut rest = line;
    loop {
        let trimmed = rest.trim_start_matches([' ', '\t']);
        spaces += rest.len() - trimmed.len();
        let number = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_bullet = trimmed.starts_with(['-', '*', '+']);
        let is_number = number.len() < trimmed.len() && number.starts_with(['.', ')']);
        let behind = match (is_bullet, is_number) {
            _ if trimmed.starts_with('>') => &trimmed[1..],
            (true, _) => &trimmed[1..],
            (_, true) => &number[1..],
            _ => return (marks + spaces / 2, trimmed),
        };
        if !trimmed.starts_with('>') && !behind.is_empty() && !behind.starts_with([' ', '\t']) {
            return (marks + spaces / 2, trimmed);
        }
        marks += 1;
        rest = behind;
    }
}

/// Returns the offset after the code span that these backticks open. If it is not closed on the line, returns the
/// offset after the backticks.
fn code_span_end(line: &str, start: usize) -> usize {
    let behind = line[start..].trim_start_matches('`');
    let ticks = line.len() - start - behind.len();
    let mut at = line.len() - behind.len();
    let limit = line.len().min(at + MAX_CODE_SCAN);
    while let Some(found) = memchr::memchr(b'`', &line.as_bytes()[at..limit.max(at)]) {
        let close = at + found;
        let rest = line[close..].trim_start_matches('`');
        at = line.len() - rest.len();
        if at - close == ticks {
            return at;
        }
    }
    start + ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_deep_nesting() {
        let script = |open: &str| format!("export const a = {}", open.repeat(5000));
        let closed = "<a>".repeat(300) + &"</a>".repeat(300);
        let texts =
            [closed, "> ".repeat(300), "<a>\n".repeat(300), "1. ".repeat(300), "*".repeat(9000), "{".repeat(300)];
        for text in texts.into_iter().chain(["(", "!", "a=>", "new ", "!\n", "<a>", "1 ? 2 :"].map(script)) {
            assert!(check_limits(&text, 0).is_some(), "{}", &text[..20]);
        }
    }

    #[test]
    fn accepts_text_that_looks_nested() {
        let generic = "`Array<string>` and ``a`<b>``\n".repeat(300);
        let fenced = format!("```\n{}```\n", "Vec<u8> **\n".repeat(3000));
        let data = format!("export const a = [\n{}]\n", "  {b: (1 + 2), c: \"(((\"},\n\n".repeat(500));
        for text in [generic, fenced, data, "-".repeat(300), "<br/>\n".repeat(300), "{a}\n\n".repeat(5000)] {
            assert!(check_limits(&text, 0).is_none(), "{}", &text[..20]);
        }
    }
}
