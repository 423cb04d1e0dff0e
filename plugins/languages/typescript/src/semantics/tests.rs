//! Tests of questions about code: a text with a marked part, and the answer.

use marquetry_sdk::Span;

use super::Semantics;
use crate::TypeScriptDocument;
use crate::infer::contextual::ContextualType;

/// Asks a question about the part between `«` and `»`.
fn ask<R>(path: &str, marked: &str, question: impl Fn(Semantics<'_, '_>, Span) -> R) -> R {
    let start = marked.find('«').expect("«");
    let end = marked.find('»').expect("»") - '«'.len_utf8();
    let document = TypeScriptDocument::open(path, marked.replace(['«', '»'], ""));
    Semantics::with(&document, |code| question(code, Span::new(start, end)))
}

#[test]
fn free_names_are_sorted() {
    let names = |marked| {
        ask("a.ts", marked, |code, span| {
            code.free_names(span).iter().map(|free| free.name.to_owned()).collect::<Vec<String>>()
        })
    };
    assert_eq!(names("const b = 1; «f(b, a);»"), ["a", "b", "f"]);
    assert_eq!(names("«const a = 1; f(a);»"), ["f"]);
}

#[test]
fn names_are_taken_if_they_are_declared_or_used() {
    let is_taken = |name: &str| ask("a.ts", "«let a; { let b; } c;»", |code, _| code.is_taken(name));
    assert!(is_taken("a") && is_taken("b") && is_taken("c"));
    assert!(!is_taken("d"));
}

#[test]
fn references_have_the_spans_of_their_names() {
    let found = ask("a.ts", "let «a» = 1; a = 2; { let a; a; } f(a);", |code, span| {
        let symbol = code.scoping().symbol_ids().find(|symbol| code.scoping().symbol_span(*symbol).start == span.start);
        let references = code.references_of(symbol.expect("a symbol"));
        references.map(|(it, at)| (it.is_write(), at.start)).collect::<Vec<(bool, u32)>>()
    });
    assert_eq!(found, [(true, 11), (false, 34)]);
}

#[test]
fn parentheses_with_comments_are_kept() {
    let bare = |marked| {
        ask("a.ts", marked, |code, _| match &code.program().body[0] {
            oxc_ast::ast::Statement::ExpressionStatement(it) => {
                code.source(oxc_span::GetSpan::span(code.without_parentheses(&it.expression))).to_owned()
            }
            _ => String::new(),
        })
    };
    assert_eq!(bare("«((a))»;"), "a");
    assert_eq!(bare("«(/* b */ (a))»;"), "(/* b */ (a))");
}

#[test]
fn globals_of_scripts_are_those_at_the_top_of_files_that_are_not_modules() {
    let is_global = |marked| {
        ask("a.ts", marked, |code, span| {
            let symbols = code.scoping().symbol_ids();
            let mut found = symbols.filter(|symbol| code.scoping().symbol_span(*symbol).start == span.start);
            code.is_script_global(found.next().expect("a symbol"))
        })
    };
    assert!(!is_global("import 'x'; var «a»;"));
    assert!(!is_global("function f() { var «a»; }"));
}

#[test]
fn contextual_types_are_those_that_the_position_expects() {
    let context = |marked| {
        ask("a.ts", marked, |code, span| {
            let node = code.nodes_in(span).next().expect("a node").0;
            match code.contextual_type(node).1 {
                ContextualType::Printable(printed) => printed.text,
                ContextualType::Absent => "absent".to_owned(),
                ContextualType::Unknown => "unknown".to_owned(),
                ContextualType::Unprintable => "unprintable".to_owned(),
            }
        })
    };
    assert_eq!(context("const a: string[] = «[]»;"), "string[]");
    assert_eq!(context("const a = «[]»;"), "absent");
}

#[test]
fn effects_are_those_of_the_code_and_not_of_nested_functions() {
    let acts =
        |marked| ask("a.ts", marked, |code, span| code.effects_of(oxc_semantic::NodeId::ROOT, span).has_side_effects);
    assert!(acts("«f()»;"));
    assert!(!acts("«() => f()»;"));
    assert!(!acts("«a + 1»;"));
}
