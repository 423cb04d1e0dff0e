//! Classifies values: promise, not a promise, or unknown.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_semantic::{NodeId, SymbolId};
use oxc_syntax::scope::ScopeFlags;

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::{Callable, Ty};
use crate::program::ids::{OPEN_DOCUMENT, Owner};
use crate::semantics::functions::FunctionNode;

/// Properties of platform objects that are promises.
const PLATFORM_PROMISES: [&str; 13] = [
    "closed",
    "committed",
    "completed",
    "draining",
    "finished",
    "loaded",
    "lost",
    "opened",
    "preloadResponse",
    "promise",
    "ready",
    "updateCallbackDone",
    "userChoice",
];

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PromiseKind {
    Promise,
    /// The value is neither a promise nor another thenable.
    Value,
    Unknown,
}

impl PromiseKind {
    fn join(self, other: PromiseKind) -> PromiseKind {
        if self == other { self } else { PromiseKind::Unknown }
    }

    fn join_all(promises: impl IntoIterator<Item = PromiseKind>) -> PromiseKind {
        promises.into_iter().reduce(PromiseKind::join).unwrap_or(PromiseKind::Value)
    }
}

/// Determines whether expressions of the open document are promises.
pub(crate) struct PromiseAnalysis<'c, 'w> {
    pub(crate) checker: &'c Checker<'w>,
    /// Variables that hold a platform object.
    platform: RefCell<HashSet<SymbolId>>,
    /// Kinds of function results; `Unknown` while one is being computed.
    returned: RefCell<HashMap<NodeId, PromiseKind>>,
}

impl<'c, 'w> PromiseAnalysis<'c, 'w> {
    pub(crate) fn new(checker: &'c Checker<'w>) -> PromiseAnalysis<'c, 'w> {
        PromiseAnalysis { checker, platform: RefCell::default(), returned: RefCell::default() }
    }

    /// Registers the variable to which the value of a promise is bound.
    pub(crate) fn bind_value(&self, promise: &'w Expression<'w>, variable: SymbolId) {
        if let Expression::CallExpression(call) = promise.without_parentheses()
            && (self.is_global(&call.callee, "fetch") || self.reads_response_body(&call.callee))
        {
            self.platform.borrow_mut().insert(variable);
        }
    }

    /// Returns whether a callee is a method that reads the body of a `fetch` response into a platform object.
    fn reads_response_body(&self, callee: &'w Expression<'w>) -> bool {
        const BODY_READERS: [&str; 5] = ["arrayBuffer", "blob", "bytes", "formData", "text"];
        let Expression::StaticMemberExpression(member) = callee else { return false };
        BODY_READERS.contains(&member.property.name.as_str()) && self.is_platform_object(&member.object)
    }

    /// Returns whether an expression is a platform object.
    fn is_platform_object(&self, expression: &'w Expression<'w>) -> bool {
        let Expression::Identifier(name) = expression else { return false };
        self.checker
            .resolve_identifier(OPEN_DOCUMENT, name)
            .is_some_and(|symbol| self.platform.borrow().contains(&symbol))
    }

    /// Returns whether an expression is a promise.
    pub(crate) fn classify(&self, expression: &'w Expression<'w>) -> PromiseKind {
        self.checker.with_depth(PromiseKind::Unknown, || self.classify_uncached(expression))
    }

