//! Tests of toggling exports, and of their importers.

use crate::refactor::testing;

const ID: &str = super::ID;

#[track_caller]
fn check(marked: &str, after: &str) {
    testing::assert_rewrite(ID, &[], marked, after);
}

/// Asserts the text of an importer of `a.ts` after `f` becomes its default export.
#[track_caller]
fn named_to_default(before: &str, after: &str) {
    importer(
        "export function ‸f() {}\nexport type T = 1;\n",
        "export default function f() {}\nexport type T = 1;\n",
        before,
        after,
    );
}

#[track_caller]
fn default_to_named(before: &str, after: &str) {
    importer("export default function ‸f() {}\n", "export function f() {}\n", before, after);
}

#[track_caller]
fn importer(marked: &str, declared: &str, before: &str, after: &str) {
    let files = testing::run_in_workspace(ID, &[], &[("a.ts", marked), ("b.tsx", before)]);
    let files = files.unwrap_or_else(|failure| panic!("{before}\n{failure:?}"));
    assert_eq!(files.texts["a.ts"], declared);
    assert_eq!(files.texts["b.tsx"], after, "{before}");
}

/// Asserts the uses in an importer that are reported and not changed.
#[track_caller]
fn left(marked: &str, before: &str, left: &[&str]) {
    let files = testing::run_in_workspace(ID, &[], &[("a.ts", marked), ("b.tsx", before)]).expect("updated files");
    assert_eq!(files.unresolved, left, "{before}");
}

#[test]
fn named_exports_become_the_default() {
    check("export ‸function f() {}", "export default function f() {}");
    check("‸export abstract class C {}", "export default abstract class C {}");
    check("@dec export class ‸C {}", "@dec export default class C {}");
    check("export interface ‸I {}", "export default interface I {}");
    check("// why\nexport const ‸x = 1; // what\n", "// why\nconst x = 1; // what\nexport default x;\n");
    check("export let ‸x = 1\nx = 2\nf()\n", "let x = 1\nexport { x as default }\nx = 2\nf()\n");
    check("export type ‸T = 1;", "type T = 1;\nexport default T;");
    check("export enum ‸E { A }\r\n", "enum E { A }\r\nexport default E;\r\n");
    check("function ‸f() {}\nexport { f, g as h };", "function f() {}\nexport { f as default, g as h };");
    check("const a = 1;\nexport { a as ‸b };", "const a = 1;\nexport { a as default };");
    check(
        "export function f(a: 1): void;\nexport function ‸f(a: any) {}",
        "export default function f(a: 1): void;\nexport default function f(a: any) {}",
    );
}

#[test]
fn defaults_become_named_exports() {
    check("export default ‸function f() {}", "export function f() {}");
    check("export default ‸class extends B {}", "export class A extends B {}");
    check("‸export default function () {}", "export function a() {}");
    check("export default ‸async function* () {}", "export async function* a() {}");
    check("export default ‸() => 1;", "export const a = () => 1;");
    check("let a;\nexport ‸default { b: 1 };", "let a;\nexport const a1 = { b: 1 };");
    check("const x = 1;\nexport default ‸x;\n", "export const x = 1;\n");
    check("const ‸x = 1;\nexport default x;\n", "export const x = 1;\n");
    check("import x from 'x';\nexport default ‸x;\n", "import x from 'x';\nexport { x };\n");
    check("export const x = 1;\nexport default ‸x;\n", "export const x = 1;\n");
    check("const f = 1;\nexport { f as ‸default };", "const f = 1;\nexport { f };");
    testing::assert_rewrite(ID, &[("name", "b")], "export default ‸{};", "export const b = {};");
}

#[test]
fn importers_are_updated_to_default_import() {
    named_to_default("import { f } from './a';\nf();\n", "import f from './a';\nf();\n");
    named_to_default("import { f as g } from \"./a\";\n", "import g from \"./a\";\n");
    named_to_default("import { T, f } from './a';\n", "import f, { T } from './a';\n");
    named_to_default("import {\n  f,\n  T,\n} from './a';\n", "import f, {\n  T,\n} from './a';\n");
    named_to_default("import { type f } from './a';\n", "import { type default as f } from './a';\n");
    named_to_default("import type { f } from './a';\n", "import type f from './a';\n");
    named_to_default("import type { f, T } from './a';\n", "import type { default as f, T } from './a';\n");
    named_to_default("import { f /* why */ } from './a';\n", "import { default as f /* why */ } from './a';\n");
    named_to_default("import { f } from './other';\n", "import { f } from './other';\n");
    named_to_default("export { f } from './a';\n", "export { default as f } from './a';\n");
    named_to_default("export { f as default, T } from './a';\n", "export { default, T } from './a';\n");
    named_to_default("export * from './a';\n", "export * from './a';\nexport { default as f } from './a';\n");
    named_to_default(
        "import * as a from './a';\na.f(); let t: typeof a.f; <a.f />; a.T;\n",
        "import * as a from './a';\na.default(); let t: typeof a.default; <a.default />; a.T;\n",
    );
    named_to_default("const { f, T } = require('./a');\n", "const { default: f, T } = require('./a');\n");
    named_to_default("const a = require('./a'); a.f();\n", "const a = require('./a'); a.default();\n");
    named_to_default("const { f: g } = await import('./a');\n", "const { default: g } = await import('./a');\n");
    named_to_default("import('./a').then(a => a.f());\n", "import('./a').then(a => a.default());\n");
    named_to_default("import('./a').then(({ f = 1 }) => f);\n", "import('./a').then(({ default: f = 1 }) => f);\n");
    named_to_default("let t: import('./a').f;\n", "let t: import('./a').default;\n");
}

