//! Tests of inlining functions, in the same file and in importers.

use marquetry_sdk::refactor::Refactors as _;
use marquetry_sdk::span::apply;
use marquetry_sdk::workspace;

use crate::refactor::testing;
use crate::{TypeScript, TypeScriptDocument};

#[track_caller]
fn check(marked: &str, after: &str) {
    testing::assert_rewrite("inline_function", &[], marked, after);
}

#[track_caller]
fn refused(marked: &str, message: &str) {
    testing::assert_refused("inline_function", &[], marked, message);
}

#[test]
fn returned_values_replace_calls() {
    check("function ‸f() { return 1; }\ng(f());\n", "g(1);\n");
    check("function f() { return 1; }\ng(‸f());\n", "g(1);\n");
    check("function ‸f(a, b) { return a + b; }\ng(f(1, 2) * 3);\n", "g((1 + 2) * 3);\n");
    check("function ‸f(a) { return a * 2; }\ng(f(b + 1));\n", "g((b + 1) * 2);\n");
    check("const ‸f = (a) => a.b;\ng(f(c));\n", "g(c.b);\n");
    check("const ‸f = a => ({ a });\ng(f(1));\n", "g({ a: 1 });\n");
    check("function ‸f(a = 1) { return a; }\ng(f(), f(2));\n", "g(1, 2);\n");
    check("function ‸f(a) { return a; }\ng(f());\n", "g(undefined);\n");
    check("function ‸f(...a) { return a; }\ng(f(1, 2));\n", "g([1, 2]);\n");
    check("function ‸f({ a, ...b }) { return [a, b]; }\ng(f({ a: 1, c: 2 }));\n", "g([1, { c: 2 }]);\n");
    check("function ‸f({ a: [b] }) { return b; }\ng(f(c.d));\n", "g(c.d.a[0]);\n");
    check("function ‸f() { return 1; }\nconst g = f;\n", "const g = function() { return 1; };\n");
}

#[test]
fn body_statements_replace_calls() {
    check("function ‸f(a) {\n  g(a);\n  h();\n}\n\nif (b) {\n  f(1);\n}\n", "if (b) {\n  g(1);\n  h();\n}\n");
    check("function ‸f() {\n  // why\n  g();\n}\n\nf();\n", "// why\ng();\n");
    check("function ‸f() {\n  // why\n  return 1;\n}\n\ng(f());\n", "// why\ng(1);\n");
    check("function ‸f() {\n  g();\n  return h();\n}\n\nf();\n", "g();\nh();\n");
    check("function ‸f() {\n  g();\n  return 1;\n}\n\nf();\n", "g();\n");
    check(
        "function ‸f() {\n  g();\n  return 1;\n}\n\nfunction h() {\n  return f();\n}\n",
        "function h() {\n  g();\n  return 1;\n}\n",
    );
    check("function ‸f() {\n  g();\n  h();\n}\n\nif (a) f();\n", "if (a) {\n  g();\n  h();\n}\n");
    check(
        "function ‸f() {\n  const a = g();\n  h(a);\n}\n\nf();\nf();\n",
        "{\n  const a = g();\n  h(a);\n}\n{\n  const a = g();\n  h(a);\n}\n",
    );
    check("function ‸f() {\n  g();\n}\n\nconst h = () => f();\n", "const h = () => {\n  g();\n};\n");
    // A method of `console` returns `undefined`, as the function does.
    check("function ‸f(a) {\n  console.log(a);\n}\n\nconst h = () => f(1);\n", "const h = () => console.log(1);\n");
    check(
        "import { console } from 'a';\nfunction ‸f() {\n  console.log(1);\n}\nconst h = () => f();\n",
        "import { console } from 'a';\nconst h = () => {\n  console.log(1);\n};\n",
    );
}

