//! Tests of diagnostics and error recovery.

use marquetry_sdk::{Document, Severity, testing};

use super::{open, ts};
use crate::TypeScript;

#[test]
fn syntax_errors_have_position_and_message() {
    assert_eq!(ts("const a = ;\n").diagnostics(), ["1:11 unexpected token"]);
    assert_eq!(open("a.js", "let a;\nlet a;\n").diagnostics(), ["1:5 identifier `a` has already been declared"]);
    assert_eq!(ts("const a = 1;\n").diagnostics(), [""; 0]);
    assert_eq!(open("a.mjs", "with (a) {}\n").diagnostics().len(), 1);
    assert_eq!(open("a.js", "const a = <p>{b}</p>;\n").diagnostics(), [""; 0]);
    assert_eq!(open("a.cjs", "return;\n").diagnostics(), [""; 0]);
    assert_eq!(open("a.js", "/(/;\n").diagnostics().len(), 1);
}

#[test]
fn diagnostics_say_that_only_a_part_of_a_component_is_read() {
    for (path, text) in [
        ("a.vue", "<template><p>{{ a b }}</p></template>\n<script setup>\nconst a = 1;\n</script>\n"),
        ("a.svelte", "<script>\nlet a = 1;\n</script>\n<p>{a b}</p>\n"),
        ("a.astro", "---\nconst a = 1;\n---\n<p>{a b}</p>\n"),
    ] {
        let component = open(path, text);
        assert_eq!(component.diagnostics(), ["1:1 only a part of the component is read"], "{path}: {text}");
        let problems = component.document().diagnostics();
        assert!(component.document().parse_errors().iter().all(|error| problems.contains(error)), "{path}: {text}");
    }
}

#[test]
fn type_checker_errors_are_warnings() {
    let warnings = |text: &str| {
        let problems = ts(text).document().diagnostics();
        assert!(!problems.is_empty(), "{text}");
        assert!(problems.iter().all(|problem| problem.severity == Severity::Warning), "{text}: {problems:?}");
    };
    warnings("let a; let a;");
    warnings("function f(public x) {}");
    warnings("class A { m(); n() {} }");
    warnings("1 = 2;");
    warnings("f()++;");
    warnings("--this;");
    warnings("let [...a, b] = c;");
    warnings("function f(...a,) {}");
    warnings("class A { static prototype = 1; }");
    warnings("for ([\"\"] of a) {}");
    warnings("[...f()] = a;");
    warnings("1 /* a */ += b;");
    warnings("class A { #constructor = 1; }");
    warnings("if (a) const b = 1;");
    warnings("(f()) = a;");
    warnings("--(a + b);");
    warnings("enum E { #a }");
    warnings("const a;");
    warnings("/(?<a>.)(?<a>.)/;");
    warnings("import a from 'b' with { type: c };");
    warnings("function f() { export const a = 1; }");
    warnings("{ declare const a: number; }");
    let errors = |text: &str| {
        let problems = ts(text).document().diagnostics();
        assert!(problems.iter().any(|problem| problem.severity == Severity::Error), "{text}: {problems:?}");
    };
    errors("const a = ;");
    errors("let class = 1;");
    errors("f(,);");
    errors("a = 'b");
    errors("let a b;");
    errors("class A { m(#a) {} }");
    errors("class A { var b = 1; }");
    errors("a = { ...*b };");
    errors("'\\1';\nexport {};");
    let octal = ts("const a = 017;").document().diagnostics();
    assert!(octal.iter().any(|problem| problem.severity == Severity::Error), "{octal:?}");
}

/// Checks that the names are still found in a text with syntax errors.
#[track_caller]
fn check_symbols_survive(text: &str, names: &[&str]) {
    let bench = ts(text);
    assert!(!bench.diagnostics().is_empty(), "no diagnostics for {text}");
    let outline = bench.outline();
    for name in names {
        assert!(outline.lines().any(|line| line.ends_with(&format!(" @{name}"))), "`{name}` is not in\n{outline}");
    }
}

#[test]
fn file_with_syntax_errors_keeps_its_symbols() {
    check_symbols_survive("const a = ;\nfunction f() {}\nclass B { m() {} }\n", &["a", "f", "B.m"]);
    check_symbols_survive("function f() {\n  if (a {\n    b();\n  }\n}\n\nfunction g() {}\n", &["f", "g"]);
    check_symbols_survive(
        "function f() {\n  if (a) {\n    b();\n}\n\nexport function g() {}\n\nclass C {}\n",
        &["f", "g", "C"],
    );
    check_symbols_survive("class A {\n  m() { return 1; }\n  n( { }\n  o() {}\n}\nconst z = 1;\n", &["A", "A.m", "z"]);
    check_symbols_survive("const a = 1;\n}\nconst b = 2;\n", &["a", "b"]);
    check_symbols_survive(
        "<<<<<<< HEAD\nconst a = 1;\n=======\nconst a = 2;\n>>>>>>> other\nfunction f() {}\n",
        &["f"],
    );
    check_symbols_survive("export function\nclass C { m() {} }\n", &["C", "C.m"]);
    check_symbols_survive("class A {\n  m() {", &["A", "A.m"]);
    check_symbols_survive("const a = `unfinished\nfunction f() {}\n", &[]);
    check_symbols_survive("import { a from 'b';\nexport const c = 1;\n", &["c"]);
    check_symbols_survive("const x = {\n  a: 1\n  b: 2,\n};\nfunction f() {}\n", &["x", "f"]);
    let path = "describe('a', () => {\n  b();\n  .module.exports.c = function () {};\n});\n";
    check_symbols_survive(path, &["\"a\""]);
    testing::check_laws::<TypeScript>("a.ts", path);
}

#[test]
fn deep_nesting_is_reported_not_parsed() {
    for (piece, times) in
        [("(", 100_000), ("{", 100_000), ("a?b:", 50_000), ("class A { m() {", 20_000), ("`${", 50_000), ("!", 500_000)]
    {
        let bench = ts(&piece.repeat(times));
        assert_eq!(bench.document().diagnostics()[0].message, "nested too deeply", "{piece}");
        assert_eq!(bench.outline(), "");
    }
    assert!(!open("a.tsx", &"<a>".repeat(50_000)).diagnostics().is_empty());
}
