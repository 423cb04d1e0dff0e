//! Selections: an expression, or consecutive statements.

use marquetry_sdk::{Failure, FailureKind, Result, Span, fail};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, Semantic};
use oxc_span::GetSpan as _;

use crate::semantics::{Semantics, positions};
use crate::syntax::spans::{skip_trivia, span_in, statement_span, to_sdk_span};
use crate::syntax::tree::Parsed;

/// Maximum number of characters shown of a suggested selection.
const MAX_SHOWN_CHARS: usize = 60;

/// The selected code.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Selected<'a> {
    Expression(SelectedExpression<'a>),
    Statements(SelectedStatements<'a>),
}

/// An expression of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SelectedExpression<'a> {
    pub(crate) node: NodeId,
    pub(crate) kind: AstKind<'a>,
    pub(crate) span: Span,
}

impl SelectedExpression<'_> {
    /// Returns whether the expression is a comma expression, which needs parentheses as a value.
    pub(crate) fn is_sequence(&self) -> bool {
        matches!(self.kind, AstKind::SequenceExpression(_))
    }

    /// Returns the part to return from a new function: parentheses around a whole returned value are redundant, unless
    /// it spans several lines.
    pub(crate) fn returned_span(&self, code: Semantics<'_, '_>) -> Span {
        match self.kind {
            AstKind::ParenthesizedExpression(it) if !code.source(it.expression.span()).contains('\n') => {
                to_sdk_span(it.expression.span())
            }
            _ => self.span,
        }
    }

    /// Returns whether the expression is a template string.
    pub(crate) fn is_template(&self) -> bool {
        matches!(self.kind, AstKind::TemplateLiteral(_))
    }
}

/// Consecutive statements in one list, or a single statement that is the body of another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SelectedStatements<'a> {
    /// The node that contains the statements.
    pub(crate) parent: NodeId,
    pub(crate) statements: &'a [Statement<'a>],
    /// Span from the start of the first statement to the end of the last one.
    pub(crate) span: Span,
    /// The span including the comments that are selected with the statements.
    pub(crate) covered: Span,
}

/// Returns the selected code. Surrounding white space and comments, and a trailing `;` or `,`, are ignored.
///
/// # Errors
///
/// Fails with `RefactorFailed` if the selection is neither an expression nor whole statements. The error lists the
/// nearest valid selections.
pub(crate) fn selected_code<'a>(parsed: &Parsed<'a>, text: &str, span: Span) -> Result<Selected<'a>> {
    let refused = |message: &str| fail(FailureKind::RefactorFailed, message);
    if !parsed.is_exact(text) {
        let (reason, hint) = parsed.unread_reason();
        return Err(refused(reason).hint(hint).at(span));
    }
    let Some(own) = trim_selection(parsed, text, span) else {
        let failure = refused("nothing is selected").at(span);
        return Err(suggest_nearest(failure, parsed, text, Span { start: span.start, end: span.start }));
    };
    let semantic = parsed.semantic();
    let covered = span.trimmed(text);
    let found = statements_at(semantic, text, own, covered).map(Selected::Statements).or_else(|| {
        let exact = expression_at(semantic, own);
        exact.or_else(|| expression_at(semantic, trim_separator(parsed, text, own)?)).map(Selected::Expression)
    });
    let Some(found) = found else {
        let failure = refused("the selection is neither an expression nor whole statements").at(own);
        return Err(suggest_nearest(failure, parsed, text, own));
    };
    match ambient_declaration(semantic, own) {
        Some(around) => Err(refused("an ambient declaration contains no code that runs").at(around)),
        None => Ok(found),
    }
}

/// Returns the outermost node with exactly this span that passes the test.
pub(crate) fn outermost<'a>(
    semantic: &Semantic<'a>,
    span: Span,
    test: impl Fn(NodeId, AstKind<'a>) -> bool,
) -> Option<NodeId> {
    let is_it = |place: oxc_span::Span| place.start == span.start && place.end == span.end;
    let mut nodes = semantic.nodes().iter();
    nodes.find(|node| is_it(node.kind().span()) && test(node.id(), node.kind())).map(|node| node.id())
}

/// Returns the selection without surrounding white space and comments; `None` if nothing else is selected.
pub(crate) fn trim_selection(parsed: &Parsed<'_>, text: &str, span: Span) -> Option<Span> {
    let space = span.trimmed(text);
    let start = skip_trivia(text, space.range().start).min(space.range().end);
    let mut end = space.range().end;
    let comments = &parsed.program.comments;
    let mut index = comments.partition_point(|comment| (comment.span.end as usize) <= end);
    while let Some(comment) = index.checked_sub(1).map(|index| &comments[index]) {
        if comment.span.end as usize != end || (comment.span.start as usize) < start {
            break;
        }
        end = start.max(text[..comment.span.start as usize].trim_end().len());
        index -= 1;
    }
    let end = start + text[start..end].trim_end().len();
    (start < end).then(|| Span::new(start, end))
}

