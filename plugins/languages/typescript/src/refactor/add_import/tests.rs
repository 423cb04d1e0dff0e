//! Tests of adding imports.

use marquetry_sdk::workspace;

use crate::refactor::testing::{assert_refused, assert_rewrite_in, assert_valid_at_every_offset, run_refactoring};

/// Asserts that importing a name in `a.ts`, next to the other files, changes `text` to `after`.
#[track_caller]
fn added(others: &[(&str, &str)], symbol: &str, text: &str, after: &str) {
    added_to("a.ts", others, &[("symbol", symbol)], text, after);
}

#[track_caller]
fn added_to(path: &str, others: &[(&str, &str)], arguments: &[(&str, &str)], text: &str, after: &str) {
    let files: Vec<(&str, &str)> = others.iter().copied().chain([(path, text)]).collect();
    assert_rewrite_in(&files, "add_import", arguments, path, after);
}

#[track_caller]
fn settings(options: &str) -> String {
    format!("{{\"compilerOptions\": {{{options}}}}}")
}

#[test]
fn finds_exports_of_modules() {
    added(&[("b.ts", "export const f = 1;\n")], "f", "f;\n", "import { f } from \"./b\";\n\nf;\n");
    added(&[("b.ts", "export default class F {}\n")], "F", "new F;\n", "import F from \"./b\";\n\nnew F;\n");
    added(
        &[("foo-bar.ts", "export default 1;\n")],
        "fooBar",
        "fooBar;\n",
        "import fooBar from \"./foo-bar\";\n\nfooBar;\n",
    );
    added(&[("b/index.ts", "export type T = 1;\n")], "T", "let t: T;\n", "import { T } from \"./b\";\n\nlet t: T;\n");
    added(
        &[("b.ts", "const f = 1;\nexport { f as g };\n")],
        "g",
        "import { x } from './x';\ng;\n",
        "import { g } from './b';\nimport { x } from './x';\ng;\n",
    );
    added(
        &[("m.d.ts", "declare module \"m\" { export const f: number; }\n")],
        "f",
        "f;\n",
        "import { f } from \"m\";\n\nf;\n",
    );
}

#[test]
fn usage_decides_form_of_import() {
    // A value is needed, so the type does not match, and vice versa.
    added(
        &[("b.ts", "export interface F {}\n"), ("c.ts", "export const F = 1;\n")],
        "F",
        "f(F);\n",
        "import { F } from \"./c\";\n\nf(F);\n",
    );
    added(
        &[("b.ts", "export interface F {}\n"), ("c.ts", "export const F = 1;\n")],
        "F",
        "let f: F;\n",
        "import { F } from \"./b\";\n\nlet f: F;\n",
    );
    workspace::set_files([("b.ts".to_owned(), "export const f = 1;\n".to_owned())]);
    assert_refused("add_import", &[("symbol", "g")], "g;\n", "no importable module exports `g`");
    assert_refused("add_import", &[("symbol", "g")], "f;\n", "no undeclared name `g`");
    assert_refused("add_import", &[("symbol", "f")], "let f; f;\n", "`f` is already declared in this file");
    assert_refused("add_import", &[("symbol", "f")], "type f = 1; f;\n", "the file declares `f` as something else");
    assert_refused("add_import", &[], "«1»;\n", "the selection contains no undeclared name");
    assert_refused("add_import", &[], "conso‸le;\n", "`console` is a global of the platform");
}

#[test]
fn names_are_added_to_existing_imports() {
    let b = [("b.ts", "export class F {}\nexport class G {}\nexport default 1;\nexport type T = 1;\n")];
    added(&b, "F", "import { G } from './b';\nnew F;\n", "import { F, G } from './b';\nnew F;\n");
    added(&b, "G", "import {\n  F,\n} from './b';\nnew G;\n", "import {\n  F,\n  G,\n} from './b';\nnew G;\n");
    added(&b, "F", "import d from './b';\nnew F;\n", "import d, { F } from './b';\nnew F;\n");
    added(
        &b,
        "F",
        "import * as b from './b';\nnew F;\n",
        "import * as b from './b';\nimport { F } from './b';\nnew F;\n",
    );
    added(&b, "F", "import { G } from './b.js';\nnew F;\n", "import { F, G } from './b.js';\nnew F;\n");
    added(&b, "F", "import type { G } from './b';\nnew F;\n", "import { F, type G } from './b';\nnew F;\n");
    added(&b, "T", "import type { G } from './b';\nlet t: T;\n", "import type { G, T } from './b';\nlet t: T;\n");
    added(&b, "F", "import type { F } from './b';\nnew F;\n", "import { F } from './b';\nnew F;\n");
    added(&b, "F", "import { type F, type G } from './b';\nnew F;\n", "import { F, type G } from './b';\nnew F;\n");
}

