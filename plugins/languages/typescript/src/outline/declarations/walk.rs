//! Tree walk that collects declarations: statements, variables, functions, and all nested declarations.

use marquetry_sdk::Span;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeFlags;

use crate::outline::declarations::names::{self, Name};
use crate::outline::declarations::test_blocks::{self, TestBlock};
use crate::outline::declarations::{BodyKind, Decl, DeclId, Kind, NONE, Value, unwrap_value};
use crate::syntax::spans::{clamp, span_in};

/// Current position of the walk.
#[derive(Clone, Copy)]
pub(super) struct WalkState {
    pub(super) owner: u32,
    /// Inside a function.
    pub(super) in_function: bool,
    /// Inside an anonymous function within the owner.
    pub(super) in_anonymous_function: bool,
    /// Inside a block within the owner.
    pub(super) in_block: bool,
}

/// Maximum number of names in one `namespace A.B.C`. All other nesting uses brackets, which the parser's limit covers.
const MOST_DOTS: usize = 64;

pub(super) struct Walk<'t> {
    pub(super) text: &'t str,
    pub(super) decls: Vec<Decl>,
    pub(super) state: WalkState,
    /// The span of the `export …` around the next declaration.
    export_span: Option<Span>,
    is_default: bool,
    /// The next variables are in the head of a `for`.
    in_head: bool,
    /// Depth of the walk in `A.B.C`.
    dotted_depth: usize,
    /// An object literal that is the value of a declaration, so all its properties are collected.
    declared_object: Option<oxc_span::Span>,
}

/// Collects all declarations of a program, in document order.
pub(super) fn collect(program: &Program<'_>, text: &str) -> Vec<Decl> {
    let place = WalkState { owner: NONE, in_function: false, in_anonymous_function: false, in_block: false };
    let decls = Vec::with_capacity(text.len() / 160);
    let mut walk = Walk {
        text,
        decls,
        state: place,
        export_span: None,
        is_default: false,
        in_head: false,
        dotted_depth: 0,
        declared_object: None,
    };
    crate::syntax::component_code::script_statements(program).iter().for_each(|it| walk.visit_statement(it));
    walk.decls
}

impl<'t> Walk<'t> {
    pub(super) fn span(&self, node: &impl GetSpan) -> Span {
        span_in(node.span(), self.text)
    }

    pub(super) fn push(&mut self, kind: Kind, name: Name, span: Span, selection: Span) -> DeclId {
        let place = self.state;
        // In a repaired text, an end may be missing: limit the span to that of the owner.
        let span = self.decls.get(place.owner as usize).map_or(span, |owner| clamp(span, owner.span));
        let selection = if span.contains(selection) { selection } else { Span::at(span.range().start) };
        self.decls.push(Decl {
            kind,
            is_local: place.in_function,
            is_nested: place.in_anonymous_function || (place.in_block && kind != Kind::Var),
            is_named_default: false,
            in_pattern: false,
            is_dotted: false,
            name,
            parent: place.owner,
            first_child: NONE,
            next_sibling: NONE,
            head: span.start,
            span,
            selection,
            body: None,
        });
        (self.decls.len() - 1) as DeclId
    }

    pub(super) fn decl(&mut self, id: DeclId) -> &mut Decl {
        &mut self.decls[id as usize]
    }

    pub(super) fn set_head(&mut self, id: DeclId, head: u32) {
        let decl = &mut self.decls[id as usize];
        decl.head = head.clamp(decl.span.start, decl.span.end);
    }

    pub(super) fn set_body(&mut self, id: DeclId, body: Option<(Span, BodyKind)>) {
        let span = self.decls[id as usize].span;
        self.decls[id as usize].body = body.filter(|(body, _)| span.contains(*body));
    }