#[test]
fn importers_are_updated_to_named_import() {
    default_to_named("import f from './a';\nf();\n", "import { f } from './a';\nf();\n");
    default_to_named("import g from './a';\n", "import { f as g } from './a';\n");
    default_to_named("import g, { b } from './a';\n", "import { f as g, b } from './a';\n");
    default_to_named("import {x} from 'x';\nimport f from './a';\n", "import {x} from 'x';\nimport {f} from './a';\n");
    default_to_named(
        "import f, * as a from './a';\na.default;\n",
        "import * as a from './a';\nimport { f } from './a';\na.f;\n",
    );
    default_to_named("import type f from './a';\n", "import type { f } from './a';\n");
    default_to_named("import { default as g } from './a';\n", "import { f as g } from './a';\n");
    default_to_named("export { default } from './a';\n", "export { f as default } from './a';\n");
    default_to_named("export { default as f } from './a';\n", "export { f } from './a';\n");
    default_to_named("const { default: f } = await import('./a');\n", "const { f } = await import('./a');\n");
}

#[test]
fn unsupported_uses_are_unresolved() {
    left("export default function ‸f() {}", "lazy(() => import('./a'));\n", &["b.tsx: import('./a')"]);
    left("export function ‸f() {}", "import * as a from './a';\ng(a);\na[k];\n", &["b.tsx: a", "b.tsx: a[k]"]);
    left("export function ‸f() {}", "export * as a from './a';\n", &["b.tsx: a"]);
    left(
        "export function ‸f() {}",
        "jest.mock('./a', () => ({ f: 1 }));\n",
        &["b.tsx: jest.mock('./a', () => ({ f: 1 }))"],
    );
}

#[test]
fn refuses_changes_of_meaning() {
    let refused = |marked: &str, message: &str| testing::assert_refused(ID, &[], marked, message);
    refused("‸f();", "the caret is not on an export");
    refused("export function f() { ‸a; }", "the caret is not on an export");
    refused("const ‸a = 1;", "the caret is not on an export");
    refused("export const ‸a = 1, b = 2;", "the statement exports several names");
    refused("export const ‸a = 1;\nexport default 2;", "the file already has a default export");
    refused("export default function ‸f() {}\nexport { g as f };", "the file already has another export named `f`");
    refused("let a = 1; a = 2;\nexport default ‸a;", "`a` is reassigned, and a named export would change with it");
    refused("export ‸interface A {}\nexport namespace A {}", "`A` has several declarations");
}

#[test]
fn any_caret_gives_valid_syntax() {
    for text in testing::SAMPLES {
        testing::assert_valid_at_every_offset(ID, "a.tsx", text, &[]);
    }
}

#[test]
fn refuses_default_export_of_commonjs_for_esm_importer() {
    let files = [
        ("a.ts", "export class ‸C {}\n"),
        ("lib/b.ts", "import { C } from '../a.js';\nnew C();\n"),
        ("lib/package.json", "{ \"type\": \"module\" }"),
        ("package.json", "{}"),
        ("tsconfig.json", "{ \"compilerOptions\": { \"module\": \"nodenext\" } }"),
    ];
    let code = |files: &[(&'static str, &'static str)]| {
        testing::run_in_workspace(ID, &[], files).map(|after| after.texts["lib/b.ts"].clone())
    };
    let failure = code(&files).expect_err("refused");
    assert_eq!(
        failure.message,
        "`a.ts` is a CommonJS module: the default import of this ES module would be the whole module"
    );
    let mut same = files;
    same[3].1 = "{ \"type\": \"module\" }";
    assert_eq!(code(&same).expect("updated files"), "import C from '../a.js';\nnew C();\n");
}
