//! Collects the changes of a document. Callers name nodes and texts; the editor computes offsets, adds parentheses,
//! and checks the result.

use marquetry_sdk::span::apply_within;
use marquetry_sdk::{Edit, Result, Rewrite, Span, lines};
use oxc_ast::AstKind;
use oxc_span::GetSpan as _;

use crate::editor::final_checks;
use crate::editor::parentheses::replacement_texts;
use crate::editor::requires::after_empty_lines;
use crate::editor::statement_joins::separate_statements;
use crate::editor::style::Style;
use crate::imports::removal::NameRemoval;
use crate::imports::statement::parse_statement;
use crate::imports::type_imports;
use crate::semantics::Semantics;
use crate::semantics::names::fresh_name;
use crate::semantics::selection::SelectedExpression;
use crate::semantics::words::name_offsets;
use crate::syntax::comments;
use crate::syntax::spans::Place;

/// Changes of one document.
pub(crate) struct SyntaxEditor<'s, 'a> {
    code: Semantics<'s, 'a>,
    style: Style,
    edits: Vec<Edit>,
    /// Expressions and types whose new texts get parentheses where needed.
    replaced: Vec<(Span, String)>,
    /// The text that contains the new name: the start of its edit, and the name.
    named: Option<(u32, String)>,
}

impl<'s, 'a> SyntaxEditor<'s, 'a> {
    pub(crate) fn new(code: Semantics<'s, 'a>) -> SyntaxEditor<'s, 'a> {
        SyntaxEditor { code, style: Style::from_code(code), edits: Vec::new(), replaced: Vec::new(), named: None }
    }

    /// Returns whether nothing has changed.
    pub(crate) fn is_empty(&self) -> bool {
        self.edits.is_empty() && self.replaced.is_empty()
    }

    pub(crate) fn code(&self) -> Semantics<'s, 'a> {
        self.code
    }

