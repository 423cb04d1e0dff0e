//! Measures how the time grows with the size of texts that are expensive to process:
//! `cargo run --package marquetry-json --example json_growth [NAME]`.

use marquetry_json::{Json, JsonDocument};
use marquetry_sdk::{
    Linking, Selection,
    refactor::{self, Refactors},
    testing::growth::{Step, Text, growth, nested, numbered, repeat},
};

const TEXTS: [Text; 13] = [
    ("nested arrays", |bytes| nested("[", "1", "]", bytes)),
    ("nested objects", |bytes| nested("{\"a\":", "1", "}", bytes)),
    ("nested objects of 500", |bytes| {
        format!("[{}1]", repeat(&(nested("{\"b\":1,\"a\":", "1", "}", 6000) + ","), bytes))
    }),
    ("arrays not closed", |bytes| repeat("[", bytes)),
    ("objects not closed", |bytes| repeat("{\"a\":", bytes)),
    ("brackets closed too often", |bytes| repeat("]", bytes)),
    ("strings not closed", |bytes| repeat("\"a\n", bytes)),
    ("elements", |bytes| format!("[{}1]", repeat("1,", bytes))),
    ("members", |bytes| format!("{{{}\"z\":1}}", numbered(|number| format!("\"a{number}\":1,"), bytes))),
    ("equal members", |bytes| format!("{{{}\"a\":1}}", repeat("\"a\":1,", bytes))),
    ("comments", |bytes| format!("[{}1]", repeat("// a\n", bytes))),
    ("commented elements", |bytes| format!("[{}1]", repeat("/* a */1, // b\n", bytes))),
    ("references", |bytes| {
        format!(
            "{{\"$defs\":{{{}\"z\":{{}}}}}}",
            numbered(|number| format!("\"a{number}\":{{\"$ref\":\"#/$defs/a\"}},"), bytes)
        )
    }),
];

fn refactors(document: &JsonDocument) {
    for known in Json::table() {
        let deep = marquetry_sdk::Argument { name: "deep".to_owned(), value: "true".to_owned() };
        let given =
            if known.arguments.iter().any(|argument| argument.name == "deep") { vec![deep] } else { Vec::new() };
        drop(refactor::apply::<Json>(document, known.id, Selection::caret(4), given));
    }
}

fn main() -> std::io::Result<()> {
    let steps: [Step<Json>; 2] = [("links", |document| drop(Json::links(document))), ("refactors", refactors)];
    for path in ["a.jsonc", "a.jsonl"] {
        growth::<Json>(&mut std::io::stdout(), path, (&TEXTS, &steps), 1 << 20)?;
    }
    Ok(())
}
