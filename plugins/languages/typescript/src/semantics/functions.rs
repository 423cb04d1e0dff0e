//! Functions of any form: finds the function that a caret refers to, and uses of `this`, `arguments`, `new.target` and
//! `super` in it.

use marquetry_sdk::{Failure, FailureKind, Result, Selection, Span, fail};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_semantic::{NodeId, ScopeId, Semantic, SymbolId};
use oxc_span::GetSpan as _;
use oxc_syntax::scope::ScopeFlags;

use crate::semantics::Semantics;
use crate::syntax::spans::{Place as _, skip_trivia};

/// A function with a body.
#[derive(Clone, Copy)]
pub(crate) enum FunctionNode<'a> {
    /// A declaration, an expression, or the value of a method.
    Function(&'a Function<'a>),
    Arrow(&'a ArrowFunctionExpression<'a>),
}

impl<'a> FunctionNode<'a> {
    /// Returns the function for a node.
    pub(crate) fn from_kind(kind: AstKind<'a>) -> Option<FunctionNode<'a>> {
        match kind {
            AstKind::Function(function) => Some(FunctionNode::Function(function)),
            AstKind::ArrowFunctionExpression(arrow) => Some(FunctionNode::Arrow(arrow)),
            _ => None,
        }
    }

    pub(crate) fn id(self) -> NodeId {
        match self {
            FunctionNode::Function(function) => function.node_id.get(),
            FunctionNode::Arrow(arrow) => arrow.node_id.get(),
        }
    }

    pub(crate) fn span(self) -> oxc_span::Span {
        match self {
            FunctionNode::Function(function) => function.span,
            FunctionNode::Arrow(arrow) => arrow.span,
        }
    }

    pub(crate) fn is_async(self) -> bool {
        match self {
            FunctionNode::Function(function) => function.r#async,
            FunctionNode::Arrow(arrow) => arrow.r#async,
        }
    }

    pub(crate) fn is_generator(self) -> bool {
        matches!(self, FunctionNode::Function(function) if function.generator)
    }

    pub(crate) fn is_arrow(self) -> bool {
        matches!(self, FunctionNode::Arrow(_))
    }

    /// Returns where the type parameters, or else the parameters, start.
    pub(crate) fn params_start(self) -> u32 {
        let types = match self {
            FunctionNode::Function(function) => &function.type_parameters,
            FunctionNode::Arrow(arrow) => &arrow.type_parameters,
        };
        types.as_ref().map_or(self.params().span, |types| types.span).start
    }

    /// Returns where the return type, or else the parameters, end.
    pub(crate) fn head_end(self) -> u32 {
        let annotation = match self {
            FunctionNode::Function(function) => &function.return_type,
            FunctionNode::Arrow(arrow) => &arrow.return_type,
        };
        annotation.as_ref().map_or(self.params().span, |annotation| annotation.span).end
    }

    /// Returns the value that an arrow function returns without braces, without its parentheses unless these contain
    /// comments.
    pub(crate) fn returned_value(self, code: Semantics<'_, '_>) -> Option<Span> {
        let value = self.expression()?;
        let inner = value.without_parentheses().span();
        let is_lost = code.has_comments_around(value.span(), inner);
        Some(if is_lost { value.span() } else { inner }.place())
    }

    /// Returns the symbol of the name in `function name() {}`.
    pub(crate) fn own_symbol(self) -> Option<SymbolId> {
        match self {
            FunctionNode::Function(function) => function.id.as_ref()?.symbol_id.get(),
            FunctionNode::Arrow(_) => None,
        }
    }

    /// Returns the scope of the parameters and of the declarations in the body.
    pub(crate) fn scope(self) -> Option<ScopeId> {
        match self {
            FunctionNode::Function(function) => function.scope_id.get(),
            FunctionNode::Arrow(arrow) => arrow.scope_id.get(),
        }
    }

    pub(crate) fn params(self) -> &'a FormalParameters<'a> {
        match self {
            FunctionNode::Function(function) => &function.params,
            FunctionNode::Arrow(arrow) => &arrow.params,
        }
    }

    pub(crate) fn return_type(self) -> Option<&'a TSType<'a>> {
        let annotation = match self {
            FunctionNode::Function(function) => &function.return_type,
            FunctionNode::Arrow(arrow) => &arrow.return_type,
        };
        annotation.as_ref().map(|annotation| &annotation.type_annotation)
    }

    /// Returns the body if it is a block.
    pub(crate) fn block(self) -> Option<&'a FunctionBody<'a>> {
        match self {
            FunctionNode::Function(function) => function.body.as_deref(),
            FunctionNode::Arrow(arrow) => match &arrow.body {
                ArrowFunctionBody::FunctionBody(body) => Some(body),
                _ => None,
            },
        }
    }

    /// Returns the body of an arrow function that is an expression.
    pub(crate) fn expression(self) -> Option<&'a Expression<'a>> {
        match self {
            FunctionNode::Arrow(arrow) => arrow.body.as_expression(),
            FunctionNode::Function(_) => None,
        }
    }

    /// Returns the span of the body. Without a body, the span is empty, at the end.
    pub(crate) fn body_span(self) -> oxc_span::Span {
        let end = oxc_span::Span::new(self.span().end, self.span().end);
        self.block().map(|body| body.span).or(self.expression().map(|value| value.span())).unwrap_or(end)
    }
}

/// Returns the function whose head contains the caret or the start of the selection. The head is everything before the
/// body, including the declaration that names the function.
pub(crate) fn function_at<'a>(semantic: &Semantic<'a>, text: &str, at: Selection) -> Option<FunctionNode<'a>> {
    let caret = effective_caret(text, at);
    let heads = semantic.nodes().iter().filter_map(|node| {
        let function = FunctionNode::from_kind(node.kind())?;
        let start = declaration_start(semantic, function);
        let body = function.body_span();
        let is_in_head = start <= caret && (caret < body.start || body.is_empty() && caret <= body.end);
        is_in_head.then_some((function, start))
    });
    heads.max_by_key(|(function, start)| (*start, function.span().start)).map(|(function, _)| function)
}

