//! Positions in the syntax tree: replaceable expressions and lists of statements.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, Semantic};
use oxc_span::{GetSpan as _, Span};

use crate::infer::values::is_const;

/// Returns whether the node is an expression by its syntax.
pub(crate) fn is_expression(kind: &AstKind<'_>) -> bool {
    match kind {
        AstKind::Function(function) => function.r#type == FunctionType::FunctionExpression,
        AstKind::Class(class) => class.r#type == ClassType::ClassExpression,
        AstKind::ImportMeta(_)
        | AstKind::NewTarget(_)
        | AstKind::IdentifierReference(_)
        | AstKind::ThisExpression(_)
        | AstKind::ArrayExpression(_)
        | AstKind::ObjectExpression(_)
        | AstKind::TemplateLiteral(_)
        | AstKind::TaggedTemplateExpression(_)
        | AstKind::ComputedMemberExpression(_)
        | AstKind::StaticMemberExpression(_)
        | AstKind::PrivateFieldExpression(_)
        | AstKind::CallExpression(_)
        | AstKind::NewExpression(_)
        | AstKind::UpdateExpression(_)
        | AstKind::UnaryExpression(_)
        | AstKind::BinaryExpression(_)
        | AstKind::PrivateInExpression(_)
        | AstKind::LogicalExpression(_)
        | AstKind::ConditionalExpression(_)
        | AstKind::AssignmentExpression(_)
        | AstKind::SequenceExpression(_)
        | AstKind::AwaitExpression(_)
        | AstKind::ChainExpression(_)
        | AstKind::ParenthesizedExpression(_)
        | AstKind::ArrowFunctionExpression(_)
        | AstKind::YieldExpression(_)
        | AstKind::ImportExpression(_)
        | AstKind::BooleanLiteral(_)
        | AstKind::NullLiteral(_)
        | AstKind::NumericLiteral(_)
        | AstKind::StringLiteral(_)
        | AstKind::BigIntLiteral(_)
        | AstKind::RegExpLiteral(_)
        | AstKind::JSXElement(_)
        | AstKind::JSXFragment(_)
        | AstKind::TSAsExpression(_)
        | AstKind::TSSatisfiesExpression(_)
        | AstKind::TSTypeAssertion(_)
        | AstKind::TSNonNullExpression(_)
        | AstKind::TSInstantiationExpression(_) => true,
        _ => false,
    }
}

/// Returns whether the node can be replaced by another expression with the same value without any other effect.
pub(crate) fn can_be_replaced(semantic: &Semantic<'_>, node: NodeId) -> bool {
    let nodes = semantic.nodes();
    let kind = nodes.kind(node);
    let span = kind.span();
    is_expression(&kind)
        && is_value_position(&nodes.parent_kind(node), span)
        && !provides_this(semantic, node)
        && !is_start_of_optional_chain(semantic, node)
        && !(matches!(nodes.parent_kind(node), AstKind::UnaryExpression(unary) if unary.operator == UnaryOperator::Typeof)
            && matches!(kind, AstKind::IdentifierReference(name) if semantic.is_reference_to_global_variable(name)))
}

/// Returns whether the parent of an expression uses only its value.
fn is_value_position(parent: &AstKind<'_>, span: Span) -> bool {
    match parent {
        AstKind::AssignmentExpression(it) => it.left.span() != span,
        AstKind::ForInStatement(it) => it.left.span() != span,
        AstKind::ForOfStatement(it) => it.left.span() != span,
        AstKind::AssignmentTargetWithDefault(it) => it.init.span() == span,
        AstKind::AssignmentTargetPropertyIdentifier(it) => it.init.as_ref().is_some_and(|init| init.span() == span),
        AstKind::UnaryExpression(it) => it.operator != UnaryOperator::Delete,
        AstKind::TaggedTemplateExpression(it) => it.quasi.span != span,
        AstKind::TSAsExpression(it) => !is_const(&it.type_annotation),
        AstKind::TSTypeAssertion(it) => !is_const(&it.type_annotation),
        AstKind::ObjectProperty(it) => {
            let is_key = it.key.span() == span && !it.shorthand;
            let is_method = it.method || it.kind != PropertyKind::Init;
            if is_key { it.computed } else { !is_method }
        }
        AstKind::PropertyDefinition(it) => it.key.span() != span || it.computed,
        AstKind::AccessorProperty(it) => it.key.span() != span || it.computed,
        AstKind::MethodDefinition(it) => it.key.span() == span && it.computed,
        AstKind::BindingProperty(it) => it.key.span() == span && it.computed,
        AstKind::AssignmentTargetPropertyProperty(_)
        | AstKind::ArrayAssignmentTarget(_)
        | AstKind::ObjectAssignmentTarget(_)
        | AstKind::AssignmentTargetRest(_)
        | AstKind::UpdateExpression(_)
        | AstKind::Directive(_)
        | AstKind::JSXOpeningElement(_)
        | AstKind::JSXClosingElement(_)
        | AstKind::JSXMemberExpression(_)
        | AstKind::ImportDeclaration(_)
        | AstKind::ImportSpecifier(_)
        | AstKind::ImportAttribute(_)
        | AstKind::ExportSpecifier(_)
        | AstKind::ExportNamedDeclaration(_)
        | AstKind::ExportFromDeclaration(_)
        | AstKind::ExportAllDeclaration(_) => false,
        // A name or literal in a type has no value at run time; the value of an enum member must be a constant.
        AstKind::TSTypeReference(_)
        | AstKind::TSQualifiedName(_)
        | AstKind::TSTypeQuery(_)
        | AstKind::TSInterfaceHeritage(_)
        | AstKind::TSClassImplements(_)
        | AstKind::TSImportEqualsDeclaration(_)
        | AstKind::TSExternalModuleReference(_)
        | AstKind::TSExternalModuleDeclaration(_)
        | AstKind::TSTypePredicate(_)
        | AstKind::TSLiteralType(_)
        | AstKind::TSImportType(_)
        | AstKind::TSPropertySignature(_)
        | AstKind::TSMethodSignature(_)
        | AstKind::TSEnumMember(_) => false,
        _ => true,
    }
}

