//! Writing the declaration of an extracted value.

use marquetry_sdk::refactor::RefactorInput;
use marquetry_sdk::{Edit, Span, lines, span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use super::choice::IntoOxc as _;
use super::context::Annotations;
use super::placement::{DeclarationSpot, SpotKind};
use super::{ValueExtraction, needs_braces};
use crate::editor::fragment::Fragment;
use crate::editor::{indentation, semicolons};
use crate::semantics::effects;
use crate::syntax::comments;
use crate::syntax::spans::to_sdk_span;

/// Edits of a declaration.
pub(super) struct DeclarationEdits {
    pub(super) edits: Vec<Edit>,
    pub(super) name: String,
    /// Offset of the name after the edits.
    pub(super) name_at: u32,
    /// True if the expression remains and must be replaced by the name.
    pub(super) keeps_expression: bool,
}

impl<'a> ValueExtraction<'_, 'a> {
    /// Writes the declaration at the spot.
    pub(super) fn declare_at(
        &self,
        spot: &DeclarationSpot,
        name: &str,
        input: &RefactorInput,
        is_alone: bool,
        typed: &Annotations,
    ) -> DeclarationEdits {
        let statement = self.choice.statement.filter(|_| is_alone && spot.kind == SpotKind::Statement);
        if let Some(statement) = statement.filter(|it| it.into_oxc() == spot.before) {
            return self.declare_in_statement(statement, name);
        }
        let member =
            self.member_access().filter(|_| self.options.destructures && input.argument("extractedName").is_none());
        if let Some((object, key)) = member {
            if let Some(written) = self.extend_pattern(spot, object, key, name) {
                return written;
            }
            let pattern = if key == name { format!("{{ {name} }}") } else { format!("{{ {key}: {name} }}") };
            return self.insert_declaration(spot, name, &pattern, object, &Annotations::default());
        }
        self.insert_declaration(spot, name, name, self.choice.value, typed)
    }

    /// Inserts `const name = ` before an expression statement.
    fn declare_in_statement(&self, statement: Span, name: &str) -> DeclarationEdits {
        let mut edits = vec![Edit::insert(statement.range().start, format!("const {name} = "))];
        if matches!(self.choice.chosen.kind, AstKind::SequenceExpression(_)) {
            edits[0].text.push('(');
            edits.push(Edit::insert(self.choice.chosen.span.range().end, ")"));
        }
        if self.writes_semicolons() && !statement.slice(self.text()).ends_with(';') {
            edits.push(Edit::insert(statement.range().end, ";"));
        }
        let name_at = statement.start + "const ".len() as u32;
        DeclarationEdits { edits, name: name.to_owned(), name_at, keeps_expression: false }
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
    fn extend_pattern(&self, spot: &DeclarationSpot, object: Span, key: &str, name: &str) -> Option<DeclarationEdits> {
        let semantic = self.parsed.semantic();
        let (nodes, text) = (semantic.nodes(), self.text());
        let fits = |declarator: &VariableDeclarator<'_>, node: NodeId| {
            let BindingPattern::ObjectPattern(pattern) = &declarator.id else { return false };
            let same =
                declarator.init.as_ref().is_some_and(|init| to_sdk_span(init.span()).slice(text) == object.slice(text));
            let holder = nodes.parent_id(nodes.parent_id(node));
            let is_listed = matches!(
                nodes.kind(holder),
                AstKind::Program(_) | AstKind::FunctionBody(_) | AstKind::BlockStatement(_)
            );
            let sees =
                effects::contains(nodes.kind(holder).span(), spot.before) && declarator.span.end <= spot.before.start;
            let plain =
                pattern.rest.is_none() && !pattern.properties.is_empty() && declarator.type_annotation.is_none();
            let is_const = matches!(nodes.parent_kind(node), AstKind::VariableDeclaration(it) if it.kind.is_const());
            same && is_listed && sees && plain && is_const
        };
        let found = nodes.iter().find_map(|node| match node.kind() {
            AstKind::VariableDeclarator(declarator) if fits(declarator, node.id()) => Some(declarator),
            _ => None,
        })?;
        let scope = |name: &crate::semantics::names::FreeName<'_>| {
            let there = nodes.get_node(found.node_id.get()).scope_id();
            semantic.scoping().find_binding(there, Ident::from(name.name)) == name.symbol
        };
        let between = oxc_span::Span::new(found.span.end, self.choice.chosen.span.start);
        if !self.names.iter().all(scope) || self.effects.first_obstacle(semantic, NodeId::ROOT, between).is_some() {
            return None;
        }
        let BindingPattern::ObjectPattern(pattern) = &found.id else { return None };
        if let Some(known) = self.existing_binding(pattern, key) {
            let written = DeclarationEdits {
                edits: Vec::new(),
                name: known.name.to_string(),
                name_at: known.span.start,
                keeps_expression: true,
            };
            return Some(written);
        }
        let last = pattern.properties.last()?.span;
        let entry = if key == name { name.to_owned() } else { format!("{key}: {name}") };
        let line = lines::starts_line(text, last.start as usize);
        let gap = if line {
            format!(",{}{}", lines::line_break(text), lines::indent_at(text, last.start as usize))
        } else {
            ", ".to_owned()
        };
        let name_at = last.end + (gap.len() + entry.len() - name.len()) as u32;
        let edits = vec![Edit::insert(last.end as usize, format!("{gap}{entry}"))];
        Some(DeclarationEdits { edits, name: name.to_owned(), name_at, keeps_expression: true })
    }

    /// Returns the name to which a pattern already binds the member, if it is usable here.
    fn existing_binding<'p>(&self, pattern: &'p ObjectPattern<'a>, key: &str) -> Option<&'p BindingIdentifier<'a>> {
        let known = pattern.properties.iter().find(|it| it.key.static_name().is_some_and(|name| name == key))?;
        let BindingPattern::BindingIdentifier(known) = &known.value else { return None };
        let semantic = self.parsed.semantic();
        let scope = semantic.nodes().get_node(self.choice.chosen.node).scope_id();
        let found = semantic.scoping().find_binding(scope, Ident::from(known.name.as_str()));
        (found.is_some() && found == known.symbol_id.get()).then_some(known)
    }

    fn insert_declaration(
        &self,
        spot: &DeclarationSpot,
        name: &str,
        pattern: &str,
        value: Span,
        typed: &Annotations,
    ) -> DeclarationEdits {
        let text = self.text();
        let start = match spot.kind {
            SpotKind::Statement => {
                comments::comments_start(&self.parsed.program.comments, self.text(), spot.before.start)
            }
            SpotKind::Declarator => self.start_with_comments(spot.before.start),
            _ => spot.before.start,
        };
        let own_line =
            lines::starts_line(text, start as usize) && !needs_braces(spot) && spot.kind != SpotKind::Declarator;
        let outer = lines::indent_at(text, spot.before.start as usize);
        let unit = indentation::unit(self.tree);
        let inner = if needs_braces(spot) { format!("{outer}{unit}") } else { outer.to_owned() };
        let value = self.value_text(value, &inner, &typed.parameters);
        let annotation = typed.annotation.as_ref().map_or(String::new(), |annotation| format!(": {annotation}"));
        let needs_end = self.writes_semicolons()
            || !own_line && !needs_braces(spot)
            || semicolons::continues_statement(&text[spot.before.start as usize..]);
        let end = if needs_end { ";" } else { "" };
        let declaration = format!("const {pattern}{annotation} = {value}{end}");
        let newline = lines::line_break(text);
        let name_in = |written: &str| (written.find(name).unwrap_or(0)) as u32;
        let (edits, before) = match spot.kind {
            SpotKind::Statement if own_line => {
                (vec![Edit::insert(start as usize, format!("{declaration}{newline}{outer}"))], 0)
            }
            SpotKind::Statement => (vec![Edit::insert(start as usize, format!("{declaration} "))], 0),
            SpotKind::Declarator => {
                let declarator = format!("{pattern}{annotation} = {value}, ");
                let name_at = start + name_in(&declarator);
                let edits = vec![Edit::insert(start as usize, declarator)];
                return DeclarationEdits { edits, name: name.to_owned(), name_at, keeps_expression: true };
            }
            SpotKind::Arrow => {
                let open = format!("{{{newline}{inner}");
                let from = self.arrow_body_start(spot);
                let close = format!("{end}{newline}{outer}}}");
                let edits = vec![
                    Edit::new(
                        Span { start: from, end: self.returned_start(spot) },
                        format!("{open}{declaration}{newline}{inner}return "),
                    ),
                    Edit::new(Span { start: self.returned_end(spot), end: spot.before.end }, close),
                ];
                (edits, open.len())
            }
            SpotKind::Branch => {
                let open = format!("{{{newline}{inner}");
                let from = text[..start as usize].trim_end();
                let is_comment = self.parsed.semantic().is_inside_comment(from.len().saturating_sub(1) as u32);
                let from = if is_comment { start } else { from.len() as u32 };
                let space = if from == start { "" } else { " " };
                let edits = vec![
                    Edit::new(Span { start: from, end: start }, format!("{space}{open}{declaration}{newline}{inner}")),
                    Edit::insert(spot.before.end as usize, format!("{newline}{outer}}}")),
                ];
                let name_at = from + (space.len() + open.len()) as u32 + name_in(&declaration);
                return DeclarationEdits { edits, name: name.to_owned(), name_at, keeps_expression: true };
            }
        };
        let at = edits.first().map_or(start, |edit| edit.span.start);
        let name_at = at + before as u32 + name_in(&declaration);
        DeclarationEdits { edits, name: name.to_owned(), name_at, keeps_expression: true }
    }

    /// Returns where the body of an arrow function starts, including parentheses.
    fn arrow_body_start(&self, spot: &DeclarationSpot) -> u32 {
        spot.before.start
    }

    /// Returns where the returned expression starts, without parentheses.
    fn returned_start(&self, spot: &DeclarationSpot) -> u32 {
        self.returned(spot).start
    }

    fn returned_end(&self, spot: &DeclarationSpot) -> u32 {
        self.returned(spot).end
    }

    fn returned(&self, spot: &DeclarationSpot) -> oxc_span::Span {
        let AstKind::ArrowFunctionExpression(arrow) = self.parsed.semantic().nodes().kind(spot.list) else {
            return spot.before;
        };
        match arrow.body.as_expression() {
            Some(Expression::ParenthesizedExpression(it))
                if !it.expression.span().source_text(self.text()).contains('\n')
                    && !self.parsed.semantic().has_comments_between(it.span)
                    && self.choice.chosen.kind.span() != it.span =>
            {
                it.expression.span()
            }
            _ => spot.before,
        }
    }

    /// Returns the text of the value with edits applied, reindented.
    fn value_text(&self, value: Span, indent: &str, edits: &[Edit]) -> String {
        let text = self.text();
        if let Some(part) = self.choice.part {
            return self.quote_like_source(part.slice(text));
        }
        let own = lines::indent_at(text, value.range().start);
        let written = span::apply_within(text, value.range(), edits);
        if matches!(self.choice.chosen.kind, AstKind::SequenceExpression(_)) {
            return format!("({written})");
        }
        if own == indent || !written.contains('\n') {
            return written;
        }
        let placed = Fragment::of_expression(&written, self.tree.grammar()).indent_for(&written, indent, None);
        if lines::line_break(text) == "\r\n" { placed.replace("\r\n", "\n").replace('\n', "\r\n") } else { placed }
    }

    /// Quotes a text like the string it comes from, or like most strings of the file.
    fn quote_like_source(&self, part: &str) -> String {
        let text = self.text();
        let own = self.choice.chosen.span.slice(text).chars().next();
        let is_single = own == Some('\'') || own == Some('`') && text.matches('\'').count() > text.matches('"').count();
        let quote = if is_single { '\'' } else { '"' };
        format!("{quote}{}{quote}", part.replace(quote, &format!("\\{quote}")))
    }

    /// Returns the selected part of a string as a separate string.
    pub(super) fn selected_part_as_string(&self) -> String {
        self.choice.part.map_or(String::new(), |part| self.quote_like_source(part.slice(self.text())))
    }

    /// Converts the string to a template that contains the name instead of the selected part.
    pub(super) fn template_around_part(&self, part: Span, name: &str) -> Edit {
        let (text, chosen) = (self.text(), self.choice.chosen);
        if matches!(chosen.kind, AstKind::TemplateLiteral(_)) {
            return Edit::new(part, format!("${{{name}}}"));
        }
        let quote = chosen.span.slice(text).chars().next().unwrap_or('"');
        let inside = |start: u32, end: u32| {
            let raw = Span { start, end }.slice(text);
            raw.replace(&format!("\\{quote}"), &quote.to_string()).replace('`', "\\`").replace("${", "\\${")
        };
        let before = inside(chosen.span.start + 1, part.start);
        let after = inside(part.end, chosen.span.end - 1);
        let new = format!("`{before}${{{name}}}{after}`");
        let is_attribute = matches!(self.parsed.semantic().nodes().parent_kind(chosen.node), AstKind::JSXAttribute(_));
        Edit::new(chosen.span, if is_attribute { format!("{{{new}}}") } else { new })
    }

    pub(super) fn writes_semicolons(&self) -> bool {
        semicolons::uses_semicolons(self.parsed.program)
    }

    /// Returns where the comments directly before an offset on the same line start.
    fn start_with_comments(&self, at: u32) -> u32 {
        let comments = &self.parsed.program.comments;
        let mut top = at;
        for comment in comments[..comments.partition_point(|comment| comment.span.end <= at)].iter().rev() {
            let gap = &self.text()[comment.span.end as usize..top as usize];
            if !gap.chars().all(|c| c == ' ' || c == '\t') {
                break;
            }
            top = comment.span.start;
        }
        top
    }
}