    /// Returns the text of the document before the changes.
    pub(crate) fn text(&self) -> &'s str {
        self.code.text()
    }

    pub(crate) fn style(&self) -> &Style {
        &self.style
    }

    /// Returns the span of a place, without a part that only a repair of syntax errors added.
    fn span(&self, place: impl Place) -> Span {
        let (span, end) = (place.place(), self.code.text().len() as u32);
        Span { start: span.start.min(end), end: span.end.min(end) }
    }

    /// Returns a name similar to `wanted` that can be declared anywhere in the file.
    pub(crate) fn fresh_name(&self, wanted: &str) -> String {
        fresh_name(self.code.scoping(), wanted)
    }

    /// Replaces an expression or a type. The new text gets parentheses if it needs them.
    pub(crate) fn replace(&mut self, place: impl Place, text: impl Into<String>) {
        let span = self.span(place);
        self.replaced.push((span, text.into()));
    }

    /// Replaces an expression in any position: the name of a shorthand property stays, JSX gets braces.
    pub(crate) fn replace_selected(&mut self, chosen: &SelectedExpression<'a>, text: impl Into<String>) {
        let text = text.into();
        match self.code.parent_kind(chosen.node) {
            AstKind::JSXElement(_) | AstKind::JSXFragment(_) | AstKind::JSXAttribute(_) => {
                self.set_text(chosen.span, format!("{{{text}}}"));
            }
            AstKind::ObjectProperty(property) if property.shorthand => {
                let name = self.code.source(chosen.span);
                self.set_text(chosen.span, if name == text { text } else { format!("{name}: {text}") });
            }
            _ => self.replace(chosen.span, text),
        }
    }

    /// Replaces the text at a place by exactly this text.
    pub(crate) fn set_text(&mut self, place: impl Place, text: impl Into<String>) {
        self.edits.push(Edit::new(self.span(place), text.into()));
    }

    pub(crate) fn insert_before(&mut self, place: impl Place, text: impl Into<String>) {
        self.edits.push(Edit::insert(self.span(place).range().start, text));
    }

    pub(crate) fn insert_after(&mut self, place: impl Place, text: impl Into<String>) {
        self.edits.push(Edit::insert(self.span(place).range().end, text));
    }

    pub(crate) fn remove(&mut self, place: impl Place) {
        self.edits.push(Edit::remove(self.span(place)));
    }

    /// Removes code and the white space after it.
    pub(crate) fn remove_with_gap(&mut self, place: impl Place) {
        let span = self.span(place);
        let rest = &self.code.text()[span.range().end..];
        let gap = rest.len() - rest.trim_start().len();
        self.remove(Span { start: span.start, end: span.end + gap as u32 });
    }

    /// Removes a statement, with its line if nothing else is on it.
    pub(crate) fn remove_statement(&mut self, statement: impl Place) {
        let (text, range) = (self.code.text(), self.span(statement).range());
        let is_alone = lines::starts_line(text, range.start) && lines::ends_line(text, range.end);
        self.remove(if is_alone {
            lines::line_start(text, range.start)..lines::next_line(text, range.end)
        } else {
            range
        });
    }

    /// Removes names from an import or export statement; the whole statement if no name stays. `gone` are the spans of
    /// the names or of their specifiers.
    pub(crate) fn remove_module_names(&mut self, statement: impl Place, gone: &[impl Place + Copy]) {
        let (text, comments, span) = (self.code.text(), self.code.comments(), self.span(statement));
        let body = &self.code.program().body;
        let found = body.iter().find(|statement| statement.span().place() == span);
        let Some(parts) = found.and_then(|it| parse_statement(it, comments, text)) else { return };
        let is_gone = |_: &str, local: Span| gone.iter().any(|gone| gone.place().contains(local));
        let removal = NameRemoval { text, comments, unit: &self.style.unit };
        let mut edits = Vec::new();
        removal.remove_names(&parts, &is_gone, &mut edits);
        // Leave no empty lines at the top of the file.
        if let [Edit { span: removed, text: new, .. }] = edits.as_mut_slice()
            && removed.contains(span)
            && new.is_empty()
            && text[..removed.range().start].trim().is_empty()
        {
            removed.end = after_empty_lines(text, removed.range().end) as u32;
        }
        self.edits.extend(edits);
    }

    /// Declares something before a statement and the comments directly above it. `gap` is the number of line breaks
    /// between the two, if the statement starts its line. Returns where the declaration starts.
    pub(crate) fn declare_before(&mut self, statement: impl Place, declaration: &str, gap: usize) -> u32 {
        let text = self.code.text();
        let span = self.span(statement);
        let start = comments::comments_start(self.code.comments(), text, span.start);
        let gap = match lines::starts_line(text, start as usize) {
            true => format!("{}{}", self.style.line_break.repeat(gap), self.code.indent_at(span)),
            false => " ".to_owned(),
        };
        self.edits.push(Edit::insert(start as usize, format!("{declaration}{gap}")));
        start
    }

    /// Adds a statement on the line after another one.
    pub(crate) fn add_line_after(&mut self, statement: impl Place, line: &str) {
        let line_break = self.style.line_break;
        self.insert_after(statement, format!("{line_break}{line}"));
    }

    /// Imports names of types: pairs of specifiers and names.
    pub(crate) fn import_types(&mut self, wanted: &[(String, String)]) {
        self.edits.extend(type_imports::import_type_edits(self.code.parsed, self.code.tree(), wanted));
    }

    /// Returns whether edits touch what the editor changes already.
    pub(crate) fn conflicts_with(&self, edits: &[Edit]) -> bool {
        let touches = |one: &Edit, other: &Edit| other.span.contains(one.span) || one.span.contains(other.span);
        edits.iter().any(|one| self.edits.iter().any(|other| touches(one, other)))
    }

    /// Adds edits that another part of the pack has computed.
    pub(crate) fn add_edits(&mut self, edits: impl IntoIterator<Item = Edit>) {
        self.edits.extend(edits);
    }

    /// Marks the new name: in the text that is written at an offset, or at the offset itself. The caller's cursor moves
    /// there.
    pub(crate) fn mark_name(&mut self, edit_start: u32, name: &str) {
        self.named = Some((edit_start, name.to_owned()));
    }

    /// Returns the text of a part of the document with the changes in it, for use as a new text.
    pub(crate) fn into_text(mut self, part: impl Place) -> Result<String> {
        self.add_replacements();
        let part = self.span(part);
        self.edits.retain(|edit| part.contains(edit.span));
        let edits = final_checks::sort_edits(self.edits)?;
        Ok(apply_within(self.code.text(), part.range(), &edits))
    }

    /// Adds the edits of replaced expressions and types, with parentheses where needed.
    fn add_replacements(&mut self) {
        let mut replaced = std::mem::take(&mut self.replaced);
        replaced.sort_by_key(|(place, _)| place.start);
        let places: Vec<(Span, &str)> = replaced.iter().map(|(place, text)| (*place, text.as_str())).collect();
        let written = replacement_texts(self.code.parsed, self.code.tree(), &places);
        self.edits.extend(places.iter().zip(written).map(|((place, _), text)| Edit::new(*place, text)));
    }

    /// Returns the changes, in order. Fails if they overlap, or if the result would not be valid.
    pub(crate) fn finish(mut self) -> Result<Rewrite> {
        let (parsed, tree) = (self.code.parsed, self.code.tree());
        self.add_replacements();
        let mut edits = final_checks::sort_edits(self.edits)?;
        separate_statements(parsed, tree, &mut edits);
        final_checks::check_placement(parsed, tree, &edits)?;
        final_checks::check_syntax(parsed, tree, &edits)?;
        let name_at = self.named.and_then(|(start, name)| name_offset(&edits, start, &name));
        Ok(Rewrite { edits, name_at, ..Rewrite::default() })
    }
}

/// Returns the offset that a name has after the edits: in the text that an edit writes at `start`, or at `start`.
fn name_offset(edits: &[Edit], start: u32, name: &str) -> Option<u32> {
    let mut shift = 0_i64;
    for edit in edits.iter().take_while(|edit| edit.span.start <= start) {
        if edit.span.start == start
            && let Some(at) = name_offsets(&edit.text, name).next()
        {
            return u32::try_from(i64::from(start) + shift + at as i64).ok();
        }
        shift += edit.text.len() as i64 - edit.span.len() as i64;
    }
    u32::try_from(i64::from(start) + shift).ok()
}
