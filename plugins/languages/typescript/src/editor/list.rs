//! Lists in the syntax tree: statements, members, properties, and so on.

use marquetry_sdk::Span;
use oxc_allocator::Vec as ArenaVec;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeFlags;

use crate::syntax::component_code::script_statements;
use crate::syntax::spans::{span_in, statement_span};
use crate::syntax::tree::Parsed;

/// Kind of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListKind {
    /// Statements of a module or script.
    Module,
    /// Statements of a function, block or namespace.
    Block,
    ClassMembers,
    TypeMembers,
    EnumMembers,
    Properties,
    /// Elements of an array.
    Elements,
    Parameters,
    /// `a = 1, b = 2` in one statement.
    Declarators,
    /// Names destructured from an object.
    Bindings,
    /// Names destructured from an array, where the position matters.
    ArrayBindings,
}

/// A list in the text.
#[derive(Debug)]
pub(crate) struct List {
    pub(crate) kind: ListKind,
    /// The part between the brackets.
    pub(crate) inner: Span,
    /// The items without separators and attached comments.
    pub(crate) items: Vec<Span>,
    /// Number of items that must stay first, such as `'use strict'`.
    pub(crate) fixed_count: usize,
    /// The node to remove if all items are removed.
    pub(crate) outer: Span,
}

impl List {
    /// Returns the index of an item.
    pub(crate) fn index_of(&self, item: Span) -> Option<usize> {
        let index = self.items.partition_point(|span| span.start < item.start);
        self.items.get(index).filter(|span| same_item(**span, item)).map(|_| index)
    }
}

/// Returns the innermost list that contains this item, and the item's index.
pub(crate) fn list_of_item(parsed: &Parsed<'_>, text: &str, item: Span) -> Option<(List, usize)> {
    let list = find_list(parsed, text, ListQuery::Item(item))?;
    let index = list.index_of(item)?;
    Some((list, index))
}

/// Returns the list between these brackets.
pub(crate) fn list_between(parsed: &Parsed<'_>, text: &str, inner: Span) -> Option<List> {
    find_list(parsed, text, ListQuery::Inner(inner))
}

/// Returns the outermost array or object literal within a value.
pub(crate) fn list_of_value(parsed: &Parsed<'_>, text: &str, value: Span) -> Option<List> {
    find_list(parsed, text, ListQuery::Literal(value))
}

/// Returns the innermost pattern that binds the name at this span, and the index of its item.
pub(crate) fn list_of_binding(parsed: &Parsed<'_>, text: &str, name: Span) -> Option<(List, usize)> {
    let list = find_list(parsed, text, ListQuery::Binding(name))?;
    let index = list.items.iter().position(|span| span.contains(name))?;
    Some((list, index))
}

#[derive(Clone, Copy)]
enum ListQuery {
    Item(Span),
    Inner(Span),
    Literal(Span),
    Binding(Span),
}

fn find_list(parsed: &Parsed<'_>, text: &str, wanted: ListQuery) -> Option<List> {
    let mut finder = ListFinder { text, wanted, found: None };
    finder.visit_program(parsed.program);
    finder.found
}

/// Returns whether the spans are the same item; a `;` at the end may be missing in one of them.
fn same_item(own: Span, item: Span) -> bool {
    own.start == item.start && (own.end == item.end || own.end + 1 == item.end)
}

struct ListFinder<'t> {
    text: &'t str,
    wanted: ListQuery,
    found: Option<List>,
}

