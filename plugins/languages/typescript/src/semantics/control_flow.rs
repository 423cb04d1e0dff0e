//! Analysis of whether control flow continues after statements.

use marquetry_sdk::Span;
use oxc_ast::ast::*;
use oxc_span::GetSpan as _;

/// Returns whether the end of the statements may be reached; true in case of doubt. `breaks` are the spans of all
/// `break` statements among them.
pub(crate) fn may_reach_end(statements: &[Statement<'_>], breaks: &[Span]) -> bool {
    statements.iter().all(|statement| may_complete(statement, breaks))
}

fn may_complete(statement: &Statement<'_>, breaks: &[Span]) -> bool {
    let breaks_out = || {
        let span = statement.span();
        breaks.iter().any(|at| span.start <= at.start && at.end <= span.end)
    };
    match statement {
        Statement::ReturnStatement(_) | Statement::ThrowStatement(_) => false,
        Statement::BreakStatement(_) | Statement::ContinueStatement(_) => false,
        Statement::BlockStatement(it) => may_reach_end(&it.body, breaks),
        Statement::IfStatement(it) => {
            let other = it.alternate.as_ref().is_none_or(|other| may_complete(other, breaks));
            other || may_complete(&it.consequent, breaks)
        }
        Statement::SwitchStatement(it) => {
            let has_default = it.cases.iter().any(|case| case.test.is_none());
            let last = it.cases.last().is_none_or(|last| may_reach_end(&last.consequent, breaks));
            !has_default || last || breaks_out()
        }
        Statement::WhileStatement(it) => !is_true(&it.test) || breaks_out(),
        Statement::DoWhileStatement(it) => {
            (!is_true(&it.test) && may_complete(&it.body, breaks)) || breaks_out() || has_continue(&it.body)
        }
        Statement::ForStatement(it) => it.test.as_ref().is_some_and(|test| !is_true(test)) || breaks_out(),
        Statement::LabeledStatement(it) => may_complete(&it.body, breaks) || breaks_out(),
        Statement::TryStatement(it) => {
            let ends = it.finalizer.as_ref().is_none_or(|finally| may_reach_end(&finally.body, breaks));
            let handled = it.handler.as_ref().is_some_and(|handler| may_reach_end(&handler.body.body, breaks));
            ends && (may_reach_end(&it.block.body, breaks) || handled)
        }
        _ => true,
    }
}

fn is_true(test: &Expression<'_>) -> bool {
    matches!(test, Expression::BooleanLiteral(literal) if literal.value)
}

/// Returns whether a loop body may contain a `continue`, because it does not consist of simple statements only.
fn has_continue(body: &Statement<'_>) -> bool {
    match body {
        Statement::BlockStatement(block) => block.body.iter().any(|inner| {
            !matches!(
                inner,
                Statement::ExpressionStatement(_) | Statement::VariableDeclaration(_) | Statement::ReturnStatement(_)
            )
        }),
        _ => false,
    }
}
