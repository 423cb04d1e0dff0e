//! Names that tags of JSDoc comments declare: `@typedef {…} Name`, `@callback Name`, `@template T`.

use oxc_span::Span;

use crate::program::source_file::SourceFile;

/// A name that a tag declares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CommentName {
    pub(crate) span: Span,
    pub(crate) kind: CommentNameKind,
    /// The comment that contains the tag.
    pub(crate) comment: Span,
    /// Offset of the code that the comment precedes.
    pub(crate) code_offset: u32,
}

/// Kind of a name in a comment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CommentNameKind {
    /// A type, which a module exports.
    Type,
    /// A type parameter, known in the comment and the code that it documents.
    Parameter,
}

/// Tags that declare names.
const TAGS: [(&str, CommentNameKind); 4] = [
    ("@typedef", CommentNameKind::Type),
    ("@callback", CommentNameKind::Type),
    ("@template", CommentNameKind::Parameter),
    ("@enum", CommentNameKind::Type),
];

/// Returns the names that comments of a JavaScript file declare.
pub(crate) fn comment_names(file: &SourceFile<'_>) -> Vec<CommentName> {
    let text = file.text();
    let mut found = Vec::new();
    if !file.is_javascript() {
        return found;
    }
    for comment in file.program.comments.iter().filter(|comment| comment.is_block()) {
        let contents = comment.span.source_text(text);
        if !contents.starts_with("/**") || !TAGS.iter().any(|(tag, _)| contents.contains(tag)) {
            continue;
        }
        for (span, kind) in names_in(contents) {
            let span = Span::new(comment.span.start + span.start, comment.span.start + span.end);
            found.push(CommentName { span, kind, comment: comment.span, code_offset: comment.attached_to });
        }
    }
    found
}

/// Returns the names that a comment declares, in document order.
fn names_in(comment: &str) -> Vec<(Span, CommentNameKind)> {
    let mut found = Vec::new();
    for (at, _) in comment.match_indices('@') {
        let Some((tag, kind)) = TAGS.iter().find(|(tag, _)| comment[at..].starts_with(tag)) else { continue };
        let mut reader = Reader { text: comment, at: at + tag.len() };
        let starts_line = comment[..at].trim_end_matches([' ', '\t', '*', '/']).is_empty()
            || comment[..at].trim_end_matches([' ', '\t', '*']).ends_with('\n');
        if !starts_line || reader.rest().starts_with(is_name_char) {
            continue;
        }
        reader.skip_space();
        reader.skip_braces();
        reader.skip_space();
        match kind {
            CommentNameKind::Type => found.extend(reader.name().map(|name| (name, *kind))),
            CommentNameKind::Parameter => found.extend(reader.names().into_iter().map(|name| (name, *kind))),
        }
    }
    found
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Skips white space and the `*` at the start of lines.
    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            let next = rest.trim_start();
            let line = rest[..rest.len() - next.len()].contains('\n');
            self.at += rest.len() - next.len();
            if !line || !next.starts_with('*') || next.starts_with("*/") {
                return;
            }
            self.at += 1;
        }
    }

    /// Skips a type in braces.
    fn skip_braces(&mut self) {
        let mut depth = 0usize;
        for (at, c) in self.rest().char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                self.at += if c == '}' { at + 1 } else { 0 };
                return;
            }
        }
    }

    /// Reads a name without dots.
    fn name(&mut self) -> Option<Span> {
        let rest = self.rest();
        let length = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
        let start = self.at;
        self.at += length;
        let is_whole = length > 0 && !rest.starts_with(|c: char| c.is_ascii_digit()) && !self.rest().starts_with('.');
        is_whole.then(|| Span::new(start as u32, self.at as u32))
    }

    /// Reads `A, [B=default], C`.
    fn names(&mut self) -> Vec<Span> {
        let mut found = Vec::new();
        loop {
            let is_optional = self.rest().starts_with('[');
            self.at += usize::from(is_optional);
            if self.rest().starts_with("const ") {
                self.at += "const ".len();
            }
            let Some(name) = self.name() else { return found };
            found.push(name);
            if is_optional {
                let rest = self.rest();
                self.at += rest.find(']').map_or(rest.len(), |end| end + 1);
            }
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
            if !self.rest().starts_with(',') {
                return found;
            }
            self.at += 1;
            self.skip_space();
        }
    }
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::names_in;

    #[test]
    fn declared_names_of_comments() {
        for (comment, expected) in [
            ("/** @typedef {{ a: { b: 1 } }} Item */", vec!["Item"]),
            ("/**\n * @typedef {Object} Item the item\n * @property {Other} a\n */", vec!["Item"]),
            ("/**\n * @typedef {{\n *   a: number\n * }}\n * Item\n */", vec!["Item"]),
            ("/** @typedef Item\n * @type {Object} */", vec!["Item"]),
            ("/**\n * @callback Pred\n * @param {string} x\n */", vec!["Pred"]),
            (
                "/**\n * @template T\n * @template {keyof T} K, [V=string] - text\n * @param {T} x\n */",
                vec!["T", "K", "V"],
            ),
            ("/** @template const T */", vec!["T"]),
            ("/** @typedef {import('./a').A} ns.Item */", vec![]),
            ("/** see @typedef Item, or {@template T} */", vec![]),
            ("/** @typedefs Item */", vec![]),
            ("/** @typedef { */", vec![]),
            ("/** @template */", vec![]),
        ] {
            let found: Vec<&str> = names_in(comment).into_iter().map(|(span, _)| span.source_text(comment)).collect();
            assert_eq!(found, expected, "{comment}");
        }
    }
}
