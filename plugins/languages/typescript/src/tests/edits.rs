//! Tests of every operation at typical locations.

use marquetry_sdk::testing::{insert_into, wrap};
use marquetry_sdk::{Document as _, FailureKind, Operation, Position, TargetKind};

use super::{edited, open, refused, ts};

const CLASS: &str =
    "export class A {\n  x = 1;\n\n  /** Goes. */\n  go(a: string): void {\n    run(a);\n  }\n\n  stop() {}\n}\n";

fn replace(content: &str) -> Operation {
    Operation::Replace(content.to_owned())
}

fn replace_body(content: &str) -> Operation {
    Operation::ReplaceBody(content.to_owned())
}

fn before(content: &str) -> Operation {
    Operation::InsertBefore(content.to_owned())
}

fn after(content: &str) -> Operation {
    Operation::InsertAfter(content.to_owned())
}

fn region(text: &str, name: &str, operation: Operation) -> String {
    ts(text).edit(TargetKind::Region, name, operation).unwrap_or_else(|failure| panic!("{name}: {failure:?}"))
}

#[test]
fn replace_indents_the_content() {
    let new = "go(): void {\n  if (a) {\n    b();\n  }\n}";
    assert_eq!(
        edited(CLASS, "A.go", replace(new)),
        CLASS.replace("go(a: string): void {\n    run(a);\n  }", "go(): void {\n    if (a) {\n      b();\n    }\n  }")
    );
    assert_eq!(edited("const a = 1;\nconst b = 2;\n", "a", replace("const a = 3")), "const a = 3;\nconst b = 2;\n");
    assert_eq!(edited("let a = 1, b = 2;", "b", replace("b = 3")), "let a = 1, b = 3;");
    assert_eq!(
        edited("interface I { a: string; b: number }", "I.a", replace("a: number")),
        "interface I { a: number; b: number }"
    );
    assert_eq!(
        edited("interface I { a: string, b: number }", "I.a", replace("a: number;")),
        "interface I { a: number, b: number }"
    );
    assert_eq!(edited("const o = { a: 1, b: 2 };", "o.a", replace("a: 3,")), "const o = { a: 3, b: 2 };");
    assert_eq!(
        edited("f(1);\nconst { a, b } = g();\n", "b", replace("const { a, b } = h()")),
        "f(1);\nconst { a, b } = h();\n"
    );
}

#[test]
fn replace_with_comment_replaces_the_comment() {
    let text = "/** Old. */\nfunction f() {}\n";
    assert_eq!(edited(text, "f", replace("function f() { g(); }")), "/** Old. */\nfunction f() { g(); }\n");
    assert_eq!(
        edited(text, "f", replace("/** New. */\nfunction f() { g(); }")),
        "/** New. */\nfunction f() { g(); }\n"
    );
}

#[test]
fn template_literals_are_not_indented() {
    let new = "function f() {\nreturn `\na\n  b\n`;\n}";
    assert_eq!(
        edited("namespace N {\n  function f() {}\n}\n", "N.f", replace(new)),
        "namespace N {\n  function f() {\n  return `\na\n  b\n`;\n  }\n}\n"
    );
    assert_eq!(
        edited("function f() {\n  a();\n}\n", "f", replace_body("return `\na\n`;")),
        "function f() {\n  return `\na\n`;\n}\n"
    );
}