/// Returns the function around a node; `None` at the top level of the file.
pub(crate) fn enclosing_function(semantic: &Semantic<'_>, node: NodeId) -> Option<NodeId> {
    let nodes = semantic.nodes();
    std::iter::once(node).chain(nodes.ancestor_ids(node)).find(|node| {
        matches!(
            nodes.kind(*node),
            AstKind::Function(_) | AstKind::ArrowFunctionExpression(_) | AstKind::StaticBlock(_)
        )
    })
}

/// Returns whether a node is in a loop within its function.
pub(crate) fn is_in_loop(semantic: &Semantic<'_>, node: NodeId) -> bool {
    let nodes = semantic.nodes();
    std::iter::once(node)
        .chain(nodes.ancestor_ids(node))
        .map(|node| nodes.kind(node))
        .take_while(|kind| !matches!(kind, AstKind::Function(_) | AstKind::ArrowFunctionExpression(_)))
        .any(|kind| kind.is_iteration_statement())
}

/// Returns whether the code at an offset in a constructor runs before the object exists: in or before the arguments of
/// `super`.
pub(crate) fn runs_before_super(code: Semantics<'_, '_>, constructor: oxc_span::Span, start: u32) -> bool {
    code.nodes_in(constructor).any(|(_, kind)| {
        matches!(kind, AstKind::CallExpression(call)
            if matches!(call.callee, Expression::Super(_)) && start < call.span.end)
    })
}

/// Returns the span of a function's name: its own, or that of the variable, property, member or method that holds it.
pub(crate) fn function_name_span(semantic: &Semantic<'_>, function: FunctionNode<'_>) -> Option<oxc_span::Span> {
    let own = function.span();
    match semantic.nodes().parent_kind(function.id()) {
        AstKind::MethodDefinition(method) if !method.computed => Some(method.key.span()),
        AstKind::PropertyDefinition(property) if !property.computed && property.key.span() != own => {
            Some(property.key.span())
        }
        AstKind::ObjectProperty(property) if !property.computed && property.key.span() != own => {
            Some(property.key.span())
        }
        AstKind::VariableDeclarator(variable) => {
            variable.id.get_binding_identifier().filter(|_| variable.id.span() != own).map(|name| name.span)
        }
        AstKind::AssignmentExpression(set) => match &set.left {
            // Importers choose the name of a module's value.
            AssignmentTarget::StaticMemberExpression(member) if is_module_exports(member) => own_name(function),
            AssignmentTarget::StaticMemberExpression(member) => Some(member.property.span),
            AssignmentTarget::ComputedMemberExpression(member) => match &member.expression {
                Expression::StringLiteral(key) => Some(key.span.shrink(1)),
                _ => None,
            },
            _ => own_name(function),
        },
        _ => own_name(function),
    }
}

