//! Tests of inlining variables and type aliases.

use crate::refactor::testing;

#[track_caller]
fn check(marked: &str, after: &str) {
    testing::assert_rewrite("inline_variable", &[], marked, after);
}

#[track_caller]
fn refused(marked: &str, message: &str) {
    testing::assert_refused("inline_variable", &[], marked, message);
}

#[test]
fn lost_narrowing_gives_warning() {
    let doubt = |marked: &str| {
        let (_, rewritten) = testing::run_refactoring("inline_variable", "a.ts", marked, &[]);
        rewritten.expect("a rewrite").incomplete
    };
    let told = "type narrowing of `b` by conditions may be lost";
    assert_eq!(doubt("export {};\nconst ‸b = a as B;\nif (b.c === 1) f(b.d);\n").as_deref(), Some(told));
    assert_eq!(doubt("export {};\nconst ‸b = a as B;\nf(b.c, b.d);\n"), None);
    assert_eq!(doubt("export {};\nconst ‸b = a.b;\nif (b.c === 1) f(b.d);\n"), None);
}

#[test]
fn initial_values_replace_uses() {
    check("const ‸a = 1;\nf(a);\n", "f(1);\n");
    check("const a = 1;\nf(‸a, a);\n", "f(1, 1);\n");
    check("let ‸a = 1 + 2;\nf(a * 3, a);\n", "f((1 + 2) * 3, 1 + 2);\n");
    check("const ‸a = (b);\nf(a);\n", "f(b);\n");
    check("const a = 1, ‸b = 2;\nf(a, b);\n", "const a = 1;\nf(a, 2);\n");
    check("const ‸a = 1;\nf({ a, b: a });\n", "f({ a: 1, b: 1 });\n");
    check("type ‸A = B | C;\nlet a: A[], b: A;\n", "let a: (B | C)[], b: B | C;\n");
    check("function f() {\n  const ‸a = b.c;\n  return a;\n}\n", "function f() {\n  return b.c;\n}\n");
    check("«const a = 1;»\nf(a);\n", "f(1);\n");
    check("const a = ‸'b';\nf(a);\n", "f('b');\n");
    check("const ‸a = f();\r\ng(a);\r\n", "g(f());\r\n");
}

#[test]
fn parentheses_depend_on_surrounding_expression() {
    check("const ‸a = 'b`c';\nf(`x${a}y`);\n", "f(`xb\\`cy`);\n");
    check("const ‸a = `b${c}`;\nf(`x${ a }y`);\n", "f(`xb${c}y`);\n");
    check("const ‸a = '{';\nf(`x$${a}y`);\n", "f(`x$${'{'}y`);\n");
    check("const ‸a = 'b';\nf(tag`x${a}y`);\n", "f(tag`x${'b'}y`);\n");
    check("const ‸a = <b />;\nf(<c>{a}</c>, <d e={a} />);\n", "f(<c><b /></c>, <d e={<b />} />);\n");
    check("const ‸A = b.C;\nf(<A></A>);\n", "f(<b.C></b.C>);\n");
    check("const ‸a: F = b => b;\ng(a);\n", "g((b => b) satisfies F);\n");
    check("const ‸a = 1;\nf(a.b, -a, a ** 2);\n", "f((1).b, -1, 1 ** 2);\n");
    check("const ‸a = {\n  b: 1\n};\nif (c) {\n  f(a);\n}\n", "if (c) {\n  f({\n    b: 1\n  });\n}\n");
}

#[test]
fn destructured_names_are_inlined() {
    check("const { ‸a } = b;\nf(a);\n", "f(b.a);\n");
    check("const { a: { ‸c } } = b ?? d;\nf(c);\n", "f((b ?? d).a.c);\n");
    check("const { ‸a, c } = b;\nf(a);\n", "const { c } = b;\nf(b.a);\n");
    check("const { 'a-b': ‸a } = b;\nf(a);\n", "f(b['a-b']);\n");
    check("const { [k]: ‸a } = b;\nf(a);\n", "f(b[k]);\n");
    check("const { ‸a: c } = b;\nf(c);\n", "f(b.a);\n");
    check("const ‸a = f();\ng(a?.b);\n", "g(f()?.b);\n");
    check("const [, ‸a] = b;\nf(a);\n", "f(b[1]);\n");
    check("const { ‸a, ...c } = b;\nf(a, c);\n", "const { a, ...c } = b;\nf(b.a, c);\n");
    refused("const { ‸a = 1 } = b;\nf(a);\n", "`a` has a default");
    refused("const { ...‸a } = b;\nf(a);\n", "`a` is a rest element of a pattern");
    refused(
        "const { ‸a, c } = b();\nf(a);\n",
        "the initial value of `a` has side effects that would happen more than once",
    );
}

