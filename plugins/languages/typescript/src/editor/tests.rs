//! Tests of the editor: a text with a marked part, a change, and the text after it.

use marquetry_sdk::span::apply;
use marquetry_sdk::{Rewrite, Span};
use oxc_ast::ast::Statement;
use oxc_span::GetSpan as _;

use super::{Shape, SyntaxEditor};
use crate::TypeScriptDocument;
use crate::semantics::Semantics;
use crate::semantics::selection::{Selected, selected_code};

/// Runs a change of the part between `«` and `»`. Returns the text after it, and the rewrite or the error's message.
fn edited(
    path: &str,
    marked: &str,
    change: impl for<'s, 'a> Fn(Semantics<'s, 'a>, Span, &mut SyntaxEditor<'s, 'a>),
) -> (String, Result<Rewrite, String>) {
    let start = marked.find('«').expect("«");
    let end = marked.find('»').expect("»") - '«'.len_utf8();
    let text = marked.replace(['«', '»'], "");
    let document = TypeScriptDocument::open(path, text.clone());
    let finished = Semantics::with(&document, |code| {
        let mut editor = SyntaxEditor::new(code);
        change(code, Span::new(start, end), &mut editor);
        editor.finish().map_err(|failure| failure.message)
    });
    (finished.as_ref().map_or_else(|_| text.clone(), |rewrite| apply(&text, &rewrite.edits)), finished)
}

#[track_caller]
fn check(marked: &str, after: &str, change: impl for<'s, 'a> Fn(Semantics<'s, 'a>, Span, &mut SyntaxEditor<'s, 'a>)) {
    let (text, finished) = edited("a.tsx", marked, change);
    assert_eq!((finished.err(), text.as_str()), (None, after), "{marked}");
}

#[track_caller]
fn check_replaced(marked: &str, new: &str, after: &str) {
    check(marked, after, |code, span, editor| match selected_code(code.parsed, code.text(), span) {
        Ok(Selected::Expression(chosen)) => editor.replace_selected(&chosen, new),
        other => panic!("{other:?}"),
    });
}

#[test]
fn replaced_expressions_get_parentheses_braces_and_keys() {
    check_replaced("f(«a»);", "b + c", "f(b + c);");
    check_replaced("f(«a» * 2);", "b + c", "f((b + c) * 2);");
    check_replaced("new «a»();", "f()", "new (f())();");
    check_replaced("f({ «a» });", "b", "f({ a: b });");
    check_replaced("f({ «a» });", "a", "f({ a });");
    check_replaced("<a b=«'c'» />;", "d", "<a b={d} />;");
    check_replaced("<a>«<b />»</a>;", "c", "<a>{c}</a>;");
}

#[test]
fn several_replacements_are_written_together() {
    let (text, _) = edited("a.ts", "a * «b»; c * d;", |code, span, editor| {
        editor.replace(span, "x + y");
        let last = code.text().find('d').expect("`d`");
        editor.replace(last..last + 1, "z + w");
    });
    assert_eq!(text, "a * (x + y); c * (z + w);");
}

#[test]
fn statements_are_removed_with_their_line() {
    let remove = |_: Semantics<'_, '_>, span: Span, editor: &mut SyntaxEditor<'_, '_>| editor.remove_statement(span);
    check("a();\n«b();»\nc();\n", "a();\nc();\n", remove);
    check("a();\n  «b();»\r\nc();\n", "a();\nc();\n", remove);
    check("a(); «b();»\nc();\n", "a(); \nc();\n", remove);
    check("«b();» // why\nc();\n", " // why\nc();\n", remove);
}

#[test]
fn declarations_go_above_comments_in_the_indentation_of_the_statement() {
    let declare = |_: Semantics<'_, '_>, span: Span, editor: &mut SyntaxEditor<'_, '_>| {
        editor.declare_before(span, "const x = 1;", 1);
    };
    check("«a();»\n", "const x = 1;\na();\n", declare);
    check("// why\n«a();»\n", "const x = 1;\n// why\na();\n", declare);
    check("{\n    «a();»\n}\n", "{\n    const x = 1;\n    a();\n}\n", declare);
    check("b(); «a();»\n", "b(); const x = 1; a();\n", declare);
    check("b();\r\n«a();»\r\n", "b();\r\nconst x = 1;\r\na();\r\n", declare);
}

