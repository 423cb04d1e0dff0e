//! Renames, by example: the place is marked with `¦`, the new name is `New` unless the example says otherwise.

mod host;

use host::Files;
use marquetry_sdk::Subject;

/// Files from a text in which `// path` lines begin them, and the place that `¦` marks.
fn workspace(text: &str) -> (Files, String, u32) {
    let mut files = Files::new();
    let mut place = None;
    for part in text.split("\n// ").map(|part| part.trim_start_matches("// ")) {
        let (path, body) = part.split_once('\n').unwrap_or((part, ""));
        let body = match body.find('¦') {
            Some(at) => {
                place = Some((path.to_owned(), at as u32));
                body.replace('¦', "")
            }
            None => body.to_owned(),
        };
        files.insert(path.to_owned(), body);
    }
    let (path, at) = place.expect("a marked place");
    (files, path, at)
}

fn show(files: &Files) -> String {
    files.iter().map(|(path, text)| format!("// {path}\n{text}")).collect::<Vec<_>>().join("\n")
}

/// The workspace after renaming what is marked.
fn renamed_to(text: &str, new: &str) -> Result<String, String> {
    let (files, path, at) = workspace(text);
    host::rename(&files, &path, Subject::At(at), new).map(|files| show(&files)).map_err(|failure| failure.message)
}

#[track_caller]
fn check(before: &str, after: &str) {
    let got = renamed_to(before, "New");
    assert_eq!(got.as_deref(), Ok(after), "{before}");
}

/// One file, `a.ts`.
#[track_caller]
fn check_one(before: &str, after: &str) {
    check(&format!("// a.ts\n{before}"), &format!("// a.ts\n{after}"));
}

#[track_caller]
fn refused(before: &str, new: &str, why: &str) {
    let before = if before.starts_with("// ") { before.to_owned() } else { format!("// a.ts\n{before}") };
    let got = renamed_to(&before, new).expect_err(&before);
    assert!(got.contains(why), "{before}: {got}");
}

#[test]
fn bindings() {
    check_one("let ¦a = 1; a++; { let a = 2; a; }", "let New = 1; New++; { let a = 2; a; }");
    check_one("function f(¦a: number) { return a; }", "function f(New: number) { return New; }");
    check_one("class ¦A {} let a: A = new A();", "class New {} let a: New = new New();");
    check_one("type ¦T = 1; let T2: T; let x = { T: 1 };", "type New = 1; let T2: New; let x = { T: 1 };");
    check_one("function f<¦T>(x: T): T { return x; }", "function f<New>(x: New): New { return x; }");
    check_one("let a = 1; type T = typeof ¦a;", "let New = 1; type T = typeof New;");
    check_one("¦x: for (;;) { break x; }", "New: for (;;) { break New; }");
    check_one(
        "function is(¦a: any): a is string { return !!a; }",
        "function is(New: any): New is string { return !!New; }",
    );
    check_one(
        "interface ¦A {} class A {} namespace A {} new A();",
        "interface New {} class New {} namespace New {} new New();",
    );
    check_one("try {} catch (¦e) { e; }", "try {} catch (New) { New; }");
}

#[test]
fn shorthands() {
    check_one("let ¦a = 1; let o = { a };", "let New = 1; let o = { a: New };");
    check_one("let { ¦a } = o; a;", "let { a: New } = o; New;");
    check_one("let { ¦a = 1, ...r } = o;", "let { a: New = 1, ...r } = o;");
    check_one("let a; ({ ¦a } = o); ({ a = 1 } = o);", "let New; ({ a: New } = o); ({ a: New = 1 } = o);");
    check_one("interface I { ¦a: 1 } let { a } = {} as I; a;", "interface I { New: 1 } let { New: a } = {} as I; a;");
    check_one("interface I { ¦a: 1 } let a; let i: I = { a };", "interface I { New: 1 } let a; let i: I = { New: a };");
}

