//! Names that template literal types produce from the renamed one: they are listed. The notation is that of
//! `completeness.rs`.

use crate::host::check_marked as check;

/// Checks files after `old` is renamed; every `New` in them was `old`, and `¦` marks the place that was given.
#[track_caller]
fn check_old(after: &str) {
    check(&after.replace('§', "").replace("New", "old"), &after.replace('¦', ""));
}

#[test]
fn strings_that_templates_produce_are_listed() {
    for text in [
        "// a.ts\ntype K = '¦New' | 'close'; type E = §`on${Capitalize<K>}`; const n: E = '§onOld'; const o: Record<E, 1> = { §onOld: 1, onClose: 2 }; o.§onOld;",
        "// a.ts\ntype Size = '¦New' | 'lg'; type C = §`${Size}-x`; const c: C = '§old-x'; function f(c: C) {} f('§old-x'); f('lg-x'); f(`§old-x`);",
        "// a.ts\nexport type Size = '¦New' | 'lg'; export type C = §`${Size}-x`;\n// b.ts\nimport type { C } from './a'; export const c: C = '§old-x';",
        "// a.ts\nexport interface S { ¦New: string } export declare function on(e: §`${keyof S}Changed`, f: () => void): void;\n// b.ts\nimport { on } from './a'; on('§oldChanged', () => {}); on('oldChangedAt', () => {});",
        "// a.ts\ntype A = '¦New' | 'b'; type B = 'x' | 'y'; type P = §`${B}:${A}`; const p: P[] = ['§x:old', 'x:b', '§y:old'];",
        "// a.ts\ntype A = '¦New' | 'b'; type U = §`${Uppercase<A>}_KEY`; const u: U = '§OLD_KEY'; if (u === '§OLD_KEY') {}",
        "// a.ts\nexport type A = '¦New' | 'b';\n// t.ts\nimport type { A } from './a'; export type P = §`--${A}`; // old\n// u.ts\nimport type { P } from './t'; export const p: P = '§--old';",
    ] {
        check_old(text);
    }
}

#[test]
fn members_that_templates_produce_are_listed() {
    for text in [
        "// a.ts\nexport interface E { ¦New: 1 } export type H = { [K in keyof E as §`on${Capitalize<K>}`]: () => void };\n// b.ts\nimport type { H } from './a'; export const h: H = { §onOld() {} }; h.§onOld(); const { §onOld } = h;",
        "// a.tsx\ninterface E { ¦New: 1 } type H = { [K in keyof E as §`on${Capitalize<K>}`]?: () => void }; function C(p: H) { return p.§onOld; } <C §onOld={() => {}} />; <div onOld={1} />;",
        "// a.ts\ninterface S { ¦New: 1 } type G<T> = { [K in keyof T as §`get${Capitalize<K & string>}`]: () => T[K] }; declare const g: G<S>; g.§getOld();",
    ] {
        check_old(text);
    }
}

#[test]
fn other_names_that_contain_the_name_are_left() {
    for text in [
        "// a.ts\ntype K = '¦New' | 'b'; type E = §`on${Capitalize<K>}`; interface P { onOld: 1 } declare const p: P; p.onOld; type X = 'onOld'; class C { onOld = 1 }",
        "// a.ts\ntype K = '¦New' | 'b'; const o = { onOld: 1 }; o.onOld; f('old-x', 'onOld');",
        "// a.ts\ninterface S { ¦New: 1 } interface T { b: 1 } type E = `on${Capitalize<keyof T>}`; f('onOld');",
    ] {
        check_old(text);
    }
}
