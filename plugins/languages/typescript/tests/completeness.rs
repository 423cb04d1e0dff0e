//! Rename handles every occurrence of a name: it is renamed, shown to be something else, or listed as unresolved. The
//! target is marked with `¦`, the new name is `New`, and unresolved occurrences are preceded by `§`.

use crate::host;

use crate::host::{check_marked as check, files_of, open, rename_showing};
use marquetry_sdk::{Linking, Subject};
use marquetry_typescript::TypeScript;

/// Checks a single file, `a.ts`. Undeclared names come from a package.
#[track_caller]
fn check_one(before: &str, after: &str) {
    check(&format!("// a.ts\n{before}"), &format!("// a.ts\n{after}"));
}

#[test]
fn rename_member_in_all_union_arms() {
    check_one(
        "type R = { ¦ok: true; v: 1 } | { ok: false }; const r: R = { ok: false }; function f(r: R) { return r.ok; }",
        "type R = { New: true; v: 1 } | { New: false }; const r: R = { New: false }; function f(r: R) { return r.New; }",
    );
    check_one(
        "interface A { ¦kind: 1 } interface B { kind: 2; b: 1 } interface C { kind: 3; c: 1 } function f(x: A | B) { x.kind; }",
        "interface A { New: 1 } interface B { New: 2; b: 1 } interface C { kind: 3; c: 1 } function f(x: A | B) { x.New; }",
    );
    check(
        "// a.ts\nexport interface A { ¦kind: 1 }\n// b.ts\nexport interface B { kind: 2 }\n// c.ts\nimport type { A } from './a'; import type { B } from './b'; let x: A | B; x.kind;\n// d.ts\nimport { B } from './b'; let b: B; b.kind;",
        "// a.ts\nexport interface A { New: 1 }\n// b.ts\nexport interface B { New: 2 }\n// c.ts\nimport type { A } from './a'; import type { B } from './b'; let x: A | B; x.New;\n// d.ts\nimport { B } from './b'; let b: B; b.New;",
    );
    // The other alternative of the union is from a package.
    check_one(
        "interface A { ¦message: string } function f(x: A | Error) { x.message; }",
        "interface A { New: string } function f(x: A | Error) { x.§message; }",
    );
}

#[test]
fn rename_refuses_platform_global() {
    for text in [
        "export {}; declare global { interface ¦SymbolConstructor { readonly observable: symbol } }",
        "interface ¦Window { app: 1 }",
    ] {
        let files = host::files_of(&format!("// a.ts\n{}", text.replace('¦', "")));
        let at = text.find('¦').expect("a marked place");
        let failure = host::rename_showing(&files, "a.ts", Subject::At(at as u32), "New").expect_err(text);
        assert!(failure.message.contains("is a global of the platform"), "{}", failure.message);
    }
    check_one(
        "export {}; declare global { interface SymbolConstructor { readonly ¦seen: symbol } } Symbol.seen;",
        "export {}; declare global { interface SymbolConstructor { readonly New: symbol } } Symbol.§seen;",
    );
    check_one("interface ¦Own { a: 1 } let x: Own;", "interface New { a: 1 } let x: New;");
}

#[test]
fn object_of_inferred_type_is_listed() {
    check_one(
        "interface Issue { message: string } type Raw<T> = T extends infer U ? U : never; function f(): Raw<Issue> { return { ¦message: '' }; } function g(issue: Issue) { issue.message; } new Error().message;",
        "interface Issue { §message: string } type Raw<T> = T extends infer U ? U : never; function f(): Raw<Issue> { return { §New: '' }; } function g(issue: Issue) { issue.§message; } new Error().message;",
    );
    // The contextual type is known to be a different type.
    check_one(
        "interface Issue { message: string; code: 1 } interface Note { message: string } function f(): Note { return { ¦message: '' }; } function g(issue: Issue) { issue.message; }",
        "interface Issue { §message: string; code: 1 } interface Note { New: string } function f(): Note { return { New: '' }; } function g(issue: Issue) { issue.message; }",
    );
}

