//! Writing the declaration of an extracted value.

use marquetry_sdk::refactor::RefactorInput;
use marquetry_sdk::{Edit, Span, lines, span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use super::context::Annotations;
use super::{ValueExtraction, needs_braces};
use crate::editor::{Shape, Style, SyntaxEditor, semicolons};
use crate::semantics::effects;
use crate::semantics::placement::{DeclarationSpot, SpotKind};
use crate::syntax::comments;
use crate::syntax::spans::{IntoOxc as _, to_sdk_span};

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
        let statement = self.choice.statement.filter(|_| is_alone && spot.kind == SpotKind::Statement);
        if let Some(statement) = statement.filter(|it| it.into_oxc() == spot.before) {
            return self.declare_in_statement(statement, name, editor);
        }
        let member =
            self.member_access().filter(|_| self.options.destructures && input.argument("extractedName").is_none());
        if let Some((object, key)) = member {
            if let Some(declared) = self.extend_pattern(spot, object, key, name, editor) {
                return declared;
            }
            let pattern = if key == name { format!("{{ {name} }}") } else { format!("{{ {key}: {name} }}") };
            self.insert_declaration(spot, (name, &pattern), object, &Annotations::default(), editor);
        } else {
            self.insert_declaration(spot, (name, name), self.choice.value, typed, editor);
        }
        DeclaredVariable { name: name.to_owned(), keeps_expression: true }
    }

    /// Inserts `const name = ` before an expression statement.
    fn declare_in_statement(&self, statement: Span, name: &str, editor: &mut SyntaxEditor<'_, 'a>) -> DeclaredVariable {
        let is_list = matches!(self.choice.chosen.kind, AstKind::SequenceExpression(_));
        editor.insert_before(statement, format!("const {name} = {}", if is_list { "(" } else { "" }));
        if is_list {
            editor.insert_after(self.choice.chosen.span, ")");
        }
        let end = editor.style().semicolon;
        if !end.is_empty() && !self.code.source(statement).ends_with(end) {
            editor.insert_after(statement, end);
        }
        editor.mark_name(statement.start, name);
        DeclaredVariable { name: name.to_owned(), keeps_expression: false }
    }

    /// Returns object and member name of a member expression: `a` and `b` of `a.b`.
    fn member_access(&self) -> Option<(Span, &'a str)> {
        if self.choice.part.is_some() {
            return None;
        }
        match self.choice.chosen.kind {
            AstKind::StaticMemberExpression(it) if !it.optional && !matches!(it.object, Expression::Super(_)) => {
                Some((to_sdk_span(it.object.span()), it.property.name.as_str()))
            }
            _ => None,
        }
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
        let code = self.code;
        let fits = |declarator: &VariableDeclarator<'_>, node: NodeId| {
            let BindingPattern::ObjectPattern(pattern) = &declarator.id else { return false };
            let declaration = code.parent(node);
            let holder = code.kind(code.parent(declaration));
            declarator.init.as_ref().is_some_and(|init| code.source(init.span()) == code.source(object))
                && matches!(holder, AstKind::Program(_) | AstKind::FunctionBody(_) | AstKind::BlockStatement(_))
                && effects::contains(holder.span(), spot.before)
                && declarator.span.end <= spot.before.start
                && pattern.rest.is_none()
                && !pattern.properties.is_empty()
                && declarator.type_annotation.is_none()
                && matches!(code.kind(declaration), AstKind::VariableDeclaration(it) if it.kind.is_const())
        };
        let found = code.nodes().iter().find_map(|node| match node.kind() {
            AstKind::VariableDeclarator(declarator) if fits(declarator, node.id()) => Some(declarator),
            _ => None,
        })?;
        let there = code.scope_of(found.node_id.get());
        let between = oxc_span::Span::new(found.span.end, self.choice.chosen.span.start);
        if !self.names.iter().all(|free| code.binding(there, free.name) == free.symbol)
            || self.effects.first_obstacle(code.semantic(), NodeId::ROOT, between).is_some()
        {
            return None;
        }
        let BindingPattern::ObjectPattern(pattern) = &found.id else { return None };
        if let Some(known) = self.existing_binding(pattern, key) {
            editor.mark_name(known.span.start, &known.name);
            return Some(DeclaredVariable { name: known.name.to_string(), keeps_expression: true });
        }
        let last = pattern.properties.last()?.span;
        let entry = if key == name { name.to_owned() } else { format!("{key}: {name}") };
        let gap = match code.starts_line(last) {
            true => format!(",{}{}", editor.style().line_break, code.indent_at(last)),
            false => ", ".to_owned(),
        };
        editor.insert_after(last, format!("{gap}{entry}"));
        editor.mark_name(last.end, name);
        Some(DeclaredVariable { name: name.to_owned(), keeps_expression: true })
    }

    /// Returns the name to which a pattern already binds the member, if it is usable here.
    fn existing_binding<'p>(&self, pattern: &'p ObjectPattern<'a>, key: &str) -> Option<&'p BindingIdentifier<'a>> {
        let known = pattern.properties.iter().find(|it| it.key.static_name().is_some_and(|name| name == key))?;
        let BindingPattern::BindingIdentifier(known) = &known.value else { return None };
        let found = self.code.binding(self.code.scope_of(self.choice.chosen.node), &known.name);
        (found.is_some() && found == known.symbol_id.get()).then_some(known)
    }

    fn insert_declaration(
        &self,
        spot: &DeclarationSpot,
        (name, pattern): (&str, &str),
        value: Span,
        typed: &Annotations,
        editor: &mut SyntaxEditor<'_, 'a>,
    ) {
        let (code, text, before) = (self.code, self.code.text(), spot.before);
        let Style { semicolon, unit, line_break: newline } = editor.style().clone();
        let outer = code.indent_at(before);
        let inner = if needs_braces(spot) { format!("{outer}{unit}") } else { outer.to_owned() };
        let value = self.value_text(value, &inner, &typed.parameters);
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
                let returned = self.returned(spot);
                let head = Span { start: before.start, end: returned.start };
                editor.set_text(head, format!("{{{newline}{inner}{declaration}{newline}{inner}return "));
                editor.set_text(Span { start: returned.end, end: before.end }, format!("{end}{newline}{outer}}}"));
            }
            SpotKind::Branch => {
                let gap = text[..start as usize].trim_end().len();
                let is_comment = code.semantic().is_inside_comment(gap.saturating_sub(1) as u32);
                edit_start = if is_comment { start } else { gap as u32 };
                let space = if edit_start == start { "" } else { " " };
                let head = format!("{space}{{{newline}{inner}{declaration}{newline}{inner}");
                editor.set_text(Span { start: edit_start, end: start }, head);
                editor.insert_after(before, format!("{newline}{outer}}}"));
            }
        }
        editor.mark_name(edit_start, name);
    }

    /// Returns the returned expression of an arrow function, without parentheses.
    fn returned(&self, spot: &DeclarationSpot) -> oxc_span::Span {
        let AstKind::ArrowFunctionExpression(arrow) = self.code.kind(spot.list) else { return spot.before };
        match arrow.body.as_expression() {
            Some(Expression::ParenthesizedExpression(it))
                if !self.code.source(it.expression.span()).contains('\n')
                    && !self.code.semantic().has_comments_between(it.span)
                    && self.choice.chosen.kind.span() != it.span =>
            {
                it.expression.span()
            }
            _ => spot.before,
        }
    }

    /// Returns the text of the value with edits applied, reindented.
    fn value_text(&self, value: Span, indent: &str, edits: &[Edit]) -> String {
        let text = self.code.text();
        if let Some(part) = self.choice.part {
            return self.quote_like_source(part.slice(text));
        }
        let written = span::apply_within(text, value.range(), edits);
        if matches!(self.choice.chosen.kind, AstKind::SequenceExpression(_)) {
            return format!("({written})");
        }
        self.code.reindented(&written, Shape::Expression, self.code.indent_at(value), indent)
    }

    /// Quotes a text like the string it comes from, or like most strings of the file.
    fn quote_like_source(&self, part: &str) -> String {
        let text = self.code.text();
        let own = self.choice.chosen.span.slice(text).chars().next();
        let is_single = own == Some('\'') || own == Some('`') && text.matches('\'').count() > text.matches('"').count();
        let quote = if is_single { '\'' } else { '"' };
        format!("{quote}{}{quote}", part.replace(quote, &format!("\\{quote}")))
    }

    /// Returns the selected part of a string as a separate string.
    pub(super) fn selected_part_as_string(&self) -> String {
        self.choice.part.map_or(String::new(), |part| self.quote_like_source(part.slice(self.code.text())))
    }

    /// Writes the name instead of the selected part of a string, which becomes a template.
    pub(super) fn use_in_string(&self, part: Span, name: &str, editor: &mut SyntaxEditor<'_, 'a>) {
        let (text, chosen) = (self.code.text(), self.choice.chosen);
        if matches!(chosen.kind, AstKind::TemplateLiteral(_)) {
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
        let is_attribute = matches!(self.code.parent_kind(chosen.node), AstKind::JSXAttribute(_));
        editor.set_text(chosen.span, if is_attribute { format!("{{{new}}}") } else { new });
    }

    /// Returns where the comments directly before an offset on the same line start.
    fn start_with_comments(&self, at: u32) -> u32 {
        let comments = self.code.comments();
        let mut top = at;
        for comment in comments[..comments.partition_point(|comment| comment.span.end <= at)].iter().rev() {
            let gap = &self.code.text()[comment.span.end as usize..top as usize];
            if !gap.chars().all(|c| c == ' ' || c == '\t') {
                break;
            }
            top = comment.span.start;
        }
        top
    }
}
