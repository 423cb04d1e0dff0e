//! Trees of ambiguous syntax, and of texts with errors, in which the parts without errors are parsed as usual.

use marquetry_code::{Arena, CodeDocument, NodeIndex, ROOT};
use marquetry_sdk::testing;

use crate::{Go, table::GO};

/// Formats a node with its children as `KIND(…)`, and a leaf as its text.
fn shown(arena: &Arena, node: NodeIndex) -> String {
    let inner: Vec<String> = arena.children(node).map(|child| shown(arena, child)).collect();
    match inner.is_empty() {
        true if !arena.slice(node).contains('(') => arena.slice(node).to_owned(),
        true => format!("{}()", GO.kind_name(arena.node(node).kind)),
        false => format!("{}({})", GO.kind_name(arena.node(node).kind), inner.join(" ")),
    }
}

#[track_caller]
fn check(declaration: &str, expected: &str) {
    let document = CodeDocument::open(&GO, "a.go", format!("package a\n{declaration}\n"));
    let arena = document.arena();
    assert_eq!(arena.errors, [], "{declaration}");
    let file = arena.children(ROOT).next().expect("a block");
    let node = arena.children(file).nth(1).expect("a declaration");
    assert_eq!(shown(arena, node), expected, "{declaration}");
}

#[track_caller]
fn check_body(statement: &str, expected: &str) {
    check(&format!("func f() {{\n{statement}\n}}"), &format!("FUNC(f PARAMS() BLOCK({expected}))"));
}

#[test]
fn brackets_after_types_are_told_apart() {
    check("type T[P any] int", "TYPE(T TYPE_PARAMS(TYPE_PARAM(P any)) int)");
    check("type T[P, Q any] int", "TYPE(T TYPE_PARAMS(TYPE_PARAM(P Q any)) int)");
    check("type T[P []int] int", "TYPE(T TYPE_PARAMS(TYPE_PARAM(P ARRAY_TYPE(int))) int)");
    check("type T[P *C,] int", "TYPE(T TYPE_PARAMS(TYPE_PARAM(P UNARY(C))) int)");
    check("type T[P *C|D] int", "TYPE(T TYPE_PARAMS(TYPE_PARAM(P BINARY(UNARY(C) D))) int)");
    check("type T[N]int", "TYPE(T ARRAY_TYPE(N int))");
    check("type T[N * 2]int", "TYPE(T ARRAY_TYPE(BINARY(N 2) int))");
    check("type T[a.N]int", "TYPE(T ARRAY_TYPE(SELECTOR(a N) int))");
    check("type T []int", "TYPE(T ARRAY_TYPE(int))");
    check("type T = a.B[int]", "TYPE(T INDEX(SELECTOR(a B) int))");
}

#[test]
fn parameters_have_names_or_types() {
    check("func f(a, b int, c ...string)", "FUNC(f PARAMS(PARAM(a b int) PARAM(c VARIADIC(string))))");
    check("func f(int, a.B, *C)", "FUNC(f PARAMS(PARAM(int) PARAM(SELECTOR(a B)) PARAM(UNARY(C))))");
    check("func f(a []int, b [2]int)", "FUNC(f PARAMS(PARAM(a ARRAY_TYPE(int)) PARAM(b ARRAY_TYPE(2 int))))");
    check("func f(List[int], b B[int])", "FUNC(f PARAMS(PARAM(INDEX(List int)) PARAM(b INDEX(B int))))");
    check("func f() (a, b int)", "FUNC(f PARAMS() RESULTS(PARAM(a b int)))");
    check(
        "func f(func(int) bool) func()",
        "FUNC(f PARAMS(PARAM(FUNC_TYPE(PARAMS(PARAM(int)) bool))) FUNC_TYPE(PARAMS()))",
    );
    check(
        "func (r *R[T]) M[P any](p P) P",
        "METHOD(RECEIVER(PARAM(r UNARY(INDEX(R T)))) M TYPE_PARAMS(TYPE_PARAM(P any)) PARAMS(PARAM(p P)) P)",
    );
}

#[test]
fn fields_have_names_or_are_embedded() {
    check(
        "type T struct { a, b int; *B; c.D `t`; E[int]; f [3]int; g []int; H }",
        "TYPE(T FIELDS(FIELD(a b int) FIELD(UNARY(B)) FIELD(SELECTOR(c D) `t`) FIELD(INDEX(E int)) FIELD(f ARRAY_TYPE(3 int)) FIELD(g ARRAY_TYPE(int)) FIELD(H)))",
    );
    check(
        "type T interface { ~int | B; M(); c.D }",
        "TYPE(T ELEMS(ELEM_EMBED(BINARY(UNARY(int) B)) ELEM_METHOD(M PARAMS()) ELEM_EMBED(SELECTOR(c D))))",
    );
}

