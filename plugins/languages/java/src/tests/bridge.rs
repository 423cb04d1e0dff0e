//! The conversion of the grammar's tree to the arena: tokens, comments, strings, roles, text fragments, limits.

use std::time::Instant;

use marquetry_code::{CodeDocument, ParseContext, TokenKind};
use marquetry_sdk::testing;

use crate::{Java, grammar::GRAMMAR, table::JAVA};

/// Checks the kinds and roles of the nodes of a statement in a method.
#[track_caller]
fn check(statement: &str, expected: &str) {
    let arena = GRAMMAR.parse(statement.to_owned(), ParseContext::Inside("block"));
    assert_eq!(arena.errors, [], "{statement}");
    let mut shown = String::new();
    for (index, node) in arena.nodes().skip(2) {
        let depth = arena.ancestors(index).count() - 3;
        let (role, kind) = (JAVA.field_name(node.field), JAVA.kind_name(node.kind));
        let role = if role.is_empty() { String::new() } else { format!("{role}: ") };
        shown += &format!("{}{role}{kind} `{}`\n", "  ".repeat(depth), arena.slice(index));
    }
    assert_eq!(shown.trim_end(), expected.trim_matches('\n'), "{statement}");
}

#[test]
fn nodes_have_kinds_and_roles() {
    check(
        "final int a = b.c(), d;",
        "
local_variable_declaration `final int a = b.c(), d;`
  type: integral_type `int`
  name: identifier `a`
  value: method_invocation `b.c()`
    object: identifier `b`
    name: member `c`
    arguments: argument_list `()`
  name: identifier `d`",
    );
    check(
        "a: break a;",
        "
labeled_statement `a: break a;`
  label `a`
  break_statement `break a;`
    label `a`",
    );
    check(
        "f(A::b, \"c\\n\");",
        "
expression_statement `f(A::b, \"c\\n\");`
  method_invocation `f(A::b, \"c\\n\")`
    name: member `f`
    arguments: argument_list `(A::b, \"c\\n\")`
      method_reference `A::b`
        identifier `A`
        member `b`
      string_literal `\"c\\n\"`",
    );
}

/// Checks the tokens of a text.
#[track_caller]
fn check_tokens(text: &str, expected: &[(TokenKind, &str)]) {
    let document = CodeDocument::open(&JAVA, "A.java", text.to_owned());
    let tokens = document.arena().tokens.iter().map(|token| (token.kind, token.span.slice(text)));
    assert_eq!(tokens.collect::<Vec<_>>(), expected, "{text}");
}

#[test]
fn tokens_have_classes() {
    use TokenKind::{Comment, Number, Sign, Text, TextPart, Word};
    check_tokens(
        "// a\r\nint b = 1 + 'c'; /* d */",
        &[
            (Comment, "// a"),
            (Word, "int"),
            (Word, "b"),
            (Sign, "="),
            (Number, "1"),
            (Sign, "+"),
            (Text, "'c'"),
            (Sign, ";"),
            (Comment, "/* d */"),
        ],
    );
    check_tokens(
        "x = a.\"b\\{c}d\\{e}\\{f}\";",
        &[
            (Word, "x"),
            (Sign, "="),
            (Word, "a"),
            (Sign, "."),
            (TextPart, "\"b"),
            (Sign, "\\{"),
            (Word, "c"),
            (Sign, "}"),
            (TextPart, "d"),
            (Sign, "\\{"),
            (Word, "e"),
            (Sign, "}"),
            (Sign, "\\{"),
            (Word, "f"),
            (Sign, "}"),
            (TextPart, "\""),
            (Sign, ";"),
        ],
    );
}

#[test]
fn parts_of_files_end_where_they_should() {
    let parse = |text: &str, name| GRAMMAR.parse(text.to_owned(), ParseContext::Inside(name)).errors.len();
    for (name, text) in
        [("block", "a(); // b"), ("class_body", "int a;"), ("enum_body", "A, B"), ("enum_members", "int a;")]
    {
        assert_eq!(parse(text, name), 0, "{name}: {text}");
    }
    for (name, text) in
        [("block", "} void a() {"), ("block", "a("), ("class_body", "} class B {"), ("enum_body", "A; }")]
    {
        assert_ne!(parse(text, name), 0, "{name}: {text}");
    }
    // A search pattern may omit the final semicolon; a file may not.
    assert_eq!(parse("a()", "block"), 0);
    assert_eq!(GRAMMAR.parse("a()".to_owned(), ParseContext::Items).errors, []);
    assert_eq!(testing::open::<Java>("A.java", "class A { void f() { a() } }").diagnostics().len(), 1);
}

#[test]
fn texts_without_an_end_take_limited_time() {
    let start = Instant::now();
    for piece in
        ["(((a<b", "case x -> {", "\"a", "@A(", "if (a) ", "/*", "a -> ", "new A<B<", "} ", "int[] [", "é\u{0}"]
    {
        let text = piece.repeat(2_000);
        let document = CodeDocument::open(&JAVA, "A.java", text);
        assert!(!document.arena().errors.is_empty(), "{piece}");
    }
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}
