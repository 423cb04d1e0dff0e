//! Whether a value is a promise: yes, no or unknown.

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
use crate::operations::refactor::functions::FunctionNode;
use crate::program::ids::{HERE, Owner};

/// Properties of platform objects that are promises.
const PROMISED: [&str; 13] = [
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

/// Whether a value is a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    Promise,
    /// Not a promise or another thenable.
    Value,
    Unknown,
}

impl Nature {
    fn or(self, other: Nature) -> Nature {
        if self == other { self } else { Nature::Unknown }
    }

    fn of_all(natures: impl IntoIterator<Item = Nature>) -> Nature {
        natures.into_iter().reduce(Nature::or).unwrap_or(Nature::Value)
    }
}

/// Determines whether expressions of the open document are promises.
pub(super) struct Natures<'c, 'w> {
    pub(super) checker: &'c Checker<'w>,
    /// Variables that hold a platform object.
    platform: RefCell<HashSet<SymbolId>>,
    /// Natures of function results; `Unknown` while one is being computed.
    returned: RefCell<HashMap<NodeId, Nature>>,
}

impl<'c, 'w> Natures<'c, 'w> {
    pub(super) fn new(checker: &'c Checker<'w>) -> Natures<'c, 'w> {
        Natures { checker, platform: RefCell::default(), returned: RefCell::default() }
    }

    /// Registers the variable to which the value of a promise is bound.
    pub(super) fn binds(&self, promise: &'w Expression<'w>, variable: SymbolId) {
        if let Expression::CallExpression(call) = promise.without_parentheses()
            && (self.is_global(&call.callee, "fetch") || self.is_read_from_platform(&call.callee))
        {
            self.platform.borrow_mut().insert(variable);
        }
    }

    /// Returns whether this is a method that reads the body of a `fetch` response into a platform object.
    fn is_read_from_platform(&self, callee: &'w Expression<'w>) -> bool {
        const READS: [&str; 5] = ["arrayBuffer", "blob", "bytes", "formData", "text"];
        let Expression::StaticMemberExpression(member) = callee else { return false };
        READS.contains(&member.property.name.as_str()) && self.is_platform(&member.object)
    }

    /// Returns whether an expression is a platform object.
    fn is_platform(&self, expression: &'w Expression<'w>) -> bool {
        let Expression::Identifier(name) = expression else { return false };
        self.checker.resolved(HERE, name).is_some_and(|symbol| self.platform.borrow().contains(&symbol))
    }

    /// Returns whether an expression is a promise.
    pub(super) fn of(&self, expression: &'w Expression<'w>) -> Nature {
        self.checker.deeper(Nature::Unknown, || self.of_now(expression))
    }

    fn of_now(&self, expression: &'w Expression<'w>) -> Nature {
        match expression {
            Expression::ParenthesizedExpression(inner) => self.of(&inner.expression),
            Expression::ConditionalExpression(choice) => self.of(&choice.consequent).or(self.of(&choice.alternate)),
            Expression::LogicalExpression(logical) => self.of(&logical.left).or(self.of(&logical.right)),
            Expression::SequenceExpression(list) => list.expressions.last().map_or(Nature::Value, |last| self.of(last)),
            Expression::AssignmentExpression(assignment) => match assignment.operator {
                AssignmentOperator::Assign => self.of(&assignment.right),
                AssignmentOperator::LogicalOr | AssignmentOperator::LogicalAnd | AssignmentOperator::LogicalNullish => {
                    Nature::Unknown
                }
                _ => Nature::Value,
            },
            Expression::TSAsExpression(cast) => self.of_type(&cast.type_annotation),
            Expression::TSTypeAssertion(cast) => self.of_type(&cast.type_annotation),
            Expression::TSSatisfiesExpression(inner) => self.of(&inner.expression),
            Expression::TSNonNullExpression(inner) => self.of(&inner.expression),
            Expression::ImportExpression(_) => Nature::Promise,
            Expression::NewExpression(new) => match &new.callee {
                Expression::Identifier(name) if self.is_free(name) => match name.name.as_str() {
                    "Promise" => Nature::Promise,
                    known if builtins::declares(known) && known != "Proxy" => Nature::Value,
                    _ => Nature::Unknown,
                },
                _ => self.of_checked(expression),
            },
            Expression::CallExpression(call) => self.of_call(expression, call),
            Expression::StaticMemberExpression(member) => self.of_member(expression, member),
            Expression::ObjectExpression(_) => self.of_checked(expression),
            Expression::Identifier(name) => self.of_name(expression, name),
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
            | Expression::UpdateExpression(_) => Nature::Value,
            _ => Nature::Unknown,
        }
    }