/// Returns the span of the name in `function name() {}`.
fn own_name(function: FunctionNode<'_>) -> Option<oxc_span::Span> {
    match function {
        FunctionNode::Function(function) => function.id.as_ref().map(|id| id.span),
        FunctionNode::Arrow(_) => None,
    }
}

/// Returns whether an access is `module.exports`.
fn is_module_exports(member: &StaticMemberExpression<'_>) -> bool {
    member.property.name == "exports" && matches!(&member.object, Expression::Identifier(name) if name.name == "module")
}

/// Returns the innermost function around the caret.
pub(crate) fn function_around<'a>(semantic: &Semantic<'a>, text: &str, at: Selection) -> Option<FunctionNode<'a>> {
    let caret = effective_caret(text, at);
    let holds = |function: &FunctionNode<'a>| function.span().start <= caret && caret <= function.span().end;
    let functions = semantic.nodes().iter().filter_map(|node| FunctionNode::from_kind(node.kind()));
    functions.filter(holds).max_by_key(|function| function.span().start)
}

/// Returns the position of the caret. If the caret is at the start of the selection, white space there is skipped.
pub(crate) fn effective_caret(text: &str, at: Selection) -> u32 {
    if at.caret != at.span.start {
        return at.caret;
    }
    at.span.trimmed(text).start
}

/// Returns where the declaration that holds a function starts: at `export`, `const`, or the name of a method.
fn declaration_start(semantic: &Semantic<'_>, function: FunctionNode<'_>) -> u32 {
    let nodes = semantic.nodes();
    let own = function.span();
    let parent = nodes.parent_id(function.id());
    match nodes.kind(parent) {
        AstKind::ExportDeclaration(export) => export.span.start,
        AstKind::ExportDefaultDeclaration(export) => export.span.start,
        AstKind::MethodDefinition(method) => method.span.start,
        AstKind::PropertyDefinition(property) if property.key.span() != own => property.span.start,
        AstKind::ObjectProperty(property) if property.key.span() != own => property.span.start,
        AstKind::VariableDeclarator(variable) => match nodes.parent_kind(parent) {
            AstKind::VariableDeclaration(whole) if whole.declarations.len() == 1 => {
                match nodes.parent_kind(nodes.parent_id(parent)) {
                    AstKind::ExportDeclaration(export) => export.span.start,
                    _ => whole.span.start,
                }
            }
            _ => variable.span.start,
        },
        _ => own.start,
    }
}

/// Returns the error for a caret outside of any function head, with the nearest function as a candidate.
pub(crate) fn no_function_failure(semantic: &Semantic<'_>, text: &str, at: Selection) -> Failure {
    let failure = fail(FailureKind::RefactorFailed, "no function starts here");
    match function_around(semantic, text, at) {
        Some(function) => {
            let start = function.span().start as usize;
            let line = text[start..].lines().next().unwrap_or_default();
            failure
                .hint("place the caret on the name, the keyword or the parameters of the function")
                .candidates([line.trim_end().to_owned()])
                .at(Span::at(start))
        }
        None => failure.hint("place the caret on the name, the keyword or the parameters of a function"),
    }
}

impl<'a> Semantics<'_, 'a> {
    /// Returns the function whose head contains the caret. Fails if no head does.
    pub(crate) fn function_at(self, at: Selection) -> Result<FunctionNode<'a>> {
        let (semantic, text) = (self.semantic(), self.text());
        function_at(semantic, text, at).ok_or_else(|| no_function_failure(semantic, text, at))
    }
}

