//! Drifts: changes of a file between the moment when an instruction is written and the moment when it is applied.

use super::{
    change::LineChange,
    formats::{Format, IndentationRule},
};

/// A kind of drift.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Drift {
    /// The file is unchanged.
    None,
    /// Another width of indentation, where the format allows it: 2 spaces become 4, other widths 2, and tabs 2 spaces.
    /// Runs of blank lines become one blank line.
    Formatter,
    /// Twelve lines at the start of the file.
    LinesAbove,
    /// Line feeds become CRLF.
    Crlf,
    /// Indentation by spaces becomes tabs; tabs become 4 spaces.
    Tabs,
    /// Another line of the function, or of the smallest part with several lines, is changed.
    OtherEdit,
}

impl Drift {
    pub(super) const ALL: [Drift; 6] =
        [Drift::None, Drift::Formatter, Drift::LinesAbove, Drift::Crlf, Drift::Tabs, Drift::OtherEdit];

    /// The name in tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Drift::None => "none",
            Drift::Formatter => "formatter",
            Drift::LinesAbove => "lines above",
            Drift::Crlf => "CRLF",
            Drift::Tabs => "tabs",
            Drift::OtherEdit => "other edit",
        }
    }

    /// Returns the text after the drift; `None` if the format does not allow it. `old` is the indentation of the file, and
    /// `other` is the change of another line.
    pub(super) fn apply(
        self,
        text: &str,
        format: &Format,
        old: Option<Indentation>,
        other: &LineChange,
    ) -> Option<String> {
        match self {
            Drift::None => Some(text.to_owned()),
            Drift::Formatter => Some(single_blank_lines(&reindent_as_formatter(text, format, old))),
            Drift::LinesAbove => insert_lines(text, format),
            Drift::Crlf => Some(text.replace('\n', "\r\n")),
            Drift::Tabs if !format.allows_tabs => None,
            Drift::Tabs if old == Some(Indentation::Tabs) => Some(reindent(text, old, "    ")),
            Drift::Tabs => Some(reindent(text, old, "\t")),
            Drift::OtherEdit => Some(other.apply(&text.split('\n').collect::<Vec<_>>()).join("\n")),
        }
    }
}

/// Number of lines that are inserted at the start of the file.
const LINES_ABOVE: usize = 12;

/// The unit of indentation of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Indentation {
    Tabs,
    Spaces(usize),
}

/// Returns the most frequent step to a deeper line; `None` if no line is indented.
pub(super) fn indentation(text: &str) -> Option<Indentation> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let widths: Vec<(bool, usize)> = lines.map(|line| (line.starts_with('\t'), leading_spaces(line))).collect();
    let tabs = widths.iter().filter(|(has_tab, _)| *has_tab).count();
    let mut steps = [0_usize; 9];
    for pair in widths.windows(2) {
        let step = pair[1].1.saturating_sub(pair[0].1);
        if (2..steps.len()).contains(&step) {
            steps[step] += 1;
        }
    }
    let width = (2..steps.len()).rev().max_by_key(|step| steps[*step])?;
    if tabs > steps[width] {
        return Some(Indentation::Tabs);
    }
    (steps[width] > 0).then_some(Indentation::Spaces(width))
}