#[test]
fn rename_index_parameter_in_place() {
    check_one(
        "interface Bag { readonly [¦key: string]: unknown; key: 1 } let key: Bag;",
        "interface Bag { readonly [New: string]: unknown; key: 1 } let key: Bag;",
    );
}

#[test]
fn function_as_type_with_call_is_listed() {
    check_one(
        "interface Operator { ¦call(source: number): void } declare function lift(by: Operator): void; lift(function () {});",
        "interface Operator { §New(source: number): void } declare function lift(by: Operator): void; lift(function () {});",
    );
}

#[test]
fn members_of_untyped_platform_values_are_listed() {
    for text in [
        "function f(e: MessageEvent) { e.data.§id; }",
        "history.state.§id;",
        "window.app.§id;",
        "document.title.id; process.env.id; new IntersectionObserver(() => {}).id;",
    ] {
        let before = format!("interface Item {{ ¦id: 1 }} {}", text.replace('§', ""));
        check_one(&before, &format!("interface Item {{ New: 1 }} {text}"));
    }
}

#[test]
fn rename_member_through_platform_containers() {
    let item = "interface Item { ¦id: number }\ndeclare const items: Item[], item: Item;\n";
    for (before, after) in [
        ("for (const [, x] of items.entries()) x.id;", "for (const [, x] of items.entries()) x.New;"),
        ("const o = Object.assign({}, item); o.id;", "const o = Object.assign({}, item); o.New;"),
        ("const p = new Proxy(item, {}); p.id;", "const p = new Proxy(item, {}); p.§id;"),
        ("const it = items.values(); it.next().value.id;", "const it = items.values(); it.next().value.§id;"),
        ("function f(e: CustomEvent<Item>) { e.detail.id; }", "function f(e: CustomEvent<Item>) { e.detail.§id; }"),
        ("const w = new WeakRef(item); w.deref().id;", "const w = new WeakRef(item); w.deref().§id;"),
        ("Array.from('abc', () => item).map(x => x.id);", "Array.from('abc', () => item).map(x => x.New);"),
        ("items.at(-1)!.id; items.toSpliced(0, 1)[0].id;", "items.at(-1)!.New; items.toSpliced(0, 1)[0].New;"),
        ("import { pick } from 'x'; pick(item, x => x.id);", "import { pick } from 'x'; pick(§item, x => x.§id);"),
    ] {
        check_one(&format!("{item}{before}"), &format!("{}{after}", item.replace("¦id", "New")));
    }
}

#[test]
fn read_of_undeclared_member_is_listed() {
    // Type-checked code does not read missing members.
    check_one(
        "interface I { ¦id: 1 } class Stream { *[Symbol.iterator]() { yield {} as I; } } for (const x of new Stream()) x.id;",
        "interface I { New: 1 } class Stream { *[Symbol.iterator]() { yield {} as I; } } for (const x of new Stream()) x.§id;",
    );
    check_one(
        "interface I { ¦id: 1; a: 1 } class Box {} interface Other { id: 2; b: 2 } let b: Box; let o: Other; (b as any as Box).id; o.id;",
        "interface I { New: 1; a: 1 } class Box {} interface Other { id: 2; b: 2 } let b: Box; let o: Other; (b as any as Box).§id; o.id;",
    );
    // Members of primitives, functions and lists belong to the language.
    check_one(
        "interface I { ¦length: 1; call: 2 } ''.length; [].length; (() => 1).length; `${1}`.length;",
        "interface I { New: 1; call: 2 } ''.length; [].length; (() => 1).length; `${1}`.length;",
    );
}