#[test]
fn replace_body_of_declarations() {
    let text = "function f() {\n  a();\n}\n";
    for content in ["b();\nc();", "  b();\n  c();", "{\n  b();\n  c();\n}", "{ b();\nc(); }", "\n    b();\n    c();\n"]
    {
        assert_eq!(edited(text, "f", replace_body(content)), "function f() {\n  b();\n  c();\n}\n", "{content}");
    }
    assert_eq!(edited(text, "f", replace_body("b();")), "function f() {\n  b();\n}\n");
    assert_eq!(edited(text, "f", replace_body("")), "function f() {}\n");
    assert_eq!(edited("function f() {}\n", "f", replace_body("b();")), "function f() {\n  b();\n}\n");
    assert_eq!(edited("function f() { a(); }\n", "f", replace_body("b();")), "function f() { b(); }\n");
    assert_eq!(
        edited("function f() { a(); }\n", "f", replace_body("b();\nc();")),
        "function f() {\n  b();\n  c();\n}\n"
    );
    assert_eq!(edited("function f()\n{\n\ta();\n}\n", "f", replace_body("b();")), "function f()\n{\n\tb();\n}\n");
    assert_eq!(
        edited("function f() {\r\n  a();\r\n}\r\n", "f", replace_body("a();")),
        "function f() {\r\n  a();\r\n}\r\n"
    );
    assert_eq!(
        edited(CLASS, "A.go", replace_body("if (a) {\n  run(a);\n}")),
        CLASS.replace("    run(a);\n", "    if (a) {\n      run(a);\n    }\n")
    );
    assert_eq!(edited("class A { x = 1 }", "A", replace_body("{ y = 2 }")), "class A { y = 2 }");
    assert_eq!(edited("const a = { b: 1 };", "a", replace_body("{ c: 2 }")), "const a = { c: 2 };");
    assert_eq!(edited("enum E { A }", "E", replace_body("B, C")), "enum E { B, C }");
    assert_eq!(edited("const a = 1;", "a", replace_body("2;")), "const a = 2;");
    assert_eq!(edited("type A = string;", "A", replace_body("number | null;")), "type A = number | null;");
    assert_eq!(
        edited("it('a', () => {\n  b();\n});\n", "\"a\"", replace_body("c();")),
        "it('a', () => {\n  c();\n});\n"
    );
}

#[test]
fn replace_body_of_arrow_functions() {
    let text = "const f = (a) => a + 1;\n";
    assert_eq!(edited(text, "f", replace_body("a + 2")), "const f = (a) => a + 2;\n");
    assert_eq!(edited(text, "f", replace_body("return a + 2;")), "const f = (a) => a + 2;\n");
    assert_eq!(edited(text, "f", replace_body("b();\nreturn a;")), "const f = (a) => {\n  b();\n  return a;\n};\n");
    assert_eq!(edited(text, "f", replace_body("{ return a; }")), "const f = (a) => { return a; };\n");
    assert_eq!(edited(text, "f", replace_body("{ a, b: 1 }")), "const f = (a) => ({ a, b: 1 });\n");
    assert_eq!(edited("const f = () => ({ a: 1 });\n", "f", replace_body("{ b: 2 }")), "const f = () => ({ b: 2 });\n");
    assert_eq!(edited("const f = () => { a(); };\n", "f", replace_body("b();")), "const f = () => { b(); };\n");
}

#[test]
fn inserted_statements_follow_neighbour_style() {
    let text = "import a from 'a';\nimport b from 'b';\n\nconst c = 1;\nconst d = 2;\n\nfunction f() {\n  g();\n}\n";
    assert_eq!(edited(text, "c", before("const x = 0;")), text.replace("const c", "const x = 0;\nconst c"));
    assert_eq!(edited(text, "c", after("const x = 0;\n")), text.replace("const d", "const x = 0;\nconst d"));
    assert_eq!(edited(text, "d", after("const x = 0;")), text.replace("= 2;\n", "= 2;\nconst x = 0;\n"));
    assert_eq!(
        edited(text, "c", after("function h() {\n  i();\n}")),
        text.replace("const d", "\nfunction h() {\n  i();\n}\n\nconst d")
    );
    assert_eq!(edited(text, "f", after("function h() {\n}")), format!("{text}\nfunction h() {{\n}}\n"));
    assert_eq!(
        edited("/** Doc. */\nfunction f() {}\n", "f", before("function g() {}")),
        "function g() {}\n\n/** Doc. */\nfunction f() {}\n"
    );
    assert_eq!(edited("function f() {}", "f", after("function g() {\n}")), "function f() {}\n\nfunction g() {\n}");
    assert_eq!(edited("a(); const b = 1; c();", "b", after("d();")), "a(); const b = 1; d(); c();");
    assert_eq!(
        edited("function f() {\n  const a = 1; // why\n  return a;\n}\n", "f.a", after("b();")),
        "function f() {\n  const a = 1; // why\n  b();\n  return a;\n}\n"
    );
}