    /// Runs `go` at another position.
    pub(super) fn with_state(&mut self, place: WalkState, go: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.state, place);
        let outer = self.export_span.take();
        let is_default = std::mem::take(&mut self.is_default);
        go(self);
        self.state = before;
        self.export_span = outer;
        self.is_default = is_default;
    }

    /// Runs `go` inside a declaration; `function` is true if that is a function.
    pub(super) fn within(&mut self, owner: DeclId, function: bool, go: impl FnOnce(&mut Self)) {
        let local = self.state.in_function || function;
        self.with_state(WalkState { owner, in_function: local, in_anonymous_function: false, in_block: false }, go);
    }

    fn walk_anonymous(&mut self, go: impl FnOnce(&mut Self)) {
        self.with_state(WalkState { in_function: true, in_anonymous_function: true, ..self.state }, go);
    }

    fn walk_block(&mut self, go: impl FnOnce(&mut Self)) {
        self.with_state(WalkState { in_block: true, ..self.state }, go);
    }

    /// Returns the span of a declaration including the `export` before it.
    fn span_with_export(&mut self, own: Span) -> Span {
        let outer = self.export_span.take().unwrap_or(own);
        Span { start: outer.start.min(own.start), end: outer.end.max(own.end) }
    }

    /// Returns the name of a function or class, or `default` for an anonymous default export.
    fn name_or_default(&mut self, id: Option<&BindingIdentifier<'_>>, own: Span) -> Option<(Name, Span)> {
        match id {
            Some(id) => {
                let span = self.span(id);
                Some((Name::from_written(&id.name, span, self.text), span))
            }
            None => self.is_default.then_some((Name::Fixed("default"), Span::at(own.range().start))),
        }
    }

    fn add_function<'a>(&mut self, it: &Function<'a>) {
        let own = self.span(it);
        let Some((name, selection)) = self.name_or_default(it.id.as_ref(), own) else {
            return self.walk_anonymous(|walk| walk.walk_function(it));
        };
        let whole = self.span_with_export(own);
        let id = self.push(Kind::Function, name, whole, selection);
        self.set_head(id, own.start);
        self.decl(id).is_named_default = std::mem::take(&mut self.is_default);
        let body = it.body.as_ref().map(|body| (self.between_braces(body.span), BodyKind::Statements));
        self.set_body(id, body);
        self.within(id, true, |walk| walk.walk_function(it));
    }

    pub(super) fn walk_function<'a>(&mut self, it: &Function<'a>) {
        self.visit_formal_parameters(&it.params);
        if let Some(body) = &it.body {
            self.visit_statements(&body.statements);
        }
    }

    pub(super) fn walk_arrow<'a>(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.visit_formal_parameters(&it.params);
        self.visit_arrow_function_body(&it.body);
    }

    fn add_class<'a>(&mut self, it: &Class<'a>) {
        let mut own = self.span(it);
        if let Some(first) = it.decorators.first() {
            own.start = own.start.min(first.span.start);
        }
        let Some((name, selection)) = self.name_or_default(it.id.as_ref(), own) else {
            // Members of an anonymous class belong to the surrounding declaration.
            return self.with_state(self.state, |walk| walk.add_class_members(it));
        };
        let whole = self.span_with_export(own);
        let id = self.push(Kind::Class, name, whole, selection);
        let decorated = it.decorators.last().map_or(0, |last| last.span.end);
        self.set_head(id, it.span.start.max(decorated));
        self.decl(id).is_named_default = std::mem::take(&mut self.is_default);
        let body = self.between_braces(it.body.span);
        self.set_body(id, Some((body, BodyKind::ClassMembers)));
        self.within(id, false, |walk| walk.add_class_members(it));
    }

    /// Returns the part between the braces of a node.
    pub(super) fn between_braces(&self, span: oxc_span::Span) -> Span {
        let span = span_in(span, self.text);
        let closed = span.slice(self.text).ends_with('}') && span.len() > 1;
        let start = (span.start + 1).min(span.end);
        Span { start, end: if closed { span.end - 1 } else { span.end.max(start) } }
    }

    /// Visits the value of a declaration, which also determines the declaration's body.
    pub(super) fn walk_value<'a>(&mut self, id: DeclId, it: &Expression<'a>) {
        let whole = self.span(it);
        match unwrap_value(it) {
            Value::Function(function) => {
                let body = function.body.as_ref().map(|body| (self.between_braces(body.span), BodyKind::Statements));
                self.set_body(id, body);
                self.within(id, true, |walk| walk.walk_function(function));
            }
            Value::Arrow(arrow) => {
                let body = match &arrow.body {
                    ArrowFunctionBody::FunctionBody(body) => (self.between_braces(body.span), BodyKind::Statements),
                    body => (self.span(body), BodyKind::Returned),
                };
                self.set_body(id, Some(body));
                self.within(id, true, |walk| walk.walk_arrow(arrow));
            }
            Value::Class(class) => {
                let body = self.between_braces(class.body.span);
                self.set_body(id, Some((body, BodyKind::ClassMembers)));
                self.within(id, false, |walk| walk.add_class_members(class));
            }
            Value::Object(object) => {
                let body = self.between_braces(object.span);
                self.set_body(id, Some((body, BodyKind::Properties)));
                self.within(id, false, |walk| walk.add_object_members(object, true));
            }
            Value::Wrapped(object) => {
                self.set_body(id, Some((whole, BodyKind::Value)));
                let before = self.declared_object.replace(object.span);
                self.within(id, false, |walk| walk.visit_expression(it));
                self.declared_object = before;
            }
            Value::Other => {
                self.set_body(id, Some((whole, BodyKind::Value)));
                self.within(id, false, |walk| walk.visit_expression(it));
            }
        }
    }

    /// Adds a declaration for each name that a declarator binds.
    fn add_declarator<'a>(&mut self, it: &VariableDeclarator<'a>, kind: Kind, span: Span, head: u32) {
        let value_kind = it.init.as_ref().map_or(kind, |init| match unwrap_value(init) {
            Value::Function(_) | Value::Arrow(_) => Kind::Function,
            Value::Class(_) => Kind::Class,
            _ => kind,
        });
        if let BindingPattern::BindingIdentifier(name) = &it.id {
            let selection = self.span(&**name);
            let id = self.push(value_kind, Name::from_written(&name.name, selection, self.text), span, selection);
            self.set_head(id, head);
            // A `var` belongs to the function, wherever it is and whatever its value.
            self.decl(id).is_nested = self.state.in_anonymous_function || (self.state.in_block && kind != Kind::Var);
            match (&it.init, &it.type_annotation) {
                (Some(init), _) => self.walk_value(id, init),
                (None, Some(annotation)) => self.add_type_literal_members(id, &annotation.type_annotation),
                (None, None) => {}
            }
            return;
        }
        let names = it.id.get_binding_identifiers();
        for name in &names {
            let selection = self.span(*name);
            let id = self.push(kind, Name::from_written(&name.name, selection, self.text), span, selection);
            self.set_head(id, head);
            self.decl(id).in_pattern = names.len() > 1;
            let init = it.init.as_ref().map(|init| (self.span(init), BodyKind::Value));
            self.set_body(id, init);
        }
        self.visit_binding_pattern(&it.id);
        if let Some(init) = &it.init {
            self.visit_expression(init);
        }
    }

    fn add_test_block(&mut self, block: &TestBlock<'_, '_>, span: Span) {
        let selection = self.span(block.title);
        let id = self.push(block.kind, names::from_title(block.title, self.text), span, selection);
        if let Some(function) = block.function {
            self.walk_value(id, function);
        }
    }
}

