//! Tests of moving declarations to another file.

use crate::refactor::testing::{self, WorkspaceResult};

const ID: &str = super::ID;

#[track_caller]
fn moved(files: &[(&str, &str)]) -> WorkspaceResult {
    testing::run_in_workspace(ID, &[("destination", "b.ts")], files)
        .unwrap_or_else(|failure| panic!("{files:?}\n{failure:?}"))
}

/// Asserts the texts of `a.ts` and `b.ts` after the move.
#[track_caller]
fn check(a: &str, after_a: &str, after_b: &str) {
    let after = moved(&[("a.ts", a), ("x.ts", "export const x = 1, y = 2;\n")]);
    assert_eq!((after.texts["a.ts"].as_str(), after.texts["b.ts"].as_str()), (after_a, after_b), "{a}");
}

/// Asserts the text of `b.ts` after the move, if the file existed before.
#[track_caller]
fn arrives(a: &str, b: &str, after_b: &str) {
    let after = moved(&[("a.ts", a), ("b.ts", b), ("x.ts", "export const x = 1, y = 2;\n")]);
    assert_eq!(after.texts["b.ts"], after_b, "{a}");
}

/// Asserts the text of an importer after `f` is moved and `g` is not.
#[track_caller]
fn importer(before: &str, after: &str) {
    let a = "export function ‸f() {}\nexport function g() {}\n";
    let files = moved(&[("a.ts", a), ("lib/c.tsx", before)]);
    assert_eq!(files.texts["lib/c.tsx"], after, "{before}");
}

#[track_caller]
fn refused(files: &[(&str, &str)], message: &str) {
    match testing::run_in_workspace(ID, &[("destination", "b.ts")], files) {
        Ok(after) => panic!("{files:?}\nis not refused, but is\n{after:?}"),
        Err(failure) => assert_eq!(failure.message, message, "{files:?}"),
    }
}

#[test]
fn new_file_imports_what_it_uses() {
    check("export function ‸f() {}\n\nconst a = 1;\n", "const a = 1;\n", "export function f() {}\n");
    check(
        "import { x, y } from './x';\n\n// why\nfunction ‸f() { return x; } // what\n\ng(y);\n",
        "import { y } from './x';\n\ng(y);\n",
        "import { x } from './x';\n\n// why\nfunction f() { return x; } // what\n",
    );
    check(
        "import x, * as y from 'y';\nimport type { T } from 't';\n\nclass ‸C { a: T = x(y); }\n",
        "\n",
        "import x from 'y';\nimport * as y from 'y';\nimport type { T } from 't';\n\nclass C { a: T = x(y); }\n",
    );
    check(
        "const own = 1;\nconst shared = 2;\ntype T = 1;\nexport const ‸f = (): T => own + shared;\ng(shared);\n",
        "export const shared = 2;\ng(shared);\n",
        "import { shared } from './a';\n\nconst own = 1;\n\ntype T = 1;\nexport const f = (): T => own + shared;\n",
    );
    check("function ‸f() {}\nf();\n", "import { f } from './b';\n\nf();\n", "export function f() {}\n");
    check("interface ‸T {}\nlet a: T;\n", "import type { T } from './b';\n\nlet a: T;\n", "export interface T {}\n");
    check(
        "function ‸f(a: 1): void;\nfunction f(a: any) {}\ng();\n",
        "g();\n",
        "function f(a: 1): void;\nfunction f(a: any) {}\n",
    );
    check(
        "function f() {}\nexport { f as g };\nfunction ‸h() {}\n",
        "function f() {}\nexport { f as g };\n",
        "function h() {}\n",
    );
    check(
        "function ‸f() {}\nconst g = 1;\nexport { f, g };\n",
        "const g = 1;\nexport { g };\n",
        "export function f() {}\n",
    );
    check("«const a = 1;\nconst b = 2;\n»const c = 3;\n", "const c = 3;\n", "const a = 1;\nconst b = 2;\n");
}

#[test]
fn existing_file_receives_declarations() {
    arrives("export function ‸f() {}\n", "const b = 1;\n", "const b = 1;\n\nexport function f() {}\n");
    arrives(
        "import { x } from './x';\nexport const ‸f = () => x;\n",
        "import { y } from './x';\n\nconst b = y;\n",
        "import { x, y } from './x';\n\nconst b = y;\n\nexport const f = () => x;\n",
    );
    arrives("export function ‸f() {}\n", "import { f } from './a';\n\nf();\n", "f();\n\nexport function f() {}\n");
    arrives(
        "import { b } from './b';\nexport function ‸f() { return b; }\n",
        "export const b = 1;\n",
        "export const b = 1;\n\nexport function f() { return b; }\n",
    );
}

#[test]
fn importers_are_updated() {
    importer("import { f } from '../a';\nf();\n", "import { f } from '../b';\nf();\n");
    importer("import { f, g } from \"../a\";\n", "import { g } from \"../a\";\nimport { f } from \"../b\";\n");
    importer(
        "import type { f as h, g } from '../a'\nh()\n",
        "import type { g } from '../a'\nimport type { f as h } from '../b'\nh()\n",
    );
    importer("import { g } from '../a';\n", "import { g } from '../a';\n");
    importer("export { f } from '../a';\n", "export { f } from '../b';\n");
    importer("export { f as h, g } from '../a';\n", "export { g } from '../a';\nexport { f as h } from '../b';\n");
    importer("export * from '../a';\n", "export * from '../a';\nexport { f } from '../b';\n");
    importer(
        "import * as a from '../a';\na.f(a.g);\n",
        "import * as a from '../a';\nimport { f } from '../b';\nf(a.g);\n",
    );
    importer("let t: typeof import('../a').f;\n", "let t: typeof import('../b').f;\n");
    importer("const { g } = await import('../a');\n", "const { g } = await import('../a');\n");
}