fn leading_spaces(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Changes the width of the indentation, if the format allows it.
fn reindent_as_formatter(text: &str, format: &Format, old: Option<Indentation>) -> String {
    match (format.indentation, old) {
        (IndentationRule::Fixed, _) => text.to_owned(),
        (_, Some(Indentation::Spaces(2))) => reindent(text, old, "    "),
        (IndentationRule::Wider, _) => text.to_owned(),
        (IndentationRule::Any, _) => reindent(text, old, "  "),
    }
}

/// Replaces each unit of indentation by another one. Lines keep the spaces that exceed whole units.
fn reindent(text: &str, old: Option<Indentation>, unit: &str) -> String {
    let (old, width) = match old {
        None => return text.to_owned(),
        Some(Indentation::Tabs) => ('\t', 1),
        Some(Indentation::Spaces(width)) => (' ', width),
    };
    let line = |line: &str| {
        let rest = line.trim_start_matches(old);
        let count = line.len() - rest.len();
        let remainder = old.to_string().repeat(count % width);
        if rest.is_empty() { line.to_owned() } else { unit.repeat(count / width) + &remainder + rest }
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn single_blank_lines(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in text.split('\n') {
        if line.is_empty() && lines.last().is_some_and(|last| last.is_empty()) {
            continue;
        }
        lines.push(line);
    }
    let text = lines.join("\n");
    if text.ends_with('\n') { text } else { text + "\n" }
}

/// Inserts comments at the start of a file, or members at the start of its only object; `None` if there is no such place.
fn insert_lines(text: &str, format: &Format) -> Option<String> {
    let start = if format.name == "JSON" { text.strip_prefix("{\n").map(|_| 2)? } else { header_end(text) };
    let inserted: String = (1..=LINES_ABOVE).map(|number| format.comment(number)).collect();
    Some(format!("{}{inserted}{}", &text[..start], &text[start..]))
}

/// Returns the end of the lines that must be the first ones: `#!`, `<!doctype`, `@charset`, and front matter.
fn header_end(text: &str) -> usize {
    if let Some(rest) = text.strip_prefix("---\n")
        && let Some(end) = rest.find("\n---\n")
    {
        return "---\n".len() + end + "\n---\n".len();
    }
    let lower: String = text.chars().take(9).collect::<String>().to_lowercase();
    let has_header = ["#!", "<!doctype", "@charset"].iter().any(|start| lower.starts_with(start));
    if has_header && !text.starts_with("#![") { text.find('\n').map_or(0, |end| end + 1) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::{super::formats::format_of, *};

    fn check(drift: Drift, extension: &str, text: &str, expected: Option<&str>) {
        let format = format_of(extension).expect("a format");
        let other = LineChange { line: 1, old: vec!["b".to_owned()], new: vec!["x".to_owned()] };
        assert_eq!(drift.apply(text, format, indentation(text), &other).as_deref(), expected, "{text:?}");
    }

    #[test]
    fn unchanged_file_is_the_same() {
        check(Drift::None, "ts", "a\n  b\n", Some("a\n  b\n"));
    }

    #[test]
    fn formatter_changes_the_width_of_indentation() {
        check(Drift::Formatter, "ts", "a {\n  b {\n    c\n  }\n}\n", Some("a {\n    b {\n        c\n    }\n}\n"));
        check(Drift::Formatter, "py", "a:\n    b:\n        c\n", Some("a:\n  b:\n    c\n"));
        check(Drift::Formatter, "go", "a {\n\tb {\n\t\tc\n\t}\n}\n", Some("a {\n  b {\n    c\n  }\n}\n"));
    }

    #[test]
    fn formatter_keeps_the_alignment_of_comments() {
        check(
            Drift::Formatter,
            "ts",
            "a {\n  b\n  /**\n   * c\n   */\n}\n",
            Some("a {\n    b\n    /**\n     * c\n     */\n}\n"),
        );
    }

    #[test]
    fn formatter_keeps_one_blank_line() {
        check(Drift::Formatter, "toml", "a = 1\n\n\n\nb = 2\n", Some("a = 1\n\nb = 2\n"));
    }

    #[test]
    fn formatter_keeps_the_alignment_of_yaml() {
        check(Drift::Formatter, "yaml", "- a: 1\n  b: 2\n\n\n- c: 3\n", Some("- a: 1\n  b: 2\n\n- c: 3\n"));
    }

    #[test]
    fn formatter_does_not_reduce_the_indentation_of_lists() {
        check(Drift::Formatter, "md", "1. a\n    - b\n", Some("1. a\n    - b\n"));
        check(Drift::Formatter, "md", "- a\n  - b\n", Some("- a\n    - b\n"));
    }

    #[test]
    fn tabs_replace_spaces_and_spaces_tabs() {
        check(Drift::Tabs, "ts", "a {\n  b {\n     c\n", Some("a {\n\tb {\n\t\t c\n"));
        check(Drift::Tabs, "go", "a {\n\tb\n}\n", Some("a {\n    b\n}\n"));
        check(Drift::Tabs, "yaml", "a:\n  b: c\n", None);
    }

    #[test]
    fn line_breaks_become_crlf() {
        check(Drift::Crlf, "ts", "a\nb\n", Some("a\r\nb\r\n"));
    }

    #[test]
    fn other_line_is_replaced() {
        check(Drift::OtherEdit, "ts", "a\nb\nc\n", Some("a\nx\nc\n"));
    }

    #[test]
    fn lines_are_inserted_below_the_header() {
        for (extension, header, rest) in [
            ("py", "#!/usr/bin/env python\n", "a = 1\n"),
            ("html", "<!DOCTYPE html>\n", "<p>a</p>\n"),
            ("md", "---\na: 1\n---\n", "# b\n"),
            ("json", "{\n", "  \"a\": 1\n}\n"),
            ("rs", "", "#![allow(unused)]\n"),
            ("ts", "", "a\n"),
        ] {
            let format = format_of(extension).expect("a format");
            let inserted: String = (1..=LINES_ABOVE).map(|number| format.comment(number)).collect();
            check(Drift::LinesAbove, extension, &format!("{header}{rest}"), Some(&format!("{header}{inserted}{rest}")));
        }
        check(Drift::LinesAbove, "json", "[\n  1\n]\n", None);
    }
}