#[test]
fn braces_in_heads_start_blocks() {
    check_body(
        "if x == (T{}) { a() }",
        "IF(EXPR_STMT(BINARY(x PAREN(COMPOSITE(T {})))) BLOCK(EXPR_STMT(CALL(a ARGS()))))",
    );
    check_body("for x := range T { a }", "FOR(RANGE(x T) BLOCK(EXPR_STMT(a)))");
    check_body(
        "for _, x := range []T{a} { b }",
        "FOR(RANGE(_ x COMPOSITE(ARRAY_TYPE(T) VALUES(a))) BLOCK(EXPR_STMT(b)))",
    );
    check_body(
        "switch a := b.(type) { case int: c }",
        "SWITCH(DEFINE(a ASSERT(b)) CASES(CASE(int CASE_BODY(EXPR_STMT(c)))))",
    );
    check_body(
        "if f(T{a: 1}) { b }",
        "IF(EXPR_STMT(CALL(f ARGS(COMPOSITE(T VALUES(KEYED(a 1)))))) BLOCK(EXPR_STMT(b)))",
    );
    check_body(
        "if f := func() { a }; b { c }",
        "IF(DEFINE(f FUNC_LIT(PARAMS() BLOCK(EXPR_STMT(a)))) EXPR_STMT(b) BLOCK(EXPR_STMT(c)))",
    );
}

#[test]
fn operators_have_their_precedence() {
    check_body("a + b * -c == d && e || f", "EXPR_STMT(BINARY(BINARY(BINARY(BINARY(a BINARY(b UNARY(c))) d) e) f))");
    check_body("<-a <- b", "SEND(UNARY(a) b)");
    check_body("x := new(42)", "DEFINE(x CALL(new ARGS(42)))");
    check_body("a.b[c](d...).(E)", "EXPR_STMT(ASSERT(CALL(INDEX(SELECTOR(a b) c) ARGS(SPREAD(d))) E))");
    check_body("x = chan<- int(nil)", "ASSIGN(x CALL(CHAN_TYPE(int) ARGS(nil)))");
}

#[track_caller]
fn check_broken(text: &str, outline: &[&str]) {
    let bench = testing::open::<Go>("a.go", text);
    assert!(!bench.diagnostics().is_empty(), "{text}");
    let found: Vec<String> = bench.nodes_of_outline();
    assert_eq!(found, outline, "{text}");
}

trait Addresses {
    fn nodes_of_outline(&self) -> Vec<String>;
}

impl Addresses for testing::TestDocument<Go> {
    fn nodes_of_outline(&self) -> Vec<String> {
        let symbols = &self.document().symbols().symbols;
        symbols.iter().filter(|symbol| symbol.kind != "package").map(|symbol| symbol.address.clone()).collect()
    }
}

#[test]
fn code_around_errors_keeps_its_declarations() {
    let after = "\n\nfunc g() {\n\th()\n}\n\ntype T struct {\n\ta int\n}\n\nfunc (t *T) M() {}\n";
    let rest = ["g", "T", "T.a", "T.M"];
    for broken in [
        "func f() {\n\tx := \n}",
        "func f() {\n\tif x {\n\t\ty()\n",
        "func f(a int {\n\tb()\n}",
        "func f() {\n\ta(b, c\n\td()\n}",
        "func f() {\n\tx = [1, 2}\n}",
        "func f() {\n\tfor i := 0; i < {\n\t}\n}",
        "func f() {\n\tswitch x {\n\tcase 1\n\t\ty()\n\t}\n}",
        "func f() {\n\t)\n}",
        "func f() {\n\tx := T{a: 1,\n\t\tb: }\n}",
    ] {
        check_broken(&format!("package a\n\n{broken}{after}"), &[&["f"][..], &rest].concat());
    }
    for broken in ["x := 1", "}", "func", "if x {\n}", "var", "import x", "type struct {\n}"] {
        let text = format!("package a\n\n{broken}{after}");
        let bench = testing::open::<Go>("a.go", &text);
        let found = bench.nodes_of_outline();
        assert!(found.ends_with(&rest.map(str::to_owned)), "{text} {found:?}");
        assert!(!bench.diagnostics().is_empty(), "{text}");
    }
    check_broken("package a\ntype T struct {\n\ta int int\n\tb int\n}\n", &["T", "T.a", "T.b"]);
    check_broken("package a\nconst (\n\tA = 1 2\n\tB = 1\n)\nvar c = 1\n", &["A", "B", "c"]);
    check_broken("package a\ntype T struct {\n\ta int\n\nfunc f() {}\n", &["T", "T.a", "f"]);
}
