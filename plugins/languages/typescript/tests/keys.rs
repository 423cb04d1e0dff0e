//! Strings that name a member: they are renamed where a key of its type is expected, and listed if their value flows
//! into code that is not analyzed. The notation is that of `completeness.rs`: the target is marked with `¦`, the new
//! name is `New`, and unresolved occurrences are preceded by `§`.

use crate::host::{check_marked as check, check_renamed};

/// Checks a text next to an interface `S` with `alpha` and `beta` after `alpha` is renamed.
#[track_caller]
fn check_key(after: &str) {
    let own = "export interface S { ¦alpha: number; beta: string }\ndeclare const s: S;\n";
    let before = after.replace('§', "").replace("New", "alpha");
    check(&format!("{own}{before}"), &format!("{}{after}", own.replace("¦alpha", "New")));
}

#[test]
fn rename_string_keys_in_arguments() {
    check_key("function pick<K extends keyof S>(s: S, k: K) { return s[k]; } pick({ New: 1, beta: '' }, 'New');");
    check_key(
        "function by<K extends keyof S>(k: K) {} by('New'); by<'New'>('New'); by(`New`); by(s ? 'New' : 'beta');",
    );
    check_key(
        "function get<T, K extends keyof T>(of: T, k: K) {} get(s, 'New'); get<S, 'New'>(s, 'New'); const o = { alpha: 1, gamma: 2 }; get(o, 'alpha');",
    );
    check_key("function all<T, K extends keyof T>(of: T, keys: K[]) {} all(s, ['New', 'beta']);");
    check_key("function all<T, K extends keyof T>(of: T, ...keys: K[]) {} all(s, 'beta', 'New');");
    check_key("function by<K extends Extract<keyof S, string>>(k: K) {} by('New');");
    check_key("function by<K extends keyof S & string>(k: K) {} by('New');");
    check_key("class Sorter<T> { by<K extends keyof T>(k: K) {} } new Sorter<S>().by('New');");
    check_key("class Sorter<T, K extends keyof T> { constructor(of: T, k: K) {} } new Sorter(s, '§alpha');");
    check(
        "const o = { ¦alpha: 1 }; function by<K extends keyof typeof o>(k: K) { return o[k]; } by('alpha');",
        "const o = { New: 1 }; function by<K extends keyof typeof o>(k: K) { return o[k]; } by('New');",
    );
    // A key of another type.
    check_key("interface Other { alpha: 1; gamma: 2 } function by<K extends keyof Other>(k: K) {} by('alpha');");
}

#[test]
fn keys_for_functions_of_unknown_type_are_listed() {
    // The type of the called function is not inferred, so its parameter may be `keyof S`.
    check_key(
        "function form<T extends object>(of: T) { const get = (k: keyof T) => k; return { get }; } form(s).get('§alpha'); const { get } = form(s); get('§alpha');",
    );
    check_key("declare const any: any; any.get('§alpha');");
    // A function of the platform or the project with other parameters.
    check_key("console.log('alpha'); declare function t(key: string): string; t('alpha');");
}

#[test]
fn strings_that_are_compared_with_keys_of_the_object_are_listed() {
    for text in [
        "for (const k in s) if (k === '§alpha') f();",
        "Object.keys(s).filter(k => k !== '§alpha');",
        "Object.keys(s).filter(k => k).forEach(function (k) { switch (k) { case '§alpha': break; } });",
        "for (const k of Object.getOwnPropertyNames(s)) if ('§alpha' == k) f();",
        "for (const [k, v] of Object.entries(s)) if (k === '§alpha') f(v);",
        "Object.entries(s).map(([k]) => k === '§alpha'); Object.entries(s).map(e => e[0] === '§alpha');",
        "new Proxy(s, { get(t, k) { return k === '§alpha' ? 1 : Reflect.get(t, k); } });",
        "JSON.stringify(s, (k, v) => k === '§alpha' ? undefined : v); JSON.stringify(s, ['§alpha', 'x']);",
        "const skip = ['§alpha']; Object.keys(s).filter(k => !skip.includes(k));",
        "const skip = new Set(['§alpha']); Object.entries(s).filter(([k]) => !skip.has(k));",
        "declare const any: any; for (const k in any) if (k === '§alpha') f();",
        // A variable that is declared with itself.
        "var skip = ['§alpha']; var skip = skip; var skip = skip; Object.keys(s).filter(k => !skip.includes(k));",
    ] {
        check_key(text);
    }
    for text in [
        // Keys of another object, values, and texts that are not keys.
        "const o = { gamma: 1 }; for (const k in o) if (k === 'alpha') f(); Object.keys(o).filter(k => k !== 'alpha');",
        "for (const [k, v] of Object.entries(s)) if (v === 'alpha') f(k); Object.values(s).filter(v => v === 'alpha');",
        "const o = { gamma: 1 }; JSON.stringify(o, ['alpha']); const skip = ['alpha']; ['a'].filter(k => !skip.includes(k));",
        "function g(text: string) { return text === 'alpha'; } new Map([['alpha', 1]]).has('alpha');",
    ] {
        check_key(text);
    }
}

