//! Writing the declaration of an extracted type.

use marquetry_sdk::{Edit, Span, span};

use super::TypeExtraction;
use crate::editor::{Shape, Style};
use crate::semantics::selected_type::{ChosenType, ObjectType};
use crate::syntax::spans::{Place as _, skip_trivia};

/// Form of the new type.
pub(super) enum TypeForm {
    Alias,
    /// An interface with the members of these types.
    Interface(Vec<ObjectType>),
}

impl TypeExtraction<'_, '_> {
    /// Returns the declaration of the new type, indented. `head` is its name with its type parameters.
    pub(super) fn print_declaration(
        &self,
        chosen: &ChosenType<'_>,
        form: &TypeForm,
        head: &str,
        indent: &str,
        style: &Style,
    ) -> String {
        match form {
            TypeForm::Alias => {
                let text = self.members_on_lines(chosen, style, indent);
                let own = self.code.source(chosen.covered);
                let text = text.unwrap_or_else(|| {
                    self.code.reindented(own, Shape::Type, self.code.indent_at(chosen.covered), indent)
                });
                format!("type {head} = {text}{}", style.semicolon)
            }
            TypeForm::Interface(literals) => {
                let comments = self.code.source(Span { start: chosen.span.end, end: chosen.covered.end });
                format!("interface {head} {}{comments}", self.print_members(literals, style, indent))
            }
        }
    }

    /// Puts each member of the object types in a single-line type on a separate line, as in interfaces. `None` without
    /// object types, or if the type already spans several lines.
    fn members_on_lines(&self, chosen: &ChosenType<'_>, style: &Style, indent: &str) -> Option<String> {
        let covered = chosen.covered.place();
        let text = self.code.text();
        if covered.slice(text).contains('\n') || chosen.objects.is_empty() {
            return None;
        }
        let edits = chosen.objects.iter();
        let edits = edits.map(|it| Edit::new(it.span, self.print_members(std::slice::from_ref(it), style, indent)));
        let edits: Vec<Edit> = edits.collect();
        Some(span::apply_within(text, covered.range(), &edits))
    }

    /// Returns the members of all object types between braces, one per line.
    fn print_members(&self, literals: &[ObjectType], style: &Style, indent: &str) -> String {
        let Style { semicolon: end, unit, line_break: newline } = style;
        let inner = format!("{indent}{unit}");
        let mut lines = Vec::new();
        for literal in literals {
            let has_comments = self.code.has_comments_in(literal.span);
            let text = self.code.source(literal.span);
            if text.contains('\n') || has_comments {
                let separated = self.with_separators(literal, end);
                let body = separated.get(1..separated.len() - 1).unwrap_or_default();
                // A comment after the brace stays there.
                if !has_comments || text[1..].trim_start_matches([' ', '\t']).starts_with(['\n', '\r']) {
                    let placed = self.code.indented(&separated, Shape::Type, indent);
                    let own = placed.get(1..placed.len() - 1).unwrap_or(body);
                    lines.push(own.trim_matches(['\n', '\r']).trim_end().to_owned());
                    continue;
                }
            }
            for (own, piece) in self.members_with_comments(literal, end) {
                let placed = self.code.reindented(&piece, Shape::Type, self.code.indent_at(own), &inner);
                lines.push(format!("{inner}{placed}"));
            }
        }
        if lines.is_empty() {
            return "{}".to_owned();
        }
        let body = style.with_line_breaks(&lines.join("\n"));
        format!("{{{newline}{body}{newline}{indent}}}")
    }

    /// Returns the members with the comments before and after each, terminated as in interfaces.
    fn members_with_comments(&self, literal: &ObjectType, end: &str) -> Vec<(Span, String)> {
        let text = self.code.text();
        let mut found: Vec<(Span, String)> = Vec::new();
        let mut at = literal.span.range().start + 1;
        for member in &literal.members {
            let own = member.range().start + self.member_text(*member).len();
            let next = skip_trivia(text, own);
            let (behind, after) = match text[next..].chars().next() {
                Some(',' | ';') => (text[own..next].trim(), next + 1),
                _ => ("", own),
            };
            let gap = if behind.is_empty() { "" } else { " " };
            found.push((*member, format!("{}{end}{gap}{behind}", text[at..own].trim())));
            at = after;
        }
        let rest = text[at..literal.span.range().end - 1].trim();
        match found.last_mut() {
            _ if rest.is_empty() => {}
            Some((_, last)) => last.extend([" ", rest]),
            None => found.push((literal.span, rest.to_owned())),
        }
        found
    }

    /// Returns a member without its terminator.
    fn member_text(&self, member: Span) -> &str {
        self.code.source(member).trim_end_matches([',', ';']).trim_end()
    }

    /// Returns the text of an object type, with members terminated as in interfaces.
    fn with_separators(&self, literal: &ObjectType, end: &str) -> String {
        let text = self.code.text();
        let mut edits = Vec::new();
        for member in &literal.members {
            let at = member.range().start + self.member_text(*member).len();
            let next = skip_trivia(text, at);
            let written = text[next..].chars().next().filter(|c| ",;".contains(*c));
            match written {
                Some(',') => edits.push(Edit::new(next..next + 1, end)),
                None => edits.push(Edit::insert(at, end)),
                _ => {}
            }
        }
        span::apply_within(text, literal.span.range(), &edits)
    }
}