    fn of_name(&self, expression: &'w Expression<'w>, name: &'w IdentifierReference<'w>) -> Nature {
        match self.checker.resolved(HERE, name) {
            None if name.name == "undefined" => Nature::Value,
            Some(symbol) if self.platform.borrow().contains(&symbol) => Nature::Value,
            Some(symbol) => {
                let here = self.checker.here();
                match here.kind(here.scoping().symbol_declaration(symbol)) {
                    AstKind::FormalParameter(FormalParameter { type_annotation: Some(annotation), .. })
                    | AstKind::VariableDeclarator(VariableDeclarator { type_annotation: Some(annotation), .. }) => {
                        self.of_type(&annotation.type_annotation)
                    }
                    AstKind::VariableDeclarator(VariableDeclarator {
                        init: Some(init),
                        id: BindingPattern::BindingIdentifier(_),
                        ..
                    }) if !here.scoping().symbol_is_mutated(symbol) => self.of(init),
                    _ => self.of_checked(expression),
                }
            }
            None => self.of_checked(expression),
        }
    }

    fn of_member(&self, expression: &'w Expression<'w>, member: &'w StaticMemberExpression<'w>) -> Nature {
        let property = member.property.name.as_str();
        if self.is_platform(&member.object) {
            return if PROMISED.contains(&property) { Nature::Promise } else { Nature::Value };
        }
        if property == "length" { Nature::Value } else { self.of_checked(expression) }
    }

    fn of_call(&self, expression: &'w Expression<'w>, call: &'w CallExpression<'w>) -> Nature {
        if self.is_global(&call.callee, "fetch") {
            return Nature::Promise;
        }
        if let Expression::StaticMemberExpression(member) = &call.callee {
            let method = member.property.name.as_str();
            if self.is_global(&member.object, "Promise") {
                return if method == "withResolvers" { Nature::Value } else { Nature::Promise };
            }
            if self.is_read_from_platform(&call.callee) || method == "json" && self.is_platform(&member.object) {
                return Nature::Promise;
            }
            if matches!(method, "then" | "catch" | "finally") && self.of(&member.object) == Nature::Promise {
                return Nature::Promise;
            }
            if matches!(method, "toString" | "toLocaleString" | "forEach" | "hasOwnProperty") {
                return Nature::Value;
            }
        }
        if self.gives_plain_values(&call.callee) {
            return Nature::Value;
        }
        let callee = self.checker.value(HERE, &call.callee);
        let signatures = self.checker.signatures(&callee, false);
        if signatures.is_empty() {
            return self.of_checked(expression);
        }
        Nature::of_all(signatures.iter().map(|signature| {
            if let Some(annotation) = signature.callable.return_type()
                && (signature.module == HERE || is_simple(annotation))
            {
                return self.of_type(annotation);
            }
            match signature.callable {
                Callable::Function(function) if signature.module == HERE => {
                    self.of_returned(FunctionNode::Function(function))
                }
                Callable::Arrow(arrow) if signature.module == HERE => self.of_returned(FunctionNode::Arrow(arrow)),
                _ => self.of_ty(&self.checker.returned(signature)),
            }
        }))
    }

    /// Returns whether a function of the open document returns a promise.
    pub(super) fn of_returned(&self, function: FunctionNode<'w>) -> Nature {
        if let Some(annotation) = function.return_type() {
            return self.of_type(annotation);
        }
        if let FunctionNode::Function(function) = function
            && function.generator
        {
            return if function.r#async { Nature::Unknown } else { Nature::Value };
        }
        if function.is_async() {
            return Nature::Promise;
        }
        let key = function.id();
        if let Some(known) = self.returned.borrow().get(&key) {
            return *known;
        }
        self.returned.borrow_mut().insert(key, Nature::Unknown);
        let nature = match (function.block(), function.expression()) {
            (_, Some(value)) => self.of(value),
            (Some(body), None) => {
                let values = Returned::of(body);
                Nature::of_all(values.iter().map(|value| value.map_or(Nature::Value, |value| self.of(value))))
            }
            (None, None) => Nature::Unknown,
        };
        self.returned.borrow_mut().insert(key, nature);
        nature
    }

