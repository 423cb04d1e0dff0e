//! Tests of `convert_to_arrow`.

use crate::refactor::testing;

#[track_caller]
fn check(marked: &str, after: &str) {
    testing::assert_rewrite("convert_to_arrow", &[], marked, after);
}

#[track_caller]
fn refused(marked: &str, message: &str) {
    testing::assert_refused("convert_to_arrow", &[], marked, message);
}

#[test]
fn refuses_exported_function_in_import_cycle() {
    let cycle = [
        ("a.ts", "import { g } from './b';\nexport function ‸f() {}\ng();\n"),
        ("b.ts", "import { f } from './a';\nexport const g = () => f();\nf();\n"),
    ];
    let failure = testing::run_in_workspace("convert_to_arrow", &[], &cycle).expect_err("a refusal");
    assert_eq!(
        failure.message,
        "`b.ts` and this file import each other, so the function may be called before this file runs"
    );
    // Type imports do not exist at run time.
    let types = [
        ("a.ts", "import { g } from './b';\nexport function ‸f() {}\n"),
        ("b.ts", "import type { f } from './a';\nexport const g = 1;\n"),
    ];
    let after = testing::run_in_workspace("convert_to_arrow", &[], &types).expect("a rewrite");
    assert_eq!(after.texts["a.ts"], "import { g } from './b';\nexport const f = () => {};\n");
}

#[test]
fn function_expressions_lose_keyword_and_name() {
    check("f(‸function (a) { g(a); });", "f((a) => { g(a); });");
    check("f(function‸ name(a) { g(a); });", "f((a) => { g(a); });");
    check("f(«function () { return 1; }»);", "f(() => { return 1; });");
    check("f(‸async function /* c */ () {});", "f(async /* c */ () => {});");
    check("const o = { ‸f: function (this_: T): T { g(); } };", "const o = { f: (this_: T): T => { g(); } };");
    check("a || ‸function () {};", "a || (() => {});");
    check("(‸function () {})();", "(() => {})();");
    check("class C { f = ‸function () {} }", "class C { f = () => {} }");
    check("const f = ‸function <T>(t: T) {};", "const f = <T,>(t: T) => {};");
    check(
        "const f = ‸function () { return function () { return this; }; };",
        "const f = () => function () { return this; };",
    );
    check("const f = ‸function f(n) { return f(n - 1); };", "const f = (n) => f(n - 1);");
}

#[test]
fn body_with_single_return_becomes_expression() {
    check("const f = ‸function () {\n  return 42;\n};", "const f = () => 42;");
    check("‸const f = function () { return { a: 1 }; };", "const f = () => ({ a: 1 });");
    check("const ‸f = function () { return a, b; };", "const f = () => (a, b);");
    check("const f = ‸function () { return; };", "const f = () => { return; };");
    check("const f = ‸function () { // why\n  return 1; };", "const f = () => { // why\n  return 1; };");
    check("  const f = ‸function () {\n    return g(\n      a,\n    );\n  };", "  const f = () => g(\n    a,\n  );");
}

#[test]
fn bind_this_is_removed() {
    check("f(‸function () { this; }.bind(this));", "f(() => { this; });");
    check("f((‸function () { this; }).bind(this));", "f(() => { this; });");
    check("f(‸function () { this; }?.bind(this));", "f(() => { this; });");
    check("f(‸function () { this; }.bind(this, a));", "f((() => { this; }).bind(this, a));");
    check("f(‸function () {}.bind(this).bind(o));", "f((() => {}).bind(o));");
    check("f(‸function () {}.bind(o));", "f((() => {}).bind(o));");
    refused("f(‸function () { this; }.bind(o));", "`this` would have a different meaning in an arrow function");
    refused("f(‸function () {}.bind(/* why */ this));", "the comment in `.bind(this)` would be lost");
}

#[test]
fn declarations_become_variables() {
    check("‸function f(a: string): T { return 1; }\nf();", "const f = (a: string): T => { return 1; };\nf();");
    check("// why\nexport async function ‸f() {} // what", "// why\nexport const f = async () => {}; // what");
    check("function /* a */ ‸f /* b */ () {}", "const f = /* a */ /* b */ () => {};");
    check("‸function f() {}\nf = g;", "let f = () => {};\nf = g;");
    check("const a = 1\n‸function f() {}\nf()\n", "const a = 1\nconst f = () => {}\nf()\n");
    check("const a = 1\n‸function f() {}\n[a].map(f)\n", "const a = 1\nconst f = () => {};\n[a].map(f)\n");
    check("export default ‸function () {}", "export default () => {};");
    check("{\r\n\t‸function f() {\r\n\t}\r\n}", "{\r\n\tconst f = () => {\r\n\t};\r\n}");
}

#[test]
fn refuses_changes_of_meaning() {
    refused("const f = () => {‸};", "no function starts here");
    refused("const f = ‸() => {};", "the function is already an arrow function");
    refused("‸function* f() {}", "a generator cannot be an arrow function");
    refused("‸function f() { return arguments; }", "`arguments` would have a different meaning in an arrow function");
    refused("‸function f() { return () => this; }", "`this` would have a different meaning in an arrow function");
    refused("‸function f(a = new.target) {}", "`new.target` would have a different meaning in an arrow function");
    refused(
        "‸function f() { class A extends this.B {} }",
        "`this` would have a different meaning in an arrow function",
    );
    refused("‸function f(this: T) {}", "an arrow function cannot declare a `this` parameter");
    check("export { f };\n‸function f() {}", "export { f };\nconst f = () => {};");
    refused("f(); ‸function f() {}", "`f` is used before its declaration");
    refused("‸function f(a: 1): void;\nfunction f(a: 2) {}", "a function without a body cannot be an arrow function");
    refused("function f(a: 1): void;\n‸function f(a: any) {}", "`f` is declared more than once");
    refused("‸function F() {} new F();", "the function is used as a constructor, which an arrow function cannot be");
    refused(
        "const F = ‸function () {}; F.prototype.a = 1;",
        "the function is used as a constructor, which an arrow function cannot be",
    );
    refused(
        "f(‸function g() { g(); });",
        "the function calls itself by its name `g`, and arrow functions have no name",
    );
    refused("class A { ‸f() {} }", "a method cannot be an arrow function");
    refused("const a = { get ‸f() { return 1; } };", "a method cannot be an arrow function");
    refused("‸function f(a, a) {}", "two parameters are called `a`");
    refused("‸function f(a): asserts a {}", "an assertion function must be a function declaration");
    refused("export default ‸function f() {}", "a default export keeps its name only as a function declaration");
    refused("if (a) ‸function f() {}", "a variable cannot be declared here");
    refused("f(‸async function // c\n() {});", "the result would not be valid syntax");
}

#[test]
fn any_caret_gives_valid_syntax() {
    for text in testing::SAMPLES {
        testing::assert_valid_at_every_offset("convert_to_arrow", "a.tsx", text, &[]);
    }
}
