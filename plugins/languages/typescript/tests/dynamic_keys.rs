//! Keys that the program computes: they are listed if they may be the name of the member.
//! The notation is that of `completeness.rs`.

use crate::host::check_renamed;

#[test]
fn computed_texts_that_may_be_the_name_are_listed() {
    let api = "class Api { ¦New() {} getPost() {} } declare const api: Api; declare const text: string;";
    for text in [
        "function call(k: 'User' | 'Post') { return api[§`get${k}`](); }",
        "function call(k: string) { return (api as any)[§`get${k}`](); }",
        "function call(k: string) { return (api as Record<string, any>)[§`get${k}`](); }",
        "function call(k: string) { return (api as unknown as { [name: string]: () => void })[§`get${k}`](); }",
        "(api as any)[§'get' + text](); (api as any)['set' + text](); (api as any)[`${text}Post`]; (api as any)[§`${text}User`];",
        "const any: any = api; any[§`get${text}`](); any[`set${text}`]; any[text]; any[`${text}`];",
        "class Sub extends Api { run(k: string) { return (this as any)[§`get${k[0].toUpperCase()}${k.slice(1)}`](); } }",
        "function call(k: 'Team' | 'Post') { return (api as any)[`get${k}`](); }",
        "const { [§`get${text}`]: method } = api as any as Api; Reflect.get(api, §`get${text}`); api.hasOwnProperty(§`get${text}`);",
    ] {
        check_renamed("getUser", &format!("{api} {text}"));
    }
}

#[test]
fn texts_that_are_used_as_keys_of_the_owner_are_listed() {
    for text in [
        "const handlers = { ¦New: () => 's', stop: () => 'x' }; const cmd = ['§start'].map(String)[0]; handlers[§cmd as keyof typeof handlers]();",
        "const handlers = { ¦New: () => 's', stop: () => 'x' }; declare const cmd: any; handlers[§cmd](); if (§cmd in handlers) {}",
        "enum E { ¦New, stop } declare const k: string; E[§k as keyof typeof E]; declare const n: number; E[n]; E[E.stop];",
        "const table: Record<string, () => void> = { ¦New() {}, stop() {} }; declare const k: string; table[§k]();",
        "const table: { [name: string]: () => void } = { ¦New() {} }; function run(k: string) { return table[§k](); } const other: Record<string, 1> = {}; other['x']; function f(k: string) { return other[k]; }",
        "interface S { ¦New: number } function read(s: S, key: string) { return (s as any)[§key]; }",
        "interface S { ¦New: number } function pick(k: keyof S) {} function f(text: string) { pick(§text as keyof S); }",
        "class A { ¦New() {} run(k: string) { (this as any)[§k](); } }",
    ] {
        check_renamed("start", text);
    }
}

#[test]
fn computed_keys_in_copies_of_the_owner_are_listed() {
    for text in [
        "interface Form { ¦New: string } const on = (f: Form, e: { name: string; value: string }): Form => ({ ...f, [§e.name]: e.value });",
        "interface Form { ¦New: string } const on = (f: Form, name: string) => ({ ...f, [§name]: 1 });",
        "interface Form { ¦New: string } declare function set(f: Partial<Form>): void; const on = (name: string) => set({ [§name]: 'v' });",
        "import { useState } from 'react'; interface Form { ¦New: string } function C() { const [form, setForm] = useState<Form>({ New: '' }); return (e: any) => setForm({ ...form, [§e.target.name]: e.target.value }); }",
        "import { useState } from 'react'; interface Form { ¦New: string } function C() { const [form, setForm] = useState<Form>({ New: '' }); return (e: any) => setForm(prev => ({ ...prev, [§e.target.name]: e.target.value })); }",
        "interface Form { ¦New: string } const f = (o: { other: 1 }, name: string) => ({ ...o, [name]: 1 }); const g = (o: Form, id: number) => ({ ...o, [id]: 1, [`x-${id}`]: 2 });",
    ] {
        check_renamed("email", text);
    }
}

#[test]
fn keys_that_the_compiler_checks_are_not_listed() {
    let own = "interface S { ¦New: number; beta: string } declare const s: S;";
    for text in [
        "function get<K extends keyof S>(k: K) { return s[k]; } function by(k: keyof S) { return s[k]; }",
        "for (const k in s) s[k as keyof S]; (Object.keys(s) as (keyof S)[]).forEach(k => s[k]); Object.keys(s).forEach(k => s[k as keyof S]);",
        "for (const [k, v] of Object.entries(s)) (s as any)[k] = v; Object.keys(s).map(k => (s as any)[k]);",
        "declare const list: S[]; for (let i = 0; i < 3; i++) list[i]; list[list.length - 1].New; const n: number = 1; (s as any)[n];",
        "const o: { [key: string]: number } = {}; function f(k: string) { return o[k]; } class C { [Symbol.iterator]() {} } (s as any)[Symbol.iterator];",
        "const other = { gamma: 1 }; function f(k: string) { return other[k as keyof typeof other]; } console.log('alpha');",
        "declare const any: any; function f(k: string) { return any[k]; }",
    ] {
        check_renamed("alpha", &format!("{own} {text}"));
    }
}

#[test]
fn computed_keys_in_files_without_the_name_are_listed() {
    let api = "// a.ts\nexport class Api { ¦New() {} } export const handlers = { stop: 1 };\n// b.ts\nimport { Api } from './a';";
    for text in [
        "export const call = (api: Api, kind: string) => api[§`get${kind}`]();",
        "export const call = (api: Api, kind: string) => (api as any)[§`${kind}User`]();",
        "export const call = (api: Api, kind: string) => (api as any)[§'get' + kind]();",
        "export const call = (api: Api, kind: string) => api[§kind as keyof Api]();",
    ] {
        check_renamed("getUser", &format!("{api} {text}"));
    }
    check_renamed(
        "start",
        "// a.ts\nexport const handlers = { ¦New: () => 's', stop: () => 'x' };\n// b.ts\nimport { handlers } from './a'; export const run = (text: string) => handlers[§text as keyof typeof handlers]();",
    );
}

#[test]
fn computed_reads_of_the_exports_of_a_module_are_listed() {
    let own = "// a.ts\nexport function ¦New() {} export function beta() {}\n// b.ts\n";
    for text in [
        "import * as a from './a'; export const run = (key: string) => (a as any)[§key]();",
        "import * as a from './a'; export const run = (key: 'alpha' | 'beta') => a[key]();",
        "import * as a from './a'; export const run = (key: keyof typeof a) => a[key](); run('New');",
        "import * as a from './a'; export const run = (key: string) => (a as Record<string, () => void>)[§key]();",
        "import * as a from './a'; export const run = (key: string) => Reflect.get(a, §key) || §key in a;",
        "import * as a from './a'; export const run = (key: any) => { const { [§key]: f } = a; f(); };",
        "import * as a from './a'; export const run = (key: string) => (a as any)[`beta${key}`]();",
        "import * as a from './a'; declare const other: any; export const run = (key: string) => other[key]();",
        "export const run = async (key: string) => ((await import('./a')) as any)[§key]();",
        "import { beta } from './a'; export const run = (key: string) => (beta as any)[key];",
    ] {
        check_renamed("alpha", &format!("{own}{text}"));
    }
}
