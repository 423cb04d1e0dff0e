//! Printed types of values, if they can be inferred without a full type checker.

use std::cell::RefCell;
use std::collections::HashMap;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::GetSpan as _;

use crate::infer::ty::Callable;
use crate::program::ids::OPEN_DOCUMENT;
use crate::semantics::functions::FunctionNode;
use crate::semantics::promises::{PromiseAnalysis, ReturnedValues};

/// Order of built-in types in a union.
const UNION_ORDER: [&str; 8] = ["undefined", "null", "string", "number", "bigint", "boolean", "symbol", "void"];

/// Types as text.
pub(crate) struct TypePrinter<'r, 'c, 'w> {
    pub(crate) promises: &'r PromiseAnalysis<'c, 'w>,
    /// Types of callback parameters.
    parameter_types: RefCell<HashMap<SymbolId, String>>,
}

impl<'r, 'c, 'w> TypePrinter<'r, 'c, 'w> {
    pub(crate) fn new(promises: &'r PromiseAnalysis<'c, 'w>) -> TypePrinter<'r, 'c, 'w> {
        TypePrinter { promises, parameter_types: RefCell::default() }
    }

    /// Registers the type of a callback parameter.
    pub(crate) fn set_parameter_type(&self, parameter: SymbolId, ty: Option<String>) {
        if let Some(ty) = ty {
            self.parameter_types.borrow_mut().insert(parameter, ty);
        }
    }

    /// Returns the type of an expression after `await`.
    pub(crate) fn awaited_type(&self, expression: &'w Expression<'w>) -> Option<String> {
        self.promises.checker.with_depth(None, || self.awaited_type_uncached(expression))
    }

    fn awaited_type_uncached(&self, expression: &'w Expression<'w>) -> Option<String> {
        let named = |name: &str| Some(name.to_owned());
        match expression {
            Expression::ParenthesizedExpression(inner) => self.awaited_type(&inner.expression),
            Expression::AwaitExpression(inner) => self.awaited_type(&inner.argument),
            Expression::NumericLiteral(_) | Expression::UpdateExpression(_) => named("number"),
            Expression::StringLiteral(_) | Expression::TemplateLiteral(_) => named("string"),
            Expression::BooleanLiteral(_) => named("boolean"),
            Expression::UnaryExpression(unary) => match unary.operator {
                UnaryOperator::LogicalNot | UnaryOperator::Delete => named("boolean"),
                UnaryOperator::Typeof => named("string"),
                UnaryOperator::Void => named("undefined"),
                _ => self.awaited_type(&unary.argument).filter(|ty| ty == "number"),
            },
            Expression::BinaryExpression(binary) => {
                let both = || Some((self.awaited_type(&binary.left)?, self.awaited_type(&binary.right)?));
                match binary.operator {
                    BinaryOperator::Addition => match both()? {
                        (left, right) if left == "number" && right == "number" => named("number"),
                        (left, right) if left == "string" || right == "string" => named("string"),
                        _ => None,
                    },
                    operator if operator.is_arithmetic() => {
                        both().filter(|(left, right)| left == "number" && right == "number").map(|(left, _)| left)
                    }
                    operator if operator.is_compare() || operator.is_equality() => named("boolean"),
                    _ => None,
                }
            }
            Expression::ConditionalExpression(choice) => {
                union_type(&[self.awaited_type(&choice.consequent)?, self.awaited_type(&choice.alternate)?])
            }
            Expression::ObjectExpression(object) => self.object_type(object),
            Expression::TSAsExpression(cast) => self.annotation_type(&cast.type_annotation),
            Expression::Identifier(name) => self.type_of_name(name),
            Expression::CallExpression(call) => self.type_of_call(call),
            _ => None,
        }
    }

    fn object_type(&self, object: &'w ObjectExpression<'w>) -> Option<String> {
        let mut members = String::new();
        for property in &object.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else { return None };
            let PropertyKey::StaticIdentifier(key) = &property.key else { return None };
            if property.computed || property.method || property.kind != PropertyKind::Init {
                return None;
            }
            members += &format!("{}: {}; ", key.name, self.plain_type(&property.value)?);
        }
        Some(if members.is_empty() { "{}".to_owned() } else { format!("{{ {members}}}") })
    }

    /// Returns the type of a value that is not a promise.
    fn plain_type(&self, value: &'w Expression<'w>) -> Option<String> {
        use crate::semantics::promises::PromiseKind;
        (self.promises.classify(value) == PromiseKind::Value).then(|| self.awaited_type(value))?
    }