#[test]
fn refuses_changes_of_meaning() {
    refused(&[("a.ts", "‸f();\n")], "only declarations can be moved to another file");
    refused(&[("a.ts", "export default function ‸f() {}\n")], "a default export cannot be moved to another file");
    refused(
        &[("a.ts", "let n = 0;\nfunction ‸f() { n++; }\ng(n);\n")],
        "`n` is assigned here, but imported variables are read-only",
    );
    refused(&[("a.ts", "let ‸n = 0;\nn = 1;\n")], "`n` is assigned here, but imported variables are read-only");
    refused(
        &[("a.ts", "const a = 1;\nclass ‸C { b = a; }\nnew C();\ng(a);\n")],
        "the two files would depend on each other while they are loaded",
    );
    refused(&[("a.ts", "function ‸f() {}\nexport { f as g };\n")], "`f` is exported under another name");
    refused(
        &[("a.ts", "export const y = 1;\nconst x = require('x');\nfunction ‸f() { x(); }\n")],
        "the moved code uses a name that is imported with `require`",
    );
    refused(
        &[("a.ts", "export function ‸f() {}\n"), ("b.ts", "const f = 1;\n")],
        "`f` has a different meaning in this file",
    );
    refused(
        &[("a.ts", "export function ‸f() {}\n"), ("c.ts", "import * as a from './a';\ng(a);\n")],
        "the original module is imported as a whole here",
    );
    refused(
        &[("a.ts", "export function ‸f() {}\n"), ("c.js", "const { ...all } = require('./a');\n")],
        "the original module is imported as a whole here",
    );
    let to = |destination: &str, message: &str| {
        testing::assert_refused(ID, &[("destination", destination)], "const ‸a = 1;", message);
    };
    to("a.tsx", "the code is already in `a.tsx`");
    to("../../b.ts", "`../../b.ts` is not a file path in the project");
    to("b.css", "`b.css` is not a TypeScript or JavaScript file");
    to("b.js", "`b.js` cannot contain types");
}

#[test]
fn any_caret_gives_valid_syntax() {
    for text in testing::SAMPLES {
        testing::assert_valid_at_every_offset(ID, "a.tsx", text, &[("destination", "fresh.tsx")]);
    }
}

#[test]
fn specifiers_for_node_have_extensions() {
    let after = moved(&[
        ("a.ts", "export function ‸f() {}\nf();\n"),
        ("package.json", "{ \"type\": \"module\" }"),
        ("tsconfig.json", "{ \"compilerOptions\": { \"module\": \"nodenext\" } }"),
    ]);
    assert_eq!(after.texts["a.ts"], "import { f } from './b.js';\n\nf();\n");
}

#[test]
fn links_in_moved_code_keep_their_targets() {
    let to = [("destination", "lib/b.ts")];
    let after = |a: &str| {
        let files = [("a.ts", a), ("x.ts", "export const x = 1;\n"), ("w.js", "")];
        let after = testing::run_in_workspace(ID, &to, &files).unwrap_or_else(|failure| panic!("{a}\n{failure:?}"));
        (after.texts["lib/b.ts"].clone(), after.incomplete)
    };
    let (text, doubt) = after("export const ‸load = () => new Worker(new URL('./w.js', import.meta.url));\n");
    assert_eq!(text, "export const load = () => new Worker(new URL('../w.js', import.meta.url));\n");
    assert_eq!(doubt, None);
    let (text, _) = after("export const ‸load = () => import('./x');\n");
    assert_eq!(text, "export const load = () => import('../x');\n");
    let (text, _) = after("export type ‸T = typeof import('./x').x;\n");
    assert_eq!(text, "export type T = typeof import('../x').x;\n");
    let (_, doubt) = after("export function ‸here() { return import.meta.url; }\n");
    assert_eq!(doubt.as_deref(), Some("`import.meta.url` refers to a different folder in `lib/b.ts`"));
    let (_, doubt) = after("export function ‸here() { return __dirname; }\n");
    assert_eq!(doubt.as_deref(), Some("`__dirname` refers to a different folder in `lib/b.ts`"));
}

#[test]
fn refuses_destinations_of_another_module_system() {
    let to = |destination: &str, files: &[(&str, &str)], message: &str| {
        let failure = testing::run_in_workspace(ID, &[("destination", destination)], files).expect_err("a refusal");
        assert_eq!(failure.message, message, "{files:?}");
    };
    let common = |path: &str| format!("`{path}` is a CommonJS module and cannot use `import` and `export`");
    let module = |path: &str| format!("`{path}` is an ES module and cannot use `require` and `module.exports`");
    to("b.mjs", &[("a.js", "class ‸A {}\nmodule.exports = { A };\n")], &module("b.mjs"));
    to("b.js", &[("a.js", "class ‸A {}\nexports.A = A;\n"), ("b.js", "export {};\n")], &module("b.js"));
    to("b.js", &[("a.cjs", "function ‸f() {}\n"), ("package.json", "{ \"type\": \"module\" }")], &module("b.js"));
    to("b.cjs", &[("a.mjs", "export function ‸f() {}\n")], &common("b.cjs"));
    to("b.js", &[("a.js", "export function ‸f() {}\n"), ("b.js", "module.exports = 1;\n")], &common("b.js"));
}