#[test]
fn members_of_same_shape_are_listed() {
    check_one(
        "interface Point { ¦x: number; y: number } const p = { x: 1, y: 2 }; const q = { x: 1 }; class V { x = 1; y = 2; z = 3 }",
        "interface Point { New: number; y: number } const p = { §x: 1, y: 2 }; const q = { x: 1 }; class V { §x = 1; y = 2; z = 3 }",
    );
    check_one(
        "class A { ¦m() {} private p = 1 } interface I { m(): void } interface J { m(): void; p: 1; q: 1 }",
        "class A { New() {} private p = 1 } interface I { §m(): void } interface J { m(): void; p: 1; q: 1 }",
    );
    // Private members are not part of a shape.
    check_one(
        "class A { constructor(private ¦p: number) {} } class B { p = 1 }",
        "class A { constructor(private New: number) {} } class B { p = 1 }",
    );
    check_one(
        "type M = Map<string, { ¦kind: 1; on: 2 }>; declare const m: M; m.set('a', { kind: 1, on: 2 });",
        "type M = Map<string, { New: 1; on: 2 }>; declare const m: M; m.set('a', { New: 1, on: 2 });",
    );
}

#[test]
fn rename_through_this_parameter_of_static_method() {
    check_one(
        "interface Maker { ¦make(): void } class A { static make() {} static of(this: Maker) { this.make(); } }",
        "interface Maker { New(): void } class A { static make() {} static of(this: Maker) { this.New(); } }",
    );
    check_one(
        "interface Maker { make(): void } class A { static ¦make() {} static of(this: Maker) { this.make(); } }",
        "interface Maker { make(): void } class A { static New() {} static of(this: Maker) { this.make(); } }",
    );
}

#[test]
fn rename_global_augmentations() {
    check_one(
        "declare global { interface Window { ¦h: 1 } } window.h; globalThis.h; document.defaultView!.h; export {};",
        "declare global { interface Window { New: 1 } } window.New; globalThis.§h; document.defaultView!.§h; export {};",
    );
    check_one(
        "declare global { interface Array<T> { ¦last(): T } } [1].last(); export {};",
        "declare global { interface Array<T> { New(): T } } [1].§last(); export {};",
    );
    check(
        "// a.ts\nexport class A {}\n// b.ts\nimport { A } from './a'; declare module './a' { interface A { ¦extra: 1 } } new A().extra;",
        "// a.ts\nexport class A {}\n// b.ts\nimport { A } from './a'; declare module './a' { interface A { New: 1 } } new A().§extra;",
    );
    check(
        "// a.ts\nnamespace N { export function ¦f() {} }\n// b.ts\nnamespace N { export function g() {} } N.f();",
        "// a.ts\nnamespace N { export function New() {} }\n// b.ts\nnamespace N { export function g() {} } N.§f();",
    );
    check_one("let { ¦a } = o; a; window.a; x.a;", "let { a: New } = o; New; window.a; x.a;");
    check_one("var { ¦a } = o; a; window.a; x.a;", "var { a: New } = o; New; window.New; x.a;");
    check(
        "// a.ts\nexport function ¦f() {} export as namespace Lib;\n// b.ts\nLib.f();",
        "// a.ts\nexport function New() {} export as namespace Lib;\n// b.ts\nLib.§f();",
    );
    check(
        "// a.d.ts\ndeclare module 'pkg' { export function ¦f(): void }\n// b.ts\nimport { f } from 'pkg'; f();",
        "// a.d.ts\ndeclare module 'pkg' { export function New(): void }\n// b.ts\nimport { New } from 'pkg'; New();",
    );
}

#[test]
fn rename_through_long_reexport_lists() {
    let mut files = String::new();
    for n in 0..40 {
        files += &format!("// m{n:02}.ts\nexport const x{n} = 1;\n");
    }
    let stars: String = (0..40).map(|n| format!("export * from './m{n:02}';")).collect();
    files += &format!("// index.ts\n{stars} export * from './zz';\n");
    files += "// use.ts\nimport { Base } from './index'; class B extends Base { m() {} }\n";
    let before = format!("{files}// zz.ts\nexport class Base {{ ¦m() {{}} }}");
    let after = before.replace("¦m", "New").replace("B extends Base { m()", "B extends Base { New()");
    check(&before, &after);
    // A chain of re-exports that is too long cannot be resolved.
    let mut files = String::new();
    for n in 100..400 {
        files += &format!("// m{n}.ts\nexport * from './m{}';\n", n + 1);
    }
    let before = format!(
        "{files}// m400.ts\nexport class Base {{ ¦m() {{}} }}\n// use.ts\nimport {{ Base }} from './m100'; new Base().m();"
    );
    let after = before.replace("¦m", "New").replace("new Base().m", "new Base().§m");
    check(&before, &after);
}

