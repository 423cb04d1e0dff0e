//! Expressions and types in the place of others: in parentheses where they would otherwise be read differently.

use marquetry_sdk::span::apply_within;
use marquetry_sdk::{Edit, Span};
use oxc_ast::{AstKind, AstType};
use oxc_span::GetSpan as _;

use crate::syntax::tree::{Parsed, Tree};

/// What is to be written in the place of an expression or type: the new one, in parentheses if it needs them.
///
/// No table of precedences tells it, but the parser: without parentheses the new one must be a node again, in the same
/// surroundings as the one whose place it takes.
pub(crate) fn in_place_of(parsed: &Parsed<'_>, tree: &Tree, place: Span, new: &str) -> String {
    let body = &parsed.program.body;
    let around = body.iter().map(|statement| statement.span()).find(|around| {
        around.start <= place.start && place.end <= around.end && (around.end as usize) <= tree.text().len()
    });
    let range = around.map_or(0..tree.text().len(), |around| around.start as usize..around.end as usize);
    let shift = range.start as u32;
    let own = Span { start: place.start - shift, end: place.end - shift };
    let read = |text: &str| {
        let text = apply_within(tree.text(), range.clone(), &[Edit::new(place, text)]);
        Tree::parse(tree.path(), text)
    };
    let Some(wanted) = surroundings(&read(place.of(tree.text())), own) else { return new.to_owned() };
    let end = own.start + new.len() as u32;
    if surroundings(&read(new), Span { start: own.start, end }).as_ref() == Some(&wanted) {
        return new.to_owned();
    }
    // What cannot be read in parentheses either is none of our business.
    let enclosed = format!("({new})");
    match surroundings(&read(&enclosed), Span { start: own.start + 1, end: end + 1 }) {
        Some(_) => enclosed,
        None => new.to_owned(),
    }
}

/// What is around the outermost node with exactly this span, from the inside out.
fn surroundings(tree: &Tree, span: Span) -> Option<Vec<AstType>> {
    tree.with(|parsed| {
        if parsed.repaired || !parsed.errors.is_empty() {
            return None;
        }
        let nodes = parsed.semantic().nodes();
        let is_it = |place: oxc_span::Span| place.start == span.start && place.end == span.end;
        let is_statement = |kind: &AstKind<'_>| {
            matches!(
                kind,
                AstKind::Program(_)
                    | AstKind::FunctionBody(_)
                    | AstKind::BlockStatement(_)
                    | AstKind::ExpressionStatement(_)
            )
        };
        let node = nodes.iter().find(|node| is_it(node.kind().span()) && !is_statement(&node.kind()))?;
        Some(nodes.ancestor_kinds(node.id()).map(|kind| kind.ty()).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with something else in the place of what stands between `«` and `»`.
    #[track_caller]
    fn check(marked: &str, new: &str, after: &str) {
        let start = marked.find('«').expect("«");
        let end = marked.find('»').expect("»") - '«'.len_utf8();
        let text = marked.replace(['«', '»'], "");
        let tree = Tree::parse("a.ts", text.clone());
        let place = Span::new(start, end);
        let written = tree.with(|parsed| in_place_of(parsed, &tree, place, new));
        assert_eq!(format!("{}{written}{}", &text[..start], &text[end..]), after, "{marked}");
    }

    #[test]
    fn parentheses_are_written_where_they_are_needed() {
        check("a * «b»;", "c + d", "a * (c + d);");
        check("a + «b»;", "c * d", "a + c * d;");
        check("a - «b»;", "c - d", "a - (c - d);");
        check("«a» - b;", "c - d", "c - d - b;");
        check("a ** «b»;", "c ** d", "a ** c ** d;");
        check("«a» ** b;", "c ** d", "(c ** d) ** b;");
        check("«a» ** b;", "-c", "(-c) ** b;");
        check("a ?? «b»;", "c || d", "a ?? (c || d);");
        check("«a».b;", "c + d", "(c + d).b;");
        check("«a».b;", "await c", "(await c).b;");
        check("«a».b;", "new C", "(new C).b;");
        check("«a».b;", "c?.d", "(c?.d).b;");
        check("«a».b;", "1", "(1).b;");
        check("new «a»();", "f()", "new (f())();");
        check("f(«a»);", "b, c", "f((b, c));");
        check("f(«a»);", "x => x", "f(x => x);");
        check("«a»();", "x => x", "(x => x)();");
        check("const a = «b»;", "c, d", "const a = (c, d);");
        check("const a = «b»;", "c = d", "const a = c = d;");
        check("() => «a»;", "{ b: 1 }", "() => ({ b: 1 });");
        check("«a»;", "{ b: 1 }", "({ b: 1 });");
        check("«a»;", "function () {}", "(function () {});");
        check("a ? «b» : c;", "d, e", "a ? (d, e) : c;");
        check("«a» ? b : c;", "d = e", "(d = e) ? b : c;");
        check("`${«a»}`;", "b, c", "`${b, c}`;");
        check("class A extends «B» {}", "c || d", "class A extends (c || d) {}");
        check("type T = «A»[];", "B | C", "type T = (B | C)[];");
        check("type T = «A» | B;", "() => C", "type T = (() => C) | B;");
        check("type T = «A»;", "B | C", "type T = B | C;");
        check("f(); x = a * «b»; g();", "c + d", "f(); x = a * (c + d); g();");
    }
}
