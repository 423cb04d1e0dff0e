//! Tests of signatures, summaries, bodies, comments and dependencies.

use marquetry_sdk::{Document, Form, TargetKind};

use super::{open, read, ts};

#[track_caller]
fn show(text: &str, symbol: &str, form: Form) -> String {
    let bench = ts(text);
    let nodes = bench.nodes(TargetKind::Symbol, symbol).unwrap_or_else(|failure| panic!("{failure:?}"));
    bench.show(&nodes[0], form).expect("a view of the node")
}

fn signature(text: &str, symbol: &str) -> String {
    show(text, symbol, Form::Signature)
}

#[test]
fn signature_is_the_head_on_one_line() {
    assert_eq!(
        signature("@Dec({ a: 1 })\nexport default abstract class A<T>\n  extends B<T> implements C {\n}", "A"),
        "abstract class A<T> extends B<T> implements C"
    );
    assert_eq!(signature("export class UserService {}", "UserService"), "class UserService");
    let method = "class A {\n  @log() async find(\n    id: string, // the id\n    deep = { a: '  x' },\n  ): Promise<User | null> {\n  }\n}";
    assert_eq!(signature(method, "A.find"), "async find(id: string, deep = { a: '  x' }): Promise<User | null>");
    assert_eq!(signature("class A { private readonly x: number = 1; }", "A.x"), "private readonly x: number = 1");
    assert_eq!(signature("class A { get x(): number { return 1 } }", "A.x"), "get x(): number");
    assert_eq!(
        signature("export const f = async (a: string): Promise<void> => { }", "f"),
        "const f = async (a: string): Promise<void>"
    );
    assert_eq!(signature("const f = (a) => a + 1;", "f"), "const f = (a)");
    assert_eq!(signature("const a = 1, b = 2;", "b"), "const b = 2");
    assert_eq!(
        signature("export const config = { a: 1,\n b: 2 } as const;", "config"),
        "const config = { … } as const"
    );
    assert_eq!(signature("export interface I<T> extends J { a: 1 }", "I"), "interface I<T> extends J");
    assert_eq!(signature("export type T = { a: 1 };", "T"), "type T = { … }");
    assert_eq!(signature("type T =\n  | 'a'\n  | 'b';", "T"), "type T = | 'a' | 'b'");
    assert_eq!(signature("export declare function f(a: 1): void;", "f"), "declare function f(a: 1): void");
    assert_eq!(signature("enum E { A = 1, B }", "E.A"), "A = 1");
    assert_eq!(signature("export const enum E { A }", "E"), "const enum E");
    assert_eq!(signature("it.only('does', async () => {});", "\"does\""), "it.only('does')");
    assert_eq!(signature("namespace A.B { }", "A.B"), "B");
    assert_eq!(signature(&format!("const long = '{}';", "x".repeat(300)), "long"), "const long = …");
}

#[test]
fn summary_shows_members_without_bodies() {
    let class = "/** A. */\nexport class A extends B {\n  x: string;\n  /** Goes. */\n  constructor(private y: C) { super(); }\n  get z() { return 1; }\n  async go(): Promise<void> {\n    const q = 1;\n  }\n  abstract stop(): void;\n  run = () => {};\n}";
    assert_eq!(
        show(class, "A", Form::Summary),
        "class A extends B {\n  x: string;\n  constructor(private y: C) { … }\n  get z() { … }\n  async go(): Promise<void> { … }\n  abstract stop(): void;\n  run = () { … }\n}"
    );
    assert_eq!(
        show("interface I { a: string; b(): void }", "I", Form::Summary),
        "interface I {\n  a: string;\n  b(): void;\n}"
    );
    assert_eq!(show("enum E { A = 1, B }", "E", Form::Summary), "enum E {\n  A = 1,\n  B,\n}");
    assert_eq!(
        show("const o = { a: 1, b: { c: 2 }, d() { e(); } };", "o", Form::Summary),
        "const o = {\n  a: 1,\n  b: { … },\n  d() { … },\n}"
    );
    assert_eq!(
        show("/** Adds. */\nfunction add(a: number) { return a; }", "add", Form::Summary),
        "/** Adds. */\nfunction add(a: number)"
    );
    assert_eq!(
        show("describe('s', () => { it('a', () => { b(); }); });", "\"s\"", Form::Summary),
        "describe('s') {\n  it('a') { … }\n}"
    );
}

#[test]
fn body_is_the_content() {
    assert_eq!(show("function f() {\n  a();\n  b();\n}\n", "f", Form::Body), "  a();\n  b();");
    assert_eq!(show("function f() { a(); }", "f", Form::Body), "a();");
    assert_eq!(show("const f = () => a + 1;", "f", Form::Body), "a + 1");
    assert_eq!(show("const a: T = 5;", "a", Form::Body), "5");
    assert!(
        ts("declare function f(): void;").nodes(TargetKind::Symbol, "f").is_ok_and(|nodes| nodes[0].body.is_none())
    );
}

