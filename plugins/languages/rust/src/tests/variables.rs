//! Variables that are extracted and inlined: texts before and after, and refusals.

use marquetry_sdk::{
    Selection, Span,
    refactor::apply,
    testing::{self, check_refactor, check_refused},
};

use crate::Rust;

fn function(code: &str) -> String {
    format!("fn f(a: i32, b: i32, s: &S) -> i32 {{\n    {code}\n}}\n")
}

#[track_caller]
fn extract(before: &str, after: &str) {
    check_refactor::<Rust>(
        ("a.rs", &function(before)),
        "extract_variable",
        &[("extractedName", "v")],
        &function(after),
    );
}

#[track_caller]
fn keep(before: &str, message: &str) {
    check_refused::<Rust>(("a.rs", &function(before)), "extract_variable", &[("extractedName", "v")], message);
}

#[test]
fn expressions_are_extracted() {
    extract("«a * b» * 2", "let v = a * b;\n    v * 2");
    extract("g(«a + 1»);", "let v = a + 1;\n    g(v);");
    extract("«g(a)»", "let v = g(a);\n    v");
    extract("return «g(a)?» + 1;", "let v = g(a)?;\n    return v + 1;");
    extract("let x = «g(a).await»;", "let v = g(a).await;\n    let x = v;");
    extract("let x = (a + «s.len») as u8;", "let v = s.len;\n    let x = (a + v) as u8;");
    extract("s.list[«s.len»]", "let v = s.len;\n    s.list[v]");
    extract("g(«&s.name»)", "let v = &s.name;\n    g(v)");
    extract("if «a > b» {\n        g()\n    }", "let v = a > b;\n    if v {\n        g()\n    }");
    extract("if a > 1 && «b > 1» {}", "let v = b > 1;\n    if a > 1 && v {}");
    extract("for x in «g(a)» {\n        h(x)\n    }", "let v = g(a);\n    for x in v {\n        h(x)\n    }");
    extract("for x in y {\n        h(«x + 1»);\n    }", "for x in y {\n        let v = x + 1;\n        h(v);\n    }");
    extract("match «g(a)» {\n        _ => 1,\n    }", "let v = g(a);\n    match v {\n        _ => 1,\n    }");
    extract("y.map(|x| {\n        h(«x * 2»)\n    })", "y.map(|x| {\n        let v = x * 2;\n        h(v)\n    })");
    extract("println!(\"{}\", «a + b»);", "let v = a + b;\n    println!(\"{}\", v);");
    extract("assert!(«a > b», \"{a}\");", "let v = a > b;\n    assert!(v, \"{a}\");");
    extract("P { x: «a + b», y: 1 }", "let v = a + b;\n    P { x: v, y: 1 }");
    extract("P { v: «a + b», y: 1 }", "let v = a + b;\n    P { v, y: 1 }");
    extract("h(g(), «1»)", "let v = 1;\n    h(g(), v)");
    extract("let x = «if a > b { a } else { b }»;", "let v = if a > b { a } else { b };\n    let x = v;");
    extract("let x = [«a + b»; 3];", "let v = a + b;\n    let x = [v; 3];");
    extract("h(«M::LIMIT»)", "let v = M::LIMIT;\n    h(v)");
}

#[test]
fn expressions_that_cannot_be_evaluated_earlier_stay() {
    let never = "later, often or never";
    keep("while «g()» {}", never);
    keep("if a > 1 {} else if «g()» {}", never);
    keep("y.map(|x| «x + 1»)", never);
    keep("y.map(|x| «a + 1»)", never);
    keep("let x = a > 0 && «g()»;", never);
    keep("let x = a > 0 || b > «a / b»;", never);
    keep("match a {\n        1 => «b + 1»,\n        _ => 2,\n    }", never);
    keep("match a {\n        x if «b > 1» => 2,\n        _ => 2,\n    }", never);
    keep("assert!(a > b, \"{}\", «g()»);", never);
    keep("debug_assert!(«g()»);", never);
    keep("if let Some(x) = g() && «x > 1» {}", "its statement declares");
    keep("h(g(), «a + b»)", "code before it");
    keep("g(a)?.run(«a + b»)", "code before it");
    keep("x += «g()»;", "order");
    keep("let x: [u8; «1 + 2»] = y;", "evaluates the expression");
    keep("let x = [0; «1 + 2»];", "evaluates the expression");
    keep("const X: u8 = «1 + 2»;", "evaluates the expression");
    keep("let x = 1; h(«a + b»);", "shares its line");
    keep("#[cfg(x)]\n    h(«a + b»);", "attributes");
}