#[test]
fn new_imports_are_inserted_in_sorted_order() {
    let b = [("b.ts", "export const f = 1;\n")];
    added(
        &b,
        "f",
        "import a from './a1';\nimport c from './c';\nf;\n",
        "import a from './a1';\nimport { f } from './b';\nimport c from './c';\nf;\n",
    );
    added(
        &b,
        "f",
        "import c from './c';\nimport a from './a1'; // a\nf;\n",
        "import c from './c';\nimport a from './a1'; // a\nimport { f } from './b';\nf;\n",
    );
    added(&b, "f", "'use strict';\nf;\n", "'use strict';\n\nimport { f } from \"./b\";\n\nf;\n");
    added(&b, "f", "#!/bin/node\nf;\n", "#!/bin/node\n\nimport { f } from \"./b\";\n\nf;\n");
    added(&b, "f", "/* head */\n\nf;\n", "/* head */\n\nimport { f } from \"./b\";\n\nf;\n");
    added(&b, "f", "/** f */\nf;\n", "import { f } from \"./b\";\n\n/** f */\nf;\n");
    added(&b, "f", "f\r\ng\r\n", "import { f } from \"./b\"\r\n\r\nf\r\ng\r\n");
    added(&b, "f", "\u{feff}f;\n", "\u{feff}import { f } from \"./b\";\n\nf;\n");
}

#[test]
fn settings_decide_how_types_are_imported() {
    let verbatim = settings("\"verbatimModuleSyntax\": true, \"module\": \"esnext\"");
    let files = [("tsconfig.json", verbatim.as_str()), ("b.ts", "export type T = 1;\nexport const f = 1;\n")];
    added(&files, "T", "let t: T;\n", "import type { T } from \"./b\";\n\nlet t: T;\n");
    added(&files, "T", "import { f } from './b';\nlet t: T;\n", "import { f, type T } from './b';\nlet t: T;\n");
    added(&files, "f", "f;\n", "import { f } from \"./b\";\n\nf;\n");
    // Without the setting, types are imported in the style of the existing imports.
    added(
        &files[1..],
        "T",
        "import type { A } from './a1';\nlet t: T;\n",
        "import type { A } from './a1';\nimport type { T } from './b';\nlet t: T;\n",
    );
}

#[test]
fn shortest_specifier_is_used() {
    let aliased = settings("\"baseUrl\": \".\", \"paths\": {\"@/*\": [\"src/*\"]}");
    let files = [("tsconfig.json", aliased.as_str()), ("src/deep/b.ts", "export const f = 1;\n")];
    added_to("src/x/y/a.ts", &files, &[("symbol", "f")], "f;\n", "import { f } from \"@/deep/b\";\n\nf;\n");
    added_to("src/deep/a.ts", &files, &[("symbol", "f")], "f;\n", "import { f } from \"./b\";\n\nf;\n");
    let relative = [("symbol", "f"), ("preferences", "{\"importModuleSpecifierPreference\": \"relative\"}")];
    added_to("src/x/y/a.ts", &files, &relative, "f;\n", "import { f } from \"../../deep/b\";\n\nf;\n");
    let node = settings("\"module\": \"nodenext\"");
    let files = [
        ("tsconfig.json", node.as_str()),
        ("package.json", "{\"type\": \"module\", \"imports\": {\"#lib/*\": \"./src/lib/*\"}}"),
        ("src/lib/b.ts", "export const f = 1;\n"),
    ];
    added_to("src/lib/a.ts", &files, &[("symbol", "f")], "f;\n", "import { f } from \"./b.js\";\n\nf;\n");
    added_to("test/a.ts", &files, &[("symbol", "f")], "f;\n", "import { f } from \"#lib/b.js\";\n\nf;\n");
}

#[test]
fn finds_exports_of_packages() {
    let files = [
        ("package.json", "{\"dependencies\": {\"p\": \"1\", \"q\": \"1\"}}"),
        (
            "node_modules/p/package.json",
            "{\"exports\": {\".\": {\"types\": \"./d/i.d.ts\"}, \"./sub\": \"./d/sub.js\"}}",
        ),
        ("node_modules/p/d/i.d.ts", "export * from './inner';\n"),
        ("node_modules/p/d/inner.d.ts", "export declare const f: number;\n"),
        ("node_modules/p/d/sub.d.ts", "export declare const g: number;\n"),
        ("node_modules/q/index.js", ""),
        (
            "node_modules/@types/q/index.d.ts",
            "declare function q(): void;\ndeclare namespace q { const h: number; }\nexport = q;\n",
        ),
        ("node_modules/hidden/index.d.ts", "export declare const f: number;\n"),
    ];
    added(&files, "f", "f;\n", "import { f } from \"p\";\n\nf;\n");
    added(&files, "g", "g;\n", "import { g } from \"p/sub\";\n\ng;\n");
    added(&files, "h", "h;\n", "import { h } from \"q\";\n\nh;\n");
    added(&files, "q", "q();\n", "import q = require(\"q\");\n\nq();\n");
    let interop = settings("\"esModuleInterop\": true");
    let files: Vec<_> = files.into_iter().chain([("tsconfig.json", interop.as_str())]).collect();
    added(&files, "q", "q();\n", "import q from \"q\";\n\nq();\n");
}

