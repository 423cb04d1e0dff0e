//! Tests of changing parameters, and their calls.

use crate::refactor::testing;

const ID: &str = super::ID;

#[track_caller]
fn check(parameters: &str, marked: &str, after: &str) {
    testing::assert_rewrite(ID, &[("parameters", parameters)], marked, after);
}

#[track_caller]
fn refused(parameters: &str, marked: &str, message: &str) {
    testing::assert_refused(ID, &[("parameters", parameters)], marked, message);
}

/// Asserts the text of an importer after the parameters of `f` in `a.ts` change.
#[track_caller]
fn importer(parameters: &str, marked: &str, before: &str, after: &str) {
    let files = testing::run_in_workspace(ID, &[("parameters", parameters)], &[("a.ts", marked), ("b.tsx", before)]);
    assert_eq!(files.unwrap_or_else(|failure| panic!("{before}\n{failure:?}")).texts["b.tsx"], after, "{before}");
}

#[test]
fn parameters_are_reordered() {
    check(
        r#"["b", "a"]"#,
        "function ‸f(a: A, b = 1) { return a; }\nf(x, 2);",
        "function f(b = 1, a: A) { return a; }\nf(2, x);",
    );
    check(r#"["b", "a"]"#, "const f = (a, b) => a + b;\n‸f(1, 2);", "const f = (b, a) => a + b;\nf(2, 1);");
    check(
        r#"["c", "a", "b"]"#,
        "function ‸f(a, b, c, ...d) {}\nf(1);\nf(1, 2, 3, 4);",
        "function f(c, a, b) {}\nf(undefined, 1);\nf(3, 1, 2);",
    );
    check(
        r#"["b", "a", "...c"]"#,
        "function ‸f(a, b, ...c) {}\nf(1, 2, 3, ...x);",
        "function f(b, a, ...c) {}\nf(2, 1, 3, ...x);",
    );
    check(r#"["b", "a"]"#, "function ‸f(a, b) {}\nf(f(1, 2), 3);", "function f(b, a) {}\nf(3, f(2, 1));");
    check(r#"["{ x }", "a"]"#, "function ‸f(a, {x}) {}\nf(1, o);", "function f({x}, a) {}\nf(o, 1);");
    check(
        r#"["b", "a"]"#,
        "function ‸f(/* 1 */ a, b /* 2 */) {}\nf(1 /* one */, /* two */ 2);",
        "function f(b /* 2 */, /* 1 */ a) {}\nf(/* two */ 2, 1 /* one */);",
    );
}

#[test]
fn parameters_are_added() {
    check(
        r#"["a", {"name": "b", "type": "string", "value": "''"}]"#,
        "function ‸f(a: A) {}\nf(1);\nf?.(1);",
        "function f(a: A, b: string) {}\nf(1, '');\nf?.(1, '');",
    );
    check(r#"["a", {"name": "b", "default": "2"}]"#, "function ‸f(a) {}\nf(1);", "function f(a, b = 2) {}\nf(1);");
    check(
        r#"[{"name": "b", "default": "2"}, "a"]"#,
        "function ‸f(a) {}\nf(1);\nf();",
        "function f(b = 2, a) {}\nf(undefined, 1);\nf();",
    );
    check(r#"[{"name": "b", "optional": true, "type": "B"}]"#, "function ‸f() {}\nf();", "function f(b?: B) {}\nf();");
    check(r#"["a", {"name": "b", "value": "g()"}]"#, "const ‸f = a => a;\nf(1)", "const f = (a, b) => a;\nf(1, g())");
    check(r#"[{"name": "b", "value": "1"}]"#, "function ‸f(this: T) {}\nf();", "function f(this: T, b) {}\nf(1);");
    check(
        r#"["a", {"name": "b", "value": "1"}]"#,
        "function ‸f(\r\n  a,\r\n) {}\r\nf(\r\n  x,\r\n);",
        "function f(\r\n  a,\r\n  b,\r\n) {}\r\nf(\r\n  x,\r\n  1,\r\n);",
    );
}

#[test]
fn parameters_are_removed() {
    check(r#"["b"]"#, "function ‸f(a, b) { b; }\nf(1, 2);\nf(1);", "function f(b) { b; }\nf(2);\nf();");
    check("[]", "function ‸f(a, b) {}\nf(1, x.y,);", "function f() {}\nf();");
    check("[]", "const f = ‸a => 1;\nf(1);", "const f = () => 1;\nf();");
    check(
        r#"["a"]"#,
        "class C { ‸m(a, b) {} n() { this.m(1, 2); } }\nnew C().m(1, 2);",
        "class C { m(a) {} n() { this.m(1); } }\nnew C().m(1);",
    );
    check(r#"["a"]"#, "class C { #m(‸a, b) {} n() { this.#m(1, 2); } }", "class C { #m(a) {} n() { this.#m(1); } }");
}

#[test]
fn importers_are_updated() {
    let f = "export function ‸f(a, b) {}";
    importer(r#"["b", "a"]"#, f, "import { f } from './a';\nf(1, 2);\n", "import { f } from './a';\nf(2, 1);\n");
    importer(
        r#"["b", "a"]"#,
        f,
        "import { f as g } from './a';\ng(1, 2);\n",
        "import { f as g } from './a';\ng(2, 1);\n",
    );
    importer(r#"["b", "a"]"#, f, "import * as n from './a';\nn.f(1, 2);\n", "import * as n from './a';\nn.f(2, 1);\n");
    importer(r#"["b", "a"]"#, f, "function f(a) {}\nf(1, 2);\n", "function f(a) {}\nf(1, 2);\n");
    importer(
        r#"["b", "a"]"#,
        "export default function ‸f(a, b) {}",
        "import g from './a';\ng(1, 2);\n",
        "import g from './a';\ng(2, 1);\n",
    );
    importer(
        r#"["a", {"name": "c", "value": "null"}]"#,
        f,
        "import { f } from './a';\nf(1, 2);\n",
        "import { f } from './a';\nf(1, null);\n",
    );
    importer(
        "[]",
        "export class C { ‸m(a) {} }",
        "import { C } from './a';\nnew C().m(1);\nclass D { m(a) {} }\nnew D().m(2);\n",
        "import { C } from './a';\nnew C().m();\nclass D { m(a) {} }\nnew D().m(2);\n",
    );
    let passed_on = testing::run_in_workspace(
        ID,
        &[("parameters", r#"["b", "a"]"#)],
        &[("a.ts", f), ("b.ts", "export { f as g } from './a';\n"), ("c.ts", "import { g } from './b';\ng(1, 2);\n")],
    );
    assert_eq!(passed_on.expect("updated files").texts["c.ts"], "import { g } from './b';\ng(2, 1);\n");
}

#[test]
fn refuses_calls_that_cannot_be_updated() {
    let swap = r#"["b", "a"]"#;
    refused(swap, "function ‸f(a, b) {}\nf(...x);", "the spread argument fills parameters that would change");
    refused(
        swap,
        "function ‸f(a, b) {}\nlist.map(f);",
        "the function is used as a value here, so its callers are unknown",
    );
    refused(
        swap,
        "function ‸f(a, b) {}\nf.call(o, 1, 2);",
        "the function is used as a value here, so its callers are unknown",
    );
    refused(
        swap,
        "function ‸F(a, b) {}\n<F a={1} />;",
        "the function is used as a value here, so its callers are unknown",
    );
    refused(swap, "function ‸f(a, b) {}\nf(g(), h());", "the order of evaluation of the arguments would change");
    refused("[]", "function ‸f(a) {}\nf(g());", "the argument has side effects and would no longer be evaluated");
    refused("[]", "function ‸f(a) { a; }", "the parameter `a` is used");
    refused(swap, "function ‸f(a, b = a) {}", "a default would read `a` before it is initialized");
    refused(swap, "function ‸f(a, b?: B) {}", "a required parameter would follow an optional one");
    refused(swap, "function ‸f(a, b) { arguments[0]; }", "the function uses `arguments`");
    refused(
        swap,
        "function f(a: 1, b: 2): void;\nfunction ‸f(a: any, b: any) {}",
        "`f` has several declarations (overloads or overrides)",
    );
    refused(
        swap,
        "class A { ‸m(a: 1, b: 2): void; m(a: any, b: any) {} }",
        "`m` has several declarations (overloads or overrides)",
    );
    refused(
        swap,
        "class A { ‸m(a, b) {} } class B extends A { m(a) {} }",
        "a declaration of the same method has other parameters",
    );
    refused(
        swap,
        "interface A { ‸m(a: 1, b: 2): void } const a: A = { m: f };",
        "`m` is declared here, but not as a function or method",
    );
    refused(
        "[]",
        "interface A { ‸m(a: 1): void } class B implements A { m(a: 1) { a; } }",
        "the parameter `a` is used",
    );
    refused(
        r#"["a", {"name": "c", "default": "1"}]"#,
        "interface A { ‸m(a: 1): void } class B implements A { m(a: 1) {} }",
        "a declaration without a body cannot have a default",
    );
    refused(swap, "class A { ‸constructor(a, b) {} }", "constructors, getters and setters are not called by name");
    refused(swap, "const ‸f: F = (a, b) => {};", "the type annotation of the variable declares the parameters");
    refused(
        r#"["a", {"name": "c", "value": "1"}]"#,
        "function ‸f(a) { return c; }",
        "`c` has a different meaning in the function",
    );
    let value = [("parameters", r#"["a", {"name": "b", "value": "own"}]"#)];
    let files =
        [("a.ts", "const own = 1;\nexport function ‸f(a) {}\nf(1);"), ("b.ts", "import { f } from './a';\nf(1);\n")];
    let failure = testing::run_in_workspace(ID, &value, &files).expect_err("refused");
    assert_eq!(failure.message, "`own` in the new value has a different meaning or none in this file");
}

#[test]
fn invalid_parameters_are_reported() {
    let text = "function ‸f(a, b) {}";
    refused("a, b", text, "`parameters` is not a JSON array");
    refused(r#"["c"]"#, text, "the function has no parameter `c`");
    refused(r#"["a", "a"]"#, text, "the same parameter is listed twice");
    refused(r#"["a", "b"]"#, text, "the function already has these parameters");
    refused(r#"[1]"#, text, "each parameter must be a name or an object");
    refused(r#"[{"name": "c"}]"#, text, "existing calls have no argument for `c`");
    refused(r#"[{"name": "c", "value": "1, 2"}]"#, text, "the `value` of `c` is not an expression: `1, 2`");
    refused(r#"[{"name": "c", "value": "1", "type": "a b"}]"#, text, "the `type` of `c` is not a type: `a b`");
    refused(r#"[{"name": "a", "value": "1"}]"#, text, "the function already has a parameter `a`");
    refused(r#"[{"name": "c", "kind": "1"}]"#, text, "unknown property `kind` of a new parameter");
    testing::assert_refused(ID, &[], text, "`change_signature` needs `parameters`");
}

#[test]
fn any_caret_gives_valid_syntax() {
    for text in testing::SAMPLES {
        for parameters in ["[]", r#"[{"name": "fresh", "value": "1"}]"#] {
            testing::assert_valid_at_every_offset(ID, "a.tsx", text, &[("parameters", parameters)]);
        }
    }
}

#[test]
fn calls_through_commonjs_exports_are_updated() {
    let calls = |exporter: &str, before: &str, after: &str| {
        let exporter = format!("function ‸f(a, b) {{}}\n{exporter}\n");
        let files = [("a.js", exporter.as_str()), ("b.js", before)];
        let done = testing::run_in_workspace(ID, &[("parameters", r#"["b", "a"]"#)], &files);
        let done = done.unwrap_or_else(|failure| panic!("{exporter}{before}{failure:?}"));
        assert_eq!(done.texts["b.js"], after, "{exporter}");
        assert_eq!(done.unresolved, [""; 0], "{exporter}{before}");
    };
    for exporter in ["module.exports = { f };", "exports.f = f;", "Object.assign(module.exports, { f });"] {
        calls(exporter, "const { f } = require('./a');\nf(1, 2);\n", "const { f } = require('./a');\nf(2, 1);\n");
        calls(exporter, "const { f: g } = require('./a');\ng(1, 2);\n", "const { f: g } = require('./a');\ng(2, 1);\n");
        calls(exporter, "const a = require('./a');\na.f(1, 2);\n", "const a = require('./a');\na.f(2, 1);\n");
        calls(exporter, "require('./a').f(1, 2);\n", "require('./a').f(2, 1);\n");
        calls(exporter, "const g = require('./a').f;\ng(1, 2);\n", "const g = require('./a').f;\ng(2, 1);\n");
        calls(exporter, "import { f } from './a';\nf(1, 2);\n", "import { f } from './a';\nf(2, 1);\n");
        calls(exporter, "import a from './a';\na.f(1, 2);\n", "import a from './a';\na.f(2, 1);\n");
    }
    let whole = "module.exports = f;";
    calls(whole, "const f = require('./a');\nf(1, 2);\n", "const f = require('./a');\nf(2, 1);\n");
    calls(whole, "require('./a')(1, 2);\n", "require('./a')(2, 1);\n");
    calls(whole, "import f from './a';\nf(1, 2);\n", "import f from './a';\nf(2, 1);\n");
}

#[test]
fn calls_through_reexports_of_required_modules_are_updated() {
    for middle in [
        "module.exports = require('./a');",
        "module.exports = { ...require('./a') };",
        "exports.f = require('./a').f;",
        "const { f } = require('./a');\nmodule.exports = { f };",
        "const a = require('./a');\nmodule.exports = { f: a.f };",
    ] {
        let files = [
            ("a.js", "function ‸f(a, b) {}\nmodule.exports = { f };\n"),
            ("b.js", middle),
            ("c.js", "const { f } = require('./b');\nf(1, 2);\n"),
        ];
        let done = testing::run_in_workspace(ID, &[("parameters", r#"["b", "a"]"#)], &files);
        let done = done.unwrap_or_else(|failure| panic!("{middle}\n{failure:?}"));
        assert_eq!(done.texts["c.js"], "const { f } = require('./b');\nf(2, 1);\n", "{middle}");
        assert_eq!(done.texts["b.js"], middle);
    }
}

#[test]
fn required_modules_that_are_used_as_values_are_reported() {
    let files = |user: &'static str| [("a.js", "function ‸f(a, b) {}\nmodule.exports = { f };\n"), ("b.js", user)];
    for (user, found) in [
        ("const a = require('./a');\nregister(a);\n", "b.js: a"),
        ("register(require('./a'));\n", "b.js: require('./a')"),
        ("const { g, ...rest } = require('./a');\nrest.f(1, 2);\n", "b.js: rest"),
        ("const a = require('./a');\na[name](1, 2);\n", "b.js: name"),
    ] {
        let done = testing::run_in_workspace(ID, &[("parameters", r#"["b", "a"]"#)], &files(user)).expect("a rewrite");
        assert_eq!(done.unresolved, [found], "{user}");
    }
}

#[test]
fn parameters_of_assigned_functions_are_changed() {
    let swap = r#"["b", "a"]"#;
    check(
        swap,
        "const ns = {};\nns.‸go = function (a, b) {};\nns.go(1, 2);",
        "const ns = {};\nns.go = function (b, a) {};\nns.go(2, 1);",
    );
    check(
        swap,
        "function F() {}\nF.prototype.m = function ‸m(a, b) {};\nnew F().m(1, 2);",
        "function F() {}\nF.prototype.m = function m(b, a) {};\nnew F().m(2, 1);",
    );
}

#[test]
fn calls_through_values_of_commonjs_modules_are_updated() {
    for (exporter, user, after) in [
        ("module.exports = function ‸g(a, b) { g(a, b); };", "require('./a')(1, 2);", "require('./a')(2, 1);"),
        (
            "module.exports = function ‸g(a, b) {};",
            "const f = require('./a');\nf(1, 2);",
            "const f = require('./a');\nf(2, 1);",
        ),
        (
            "exports[\"f\"] = function ‸f(a, b) {};",
            "const { f } = require('./a');\nf(1, 2);",
            "const { f } = require('./a');\nf(2, 1);",
        ),
        (
            "exports['f'] = (‸a, b) => {};",
            "const a = require('./a');\na.f(1, 2);",
            "const a = require('./a');\na.f(2, 1);",
        ),
        (
            "module.exports = class Solo { ‸go(a, b) {} };",
            "const Solo = require('./a');\nnew Solo().go(1, 2);",
            "const Solo = require('./a');\nnew Solo().go(2, 1);",
        ),
        (
            "class Solo { ‸go(a, b) {} }\nmodule.exports = Solo;",
            "const Solo = require('./a');\nnew Solo().go(1, 2);",
            "const Solo = require('./a');\nnew Solo().go(2, 1);",
        ),
        (
            "module.exports = { ‸go(a, b) {} };",
            "const a = require('./a');\na.go(1, 2);",
            "const a = require('./a');\na.go(2, 1);",
        ),
        (
            "export default class { ‸go(a, b) {} }",
            "import Solo from './a';\nnew Solo().go(1, 2);",
            "import Solo from './a';\nnew Solo().go(2, 1);",
        ),
    ] {
        let files = [("a.js", exporter), ("b.js", user)];
        let result = testing::run_in_workspace(ID, &[("parameters", r#"["b", "a"]"#)], &files);
        let texts = result.unwrap_or_else(|failure| panic!("{exporter}\n{failure:?}")).texts;
        assert_eq!(texts["b.js"], after, "{exporter}");
    }
}

#[test]
fn calls_by_the_own_name_of_a_function_expression_are_updated() {
    for name in ["const f =", "export const f =", "let f ="] {
        check(
            r#"["b", "a"]"#,
            &format!("{name} function g(‸a, b) {{ return b > 0 ? g(1, g(a, b)) : a; }};"),
            &format!("{name} function g(b, a) {{ return b > 0 ? g(g(b, a), 1) : a; }};"),
        );
    }
}

/// Asserts the texts of all files after the parameters `a` and `b` are swapped, and that the result is complete.
#[track_caller]
fn check_swapped(files: &[(&str, &str, &str)]) {
    let before: Vec<(&str, &str)> = files.iter().map(|(path, before, _)| (*path, *before)).collect();
    let done = testing::run_in_workspace(ID, &[("parameters", r#"["b", "a"]"#)], &before);
    let done = done.unwrap_or_else(|failure| panic!("{before:?}\n{failure:?}"));
    for (path, _, after) in files {
        assert_eq!(done.texts[*path], *after, "{path}");
    }
    assert_eq!((done.unresolved, done.incomplete), (Vec::new(), None), "{before:?}");
}

#[test]
fn members_are_changed_completely() {
    check_swapped(&[(
        "a.ts",
        "class S { ‸run(a: number, b: string) {} }\nnew S().run(1, 'x');\n",
        "class S { run(b: string, a: number) {} }\nnew S().run('x', 1);\n",
    )]);
    check_swapped(&[
        (
            "a.ts",
            "export class S { ‸run(a: number, b: string) {} }\nexport const s = new S();\n",
            "export class S { run(b: string, a: number) {} }\nexport const s = new S();\n",
        ),
        ("b.ts", "import { s } from './a';\nexport const t = s;\n", "import { s } from './a';\nexport const t = s;\n"),
        // Does not import the class.
        ("c.ts", "import { t } from './b';\nt.run(1, 'x');\n", "import { t } from './b';\nt.run('x', 1);\n"),
    ]);
    check_swapped(&[(
        "a.ts",
        "export const o = { ‸run(a: number, b: string) {} };\no.run(1, 'x');\n",
        "export const o = { run(b: string, a: number) {} };\no.run('x', 1);\n",
    )]);
}

#[test]
fn members_of_other_classes_are_kept() {
    let other = "export class T { run(a: number, b: string) {} }\nnew T().run(1, 'x');\n";
    let files = [("a.ts", "export class S { ‸run(a: number, b: string) {} }\n"), ("b.ts", other)];
    let done = testing::run_in_workspace(ID, &[("parameters", r#"["b", "a"]"#)], &files).expect("a rewrite");
    assert_eq!((done.texts["b.ts"].as_str(), done.incomplete), (other, None));
}

#[test]
fn declarations_of_one_method_are_changed_together() {
    for declared in [
        "interface I { ‸run(a: number, b: string): void }\nclass P implements I { run(a: number, b: string) {} }\n",
        "interface I { run(a: number, b: string): void }\nclass P implements I { ‸run(a: number, b: string) {} }\n",
        "interface I { ‸run: (a: number, b: string) => void }\nclass P implements I { run = (a: number, b: string) => {} }\n",
        "abstract class I { abstract ‸run(a: number, b: string): void }\nclass P extends I { run(a: number, b: string) {} }\n",
        "class I { run(a: number, b: string) {} }\nclass P extends I { ‸run(a: number, b: string) { super.run(a, b); } }\n",
    ] {
        let text = format!("{declared}const i: I = new P();\ni.run(1, 'x');\nnew P().run(1, 'x');\n");
        let after = text.replace('‸', "").replace("a: number, b: string", "b: string, a: number");
        let after = after.replace("(1, 'x')", "('x', 1)").replace("run(a, b)", "run(b, a)");
        check_swapped(&[("a.ts", &text, &after)]);
    }
    check_swapped(&[
        (
            "a.ts",
            "export interface I { ‸run(a: number, b: string): void }\n",
            "export interface I { run(b: string, a: number): void }\n",
        ),
        (
            "b.ts",
            "import { I } from './a';\nexport class P implements I { run(x: number, y: string) {} }\n",
            "import { I } from './a';\nexport class P implements I { run(y: string, x: number) {} }\n",
        ),
        (
            "c.ts",
            "import { P } from './b';\nclass Q extends P { run(a: number, b: string) {} }\nnew Q().run(1, 'x');\n",
            "import { P } from './b';\nclass Q extends P { run(b: string, a: number) {} }\nnew Q().run('x', 1);\n",
        ),
    ]);
}

#[test]
fn declarations_that_are_joined_in_other_files_are_reported() {
    let files = [
        ("a.ts", "export class P { ‸run(a: number, b: string) {} }\n"),
        ("j.ts", "export interface J { run(a: number, b: string): void }\n"),
        (
            "c.ts",
            "import { P } from './a';\nimport { J } from './j';\n\
             class D extends P implements J { run(a: number, b: string) {} }\n",
        ),
    ];
    let done = testing::run_in_workspace(ID, &[("parameters", r#"["b", "a"]"#)], &files).expect("a rewrite");
    assert_eq!(done.incomplete.as_deref(), Some("`run` is also declared in `j.ts`, which was not changed"));
}