#[test]
fn keys_in_collections_and_in_types_that_copy_members_are_renamed() {
    check_key("const set = new Set<keyof S>(['New']); const map: Map<string, keyof S> = new Map([['alpha', 'New']]);");
    check_key("const set = new Set<S>([{ New: 1, beta: '' }]); const list: Set<S> = new Set([{ New: 1, beta: '' }]);");
    check_key("type P<T, K extends keyof T> = { [Q in K]: T[Q] }; const p: P<S, 'New'> = { New: 1 }; p.New;");
    check_key("class Set { constructor(values: string[]) {} } new Set(['alpha']);");
}

#[test]
fn members_of_import_meta_that_the_program_adds_are_listed() {
    check_key("interface ImportMeta { readonly env: S } import.meta.env.§alpha; import.meta.url.alpha;");
}

#[test]
fn strings_in_data_that_the_program_reads_as_keys_are_listed() {
    for text in [
        "['§alpha', 'beta'].map(k => (s as any)[k]);",
        "var keys = ['§alpha']; var keys = keys; var keys = keys; for (const k of keys) (s as any)[k];",
        "const keys = ['§alpha']; for (const k of keys) (s as any)[k];",
        "const rows = [['x', '§alpha'], ['y', 'beta']] as const; rows.map(([label, key]) => s[key]);",
        "const columns = [{ key: '§alpha', label: 'alpha' }]; columns.map(c => (s as any)[c.key]);",
        "const columns = [{ key: '§alpha' }]; columns.map(({ key }) => (s as any)[key]);",
        "function by(key: string) { return [s].sort((a: any, b: any) => a[key] - b[key]); } by('§alpha');",
    ] {
        check_key(text);
    }
    for text in [
        "['alpha', 'x'].map(k => k.length); const names = ['alpha']; names.forEach(n => console.log(n));",
        "const columns = [{ key: 'alpha' }]; columns.map(c => c.key); const o = { gamma: 1 }; columns.map(c => o[c.key]);",
        "function by(key: string) { return key.length; } by('alpha');",
        "const rows = [['x', 'alpha']]; rows.map(([label, key]) => label);",
    ] {
        check_key(text);
    }
}

#[test]
fn rename_or_list_keys_in_types() {
    check_key("type P<K extends keyof S = 'New'> = S[K]; type Q = P<'New'>;");
    check_key(
        "type P = Pick<S, 'New'>; type O = Omit<S, 'New' | 'beta'>; type E = Exclude<keyof S, 'New'>; type X = Extract<keyof S, 'New'>;",
    );
    check_key("type R = Record<keyof S, number>; const r: R = { New: 1, beta: 2 };");
    check_key("type G<K extends keyof S> = K extends '§alpha' ? 1 : 2;");
    check_key("type M = { [K in keyof S as K extends '§alpha' ? never : K]: S[K] };");
    check_key("type F = { [K in '§alpha' | 'beta']: S[K] };");
    check_key("type Key = '§alpha' | 'beta'; function by(k: Key) { return s[k]; } by('alpha');");
    check_key("function by<K extends '§alpha' | 'beta'>(k: K) { return s[k]; } by('alpha');");
    check_key(
        "interface Other { alpha: 1; gamma: 2 } type P = Pick<Other, 'alpha'>; type Q<K extends keyof Other> = K; type R = Q<'alpha'>;",
    );
    // A union of strings, none of which except this one is the name of a member.
    check_key("type Kind = 'alpha' | 'numeric' | 'none'; const kind: Kind = 'alpha';");
    // An unused type.
    check_key("type Kind = 'alpha';");
    check_key("export type Kind = '§alpha';");
}

#[test]
fn key_of_unknown_type_is_listed() {
    check_key(
        "type Names<T> = { [K in keyof T]: T[K] extends string ? K : never }[keyof T]; class C { k: Names<S> = '§alpha'; f() { this.k = '§alpha'; } } const o: { k: Names<S> } = { k: '§alpha' };",
    );
    check_key(
        "type Names<T> = { [K in keyof T]: T[K] extends string ? K : never }[keyof T]; function by(k: Names<S>) {} by('§alpha');",
    );
    check_key("function by<K extends §`${keyof S}`>(k: K) {} by('§alpha');");
}