/// Returns the selection without a trailing `;` or `,`.
fn trim_separator(parsed: &Parsed<'_>, text: &str, span: Span) -> Option<Span> {
    let shorter = span.slice(text).strip_suffix([';', ','])?;
    trim_selection(parsed, text, Span::new(span.range().start, span.range().start + shorter.len()))
}

/// Returns the expression with exactly this span, if it can be replaced.
fn expression_at<'a>(semantic: &Semantic<'a>, span: Span) -> Option<SelectedExpression<'a>> {
    let node = outermost(semantic, span, |node, _| positions::can_be_replaced(semantic, node))?;
    Some(SelectedExpression { node, kind: semantic.nodes().kind(node), span })
}

/// Returns the statements from the start of the span to its end; the last `;` may be missing or doubled.
fn statements_at<'a>(semantic: &Semantic<'a>, text: &str, own: Span, covered: Span) -> Option<SelectedStatements<'a>> {
    let around = |node: &&oxc_semantic::AstNode<'a>| {
        let span = node.kind().span();
        // The end of a repaired text, or a decorator, may be outside of the node.
        matches!(node.kind(), AstKind::Program(_)) || span.start <= own.start && own.start < span.end
    };
    semantic.nodes().iter().filter(around).find_map(|node| {
        positions::statement_lists(node.kind()).find_map(|list| {
            let first = list.partition_point(|statement| statement_span(statement, text).start < own.start);
            if statement_span(list.get(first)?, text).start != own.start {
                return None;
            }
            let behind = list.partition_point(|statement| statement.span().start < own.end);
            let statements = list.get(first..behind)?;
            let last = span_in(statements.last()?.span(), text);
            let is_end = last.end == own.end || last.end > own.end && is_semicolon(text, own.end, last.end);
            let span = Span { start: own.start, end: last.end };
            let covered = Span { start: covered.start.min(span.start), end: covered.end.max(span.end) };
            is_end.then_some(SelectedStatements { parent: node.id(), statements, span, covered })
        })
    })
}

fn is_semicolon(text: &str, start: u32, end: u32) -> bool {
    Span { start, end }.slice(text).trim() == ";"
}

/// Returns the ambient declaration around a span.
fn ambient_declaration(semantic: &Semantic<'_>, span: Span) -> Option<Span> {
    if semantic.source_type().is_typescript_definition() {
        return Some(span);
    }
    let mut around = semantic.nodes().iter().filter(|node| to_sdk_span(node.kind().span()).contains(span));
    around.find(|node| positions::is_ambient(&node.kind())).map(|node| to_sdk_span(node.kind().span()))
}

/// Adds the nearest valid selections to the failure.
pub(crate) fn suggest_nearest(failure: Failure, parsed: &Parsed<'_>, text: &str, span: Span) -> Failure {
    let near: Vec<Span> = nearest_selections(parsed, text, span);
    if near.is_empty() {
        return failure.hint("select an expression or whole statements");
    }
    failure.hint("select one of the candidates").candidates(near.into_iter().map(|span| format_selection(text, span)))
}

/// Returns the spans of the smallest expression around a span, and of the statements that it touches.
fn nearest_selections(parsed: &Parsed<'_>, text: &str, span: Span) -> Vec<Span> {
    let semantic = parsed.semantic();
    let around = || semantic.nodes().iter().filter(|node| to_sdk_span(node.kind().span()).contains(span));
    let smallest = around().filter(|node| positions::can_be_replaced(semantic, node.id())).last();
    let mut found: Vec<Span> = smallest.map(|node| to_sdk_span(node.kind().span())).into_iter().collect();
    let lists = around().flat_map(|node| positions::statement_lists(node.kind()));
    found.extend(lists.filter_map(|list| touched_statements(list, span)).last());
    found.dedup();
    found.retain(|near| near.range().end <= text.len() && *near != span);
    found
}