#[test]
fn insert_before_and_after_members() {
    assert_eq!(
        edited(CLASS, "A.go", before("wait() {\n  sleep();\n}")),
        CLASS.replace("  /** Goes", "  wait() {\n    sleep();\n  }\n\n  /** Goes")
    );
    assert_eq!(edited(CLASS, "A.x", after("y = 2")), CLASS.replace("x = 1;\n", "x = 1;\n  y = 2;\n"));
    assert_eq!(
        edited(CLASS, "A.stop", after("wait() {\n  sleep();\n}")),
        CLASS.replace("  stop() {}\n", "  stop() {}\n\n  wait() {\n    sleep();\n  }\n")
    );
    assert_eq!(edited("class A { x = 1 }", "A.x", after("y = 2;")), "class A { x = 1; y = 2; }");
    assert_eq!(edited("enum E {\n  A,\n  B\n}", "E.B", after("C,")), "enum E {\n  A,\n  B,\n  C\n}");
    assert_eq!(edited("enum E { A, B }", "E.A", before("Z")), "enum E { Z, A, B }");
    assert_eq!(
        edited("const o = {\n  a: 1,\n  b: 2,\n};\n", "o.b", after("c() {\n  d();\n}")),
        "const o = {\n  a: 1,\n  b: 2,\n  c() {\n    d();\n  },\n};\n"
    );
    assert_eq!(edited("const o = { a: 1 };", "o.a", after("b: 2")), "const o = { a: 1, b: 2 };");
    assert_eq!(
        edited("interface I {\n  a: string;\n  b: string;\n}\n", "I.a", after("c?: number")),
        "interface I {\n  a: string;\n  c?: number;\n  b: string;\n}\n"
    );
    assert_eq!(
        edited("interface I {\n  a: string\n  b: string\n}\n", "I.b", after("c?: number;")),
        "interface I {\n  a: string\n  b: string\n  c?: number\n}\n"
    );
    assert_eq!(
        edited("type T = { a: string, b: string }", "T.b", after("c: string")),
        "type T = { a: string, b: string, c: string }"
    );
    assert_eq!(
        edited("class A { constructor(private a: B) {} }", "A.a", after("private c: D")),
        "class A { constructor(private a: B, private c: D) {} }"
    );
    assert_eq!(edited("let a = 1, b = 2;", "a", after("c = 3")), "let a = 1, c = 3, b = 2;");
}

#[test]
fn insert_into_containers() {
    let last = |content: &str| insert_into(content, Position::Last);
    let first = |content: &str| insert_into(content, Position::First);
    let sorted = |content: &str| insert_into(content, Position::Sorted);
    assert_eq!(edited(CLASS, "A", first("w = 0;")), CLASS.replace("  x = 1;\n", "  w = 0;\n  x = 1;\n"));
    assert_eq!(edited("class A {}\n", "A", last("x = 1;")), "class A {\n  x = 1;\n}\n");
    assert_eq!(edited("class A {\n}\n", "A", last("go() {\n  run();\n}")), "class A {\n  go() {\n    run();\n  }\n}\n");
    assert_eq!(
        edited("class A {\n  // nothing yet\n}\n", "A", last("x = 1;")),
        "class A {\n  // nothing yet\n  x = 1;\n}\n"
    );
    assert_eq!(edited("enum E {\n  A,\n  C,\n}\n", "E", sorted("B")), "enum E {\n  A,\n  B,\n  C,\n}\n");
    assert_eq!(
        edited("interface I {\n  a: 1;\n  c: 1;\n}\n", "I", sorted("b: 1")),
        "interface I {\n  a: 1;\n  b: 1;\n  c: 1;\n}\n"
    );
    assert_eq!(edited("const o = {};\n", "o", last("a: 1,")), "const o = {\n  a: 1\n};\n");
    assert_eq!(
        edited("const o = {\n  p: { a: 1 },\n};\n", "o.p", last("b: 2")),
        "const o = {\n  p: { a: 1, b: 2 },\n};\n"
    );
    assert_eq!(
        edited("namespace N {\n  const a = 1;\n}\n", "N", last("const b = 2;")),
        "namespace N {\n  const a = 1;\n  const b = 2;\n}\n"
    );
    assert_eq!(
        edited("function f() {\n  'use strict';\n  a();\n}\n", "f", first("b();")),
        "function f() {\n  'use strict';\n  b();\n  a();\n}\n"
    );
    assert_eq!(
        edited("function f() {\n  a();\n}\n", "f", last("if (b) {\n  c();\n}")),
        "function f() {\n  a();\n  if (b) {\n    c();\n  }\n}\n"
    );
    assert_eq!(
        edited("type T = {\n  a: string;\n};\n", "T", last("b: string")),
        "type T = {\n  a: string;\n  b: string;\n};\n"
    );
    assert_eq!(
        edited(
            "describe('s', () => {\n  it('a', () => {\n    b();\n  });\n});\n",
            "\"s\"",
            last("it('c', () => {\n  d();\n});")
        ),
        "describe('s', () => {\n  it('a', () => {\n    b();\n  });\n\n  it('c', () => {\n    d();\n  });\n});\n"
    );
    assert_eq!(edited("const a = [1, 2];\n", "a", last("3")), "const a = [1, 2, 3];\n");
    assert_eq!(
        edited("const s = create({\n  a: 1,\n});\n", "s", last("b: 2")),
        "const s = create({\n  a: 1,\n  b: 2,\n});\n"
    );
    assert_eq!(refused("const a = 1;", "a", last("x")), FailureKind::Unsupported);
    assert_eq!(refused("const f = () => 1;", "f", last("x")), FailureKind::Unsupported);
}

