//! Writing the declaration of an extracted value.

use marquetry_sdk::refactor::RefactorInput;
use marquetry_sdk::{Edit, Span, lines, span};

use super::ValueExtraction;
use crate::editor::{Shape, Style, SyntaxEditor, semicolons};
use crate::semantics::extraction::placement::{DeclarationSpot, SpotKind};
use crate::semantics::extraction::value_types::Annotations;
use crate::syntax::comments;
use crate::syntax::spans::IntoOxc as _;

/// The variable that holds the value.
pub(super) struct DeclaredVariable {
    pub(super) name: String,
    /// True if the expression remains and must be replaced by the name.
    pub(super) keeps_expression: bool,
}

impl<'a> ValueExtraction<'_, 'a> {
    /// Writes the declaration at the spot. With `is_alone`, no equal expression is replaced.
    pub(super) fn declare_at(
        &self,
        spot: &DeclarationSpot,
        name: &str,
        (input, is_alone): (&RefactorInput, bool),
        typed: &Annotations,
        editor: &mut SyntaxEditor<'_, 'a>,
    ) -> DeclaredVariable {
        let statement = self.value.choice.statement.filter(|_| is_alone && spot.kind == SpotKind::Statement);
        if let Some(statement) = statement.filter(|it| it.into_oxc() == spot.before) {
            return self.declare_in_statement(statement, name, editor);
        }
        let member = self
            .value
            .member_access()
            .filter(|_| self.options.destructures && input.argument("extractedName").is_none());
        if let Some((object, key)) = member {
            if let Some(declared) = self.extend_pattern(spot, object, key, name, editor) {
                return declared;
            }
            let pattern = if key == name { format!("{{ {name} }}") } else { format!("{{ {key}: {name} }}") };
            self.insert_declaration(spot, (name, &pattern), object, &Annotations::default(), editor);
        } else {
            self.insert_declaration(spot, (name, name), self.value.choice.value, typed, editor);
        }
        DeclaredVariable { name: name.to_owned(), keeps_expression: true }
    }

    /// Inserts `const name = ` before an expression statement.
    fn declare_in_statement(&self, statement: Span, name: &str, editor: &mut SyntaxEditor<'_, 'a>) -> DeclaredVariable {
        let is_list = self.value.choice.chosen.is_sequence();
        editor.insert_before(statement, format!("const {name} = {}", if is_list { "(" } else { "" }));
        if is_list {
            editor.insert_after(self.value.choice.chosen.span, ")");
        }
        let end = editor.style().semicolon;
        if !end.is_empty() && !self.value.code.source(statement).ends_with(end) {
            editor.insert_after(statement, end);
        }
        editor.mark_name(statement.start, name);
        DeclaredVariable { name: name.to_owned(), keeps_expression: false }
    }

    /// Adds the name to an existing pattern above that destructures the same object.
    fn extend_pattern(
        &self,
        spot: &DeclarationSpot,
        object: Span,
        key: &str,
        name: &str,
        editor: &mut SyntaxEditor<'_, 'a>,
    ) -> Option<DeclaredVariable> {
        let pattern = self.value.existing_pattern(spot, object, key)?;
        if let Some((known, place)) = pattern.known {
            editor.mark_name(place.start, known);
            return Some(DeclaredVariable { name: known.to_owned(), keeps_expression: true });
        }
        let (code, last) = (self.value.code, pattern.last_property);
        let entry = if key == name { name.to_owned() } else { format!("{key}: {name}") };
        let gap = match code.starts_line(last) {
            true => format!(",{}{}", editor.style().line_break, code.indent_at(last)),
            false => ", ".to_owned(),
        };
        editor.insert_after(last, format!("{gap}{entry}"));
        editor.mark_name(last.end, name);
        Some(DeclaredVariable { name: name.to_owned(), keeps_expression: true })
    }

    fn insert_declaration(
        &self,
        spot: &DeclarationSpot,
        (name, pattern): (&str, &str),
        value: Span,
        typed: &Annotations,
        editor: &mut SyntaxEditor<'_, 'a>,
    ) {
        let (code, text, before) = (self.value.code, self.value.code.text(), spot.before);
        let Style { semicolon, unit, line_break: newline } = editor.style().clone();
        let outer = code.indent_at(before);
        let inner = if spot.needs_braces() { format!("{outer}{unit}") } else { outer.to_owned() };
        let value = self.value_text(value, &inner, &parameter_edits(typed));
        let annotation = typed.annotation.as_ref().map_or(String::new(), |annotation| format!(": {annotation}"));
        let start = match spot.kind {
            SpotKind::Statement => comments::comments_start(code.comments(), text, before.start),
            SpotKind::Declarator => self.start_with_comments(before.start),
            _ => before.start,
        };
        let own_line = spot.kind == SpotKind::Statement && lines::starts_line(text, start as usize);
        let needs_end = !own_line && spot.kind == SpotKind::Statement
            || semicolons::continues_statement(&text[before.start as usize..]);
        let end = if needs_end { ";" } else { semicolon };
        let declaration = format!("const {pattern}{annotation} = {value}{end}");
        let mut edit_start = start;
        match spot.kind {
            SpotKind::Statement => {
                editor.declare_before(before, &declaration, 1);
            }
            SpotKind::Declarator => {
                editor.insert_before(Span { start, end: start }, format!("{pattern}{annotation} = {value}, "))
            }
            SpotKind::Arrow => {
                let returned = self.value.returned(spot);
                let head = Span { start: before.start, end: returned.start };
                editor.set_text(head, format!("{{{newline}{inner}{declaration}{newline}{inner}return "));
                editor.set_text(Span { start: returned.end, end: before.end }, format!("{end}{newline}{outer}}}"));
            }
            SpotKind::Branch => {
                let gap = text[..start as usize].trim_end().len();
                let is_comment = code.is_inside_comment(gap.saturating_sub(1) as u32);
                edit_start = if is_comment { start } else { gap as u32 };
                let space = if edit_start == start { "" } else { " " };
                let head = format!("{space}{{{newline}{inner}{declaration}{newline}{inner}");
                editor.set_text(Span { start: edit_start, end: start }, head);
                editor.insert_after(before, format!("{newline}{outer}}}"));
            }
        }
        editor.mark_name(edit_start, name);
    }

    /// Returns the text of the value with edits applied, reindented.
    fn value_text(&self, value: Span, indent: &str, edits: &[Edit]) -> String {
        let text = self.value.code.text();
        if let Some(part) = self.value.choice.part {
            return self.quote_like_source(part.slice(text));
        }
        let written = span::apply_within(text, value.range(), edits);
        if self.value.choice.chosen.is_sequence() {
            return format!("({written})");
        }
        self.value.code.reindented(&written, Shape::Expression, self.value.code.indent_at(value), indent)
    }

    /// Quotes a text like the string it comes from, or like most strings of the file.
    fn quote_like_source(&self, part: &str) -> String {
        let text = self.value.code.text();
        let own = self.value.choice.chosen.span.slice(text).chars().next();
        let is_single = own == Some('\'') || own == Some('`') && text.matches('\'').count() > text.matches('"').count();
        let quote = if is_single { '\'' } else { '"' };
        format!("{quote}{}{quote}", part.replace(quote, &format!("\\{quote}")))
    }

    /// Returns the selected part of a string as a separate string.
    pub(super) fn selected_part_as_string(&self) -> String {
        self.value.choice.part.map_or(String::new(), |part| self.quote_like_source(part.slice(self.value.code.text())))
    }

    /// Writes the name instead of the selected part of a string, which becomes a template.
    pub(super) fn use_in_string(&self, part: Span, name: &str, editor: &mut SyntaxEditor<'_, 'a>) {
        let (text, chosen) = (self.value.code.text(), self.value.choice.chosen);
        if chosen.is_template() {
            return editor.set_text(part, format!("${{{name}}}"));
        }
        let quote = chosen.span.slice(text).chars().next().unwrap_or('"');
        let inside = |start: u32, end: u32| {
            let raw = Span { start, end }.slice(text);
            raw.replace(&format!("\\{quote}"), &quote.to_string()).replace('`', "\\`").replace("${", "\\${")
        };
        let before = inside(chosen.span.start + 1, part.start);
        let after = inside(part.end, chosen.span.end - 1);
        let new = format!("`{before}${{{name}}}{after}`");
        let is_attribute = self.value.code.is_attribute_value(chosen.node);
        editor.set_text(chosen.span, if is_attribute { format!("{{{new}}}") } else { new });
    }

    /// Returns where the comments directly before an offset on the same line start.
    fn start_with_comments(&self, at: u32) -> u32 {
        let comments = self.value.code.comments();
        let mut top = at;
        for comment in comments[..comments.partition_point(|comment| comment.span.end <= at)].iter().rev() {
            let gap = &self.value.code.text()[comment.span.end as usize..top as usize];
            if !gap.chars().all(|c| c == ' ' || c == '\t') {
                break;
            }
            top = comment.span.start;
        }
        top
    }
}

/// Returns the edits that annotate the parameters of an extracted function.
fn parameter_edits(typed: &Annotations) -> Vec<Edit> {
    let mut edits = Vec::new();
    for parameter in &typed.parameters {
        let (name, ty) = (parameter.name, &parameter.ty);
        if parameter.is_bare {
            edits.push(Edit::insert(name.start as usize, "("));
            edits.push(Edit::insert(name.end as usize, format!(": {ty})")));
        } else {
            edits.push(Edit::insert(name.end as usize, format!(": {ty}")));
        }
    }
    edits
}