#[test]
fn expressions_that_are_not_values_stay() {
    keep("«g()»;", "whole statement");
    keep("«s.x» = 1;", "assigns");
    keep("«g»(a)", "function that is called");
    keep("h(«a»)", "already a name");
    keep("h(«&mut a»)", "mutably");
    keep("h(&mut «g()»)", "mutably");
    let place = "would move its value";
    keep("h(«s.name»)", place);
    keep("h(&«s.name»)", place);
    keep("«s.name».len()", place);
    keep("«s.list[1]» == a", place);
    keep("let x = «*s»;", place);
    keep("println!(\"{}\", «s.name»);", place);
    keep("y.map(«|x| x + 1»)", "closure");
    keep("println!(«\"x\"»);", "compile time");
    keep("if «let Some(x) = y» {}", "not an expression");
    keep("if «a > 1 && let Some(x) = y» {}", "declares variables");
    keep("let x: «Vec<u8>» = y;", "not an expression");
    keep("let «x» = y;", "not an expression");
    keep("other!(«a + b»)", "not an expression");
    keep("«return 1»", "not an expression");
    keep("let v = 1;\n    h(«a + b»)", "the name `v`");
    keep("other!(v);\n    h(«a + b»)", "the name `v`");
    check_refused::<Rust>(("a.rs", "const X: u8 = «1 + 2»;\n"), "extract_variable", &[], "not in a statement");
    check_refused::<Rust>(
        ("a.rs", "const value: u8 = 1;\nfn f() {\n    g(«1 + 2»);\n}\n"),
        "extract_variable",
        &[],
        "the name `value`",
    );
    check_refused::<Rust>(("a.rs", "fn f() { g(«1»)"), "extract_variable", &[], "syntax");
}

/// The reason why the result of a refactoring may be incomplete.
fn incomplete(id: &str, code: &str, selected: &str) -> Option<String> {
    let text = function(code);
    let start = text.find(selected).expect("the selection");
    let bench = testing::open::<Rust>("a.rs", &text);
    let at = Selection { span: Span::new(start, start + selected.len()), caret: start as u32 };
    apply::<Rust>(bench.document(), id, at, Vec::new()).expect("a result").incomplete
}

#[test]
fn results_that_depend_on_types_are_incomplete() {
    let extract = |code: &str, selected: &str| incomplete("extract_variable", code, selected);
    assert!(extract("h(g().name())", "g().name()").is_some_and(|why| why.contains("temporary")));
    assert!(extract("h(&g())", "&g()").is_some_and(|why| why.contains("temporary")));
    assert!(extract("g().run()", "g()").is_some_and(|why| why.contains("`mut`")));
    assert_eq!(extract("h(s.name())", "s.name()"), None);
    assert_eq!(extract("h(a + g(b))", "a + g(b)"), None);
    let inline = |code: &str| incomplete("inline_variable", code, "x");
    assert!(inline("let x = lock();\n    h(&x);").is_some_and(|why| why.contains("dropped")));
    assert!(inline("let x = m.lock().len();\n    h(x);").is_some_and(|why| why.contains("dropped")));
    assert_eq!(inline("let x = g();\n    h(x);"), None);
    assert_eq!(inline("let x = a + b;\n    h(&x, x);"), None);
}

#[track_caller]
fn inline(before: &str, after: &str) {
    check_refactor::<Rust>(("a.rs", &function(before)), "inline_variable", &[], &function(after));
}

#[track_caller]
fn inline_refused(before: &str, message: &str) {
    check_refused::<Rust>(("a.rs", &function(before)), "inline_variable", &[], message);
}