#[test]
fn edit_the_imports_region() {
    let text = "import a from 'a';\nimport { c } from 'c';\n\nf();\n";
    let into = |content: &str, position| insert_into(content, position);
    assert_eq!(
        region(text, "imports", into("import b from 'b';", Position::Sorted)),
        text.replace("import { c", "import b from 'b';\nimport { c")
    );
    assert_eq!(
        region(text, "imports", into("import d from 'd';\n", Position::Last)),
        text.replace("'c';\n", "'c';\nimport d from 'd';\n")
    );
    assert_eq!(
        region(text, "imports", into("import z from 'z';", Position::First)),
        format!("import z from 'z';\n{text}")
    );
    assert_eq!(region(text, "imports", replace("import x from 'x';")), "import x from 'x';\n\nf();\n");
    assert_eq!(region(text, "imports", Operation::Delete), "f();\n");
    assert_eq!(region(text, "imports", after("g();")), "import a from 'a';\nimport { c } from 'c';\n\ng();\n\nf();\n");
    assert_eq!(region("f();\n", "imports", into("import a from 'a';", Position::Last)), "import a from 'a';\n\nf();\n");
    assert_eq!(
        region("'use client';\n\nf();\n", "imports", into("import a from 'a';", Position::Last)),
        "'use client';\n\nimport a from 'a';\n\nf();\n"
    );
    assert_eq!(
        region("#!/usr/bin/env node\n", "imports", into("import a from 'a';", Position::Last)),
        "#!/usr/bin/env node\n\nimport a from 'a';\n"
    );
    assert_eq!(region("", "imports", into("import a from 'a';", Position::Last)), "import a from 'a';\n");
    let commonjs = "const a = require('a');\n\nf();\n";
    assert_eq!(
        region(commonjs, "imports", into("const b = require('b');", Position::Last)),
        commonjs.replace("'a');\n", "'a');\nconst b = require('b');\n")
    );
}

#[test]
fn delete_refuses_name_excluded_from_rest() {
    let deleted = |text: &str, address: &str, force: bool| {
        let document = crate::TypeScriptDocument::open("a.ts", text.to_owned());
        let target = marquetry_sdk::Target { kind: TargetKind::Symbol, value: address.to_owned() };
        let query = marquetry_sdk::Query { target, limit: 1, values: false };
        let marquetry_sdk::FindResult::Nodes(found) = document.find(&query).expect("found") else { panic!("no node") };
        let options = marquetry_sdk::EditOptions { include_doc: false, force };
        document.edit(&[found.nodes[0].id], &Operation::Delete, options)
    };
    let text = "const { password, ...rest } = user;\n";
    let failure = deleted(text, "password", false).expect_err("a refusal");
    assert_eq!(failure.message, "without `password`, the pattern would put its value into `rest`");
    assert!(deleted(text, "password", true).is_ok());
    assert!(deleted(text, "rest", false).is_ok());
    assert!(deleted("const { a: { b }, ...rest } = user;\n", "b", false).is_err());
    assert!(deleted("const { a: { b, c }, ...rest } = user;\n", "b", false).is_ok());
    assert!(deleted("const [a, ...rest] = list;\n", "a", false).is_ok());
}