    fn type_of_name(&self, name: &'w IdentifierReference<'w>) -> Option<String> {
        let symbol = self.promises.checker.resolve_identifier(OPEN_DOCUMENT, name)?;
        if let Some(given) = self.parameter_types.borrow().get(&symbol) {
            return Some(given.clone());
        }
        let here = self.promises.checker.open_module();
        match here.kind(here.scoping().symbol_declaration(symbol)) {
            AstKind::VariableDeclarator(VariableDeclarator { type_annotation: Some(annotation), .. }) => {
                self.annotation_type(&annotation.type_annotation)
            }
            AstKind::FormalParameter(parameter) => match &parameter.type_annotation {
                Some(annotation) if !parameter.optional => self.annotation_type(&annotation.type_annotation),
                Some(_) => None,
                None => {
                    // A parameter of a function declaration has no contextual type.
                    let function =
                        here.self_and_ancestors(here.scoping().symbol_declaration(symbol)).find_map(|node| {
                            FunctionNode::from_kind(here.kind(node)).map(|function| (function, here.parent_kind(node)))
                        });
                    let is_declared = matches!(function, Some((FunctionNode::Function(function), _))
                        if function.r#type == FunctionType::FunctionDeclaration);
                    (is_declared && parameter.initializer.is_none()).then(|| "any".to_owned())
                }
            },
            _ => None,
        }
    }

    fn type_of_call(&self, call: &'w CallExpression<'w>) -> Option<String> {
        let promises = self.promises;
        if let Expression::StaticMemberExpression(member) = &call.callee
            && matches!(&member.object, Expression::Identifier(name) if name.name == "Promise")
            && member.property.name == "resolve"
        {
            return self.awaited_type(call.arguments.first()?.as_expression()?);
        }
        let signatures =
            promises.checker.signatures(&promises.checker.expression_type(OPEN_DOCUMENT, &call.callee), false);
        let [signature] = signatures.as_slice() else { return None };
        match signature.callable {
            _ if signature.module != OPEN_DOCUMENT => None,
            Callable::Function(function) => self.returned_type(FunctionNode::Function(function)),
            Callable::Arrow(arrow) => self.returned_type(FunctionNode::Arrow(arrow)),
            _ => None,
        }
    }

    /// Returns the type that a function returns, after `await`.
    pub(crate) fn returned_type(&self, function: FunctionNode<'w>) -> Option<String> {
        self.promises.checker.with_depth(None, || {
            let is_generic = match function {
                FunctionNode::Function(function) => function.type_parameters.is_some() || function.generator,
                FunctionNode::Arrow(arrow) => arrow.type_parameters.is_some(),
            };
            if is_generic {
                return None;
            }
            if let Some(annotation) = function.return_type() {
                return self.annotation_type(annotation);
            }
            if let Some(value) = function.expression() {
                return self.awaited_type(value);
            }
            let values = ReturnedValues::collect(function.block()?);
            if values.is_empty() {
                return Some("void".to_owned());
            }
            let types: Option<Vec<String>> = values.into_iter().map(|value| self.awaited_type(value?)).collect();
            union_type(&types?)
        })
    }

    /// Returns a written type without its `Promise`. `None` if a name in it may have another meaning elsewhere.
    pub(crate) fn annotation_type(&self, ty: &'w TSType<'w>) -> Option<String> {
        match ty {
            TSType::TSTypeReference(reference) => {
                let TSTypeName::IdentifierReference(name) = &reference.type_name else { return None };
                if name.name == "Promise" {
                    return self.annotation_type(reference.type_arguments.as_ref()?.params.first()?);
                }
                let here = self.promises.checker.open_module();
                let is_at_top = match self.promises.checker.resolve_identifier(OPEN_DOCUMENT, name) {
                    Some(symbol) => here.scoping().symbol_scope_id(symbol) == here.scoping().root_scope_id(),
                    None => true,
                };
                (is_at_top && reference.type_arguments.is_none()).then(|| name.name.to_string())
            }
            TSType::TSStringKeyword(_)
            | TSType::TSNumberKeyword(_)
            | TSType::TSBooleanKeyword(_)
            | TSType::TSBigIntKeyword(_)
            | TSType::TSVoidKeyword(_)
            | TSType::TSUndefinedKeyword(_)
            | TSType::TSNullKeyword(_)
            | TSType::TSAnyKeyword(_)
            | TSType::TSUnknownKeyword(_) => {
                Some(crate::syntax::spans::span_in(ty.span(), self.text()).slice(self.text()).to_owned())
            }
            _ => None,
        }
    }

    fn text(&self) -> &'w str {
        self.promises.checker.open_module().text()
    }

    /// Returns the common type of two values: the type of one value if the other type extends it, otherwise the union
    /// of both.
    pub(crate) fn common_type(&self, left: Option<String>, right: Option<String>) -> Option<String> {
        let (left, right) = (left?, right?);
        if self.extends(&left, &right) {
            return Some(right);
        }
        if self.extends(&right, &left) {
            return Some(left);
        }
        union_type(&[left, right])
    }

    fn extends(&self, name: &str, base: &str) -> bool {
        self.promises.checker.open_module().program.body.iter().any(|statement| match statement {
            Statement::TSInterfaceDeclaration(interface) => {
                interface.id.name == name
                    && interface.extends.iter().any(
                        |heritage| matches!(&heritage.type_name, TSTypeName::IdentifierReference(known) if known.name == base),
                    )
            }
            _ => false,
        })
    }
}

/// Returns the union of types, without duplicates.
fn union_type(types: &[String]) -> Option<String> {
    if types.iter().any(|ty| ty == "any") {
        return Some("any".to_owned());
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in types.iter().flat_map(|ty| if ty.contains('{') { vec![ty.as_str()] } else { ty.split(" | ").collect() })
    {
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.sort_by_key(|part| UNION_ORDER.iter().position(|known| known == part).unwrap_or(UNION_ORDER.len()));
    (!parts.is_empty()).then(|| parts.join(" | "))
}