#[test]
fn names_are_removed_from_lists_with_their_separators() {
    let remove = |code: Semantics<'_, '_>, span: Span, editor: &mut SyntaxEditor<'_, '_>| {
        let statement = code.program().body.iter().find(|it| it.span().end > span.start).map(Statement::span);
        editor.remove_module_names(statement.expect("a statement"), &[span]);
    };
    check("import { a, «b» } from 'x';\n", "import { a } from 'x';\n", remove);
    check("import { «a», b } from 'x';\n", "import { b } from 'x';\n", remove);
    check("import «a», { b } from 'x';\n", "import { b } from 'x';\n", remove);
    check("import a, { «b» } from 'x';\n", "import a from 'x';\n", remove);
    check("import { «a» } from 'x';\n\nf();\n", "f();\n", remove);
    check("f();\nimport { «a» } from 'x';\n\ng();\n", "f();\n\ng();\n", remove);
    check("export { a, «b as c» };\n", "export { a };\n", remove);
    check("import {\n  a,\n  «b», // b\n  c,\n} from 'x';\n", "import {\n  a,\n  c,\n} from 'x';\n", remove);
}

#[test]
fn words_are_removed_with_the_gap_after_them() {
    check("«async»  function f() {}", "function f() {}", |_, span, editor| editor.remove_with_gap(span));
}

#[test]
fn marked_name_has_its_offset_in_the_result() {
    let at = |marked: &str, text: &'static str, name: &str| {
        let (after, finished) = edited("a.ts", marked, |_, span, editor| {
            editor.insert_before(0..0, "first();\n");
            editor.set_text(span, text);
            editor.mark_name(span.start, name);
        });
        let at = finished.expect("a rewrite").name_at.expect("a name") as usize;
        after[at..].to_owned()
    };
    assert_eq!(at("let a; «f();»", "const c = 1;", "c"), "c = 1;");
    assert_eq!(at("let a; «f();»", "f(ab, a$, b);", "b"), "b);");
}

#[test]
fn invalid_results_are_refused() {
    let message = |marked: &str, text: &'static str| {
        edited("a.ts", marked, |_, span, editor| editor.set_text(span, text)).1.expect_err("refused")
    };
    assert_eq!(message("f(«a»);", "("), "the result would not be valid syntax");
    assert_eq!(
        message("{ «a();» }", "import 'x';"),
        "`import 'x';` is only allowed at the top level of a file or namespace"
    );
    let overlapping = edited("a.ts", "f(«a»);", |_, span, editor| {
        editor.set_text(span, "b");
        editor.set_text(0..5, "g(c)");
    });
    assert_eq!(overlapping.1.expect_err("refused"), "the targets overlap");
}

#[test]
fn part_of_a_document_is_written_with_its_changes() {
    let document = TypeScriptDocument::open("a.ts", "f(a * b, c);".to_owned());
    let written = Semantics::with(&document, |code| {
        let mut editor = SyntaxEditor::new(code);
        editor.replace(6..7, "x + y");
        editor.set_text(9..10, "outside");
        editor.into_text(2..7).expect("a text")
    });
    assert_eq!(written, "a * (x + y)");
}

#[test]
fn style_follows_the_file() {
    let style = |text: &str| {
        let document = TypeScriptDocument::open("a.ts", text.to_owned());
        let style = Semantics::with(&document, |code| SyntaxEditor::new(code).style().clone());
        format!("{:?} {:?} {:?}", style.semicolon, style.unit, style.line_break)
    };
    assert_eq!(style("if (a) {\n  b();\n}\n"), "\";\" \"  \" \"\\n\"");
    assert_eq!(style("a()\r\nb()\r\nif (c) {\r\n\td()\r\n}\r\n"), "\"\" \"\\t\" \"\\r\\n\"");
}

#[test]
fn texts_are_indented_except_inside_literals() {
    let document = TypeScriptDocument::open("a.ts", "f();\n".to_owned());
    Semantics::with(&document, |code| {
        assert_eq!(code.reindented("[\n  1,\n]", Shape::Expression, "", "  "), "[\n    1,\n  ]");
        assert_eq!(code.reindented("`a\nb`", Shape::Expression, "", "  "), "`a\nb`");
        assert_eq!(code.reindented("{\n  a: 1;\n}", Shape::Type, "", "  "), "{\n    a: 1;\n  }");
        assert_eq!(code.with_indentation("a();\n  b();", Shape::Statements, "", "  "), "a();\n    b();");
    });
}