#[test]
fn variables_are_inlined() {
    inline("let ‸sum = a + b;\n    sum * 2", "(a + b) * 2");
    inline("let ‸x = a + b;\n    g(x, x * 2, -x)", "g(a + b, (a + b) * 2, -(a + b))");
    inline("let x = g(a);\n    h(‸x)", "h(g(a))");
    inline("let ‸x = 1;\n    g();\n    h(x)", "g();\n    h(1)");
    inline("let ‸x = s;\n    g();\n    h(x, x)", "g();\n    h(s, s)");
    inline("let ‸x = g()?;\n    x.run(b);", "g()?.run(b);");
    inline("let ‸x = s.a.b;\n    return x;", "return s.a.b;");
    inline("let ‸x = -a;\n    x as u8", "(-a) as u8");
    inline("let ‸x = a as u8;\n    x < 3", "(a as u8) < 3");
    inline("let ‸x = a + b;\n    P { x, y: x }", "P { x: a + b, y: a + b }");
    inline("let ‸x = P { y: a };\n    if h(x) {}", "if h(P { y: a }) {}");
    inline("let ‸x = P { y: 1 };\n    if x == z {}", "if (P { y: 1 }) == z {}");
    inline("let ‸x = |y| y + 1;\n    x(2)", "(|y| y + 1)(2)");
    inline("let ‸x = \"a\";\n    println!(\"{}\", x);", "println!(\"{}\", \"a\");");
    inline(
        "let ‸x = a + b;\n    loop {\n        y.map(|z| x + z);\n    }",
        "loop {\n        y.map(|z| (a + b) + z);\n    }",
    );
    inline("let ‸x = g();\n    for y in x {}", "for y in g() {}");
    inline("let ‸x = g();\n    let y = x;", "let y = g();");
    inline("let ‸x = if a > b { a } else { b };\n    x + 1", "(if a > b { a } else { b }) + 1");
}

#[test]
fn variables_that_may_be_moved_or_changed_stay() {
    let between = "moved or change between";
    inline_refused("let ‸x = g();\n    h(x, x)", between);
    inline_refused("let ‸x = y;\n    h(&x, &x)", between);
    inline_refused("let mut c = 1;\n    let ‸x = c;\n    h(x, x)", between);
    let changed = "may change before";
    inline_refused("let ‸x = g();\n    k();\n    h(x)", changed);
    inline_refused("let ‸x = y;\n    y = 2;\n    h(x)", changed);
    inline_refused("let ‸x = g();\n    h(k(), x)", changed);
    inline_refused("let ‸x = g();\n    k()?.run(x)", changed);
    inline_refused("let ‸x = g();\n    while x {}", changed);
    inline_refused("let ‸x = g();\n    z.map(|y| x + y);", changed);
    inline_refused("let ‸x = g();\n    if a > b {\n        h(x)\n    }", changed);
    inline_refused("let ‸x = g();\n    a > b && x", changed);
    inline_refused("let ‸x = g();\n    match a {\n        _ => x,\n    }", changed);
    inline_refused("let ‸x = g();\n    {\n        h(x)\n    }", changed);
    inline_refused("let ‸x = g();\n    #[cfg(y)]\n    h(x);", "attributes");
    inline_refused("let ‸x = g();\n    fn k() {}\n    h(x)", changed);
    inline_refused("let ‸x = y.len();\n    h(&mut y, x)", "mutably");
    inline_refused("let ‸x = y.len();\n    y[0].push(x)", "mutably");
    inline_refused("let ‸x = self.len();\n    h(&mut self.list, x)", "mutably");
}

#[test]
fn variables_that_are_needed_stay() {
    inline_refused("let mut ‸x = g();\n    h(x)", "`mut`");
    inline_refused("let ref ‸x = g();\n    h(x)", "`mut` or `ref`");
    inline_refused("let ‸x: u8 = 1;\n    h(x)", "has a type");
    inline_refused("let (‸x, y) = g();\n    h(x, y)", "one name");
    inline_refused("let ‸x;\n    x = 1;\n    h(x)", "one name");
    inline_refused("let Some(‸x) = g() else { return 1 };\n    h(x)", "one name");
    inline_refused("if let ‸x = g() {\n        h(x)\n    }", "one name");
    inline_refused("#[cfg(y)]\n    let ‸x = 1;\n    h(x)", "attributes");
    inline_refused("let ‸x = 1;\n    println!(\"{x}\");", "format string");
    inline_refused("let ‸x = 1;\n    other!(x);", "macro");
    inline_refused("let ‸x = g();\n    let y = x.run();", "may borrow");
    inline_refused("let ‸x = g();\n    let y = h(&x);", "may borrow");
    inline_refused("let ‸x = a;\n    let a = 2;\n    h(x, a)", "another meaning");
    inline_refused("let ‸x = 1;\n    h()", "not used");
    inline_refused("h(‸a)", "one name");
    inline_refused("h(‸f)", "not a local variable");
    check_refused::<Rust>(("a.rs", "const ‸X: u8 = 1;\nfn f() { g(X) }\n"), "inline_variable", &[], "not a local");
}
