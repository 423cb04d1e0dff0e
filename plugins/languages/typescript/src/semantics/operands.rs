//! Operands that operators convert: which of them may be objects, so that their methods `toString` or `valueOf` run.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::Semantic;

use crate::semantics::harmless_calls::is_harmless_call;

/// Maximum number of variables and operands that are followed to a value.
const DEEPEST: usize = 8;

/// Returns whether a node converts objects to texts or numbers, regardless of its children.
pub(super) fn converts(semantic: &Semantic<'_>, kind: &AstKind<'_>) -> bool {
    let may_be_object = |value: &Expression<'_>| may_be_object(semantic, value, DEEPEST);
    match kind {
        AstKind::BinaryExpression(it) => match it.operator {
            BinaryOperator::StrictEquality
            | BinaryOperator::StrictInequality
            | BinaryOperator::Instanceof
            | BinaryOperator::In => false,
            _ => may_be_object(&it.left) || may_be_object(&it.right),
        },
        AstKind::UnaryExpression(it) => {
            let is_number = matches!(
                it.operator,
                UnaryOperator::UnaryPlus | UnaryOperator::UnaryNegation | UnaryOperator::BitwiseNot
            );
            is_number && may_be_object(&it.argument)
        }
        AstKind::TemplateLiteral(it) => it.expressions.iter().any(may_be_object),
        AstKind::ObjectProperty(it) => it.computed && it.key.as_expression().is_some_and(may_be_object),
        AstKind::ComputedMemberExpression(it) => may_be_object(&it.expression),
        _ => false,
    }
}

/// Returns whether an operand may be an object.
pub(super) fn is_object_operand(semantic: &Semantic<'_>, value: &Expression<'_>) -> bool {
    may_be_object(semantic, value, DEEPEST)
}

fn may_be_object(semantic: &Semantic<'_>, value: &Expression<'_>, depth: usize) -> bool {
    if depth == 0 {
        return true;
    }
    let next = |value: &Expression<'_>| may_be_object(semantic, value, depth - 1);
    match value {
        Expression::TemplateLiteral(_)
        | Expression::BinaryExpression(_)
        | Expression::UnaryExpression(_)
        | Expression::UpdateExpression(_) => false,
        literal if literal.is_literal() => matches!(literal, Expression::RegExpLiteral(_)),
        Expression::Identifier(name) => variable_may_be_object(semantic, name, depth),
        Expression::StaticMemberExpression(it) => !matches!(it.property.name.as_str(), "length" | "size"),
        Expression::CallExpression(call) => !(is_harmless_call(semantic, call, depth) && returns_primitive(call)),
        Expression::ConditionalExpression(it) => next(&it.consequent) || next(&it.alternate),
        Expression::LogicalExpression(it) => next(&it.left) || next(&it.right),
        Expression::ParenthesizedExpression(it) => next(&it.expression),
        Expression::TSNonNullExpression(it) => next(&it.expression),
        Expression::TSAsExpression(it) => !is_primitive_type(&it.type_annotation),
        Expression::AssignmentExpression(it) => next(&it.right),
        _ => true,
    }
}

fn variable_may_be_object(semantic: &Semantic<'_>, name: &IdentifierReference<'_>, depth: usize) -> bool {
    let scoping = semantic.scoping();
    let Some(symbol) = name.reference_id.get().and_then(|id| scoping.get_reference(id).symbol_id()) else {
        return !matches!(name.name.as_str(), "undefined" | "NaN" | "Infinity");
    };
    let is_typed = |annotation: &Option<oxc_allocator::Box<'_, TSTypeAnnotation<'_>>>| {
        annotation.as_ref().is_some_and(|it| is_primitive_type(&it.type_annotation))
    };
    match semantic.nodes().kind(scoping.symbol_declaration(symbol)) {
        AstKind::VariableDeclarator(it) if is_typed(&it.type_annotation) => false,
        AstKind::FormalParameter(it) if is_typed(&it.type_annotation) => false,
        AstKind::VariableDeclarator(it) if it.id.is_binding_identifier() && !scoping.symbol_is_mutated(symbol) => {
            it.init.as_ref().is_none_or(|value| may_be_object(semantic, value, depth - 1))
        }
        _ => true,
    }
}

fn is_primitive_type(ty: &TSType<'_>) -> bool {
    match ty {
        TSType::TSUnionType(union) => union.types.iter().all(is_primitive_type),
        TSType::TSLiteralType(_)
        | TSType::TSTemplateLiteralType(_)
        | TSType::TSNumberKeyword(_)
        | TSType::TSStringKeyword(_)
        | TSType::TSBooleanKeyword(_)
        | TSType::TSBigIntKeyword(_)
        | TSType::TSNullKeyword(_)
        | TSType::TSUndefinedKeyword(_) => true,
        _ => false,
    }
}

/// Returns whether a call of a method or function of the platform returns a text, a number or a truth value.
fn returns_primitive(call: &CallExpression<'_>) -> bool {
    let name = match &call.callee {
        Expression::StaticMemberExpression(it) => it.property.name.as_str(),
        Expression::Identifier(it) => it.name.as_str(),
        _ => return false,
    };
    !matches!(
        name,
        "at" | "concat"
            | "filter"
            | "find"
            | "findLast"
            | "flat"
            | "flatMap"
            | "keys"
            | "map"
            | "of"
            | "reduce"
            | "reduceRight"
            | "slice"
            | "split"
    )
}