#[test]
fn strings_used_as_keys_are_listed() {
    check_key("const k = '§alpha'; s[k];");
    check_key("const k = '§alpha' as const; s[k]; const { [k]: x } = s;");
    check_key("const k = '§alpha'; function f(s: S) { const { [k]: x } = s; return x; }");
    check_key("const k = '§alpha'; ({ [k]: 1 });");
    check_key("function k() { return '§alpha' as const; } s[k()];");
    check_key("const k = () => '§alpha' as const; s[k()];");
    check_key("enum E { A = '§alpha' } s[E.A];");
    check_key("const K = { a: '§alpha', b: 'beta' } as const; s[K.a];");
    check_key("for (const k of ['§alpha', 'beta'] as const) s[k];");
    check_key("const all = ['§alpha', 'beta'] as const; all.map(k => s[k]);");
    check_key("function read(k: any) { return s[§k]; } read('§alpha');");
    check_key("function by<K extends keyof S>(k: K) {} const k = '§alpha'; by(k);");
    check_key("export const k = '§alpha';");
    check_key("export enum E { A = '§alpha' }");
    check_key("export enum E { A = '§alpha', B = 'beta' }");
    check_key("export enum E { A = 'alpha', B = 'omega' }");
    check(
        "// a.js\nexport class A { ¦go() {} }\nconst k = 'go'; new A()[k]();",
        "// a.js\nexport class A { New() {} }\nconst k = '§go'; new A()[k]();",
    );
    check("enum E { ¦A, B } const k = 'A'; E[k];", "enum E { New, B } const k = '§A'; E[k];");
}

#[test]
fn value_of_an_enum_member_with_its_own_name_is_no_key_if_no_file_reads_it_as_one() {
    for text in [
        "// a.ts\nexport enum E { ¦New = 'alpha', B = 'beta' }\n// b.ts\nimport { E } from './a'; const all: E[] = [E.New]; if (all[0] === E.New) {} const o = { [E.New]: 1 }; o[E.New];",
        "// a.ts\nexport enum E { ¦New = 'alpha' }\n// b.ts\nimport { E } from './a'; E[E.§New]; const k = E.§New; E[§k];",
        "// a.ts\nenum E { ¦New = 'alpha' } E[E.§New]; export { E };",
        "// a.ts\nexport enum E { ¦New = 'alpha' } E.New; switch ('x' as E) { case E.New: }",
    ] {
        crate::host::check_renamed("alpha", text);
    }
}

#[test]
fn names_that_are_tested_with_in_are_renamed_if_the_type_is_certain() {
    check_key("'New' in s;");
    check_key("interface T { gamma: 1 } const f = (u: S | T) => 'New' in u ? u.New : u.gamma;");
    check_key("interface T { gamma: 1 } function f(u: S | T) { if (!('New' in u)) return u.gamma; return u.New; }");
    check_key("declare const any: any; '§alpha' in any; const f = (u: S | { [k: string]: 1 }) => '§alpha' in u;");
    check_key("interface T { gamma: 1 } declare const t: T; const g = (u: S | Lost) => '§alpha' in u;");
}

#[test]
fn other_strings_are_ignored() {
    check_key("const k = 'alpha'; console.log(k, k + 1, `${k}`, k.length); const o = { k: 'alpha' }; o.k;");
    check_key("interface T { alpha: string; gamma: 1 } declare const t: T; const k = 'alpha'; t[k];");
    check_key("function read(k: any, o: { [key: string]: 1 }) { return o[k]; } read('alpha', {});");
    check_key("enum E { A = 'alpha' } console.log(E.A); const all = ['alpha', 'gamma'] as const; all.map(String);");
}

#[test]
fn exported_key_strings_are_listed() {
    check(
        "// a.ts\nexport class A { ¦go() {} stop() {} }\n// k.ts\nexport const k = 'go'; export const all = ['go', 'stop'] as const; export type Key = 'go' | 'stop'; const own = 'go';\n// u.ts\nimport { A } from './a'; import { k } from './k'; new A()[k]();",
        "// a.ts\nexport class A { New() {} stop() {} }\n// k.ts\nexport const k = '§go'; export const all = ['§go', 'stop'] as const; export type Key = '§go' | 'stop'; const own = 'go';\n// u.ts\nimport { A } from './a'; import { k } from './k'; new A()[k]();",
    );
    check(
        "// a.tsx\ninterface S { ¦go: 1; stop: 1 } function Field(p: { k: keyof S }) {} <Field k=\"go\" />; <Field k={'go'} />; <Other k=\"go\" />;",
        "// a.tsx\ninterface S { New: 1; stop: 1 } function Field(p: { k: keyof S }) {} <Field k=\"New\" />; <Field k={'New'} />; <Other k=\"go\" />;",
    );
}