impl ListFinder<'_> {
    fn query_span(&self) -> Span {
        match self.wanted {
            ListQuery::Item(span) | ListQuery::Inner(span) | ListQuery::Literal(span) | ListQuery::Binding(span) => {
                span
            }
        }
    }

    fn span(&self, node: &impl GetSpan) -> Span {
        span_in(node.span(), self.text)
    }

    fn may_contain(&self, node: &impl GetSpan) -> bool {
        let span = self.span(node);
        let place = self.query_span();
        match self.wanted {
            ListQuery::Literal(_) => span.start <= place.end && place.start <= span.end,
            _ => span.contains(place),
        }
    }

    /// Returns the part between the brackets, or the whole span of a node without brackets, as in `x => y`.
    fn span_inside_brackets(&self, node: &impl GetSpan) -> Span {
        let span = self.span(node);
        if !span.slice(self.text).starts_with(['{', '[', '(']) {
            return span;
        }
        let closed = span.slice(self.text).ends_with(['}', ']', ')']) && span.len() > 1;
        Span { start: (span.start + 1).min(span.end), end: if closed { span.end - 1 } else { span.end } }
    }

    /// Stores the list if it matches the query. A later match replaces an earlier one because nested lists are visited
    /// after the lists around them; for a literal, the first match is kept.
    fn record_list(&mut self, kind: ListKind, inner: Span, items: Vec<Span>, fixed: usize, outer: Span) {
        let fits = match self.wanted {
            ListQuery::Item(item) => items.iter().any(|span| same_item(*span, item)),
            ListQuery::Inner(wanted) => inner == wanted,
            ListQuery::Literal(value) => {
                matches!(kind, ListKind::Properties | ListKind::Elements)
                    && self.found.is_none()
                    && value.contains(inner)
            }
            ListQuery::Binding(name) => {
                matches!(kind, ListKind::Bindings | ListKind::ArrayBindings)
                    && items.iter().any(|span| span.contains(name))
            }
        };
        if fits {
            self.found = Some(List { kind, inner, items, fixed_count: fixed, outer });
        }
    }

    fn record_statements(&mut self, kind: ListKind, inner: Span, directives: &[Directive<'_>], body: &[Statement<'_>]) {
        let fits = match self.wanted {
            ListQuery::Item(item) => {
                directives.iter().any(|directive| same_item(self.span(directive), item))
                    || self.statements_near(body, item).iter().any(|it| same_item(statement_span(it, self.text), item))
            }
            ListQuery::Inner(wanted) => inner == wanted,
            ListQuery::Literal(_) | ListQuery::Binding(_) => false,
        };
        if fits {
            let mut items: Vec<Span> = directives.iter().map(|directive| self.span(directive)).collect();
            items.extend(body.iter().map(|statement| statement_span(statement, self.text)));
            self.found = Some(List { kind, inner, items, fixed_count: directives.len(), outer: inner });
        }
    }

    /// Returns the statements that may contain a node that starts at a place.
    fn statements_near<'b, 'a>(&self, body: &'b [Statement<'a>], place: Span) -> &'b [Statement<'a>] {
        let from = body.partition_point(|statement| statement.span().end < place.start);
        let to =
            from + body[from..].partition_point(|statement| statement_span(statement, self.text).start <= place.start);
        &body[from..to]
    }

    fn record_items<'b, T: GetSpan + 'b>(
        &mut self,
        kind: ListKind,
        whole: &impl GetSpan,
        items: impl Iterator<Item = &'b T>,
    ) {
        let inner = self.span_inside_brackets(whole);
        let items = items.map(|item| self.span(item)).collect();
        self.record_list(kind, inner, items, 0, self.span(whole));
    }

    fn record_type_members(&mut self, whole: &impl GetSpan, members: &[TSSignature<'_>]) {
        let inner = self.span_inside_brackets(whole);
        let items = members.iter().map(|member| {
            let span = self.span(member);
            let own = span.slice(self.text).trim_end_matches([',', ';']).trim_end();
            Span { start: span.start, end: span.start + own.len() as u32 }
        });
        let items = items.collect();
        self.record_list(ListKind::TypeMembers, inner, items, 0, self.span(whole));
    }
}

