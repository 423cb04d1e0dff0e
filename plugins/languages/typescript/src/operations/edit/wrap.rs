//! Wrapping a node.

use marquetry_sdk::{Edit, Span, Wrapper, indent, lines};

use crate::document::Target;
use crate::editor::fragment::{lines_inside_literals, multiline_literals};
use crate::operations::edit::Editor;

impl Editor<'_, '_> {
    /// Inserts the text before and after a node, on separate lines if no other code is on the lines of the node.
    pub(super) fn wrap(&self, target: &Target<'_>, wrapper: &Wrapper) -> Vec<Edit> {
        let span = self.with_doc(target.span());
        let (start, end) = (span.range().start, span.range().end);
        let rest = self.text[end..lines::line_end(self.text, end)].trim_start_matches([',', ';']).trim();
        let own_lines = lines::starts_line(self.text, start) && (rest.is_empty() || rest.starts_with("//"));
        if !own_lines {
            return [Edit::insert(start, wrapper.before.as_str()), Edit::insert(end, wrapper.after.as_str())].into();
        }
        let outer = lines::indent_at(self.text, start);
        let before = indent::reindent(&wrapper.before, outer, |_| false);
        let after = indent::reindent(&wrapper.after, outer, |_| false);
        let opens = before.ends_with(['{', '(', '[', '>']) || before.ends_with("=>");
        let unit = if opens { self.unit.as_str() } else { "" };
        let mut edits = Vec::new();
        if before.is_empty() {
            edits.push(Edit::insert(start, unit));
        } else {
            edits.push(Edit::insert(start, format!("{before}\n{outer}{unit}")));
        }
        if opens {
            edits.extend(self.indent_lines(span));
        }
        if !after.is_empty() {
            edits.push(Edit::insert(end, format!("\n{outer}{after}")));
        }
        edits
    }

    /// Indents all lines but the first by one level, except those that start inside a literal.
    fn indent_lines(&self, span: Span) -> Vec<Edit> {
        let text = span.slice(self.text);
        let frozen = lines_inside_literals(text, &multiline_literals(self.parsed.program), span.range().start);
        let mut edits = Vec::new();
        let mut at = span.range().start;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            if number > 0 && !frozen.contains(&number) && !line.trim().is_empty() {
                edits.push(Edit::insert(at, self.unit.as_str()));
            }
            at += line.len();
        }
        edits
    }
}