#[test]
fn rename_members_of_mapped_types() {
    check(
        "// a.ts\ninterface Api { ¦getUser(): void } type Name = keyof Api; const names: { [N in Name]: N } = { getUser: 'getUser' }; names.getUser;",
        "// a.ts\ninterface Api { New(): void } type Name = keyof Api; const names: { [N in Name]: N } = { New: 'New' }; names.New;",
    );
    check(
        "// a.ts\ntype Name = '¦getUser' | 'other'; const names: { [N in Name]: N } = { getUser: 'getUser', other: 'other' }; names.getUser;",
        "// a.ts\ntype Name = 'New' | 'other'; const names: { [N in Name]: N } = { New: 'New', other: 'other' }; names.New;",
    );
    check(
        "// a.ts\ntype Name = 'getUser' | 'other'; const names: { [N in Name]: N } = { ¦getUser: 'getUser', other: 'other' };",
        "// a.ts\ntype Name = 'New' | 'other'; const names: { [N in Name]: N } = { New: 'New', other: 'other' };",
    );
    check(
        "// a.ts\ninterface Api { ¦get: { id: 1 } } type Same = { [K in keyof Api]: Api[K] }; declare const s: Same; s.get.id;",
        "// a.ts\ninterface Api { New: { id: 1 } } type Same = { [K in keyof Api]: Api[K] }; declare const s: Same; s.New.id;",
    );
}

#[test]
fn paths_of_keys_are_listed() {
    for (name, text) in [
        (
            "home",
            "const en = { nav: { ¦New: 'Home' } }; t('nav.§home'); t('nav.homes'); t('about.home'); t(`app:nav.§home`);",
        ),
        (
            "home",
            "const en = { nav: { ¦New: 'Home' } }; t('common:nav.§home.title'); const s = 'nav.§home'; t('a/nav.home'); t('nav home');",
        ),
        (
            "name",
            "const o = { user: { ¦New: 1 } }; get(o, ['user', '§name']); set(o, 'user.§name', 1); get(o, 'user[0].§name'); get(o, ['other', 'name']);",
        ),
        ("name", "const o = { ¦New: { first: 1 } }; get(o, '§name.first'); get(o, 'name.last'); open('name.js');"),
        (
            "city",
            "interface Address { ¦New: string } interface User { address: Address } get(user, 'address.§city'); get(user, 'streets.city');",
        ),
        (
            "city",
            "type User = { address: { ¦New: string } | null; other: string }; get(user, 'address.§city'); get(user, 'other.city');",
        ),
        ("name", "class User { ¦New = 1 } class Team { lead = new User() } sort('lead.§name', 'leader.name');"),
        ("home", "export default { nav: { ¦New: 'Home' } }; const x = { key: 'nav.§home' }; import 'nav.home';"),
    ] {
        check_renamed(name, text);
    }
}

#[test]
fn discriminants_of_mapped_types_are_renamed_with_the_key() {
    let map = "interface M { ¦New: A; b: B } interface A { p: 1 } interface B { p: 1 }";
    for text in [
        "type Ev = { [K in keyof M]: { kind: K; data: M[K] } }[keyof M]; declare const e: Ev; if (e.kind === 'New') e.data; switch (e.kind) { case 'New': break; }",
        "type Evs = { [K in keyof M]: { kind: K } }; type Ev = Evs[keyof M]; function mk(): Ev { return { kind: 'New' }; } const e: Ev = { kind: 'New' };",
        "type Ev<K extends keyof M = keyof M> = K extends any ? { kind: K; data: M[K] } : never; declare const e: Ev; e.kind === 'New'; declare const f: Ev<'New'>; f.kind === 'New';",
        "declare function on<K extends keyof M>(k: K, f: (e: { type: K }) => void): void; on('New', e => e.type === 'New');",
        "type Refs = { [K in keyof M]: { k: K } }; declare const r: Refs; r.New.k === 'New'; const q: Refs = { New: { k: 'New' }, b: { k: 'b' } };",
    ] {
        check_renamed("open", &format!("{map} {text}"));
    }
    // The type of a member depends on the key.
    let map = "interface M { open: A; b: B } interface A { ¦New: 1; q: 1 } interface B { p: 1; r: 1 }";
    for text in [
        "declare function on<K extends keyof M>(k: K, f: (d: M[K]) => void): void; on('open', d => d.New); on('b', d => d.p);",
        "type R<T> = { value: T }; type Refs = { [K in keyof M]: R<M[K]> }; declare const r: Refs; r.open.value.New; r.b.value.p;",
    ] {
        check_renamed("p", &format!("{map} {text}"));
    }
}