#[test]
fn delete_removes_comment_and_separator() {
    assert_eq!(edited(CLASS, "A.go", Operation::Delete), "export class A {\n  x = 1;\n\n  stop() {}\n}\n");
    assert_eq!(edited(CLASS, "A.x", Operation::Delete), CLASS.replace("  x = 1;\n\n", ""));
    assert_eq!(
        edited("// A note.\n// More.\nconst a = 1;\n\nconst b = 2;\n", "a", Operation::Delete),
        "const b = 2;\n"
    );
    assert_eq!(edited("const a = 1, b = 2;\n", "a", Operation::Delete), "const b = 2;\n");
    assert_eq!(edited("const a = 1, b = 2;\n", "b", Operation::Delete), "const a = 1;\n");
    assert_eq!(edited("const { a, b } = c;\n", "a", Operation::Delete), "const { b } = c;\n");
    assert_eq!(edited("const { a, b: { d } } = c;\n", "d", Operation::Delete), "const { a } = c;\n");
    assert_eq!(edited("const [a, b] = c;\n", "a", Operation::Delete), "const [, b] = c;\n");
    assert_eq!(edited("const [a, b] = c;\n", "b", Operation::Delete), "const [a] = c;\n");
    assert_eq!(
        edited("const o = {\n  a: 1,\n  b: 2 // two\n};\n", "o.b", Operation::Delete),
        "const o = {\n  a: 1\n};\n"
    );
    assert_eq!(edited("const o = { a: 1, b: 2 };", "o.a", Operation::Delete), "const o = { b: 2 };");
    assert_eq!(edited("const o = { a: 1 };", "o.a", Operation::Delete), "const o = {};");
    assert_eq!(edited("interface I { a: string; b: string }", "I.b", Operation::Delete), "interface I { a: string }");
    assert_eq!(edited("enum E {\n  A,\n  B\n}\n", "E.B", Operation::Delete), "enum E {\n  A\n}\n");
    assert_eq!(
        edited("class A { constructor(private a: B, c: D) {} }", "A.a", Operation::Delete),
        "class A { constructor(c: D) {} }"
    );
    assert_eq!(edited("a();\r\n\r\nfunction f() {}\r\n\r\nb();\r\n", "f", Operation::Delete), "a();\r\n\r\nb();\r\n");
    assert_eq!(refused("for (const x of y) {}", "x", Operation::Delete), FailureKind::Unsupported);
}