#[test]
fn strings_that_may_name_members_are_listed() {
    let api = "interface Api { ¦get: 1; put: 2 }\n";
    for (before, after) in [
        ("type G = Api['get' | 'put'];", "type G = Api['New' | 'put'];"),
        ("type G = Api[('get')];", "type G = Api[('New')];"),
        ("type G = Pick<Api, `get`>;", "type G = Pick<Api, `New`>;"),
        ("declare const a: Api; a[`get`];", "declare const a: Api; a[`New`];"),
        (
            "import { vi } from 'vitest'; declare const a: Api; vi.spyOn(a, 'get');",
            "import { vi } from 'vitest'; declare const a: Api; vi.spyOn(a, 'New');",
        ),
        (
            "import { get } from 'x'; declare const a: Api; get(a, 'get');",
            "import { get } from 'x'; declare const a: Api; get(§a, '§get');",
        ),
        ("console.log('get'); const get = 'get'; f('get');", "console.log('get'); const get = 'get'; f('get');"),
        ("const keys = ['get', 'put'] as const;", "const keys = ['get', 'put'] as const;"),
    ] {
        check_one(&format!("{api}{before}"), &format!("{}{after}", api.replace("¦get", "New")));
    }
}

#[test]
fn rename_in_mocked_modules() {
    check(
        "// a.test.ts\nimport { vi } from 'vitest'; import * as ns from './a'; vi.mock('./a', () => ({ x: 1, y: 2 })); vi.spyOn(ns, 'x');\n// a.ts\nexport const ¦x = 1; export const y = 2;",
        "// a.test.ts\nimport { vi } from 'vitest'; import * as ns from './a'; vi.mock('./a', () => ({ New: 1, y: 2 })); vi.spyOn(ns, 'New');\n// a.ts\nexport const New = 1; export const y = 2;",
    );
    check(
        "// a.test.ts\nvi.mock(import('./a'), async (load) => { const all = await load(); return { ...all, x: 1 }; });\n// a.ts\nexport const ¦x = 1;",
        "// a.test.ts\nvi.mock(import('./a'), async (load) => { const all = await load(); return { ...all, New: 1 }; });\n// a.ts\nexport const New = 1;",
    );
    check(
        "// a.test.ts\njest.mock('./a', () => { return { x: jest.fn() }; });\n// a.ts\nexport const ¦x = 1;",
        "// a.test.ts\njest.mock('./a', () => { return { New: jest.fn() }; });\n// a.ts\nexport const New = 1;",
    );
}

#[test]
fn rename_jsdoc_links_in_all_comments() {
    check_one(
        "/** {@linkcode A.m} {@linkplain A} {@link A#m} */\nclass ¦A { m() {} }",
        "/** {@linkcode New.m} {@linkplain New} {@link New#m} */\nclass New { m() {} }",
    );
}

#[test]
fn file_with_name_only_in_comment_is_ignored() {
    check(
        "// a.ts\nexport class A { ¦m() {} }\n// b.ts\n/* nothing but the word m */\n// c.ts\nimport { A } from './a'; new A().m();",
        "// a.ts\nexport class A { New() {} }\n// b.ts\n/* nothing but the word m */\n// c.ts\nimport { A } from './a'; new A().New();",
    );
}