#[test]
fn refuses_functions_that_cannot_be_inlined() {
    refused("function ‸f(a) { if (a) return 1; return 2; }\ng(f());\n", "the function has several `return` statements");
    refused("function ‸f() { g(); }\nh(f());\n", "the value of the call is used, but the function returns nothing");
    refused("function ‸f() { g(); return 1; }\nh(f());\n", "the function does more than return a value");
    refused("function ‸f() { return f(); }\ng(f());\n", "the function calls itself");
    refused("function ‸f() { return 1; }\n", "`f` is never called");
    refused("async function ‸f() { return 1; }\ng(f());\n", "the function is async");
    refused("function ‸f() { return this; }\ng(f());\n", "`this` would have a different meaning in the calling code");
    refused("function ‸f(a) { a = 1; return a; }\ng(f());\n", "`a` is reassigned in the function");
    refused("function ‸f<T>(a) { return a as T; }\ng(f(1));\n", "the body uses the type parameter `T`");
    refused("function ‸f() { return 1; }\ntype T = typeof f;\n", "the function is used in a type");
    refused("function ‸f() { return 1; }\nnew f();\n", "the function is used as a constructor");
    refused("function ‸f(a) { return a; }\ng(f(...b));\n", "a call has a spread argument");
    refused("function ‸f(a) { return a; }\ng(f(f(1)));\n", "calls of the function are nested");
    refused("namespace N { export function ‸f() { return 1; } f(); }\n", "the namespace exports the function");
    refused("v‸ar f = () => 1;\nf = g;\n", "the function has no fixed name");
    refused("function ‸f() {}\nf.a = 1;\n", "a member of the function is used");
    refused("const ‸f = 1;\nf();\n", "`f` is not a function with a body in this file");
}

#[test]
fn refuses_changes_of_meaning() {
    refused(
        "function ‸f(a) { return a + a; }\ng(f(h()));\n",
        "an argument has side effects that would happen more than once or not at all",
    );
    refused(
        "function ‸f(a) { return 1; }\ng(f(h()));\n",
        "an argument has side effects that would happen more than once or not at all",
    );
    refused(
        "function ‸f(a) { return b && a; }\ng(f(h()));\n",
        "an argument has side effects that would happen at a different time",
    );
    refused(
        "function ‸f(a, b) { return b + a; }\ng(f(h(), i()));\n",
        "an argument has side effects that would happen at a different time",
    );
    refused(
        "const b = 1;\nfunction ‸f() { return b; }\nfunction g(b) { return f(); }\n",
        "`b` has a different meaning where the function is called",
    );
    refused("function ‸f(a) { const b = 1; g(a, b); }\nf(b);\n", "`b` has a different meaning in the function");
    refused(
        "function ‸f(a = 1) { return a; }\ng(f(b));\n",
        "whether the default is used depends on the value of an argument",
    );
    check("function ‸f(a) { return g(a); }\nh(f(i()));\n", "h(g(i()));\n");
}

/// Returns the text of `a.ts` after inlining in `b.ts`, the number of unresolved uses, and why it may be incomplete.
fn in_importer(exporter: &str, importer: &str) -> (String, usize, Option<String>) {
    let text = exporter.replace('‸', "");
    let files = [("b.ts", text), ("a.ts", importer.to_owned())];
    workspace::set_files(files.map(|(path, text)| (path.to_owned(), text)));
    let (_, rewritten) = testing::run_refactoring("inline_function", "b.ts", exporter, &[]);
    let rewrite = rewritten.expect("a rewrite");
    let question = rewrite.ask.first().expect("a question");
    let document = TypeScriptDocument::open("a.ts", importer.to_owned());
    let answer = TypeScript::answer(&document, "b.ts", &question.payload).expect("an answer");
    (apply(importer, &answer.edits), answer.unresolved.len(), answer.incomplete)
}

#[test]
fn calls_in_importers_are_inlined() {
    let exporter = "export function ‸f(a: number) { return a * 2; }\n";
    let (after, left, incomplete) = in_importer(exporter, "import { f, g } from './b';\ng(f(1 + 1));\n");
    assert_eq!((after.as_str(), left), ("import { g } from './b';\ng((1 + 1) * 2);\n", 0));
    assert_eq!(incomplete, None);
    let (after, left, incomplete) = in_importer(exporter, "import { f as h } from './b';\nh(1);\n");
    assert_eq!((after.as_str(), left), ("import { f as h } from './b';\n1 * 2;\n", 0));
    assert!(incomplete.is_some_and(|why| why.contains("the import of `h` was kept")));
    let (after, left, _) = in_importer(exporter, "import { f, g } from './b';\ng(f, f(1));\n");
    assert_eq!((after.as_str(), left), ("import { f, g } from './b';\ng(f, 1 * 2);\n", 1));
}