#[test]
fn delete_keeps_statements_apart() {
    let deleted = |text: &str| edited(text, "a", Operation::Delete);
    assert_eq!(deleted("f()\nconst a = 1;\n[1].map(f)\n"), "f()\n;[1].map(f)\n");
    assert_eq!(deleted("f()\nconst a = 1\n;[1].map(f)\n"), "f()\n;[1].map(f)\n");
    assert_eq!(deleted("const b = () => {}\nfunction a() {}\n(g)()\n"), "const b = () => {}\n;(g)()\n");
    assert_eq!(deleted("'use strict'\nfunction a() {}\n(g)()\n"), "'use strict'\n;(g)()\n");
    assert_eq!(deleted("if (x) f()\nfunction a() {}\n`${g}`\n"), "if (x) f()\n;`${g}`\n");
    assert_eq!(deleted("let b\nclass a {}\n+g\n-g\n"), "let b\n;+g\n-g\n");
    // Semicolons are added only where they are needed.
    for (text, result) in [
        ("f();\nconst a = 1;\n[1].map(f);\n", "f();\n[1].map(f);\n"),
        ("if (x) {}\nfunction a() {}\n(g)()\n", "if (x) {}\n(g)()\n"),
        ("function a() {}\n(g)()\n", "(g)()\n"),
        ("f()\nfunction a() {}\ng()\n", "f()\ng()\n"),
        ("f()\nconst a = 1, b = 2;\n[b].map(f)\n", "f()\nconst b = 2;\n[b].map(f)\n"),
    ] {
        assert_eq!(deleted(text), result);
    }
    let inner = |text: &str, address: &str| edited(text, address, Operation::Delete);
    assert_eq!(inner("class A {\n  b = 1\n  a;\n  [c] = 2\n}\n", "A.a"), "class A {\n  b = 1\n  ;[c] = 2\n}\n");
    assert_eq!(inner("class A {\n  b = 1\n  a;\n  *c() {}\n}\n", "A.a"), "class A {\n  b = 1\n  ;*c() {}\n}\n");
    assert_eq!(inner("class A {\n  b() {}\n  a;\n  [c] = 2\n}\n", "A.a"), "class A {\n  b() {}\n  [c] = 2\n}\n");
    assert_eq!(
        inner("function f() {\n  g()\n  function a() {}\n  (h)()\n}\n", "f.a"),
        "function f() {\n  g()\n  ;(h)()\n}\n"
    );
}

#[test]
fn new_statements_stay_apart_from_the_next() {
    let text = "function b() {}\n(g)()\nh()\n";
    assert_eq!(edited(text, "b", after("const a = 1")), "function b() {}\nconst a = 1\n;(g)()\nh()\n");
    assert_eq!(edited(text, "b", after("function a() {}")), "function b() {}\nfunction a() {}\n(g)()\nh()\n");
    assert_eq!(edited(text, "b", replace("const b = 1")), "const b = 1\n;(g)()\nh()\n");
    assert_eq!(edited(text, "b", replace("const b = () => {}")), "const b = () => {}\n;(g)()\nh()\n");
    let text = "const b = 1\nh()\n";
    assert_eq!(edited(text, "b", after("[1].map(h)")), "const b = 1\n;[1].map(h)\nh()\n");
    assert_eq!(edited(text, "b", after("// Why.\n[1].map(h)")), "const b = 1\n\n// Why.\n;[1].map(h)\n\nh()\n");
    assert_eq!(edited(text, "b", before("[1].map(h)")), "[1].map(h)\nconst b = 1\nh()\n");
    let class = "class A {\n  b() {}\n  [c] = 2\n}\n";
    assert_eq!(edited(class, "A.b", after("a = 1")), "class A {\n  b() {}\n  a = 1\n  ;[c] = 2\n}\n");
    assert_eq!(edited(class, "A.b", replace("b = 1")), "class A {\n  b = 1\n  ;[c] = 2\n}\n");
}

#[test]
fn wrap_adds_whole_lines() {
    assert_eq!(edited("const a = 1;\nb();\n", "a", wrap("if (c) {", "}")), "if (c) {\n  const a = 1;\n}\nb();\n");
    assert_eq!(
        edited("/** F. */\nfunction f() {\n  return `\nx`;\n}\n", "f", wrap("namespace N {", "}")),
        "namespace N {\n  /** F. */\n  function f() {\n    return `\nx`;\n  }\n}\n"
    );
    assert_eq!(
        edited("  const a = 1;\n", "a", wrap("// start\n", "\n// end")),
        "  // start\n  const a = 1;\n  // end\n"
    );
    assert_eq!(edited("a(); const b = 1; c();", "b", wrap("{ ", " }")), "a(); { const b = 1; } c();");
    assert_eq!(
        edited("const a = 1;\r\nb();\r\n", "a", wrap("if (c) {", "}")),
        "if (c) {\n  const a = 1;\n}\r\nb();\r\n"
    );
}