/// Returns the span of the keyword `function`. `None` if the function is written without it.
pub(crate) fn function_keyword(function: &Function<'_>, text: &str) -> Option<Span> {
    let mut at = function.span.start as usize;
    if function.declare {
        at = skip_trivia(text, at + "declare".len());
    }
    if function.r#async {
        at = skip_trivia(text, at + "async".len());
    }
    text[at..].starts_with("function").then(|| Span::new(at, at + "function".len()))
}

/// Values that a body gets from the call of its function, and that differ in another form of function.
#[derive(Debug, Default)]
pub(crate) struct CallContext {
    pub(crate) this: Option<oxc_span::Span>,
    /// `arguments`, `new.target` or `super`.
    pub(crate) other_word: Option<(&'static str, oxc_span::Span)>,
}

impl CallContext {
    /// Finds these values in parameters and body. Nested functions are skipped, because they have their own values,
    /// except for arrow functions.
    pub(crate) fn from_function(function: FunctionNode<'_>) -> CallContext {
        let mut words = CallContext::default();
        words.visit_formal_parameters(function.params());
        if let Some(body) = function.block() {
            words.visit_function_body(body);
        }
        if let Some(value) = function.expression() {
            words.visit_expression(value);
        }
        words
    }

    /// Refuses a change to a form of function in which these values would have a different meaning.
    pub(crate) fn check(&self, form: &str) -> Result<()> {
        let this = self.this.map(|span| ("this", span));
        match self.other_word.or(this) {
            None => Ok(()),
            Some((word, span)) => {
                Err(fail(FailureKind::RefactorFailed, format!("`{word}` would have a different meaning in {form}"))
                    .hint(format!("first pass the value of `{word}` as a parameter"))
                    .at(Span { start: span.start, end: span.end }))
            }
        }
    }

    fn record_other(&mut self, word: &'static str, span: oxc_span::Span) {
        self.other_word.get_or_insert((word, span));
    }
}

impl<'a> Visit<'a> for CallContext {
    fn visit_this_expression(&mut self, it: &ThisExpression) {
        self.this.get_or_insert(it.span);
    }

    fn visit_ts_this_type(&mut self, it: &TSThisType) {
        self.this.get_or_insert(it.span);
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        if it.name == "arguments" {
            self.record_other("arguments", it.span);
        }
    }

    fn visit_new_target(&mut self, it: &NewTarget) {
        self.record_other("new.target", it.span);
    }

    fn visit_super(&mut self, it: &Super) {
        self.record_other("super", it.span);
    }

    fn visit_function(&mut self, _: &Function<'a>, _: ScopeFlags) {}

    /// Base class and computed keys of a class are evaluated outside of it.
    fn visit_class(&mut self, it: &Class<'a>) {
        self.visit_decorators(&it.decorators);
        if let Some(base) = &it.heritage {
            self.visit_expression(&base.expression);
        }
        for element in &it.body.body {
            if let Some(key) = element.property_key().filter(|_| element.computed()) {
                walk::walk_property_key(self, key);
            }
        }
    }
}

/// Returns a use that other forms of function do not support: in `new` or `instanceof`, as a base class, or in
/// `f.prototype`.
pub(crate) fn constructor_use(semantic: &Semantic<'_>, symbol: SymbolId) -> Option<oxc_span::Span> {
    let nodes = semantic.nodes();
    let uses = semantic.scoping().get_resolved_references(symbol);
    let constructs = |id: NodeId| {
        let own = nodes.kind(id).span();
        match nodes.parent_kind(id) {
            AstKind::NewExpression(new) => new.callee.span() == own,
            AstKind::StaticMemberExpression(member) => member.property.name == "prototype",
            AstKind::BinaryExpression(binary) => {
                binary.operator == BinaryOperator::Instanceof && binary.right.span() == own
            }
            AstKind::Class(class) => class.heritage.as_ref().is_some_and(|base| base.expression.span() == own),
            _ => false,
        }
    };
    uses.filter(|reference| constructs(reference.node_id())).map(|reference| semantic.reference_span(reference)).next()
}
