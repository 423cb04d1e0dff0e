//! The table of query types in `docs/queries.md` is complete: every query type and every argument is in a row, and each
//! argument of a row is used in one of the test files that the row names.

use std::{collections::BTreeSet, fs, path::Path};

use marquetry_tools::{QUERY_TYPES, QueryArgs};
use serde_json::Value;

/// A row: query types, their arguments, and test files.
struct Row {
    types: Vec<String>,
    arguments: Vec<String>,
    files: Vec<String>,
}

/// Arguments of every tool.
const OF_ALL: [&str; 2] = ["root", "type"];

#[test]
fn every_query_type_and_argument_has_a_case() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(top.join("docs/queries.md")).expect("the page");
    let rows = rows(&page);
    let types: BTreeSet<&str> = rows.iter().flat_map(|row| &row.types).map(String::as_str).collect();
    assert_eq!(types, QUERY_TYPES.into_iter().collect(), "the page and the code have the same query types");
    let schema = serde_json::to_value(schemars::schema_for!(QueryArgs)).expect("a schema");
    let known: BTreeSet<&str> = schema["properties"].as_object().expect("fields").keys().map(String::as_str).collect();
    let documented: BTreeSet<&str> =
        rows.iter().flat_map(|row| &row.arguments).map(String::as_str).chain(OF_ALL).collect();
    assert_eq!(documented, known, "the page and the code have the same arguments");
    let mut missing = Vec::new();
    for row in &rows {
        let calls: Vec<Value> =
            row.files.iter().flat_map(|file| calls(&top.join("host/tools/tests").join(file))).collect();
        for of in &row.types {
            let own = |call: &&Value| call["type"] == of.as_str();
            assert!(calls.iter().any(|call| own(&call)), "no case of {:?} asks `{of}`", row.files);
            let given = |argument: &String| calls.iter().filter(own).any(|call| call.get(argument).is_some());
            missing.extend(row.arguments.iter().filter(|argument| !given(argument)).map(|name| format!("{of} {name}")));
        }
    }
    assert!(missing.is_empty(), "no case gives {missing:?}");
}

/// The rows of the table with arguments and cases.
fn rows(page: &str) -> Vec<Row> {
    let table = page.split("| type | arguments | cases |").nth(1).expect("the table");
    let quoted = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let lines = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        Row { types: quoted(cells[0]), arguments: quoted(cells[1]), files: quoted(cells[2]) }
    };
    lines.map(row).collect()
}

/// The calls of `query` in a file of cases, or in a Rust test that writes them as JSON.
fn calls(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let starts = text.match_indices("{\"type\": ").map(|(at, _)| at);
    starts.filter_map(|at| serde_json::Deserializer::from_str(&text[at..]).into_iter().next()?.ok()).collect()
}