#[test]
fn members() {
    check_one(
        "class A { ¦m() { this.m(); } } class B extends A { m() { super.m(); } } new B().m();",
        "class A { New() { this.New(); } } class B extends A { New() { super.New(); } } new B().New();",
    );
    check_one(
        "interface I { m(): void } class A implements I { ¦m() {} }",
        "interface I { New(): void } class A implements I { New() {} }",
    );
    check_one(
        "class A { static ¦s = 1; s = 2; } A.s; new A().s;",
        "class A { static New = 1; s = 2; } A.New; new A().s;",
    );
    check_one("class A { #¦p = 1; m() { return this.#p; } }", "class A { New = 1; m() { return this.New; } }");
    check_one(
        "class A { get ¦v() { return 1; } set v(x) {} } new A().v = 1;",
        "class A { get New() { return 1; } set New(x) {} } new A().New = 1;",
    );
    check_one("enum E { ¦A, B = A } E.A; let x: E.A;", "enum E { New, B = New } E.New; let x: E.New;");
    check_one(
        "const o = { ¦a: 1, b: { a: 2 } }; o.a; o.b.a; o['a'];",
        "const o = { New: 1, b: { a: 2 } }; o.New; o.b.a; o['New'];",
    );
    check_one(
        "class A { constructor(private ¦p: number) { p; this.p; } } class B { p = 1 }",
        "class A { constructor(private New: number) { New; this.New; } } class B { p = 1 }",
    );
    check_one(
        "interface I { ¦a: { b: 1 } } function f(i: I) { return i.a.b; }",
        "interface I { New: { b: 1 } } function f(i: I) { return i.New.b; }",
    );
}

#[test]
fn members_through_types() {
    let item = "interface Item { ¦id: number }\n";
    let renamed = "interface Item { New: number }\n";
    for (before, after) in [
        (
            "function f(items: Item[]) { items.map(item => item.id); }",
            "function f(items: Item[]) { items.map(item => item.New); }",
        ),
        (
            "async function g(p: Promise<Item>) { (await p).id; p.then(x => x.id); }",
            "async function g(p: Promise<Item>) { (await p).New; p.then(x => x.New); }",
        ),
        (
            "function make(): Item { return { id: 1 }; } make().id;",
            "function make(): Item { return { New: 1 }; } make().New;",
        ),
        ("const m = new Map<string, Item>(); m.get('x')?.id;", "const m = new Map<string, Item>(); m.get('x')?.New;"),
        ("for (const { id } of [] as Item[]) id;", "for (const { New: id } of [] as Item[]) id;"),
        (
            "class Box<T> { constructor(public v: T) {} } declare const i: Item; new Box(i).v.id;",
            "class Box<T> { constructor(public v: T) {} } declare const i: Item; new Box(i).v.New;",
        ),
        ("type P = Partial<Item>; declare const p: P; p.id;", "type P = Partial<Item>; declare const p: P; p.New;"),
        (
            "function k<T extends Item>(t: T, key: keyof Item) { t.id; k(t, 'id'); }",
            "function k<T extends Item>(t: T, key: keyof Item) { t.New; k(t, 'New'); }",
        ),
        ("type Id = Item['id'];", "type Id = Item['New'];"),
        (
            "let u: Item & { x: 1 }; u.id; let v: Item | undefined; v!.id;",
            "let u: Item & { x: 1 }; u.New; let v: Item | undefined; v!.New;",
        ),
        ("const made = { ...({} as Item), x: 1 }; made.id;", "const made = { ...({} as Item), x: 1 }; made.New;"),
    ] {
        check_one(&format!("{item}{before}"), &format!("{renamed}{after}"));
    }
}