#[test]
fn import_alias_keeps_its_name() {
    use marquetry_sdk::{ImportKey, Symbols};
    let text = "import Spinner, * as all from './a';\nimport { b as c } from './a';\n<Spinner />; all.x; c;";
    marquetry_sdk::workspace::set_files([("use.tsx".to_owned(), text.to_owned())]);
    let document = host::open("use.tsx", text);
    for (name, uses) in [("default", "<¦Spinner"), ("*", "¦all.x"), ("b", "¦c;")] {
        let key = ImportKey { specifiers: vec!["./a".to_owned()], name: name.to_owned() };
        let found =
            marquetry_typescript::TypeScript::resolve_symbol(&document, Subject::Imported(key)).expect("resolved");
        let at = text.find(&uses.replace('¦', "")).expect("the text contains the use")
            + uses.find('¦').expect("a marked place");
        assert!(
            found.occurrences.iter().any(|place| place.span.start as usize == at),
            "{name}: {:?}",
            found.occurrences
        );
    }
}

#[test]
fn rename_string_literals_of_global_type() {
    let text = |name: &str| {
        format!(
            "type Foo = '{name}' | 'b';\nclass C {{\n  p: Foo = '{name}';\n  m() {{ return this.p === '{name}' }}\n}}"
        )
    };
    check_one(&text("a").replacen("'a'", "'¦a'", 1), &text("New"));
}

#[test]
fn template_types_of_renamed_names_are_listed() {
    let made = "type T = { [K in `${A}x`]: 1 }; declare const t: T; t.ax;";
    let left = made.replace('`', "§`").replace("}x§`", "}x`").replace("t.ax", "t.§ax");
    check_one(&format!("type A = '¦a' | 'b'; {made}"), &format!("type A = 'New' | 'b'; {left}"));
    check_one(
        "type A = '¦a' | 'b'; type N = `on${Capitalize<A>}`; const n: N = 'onA';",
        "type A = 'New' | 'b'; type N = §`on${Capitalize<A>}`; const n: N = '§onA';",
    );
    for (before, after) in [
        ("type H = { [K in keyof E as `on${K}`]: 1 };", "type H = { [K in keyof E as §`on${K}`]: 1 };"),
        (
            "type H<T> = { [K in keyof T as `on${Capitalize<K & string>}`]: 1 }; let h: H<E>;",
            "type H<T> = { [K in keyof T as §`on${Capitalize<K & string>}`]: 1 }; let h: H<E>;",
        ),
        ("type N<K extends keyof E> = `on${K}`;", "type N<K extends keyof E> = §`on${K}`;"),
        ("type N<T> = `on${Extract<keyof T, string>}`;", "type N<T> = §`on${Extract<keyof T, string>}`;"),
        (
            "type N<K extends keyof F> = `on${K}`; type F = { a: 1 };",
            "type N<K extends keyof F> = `on${K}`; type F = { a: 1 };",
        ),
        ("type N = `on${string}`;", "type N = `on${string}`;"),
    ] {
        check_one(&format!("interface E {{ ¦click: 1 }} {before}"), &format!("interface E {{ New: 1 }} {after}"));
    }
}

#[test]
fn types_with_matching_template_keys_are_listed() {
    let made = "type A = 'a' | 'b'; type T = { [K in `${A}x`]: 1 };";
    check_one(
        &format!("{made} interface U extends T {{ ¦ax: 1 }} let u: U; u.ax;"),
        &format!("{} interface U extends §T {{ New: 1 }} let u: U; u.New;", made.replace("in `", "in §`")),
    );
    check_one(
        &format!("{made} interface U extends T {{ ¦ay: 1 }}"),
        &format!("{made} interface U extends T {{ New: 1 }}"),
    );
    check(
        "// a.ts\nexport type T<E> = Record<`on${keyof E & string}`, 1>;\n// b.ts\nimport { T } from './a'; class C implements T<{ a: 1 }> { ¦ona = 1 as const }",
        "// a.ts\nexport type T<E> = Record<`on${keyof E & string}`, 1>;\n// b.ts\nimport { T } from './a'; class C implements §T<{ a: 1 }> { New = 1 as const }",
    );
}

