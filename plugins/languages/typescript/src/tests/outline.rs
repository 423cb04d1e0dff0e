//! Tests of declarations and their addresses.

use marquetry_sdk::{FailureKind, TargetKind};

use super::{open, read, ts};

#[track_caller]
fn check(path: &str, text: &str, expected: &str) {
    let expected: Vec<&str> = expected.trim_end().trim_matches('\n').lines().collect();
    let indent = expected.first().map_or(0, |line| line.len() - line.trim_start().len());
    let expected: Vec<&str> = expected.iter().map(|line| line.get(indent..).unwrap_or("").trim_end()).collect();
    assert_eq!(open(path, text).outline().lines().collect::<Vec<_>>(), expected);
}

#[test]
fn outline_of_classes() {
    check(
        "a.ts",
        "export class A { x = 1; #p; static y; constructor(private z: B, q) {} get b() {} set b(v) {} m(): void; m() {} m2 = () => { const l = 1; function i() {} }; [Symbol.iterator]() {} 'a-b' = 1; static { const s = 1; } [k: string]: any; static m() {} }",
        "
        class A @A
          property x @A.x
          property #p @A.#p
          property y @A.y
          constructor constructor @A.constructor
          property z @A.z
          getter b @A.get b
          setter b @A.set b
          method m @A.m[1]
          method m @A.m[2]
          property m2 @A.m2
            function i @A.m2.i
          method [Symbol.iterator] @A.[Symbol.iterator]
          property a-b @A.\"a-b\"
          static-block static @A.static
          index-signature [k: string] @A.[k: string]
          method m @A.m[3]
        ",
    );
}

#[test]
fn outline_of_types_enums_and_namespaces() {
    check(
        "a.ts",
        "interface I { a: string; b?(): void; c: { d: 1 }; (): void; new(): I; readonly [k: string]: any }\ntype T = { e: 1, f: { g: 2 }[] } & { h: 3 };\nexport const enum E { A, 'b-c' = 2 }\nnamespace N.M { export const x = 1; namespace O {} }\ndeclare module \"pkg/sub\" { export = y; }\ndeclare global { var w: { v: 1 } }\nimport X = N.M;",
        "
        interface I @I
          property a @I.a
          method b @I.b
          property c @I.c
            property d @I.c.d
          call-signature () @I.()
          construct-signature new() @I.new()
          index-signature [k: string] @I.[k: string]
        type T @T
          property e @T.e
          property f @T.f
            property g @T.f.g
          property h @T.h
        enum E @E
          enum-member A @E.A
          enum-member b-c @E.\"b-c\"
        namespace N @N
          namespace M @N.M
            const x @N.M.x
            namespace O @N.M.O
        namespace pkg/sub @\"pkg/sub\"
          export export= @\"pkg/sub\".export=
        namespace global @global
          var w @global.w
            property v @global.w.v
        alias X @X
        ",
    );
}

#[test]
fn outline_of_functions_and_objects() {
    check(
        "a.tsx",
        "export default function App() { const [s, setS] = useState(0); const go = () => {}; if (s) { class L {} } useEffect(() => { function inner() {} }); return <p onClick={() => {}}/>; }\nconst config = { routes: { home: '/', 'a-b': [] }, get x() { return 1 }, run: async () => {}, ...rest, [key]: 1 } as const;\nconst { a, b: { c }, ...d } = config, [e = 1] = f;\nconst Memo = memo(function Inner() { function local() {} });\nconst store = defineStore('s', { actions: { act() {} } });\nlet u; var v = class { w = 1 };",
        "
        function App @App
          function go @App.go
          class L @App.L
          function inner @App.inner
        const config @config
          property routes @config.routes
            property home @config.routes.home
            property a-b @config.routes.\"a-b\"
          getter x @config.get x
          method run @config.run
          property [key] @config.[key]
        const a @a
        const c @c
        const d @d
        const e @e
        function Memo @Memo
          function local @Memo.local
        const store @store
          property actions @store.actions
            method act @store.actions.act
        let u @u
        class v @v
          property w @v.w
        ",
    );
}

#[test]
fn outline_of_default_and_commonjs_exports() {
    check(
        "a.ts",
        "export default { data() {}, a: 1 };",
        "export default @default\n  method data @default.data\n  property a @default.a",
    );
    check("a.ts", "export default () => { function f() {} };", "export default @default\n  function f @default.f");
    check(
        "a.js",
        "module.exports = { a: 1 };\nmodule.exports.b = function () {};\nexports.c = 1;\nF.prototype.m = () => {};\nfunction F() {}\nF.s = class {};",
        "
        property module.exports @\"module.exports\"
          property a @\"module.exports\".a
        function module.exports.b @module.exports.b
        property exports.c @exports.c
        function F.prototype.m @F.prototype.m
        function F @F
        class F.s @F.s
        ",
    );
}