#[test]
fn edit_of_several_targets() {
    let text = "function f(a: 1): void;\nfunction f(a: 2): void;\nfunction f(a) {}\nf(1);\n";
    assert_eq!(edited(text, "f", Operation::Delete), "f(1);\n");
    assert_eq!(edited("const { a, b } = c;\nd();\n", "a", Operation::Delete), "const { b } = c;\nd();\n");
    let bench = ts("const { a, b } = c;\nd();\n");
    let nodes: Vec<u32> = ["a", "b"]
        .iter()
        .flat_map(|name| bench.nodes(TargetKind::Symbol, name).expect("found"))
        .map(|node| node.id)
        .collect();
    let edits = crate::operations::edit::edit(bench.document(), &nodes, &Operation::Delete, super::OPTIONS)
        .expect("both deletions");
    assert_eq!(marquetry_sdk::span::apply("const { a, b } = c;\nd();\n", &edits), "d();\n");
}

#[test]
fn edit_of_jsx_file() {
    let text = "export function App() {\n  const a = 1;\n  return (\n    <div>\n      {a} don't\n    </div>\n  );\n}\n";
    let after =
        open("a.jsx", text).edit(TargetKind::Symbol, "App", Operation::ReplaceBody("return <p>it's</p>;".to_owned()));
    assert_eq!(after.expect("the edits are accepted"), "export function App() {\n  return <p>it's</p>;\n}\n");
}

#[test]
fn insert_into_skips_arrow_parameters() {
    let last = |content: &str| insert_into(content, Position::Last);
    assert_eq!(edited("const { a } = x => [x];\n", "a", last("y")), "const { a } = x => [x, y];\n");
    assert_eq!(
        edited("const a = b((x) => ({ c: x }));\n", "a", last("d: x")),
        "const a = b((x) => ({ c: x, d: x }));\n"
    );
    assert_eq!(refused("let { a } = é => b;\n", "a", last("c")), FailureKind::Unsupported);
}

#[test]
fn wrap_refuses_nested_imports_and_exports() {
    let wrapped = |text: &str, symbol: &str, before: &str| {
        open("a.mts", text).edit(TargetKind::Symbol, symbol, wrap(before, "}"))
    };
    for text in [
        "export function f() {}\n",
        "export const f = 1;\n",
        "export default function f() {}\n",
        "declare const f: number;\n",
        "declare module \"f\" {}\nnamespace f {}\n",
        "namespace N { export const f = 1; }\n",
    ] {
        let symbol = if text.starts_with("namespace N") { "N.f" } else { "f" };
        assert_eq!(wrapped(text, symbol, "if (true) {").expect_err(text).kind, FailureKind::ParseError, "{text}");
        assert!(wrapped(text, symbol, "namespace M {").is_ok(), "{text}");
    }
    assert!(wrapped("function f() {}\nexport {};\n", "f", "if (true) {").is_ok());
    for content in ["export const a = 1;", "import a from 'a';", "declare let b;", "namespace N {}", "export {};"] {
        assert_eq!(refused("function f() {}\n", "f", replace_body(content)), FailureKind::ParseError);
        assert_eq!(
            refused("namespace M { function f() {} }\n", "M.f", insert_into(content, Position::Last)),
            FailureKind::ParseError
        );
    }
    // Existing errors do not prevent an edit.
    edited("function f() { export const a = 1; }\n", "f", after("export const b = 1;"));
}

#[test]
fn inserted_comment_is_directly_above() {
    assert_eq!(edited("a();\n\nfunction f() {\n}\n", "f", before("// note")), "a();\n\n// note\nfunction f() {\n}\n");
    assert_eq!(
        edited("const a = {\n  b: 1,\n};\n", "a.b", before("/** b */")),
        "const a = {\n  /** b */\n  b: 1,\n};\n"
    );
    assert_eq!(edited("const a = { b: 1 };\n", "a.b", before("/** b */")), "const a = { /** b */ b: 1 };\n");
    assert_eq!(
        edited("interface A {\n  b: 1;\n  c: 2;\n}\n", "A.b", before("/** b */")),
        "interface A {\n  /** b */\n  b: 1;\n  c: 2;\n}\n"
    );
    assert_eq!(
        edited("interface A {\n  b: 1;\n  c: 2;\n}\n", "A.b", after("// b")),
        "interface A {\n  b: 1;\n  // b\n  c: 2;\n}\n"
    );
    assert_eq!(
        edited("class A {\n  b = 1;\n}\n", "A.b", before("/**\n * b\n */")),
        "class A {\n  /**\n   * b\n   */\n  b = 1;\n}\n"
    );
}