#[test]
fn occurrences_at_syntax_errors_are_listed() {
    check(
        "// a.ts\nexport function ¦f() {}\n// b.ts\nimport { f } from './a';\nf();\nf( ;\n// c.ts\nimport { f } from './a';\nf(); const = ;",
        "// a.ts\nexport function New() {}\n// b.ts\nimport { §f } from './a';\n§f();\n§f( ;\n// c.ts\nimport { New } from './a';\nNew(); const = ;",
    );
    // `b.ts` still exports the name `f`, so a file that imports it from `b.ts` does not change.
    check(
        "// a.ts\nexport function ¦f() {}\n// b.ts\nexport { f } from './a';\nf( ;\n// c.ts\nimport { f } from './b';\nf();",
        "// a.ts\nexport function New() {}\n// b.ts\nexport { §f } from './a';\n§f( ;\n// c.ts\nimport { f } from './b';\nf();",
    );
    check(
        "// a.ts\nexport class A { ¦m() {} }\n// b.ts\nimport { A } from './a';\nnew A().m();\nnew A().m( ;",
        "// a.ts\nexport class A { New() {} }\n// b.ts\nimport { A } from './a';\nnew A().§m();\nnew A().§m( ;",
    );
    // In the file with the declaration, the name is renamed as requested in spite of the syntax error.
    check("// a.ts\nexport function ¦f() {}\nf();\nf( ;", "// a.ts\nexport function New() {}\nNew();\n§f( ;");
}

#[test]
fn overridden_spread_members_are_listed() {
    let types = "interface S { ¦min: number; other: string } interface T { min: number; amount: number }";
    let renamed = "interface S { New: number; other: string } interface T { min: number; amount: number }";
    let listed = "interface S { New: number; other: string } interface T { §min: number; amount: number }";
    for (before, after) in [
        ("function f(s: S): T { return { ...s, amount: 1 } }", "function f(s: S): T { return { §...s, amount: 1 } }"),
        ("declare let s: S; const t: T = { amount: 1, ...s };", "declare let s: S; const t: T = { amount: 1, §...s };"),
        ("declare let s: S; g({ ...s, unknown: 1 });", "declare let s: S; g({ §...s, unknown: 1 });"),
        // These are not listed: the object overrides the member, its contextual type is the same type, or its
        // contextual type has no such member.
        (
            "declare let s: S; const t: T = { ...s, min: 1, amount: 1 };",
            "declare let s: S; const t: T = { ...s, min: 1, amount: 1 };",
        ),
        ("declare let s: S; const t: S = { ...s, other: '' };", "declare let s: S; const t: S = { ...s, other: '' };"),
        (
            "declare let s: S; const t: { other: string } = { ...s };",
            "declare let s: S; const t: { other: string } = { ...s };",
        ),
    ] {
        check_one(&format!("{types} {before}"), &format!("{renamed} {after}"));
    }
    // The object has no contextual type, so any type that it fits may be meant.
    check_one(
        &format!("{types} function f(s: S): T {{ const t = {{ ...s, amount: 1 }}; t.min; return t }}"),
        &format!("{listed} function f(s: S): T {{ const t = {{ ...s, amount: 1 }}; t.New; return t }}"),
    );
    check_one(
        &format!("{types} function f(s: S) {{ const t = {{ ...s, more: 1 }}; t.min; return t }}"),
        &format!("{renamed} function f(s: S) {{ const t = {{ ...s, more: 1 }}; t.New; return t }}"),
    );
    check(
        "// a.ts\nexport type R<p> = p extends 1 ? { min: 1; amount: 2 } : { min: 1; more: 2 };\n// b.ts\nimport { R } from './a'; function f(): { r: R<1> } { const o = { ¦min: 1 as const }; return { r: { ...o, amount: 2 } as never } }",
        "// a.ts\nexport type R<p> = p extends 1 ? { §min: 1; amount: 2 } : { §min: 1; more: 2 };\n// b.ts\nimport { R } from './a'; function f(): { r: R<1> } { const o = { New: 1 as const }; return { r: { ...o, amount: 2 } as never } }",
    );
}