#[test]
fn what_cannot_be_told_is_left_and_said() {
    use marquetry_sdk::Symbols;
    let text = "interface I { id: 1 }\nfunction f(a: any, i: I) { a.id; i.id; }";
    marquetry_sdk::workspace::set_files([("a.ts".to_owned(), text.to_owned())]);
    let document = host::open("a.ts", text);
    let answer = marquetry_typescript::TypeScript::rename(&document, Subject::At(14), "New").expect("renamed");
    let left: Vec<_> = answer.left.iter().map(|span| span.start as usize).collect();
    assert_eq!(left, [text.find("a.id").expect("there") + 2]);
    let found = marquetry_typescript::TypeScript::resolve_symbol(&document, Subject::At(14)).expect("found");
    assert_eq!(found.occurrences.iter().filter(|place| place.certain).count(), 2);
    assert!(found.incomplete.expect("says so").starts_with("of 1 places"));
}

#[test]
fn javascript() {
    let js = |text: &str| format!("// a.js\n{text}");
    for (before, after) in [
        (
            "function F() { this.¦x = 1; } F.prototype.m = function () { this.x; }; new F().x;",
            "function F() { this.New = 1; } F.prototype.m = function () { this.New; }; new F().New;",
        ),
        ("function f() {} f.¦x = 1; f.x;", "function f() {} f.New = 1; f.New;"),
    ] {
        check(&js(before), &js(after));
    }
    check(
        "// a.js\nexports.¦x = 1;\n// b.js\nconst { x } = require('./a'); x;\n// c.js\nconst a = require('./a'); a.x;",
        "// a.js\nexports.New = 1;\n// b.js\nconst { New: x } = require('./a'); x;\n// c.js\nconst a = require('./a'); a.New;",
    );
    check(
        "// a.js\nfunction ¦f() {}\nmodule.exports = { f };\n// b.js\nconst { f } = require('./a');",
        "// a.js\nfunction New() {}\nmodule.exports = { f: New };\n// b.js\nconst { f } = require('./a');",
    );
}

#[test]
fn comments() {
    check_one(
        "/** {@link A} {@link A.m} @see A */\nclass ¦A { m() {} }",
        "/** {@link New} {@link New.m} @see A */\nclass New { m() {} }",
    );
    check_one(
        "/**\n * @param {A} a talk of a\n */\nfunction f(¦a: number) { a; }",
        "/**\n * @param {A} New talk of a\n */\nfunction f(New: number) { New; }",
    );
    check_one("/** {@link A.m} */\nclass A { ¦m() {} }", "/** {@link A.New} */\nclass A { New() {} }");
    check(
        "// a.ts\nexport interface ¦A {}\n// b.js\n/** @import { A } from './a' */\n/** @type {A} */ let x;\n/** @type {import('./a').A} */ let y;",
        "// a.ts\nexport interface New {}\n// b.js\n/** @import { New } from './a' */\n/** @type {New} */ let x;\n/** @type {import('./a').New} */ let y;",
    );
}

#[test]
fn comments_name_what_the_file_imports() {
    check(
        "// a.ts\nexport class ¦A { m() {} }\n// b.ts\nimport { A } from './a';\n/** {@link A}, {@link A.m} or {@link B}\n * @throws {A} often */\nexport class B extends A {}\n// c.ts\nimport { A as C } from './a';\n/** {@link C} is no {@link A} */\nlet c: C;",
        "// a.ts\nexport class New { m() {} }\n// b.ts\nimport { New } from './a';\n/** {@link New}, {@link New.m} or {@link B}\n * @throws {New} often */\nexport class B extends New {}\n// c.ts\nimport { New as C } from './a';\n/** {@link C} is no {@link A} */\nlet c: C;",
    );
}

#[test]
fn a_namespace_that_is_merged_with_a_value() {
    check_one(
        "/** {@link A.I} */ let y; interface A extends A.I<1> {} declare namespace A { export interface ¦I<T> {} } const A: Box<A> = box(); let x: A.I<A.I<2>>;",
        "/** {@link A.New} */ let y; interface A extends A.New<1> {} declare namespace A { export interface New<T> {} } const A: Box<A> = box(); let x: A.New<A.New<2>>;",
    );
}