#[test]
fn span_is_the_whole_declaration() {
    assert_eq!(read("@a()\n@b\nexport class A {}", "A"), ["@a()\n@b\nexport class A {}"]);
    assert_eq!(read("export default class {}", "default"), ["export default class {}"]);
    assert_eq!(read("x;\nexport const a = 1;\n", "a"), ["export const a = 1;"]);
    assert_eq!(read("export const a = 1, b = 2;", "b"), ["b = 2"]);
    assert_eq!(read("const [a, setA] = useState(0);", "setA"), ["const [a, setA] = useState(0);"]);
    assert_eq!(read("for (const x of y) {}", "x"), ["x"]);
    assert_eq!(read("class A { @dec() static x = 1; y }", "A.x"), ["@dec() static x = 1;"]);
    assert_eq!(read("type T = { a: string, b: number };", "T.a"), ["a: string"]);
    assert_eq!(read("const o = { a: 1, get b() { return 1 } };", "o.b"), ["get b() { return 1 }"]);
    assert_eq!(read("namespace A.B { const c = 1; }", "A.B"), ["B { const c = 1; }"]);
    assert_eq!(read("test('a', () => {});", "\"a\""), ["test('a', () => {});"]);
}

#[test]
fn attached_comments_are_found() {
    let doc = |text: &str, symbol: &str| {
        let node = ts(text).nodes(TargetKind::Symbol, symbol).expect("found").remove(0);
        node.doc.map(|doc| doc.slice(text).to_owned())
    };
    assert_eq!(doc("/** A. */\nexport class A {}", "A").as_deref(), Some("/** A. */"));
    assert_eq!(doc("// one\n// two\nconst a = 1;", "a").as_deref(), Some("// one\n// two"));
    assert_eq!(doc("// far\n\nconst a = 1;", "a"), None);
    assert_eq!(doc("b(); // behind\nconst a = 1;", "a"), None);
    assert_eq!(doc("/** E. */\n@dec()\nclass A {}", "A").as_deref(), Some("/** E. */"));
    assert_eq!(doc("enum E {\n  /** a */ A, /** b */ B }", "E.B").as_deref(), Some("/** b */"));
    assert_eq!(doc("/*! licence */\nconst a = 1;", "a"), None);
    assert_eq!(doc("/// <reference path=\"x\" />\nconst a = 1;", "a"), None);
    assert_eq!(doc("// #region\nconst a = 1;", "a"), None);
    assert_eq!(
        doc("/** A. */\r\n// eslint-disable-next-line\r\nconst a = 1;", "a").as_deref(),
        Some("/** A. */\r\n// eslint-disable-next-line")
    );
}

#[test]
fn dependencies_are_the_used_imports() {
    let text = "import D, { a, b as c } from './m';\nimport * as n from 'n';\nimport type { T } from './t';\nimport e = require('e');\nconst { f, g: h } = require('f');\nexport function one(x: T) { return a(c, n.x); }\nfunction two(a: D) { return a; }\nfunction three() { return e.z + f + h; }\n";
    let bench = ts(text);
    let of = |symbol: &str| {
        let node = bench.nodes(TargetKind::Symbol, symbol).expect("found").remove(0);
        let all = bench.document().dependencies(node.id);
        all.into_iter().map(|it| format!("{} {}", it.symbol, it.from)).collect::<Vec<_>>()
    };
    assert_eq!(of("one"), ["a ./m", "b ./m", "* n", "T ./t"]);
    assert_eq!(of("two"), ["default ./m"]);
    assert_eq!(of("three"), ["* e", "f f", "g f"]);
    assert_eq!(of("h"), [""; 0]);
}

#[test]
fn regions_are_found() {
    let text =
        "'use strict';\nimport a from 'a';\n\nimport b from 'b';\nconst c = 1;\nexport { c };\nexport default b;\n";
    let bench = ts(text);
    assert_eq!(bench.read(TargetKind::Region, "imports").expect("found"), ["import a from 'a';\n\nimport b from 'b';"]);
    assert_eq!(bench.read(TargetKind::Region, "exports").expect("found"), ["export { c };", "export default b;"]);
    assert_eq!(bench.read(TargetKind::Region, "exports[2]").expect("found"), ["export default b;"]);
    assert!(bench.read(TargetKind::Region, "types").is_err());
    assert!(bench.read(TargetKind::Selector, "a").is_err());
    let commonjs = open("a.cjs", "const a = require('a');\nmodule.exports = { b };\nexports.c = 1;\n");
    assert_eq!(commonjs.read(TargetKind::Region, "imports").expect("found"), ["const a = require('a');"]);
    assert_eq!(
        commonjs.read(TargetKind::Region, "exports").expect("found"),
        ["module.exports = { b };", "exports.c = 1;"]
    );
}
