//! Check of extracted values that have a contextual type. They are refused if their type would differ in the new place.

use marquetry_sdk::{Failure, FailureKind, Result, Span, fail};
use oxc_ast::AstKind;
use oxc_semantic::{NodeId, Semantic};
use oxc_span::GetSpan as _;

use crate::TypeScriptDocument;
use crate::infer::contextual::ContextualType;
use crate::semantics::positions;
use crate::semantics::with_checker;
use crate::syntax::tree::Tree;

/// Returns the error for a value that cannot be extracted.
pub(super) fn contextual_type_refusal(at: Span) -> Failure {
    fail(FailureKind::RefactorFailed, "the type of the value depends on its context and cannot be printed")
        .hint("first annotate its parameters or add its type arguments, or extract the expression that contains it")
        .at(at)
}

/// Refuses values whose type would differ if a new function returned them.
pub(super) fn check_contextual_types(
    document: &TypeScriptDocument,
    semantic: &Semantic<'_>,
    values: Vec<NodeId>,
) -> Result<()> {
    if document.tree.grammar().is_javascript() || values.is_empty() {
        return Ok(());
    }
    let is_function = |node: NodeId| {
        matches!(semantic.nodes().kind(node), AstKind::ArrowFunctionExpression(_) | AstKind::Function(_))
    };
    let is_stuck = |node: &NodeId| {
        with_checker(document, |checker| {
            checker.depends_on_context(*node)
                && match checker.printable_context(*node) {
                    ContextualType::Unprintable => true,
                    ContextualType::Unknown => is_function(*node),
                    ContextualType::Absent | ContextualType::Printable(_) => false,
                }
        })
    };
    match values.into_iter().find(is_stuck) {
        None => Ok(()),
        Some(node) => {
            let span = semantic.nodes().kind(node).span();
            Err(contextual_type_refusal(Span { start: span.start, end: span.end }))
        }
    }
}

/// Returns why a value may have another type without its contextual type: literal types are widened, and an object
/// literal gets the type of its members instead of the contextual type.
pub(super) fn widening_warning(document: &TypeScriptDocument, semantic: &Semantic<'_>, node: NodeId) -> Option<String> {
    let own = semantic.nodes().kind(node).span();
    let is_inside = |span: oxc_span::Span| own.start <= span.start && span.end <= own.end;
    let mut inside = semantic.nodes().iter().map(|node| node.kind()).filter(|kind| is_inside(kind.span()));
    let is_literal = |kind: &AstKind<'_>| {
        matches!(
            kind,
            AstKind::StringLiteral(_)
                | AstKind::TemplateLiteral(_)
                | AstKind::NumericLiteral(_)
                | AstKind::BooleanLiteral(_)
                | AstKind::ArrayExpression(_)
                | AstKind::ObjectExpression(_)
        )
    };
    if document.tree.grammar().is_javascript() || !inside.any(|kind| is_literal(&kind)) {
        return None;
    }
    let is_untold = with_checker(document, |checker| {
        matches!(checker.printable_context(node), ContextualType::Unprintable | ContextualType::Unknown)
    });
    is_untold.then(|| "literals in the value may get a wider type at the new position".to_owned())
}

/// Refuses a string that is compared with a `typeof`, because type checkers only narrow types if the string is a
/// literal.
pub(super) fn check_typeof_string(tree: &Tree, semantic: &Semantic<'_>, node: NodeId) -> Result<()> {
    if tree.grammar().is_javascript() || !positions::is_typeof_comparison(semantic, node) {
        return Ok(());
    }
    let span = semantic.nodes().kind(node).span();
    Err(fail(FailureKind::RefactorFailed, "`typeof` is compared with this string, and only a literal narrows types")
        .hint("extract the whole comparison")
        .at(Span { start: span.start, end: span.end }))
}
