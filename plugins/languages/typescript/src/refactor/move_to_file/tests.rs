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

#[track_caller]
fn importer_with_unresolved(before: &str, after: &str, unresolved: &[&str]) {
    let a = "export function ‸f() {}\nexport function g() {}\n";
    let files = moved(&[("a.ts", a), ("lib/c.tsx", before)]);
    let unresolved: Vec<String> = unresolved.iter().map(|text| format!("lib/c.tsx: {text}")).collect();
    assert_eq!((files.texts["lib/c.tsx"].as_str(), files.unresolved), (after, unresolved), "{before}");
}

#[test]
fn modules_loaded_at_run_time_are_updated_or_reported() {
    for kept in [
        "import('../a');",
        "await import('../a');",
        "import('../a').then(m => m.g());",
        "import('../a').then(({ g }) => g());",
        "import('../a').then(function (m) { m.g(); }).catch(h);",
        "import('../a').then(() => h());",
        "const m = await import('../a'); m.g(m.g);",
        "const m = await import('../a'); const { g } = m;",
        "const p = import('../a'); (await p).g(); p.then(m => m['g']);",
        "(await import('../a')).g();",
        "const { g: h } = (await import('../a')) as any;",
        "import('../a').catch(h).then(m => { m.g(); });",
        "const C = lazy(() => import('../a'));",
        "const C = React.lazy(() => import('../a'));",
        "const { g } = jest.requireActual('../a');",
        "const { g } = await vi.importActual('../a');",
    ] {
        importer_with_unresolved(kept, kept, &[]);
    }
    for only in [
        "import('../a').then(m => m.f());",
        "const { f } = await import('../a');",
        "const m = await import('../a'); m.f(m.f);",
        "jest.requireActual('../a').f();",
    ] {
        importer_with_unresolved(only, &only.replace("'../a'", "'../b'"), &[]);
    }
    for (text, unresolved) in [
        ("import('../a').then(m => m.f(m.g));", &["f"][..]),
        ("const { f, g } = await import('../a');", &["f"]),
        ("import('../a').then(h);", &["import('../a').then(h)"]),
        ("import('../a').then(m => m);", &["m"]),
        ("const m = await import('../a'); h(m);", &["m"]),
        ("const m = await import('../a'); m[h]();", &["m"]),
        ("const { ...all } = await import('../a');", &["...all"]),
        ("h(import('../a'));", &["import('../a')"]),
        ("const load = () => import('../a');", &["import('../a')"]),
    ] {
        importer_with_unresolved(text, text, unresolved);
    }
}

#[test]
fn mocks_that_define_moved_names_are_reported() {
    let import = "import { f } from '../a';\n";
    for (call, is_reported) in [
        ("jest.mock('../a', () => ({ f: jest.fn(), g: jest.fn() }))", true),
        ("vi.mock('../a', async () => { return { f() {} }; })", true),
        ("jest.doMock('../a', function () { return { 'f': 1 }; })", true),
        ("vi.doMock('../a')", true),
        ("jest.mock('../a')", true),
        ("jest.mock('../a', factory)", true),
        ("jest.mock('../a', () => ({ ...jest.requireActual('./x'), g: 1 }))", true),
        ("jest.mock('../a', () => ({ [k]: 1 }))", true),
        ("jest.mock('../a', () => ({ g: jest.fn() }))", false),
        ("vi.mock('../a', () => { return { g: 1 }; })", false),
        ("jest.requireActual('../a')", false),
    ] {
        let unresolved = if is_reported { vec![call] } else { Vec::new() };
        let after = import.replace("../a", "../b");
        importer_with_unresolved(&format!("{import}{call};\n"), &format!("{after}{call};\n"), &unresolved);
    }
}