impl<'a> Visit<'a> for ListFinder<'_> {
    fn visit_program(&mut self, it: &Program<'a>) {
        let start = it.hashbang.as_ref().map_or(0, |hashbang| span_in(hashbang.span, self.text).range().end);
        let statements = script_statements(it);
        let inner = match it.body.first() {
            // The script of a component without code.
            Some(template) if statements.is_empty() => self.span(template),
            _ => Span::new(start, self.text.len()),
        };
        self.record_statements(ListKind::Module, inner, &it.directives, statements);
        self.visit_statements(&it.body);
    }

    fn visit_statements(&mut self, it: &ArenaVec<'a, Statement<'a>>) {
        for statement in self.statements_near(it, self.query_span()) {
            self.visit_statement(statement);
        }
    }

    fn visit_statement(&mut self, it: &Statement<'a>) {
        let span = statement_span(it, self.text);
        let place = self.query_span();
        if span.start <= place.start && place.start <= span.end {
            walk::walk_statement(self, it);
        }
    }

    fn visit_expression(&mut self, it: &Expression<'a>) {
        if self.may_contain(it) {
            walk::walk_expression(self, it);
        }
    }

    fn visit_ts_type(&mut self, it: &TSType<'a>) {
        if self.may_contain(it) {
            walk::walk_ts_type(self, it);
        }
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        if self.may_contain(it) {
            walk::walk_function(self, it, flags);
        }
    }

    fn visit_function_body(&mut self, it: &FunctionBody<'a>) {
        let inner = self.span_inside_brackets(it);
        self.record_statements(ListKind::Block, inner, &it.directives, &it.statements);
        self.visit_statements(&it.statements);
    }

    fn visit_block_statement(&mut self, it: &BlockStatement<'a>) {
        let inner = self.span_inside_brackets(it);
        self.record_statements(ListKind::Block, inner, &[], &it.body);
        self.visit_statements(&it.body);
    }

    fn visit_static_block(&mut self, it: &StaticBlock<'a>) {
        let span = self.span(it);
        let open = span.slice(self.text).find('{').map_or(0, |at| at as u32 + 1);
        let inner = Span { start: span.start + open, end: span.end.saturating_sub(1).max(span.start + open) };
        self.record_statements(ListKind::Block, inner, &[], &it.body);
        self.visit_statements(&it.body);
    }

    fn visit_ts_module_block(&mut self, it: &TSModuleBlock<'a>) {
        let inner = self.span_inside_brackets(it);
        self.record_statements(ListKind::Block, inner, &it.directives, &it.body);
        self.visit_statements(&it.body);
    }

    fn visit_switch_case(&mut self, it: &SwitchCase<'a>) {
        if let Some(first) = it.consequent.first() {
            let inner = Span { start: self.span(first).start, end: self.span(it).end };
            self.record_statements(ListKind::Block, inner, &[], &it.consequent);
        }
        walk::walk_switch_case(self, it);
    }

    fn visit_class_body(&mut self, it: &ClassBody<'a>) {
        let inner = self.span_inside_brackets(it);
        let items = it.body.iter().map(|member| {
            let mut span = self.span(member);
            let decorators = match member {
                ClassElement::MethodDefinition(method) => &method.decorators[..],
                ClassElement::PropertyDefinition(property) => &property.decorators[..],
                ClassElement::AccessorProperty(property) => &property.decorators[..],
                _ => &[],
            };
            if let Some(first) = decorators.first() {
                span.start = span.start.min(first.span.start);
            }
            span
        });
        let items = items.collect();
        self.record_list(ListKind::ClassMembers, inner, items, 0, self.span(it));
        walk::walk_class_body(self, it);
    }

    fn visit_ts_interface_body(&mut self, it: &TSInterfaceBody<'a>) {
        self.record_type_members(it, &it.body);
        walk::walk_ts_interface_body(self, it);
    }

    fn visit_ts_type_literal(&mut self, it: &TSTypeLiteral<'a>) {
        self.record_type_members(it, &it.members);
        walk::walk_ts_type_literal(self, it);
    }

    fn visit_ts_enum_body(&mut self, it: &TSEnumBody<'a>) {
        self.record_items(ListKind::EnumMembers, it, it.members.iter());
        walk::walk_ts_enum_body(self, it);
    }

    fn visit_object_expression(&mut self, it: &ObjectExpression<'a>) {
        self.record_items(ListKind::Properties, it, it.properties.iter());
        walk::walk_object_expression(self, it);
    }

    fn visit_array_expression(&mut self, it: &ArrayExpression<'a>) {
        self.record_items(ListKind::Elements, it, it.elements.iter());
        walk::walk_array_expression(self, it);
    }

    fn visit_formal_parameters(&mut self, it: &FormalParameters<'a>) {
        let inner = self.span_inside_brackets(it);
        let mut items: Vec<Span> = Vec::with_capacity(it.items.len());
        for parameter in &it.items {
            let mut span = self.span(parameter);
            if let Some(first) = parameter.decorators.first() {
                span.start = span.start.min(first.span.start);
            }
            items.push(span);
        }
        items.extend(it.rest.iter().map(|rest| self.span(&**rest)));
        self.record_list(ListKind::Parameters, inner, items, 0, self.span(it));
        walk::walk_formal_parameters(self, it);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        if let [first, .., last] = it.declarations.as_slice() {
            let inner = Span { start: self.span(first).start, end: self.span(last).end };
            let items = it.declarations.iter().map(|declarator| self.span(declarator)).collect();
            self.record_list(ListKind::Declarators, inner, items, 0, self.span(it));
        }
        walk::walk_variable_declaration(self, it);
    }

    fn visit_object_pattern(&mut self, it: &ObjectPattern<'a>) {
        let inner = self.span_inside_brackets(it);
        let mut items: Vec<Span> = it.properties.iter().map(|property| self.span(property)).collect();
        items.extend(it.rest.iter().map(|rest| self.span(&**rest)));
        self.record_list(ListKind::Bindings, inner, items, 0, self.span(it));
        walk::walk_object_pattern(self, it);
    }

    fn visit_array_pattern(&mut self, it: &ArrayPattern<'a>) {
        let inner = self.span_inside_brackets(it);
        let elements = it.elements.iter().flatten().map(|element| self.span(element));
        let mut items: Vec<Span> = elements.collect();
        items.extend(it.rest.iter().map(|rest| self.span(&**rest)));
        self.record_list(ListKind::ArrayBindings, inner, items, 0, self.span(it));
        walk::walk_array_pattern(self, it);
    }
}