#[test]
fn outline_of_test_blocks() {
    check(
        "a.test.ts",
        "describe('a > b', () => {\n  beforeEach(() => {});\n  it(`works`, () => { const x = () => {}; });\n  it.only('works', fn);\n  it.each([1])('case %s', (n) => {});\n  test.skip(\"a \\\"q\\\"\", async () => {});\n  it.todo('later');\n});\ndescribe.each`a`('t', () => {});",
        "
        suite a > b @\"a > b\"
          hook beforeEach @\"a > b\".beforeEach
          test works @\"a > b\" > \"works\"
            function x @\"a > b\" > \"works\".x
          test case %s @\"a > b\" > \"case %s\"
          test a \"q\" @\"a > b\" > \"a \\\"q\\\"\"
          test later @\"a > b\" > \"later\"
        suite t @\"t\"
        ",
    );
}

#[test]
fn repeated_addresses_are_numbered() {
    check(
        "a.ts",
        "interface A { x: 1 }\ninterface A { x: 2; y: 3 }\nclass A { x; }\nfunction f(a: 1): void;\nfunction f() { const g = () => {}; }",
        "
        interface A @A[1]
          property x @A.x[1]
        interface A @A[2]
          property x @A.x[2]
          property y @A.y
        class A @A[3]
          property x @A.x[3]
        function f @f[1]
        function f @f[2]
          function g @f.g
        ",
    );
}

#[test]
fn find_accepts_all_address_forms() {
    let text =
        "class A { #p = 1; b() { const c = 1; } get d() { return 1 } set d(v) {} }\nconst o = { 'x-y': { z: 1 } };\n";
    for address in ["A.b", "A/b", "A::b", "A#b", "A > b", "A.b()", "A['b']"] {
        assert_eq!(read(text, address), ["b() { const c = 1; }"], "{address}");
    }
    assert_eq!(read(text, "A.#p"), ["#p = 1;"]);
    assert_eq!(read(text, "A#p"), ["#p = 1;"]);
    assert_eq!(read(text, "A.b.c"), ["const c = 1;"]);
    assert_eq!(read(text, "A.d"), ["get d() { return 1 }", "set d(v) {}"]);
    assert_eq!(read(text, "A.set d"), ["set d(v) {}"]);
    assert_eq!(read(text, "o['x-y'].z"), ["z: 1"]);
    assert_eq!(read(text, "o.\"x-y\".z"), ["z: 1"]);
    assert_eq!(
        read("describe('it is', () => { it('does a.b', () => {}); });", "it is > does a.b"),
        ["it('does a.b', () => {});"]
    );
    assert_eq!(read("export default class A {}", "default"), ["export default class A {}"]);
    let commonjs = open("a.js", "exports.run = () => {};\nF.prototype.go = function () {};\n");
    assert_eq!(commonjs.read(TargetKind::Symbol, "run").expect("found").len(), 1);
    assert_eq!(commonjs.read(TargetKind::Symbol, "F.go").expect("found").len(), 1);
}

#[test]
fn bare_name_prefers_top_level_declaration() {
    let text = "const app = 1;\nroutes.forEach((r) => { const app = 2; });\n{ const app = 3; }\n";
    assert_eq!(read(text, "app"), ["const app = 1;"]);
    assert_eq!(read(text, "app[2]"), ["const app = 2;"]);
    assert_eq!(read("run(() => { const only = 2; });", "only"), ["const only = 2;"]);
}

#[test]
fn missing_symbol_suggests_existing_ones() {
    let failure = |text: &str, symbol: &str| ts(text).nodes(TargetKind::Symbol, symbol).expect_err("not found");
    let text = "import { Db } from 'db';\nclass UserService { findById() {} }\n";
    let found = failure(text, "findById");
    assert_eq!(found.kind, FailureKind::TargetNotFound);
    assert_eq!(found.candidates[0], "UserService.findById");
    assert!(failure(text, "Db").hint.is_some_and(|hint| hint.contains("imported")));
    assert_eq!(failure(text, "A..b").kind, FailureKind::InvalidTarget);
}

#[test]
fn outline_size_is_limited_by_text_size() {
    let dotted = format!("namespace A{} {{ const x = 1; }}", ".A".repeat(5000));
    assert!(ts(&dotted).outline().len() < 100 * dotted.len());
    let long = format!("class {} {{ {} }}", "A".repeat(200_000), "m() {} ".repeat(1000));
    assert!(ts(&long).outline().len() < 40 * long.len());
}

#[test]
fn styles_and_markup_of_components_are_parts() {
    let parts = |path: &str, text: &str| {
        let document = open(path, text);
        let parts = marquetry_sdk::Document::embedded(document.document());
        parts.into_iter().map(|part| format!("{}: {}", part.language, part.span.slice(text))).collect::<Vec<_>>()
    };
    let text = "<p/><style lang=\"scss\">a</style>\n<style> </style>";
    for path in ["a.vue", "a.svelte", "A.ASTRO"] {
        assert_eq!(parts(path, text), ["scss: a".to_owned(), format!("component-html: {text}")]);
    }
    assert!(parts("a.tsx", "const a = <style>a</style>;").is_empty());
}
