//! Shared by the host's fuzz targets: a project with a file of every format, and generated arguments for calls.

use std::cell::RefCell;

use arbitrary::{Result, Unstructured};
use marquetry_native::Project;
use serde_json::{Map, Value, json};

/// A file of every format, some with links to others.
pub const FIXTURE: &str = r##"//- /src/a.ts
import { b } from "./b";
export function add(x: number, y: number): number { return x + b * y; }
export class Shape { area = 1; grow(by: number) { this.area += by; } }
//- /src/b.ts
export const b = 2;
//- /data.json
{ "name": "sample", "list": [1, 2, { "deep": true }], "file": "./src/a.ts" }
//- /data.yaml
name: sample
list: [1, 2]
map: { a: &x 1, b: *x }
//- /page.html
<html><head><link rel="stylesheet" href="style.css"></head><body><h1 id="top" class="card">Hi</h1><a href="README.md">read</a></body></html>
//- /style.css
:root { --gap: 1px } .card { color: red; margin: var(--gap) }
//- /feed.xml
<?xml version="1.0"?><feed><entry id="1">text</entry></feed>
//- /README.md
# Title

[code](src/a.ts) and [data](data.json).

## Part

Text.
//- /notes.txt
one
two
"##;

/// Strings that are valid paths, targets or values in some calls.
const WORDS: [&str; 62] = [
    "src/a.ts",
    "src/b.ts",
    "data.json",
    "data.yaml",
    "page.html",
    "style.css",
    "feed.xml",
    "README.md",
    "notes.txt",
    "src",
    "new/file.ts",
    "../out",
    "/etc/passwd",
    "**/*",
    "src/*.ts",
    "add",
    "Shape.grow",
    "Shape",
    "b",
    "x",
    "$.name",
    "$.list[0]",
    "$..deep",
    "$['",
    ".card",
    "h1#top",
    "//entry/@id",
    "//entry",
    "# Title",
    "Part",
    "--gap",
    "top",
    "card",
    "replace",
    "delete",
    "insert_before",
    "insert_after",
    "append",
    "prepend",
    "replace_text",
    "rename_symbol",
    "refactor",
    "references",
    "symbols",
    "search",
    "diagnostics",
    "gitStatus",
    "codeActions",
    "callHierarchy",
    "hover",
    "working",
    "HEAD",
    "export const c = 1;\n",
    "function f() {",
    "{\"a\":1}",
    "- 1\n- 2",
    "<p>x</p>",
    "\r\n",
    "\u{feff}",
    "foo($A, $$$REST)",
    "(",
    "[a-z]+",
];

/// Generates a JSON value, usually a meaningful string.
pub fn value(input: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    Ok(match input.int_in_range(0..=if depth == 0 { 9 } else { 12 })? {
        0 => Value::Null,
        1 => input.arbitrary::<bool>()?.into(),
        2 => input.arbitrary::<i64>()?.into(),
        3 => input.int_in_range(0..=20_i64)?.into(),
        4 => input.arbitrary::<String>()?.into(),
        10 => (0..input.int_in_range(0..=3)?).map(|_| value(input, depth - 1)).collect::<Result<Vec<_>>>()?.into(),
        11 => json!({ "symbol": *input.choose(&WORDS)? }),
        12 => {
            let pair = |input: &mut Unstructured<'_>| Ok((input.choose(&WORDS)?.to_string(), value(input, depth - 1)?));
            (0..input.int_in_range(0..=3)?).map(|_| pair(input)).collect::<Result<Map<_, _>>>()?.into()
        }
        _ => (*input.choose(&WORDS)?).into(),
    })
}

/// Generates arguments from a tool's schema: valid names, and values that may have the wrong type.
pub fn arguments(input: &mut Unstructured<'_>, schema: &Value, depth: usize) -> Result<Map<String, Value>> {
    let Some(names) = schema["properties"].as_object() else { return Ok(Map::new()) };
    let names: Vec<(&String, &Value)> = names.iter().collect();
    let mut given = Map::new();
    for required in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        given.insert(required.to_owned(), member(input, &schema["properties"][required], depth)?);
    }
    for _ in 0..input.int_in_range(0..=4)? {
        let (name, schema) = *input.choose(&names)?;
        given.insert(name.clone(), member(input, schema, depth)?);
    }
    Ok(given)
}

fn member(input: &mut Unstructured<'_>, schema: &Value, depth: usize) -> Result<Value> {
    if input.ratio(1, 8)? {
        return value(input, depth);
    }
    if let Some(words) = schema["enum"].as_array().filter(|words| !words.is_empty()) {
        return Ok(input.choose(words)?.clone());
    }
    match schema["type"].as_str() {
        Some("boolean") => Ok(input.arbitrary::<bool>()?.into()),
        Some("integer" | "number") => Ok(input.int_in_range(0..=40_u32)?.into()),
        Some("object") if depth > 0 => Ok(arguments(input, schema, depth - 1)?.into()),
        Some("array") if depth > 0 => {
            let some = 0..input.int_in_range(0..=3)?;
            Ok(some.map(|_| member(input, &schema["items"], depth - 1)).collect::<Result<Vec<_>>>()?.into())
        }
        _ => value(input, depth),
    }
}

thread_local! {
    static PROJECT: RefCell<Option<(Project, u32)>> = const { RefCell::new(None) };
}

/// The number of inputs that share one project.
const SHARED: u32 = 200;

/// Provides the project of this thread. It is recreated at intervals, as the effects of calls accumulate.
pub fn with_project<T>(act: impl FnOnce(&Project) -> T) -> T {
    PROJECT.with_borrow_mut(|slot| {
        let (project, uses) =
            slot.take().filter(|(_, uses)| *uses < SHARED).unwrap_or_else(|| (Project::new(FIXTURE), 0));
        let result = act(&project);
        *slot = Some((project, uses + 1));
        result
    })
}