#[test]
fn a_module_exported_as_a_namespace_of_itself() {
    let files = "// classic.ts\nimport * as z from './ext';\nexport * from './ext';\nexport { z, z as default };\n// core.ts\nexport interface ¦A {}\n// ext.ts\nexport * from './core';\n// index.ts\nimport * as z4 from './ext';\nexport * from './classic';\nexport { z4 as default };\n// other.ts\nimport z from './index';\nlet x: z.A;\n// use.ts\nimport { z } from './index';\nlet x: z.A; let y: [string, () => z.A][]; f<z.A>();";
    let after = files.replace("¦A", "New").replace("z.A", "z.New");
    check(files, &after);
}

#[test]
fn members_of_what_a_test_has_narrowed() {
    let class = |name: &str| format!("class A {{ {name}() {{}} }}\nclass B extends A {{}}\n");
    for text in [
        "function f(e: unknown) { if (e instanceof A) e.m(); }",
        "function f(e: unknown) { if (!(e instanceof A)) return; e.m(); }",
        "function f(e: unknown) { if (!(e instanceof A)) { throw e; } return () => e.m(); }",
        "const f = (e: Error | undefined) => e instanceof B && e.m();",
        "const f = (e: any) => !(e instanceof A) || e.m();",
        "const f = (e: object) => e instanceof A && f ? e.m() : undefined;",
        "const f = (e: object) => !(e instanceof A) ? 1 : e.m();",
        "const is = (e: unknown): e is A => true; function f(e: unknown) { if (is(e)) { e.m(); } }",
        "try {} catch (e) { while (e instanceof B) { e.m(); } }",
    ] {
        check_one(&(class("¦m") + text), &(class("New") + &text.replace("e.m()", "e.New()")));
    }
    // Where the test says nothing of the place, nothing is certain.
    for text in [
        "function f(e: unknown) { if (e instanceof A) {} e.m(); }",
        "function f(e: any) { if (!(e instanceof A)) e.m(); }",
        "function f(e: any) { if (e instanceof A) { e = other; e.m(); } }",
        "function f(e: any) { if (e instanceof A || f) e.m(); }",
        "function f(e: any) { if (!(e instanceof A)) { log(e); } e.m(); }",
    ] {
        check_one(&(class("¦m") + text), &(class("New") + text));
    }
}

#[test]
fn what_is_of_no_known_type_is_left_and_said() {
    use marquetry_sdk::Symbols;
    let text = "class A { m() {} }\nfunction f(e: unknown) { if (likeA(e)) e.m(); }";
    marquetry_sdk::workspace::set_files([("a.ts".to_owned(), text.to_owned())]);
    let answer = marquetry_typescript::TypeScript::rename(&host::open("a.ts", text), Subject::At(10), "New");
    assert_eq!(answer.expect("renamed").left.len(), 1);
}