/// Returns the first overload of the function at `index`, or the statement at `index` if it has no overloads.
pub(crate) fn with_overloads<'s, 'a>(statements: &'s [Statement<'a>], index: usize) -> &'s Statement<'a> {
    let mut first = index;
    while let Some(before) = first.checked_sub(1)
        && let (Some(function), Some(overload)) =
            (declared_function(&statements[first]), declared_function(&statements[before]))
        && overload.body.is_none()
        && overload.id.as_ref().map(|id| id.name.as_str()) == function.id.as_ref().map(|id| id.name.as_str())
    {
        first = before;
    }
    &statements[first]
}

fn declared_function<'s, 'a>(statement: &'s Statement<'a>) -> Option<&'s Function<'a>> {
    match statement {
        Statement::FunctionDeclaration(function) => Some(function),
        Statement::ExportDeclaration(export) => match &export.declaration {
            Declaration::FunctionDeclaration(function) => Some(function),
            _ => None,
        },
        Statement::ExportDefaultDeclaration(export) => match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => Some(function),
            _ => None,
        },
        _ => None,
    }
}

/// Returns whether the node is a string that is compared with the result of `typeof`: a type checker narrows types only
/// by a literal, not by a constant with the same value.
pub(crate) fn is_typeof_comparison(semantic: &Semantic<'_>, node: NodeId) -> bool {
    let nodes = semantic.nodes();
    let is_typeof = |side: &Expression<'_>| matches!(side.get_inner_expression(), Expression::UnaryExpression(it) if it.operator == UnaryOperator::Typeof);
    if !matches!(nodes.kind(node), AstKind::StringLiteral(_) | AstKind::TemplateLiteral(_)) {
        return false;
    }
    match nodes.parent_kind(node) {
        AstKind::BinaryExpression(it) => it.operator.is_equality() && (is_typeof(&it.left) || is_typeof(&it.right)),
        AstKind::SwitchCase(_) => {
            let mut around = nodes.ancestor_kinds(node).skip(1);
            matches!(around.next(), Some(AstKind::SwitchStatement(it)) if is_typeof(&it.discriminant))
        }
        _ => false,
    }
}

/// Returns whether a call takes its `this` from the expression: `a.b` in `a.b()`.
fn provides_this(semantic: &Semantic<'_>, node: NodeId) -> bool {
    let nodes = semantic.nodes();
    let is_member = |kind: AstKind<'_>| {
        matches!(
            kind,
            AstKind::StaticMemberExpression(_)
                | AstKind::ComputedMemberExpression(_)
                | AstKind::PrivateFieldExpression(_)
                | AstKind::ChainExpression(_)
                | AstKind::ParenthesizedExpression(_)
                | AstKind::TSNonNullExpression(_)
        )
    };
    if !is_member(nodes.kind(node)) {
        return false;
    }
    let mut span = nodes.kind(node).span();
    for around in nodes.ancestor_kinds(node) {
        match around {
            AstKind::ParenthesizedExpression(_)
            | AstKind::TSNonNullExpression(_)
            | AstKind::TSInstantiationExpression(_) => {
                span = around.span();
            }
            _ => return is_called(&around, span),
        }
    }
    false
}