#[test]
fn locals_of_exported_function_are_inlined() {
    check("export function f() {\n  const ‸a = 1;\n  return a;\n}\n", "export function f() {\n  return 1;\n}\n");
    check(
        "export const f = () => {\n  const ‸a = 1;\n  return a;\n};\n",
        "export const f = () => {\n  return 1;\n};\n",
    );
}

#[test]
fn comments_of_declaration_are_kept() {
    check("// why\nconst ‸a = 1;\nf(a);\n", "// why\nf(1);\n");
    check("/** What. */\nconst ‸a = 1;\nf(a);\n", "f(1);\n");
    check("const ‸a = 1; // why\nf(a);\n", "// why\nf(1);\n");
    check("const ‸a = /* b */ 1 /* c */ + 2;\nf(a);\n", "f(1 /* c */ + 2);\n");
}

#[test]
fn refuses_variables_that_cannot_be_inlined() {
    refused("export const ‸a = 1;\nf(a);\n", "`a` is exported");
    refused("const ‸a = 1;\nexport { a };\n", "`a` is exported");
    refused("let ‸a = 1;\na = 2;\nf(a);\n", "`a` is reassigned");
    refused("let ‸a;\nf(a);\n", "`a` has no initial value");
    refused("const ‸a = 1;\n", "`a` is never used");
    refused("const ‸a = () => a();\na();\n", "`a` refers to itself");
    refused("for (const ‸a of b) f(a);\n", "`a` is a loop variable");
    refused("function f(‸a) { return a; }\n", "`a` is a parameter");
    refused("const ‸a = 1;\ntype T = typeof a;\n", "`a` is used in a type");
    refused("type ‸A<T> = T[];\nlet a: A<B>;\n", "`A` has type parameters");
    refused("f(‸a);\n", "`a` is not declared in this file");
    refused("var ‸a = 1;\nvar a = 2;\nf(a);\n", "`a` is declared more than once");
    refused("if (b) { var ‸a = 1; }\nf(a);\n", "`a` is used where it may not be initialized yet");
    refused("f(a);\nvar ‸a = 1;\n", "`a` is used where it may not be initialized yet");
    refused("type ‸A = { a: 1 };\ninterface B extends A {}\n", "the result would not be valid syntax");
    refused("const ‸A = f();\ng(<A />);\n", "`A` is used as a JSX element name");
    refused("‸", "the caret is not on a variable or type alias");
}

#[test]
fn refuses_changes_of_meaning() {
    refused("const ‸a = b;\nfunction f(b) { return a; }\n", "`b` has a different meaning where `a` is used");
    refused("type ‸A = B;\nfunction f<B>(a: A) {}\n", "`B` has a different meaning where `A` is used");
    refused(
        "const ‸a = f();\ng(a, a);\n",
        "the initial value of `a` has side effects that would happen more than once",
    );
    refused(
        "const ‸a = f();\nif (b) g(a);\n",
        "the initial value of `a` has side effects that would happen at a different time",
    );
    refused(
        "const ‸a = f();\ng(() => a);\n",
        "the initial value of `a` has side effects that would happen at a different time",
    );
    refused("const ‸a = f();\nh();\ng(a);\n", "`h()` runs between the declaration of `a` and its use");
    refused("const ‸a = f();\ng(h(), a);\n", "`h()` runs between the declaration of `a` and its use");
    refused("const ‸a = [];\na.push(1);\nf(a);\n", "each use of `a` would create a new object");
    refused(
        "const ‸a = () => 1;\na.b = 2;\nf(a);\n",
        "a member of `a` is assigned, and each use would create a new object",
    );
    refused("const ‸a = {};\nf(k => a[k]);\n", "`a` would be a new object in each iteration or call");
    refused("let b = 1;\nconst ‸a = b;\nb = 2;\nf(a);\n", "`b` runs between the declaration of `a` and its use");
    refused(
        "let b = 1;\nconst ‸a = b;\nf(() => a);\nb = 2;\n",
        "the initial value of `a` may have changed when it is used",
    );
    refused(
        "const ‸a = this.b;\nfunction f() { return a; }\n",
        "`this` has a different value where the variable is used",
    );
    refused("const ‸a = b.length;\nb.push(1);\nf(a);\n", "`b.push(1)` runs between the declaration of `a` and its use");
    check("const ‸a = f();\nconst b = 1;\ng(b, a);\n", "const b = 1;\ng(b, f());\n");
    check("const ‸a = this.b;\nf(() => a);\n", "f(() => this.b);\n");
}

