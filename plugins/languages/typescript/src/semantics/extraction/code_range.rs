//! A piece of code that may become a function: what it needs from its surroundings, which effects it has other than
//! computing values, and whether it contains code that is not valid in a separate function.

use marquetry_sdk::refactor::refactor_failure;
use marquetry_sdk::{Result, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, ReferenceFlags, Semantic, SymbolId};
use oxc_span::GetSpan as _;

use crate::semantics::functions::{FunctionNode, enclosing_function};
use crate::semantics::selection::Selected;
use crate::semantics::{Semantics, control_flow};
use crate::syntax::spans::to_sdk_span;

/// The piece of code.
pub(crate) struct CodeRange<'a> {
    pub(crate) selected: Selected<'a>,
    /// The moved span: the code and the comments selected with it.
    pub(crate) span: Span,
    /// The first `this` that refers to the enclosing function.
    pub(crate) this: Option<Span>,
    /// True if the range uses the type `this`, which only exists in classes.
    pub(crate) this_type: bool,
    /// The first `super.a`.
    pub(crate) super_member: Option<Span>,
    /// The first `#a`.
    pub(crate) private: Option<Span>,
    pub(crate) awaits: bool,
    pub(crate) yields: bool,
    /// The `return` statements of the enclosing function.
    pub(crate) returns: Vec<&'a ReturnStatement<'a>>,
    /// True if control flow continues after the range.
    pub(crate) continues_after: bool,
    /// True if other code may run while the range does.
    pub(crate) may_run_other_code: bool,
    /// Names that are declared outside of it, in source order.
    pub(crate) uses: Vec<OuterUse<'a>>,
}

/// A `return` statement in the range.
pub(crate) struct ReturnSite {
    pub(crate) start: usize,
    pub(crate) value: Option<Span>,
    /// True if the value is a comma expression.
    pub(crate) is_sequence: bool,
}

/// A use of a name that is declared outside of the range.
#[derive(Clone, Copy)]
pub(crate) struct OuterUse<'a> {
    pub(crate) name: &'a str,
    pub(crate) symbol: SymbolId,
    pub(crate) node: NodeId,
    pub(crate) span: Span,
    pub(crate) flags: ReferenceFlags,
}