/// Returns whether the expression is the start of a chain `a?.b.c` and contains its `?.`: if it were extracted, the
/// rest of the chain would always run.
fn is_start_of_optional_chain(semantic: &Semantic<'_>, node: NodeId) -> bool {
    let nodes = semantic.nodes();
    let mut span = nodes.kind(node).span();
    let continues = |around: &AstKind<'_>, inner: Span| match around {
        AstKind::StaticMemberExpression(it) => it.object.span() == inner,
        AstKind::ComputedMemberExpression(it) => it.object.span() == inner,
        AstKind::PrivateFieldExpression(it) => it.object.span() == inner,
        AstKind::CallExpression(it) => it.callee.span() == inner,
        AstKind::TSNonNullExpression(_) => true,
        _ => false,
    };
    for around in nodes.ancestor_kinds(node) {
        if continues(&around, span) {
            span = around.span();
        } else if matches!(around, AstKind::ChainExpression(_)) {
            return has_optional_link(nodes.kind(node));
        } else {
            return false;
        }
    }
    false
}

fn has_optional_link(kind: AstKind<'_>) -> bool {
    let (mut next, mut optional) = match kind {
        AstKind::StaticMemberExpression(it) => (&it.object, it.optional),
        AstKind::ComputedMemberExpression(it) => (&it.object, it.optional),
        AstKind::PrivateFieldExpression(it) => (&it.object, it.optional),
        AstKind::CallExpression(it) => (&it.callee, it.optional),
        AstKind::TSNonNullExpression(it) => (&it.expression, false),
        _ => return false,
    };
    while !optional {
        (next, optional) = match next {
            Expression::StaticMemberExpression(it) => (&it.object, it.optional),
            Expression::ComputedMemberExpression(it) => (&it.object, it.optional),
            Expression::PrivateFieldExpression(it) => (&it.object, it.optional),
            Expression::CallExpression(it) => (&it.callee, it.optional),
            Expression::TSNonNullExpression(it) => (&it.expression, false),
            _ => return false,
        };
    }
    true
}

/// Returns whether statements can be added to the node: a body in braces, a file, or a case of a `switch`.
pub(crate) fn is_statement_list(kind: &AstKind<'_>) -> bool {
    matches!(
        kind,
        AstKind::Program(_)
            | AstKind::FunctionBody(_)
            | AstKind::BlockStatement(_)
            | AstKind::StaticBlock(_)
            | AstKind::TSModuleBlock(_)
            | AstKind::SwitchCase(_)
    )
}

/// Yields the lists of statements of a node; a single statement that is the body of another one is a list of one.
pub(crate) fn statement_lists<'a>(kind: AstKind<'a>) -> impl Iterator<Item = &'a [Statement<'a>]> {
    fn single_statement<'a>(statement: &'a Statement<'a>) -> &'a [Statement<'a>] {
        std::slice::from_ref(statement)
    }
    let (first, second): (Option<&'a [Statement<'a>]>, Option<&'a [Statement<'a>]>) = match kind {
        AstKind::Program(it) => (Some(&it.body), None),
        AstKind::FunctionBody(it) => (Some(&it.statements), None),
        AstKind::BlockStatement(it) => (Some(&it.body), None),
        AstKind::StaticBlock(it) => (Some(&it.body), None),
        AstKind::TSModuleBlock(it) => (Some(&it.body), None),
        AstKind::SwitchCase(it) => (Some(&it.consequent), None),
        AstKind::IfStatement(it) => {
            (Some(single_statement(&it.consequent)), it.alternate.as_ref().map(single_statement))
        }
        AstKind::WhileStatement(it) => (Some(single_statement(&it.body)), None),
        AstKind::DoWhileStatement(it) => (Some(single_statement(&it.body)), None),
        AstKind::ForStatement(it) => (Some(single_statement(&it.body)), None),
        AstKind::ForInStatement(it) => (Some(single_statement(&it.body)), None),
        AstKind::ForOfStatement(it) => (Some(single_statement(&it.body)), None),
        AstKind::LabeledStatement(it) => (Some(single_statement(&it.body)), None),
        AstKind::WithStatement(it) => (Some(single_statement(&it.body)), None),
        _ => (None, None),
    };
    first.into_iter().chain(second)
}

/// Returns whether the node is an ambient declaration, which has no code that runs.
pub(crate) fn is_ambient(kind: &AstKind<'_>) -> bool {
    match kind {
        AstKind::VariableDeclaration(it) => it.declare,
        AstKind::Function(it) => it.declare,
        AstKind::Class(it) => it.declare,
        AstKind::TSEnumDeclaration(it) => it.declare,
        AstKind::TSNamespaceDeclaration(it) => it.declare,
        AstKind::TSExternalModuleDeclaration(_) | AstKind::TSGlobalDeclaration(_) => true,
        _ => false,
    }
}

/// Returns whether a node is called by its parent, as a function or as the tag of a template.
pub(crate) fn is_called(around: &AstKind<'_>, span: Span) -> bool {
    match around {
        AstKind::CallExpression(call) => call.callee.span() == span,
        AstKind::TaggedTemplateExpression(tagged) => tagged.tag.span() == span,
        _ => false,
    }
}