    fn classify_uncached(&self, expression: &'w Expression<'w>) -> PromiseKind {
        match expression {
            Expression::ParenthesizedExpression(inner) => self.classify(&inner.expression),
            Expression::ConditionalExpression(choice) => {
                self.classify(&choice.consequent).join(self.classify(&choice.alternate))
            }
            Expression::LogicalExpression(logical) => self.classify(&logical.left).join(self.classify(&logical.right)),
            Expression::SequenceExpression(list) => {
                list.expressions.last().map_or(PromiseKind::Value, |last| self.classify(last))
            }
            Expression::AssignmentExpression(assignment) => match assignment.operator {
                AssignmentOperator::Assign => self.classify(&assignment.right),
                AssignmentOperator::LogicalOr | AssignmentOperator::LogicalAnd | AssignmentOperator::LogicalNullish => {
                    PromiseKind::Unknown
                }
                _ => PromiseKind::Value,
            },
            Expression::TSAsExpression(cast) => self.classify_annotation(&cast.type_annotation),
            Expression::TSTypeAssertion(cast) => self.classify_annotation(&cast.type_annotation),
            Expression::TSSatisfiesExpression(inner) => self.classify(&inner.expression),
            Expression::TSNonNullExpression(inner) => self.classify(&inner.expression),
            Expression::ImportExpression(_) => PromiseKind::Promise,
            Expression::NewExpression(new) => match &new.callee {
                Expression::Identifier(name) if self.is_undeclared(name) => match name.name.as_str() {
                    "Promise" => PromiseKind::Promise,
                    known if builtins::is_platform_name(known) && known != "Proxy" => PromiseKind::Value,
                    _ => PromiseKind::Unknown,
                },
                _ => self.classify_inferred(expression),
            },
            Expression::CallExpression(call) => self.classify_call(expression, call),
            Expression::StaticMemberExpression(member) => self.classify_member(expression, member),
            Expression::ObjectExpression(_) => self.classify_inferred(expression),
            Expression::Identifier(name) => self.classify_name(expression, name),
            Expression::ArrayExpression(_)
            | Expression::ArrowFunctionExpression(_)
            | Expression::AwaitExpression(_)
            | Expression::BigIntLiteral(_)
            | Expression::BinaryExpression(_)
            | Expression::BooleanLiteral(_)
            | Expression::ClassExpression(_)
            | Expression::FunctionExpression(_)
            | Expression::JSXElement(_)
            | Expression::JSXFragment(_)
            | Expression::NullLiteral(_)
            | Expression::NumericLiteral(_)
            | Expression::PrivateInExpression(_)
            | Expression::RegExpLiteral(_)
            | Expression::StringLiteral(_)
            | Expression::TemplateLiteral(_)
            | Expression::UnaryExpression(_)
            | Expression::UpdateExpression(_) => PromiseKind::Value,
            _ => PromiseKind::Unknown,
        }
    }

    fn classify_name(&self, expression: &'w Expression<'w>, name: &'w IdentifierReference<'w>) -> PromiseKind {
        match self.checker.resolve_identifier(OPEN_DOCUMENT, name) {
            None if name.name == "undefined" => PromiseKind::Value,
            Some(symbol) if self.platform.borrow().contains(&symbol) => PromiseKind::Value,
            Some(symbol) => {
                let here = self.checker.open_module();
                match here.kind(here.scoping().symbol_declaration(symbol)) {
                    AstKind::FormalParameter(FormalParameter { type_annotation: Some(annotation), .. })
                    | AstKind::VariableDeclarator(VariableDeclarator { type_annotation: Some(annotation), .. }) => {
                        self.classify_annotation(&annotation.type_annotation)
                    }
                    AstKind::VariableDeclarator(VariableDeclarator {
                        init: Some(init),
                        id: BindingPattern::BindingIdentifier(_),
                        ..
                    }) if !here.scoping().symbol_is_mutated(symbol) => self.classify(init),
                    _ => self.classify_inferred(expression),
                }
            }
            None => self.classify_inferred(expression),
        }
    }

    fn classify_member(&self, expression: &'w Expression<'w>, member: &'w StaticMemberExpression<'w>) -> PromiseKind {
        let property = member.property.name.as_str();
        if self.is_platform_object(&member.object) {
            return if PLATFORM_PROMISES.contains(&property) { PromiseKind::Promise } else { PromiseKind::Value };
        }
        if property == "length" { PromiseKind::Value } else { self.classify_inferred(expression) }
    }

