//! Style of a file, and text that is adapted to it.

use marquetry_sdk::lines;

use crate::editor::fragment::Fragment;
use crate::editor::list::ListKind;
use crate::editor::{indentation, semicolons};
use crate::semantics::Semantics;
use crate::syntax::spans::Place;

/// Style of a file.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    /// The end of statements: `;` or nothing.
    pub(crate) semicolon: &'static str,
    /// The indentation unit.
    pub(crate) unit: String,
    pub(crate) line_break: &'static str,
}

/// Form of a text, which decides which of its lines may be indented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Expression,
    Type,
    Statements,
}

impl Style {
    pub(crate) fn from_code(code: Semantics<'_, '_>) -> Style {
        Style {
            semicolon: if semicolons::uses_semicolons(code.program()) { ";" } else { "" },
            unit: indentation::unit(code.tree()),
            line_break: lines::line_break(code.text()),
        }
    }

    /// Returns statements on their own lines in braces, for a place with an indentation. `content` is indented by one
    /// unit more, except for its first line.
    pub(crate) fn in_braces(&self, content: &str, indent: &str) -> String {
        let Style { unit, line_break, .. } = self;
        format!("{{{line_break}{indent}{unit}{content}{line_break}{indent}}}")
    }

    /// Returns the text with the line breaks of the file.
    pub(crate) fn with_line_breaks(&self, text: &str) -> String {
        let text = text.replace("\r\n", "\n");
        if self.line_break == "\r\n" { text.replace('\n', "\r\n") } else { text }
    }
}

impl<'s, 'a> Semantics<'s, 'a> {
    /// Returns the indentation of the line of a place.
    pub(crate) fn indent_at(self, place: impl Place) -> &'s str {
        lines::indent_at(self.text(), place.place().range().start)
    }

    /// Returns whether only white space precedes a place on its line.
    pub(crate) fn starts_line(self, place: impl Place) -> bool {
        lines::starts_line(self.text(), place.place().range().start)
    }

    /// Returns a text that was written with the indentation `from`, for a place with the indentation `to`. Lines that
    /// start inside a literal do not change.
    pub(crate) fn reindented(self, text: &str, shape: Shape, from: &str, to: &str) -> String {
        if from == to || !text.contains('\n') {
            return text.to_owned();
        }
        self.indented(text, shape, to)
    }

    /// Returns a text indented for a place with the indentation `to`, regardless of its current indentation.
    pub(crate) fn indented(self, text: &str, shape: Shape, to: &str) -> String {
        let placed = self.fragment(text, shape).indent_for(text, to, None);
        match lines::line_break(self.text()) {
            "\r\n" => placed.replace("\r\n", "\n").replace('\n', "\r\n"),
            _ => placed,
        }
    }

    /// Returns a text whose lines after the first start with the indentation `to` instead of `from`. Deeper lines stay
    /// as deep.
    pub(crate) fn with_indentation(self, text: &str, shape: Shape, from: &str, to: &str) -> String {
        self.fragment(text, shape).replace_indentation(text, from, to)
    }

    fn fragment(self, text: &str, shape: Shape) -> Fragment {
        let grammar = self.tree().grammar();
        match shape {
            Shape::Expression => Fragment::of_expression(text, grammar),
            Shape::Type => Fragment::of_type(text, grammar),
            Shape::Statements => Fragment::of_list_items(text, ListKind::Block, grammar),
        }
    }
}
