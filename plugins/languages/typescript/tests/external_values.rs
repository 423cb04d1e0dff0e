//! Values that are passed to or come from packages and the platform: their code keeps the old name of the member, so
//! the value is listed.
//! The notation is that of `completeness.rs`.

use crate::host::check_renamed;

#[test]
fn values_from_outside_in_files_without_the_name_are_listed() {
    for text in [
        "// a.ts\nexport interface Logger { ¦New(m: string): void } export class Service { constructor(l: Logger) {} }\n// b.ts\nimport { Service } from './a'; import { sink } from 'pkg'; new Service(§sink); new Service(§sink.child());",
        "// a.ts\nexport interface Logger { ¦New(m: string): void } export interface Options { logger: Logger } export const run = (o: Options) => {};\n// b.ts\nimport { run } from './a'; import { sink } from 'pkg'; run({ logger: §sink });",
        "// a.ts\nexport interface Logger { ¦New(m: string): void } export function use(l: Logger) {}\n// b.ts\nimport * as a from './a'; import sink from 'pkg'; a.use(§sink);",
        "// a.ts\nexport interface Sized { ¦New: number } export type Many = Sized[]; export let all: Many;\n// b.ts\nimport { all } from './a'; all.push(1);",
    ] {
        check_renamed("emitAll", text);
    }
    check_renamed(
        "log",
        "// a.ts\nexport interface Logger { ¦New(m: string): void } export class Service { constructor(l: Logger) {} }\n// b.ts\nimport { Service } from './a'; new Service(§console);",
    );
    check_renamed(
        "size",
        "// a.ts\nexport interface Sized { ¦New: number } export function f(s: Sized) {}\n// b.ts\nimport { f } from './a'; f(§new Map()); f(§new Set<string>());",
    );
}

#[test]
fn values_from_outside_are_never_instances_of_classes_with_private_members() {
    for text in [
        "import { make } from 'pkg'; class C { ¦New() {} #own = 1; f(c: C) {} } declare const c: C; c.f(make()); c.f(console); console.assert(c); const d: C = make();",
        "import { make } from 'pkg'; class C { private ¦New = 1; f(c: C) {} } declare const c: C; c.f(make());",
        "import { make } from 'pkg'; class C { constructor(private own: 1) {} ¦New() {} f(c: C) {} } declare const c: C; c.f(make());",
        "import { make } from 'pkg'; class C { ¦New() {} f(c: C) {} } declare const c: C; c.f(§make()); c.f(§console);",
    ] {
        check_renamed("log", text);
    }
}

#[test]
fn platform_values_of_own_types_are_listed() {
    for text in [
        "interface Logger { ¦New(m: string): void } const l: Logger = §console; l.New('a');",
        "interface Logger { ¦New(m: string): void } class S { constructor(private l: Logger = §console) {} } new S(§console);",
        "interface Logger { ¦New: (m: string) => void } const o: { l: Logger } = { l: §console }; let l: Logger; l = §console;",
        "interface Logger { ¦New(m: string): void } function f(quiet: boolean): Logger { return quiet ? none : §console; } declare const none: Logger;",
    ] {
        check_renamed("info", text);
    }
    check_renamed(
        "x",
        "interface Point { ¦New: number } declare const e: MouseEvent; function f(p: Point) {} f(§e); const r: Point = §document.body.getBoundingClientRect();",
    );
    check_renamed("getItem", "interface Store { ¦New(k: string): string } const s: Store = §localStorage;");
    check_renamed(
        "length",
        "interface Sized { ¦New: number } function f(s: Sized) {} f(§[1]); f(§'text'); f(§new Set()); declare const t: string; f(§t); f({ New: 1 });",
    );
    check_renamed(
        "name",
        "interface Named { ¦New: string } function f(s: Named) {} class A {} f(§A); f(§() => 1); f({ New: 'a' });",
    );
}

#[test]
fn values_of_packages_are_listed_for_functions() {
    for text in [
        "interface Logger { ¦New(m: string): void } import pino from 'pino'; const l: Logger = §pino(); function f(): Logger { return §pino; }",
        "interface Logger { ¦New(m: string): void } import { log, Log } from 'pino'; const o: { l: Logger } = { l: §log }; const p: Logger = §new Log();",
        "interface Logger { ¦New(m: string): void } import { make } from 'pino'; const l = make(); function use(l: Logger) {} use(§l);",
        // A package may return data of any type.
        "interface Config { ¦New: number } import yaml from 'js-yaml'; const c: Config = yaml.load('x');",
    ] {
        check_renamed("info", text);
    }
}

#[test]
fn own_values_for_the_platform_are_listed() {
    check_renamed(
        "weekday",
        "interface Opts { ¦New: 'long' } declare const opts: Opts; new Intl.DateTimeFormat('en', §opts); console.log(opts); JSON.stringify(opts);",
    );
    check_renamed(
        "method",
        "interface Opts { ¦New: string } declare const opts: Opts; fetch('a', §opts); const x = { ...opts };",
    );
    for text in [
        "interface Opts { ¦New: string } declare const opts: Opts; import fs from 'fs'; fs.readFileSync('a', §opts);",
        "interface Opts { ¦New: string } declare const opts: Opts; import { readFileSync } from 'node:fs'; readFileSync('a', §opts);",
        "interface Opts { ¦New: string } declare const opts: Opts; const { spawn } = require('child_process'); spawn('a', §opts);",
        "interface Opts { ¦New: string } declare const opts: Opts; import { inspect } from 'util'; inspect(opts); declare function own(o: Opts): void; own(opts);",
    ] {
        check_renamed("encoding", text);
    }
}