impl<'a> Visit<'a> for Walk<'_> {
    fn visit_ts_type(&mut self, _: &TSType<'a>) {
        // Types contain no named declarations, except for the type of a declaration.
    }

    fn visit_export_declaration(&mut self, it: &ExportDeclaration<'a>) {
        self.export_span = Some(self.span(it));
        self.visit_declaration(&it.declaration);
        self.export_span = None;
    }

    fn visit_export_default_declaration(&mut self, it: &ExportDefaultDeclaration<'a>) {
        let span = self.span(it);
        self.export_span = Some(span);
        self.is_default = true;
        if let Some(value) = it.declaration.as_expression() {
            self.export_span = None;
            self.is_default = false;
            let id = self.push(Kind::Export, Name::Fixed("default"), span, Span::at(span.range().start));
            self.walk_value(id, value);
        } else {
            self.visit_export_default_declaration_kind(&it.declaration);
        }
        self.export_span = None;
        self.is_default = false;
    }

    fn visit_ts_export_assignment(&mut self, it: &TSExportAssignment<'a>) {
        let span = self.span(it);
        let id = self.push(Kind::Export, Name::Fixed("export="), span, Span::at(span.range().start));
        self.walk_value(id, &it.expression);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        let kind = match it.kind {
            VariableDeclarationKind::Var => Kind::Var,
            VariableDeclarationKind::Let => Kind::Let,
            VariableDeclarationKind::Const => Kind::Const,
            VariableDeclarationKind::Using | VariableDeclarationKind::AwaitUsing => Kind::Using,
        };
        let in_head = std::mem::take(&mut self.in_head);
        let own = self.span(it);
        let whole = self.span_with_export(own);
        if let ([only], false) = (it.declarations.as_slice(), in_head) {
            return self.add_declarator(only, kind, whole, own.start);
        }
        for declarator in &it.declarations {
            let span = self.span(declarator);
            self.add_declarator(declarator, kind, span, span.start);
        }
    }

    fn visit_function(&mut self, it: &Function<'a>, _: ScopeFlags) {
        if it.is_expression() { self.walk_anonymous(|walk| walk.walk_function(it)) } else { self.add_function(it) }
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.walk_anonymous(|walk| walk.walk_arrow(it));
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.add_class(it);
    }

    fn visit_object_expression(&mut self, it: &ObjectExpression<'a>) {
        let is_declared = self.declared_object == Some(it.span);
        self.add_object_members(it, is_declared);
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'a>) {
        let span = self.span(it);
        if let Some(block) = test_blocks::test_block(&it.expression) {
            return self.add_test_block(&block, span);
        }
        if let Expression::AssignmentExpression(assignment) = &it.expression
            && self.add_expando(assignment, span)
        {
            return;
        }
        if let Expression::CallExpression(call) = &it.expression
            && self.add_defined_export(call, span)
        {
            return;
        }
        self.visit_expression(&it.expression);
    }

    fn visit_ts_interface_declaration(&mut self, it: &TSInterfaceDeclaration<'a>) {
        let (own, selection) = (self.span(it), self.span(&it.id));
        let whole = self.span_with_export(own);
        let id = self.push(Kind::Interface, Name::from_written(&it.id.name, selection, self.text), whole, selection);
        self.set_head(id, own.start);
        self.decl(id).is_named_default = std::mem::take(&mut self.is_default);
        let body = self.between_braces(it.body.span);
        self.set_body(id, Some((body, BodyKind::TypeMembers)));
        self.within(id, false, |walk| walk.add_type_members(&it.body.body));
    }

    fn visit_ts_type_alias_declaration(&mut self, it: &TSTypeAliasDeclaration<'a>) {
        let (own, selection) = (self.span(it), self.span(&it.id));
        let whole = self.span_with_export(own);
        let id = self.push(Kind::Type, Name::from_written(&it.id.name, selection, self.text), whole, selection);
        self.set_head(id, own.start);
        let body = self.span(&it.type_annotation);
        self.set_body(id, Some((body, BodyKind::Type)));
        self.add_type_literal_members(id, &it.type_annotation);
    }

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        let (own, selection) = (self.span(it), self.span(&it.id));
        let whole = self.span_with_export(own);
        let id = self.push(Kind::Enum, Name::from_written(&it.id.name, selection, self.text), whole, selection);
        self.set_head(id, own.start);
        let body = self.between_braces(it.body.span);
        self.set_body(id, Some((body, BodyKind::EnumMembers)));
        self.within(id, false, |walk| walk.add_enum_members(&it.body.members));
    }

    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        let (own, selection) = (self.span(it), self.span(&it.id));
        let whole = self.span_with_export(own);
        let id = self.push(Kind::Namespace, Name::from_written(&it.id.name, selection, self.text), whole, selection);
        self.set_head(id, own.start);
        match &it.body {
            TSNamespaceDeclarationBody::TSModuleBlock(block) => self.walk_namespace_block(id, block),
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
                self.dotted_depth += 1;
                if self.dotted_depth < MOST_DOTS {
                    self.within(id, false, |walk| walk.visit_ts_namespace_declaration(inner));
                }
                self.dotted_depth -= 1;
            }
        }
    }

    fn visit_ts_global_declaration(&mut self, it: &TSGlobalDeclaration<'a>) {
        let (own, selection) = (self.span(it), span_in(it.global_span, self.text));
        let whole = self.span_with_export(own);
        let id = self.push(Kind::Namespace, Name::Fixed("global"), whole, selection);
        self.set_head(id, own.start);
        self.walk_namespace_block(id, &it.body);
    }

    fn visit_ts_external_module_declaration(&mut self, it: &TSExternalModuleDeclaration<'a>) {
        let (own, selection) = (self.span(it), self.span(&it.id));
        let whole = self.span_with_export(own);
        let id = self.push(Kind::Namespace, names::from_string(&it.id, self.text), whole, selection);
        self.set_head(id, own.start);
        if let Some(block) = &it.body {
            self.walk_namespace_block(id, block);
        }
    }

    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        let (own, selection) = (self.span(it), self.span(&it.id));
        let whole = self.span_with_export(own);
        if !matches!(it.module_reference, TSModuleReference::ExternalModuleReference(_)) {
            self.push(Kind::Alias, Name::from_written(&it.id.name, selection, self.text), whole, selection);
        }
    }

    fn visit_block_statement(&mut self, it: &BlockStatement<'a>) {
        self.walk_block(|walk| walk::walk_block_statement(walk, it));
    }

    fn visit_switch_statement(&mut self, it: &SwitchStatement<'a>) {
        self.walk_block(|walk| walk::walk_switch_statement(walk, it));
    }

    fn visit_for_statement(&mut self, it: &ForStatement<'a>) {
        self.walk_block(|walk| walk::walk_for_statement(walk, it));
    }

    fn visit_for_in_statement(&mut self, it: &ForInStatement<'a>) {
        self.walk_block(|walk| walk::walk_for_in_statement(walk, it));
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        self.walk_block(|walk| walk::walk_for_of_statement(walk, it));
    }

    fn visit_for_statement_init(&mut self, it: &ForStatementInit<'a>) {
        self.in_head = matches!(it, ForStatementInit::VariableDeclaration(_));
        walk::walk_for_statement_init(self, it);
        self.in_head = false;
    }

    fn visit_for_statement_left(&mut self, it: &ForStatementLeft<'a>) {
        self.in_head = matches!(it, ForStatementLeft::VariableDeclaration(_));
        walk::walk_for_statement_left(self, it);
        self.in_head = false;
    }
}
