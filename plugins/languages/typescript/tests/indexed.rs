//! Reads through index signatures: the key of a literal that is typed by one is renamed, reads by its name are listed.
//! The notation is that of `completeness.rs`.

use crate::host::check_renamed;

#[test]
fn reads_of_literals_through_index_signatures_are_listed() {
    for text in [
        "const o: Record<string, number> = { ¦New: 1, beta: 2 }; o.§alpha; o['§alpha']; const { §alpha: x } = o;",
        "const o: { [key: string]: number } = { ¦New: 1 }; o.§alpha; const k = '§alpha'; o[k]; '§alpha' in o;",
        "interface Table { [key: string]: () => void } const o: Table = { ¦New() {} }; o.§alpha(); o?.§alpha?.();",
        "type Table<T> = { [key: string]: T }; const o: Table<number> = { ¦New: 1 }; export const x = o.§alpha;",
        "type Table = Partial<Record<string, number>>; const o: Table = { ¦New: 1 }; o.§alpha;",
        "const o: Readonly<Record<string, number>> = { ¦New: 1 }; o.§alpha;",
        "class C { table: Record<string, number> = { ¦New: 1 }; f() { return this.table.§alpha; } }",
        "function f(o: Record<string, number>) { return o.§alpha; } f({ ¦New: 1 }); const p = { gamma: 2 };",
        "function f(o: Record<string, number>) { return o.§alpha; } const o = { ¦New: 1 }; f(o); o.New;",
        "type Row = { ¦New: number }; declare const row: Row; function f(o: Record<string, unknown>) { return o.§alpha; } f(row);",
        "interface Row { ¦New: number } declare const row: Row; function f(o: Record<string, any>) { return o.§alpha; } f(row);",
        "const o: { [K in string]: number } = { ¦New: 1 }; o.§alpha;",
        "const o = { ¦New: 1 } as Record<string, number>; o.§alpha;",
        "const o: Record<PropertyKey, number> = { ¦New: 1 }; o.§alpha;",
        "const o: Record<string, Record<string, number>> = { a: { ¦New: 1 } }; o.a.§alpha;",
        "const list: Record<string, number>[] = [{ ¦New: 1 }]; list[0].§alpha; for (const o of list) o.§alpha;",
    ] {
        check_renamed("alpha", text);
    }
}

#[test]
fn reads_through_index_signatures_of_other_members_are_left_alone() {
    for text in [
        // An interface is not assignable to an index signature with a type.
        "interface Row { ¦New: number } declare const row: Row; row.New; declare const o: Record<string, number>; o.alpha;",
        "class Row { ¦New = 1 } new Row().New; declare const o: { [key: string]: string }; o.alpha;",
        "const o: Record<string, number> = { ¦New: 1 }; o.beta; const p: Record<string, number> = { alpha: 1 };",
    ] {
        check_renamed("alpha", text);
    }
}

#[test]
fn keys_of_literals_for_type_parameters_are_renamed() {
    for text in [
        "function define<S extends Record<string, () => void>>(s: S): S { return s; } const o = define({ ¦New() {} }); o.New();",
        "function define<S extends Record<string, () => void>>(s: S) { return s; } const o = define({ ¦New() {} }); o.New();",
        "function define<S extends Record<string, number>>(s: S) { return { get: () => s }; } define({ ¦New: 1 }).get().§alpha;",
        "const define = <const S extends { [key: string]: number }>(s: S) => s; const o = define({ ¦New: 1 }); o.New;",
        "function define<S extends Record<string, number>>(s: S) { return [s, 1] as const; } define({ ¦New: 1 })[0].New;",
        "function id<T>(a: T): T { return a; } id({ ¦New: 1 }).New; function list<T>(a: T) { return [a]; } list({ beta: 1 })[0].beta;",
        "function id<T>(a: { v: T }): T { return a.v; } id({ v: { ¦New: 1 } }).New;",
        "function id<T>(a: T): T { return a; } interface S { ¦New: 1 } declare function use(s: S): void; use(id({ New: 1 }));",
        "class Box<S extends Record<string, number>> { constructor(readonly s: S) {} } new Box({ ¦New: 1 }).s.New;",
    ] {
        check_renamed("alpha", text);
    }
}