#[test]
fn members_that_the_language_reads_are_listed() {
    for (name, text) in [
        (
            "next",
            "const it = { [Symbol.iterator]() { return { ¦§New() { return { done: true, value: 1 } } } } }; for (const x of it) {}",
        ),
        ("next", "const it = { ¦§New() { return { done: true } }, [Symbol.iterator]() { return this; } };"),
        ("value", "class C { [Symbol.asyncIterator]() { return { next: async () => ({ done: true, ¦§New: 1 }) }; } }"),
        ("toString", "const o = { ¦§New() { return 'a'; } }; `${o}`;"),
        ("toJSON", "const o = { ¦§New: () => 1 }; JSON.stringify(o);"),
        ("then", "const o = { ¦§New(f) { f(1); } }; await o;"),
        ("next", "class List { ¦New?: List; f() { return this.New; } } const step = { next: 1 };"),
    ] {
        check_renamed(name, text);
    }
}

#[test]
fn literals_for_parts_of_a_type_are_listed() {
    let own = "interface Opt { ¦New: number; other: number }";
    for text in [
        "declare function post(o: Partial<Opt>): void; const o = { §headers: 1 }; post(o);",
        "declare function post(o: Omit<Opt, 'other'> | number): void; function f() { const o = { §headers: 1 }; post(o); }",
        "declare function set(p: Partial<Opt> | ((s: Opt) => Partial<Opt>)): void; set(s => { const next = { §headers: s.New + 1 }; return next });",
        "const o = { §headers: 1 }; const p: Partial<Opt> = o; const q = { headers: 1 }; q.headers;",
        "declare function ext<T extends Array<number | Partial<Opt>>>(...o: T): void; ext(1, { New: 1 });",
    ] {
        check_renamed("headers", &format!("{own} {text}"));
    }
}

#[test]
fn own_values_of_types_from_outside_are_listed() {
    for (name, text) in [
        (
            "handleEvent",
            "class H { ¦New(e: Event) {} start() { et.addEventListener('y', §this); } } const et = new EventTarget(); et.addEventListener('x', §new H()); const h = new H(); document.addEventListener('x', §h);",
        ),
        ("handleEvent", "interface H { ¦New(e: Event): void } declare const h: H; window.addEventListener('x', §h);"),
        (
            "log",
            "class L { ¦New() {} } const l: Pick<Console, 'log'> = §new L(); const m = §new L() as Pick<Console, 'log'>;",
        ),
        ("log", "class L { private own = 1; ¦New() {} } function f(c: Pick<Console, 'log'>) {} f(§new L());"),
        (
            "x",
            "class Pt { constructor(public ¦New: number) {} } function f(p: DOMPointInit) { return p.x; } f(§new Pt(1)); const o: { p: DOMPointInit } = { p: §new Pt(1) };",
        ),
        (
            "method",
            "interface Own { ¦New: string } function f(o: Own): RequestInit { return §o; } const g = (o: Own): RequestInit => §o;",
        ),
        (
            "write",
            "import { Sink } from 'pkg'; class Own { ¦New() {} } const s: Sink = §new Own(); function f(s: Sink) {} f(§new Own());",
        ),
        // A platform type without such a member, and functions that take any value.
        (
            "frobnicate",
            "class L { ¦New() {} } const l: Console = new L() as any; f(new L()); const e: Event = new L();",
        ),
        (
            "log",
            "class L { ¦New() {} } const l = new L(); console.log(l); JSON.stringify(l); new Map([[l, 1]]); const o: object = l; const u: unknown = l;",
        ),
    ] {
        check_renamed(name, text);
    }
}

#[test]
fn values_of_another_type_with_the_member_are_listed() {
    let other = "interface Other { name: string; x: number; y: number }";
    for text in [
        "interface Own { ¦New: string; id: number } declare const own: Own; const o: Pick<Other, 'name'> = §own;",
        "class Own { ¦New = ''; id = 1 } function f(o: Pick<Other, 'name'>) {} f(§new Own());",
    ] {
        check_renamed("name", &format!("{other} {text}"));
    }
}

#[test]
fn members_of_custom_elements_are_listed() {
    for (name, text) in [
        ("connectedCallback", "class El extends HTMLElement { ¦§New() {} }"),
        ("attributeChangedCallback", "class Base extends HTMLElement {} class El extends Base { ¦§New() {} }"),
        ("disconnectedCallback", "const El = class extends HTMLButtonElement { ¦§New() {} };"),
        ("observedAttributes", "class El extends HTMLElement { static ¦§New = ['a']; }"),
        ("observedAttributes", "class El extends HTMLElement { static get ¦§New() { return ['a']; } }"),
        ("formAssociated", "class Base extends HTMLElement {} class El extends Base { static ¦§New = true; }"),
        ("connectedCallback", "class Own { ¦New() {} }"),
        ("observedAttributes", "class Own { static ¦New = ['a']; }"),
    ] {
        check_renamed(name, text);
    }
}

#[test]
fn members_of_a_base_are_certain_beside_a_base_of_the_platform() {
    let own = "interface Own { ¦New?: number; other?: string }";
    for text in [
        "interface All extends Own, RequestInit {} declare function f(o: All): void; f({ New: 1 }); const o: All = { New: 2, method: 'GET' }; f(o); o.New;",
        "interface All extends Own, Omit<RequestInit, 'headers'> {} const o: All = { New: 2 }; const { New: n } = o;",
        "interface All extends Own, HTMLElement {} declare const e: All; e.New; e.id;",
        "import type { Base } from 'pkg'; interface All extends Base, Own {} const o: All = { New: 1 }; o.New;",
        "interface Part extends RequestInit, Own {} interface All extends Part {} declare const all: All; all.New; const p: Partial<All> = { New: 1 };",
    ] {
        check_renamed("hooks", &format!("{own} {text}"));
    }
}
