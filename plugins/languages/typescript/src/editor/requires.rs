//! `require` statements.

use marquetry_sdk::{Edit, lines};
use oxc_ast::ast::Statement;
use oxc_span::{GetSpan as _, Span};

use crate::editor::SyntaxEditor;
use crate::imports::insertion::insert_imports;
use crate::imports::model::{Form, imports_of_statement};
use crate::syntax::comments;
use crate::syntax::spans::span_in;

impl SyntaxEditor<'_, '_> {
    /// Inserts `require` statements after the first ones of the file that stay, or before its other code.
    pub(crate) fn insert_requires(&mut self, content: &str) {
        let (program, text, line_break) = (self.code().program(), self.text(), self.style().line_break);
        let content = content.replace('\n', line_break);
        let is_require = |statement: &&Statement<'_>| {
            imports_of_statement(statement).iter().any(|import| import.form == Form::Require)
        };
        let first: Vec<&Statement<'_>> = program.body.iter().take_while(is_require).collect();
        let after = first.iter().rev().find_map(|statement| {
            let end = span_in(statement.span(), text).range().end;
            let edit = Edit::insert(lines::line_end(text, end), format!("{line_break}{content}"));
            (!self.conflicts_with(std::slice::from_ref(&edit))).then_some(edit)
        });
        let next = program.body.get(first.len()).filter(|_| !first.is_empty());
        let before = next.map(|next| {
            let start = comments::comments_start(&program.comments, text, span_in(next.span(), text).start);
            Edit::insert(start as usize, format!("{content}{}", line_break.repeat(2)))
        });
        let edit = after.or(before).unwrap_or_else(|| insert_imports(program, text, &content));
        self.add_edits([edit]);
    }

    /// Removes a `require` statement with its line, and the empty lines after it if it is the first code of the file.
    pub(crate) fn remove_require(&mut self, statement: Span) {
        let (text, range) = (self.text(), span_in(statement, self.text()).range());
        if !text[..range.start].trim().is_empty() || !lines::ends_line(text, range.end) {
            return self.remove_statement(statement);
        }
        self.remove(range.start..after_empty_lines(text, lines::next_line(text, range.end)));
    }
}

/// Returns the offset after the empty lines that start at an offset.
pub(crate) fn after_empty_lines(text: &str, mut at: usize) -> usize {
    while at < text.len() && text[at..lines::line_end(text, at)].trim().is_empty() {
        at = lines::next_line(text, at);
    }
    at
}
