//! Writing the declaration of an extracted type.

use marquetry_sdk::{Edit, lines, span};
use oxc_ast::ast::*;
use oxc_span::{GetSpan as _, Span};

use super::choice::Chosen;
use super::parameters::Parameters;
use super::{Extraction, sdk};
use crate::rewrite::fragment::Content;
use crate::rewrite::{indentation, semicolons};
use crate::syntax::spans::skip_trivia;

/// Form of the new type.
pub(super) enum Form<'a> {
    Alias,
    /// An interface with the members of these types.
    Interface(Vec<&'a TSTypeLiteral<'a>>),
}

impl<'a> Extraction<'_, 'a> {
    /// Returns the declaration of the new type, indented.
    pub(super) fn declaration(
        &self,
        chosen: &Chosen<'a>,
        form: &Form<'a>,
        name: &str,
        parameters: &Parameters,
        indent: &str,
    ) -> String {
        let end = if semicolons::are_written(self.parsed.program) { ";" } else { "" };
        let declared = parameters.declared();
        match form {
            Form::Alias => {
                let text = self.spelled_out(chosen, end, indent);
                let text =
                    text.unwrap_or_else(|| self.placed(chosen.covered, sdk(chosen.covered).of(self.text()), indent));
                format!("type {name}{declared} = {text}{end}")
            }
            Form::Interface(literals) => {
                let comments = sdk(Span::new(chosen.span.end, chosen.covered.end)).of(self.text());
                format!("interface {name}{declared} {}{comments}", self.members(literals, end, indent))
            }
        }
    }

    /// Puts each member of the object types in a single-line type on a separate line, as in interfaces. `None` without
    /// object types, or if the type already spans several lines.
    fn spelled_out(&self, chosen: &Chosen<'a>, end: &str, indent: &str) -> Option<String> {
        let covered = sdk(chosen.covered);
        let text = self.text();
        if covered.of(text).contains('\n') || chosen.objects.is_empty() {
            return None;
        }
        let literals = chosen.objects.iter().copied();
        let edits = literals.map(|it| Edit::new(sdk(it.span), self.members(&[it], end, indent)));
        let edits: Vec<Edit> = edits.collect();
        Some(span::apply_within(text, covered.range(), &edits))
    }

    /// Returns the members of all object types between braces, one per line.
    fn members(&self, literals: &[&'a TSTypeLiteral<'a>], end: &str, indent: &str) -> String {
        let newline = lines::line_break(self.text());
        let inner = format!("{indent}{}", indentation::unit(self.tree));
        let mut lines = Vec::new();
        for literal in literals {
            let has_comments = self.semantic.has_comments_between(literal.span);
            let text = sdk(literal.span).of(self.text());
            if text.contains('\n') || has_comments {
                let separated = self.with_separators(literal, end);
                let body = separated.get(1..separated.len() - 1).unwrap_or_default();
                let placed = Content::of_type(&separated, self.tree.grammar());
                // A comment after the brace stays there.
                if !has_comments || text[1..].trim_start_matches([' ', '\t']).starts_with(['\n', '\r']) {
                    let placed = placed.place(&separated, indent, None);
                    let own = placed.get(1..placed.len() - 1).unwrap_or(body);
                    lines.push(own.trim_matches(['\n', '\r']).trim_end().to_owned());
                    continue;
                }
            }
            for (own, piece) in self.pieces(literal, end) {
                lines.push(format!("{inner}{}", self.placed(own, &piece, &inner)));
            }
        }
        if lines.is_empty() {
            return "{}".to_owned();
        }
        let body = lines.join("\n").replace("\r\n", "\n").replace('\n', newline);
        format!("{{{newline}{body}{newline}{indent}}}")
    }

    /// Returns the members with the comments before and after each, terminated as in interfaces.
    fn pieces(&self, literal: &TSTypeLiteral<'a>, end: &str) -> Vec<(Span, String)> {
        let text = self.text();
        let mut found: Vec<(Span, String)> = Vec::new();
        let mut at = literal.span.start as usize + 1;
        for member in &literal.members {
            let own = member.span().start as usize + self.member(member).len();
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
    fn member(&self, member: &TSSignature<'a>) -> &str {
        sdk(member.span()).of(self.text()).trim_end_matches([',', ';']).trim_end()
    }

    /// Returns the text of an object type, with members terminated as in interfaces.
    fn with_separators(&self, literal: &TSTypeLiteral<'a>, end: &str) -> String {
        let text = self.text();
        let mut edits = Vec::new();
        for member in &literal.members {
            let at = member.span().start as usize + self.member(member).len();
            let next = skip_trivia(text, at);
            let written = text[next..].chars().next().filter(|c| ",;".contains(*c));
            match written {
                Some(',') => edits.push(Edit::new(next..next + 1, end)),
                None => edits.push(Edit::insert(at, end)),
                _ => {}
            }
        }
        span::apply_within(text, sdk(literal.span).range(), &edits)
    }

    /// Reindents the text of a member.
    fn placed(&self, own: Span, text: &str, indent: &str) -> String {
        let had = lines::indent_at(self.text(), own.start as usize);
        if had == indent || !text.contains('\n') {
            return text.to_owned();
        }
        let placed = Content::of_type(text, self.tree.grammar()).place(text, indent, None);
        let newline = lines::line_break(self.text());
        if newline == "\r\n" { placed.replace("\r\n", "\n").replace('\n', "\r\n") } else { placed }
    }
}

/// Converts a text to a type name: `is editing` gives `IsEditing`.
pub(super) fn words(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let raised = words.map(|word| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_uppercase().chain(chars).collect::<String>()).unwrap_or_default()
    });
    raised.collect()
}