#[test]
fn calls_in_importers_without_needed_names_are_unresolved() {
    let exporter = "const b = 1;\nexport function ‸f() { return b; }\n";
    let importer = "import { f, g } from './b';\ng(f());\n";
    let (after, left, _) = in_importer(exporter, importer);
    assert_eq!((after.as_str(), left), (importer, 1));
}

#[test]
fn exported_functions_are_kept() {
    let (text, rewritten) =
        testing::run_refactoring("inline_function", "b.ts", "export function ‸f() { return 1; }\ng(f());\n", &[]);
    let rewrite = rewritten.expect("a rewrite");
    assert_eq!(apply(&text, &rewrite.edits), "export function f() { return 1; }\ng(1);\n");
    assert!(rewrite.incomplete.is_some_and(|why| why.starts_with("`f` is exported and was kept")));
}

#[test]
fn any_selection_of_sample_texts_is_handled() {
    for sample in testing::SAMPLES {
        testing::assert_valid_at_every_offset("inline_function", "a.tsx", sample, &[]);
    }
}

#[test]
fn inlined_statements_are_separated_from_the_code_around_them() {
    let two = "export {};\nfunction ‸v(m) { log(m); n++ }\n";
    check(
        &format!("{two}v('a'); if (n) v('b'); else v('c')\n"),
        "export {};\nlog('a'); n++; if (n) {\n    log('b'); n++\n} else {\n    log('c'); n++\n}\n",
    );
    check(&format!("{two}v(1); v(2); n()\n"), "export {};\nlog(1); n++; log(2); n++; n()\n");
    check(&format!("{two}for (;;) v(1); n()\n"), "export {};\nfor (;;) {\n    log(1); n++\n} n()\n");
    let one = "export {};\nfunction ‸v(m) { n = m }\n";
    check(&format!("{one}if (n) v('b'); else v('c')\n"), "export {};\nif (n) n = 'b'; else n = 'c'\n");
    check(&format!("{one}do v('b'); while (n)\n"), "export {};\ndo n = 'b'; while (n)\n");
    check(&format!("{one}v(1); n(2)\n"), "export {};\nn = 1; n(2)\n");
    check(
        &format!("{one}if (a) {{ v(1) }} else v(2)\n"),
        "export {};\nif (a) {{ n = 1 }} else n = 2\n".replace("{{", "{").replace("}}", "}").as_str(),
    );
    let open = "export {}\nconst k = 0\nfunction ‸v(m) {\n  [m].map(n)\n}\n";
    check(&format!("{open}v(1)\nn()\n"), "export {}\nconst k = 0\n;[1].map(n)\nn()\n");
    check("export {}\nconst k = 0\nconst ‸v = m => [m]\nv(1).map(n)\n", "export {}\nconst k = 0\n;[1].map(n)\n");
}

#[test]
fn functions_of_commonjs_modules_are_not_global() {
    for text in [
        "const ‸one = () => 1\nmodule.exports = { two: () => one() + one() }\n",
        "const ‸one = () => 1\nexports.two = () => one() + one()\n",
        "const f = require('f')\nconst ‸one = () => 1\nf(one())\n",
    ] {
        for id in ["inline_function", "inline_variable"] {
            let text = if id == "inline_variable" {
                text.replace("() => 1", "1").replace("one()", "one")
            } else {
                text.to_owned()
            };
            for (path, is_complete) in [("a.js", true), ("a.cjs", true), ("a.ts", false)] {
                let (_, rewritten) = testing::run_refactoring(id, path, &text, &[]);
                let incomplete = rewritten.expect("a rewrite").incomplete;
                assert_eq!(incomplete.is_none(), is_complete, "{id} {path} {incomplete:?}\n{text}");
            }
        }
    }
}