#[test]
fn across_files() {
    check(
        "// a.ts\nexport class ¦A {}\n// b.ts\nimport { A } from './a';\nnew A();\n// c.ts\nimport { A as B } from './a';\nnew B();\n// d.ts\nimport * as a from './a';\nnew a.A(); let x: a.A;",
        "// a.ts\nexport class New {}\n// b.ts\nimport { New } from './a';\nnew New();\n// c.ts\nimport { New as B } from './a';\nnew B();\n// d.ts\nimport * as a from './a';\nnew a.New(); let x: a.New;",
    );
    // From where it is used under the same name, only the local name changes.
    check(
        "// a.ts\nexport class A {}\n// b.ts\nimport { A } from './a';\nnew ¦A();",
        "// a.ts\nexport class A {}\n// b.ts\nimport { A as New } from './a';\nnew New();",
    );
    // From the other file's name, the other file's thing.
    check(
        "// a.ts\nexport class A {}\n// b.ts\nimport { ¦A as B } from './a';\nnew B();",
        "// a.ts\nexport class New {}\n// b.ts\nimport { New as B } from './a';\nnew B();",
    );
    // A list of exports keeps its names; `export *` passes the new one on.
    check(
        "// a.ts\nexport const ¦a = 1;\n// b.ts\nexport { a } from './a';\n// c.ts\nexport * from './a';\n// d.ts\nimport { a } from './b';\n// e.ts\nimport { a } from './c'; a;",
        "// a.ts\nexport const New = 1;\n// b.ts\nexport { New as a } from './a';\n// c.ts\nexport * from './a';\n// d.ts\nimport { a } from './b';\n// e.ts\nimport { New } from './c'; New;",
    );
    check(
        "// a.ts\nconst a = 1;\nexport { ¦a };\n// b.ts\nimport { a } from './a';",
        "// a.ts\nconst a = 1;\nexport { a as New };\n// b.ts\nimport { New } from './a';",
    );
    check(
        "// a.ts\nexport default class ¦A {}\n// b.ts\nimport A from './a'; new A();\n// c.ts\nimport B from './a'; new B();",
        "// a.ts\nexport default class New {}\n// b.ts\nimport New from './a'; new New();\n// c.ts\nimport B from './a'; new B();",
    );
    check(
        "// a.ts\nexport const ¦a = 1;\n// b.ts\nimport * as ns from './a';\nexport { ns };\n// c.ts\nimport { ns } from './b'; ns.a;\n// d.ts\ntype T = typeof import('./b').ns.a;",
        "// a.ts\nexport const New = 1;\n// b.ts\nimport * as ns from './a';\nexport { ns };\n// c.ts\nimport { ns } from './b'; ns.New;\n// d.ts\ntype T = typeof import('./b').ns.New;",
    );
    check(
        "// a.ts\nexport namespace N { export const ¦x = 1; }\n// b.ts\nimport { N } from './a'; N.x;",
        "// a.ts\nexport namespace N { export const New = 1; }\n// b.ts\nimport { N } from './a'; N.New;",
    );
    check(
        "// a.ts\nexport function ¦f() {}\n// b.ts\nconst { f } = await import('./a'); f();\n// c.ts\nimport('./a').then(m => m.f());",
        "// a.ts\nexport function New() {}\n// b.ts\nconst { New: f } = await import('./a'); f();\n// c.ts\nimport('./a').then(m => m.New());",
    );
}

#[test]
fn members_across_files() {
    check(
        "// a.ts\nexport class S { ¦find() {} }\n// b.ts\nimport { S } from './a';\nexport class T extends S { find() {} }\nexport const make = () => new T();\n// c.ts\nimport { make } from './b';\nmake().find();\n// d.ts\nimport type { S } from './a';\nclass C { constructor(private s: S) {} run() { this.s.find(); } }\n// e.ts\nclass Other { find() {} }",
        "// a.ts\nexport class S { New() {} }\n// b.ts\nimport { S } from './a';\nexport class T extends S { New() {} }\nexport const make = () => new T();\n// c.ts\nimport { make } from './b';\nmake().New();\n// d.ts\nimport type { S } from './a';\nclass C { constructor(private s: S) {} run() { this.s.New(); } }\n// e.ts\nclass Other { find() {} }",
    );
    check(
        "// a.ts\nexport enum E { A }\n// b.ts\nimport { E } from './a'; E.¦A;\n// c.ts\nimport * as a from './a'; a.E.A;",
        "// a.ts\nexport enum E { New }\n// b.ts\nimport { E } from './a'; E.New;\n// c.ts\nimport * as a from './a'; a.E.New;",
    );
    check(
        "// a.ts\nexport type Mode = 'on' | '¦off';\n// b.ts\nimport type { Mode } from './a'; export const m: Mode = 'off'; 'off';",
        "// a.ts\nexport type Mode = 'on' | 'New';\n// b.ts\nimport type { Mode } from './a'; export const m: Mode = 'New'; 'off';",
    );
}