    fn classify_call(&self, expression: &'w Expression<'w>, call: &'w CallExpression<'w>) -> PromiseKind {
        if self.is_global(&call.callee, "fetch") {
            return PromiseKind::Promise;
        }
        if let Expression::StaticMemberExpression(member) = &call.callee {
            let method = member.property.name.as_str();
            if self.is_global(&member.object, "Promise") {
                return if method == "withResolvers" { PromiseKind::Value } else { PromiseKind::Promise };
            }
            if self.reads_response_body(&call.callee) || method == "json" && self.is_platform_object(&member.object) {
                return PromiseKind::Promise;
            }
            if matches!(method, "then" | "catch" | "finally") && self.classify(&member.object) == PromiseKind::Promise {
                return PromiseKind::Promise;
            }
            if matches!(method, "toString" | "toLocaleString" | "forEach" | "hasOwnProperty") {
                return PromiseKind::Value;
            }
        }
        if self.returns_plain_value(&call.callee) {
            return PromiseKind::Value;
        }
        let callee = self.checker.expression_type(OPEN_DOCUMENT, &call.callee);
        let signatures = self.checker.signatures(&callee, false);
        if signatures.is_empty() {
            return self.classify_inferred(expression);
        }
        PromiseKind::join_all(signatures.iter().map(|signature| {
            if let Some(annotation) = signature.callable.return_type()
                && (signature.module == OPEN_DOCUMENT || is_simple(annotation))
            {
                return self.classify_annotation(annotation);
            }
            match signature.callable {
                Callable::Function(function) if signature.module == OPEN_DOCUMENT => {
                    self.classify_returned(FunctionNode::Function(function))
                }
                Callable::Arrow(arrow) if signature.module == OPEN_DOCUMENT => {
                    self.classify_returned(FunctionNode::Arrow(arrow))
                }
                _ => self.classify_type(&self.checker.return_type_of(signature)),
            }
        }))
    }

    /// Returns whether a function of the open document returns a promise.
    pub(crate) fn classify_returned(&self, function: FunctionNode<'w>) -> PromiseKind {
        if let Some(annotation) = function.return_type() {
            return self.classify_annotation(annotation);
        }
        if function.is_generator() {
            return if function.is_async() { PromiseKind::Unknown } else { PromiseKind::Value };
        }
        if function.is_async() {
            return PromiseKind::Promise;
        }
        let key = function.id();
        if let Some(known) = self.returned.borrow().get(&key) {
            return *known;
        }
        self.returned.borrow_mut().insert(key, PromiseKind::Unknown);
        let nature = match (function.block(), function.expression()) {
            (_, Some(value)) => self.classify(value),
            (Some(body), None) => {
                let values = ReturnedValues::collect(body);
                PromiseKind::join_all(
                    values.iter().map(|value| value.map_or(PromiseKind::Value, |value| self.classify(value))),
                )
            }
            (None, None) => PromiseKind::Unknown,
        };
        self.returned.borrow_mut().insert(key, nature);
        nature
    }

    /// Returns whether values of a written type are promises.
    pub(crate) fn classify_annotation(&self, ty: &'w TSType<'w>) -> PromiseKind {
        match ty {
            TSType::TSParenthesizedType(inner) => self.classify_annotation(&inner.type_annotation),
            TSType::TSUnionType(union) => {
                PromiseKind::join_all(union.types.iter().map(|ty| self.classify_annotation(ty)))
            }
            TSType::TSTypeReference(reference) => match &reference.type_name {
                TSTypeName::IdentifierReference(name)
                    if self.is_undeclared(name) && matches!(name.name.as_str(), "Promise" | "PromiseLike") =>
                {
                    PromiseKind::Promise
                }
                TSTypeName::IdentifierReference(name)
                    if self.is_undeclared(name) && builtins::is_platform_name(&name.name) =>
                {
                    let is_made_of_others = reference.type_arguments.is_some();
                    if is_made_of_others { PromiseKind::Unknown } else { PromiseKind::Value }
                }
                _ => self.classify_type(&self.checker.annotation_type(OPEN_DOCUMENT, ty, &None)),
            },
            TSType::TSTypeLiteral(_) => self.classify_type(&self.checker.annotation_type(OPEN_DOCUMENT, ty, &None)),
            other if is_simple(other) => PromiseKind::Value,
            _ => PromiseKind::Unknown,
        }
    }

    fn classify_inferred(&self, expression: &'w Expression<'w>) -> PromiseKind {
        self.classify_type(&self.checker.expression_type(OPEN_DOCUMENT, expression))
    }

    fn classify_type(&self, ty: &Ty<'w>) -> PromiseKind {
        use crate::infer::ty::Builtin;
        match ty {
            Ty::Builtin(Builtin::Promise, _) => PromiseKind::Promise,
            Ty::String(..) | Ty::Module(_) | Ty::Builtin(..) | Ty::Tuple(_) | Ty::Keys(_) => PromiseKind::Value,
            Ty::Union(types) => PromiseKind::join_all(types.iter().map(|ty| self.classify_type(ty))),
            Ty::Instance(Owner::Symbol(..) | Owner::Node(..), _) | Ty::Literal(..) | Ty::Object(..) | Ty::Static(_) => {
                if self.checker.props(ty, "then").is_absent() {
                    PromiseKind::Value
                } else {
                    PromiseKind::Unknown
                }
            }
            // `Ty::Primitive` is also the type of some unknown values.
            _ => PromiseKind::Unknown,
        }
    }

