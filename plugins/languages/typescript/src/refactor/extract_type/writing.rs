//! Writing the declaration of an extracted type.

use marquetry_sdk::{Edit, lines, span};
use oxc_ast::ast::*;
use oxc_span::{GetSpan as _, Span};

use super::TypeExtraction;
use super::choice::ChosenType;
use super::parameters::TypeParameters;
use crate::editor::fragment::Fragment;
use crate::editor::{indentation, semicolons};
use crate::syntax::spans::skip_trivia;
use crate::syntax::spans::to_sdk_span;

/// Form of the new type.
pub(super) enum TypeForm<'a> {
    Alias,
    /// An interface with the members of these types.
    Interface(Vec<&'a TSTypeLiteral<'a>>),
}

impl<'a> TypeExtraction<'_, 'a> {
    /// Returns the declaration of the new type, indented.
    pub(super) fn print_declaration(
        &self,
        chosen: &ChosenType<'a>,
        form: &TypeForm<'a>,
        name: &str,
        parameters: &TypeParameters,
        indent: &str,
    ) -> String {
        let end = if semicolons::uses_semicolons(self.parsed.program) { ";" } else { "" };
        let declared = parameters.declaration_list();
        match form {
            TypeForm::Alias => {
                let text = self.members_on_lines(chosen, end, indent);
                let text = text.unwrap_or_else(|| {
                    self.reindent_member(chosen.covered, to_sdk_span(chosen.covered).slice(self.text()), indent)
                });
                format!("type {name}{declared} = {text}{end}")
            }
            TypeForm::Interface(literals) => {
                let comments = to_sdk_span(Span::new(chosen.span.end, chosen.covered.end)).slice(self.text());
                format!("interface {name}{declared} {}{comments}", self.print_members(literals, end, indent))
            }
        }
    }

    /// Puts each member of the object types in a single-line type on a separate line, as in interfaces. `None` without
    /// object types, or if the type already spans several lines.
    fn members_on_lines(&self, chosen: &ChosenType<'a>, end: &str, indent: &str) -> Option<String> {
        let covered = to_sdk_span(chosen.covered);
        let text = self.text();
        if covered.slice(text).contains('\n') || chosen.objects.is_empty() {
            return None;
        }
        let literals = chosen.objects.iter().copied();
        let edits = literals.map(|it| Edit::new(to_sdk_span(it.span), self.print_members(&[it], end, indent)));
        let edits: Vec<Edit> = edits.collect();
        Some(span::apply_within(text, covered.range(), &edits))
    }

    /// Returns the members of all object types between braces, one per line.
    fn print_members(&self, literals: &[&'a TSTypeLiteral<'a>], end: &str, indent: &str) -> String {
        let newline = lines::line_break(self.text());
        let inner = format!("{indent}{}", indentation::unit(self.tree));
        let mut lines = Vec::new();
        for literal in literals {
            let has_comments = self.semantic.has_comments_between(literal.span);
            let text = to_sdk_span(literal.span).slice(self.text());
            if text.contains('\n') || has_comments {
                let separated = self.with_separators(literal, end);
                let body = separated.get(1..separated.len() - 1).unwrap_or_default();
                let placed = Fragment::of_type(&separated, self.tree.grammar());
                // A comment after the brace stays there.
                if !has_comments || text[1..].trim_start_matches([' ', '\t']).starts_with(['\n', '\r']) {
                    let placed = placed.indent_for(&separated, indent, None);
                    let own = placed.get(1..placed.len() - 1).unwrap_or(body);
                    lines.push(own.trim_matches(['\n', '\r']).trim_end().to_owned());
                    continue;
                }
            }
            for (own, piece) in self.members_with_comments(literal, end) {
                lines.push(format!("{inner}{}", self.reindent_member(own, &piece, &inner)));
            }
        }
        if lines.is_empty() {
            return "{}".to_owned();
        }
        let body = lines.join("\n").replace("\r\n", "\n").replace('\n', newline);
        format!("{{{newline}{body}{newline}{indent}}}")
    }

    /// Returns the members with the comments before and after each, terminated as in interfaces.
    fn members_with_comments(&self, literal: &TSTypeLiteral<'a>, end: &str) -> Vec<(Span, String)> {
        let text = self.text();
        let mut found: Vec<(Span, String)> = Vec::new();
        let mut at = literal.span.start as usize + 1;
        for member in &literal.members {
            let own = member.span().start as usize + self.member_text(member).len();
            let next = skip_trivia(text, own);
            let (behind, after) = match text[next..].chars().next() {
                Some(',' | ';') => (text[own..next].trim(), next + 1),
                _ => ("", own),
            };
            let gap = if behind.is_empty() { "" } else { " " };
            found.push((member.span(), format!("{}{end}{gap}{behind}", text[at..own].trim())));
            at = after;
        }
        let rest = text[at..literal.span.end as usize - 1].trim();
        match found.last_mut() {
            _ if rest.is_empty() => {}
            Some((_, last)) => last.extend([" ", rest]),
            None => found.push((literal.span, rest.to_owned())),
        }
        found
    }

    /// Returns a member without its terminator.
    fn member_text(&self, member: &TSSignature<'a>) -> &str {
        to_sdk_span(member.span()).slice(self.text()).trim_end_matches([',', ';']).trim_end()
    }

    /// Returns the text of an object type, with members terminated as in interfaces.
    fn with_separators(&self, literal: &TSTypeLiteral<'a>, end: &str) -> String {
        let text = self.text();
        let mut edits = Vec::new();
        for member in &literal.members {
            let at = member.span().start as usize + self.member_text(member).len();
            let next = skip_trivia(text, at);
            let written = text[next..].chars().next().filter(|c| ",;".contains(*c));
            match written {
                Some(',') => edits.push(Edit::new(next..next + 1, end)),
                None => edits.push(Edit::insert(at, end)),
                _ => {}
            }
        }
        span::apply_within(text, to_sdk_span(literal.span).range(), &edits)
    }

    /// Reindents the text of a member.
    fn reindent_member(&self, own: Span, text: &str, indent: &str) -> String {
        let had = lines::indent_at(self.text(), own.start as usize);
        if had == indent || !text.contains('\n') {
            return text.to_owned();
        }
        let placed = Fragment::of_type(text, self.tree.grammar()).indent_for(text, indent, None);
        let newline = lines::line_break(self.text());
        if newline == "\r\n" { placed.replace("\r\n", "\n").replace('\n', "\r\n") } else { placed }
    }
}

/// Converts a text to a type name: `is editing` gives `IsEditing`.
pub(super) fn to_type_name(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let raised = words.map(|word| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_uppercase().chain(chars).collect::<String>()).unwrap_or_default()
    });
    raised.collect()
}