#[test]
fn content_uses_indentation_of_the_file() {
    assert_eq!(
        edited("function f() {\n  a();\n}\n", "f", replace("function f() {\n    if (b) {\n        c();\n    }\n}")),
        "function f() {\n  if (b) {\n    c();\n  }\n}\n"
    );
    assert_eq!(
        edited("class A {\n\tm() {\n\t\ta();\n\t}\n}\n", "A.m", replace_body("if (b) {\n  c();\n}")),
        "class A {\n\tm() {\n\t\tif (b) {\n\t\t\tc();\n\t\t}\n\t}\n}\n"
    );
    assert_eq!(
        edited("function f() {\n  a();\n}\n", "f", after("function g() {\n    b(`\n        x`);\n}")),
        "function f() {\n  a();\n}\n\nfunction g() {\n  b(`\n        x`);\n}\n"
    );
}

#[test]
fn inserted_import_is_merged() {
    let text = "import a from 'a';\nimport { useState } from \"react\";\n\nf();\n";
    let joined = "import a from 'a';\nimport { useMemo, useState } from \"react\";\n\nf();\n";
    for operation in [
        insert_into("import { useMemo } from \"react\";", Position::Last),
        after("import { useMemo } from 'react'"),
        before("import { useMemo } from 'react';\n"),
    ] {
        assert_eq!(region(text, "imports", operation), joined);
    }
    assert_eq!(
        region(text, "imports", insert_into("import { useMemo } from 'react';\nimport b from 'b';", Position::Sorted)),
        "import a from 'a';\nimport b from 'b';\nimport { useMemo, useState } from \"react\";\n\nf();\n"
    );
}

#[test]
fn replaced_value_gets_needed_parentheses() {
    assert_eq!(edited("const a = b;\n", "a", replace_body("c, d")), "const a = (c, d);\n");
    assert_eq!(edited("const a = b;\n", "a", replace_body("c + d")), "const a = c + d;\n");
    assert_eq!(edited("const a = { b: 1 };\n", "a.b", replace_body("c, d")), "const a = { b: (c, d) };\n");
    assert_eq!(edited("class A { b = 1; }\n", "A.b", replace_body("x => x")), "class A { b = x => x; }\n");
}

#[test]
fn comment_is_inserted_into_empty_list() {
    let last = |content: &str| insert_into(content, Position::Last);
    assert_eq!(edited("interface A {}\n", "A", last("/** b */")), "interface A {\n  /** b */\n}\n");
    assert_eq!(edited("const a = [];\n", "a", last("// b")), "const a = [\n  // b\n];\n");
    assert_eq!(edited("function f() {}\n", "f", last("// b")), "function f() {\n  // b\n}\n");
}

#[test]
fn decorators_are_attached() {
    let method = |new: &str| CLASS.replace("  stop()", &format!("  {new}\n  stop()"));
    assert_eq!(edited(CLASS, "A.stop", before("@Get()")), method("@Get()"));
    assert_eq!(edited(CLASS, "A.stop", before("@Get({\n  a: 1,\n})\n@B")), method("@Get({\n    a: 1,\n  })\n  @B"));
    assert_eq!(edited(CLASS, "A.go", before("// why\n@Get()")), CLASS.replace("  go(", "  // why\n  @Get()\n  go("));
    assert_eq!(edited(CLASS, "A.x", before("@Input()")), CLASS.replace("  x =", "  @Input()\n  x ="));
    assert_eq!(edited(CLASS, "A", before("@Injectable()")), format!("@Injectable()\n{CLASS}"));
    let text = "import a from 'a';\n\n/** It. */\n@B()\nclass C {}\n";
    assert_eq!(edited(text, "C", before("@A")), text.replace("@B()", "@A\n@B()"));
    let local = "function f() {\n  class C {}\n}\n";
    assert_eq!(edited(local, "f.C", before("@A")), local.replace("class", "@A\n  class"));
    let whole = "@A class D {}";
    assert_eq!(edited("let a;\nclass C {}\n", "C", before(whole)), format!("let a;\n{whole}\nclass C {{}}\n"));
}