impl<'a> CodeRange<'a> {
    pub(crate) fn new(semantic: &Semantic<'a>, selected: Selected<'a>) -> Result<CodeRange<'a>> {
        let (span, code) = match &selected {
            Selected::Expression(chosen) => (chosen.span, chosen.span),
            Selected::Statements(statements) => (statements.covered, statements.span),
        };
        let mut range = CodeRange {
            selected,
            span,
            this: None,
            this_type: false,
            super_member: None,
            private: None,
            awaits: false,
            yields: false,
            returns: Vec::new(),
            continues_after: true,
            may_run_other_code: false,
            uses: Vec::new(),
        };
        range.check_no_module_items()?;
        let private = private_members(semantic, range.node());
        let mut look = RangeVisitor { semantic, code, breaks: Vec::new(), private };
        for node in semantic.nodes().iter() {
            if look.contains(node.kind().span()) && !matches!(node.kind(), AstKind::Program(_)) {
                look.visit_node(&mut range, node.id(), node.kind())?;
            }
        }
        if let Selected::Statements(statements) = &range.selected {
            range.continues_after = control_flow::may_reach_end(statements.statements, &look.breaks);
        }
        if let (Some(first), true) = (range.returns.first(), range.continues_after) {
            return Err(refactor_failure("the selection does not return on every path")
                .hint("extend the selection so that it always returns, or exclude the `return`")
                .at(Span { start: first.span.start, end: first.span.end }));
        }
        Ok(range)
    }

    /// Returns the statements, if the range consists of statements.
    pub(crate) fn statements(&self) -> Option<&'a [Statement<'a>]> {
        match &self.selected {
            Selected::Statements(statements) => Some(statements.statements),
            Selected::Expression(_) => None,
        }
    }

    /// Returns the values that the new function returns: the expression, or the arguments of the `return` statements.
    pub(crate) fn returned_values(&self) -> Vec<NodeId> {
        match &self.selected {
            Selected::Expression(chosen) => vec![chosen.node],
            Selected::Statements(_) => {
                self.returns.iter().filter_map(|it| Some(it.argument.as_ref()?.node_id())).collect()
            }
        }
    }

    /// Returns the `return` statements of the enclosing function.
    pub(crate) fn return_sites(&self) -> impl Iterator<Item = ReturnSite> {
        self.returns.iter().map(|returned| ReturnSite {
            start: returned.span.start as usize,
            value: returned.argument.as_ref().map(|value| to_sdk_span(value.span())),
            is_sequence: matches!(returned.argument, Some(Expression::SequenceExpression(_))),
        })
    }

    /// Returns whether the enclosing function returns values, so that the `void` result of a call must not be returned.
    pub(crate) fn returns_elsewhere(&self, code: Semantics<'_, '_>) -> bool {
        let home = |node| enclosing_function(code.semantic(), node);
        let Some(around) = home(self.node()) else { return false };
        let function = FunctionNode::from_kind(code.kind(around));
        if let Some(annotation) = function.and_then(FunctionNode::return_type) {
            return !code.source(annotation.span()).contains("void");
        }
        code.nodes_in(code.span(around)).any(|(node, kind)| {
            matches!(kind, AstKind::ReturnStatement(it) if it.argument.is_some()) && home(node) == Some(around)
        })
    }

    /// Returns the expression, or the parent of the statements.
    pub(crate) fn node(&self) -> NodeId {
        match &self.selected {
            Selected::Statements(statements) => statements.parent,
            Selected::Expression(chosen) => chosen.node,
        }
    }

    /// Returns the parent of the range.
    pub(crate) fn parent(&self, semantic: &Semantic<'a>) -> NodeId {
        match &self.selected {
            Selected::Statements(statements) => statements.parent,
            Selected::Expression(chosen) => semantic.nodes().parent_id(chosen.node),
        }
    }

    pub(crate) fn contains(&self, place: oxc_span::Span) -> bool {
        self.span.contains(to_sdk_span(place))
    }

    /// Refuses imports and exports, which are only allowed at the top level.
    fn check_no_module_items(&self) -> Result<()> {
        for statement in self.statements().unwrap_or_default() {
            let message = match statement {
                Statement::ImportDeclaration(_) | Statement::TSImportEqualsDeclaration(_) => {
                    "an import cannot be moved into a function"
                }
                other if other.is_module_declaration() => "an export cannot be moved into a function",
                _ => continue,
            };
            return Err(refactor_failure(message)
                .at(to_sdk_span(statement.span()))
                .hint("exclude it from the selection"));
        }
        Ok(())
    }
}

/// Visits the nodes of the range.
struct RangeVisitor<'s, 'a> {
    semantic: &'s Semantic<'a>,
    code: Span,
    breaks: Vec<Span>,
    /// Members that are only accessible within the classes around the range.
    private: Vec<&'a str>,
}

/// Facts about the nodes between a node and the boundary of the range.
#[derive(Default)]
struct EnclosedBy {
    function: bool,
    /// True if one of the nodes in between has its own `this`.
    own_this: bool,
}