#[test]
fn any_selection_of_sample_texts_is_handled() {
    for sample in testing::SAMPLES {
        testing::assert_valid_at_every_offset("inline_variable", "a.tsx", sample, &[]);
    }
}

#[test]
fn inlined_method_call_does_not_get_this() {
    check("const ‸m = o.m;\nm(1);\n", "(0, o.m)(1);\n");
    check("const ‸m = o['m'];\nm(1);\n", "(0, o['m'])(1);\n");
    check("const ‸m = o.m;\nm`a`;\n", "(0, o.m)`a`;\n");
    check("const ‸m = o.m;\nf(m);\n", "f(o.m);\n");
    check("const ‸m = o.m;\nm.call(o);\n", "o.m.call(o);\n");
    // Functions that do not use `this`.
    check("import * as o from 'o';\nconst ‸m = o.m;\nm(1);\n", "import * as o from 'o';\no.m(1);\n");
    check("const ‸log = console.log;\nlog(1);\n", "console.log(1);\n");
}

#[test]
fn uses_at_the_start_of_a_line_do_not_continue_the_statement_above() {
    for (value, new) in [("async b => 1", "(async b => 1)"), ("[3, 4]", "[3, 4]"), ("/a/g", "/a/g"), ("`b`", "`b`")] {
        for (before, joined) in [
            ("export {}\nconst k = 0\n", true),
            ("export {}\nconst k = 0 // c\n", true),
            ("export {}\nconst k = 0\n// c\n", true),
            ("export {}\nk.l()\n\n", true),
            ("export {}\nconst k = 0;\n", false),
            ("export {}\nif (k) {}\n", false),
            ("export {}\nfunction k() {}\n", false),
        ] {
            let end = if joined { ";" } else { "" };
            check(&format!("{before}const ‸f = {value}\nf.then(g)\n"), &format!("{before}{end}{new}.then(g)\n"));
            // Within a function, each value gets parentheses.
            let new = format!("({})", new.trim_matches(['(', ')']));
            let block = |text: &str| format!("export {{}}\nfunction h() {{\n{text}}}\n");
            let before = before.replace("export {}\n", "");
            check(
                &block(&format!("{before}const ‸f = {value}\nf.then(g)\n")),
                &block(&format!("{before}{end}{new}.then(g)\n")),
            );
        }
    }
    check("export {}\nk()\nconst ‸f = <b />\nf\n", "export {}\nk()\n;<b />\n");
    check("export {}\nk()\nconst ‸f = [1] // c\nf.map(g)\n", "export {}\nk()\n// c\n;[1].map(g)\n");
    check(
        "switch (k) {\n  case 1:\n    k()\n    const ‸f = [1]\n    f.map(g)\n}\n",
        "switch (k) {\n  case 1:\n    k()\n    ;([1]).map(g)\n}\n",
    );
    check(
        "'use strict'\nexport {}\nconst k = 0\nconst a = 1, ‸f = [1]\nf.map(g)\n",
        "'use strict'\nexport {}\nconst k = 0\nconst a = 1\n;[1].map(g)\n",
    );
    check("export {}\nconst k = 0\nconst ‸f = -1\nf + k\n", "export {}\nconst k = 0\n;-1 + k\n");
}