/// Returns the span of the statements in a list that the span touches.
fn touched_statements(list: &[Statement<'_>], span: Span) -> Option<Span> {
    let from = list.partition_point(|statement| statement.span().end <= span.start);
    let to = list.partition_point(|statement| statement.span().start < span.end.max(span.start + 1));
    let touched = list.get(from..to)?;
    let (first, last) = (touched.first()?.span(), touched.last()?.span());
    let is_plain = touched.iter().all(|statement| !statement.is_module_declaration());
    is_plain.then_some(Span { start: first.start, end: last.end })
}

/// Formats a selection for a caller: lines from 1, columns from 0 in UTF-16 units, and its beginning.
fn format_selection(text: &str, span: Span) -> String {
    let position = |at: usize| {
        let line = text[..at].matches('\n').count() + 1;
        let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
        format!("{line}:{}", text[start..at].encode_utf16().count())
    };
    let range = span.range();
    let first = span.slice(text).lines().next().unwrap_or_default();
    let more = first.len() < span.len() || first.chars().count() > MAX_SHOWN_CHARS;
    let first: String = first.chars().take(MAX_SHOWN_CHARS).collect();
    let dots = if more { " …" } else { "" };
    format!("{}-{} `{first}{dots}`", position(range.start), position(range.end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::tree::Tree;

    /// Returns the selection between `«` and `»`, or the error.
    fn found(marked: &str) -> String {
        let start = marked.find('«').expect("«");
        let end = marked.find('»').expect("»") - '«'.len_utf8();
        let text = marked.replace(['«', '»'], "");
        let tree = Tree::parse("a.tsx", text.clone());
        tree.with(|parsed| match selected_code(parsed, &text, Span::new(start, end)) {
            Ok(Selected::Expression(chosen)) => format!("expression {}", chosen.span.slice(&text)),
            Ok(Selected::Statements(found)) => format!("{} of {}", found.statements.len(), found.span.slice(&text)),
            Err(failure) => format!("{}: {}", failure.message, failure.candidates.join(", ")),
        })
    }

    #[track_caller]
    fn check(marked: &str, expected: &str) {
        assert_eq!(found(marked), expected, "{marked}");
    }

    #[test]
    fn finds_selected_expressions() {
        check("const a = «b + c»;", "expression b + c");
        check("const a = « b + c; »", "expression b + c");
        check("f(«a, »b);", "expression a");
        check("const a = «/* 1 */ b /* 2 */»;", "expression b");
        check("const a = «(b)»;", "expression (b)");
        check("const a = «() => b»;", "expression () => b");
        check("const a = () => «b»;", "expression b");
        check("const a = <b>«<c />»</b>;", "expression <c />");
        check("const a = <b c=«'d'» />;", "expression 'd'");
        check("const a = { «b» };", "expression b");
        check("const a = { b: «c» };", "expression c");
        check("a[«b»] = 1;", "expression b");
        check("f(«a?.b»);", "expression a?.b");
        check("f(«a».b?.c);", "expression a");
        check("f(«a.b»?.c);", "expression a.b");
        check("class A extends «B» {}", "expression B");
        check("function f(a = «1») {}", "expression 1");
    }

    #[test]
    fn finds_selected_statements() {
        check("f();\n«g();\nh();»\ni();", "2 of g();\nh();");
        check("«f()»;", "1 of f();");
        check("f();«\n// about g\ng(); // behind\n»h();", "1 of g();");
        check("if (a) «f();»", "1 of f();");
        check("if (a) «{ f(); }»", "1 of { f(); }");
        check("switch (a) { case 1: «f(); break;» }", "2 of f(); break;");
        check("«f()\ng()»", "2 of f()\ng()");
        check("class A { static { «f();» } }", "1 of f();");
        check("namespace N { «f();» }", "1 of f();");
        check("«@d class A {}»", "1 of @d class A {}");
    }

    #[test]
    fn invalid_selection_suggests_nearest_selections() {
        let neither = "the selection is neither an expression nor whole statements";
        check("a = b + «c + d»;", &format!("{neither}: 1:4-1:13 `b + c + d`, 1:0-1:14 `a = b + c + d;`"));
        check("a = «»b;", "nothing is selected: 1:4-1:5 `b`, 1:0-1:6 `a = b;`");
        check("«f();\ng»();", &format!("{neither}: 1:0-2:4 `f(); …`"));
        check("function f() «{ a(); }»", &format!("{neither}: 1:15-1:19 `a();`"));
        check("try «{ a(); }» catch {}", &format!("{neither}: 1:6-1:10 `a();`"));
        check("«a» = 1;", &format!("{neither}: 1:0-1:5 `a = 1`, 1:0-1:6 `a = 1;`"));
        check("«a.b»();", &format!("{neither}: 1:0-1:5 `a.b()`, 1:0-1:6 `a.b();`"));
        check("f(«a?.b».c);", &format!("{neither}: 1:2-1:8 `a?.b.c`, 1:0-1:10 `f(a?.b.c);`"));
        check("import a from «'b'»;", &format!("{neither}: "));
        check("declare namespace N { const a = «1»; }", "an ambient declaration contains no code that runs: ");
        check("let a: «'b'»;", &format!("{neither}: 1:0-1:11 `let a: 'b';`"));
        check("const a = ;«f()»", "the file has syntax errors: ");
    }
}