impl<'a> RangeVisitor<'_, 'a> {
    fn contains(&self, place: oxc_span::Span) -> bool {
        self.code.contains(to_sdk_span(place))
    }

    fn visit_node(&mut self, range: &mut CodeRange<'a>, node: NodeId, kind: AstKind<'a>) -> Result<()> {
        let at = to_sdk_span(kind.span());
        match kind {
            AstKind::ThisExpression(_) if !self.enclosed_by(node).own_this => range.this = range.this.or(Some(at)),
            AstKind::TSThisType(_) if !self.enclosed_by(node).own_this => range.this_type = true,
            AstKind::Super(_) if !self.enclosed_by(node).own_this => {
                if matches!(self.semantic.nodes().parent_kind(node), AstKind::CallExpression(_)) {
                    return Err(refactor_failure("`super()` can only be called in a constructor")
                        .hint("exclude it from the selection")
                        .at(at));
                }
                range.super_member = range.super_member.or(Some(at));
            }
            AstKind::NewTarget(_) if !self.enclosed_by(node).own_this => {
                return Err(refactor_failure("`new.target` would have a different value in the new function").at(at));
            }
            AstKind::PrivateIdentifier(name) if !self.declares_private(node, name.name.as_str()) => {
                range.private = range.private.or(Some(at));
            }
            AstKind::StaticMemberExpression(it) if self.private.contains(&it.property.name.as_str()) => {
                range.private = range.private.or(Some(at));
            }
            AstKind::AwaitExpression(_) => {
                range.awaits |= !self.enclosed_by(node).function;
                range.may_run_other_code = true;
            }
            AstKind::ForOfStatement(of) => {
                range.awaits |= of.r#await && !self.enclosed_by(node).function;
                range.may_run_other_code = true;
            }
            AstKind::YieldExpression(_) => {
                range.yields |= !self.enclosed_by(node).function;
                range.may_run_other_code = true;
            }
            AstKind::CallExpression(_) | AstKind::NewExpression(_) | AstKind::TaggedTemplateExpression(_) => {
                range.may_run_other_code = true;
            }
            AstKind::VariableDeclaration(it) if it.kind.is_using() && !self.enclosed_by(node).function => {
                range.awaits |= it.kind == VariableDeclarationKind::AwaitUsing;
                if matches!(range.selected, Selected::Statements(own) if own.statements.iter().any(|own| own.span() == it.span))
                {
                    return Err(refactor_failure(
                        "the value of `using` would be disposed of at the end of the new function",
                    )
                    .hint("select the whole block that contains the declaration")
                    .at(at));
                }
            }
            AstKind::ReturnStatement(it) if !self.enclosed_by(node).function => range.returns.push(it),
            AstKind::BreakStatement(it) => {
                self.breaks.push(at);
                self.check_jump(node, it.label.as_ref(), "break", at)?;
            }
            AstKind::ContinueStatement(it) => self.check_jump(node, it.label.as_ref(), "continue", at)?,
            AstKind::IdentifierReference(name) => self.visit_name(range, node, name)?,
            _ => {}
        }
        Ok(())
    }

    fn visit_name(&self, range: &mut CodeRange<'a>, node: NodeId, name: &'a IdentifierReference<'a>) -> Result<()> {
        let at = to_sdk_span(name.span);
        let scoping = self.semantic.scoping();
        let Some(reference) = name.reference_id.get().map(|id| scoping.get_reference(id)) else { return Ok(()) };
        let Some(symbol) = reference.symbol_id() else {
            if name.name == "arguments" && !self.enclosed_by(node).own_this && self.is_in_function() {
                return Err(refactor_failure("`arguments` would refer to the new function")
                    .hint("first give the function a rest parameter: `...args`")
                    .at(at));
            }
            return Ok(());
        };
        if self.contains(scoping.symbol_span(symbol)) {
            return Ok(());
        }
        range.uses.push(OuterUse { name: name.name.as_str(), symbol, node, span: at, flags: reference.flags() });
        Ok(())
    }

    fn is_in_function(&self) -> bool {
        let is_around = |span: oxc_span::Span| to_sdk_span(span).contains(self.code);
        let mut nodes = self.semantic.nodes().iter();
        nodes.any(|node| matches!(node.kind(), AstKind::Function(it) if is_around(it.span)))
    }

    /// Refuses a jump to a target outside of the range.
    fn check_jump(&self, node: NodeId, label: Option<&LabelIdentifier<'_>>, word: &str, at: Span) -> Result<()> {
        let within = |kind: &AstKind<'_>| self.contains(kind.span());
        let is_target = |kind: AstKind<'_>| match (label, kind) {
            (Some(label), AstKind::LabeledStatement(it)) => it.label.name == label.name,
            (Some(_), _) => false,
            (None, AstKind::SwitchStatement(_)) => word == "break",
            (None, kind) => kind.is_iteration_statement(),
        };
        let mut around = self.semantic.nodes().ancestor_kinds(node).take_while(within);
        if around.any(is_target) {
            return Ok(());
        }
        Err(refactor_failure(format!("a `{word}` in the selection jumps out of it"))
            .hint("also select the loop or `switch`, or exclude the jump")
            .at(at))
    }

    fn enclosed_by(&self, node: NodeId) -> EnclosedBy {
        let mut between = EnclosedBy::default();
        let nodes = self.semantic.nodes();
        let mut inner = nodes.kind(node).span();
        for around in nodes.ancestor_kinds(node) {
            let span = around.span();
            if !self.contains(span) {
                break;
            }
            match around {
                AstKind::ArrowFunctionExpression(_) => between.function = true,
                AstKind::Function(_) => between = EnclosedBy { function: true, own_this: true },
                AstKind::PropertyDefinition(it) if it.key.span() != inner => between.own_this = true,
                AstKind::AccessorProperty(it) if it.key.span() != inner => between.own_this = true,
                AstKind::StaticBlock(_) => between = EnclosedBy { function: true, own_this: true },
                _ => {}
            }
            inner = span;
        }
        between
    }

    /// Returns whether a class within the range declares the private name.
    fn declares_private(&self, node: NodeId, name: &str) -> bool {
        let is_it = |element: &ClassElement<'_>| {
            let key = match element {
                ClassElement::MethodDefinition(it) => &it.key,
                ClassElement::PropertyDefinition(it) => &it.key,
                ClassElement::AccessorProperty(it) => &it.key,
                _ => return false,
            };
            matches!(key, PropertyKey::PrivateIdentifier(key) if key.name == name)
        };
        let within = |kind: &AstKind<'_>| self.contains(kind.span());
        let mut around = self.semantic.nodes().ancestor_kinds(node).take_while(within);
        around.any(|kind| matches!(kind, AstKind::Class(class) if class.body.body.iter().any(is_it)))
    }
}