#[test]
fn type_and_value_can_be_exported_under_the_same_name() {
    check(
        "// a.ts\nexport type ¦T = string;\nexport const New = 1;\nlet x: T;\n// b.ts\nimport { T } from './a';\nlet y: T;",
        "// a.ts\nexport type New = string;\nexport const New = 1;\nlet x: New;\n// b.ts\nimport { New } from './a';\nlet y: New;",
    );
    for text in [
        "// a.ts\nexport class ¦T {}\nexport const New = 1;",
        "// a.ts\nexport type ¦T = 1;\nexport class New {}",
        "// a.ts\nexport type ¦T = 1;\nexport const New = 1;\n// b.ts\nimport { T, New } from './a';\nlet y: T = New;",
    ] {
        let mut files = files_of(text);
        let at = files["a.ts"].find('¦').expect("a marked place") as u32;
        files.values_mut().for_each(|text| *text = text.replace('¦', ""));
        assert!(rename_showing(&files, "a.ts", Subject::At(at), "New").is_err(), "{text}");
    }
}

#[test]
fn name_of_package_is_renamed_locally_at_its_uses() {
    let before = "// a.ts\nimport { it, expect } from 'vitest';\n¦it('x', () => {});\n// node_modules/vitest/package.json\n{}\n// node_modules/vitest/index.d.ts\nexport declare const it: any;";
    let after = before.replace("{ it,", "{ it as New,").replace("¦it(", "New(");
    check(before, &after);
}

#[test]
fn imports_in_unparsed_text_are_never_lost() {
    for bad in [
        "import { target } from './a';\n\ntarget();\nif (",
        "const before = 1;\nimport { target } from './a';\n\ntarget();\nif (",
        "import { target } from './a'; target(); const x = (;\n",
        "const before = 1;\nimport { target } from './a'; target(); const x = (;\n",
        "const { target } = require('./a'); target(); const x = (;\n",
        "const before = 1;\nconst { target } = require('./a'); target(); const x = ((;\n",
        "const before = 1;\nexport * from './a'; const x = ((;\n",
        "import { target } from './a';\ntarget();\n<div>\n",
        "import { target } from './a'; @@@ target();\n",
    ] {
        let specifiers: Vec<String> =
            TypeScript::links(&open("bad.ts", bad)).into_iter().map(|link| link.specifier).collect();
        assert_eq!(specifiers, ["./a"], "{bad}");
        let files = files_of(&format!("// a.ts\nexport function target() {{}}\n// bad.ts\n{bad}"));
        match rename_showing(&files, "a.ts", Subject::Address("target".to_owned()), "New") {
            Ok(after) => assert_ne!(after["bad.ts"], bad, "the file is neither changed nor listed"),
            Err(failure) => assert_eq!(failure.message, "the file cannot be parsed", "{bad}"),
        }
    }
}

#[test]
fn parameter_properties_of_related_classes_are_listed() {
    for text in [
        "interface Shape { ¦New: number; y: number } class P { constructor(public §x: number, public y: number) {} } const s: Shape = new P(1, 2);",
        "interface Shape { ¦New: number; y: number } class P { constructor(readonly §x = 1, protected z = 1, readonly y = 2) {} }",
        "interface Shape { §x: number; y: number } class P { constructor(public ¦New: number, public y: number) {} } new P(1, 2).New;",
        "class Q { ¦New = 1; y = 1 } class P { constructor(public §x: number, public y: number) {} } const q: Q = new P(1, 2);",
        "interface Shape { ¦New: number; y: number } class P { constructor(private x: number, readonly y: number) {} }",
        "interface Shape { ¦New: number; y: number } class P { constructor(public x: number, public z: number) {} }",
    ] {
        crate::host::check_renamed("x", text);
    }
}
