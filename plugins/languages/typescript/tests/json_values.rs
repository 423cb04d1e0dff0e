//! Values from JSON that are used as a type with the member: the data keeps the old key, so they are listed.
//! The notation is that of `completeness.rs`.

use crate::host::check_renamed;

#[test]
fn modules_of_data_are_listed_where_they_get_the_type() {
    let data = "// data.json\n{ \"userId\": 5, \"items\": [{ \"userId\": 6 }] }\n// a.ts\nimport data from './data.json'; interface Rec { ¦New: number }";
    for text in [
        "const all: Rec[] = §data; all[0].New;",
        "const r: Rec = { §...data }; r.New;",
        "const r = §data as Rec; const s = §data as unknown as Rec; const t = <Rec>§data;",
        "const all: Rec[] = §data.items; declare function show(r: Rec): void; show(§data.items[0]); data.items.forEach(r => show(§r));",
        "for (const item of data.items) { const r: Rec = §item; } const first: Rec = §data.items.filter(Boolean)[0];",
        "function f(): Rec { return §data; } const g = (): Rec => §data; class C { r: Rec = §data; }",
        "interface Config { rec: Rec; all: Rec[] } const c: Config = §data; const m: Map<string, Rec> = new Map(); const d: Record<string, Rec> = §data;",
        "const raw = data; const { items } = data; const r: Rec = §raw; const all: Rec[] = §items;",
        // Another type, and data without a type.
        "interface Other { x: number } const o: Other = data; console.log(data); const copy = { ...data };",
    ] {
        let text = text.replace("§...", "...§");
        check_renamed_data(&format!("{data} {text}"));
    }
    check_renamed_data(
        "// data.json\n{ \"userId\": 1 }\n// a.ts\nimport * as data from './data.json'; interface Rec { ¦New: number } const all: Rec[] = §data.items;",
    );
    check_renamed_data(
        "// data.json\n{ \"userId\": 1 }\n// a.ts\nimport { items } from './data.json'; interface Rec { ¦New: number } const all: Rec[] = §items; const l: Rec = §require('./data.json');",
    );
    // A file that does not contain the key.
    check_renamed_data(
        "// data.json\n{ \"other\": 1 }\n// a.ts\nimport data from './data.json'; interface Rec { ¦New?: number } const all: Rec[] = data; const r = data as Rec;",
    );
}

#[test]
fn results_of_json_parse_are_listed_where_they_get_the_type() {
    for text in [
        "interface Rec { ¦New: number } const r = §JSON.parse('{}') as Rec; const s: Rec = §JSON.parse('{}'); declare function show(r: Rec): void; show(§JSON.parse('{}'));",
        "interface Rec { ¦New: number } interface Box { rec?: Rec } const r: Box = §JSON.parse('{}'); const all: Rec[] = §JSON.parse('[]').list;",
        "interface Rec { ¦New: number } function f(text: string): Rec { return §JSON.parse(text); } async function g(): Promise<Rec> { return §JSON.parse(''); }",
        "interface Rec { ¦New: number } interface Other { x: 1 } const o = JSON.parse('{}') as Other; JSON.parse('{}'); const any = JSON.parse('') as any;",
    ] {
        check_renamed("userId", text);
    }
}

/// Checks a rename in `a.ts` beside a file whose keys have the old name.
#[track_caller]
fn check_renamed_data(after: &str) {
    let (data, code) = after.split_once("// a.ts\n").expect("a code file");
    let before = code.replace('§', "").replace("New", "userId");
    crate::host::check_marked(
        &format!("{data}// a.ts\n{before}"),
        &format!("{data}// a.ts\n{}", code.replace('¦', "")),
    );
}