/// Returns the names that the classes around a node declare as `private` or `protected`.
fn private_members<'a>(semantic: &Semantic<'a>, node: NodeId) -> Vec<&'a str> {
    let is_hidden =
        |access: Option<TSAccessibility>| matches!(access, Some(TSAccessibility::Private | TSAccessibility::Protected));
    let named = |key: &'a PropertyKey<'a>, access: Option<TSAccessibility>| match key {
        PropertyKey::StaticIdentifier(name) if is_hidden(access) => Some(name.name.as_str()),
        _ => None,
    };
    let mut found = Vec::new();
    for kind in semantic.nodes().ancestor_kinds(node) {
        let AstKind::Class(class) = kind else { continue };
        for element in &class.body.body {
            match element {
                ClassElement::MethodDefinition(it) => {
                    found.extend(named(&it.key, it.accessibility));
                    let parameters =
                        it.value.params.items.iter().filter(|parameter| is_hidden(parameter.accessibility));
                    let names = parameters.filter_map(|parameter| parameter.pattern.get_binding_identifier());
                    found.extend(names.map(|name| name.name.as_str()));
                }
                ClassElement::PropertyDefinition(it) => found.extend(named(&it.key, it.accessibility)),
                ClassElement::AccessorProperty(it) => found.extend(named(&it.key, it.accessibility)),
                _ => {}
            }
        }
    }
    found
}