#[test]
fn names_that_scripts_share() {
    check(
        "// a.ts\nvar ¦g = 1;\n// b.ts\ng++;\n// c.ts\nexport let g = 2; g;",
        "// a.ts\nvar New = 1;\n// b.ts\nNew++;\n// c.ts\nexport let g = 2; g;",
    );
    check(
        "// a.ts\nexport {};\ndeclare global { var ¦g: number; }\n// b.ts\nexport const x = g;",
        "// a.ts\nexport {};\ndeclare global { var New: number; }\n// b.ts\nexport const x = New;",
    );
    refused("¦nothing;", "New", "nothing in the workspace declares `nothing`");
}

#[test]
fn jsx() {
    let tsx = |text: &str| format!("// a.tsx\n{text}");
    for (before, after) in [
        ("const ¦C = () => null; <C><C/></C>;", "const New = () => null; <New><New/></New>;"),
        (
            "interface P { ¦a: 1 } function C(p: P) {} <C a={1} />;",
            "interface P { New: 1 } function C(p: P) {} <C New={1} />;",
        ),
        (
            "interface P { ¦a: 1 } const C: React.FC<P> = ({ a }) => a; <C a={1} />;",
            "interface P { New: 1 } const C: React.FC<P> = ({ New: a }) => a; <C New={1} />;",
        ),
        (
            "interface P { ¦a: 1 } class C extends React.Component<P> {} <C a={1} />;",
            "interface P { New: 1 } class C extends React.Component<P> {} <C New={1} />;",
        ),
    ] {
        check(&tsx(before), &tsx(after));
    }
    refused("// a.tsx\nconst ¦C = () => null; <C/>;", "small", "an element of the platform");
}

#[test]
fn refuses_what_would_change_the_meaning() {
    refused("let ¦a = 1; let b = 2;", "b", "already declared");
    refused("let ¦a = 1; function f() { let b = 2; return a; }", "b", "would mean another declaration");
    refused("let b = 1; function f() { let ¦a = 2; return b; }", "b", "would then mean");
    refused("function f() { let ¦a = 2; return outer; }", "outer", "would then mean");
    refused("class A { ¦a = 1; b = 2; }", "b", "already a `b`");
    refused("class B { b = 1 } class A extends B { ¦a = 1; }", "b", "already a `b`");
    refused("interface I { ¦a: 1; b: 2 }", "b", "already a `b`");
    refused("enum E { ¦A, B }", "B", "already a `B`");
    refused("export const ¦a = 1; const x = 2; export { x as b };", "b", "already exports");
    refused("let ¦a = 1;", "class", "reserved word");
    refused("let ¦a = 1;", "1a", "no identifier");
    refused("let ¦a = 1;", "a-b", "no identifier");
    refused("class A { ¦a = 1 } new A().a;", "a b", "no identifier");
    refused("// a.ts\nexport const ¦a = 1;\n// b.ts\nimport { a } from './a';\nconst b = a;", "b", "already declared");
}

#[test]
fn refuses_what_is_not_ours() {
    refused("¦console.log();", "New", "platform");
    refused("console.¦log();", "New", "package");
    refused("¦undefined;", "New", "platform");
    refused("let x = 1; ¦", "New", "no name");
    refused("import './¦a';", "New", "no name");
    refused("let s = '¦text';", "New", "a text is no name");
    refused("function f(a: any) { a.¦b; }", "New", "cannot be told");
    refused("export { default as ¦default } from './a';", "New", "");
    refused("// node_modules/p/package.json\n{}\n// a.ts\nimport { ¦x } from 'p';", "New", "package");
}