#[test]
fn monorepo_packages_are_imported_by_name() {
    let files = [
        ("package.json", "{\"workspaces\": [\"packages/*\"]}"),
        ("packages/x/package.json", "{\"name\": \"@s/x\", \"main\": \"src/index.ts\"}"),
        ("packages/x/src/index.ts", "export * from './b';\n"),
        ("packages/x/src/b.ts", "export const f = 1;\n"),
        ("packages/y/package.json", "{\"name\": \"@s/y\"}"),
    ];
    added_to("packages/y/a.ts", &files, &[("symbol", "f")], "f;\n", "import { f } from \"@s/x\";\n\nf;\n");
}

#[test]
fn commonjs_scripts_use_require() {
    let files = [("b.js", "exports.f = 1;\n"), ("c.js", "module.exports = function g() {};\n")];
    let js = |symbol: &str, text: &str, after: &str| added_to("a.js", &files, &[("symbol", symbol)], text, after);
    js("f", "f;\n", "const { f } = require(\"./b\");\n\nf;\n");
    js("g", "g();\n", "const g = require(\"./c\");\n\ng();\n");
    js("f", "const { x } = require('./b');\nf;\n", "const { x, f } = require('./b');\nf;\n");
    js("f", "import x from './x';\nf;\n", "import { f } from './b';\nimport x from './x';\nf;\n");
}

#[test]
fn jsdoc_types_get_import_types() {
    let files = [("b.js", "/** @typedef {number} T */\nexport const x = 1;\n")];
    let js = |text: &str, after: &str| added_to("a.js", &files, &[("symbol", "T")], text, after);
    js("/** @type {T} */\nlet t;\nexport {};\n", "/** @type {import(\"./b\").T} */\nlet t;\nexport {};\n");
    js(
        "/** @import { U } from \"./b\" */\n/** @type {T[]} */\nlet t;\n",
        "/** @import { U, T } from \"./b\" */\n/** @type {T[]} */\nlet t;\n",
    );
}

#[test]
fn several_modules_are_ambiguous() {
    let files =
        [("b.ts", "export const f = 1;\n"), ("c.ts", "export const f = 2;\n"), ("d/e.ts", "export const f = 3;\n")];
    let texts = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    workspace::set_files(texts);
    let (_, rewritten) = run_refactoring("add_import", "a.ts", "f;\n", &[("symbol", "f")]);
    let failure = rewritten.expect_err("an ambiguous choice");
    assert_eq!(
        (failure.message.as_str(), failure.candidates),
        ("several modules export `f`", vec!["./b".to_owned(), "./c".to_owned()])
    );
    for (module, specifier) in [("./c", "./c"), ("c.ts", "./c"), ("d/e", "./d/e")] {
        let after = format!("import {{ f }} from \"{specifier}\";\n\nf;\n");
        added_to("a.ts", &files, &[("symbol", "f"), ("module", module)], "f;\n", &after);
    }
    // A re-export of the same declaration is not another candidate.
    let files = [("b.ts", "export const f = 1;\n"), ("c.ts", "export { f } from './b';\n")];
    added(&files, "f", "f;\n", "import { f } from \"./b\";\n\nf;\n");
}

#[test]
fn imports_all_undeclared_names() {
    let files =
        [("b.ts", "export const f = 1, g = 2;\nexport default class D {}\n"), ("c.ts", "export const h = 1;\n")];
    let all = [("all", "true")];
    added_to(
        "a.ts",
        &files,
        &all,
        "f(g, h, new D, unknown, console);\n",
        "import D, { f, g } from \"./b\";\nimport { h } from \"./c\";\n\nf(g, h, new D, unknown, console);\n",
    );
    added_to("a.ts", &files, &all, "let f;\nf;\n", "let f;\nf;\n");
}

#[test]
fn jsx_imports_its_factory() {
    let classic = settings("\"jsx\": \"react\", \"esModuleInterop\": true");
    let files = [
        ("tsconfig.json", classic.as_str()),
        (
            "node_modules/@types/react/index.d.ts",
            "export = React;\nexport as namespace React;\ndeclare namespace React {}\n",
        ),
        ("component.tsx", "export default function (p) {}\n"),
    ];
    let jsx = |symbol: &str, text: &str, after: &str| added_to("a.tsx", &files, &[("symbol", symbol)], text, after);
    jsx("div", "<div />;\n", "import React from \"react\";\n\n<div />;\n");
    jsx("Component", "<Component />;\n", "import Component from \"./component\";\n\n<Component />;\n");
}

#[test]
fn any_caret_gives_valid_syntax() {
    workspace::set_files([
        ("b.ts".to_owned(), "export const f = 1;\nexport default f;\n".to_owned()),
        ("package.json".to_owned(), "{".to_owned()),
        ("node_modules/p/package.json".to_owned(), "{\"exports\": {\".\": [[{\"types\": \"./x\"}]]}}".to_owned()),
        ("node_modules/p/x.d.ts".to_owned(), "export * from './x';\nexport * from 'p';\n".to_owned()),
    ]);
    for text in
        ["import { x } from './b'; f; <f.g>1; let y: f.Z; export { f }", "f // f", "import type b from './b'; b(f)"]
    {
        assert_valid_at_every_offset("add_import", "a.ts", text, &[]);
    }
}