    /// Returns whether values of a written type are promises.
    pub(super) fn of_type(&self, ty: &'w TSType<'w>) -> Nature {
        match ty {
            TSType::TSParenthesizedType(inner) => self.of_type(&inner.type_annotation),
            TSType::TSUnionType(union) => Nature::of_all(union.types.iter().map(|ty| self.of_type(ty))),
            TSType::TSTypeReference(reference) => match &reference.type_name {
                TSTypeName::IdentifierReference(name)
                    if self.is_free(name) && matches!(name.name.as_str(), "Promise" | "PromiseLike") =>
                {
                    Nature::Promise
                }
                TSTypeName::IdentifierReference(name) if self.is_free(name) && builtins::declares(&name.name) => {
                    let is_made_of_others = reference.type_arguments.is_some();
                    if is_made_of_others { Nature::Unknown } else { Nature::Value }
                }
                _ => self.of_ty(&self.checker.annotated(HERE, ty, &None)),
            },
            TSType::TSTypeLiteral(_) => self.of_ty(&self.checker.annotated(HERE, ty, &None)),
            other if is_simple(other) => Nature::Value,
            _ => Nature::Unknown,
        }
    }

    fn of_checked(&self, expression: &'w Expression<'w>) -> Nature {
        self.of_ty(&self.checker.value(HERE, expression))
    }

    fn of_ty(&self, ty: &Ty<'w>) -> Nature {
        use crate::infer::ty::Builtin;
        match ty {
            Ty::Builtin(Builtin::Promise, _) => Nature::Promise,
            Ty::Text(..) | Ty::Module(_) | Ty::Builtin(..) | Ty::Tuple(_) | Ty::Keys(_) => Nature::Value,
            Ty::Either(types) => Nature::of_all(types.iter().map(|ty| self.of_ty(ty))),
            Ty::Instance(Owner::Symbol(..) | Owner::Node(..), _) | Ty::Literal(..) | Ty::Object(..) | Ty::Static(_) => {
                if self.checker.props(ty, "then").is_absent() {
                    Nature::Value
                } else {
                    Nature::Unknown
                }
            }
            // `Ty::Plain` also stands for unknown values.
            _ => Nature::Unknown,
        }
    }

    /// Returns whether the callee is a platform function that returns a primitive value or `undefined`.
    pub(super) fn gives_plain_values(&self, callee: &'w Expression<'w>) -> bool {
        const PLAIN: [&str; 12] = [
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
        matches!(root, Expression::Identifier(name) if self.is_free(name) && PLAIN.contains(&name.name.as_str()))
    }

    fn is_free(&self, name: &'w IdentifierReference<'w>) -> bool {
        self.checker.resolved(HERE, name).is_none()
    }

    /// Returns whether an expression is this global, by name or as a member of the global object.
    fn is_global(&self, expression: &'w Expression<'w>, global: &str) -> bool {
        match expression {
            Expression::Identifier(name) => name.name == global && self.is_free(name),
            Expression::StaticMemberExpression(member) => {
                member.property.name == global
                    && matches!(&member.object, Expression::Identifier(name)
                        if builtins::GLOBAL_OBJECTS.contains(&name.name.as_str()) && self.is_free(name))
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
pub(super) struct Returned<'a> {
    found: Vec<Option<&'a Expression<'a>>>,
    statements: Vec<&'a ReturnStatement<'a>>,
}

impl<'a> Returned<'a> {
    pub(super) fn of(body: &'a FunctionBody<'a>) -> Vec<Option<&'a Expression<'a>>> {
        let mut returned = Returned { found: Vec::new(), statements: Vec::new() };
        for statement in &body.statements {
            returned.visit_statement(statement);
        }
        returned.found
    }

    /// Returns the `return` statements within a statement.
    pub(super) fn statements(within: &'a Statement<'a>) -> Vec<&'a ReturnStatement<'a>> {
        let mut returned = Returned { found: Vec::new(), statements: Vec::new() };
        returned.visit_statement(within);
        returned.statements
    }
}

impl<'a> Visit<'a> for Returned<'a> {
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