#[test]
fn stands_types_that_explode() {
    let mut doubling = "interface I { ¦a: 1 }\ntype T0 = I;\n".to_owned();
    let mut nested = "interface I { ¦a: 1 }\ntype N0 = { a: I };\n".to_owned();
    for i in 1..60 {
        doubling.push_str(&format!("type T{i} = T{0} | T{0};\n", i - 1));
        nested.push_str(&format!("type N{i} = {{ x: N{0}, y: N{0} }} & N{0};\n", i - 1));
    }
    doubling.push_str("declare const t: T59; t.a;");
    nested.push_str("declare const t: N59; t.x.y.x.a;");
    let calls = format!("class C {{ ¦a() {{ return this; }} }}\nnew C(){};", ".a()".repeat(2_000));
    let mutual = "const f = () => Math.random() > 1 ? g() : g(), g = () => Math.random() > 1 ? f() : f(); f().a; interface I { ¦a: 1 }";
    let circular = "interface A extends B { ¦a: 1 } interface B extends A { a: 1 } type X = X | A; declare const x: X; x.a; let y = y.a;";
    for text in [&doubling, &nested, &calls, mutual, circular] {
        let started = std::time::Instant::now();
        renamed_to(&format!("// a.ts\n{text}"), "New").expect("renamed");
        assert!(started.elapsed().as_secs() < 20, "slow: {}", &text[..60]);
    }
}

#[test]
fn an_address_may_name_several_declarations_of_one_thing() {
    let files = |text: &str| Files::from([("a.ts".to_owned(), text.to_owned())]);
    let by = |text: &str, address: &str| {
        let files = files(text);
        host::rename(&files, "a.ts", Subject::Address(address.to_owned()), "New").map(|files| files["a.ts"].clone())
    };
    let after = by("interface A { x: 1 }\nconst A = 1;\nlet a: A = A;", "A").expect("one symbol");
    assert_eq!(after, "interface New { x: 1 }\nconst New = 1;\nlet a: New = New;");
    let after = by("class C { m(): void; m(x?: 1) {} }\nnew C().m();", "C.m").expect("one member");
    assert_eq!(after, "class C { New(): void; New(x?: 1) {} }\nnew C().New();");
    let failure = by("{ let a = 1; }", "nothing").expect_err("there is none");
    assert_eq!(failure.kind, marquetry_sdk::FailureKind::TargetNotFound);
}

#[test]
fn texts_in_types_name_members() {
    check_one(
        "interface I { ¦a: 1; b: 2 }\ntype P = Pick<I, 'a' | 'b'>; type O = Omit<I, 'a'>; type E = Exclude<keyof I, 'a'>; type T = 'a';",
        "interface I { New: 1; b: 2 }\ntype P = Pick<I, 'New' | 'b'>; type O = Omit<I, 'New'>; type E = Exclude<keyof I, 'New'>; type T = 'a';",
    );
}

#[test]
fn texts_that_a_type_takes_as_keys() {
    check(
        "// a.ts\nexport interface I { in: { ¦a: 1; b: 1 }; a: 2 }\nexport type Params<T extends I, X, K extends keyof T['in'] = never> = Box<T, K>;\nexport type Loose<T, K> = Box<T, K>;\n// b.ts\nimport type * as all from './a';\ntype P = all.Params<all.I, 1, 'a' | 'b'>;\ntype Q<T extends all.I, K extends keyof T['in']> = all.Params<T, 'a', 'a' | K>;",
        "// a.ts\nexport interface I { in: { New: 1; b: 1 }; a: 2 }\nexport type Params<T extends I, X, K extends keyof T['in'] = never> = Box<T, K>;\nexport type Loose<T, K> = Box<T, K>;\n// b.ts\nimport type * as all from './a';\ntype P = all.Params<all.I, 1, 'New' | 'b'>;\ntype Q<T extends all.I, K extends keyof T['in']> = all.Params<T, 'a', 'New' | K>;",
    );
}

#[test]
fn augmentations_follow() {
    check(
        "// a.ts\nexport interface ¦A { x: 1 }\n// b.ts\nimport type { A } from './a';\ndeclare module './a' { interface A { y: A } }",
        "// a.ts\nexport interface New { x: 1 }\n// b.ts\nimport type { New } from './a';\ndeclare module './a' { interface New { y: New } }",
    );
}
