//! The formats of the files that are mutated, with their comments.

/// A format.
#[derive(Debug)]
pub(super) struct Format {
    pub name: &'static str,
    pub extensions: &'static [&'static str],
    /// The start and end of a comment of one line.
    comment: (&'static str, &'static str),
    pub allows_tabs: bool,
    pub indentation: IndentationRule,
}

/// The changes of indentation that keep the meaning of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IndentationRule {
    Any,
    /// Only wider indentation: the content of a list item needs at least the width of its marker.
    Wider,
    /// Indentation must not change: lines are aligned with text of other lines.
    Fixed,
}

impl Format {
    const fn new(
        name: &'static str,
        extensions: &'static [&'static str],
        comment: (&'static str, &'static str),
    ) -> Format {
        Format { name, extensions, comment, allows_tabs: true, indentation: IndentationRule::Any }
    }

    /// Returns a line to insert: a comment, or a member of an object in formats without comments.
    pub(super) fn comment(&self, number: usize) -> String {
        format!("{}Added line {number}{}\n", self.comment.0, self.comment.1)
    }
}

/// All formats, in the order of the table.
pub(super) static FORMATS: [Format; 11] = [
    Format::new("TypeScript", &["ts", "tsx"], ("// ", "")),
    Format::new("JavaScript", &["js", "mjs", "cjs", "jsx"], ("// ", "")),
    Format::new("Python", &["py"], ("# ", "")),
    Format::new("Rust", &["rs"], ("// ", "")),
    Format::new("Go", &["go"], ("// ", "")),
    Format::new("JSON", &["json"], ("  \"", "\": true,")),
    Format {
        allows_tabs: false,
        indentation: IndentationRule::Fixed,
        ..Format::new("YAML", &["yml", "yaml"], ("# ", ""))
    },
    Format::new("TOML", &["toml"], ("# ", "")),
    Format::new("CSS", &["css"], ("/* ", " */")),
    Format { indentation: IndentationRule::Wider, ..Format::new("Markdown", &["md"], ("<!-- ", " -->")) },
    Format::new("HTML", &["html", "htm"], ("<!-- ", " -->")),
];

/// Returns the format of a file extension.
pub(super) fn format_of(extension: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.extensions.contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_unambiguous() {
        let all: Vec<&str> = FORMATS.iter().flat_map(|format| format.extensions).copied().collect();
        let unique: std::collections::BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(unique.len(), all.len());
    }

    #[test]
    fn inserted_lines_are_comments_or_members() {
        assert_eq!(format_of("css").expect("CSS").comment(3), "/* Added line 3 */\n");
        assert_eq!(format_of("json").expect("JSON").comment(3), "  \"Added line 3\": true,\n");
        assert!(format_of("zip").is_none());
    }
}
