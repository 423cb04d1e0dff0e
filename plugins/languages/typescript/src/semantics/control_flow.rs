//! Analysis of whether control flow continues after statements.

use marquetry_sdk::Span;
use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_span::GetSpan as _;

use crate::syntax::spans::to_sdk_span;

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

/// Returns whether the code after a statement is certainly unreachable.
pub(crate) fn never_completes(statement: &Statement<'_>) -> bool {
    let mut breaks = BreakSpans(Vec::new());
    breaks.visit_statement(statement);
    !may_complete(statement, &breaks.0)
}

/// The spans of `break` statements.
struct BreakSpans(Vec<Span>);

impl<'a> Visit<'a> for BreakSpans {
    fn visit_break_statement(&mut self, it: &BreakStatement<'a>) {
        self.0.push(to_sdk_span(it.span));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::tree::Tree;

    /// Checks whether the end of the first statement is certainly not reached.
    #[track_caller]
    fn check(text: &str, expected: bool) {
        let found = Tree::parse("a.ts", text.to_owned()).with(|parsed| never_completes(&parsed.program.body[0]));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn statements_that_always_leave_never_complete() {
        check("throw a;", true);
        check("if (a) throw a; else throw b;", true);
        check("{ f(); throw a; }", true);
        check("try { throw a; } catch { throw b; }", true);
        check("try { f(); } finally { throw b; }", true);
        check("switch (a) { case 1: throw a; default: throw b; }", true);
        check("while (true) f();", true);
    }

    #[test]
    fn statements_that_may_reach_their_end_complete() {
        check("f();", false);
        check("if (a) throw a;", false);
        check("try { throw a; } catch { f(); }", false);
        check("switch (a) { case 1: throw a; }", false);
        check("switch (a) { case 1: break; default: throw b; }", false);
        check("while (true) { if (a) break; }", false);
        check("a: { break a; }", false);
    }
}