    /// Returns whether the callee is a platform function that returns a primitive value or `undefined`.
    pub(crate) fn returns_plain_value(&self, callee: &'w Expression<'w>) -> bool {
        const PLAIN_FUNCTIONS: [&str; 12] = [
            "Boolean",
            "Date",
            "JSON",
            "Math",
            "Number",
            "String",
            "clearTimeout",
            "console",
            "isNaN",
            "parseFloat",
            "parseInt",
            "setTimeout",
        ];
        let root = match callee {
            Expression::StaticMemberExpression(member) => &member.object,
            other => other,
        };
        // In theory, the result of `JSON.parse` may have a `then`.
        matches!(root, Expression::Identifier(name) if self.is_undeclared(name) && PLAIN_FUNCTIONS.contains(&name.name.as_str()))
    }

    fn is_undeclared(&self, name: &'w IdentifierReference<'w>) -> bool {
        self.checker.resolve_identifier(OPEN_DOCUMENT, name).is_none()
    }

    /// Returns whether an expression is this global, by name or as a member of the global object.
    fn is_global(&self, expression: &'w Expression<'w>, global: &str) -> bool {
        match expression {
            Expression::Identifier(name) => name.name == global && self.is_undeclared(name),
            Expression::StaticMemberExpression(member) => {
                member.property.name == global
                    && matches!(&member.object, Expression::Identifier(name)
                        if builtins::GLOBAL_OBJECTS.contains(&name.name.as_str()) && self.is_undeclared(name))
            }
            _ => false,
        }
    }
}

/// Returns whether the syntax of a type shows that its values are not promises.
fn is_simple(ty: &TSType<'_>) -> bool {
    matches!(
        ty,
        TSType::TSArrayType(_)
            | TSType::TSBigIntKeyword(_)
            | TSType::TSBooleanKeyword(_)
            | TSType::TSConstructorType(_)
            | TSType::TSFunctionType(_)
            | TSType::TSLiteralType(_)
            | TSType::TSNeverKeyword(_)
            | TSType::TSNullKeyword(_)
            | TSType::TSNumberKeyword(_)
            | TSType::TSStringKeyword(_)
            | TSType::TSSymbolKeyword(_)
            | TSType::TSTemplateLiteralType(_)
            | TSType::TSTupleType(_)
            | TSType::TSTypePredicate(_)
            | TSType::TSUndefinedKeyword(_)
            | TSType::TSVoidKeyword(_)
    )
}

/// Values that a function returns, without those of nested functions.
pub(crate) struct ReturnedValues<'a> {
    found: Vec<Option<&'a Expression<'a>>>,
    statements: Vec<&'a ReturnStatement<'a>>,
}

impl<'a> ReturnedValues<'a> {
    pub(crate) fn collect(body: &'a FunctionBody<'a>) -> Vec<Option<&'a Expression<'a>>> {
        let mut returned = ReturnedValues { found: Vec::new(), statements: Vec::new() };
        for statement in &body.statements {
            returned.visit_statement(statement);
        }
        returned.found
    }

    /// Returns the `return` statements of a function.
    pub(crate) fn statements_of(body: &'a FunctionBody<'a>) -> Vec<&'a ReturnStatement<'a>> {
        body.statements.iter().flat_map(ReturnedValues::statements).collect()
    }

    /// Returns the `return` statements within a statement.
    pub(crate) fn statements(within: &'a Statement<'a>) -> Vec<&'a ReturnStatement<'a>> {
        let mut returned = ReturnedValues { found: Vec::new(), statements: Vec::new() };
        returned.visit_statement(within);
        returned.statements
    }
}

impl<'a> Visit<'a> for ReturnedValues<'a> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        if let AstKind::ReturnStatement(statement) = kind {
            self.found.push(statement.argument.as_ref());
            self.statements.push(statement);
        }
    }

    fn visit_expression(&mut self, _: &Expression<'a>) {}

    fn visit_function(&mut self, _: &Function<'a>, _: ScopeFlags) {}

    fn visit_class(&mut self, _: &Class<'a>) {}
}
