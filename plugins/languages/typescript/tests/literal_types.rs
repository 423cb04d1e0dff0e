//! Values of literal types: strings that get the type only later are listed, keys of records over a union are renamed
//! with it. The notation is that of `completeness.rs`.

use crate::host::check_renamed;

#[test]
fn strings_that_flow_into_a_union_are_listed() {
    for text in [
        "type K = '¦New' | 'b'; function f(k: K) {} const m = cond ? '§a' : 'b'; f(m);",
        "type K = '¦New' | 'b'; function f(k: K) {} const m = '§a'; f(m); const o = { k: '§a' } as const; f(o.k);",
        "type K = '¦New' | 'b'; function f(k: K) {} const m = ['§a', 'b'] as const; m.forEach(f); for (const x of m) f(x);",
        "type K = '¦New' | 'b'; function g() { return '§a' as const; } function f(k: K) {} f(g());",
        "type K = '¦New' | 'b'; interface A { k: K } function g() { return { k: '§a' as const }; } const a: A = g();",
        "type K = '¦New' | 'b'; interface A { k: K } const o = { k: '§a' } as const; const a: A = o; const c = { k: 'New' as K };",
        "type K = '¦New' | 'b'; let k: K; k = cond ? 'New' : 'b'; k ||= 'New'; const all = new Map<K, number>([['New', 1]]);",
        // The type of these is `string`, or another union.
        "type K = '¦New' | 'b'; const x = 'a'; const y = cond ? 'a' : 'other'; console.log('a'); const z: 'a' | 'c' = 'a'; const o = { k: 'a' };",
    ] {
        check_renamed("a", text);
    }
}

#[test]
fn keys_of_records_are_renamed_with_their_union() {
    for text in [
        "const r: Record<'¦New' | 'b', number> = { New: 1, b: 2 }; r.New; const k: 'New' | 'b' = 'New'; r[k]; function f(k: 'New' | 'b') {} f('New');",
        "type K = 'New' | 'b'; const r: Record<K, number> = { ¦New: 1, b: 2 }; r.New; const k: K = 'New'; r[k]; k === 'New';",
        "type K = '¦New' | 'b'; interface V { size: number } const r: Record<K, V> = { New: { size: 1 }, b: { size: 2 } }; r.New.size;",
        "type K = '¦New' | 'b'; type Many<T> = { [P in K]: T[] }; declare const m: Many<1>; m.New; const p: Partial<Record<K, 1>> = { New: 1 }; p.New;",
        "interface S { ¦New: number; b: number } const r: Record<keyof S, { on: boolean }> = { New: { on: true }, b: { on: true } }; r.New.on;",
        "interface S { x: 1 } interface On { ¦New: boolean } const r: Record<keyof S, On> = { x: { New: true } }; r.x.New; const m: { [K in keyof S]?: On } = { x: { New: true } }; m.x?.New;",
        "type K = 'x' | 'b'; interface V { ¦New: number } declare const r: Record<K, V>, k: K; r.x.New; r[k].New;",
    ] {
        check_renamed("a", text);
    }
}

#[test]
fn keys_of_handlers_by_discriminant_are_renamed_with_it() {
    let union = "type N = { tag: '¦New'; v: number } | { tag: 'b'; l: N }; type V = { [T in N['tag']]: (n: Extract<N, { tag: T }>) => void };";
    for text in [
        "const v: V = { New: n => n.v, b: n => {} }; const n: N = { tag: 'New', v: 1 }; v.New; n.tag === 'New';",
        "declare const v: V; const m = cond ? '§a' : 'b'; v[m]; function mk(): N['tag'] { return 'New'; } const k = '§a' as const; v[k];",
        "list.map((): N => ({ tag: 'New', v: 1 })); const make = () => ({ tag: '§a' as const, v: 1 }); const n: N = make();",
    ] {
        check_renamed("a", &format!("{union} {text}"));
    }
}

#[test]
fn keys_for_type_parameters_of_strings_are_listed() {
    for text in [
        "function f<K extends string>(r: Record<K, number>, k: K) { return r[k]; } f({ ¦New: 1 }, '§a');",
        "interface S { ¦New: 1 } const prop = <K extends string>(k: K) => <T extends Record<K, any>>(o: T) => o[k]; [s].map(prop('§a'));",
        "interface S { ¦New: 1 } function prop<K extends string>(k: K): <T extends { [P in K]: unknown }>(o: T) => T[K]; prop('§a')(s);",
        "interface S { ¦New: 1 } function by<K extends string, T extends Record<K, number>>(list: T[], k: K) { return list.map(x => x[k]); } by([s], '§a');",
        "interface S { ¦New: 1 } function say<K extends string>(k: K) { console.log(k); } say('a');",
        "interface S { ¦New: 1 } declare const s: S; function id<K extends string>(k: K): K { return k; } s[id('§a')];",
    ] {
        check_renamed("a", text);
    }
}

#[test]
fn literals_as_type_arguments_are_renamed_with_the_union() {
    for text in [
        "type K = '¦New' | 'b'; interface M<T extends K> { k: T } type P = M<'New'>; declare function f<T extends K>(): T; f<'New'>();",
        "type K = 'New' | 'b'; interface M<T extends K> { k: T } type P = M<'¦New'>; type D<T extends K = 'New'> = T;",
        "type K = '¦New' | 'b'; type O = { [P in K]: 1 }; type P = Pick<O, 'New'>; type Q = Omit<O, 'New'>; type E = Extract<K, 'New'>;",
        "type K = '¦New' | 'b'; class R<T extends K> {} new R<'§a'>(); interface Z { a: 1 } type Q = Pick<Z, 'a'>;",
    ] {
        check_renamed("a", text);
    }
}

#[test]
fn objects_that_are_indexed_by_a_union_are_listed() {
    for text in [
        "type K = '¦New' | 'b'; const o = { §a: 1, b: 2 }; const f = (k: K) => o[k];",
        "type K = '¦New' | 'b'; type T = { §a: 1; b: 2 }; type U = T[K]; type V = { a: 1, b: 1 }['a'];",
        "interface S { k: '¦New' | 'b' } const o = { §a: 1, b: 2 }; const f = (s: S) => o[s.k];",
        "type K = '¦New' | 'b'; const o = { c: 1 }; const f = (k: string) => o[k]; const p = { a: 1 }; p.a;",
    ] {
        check_renamed("a", text);
    }
}

#[test]
fn values_of_other_unions_are_listed() {
    for text in [
        "type K = '¦New' | 'b'; declare function f(k: K): void; function g(k: 'a') { f(§k); }",
        "type K = '¦New' | 'b'; interface O { k: 'a' } interface A { k: K } const g = (o: O): A => ({ k: §o.k });",
        "type K = '¦New' | 'b'; declare function f(k: 'c'): void; function g(k: 'a') { h(k); } declare function h(k: 'a'): void;",
    ] {
        check_renamed("a", text);
    }
}
