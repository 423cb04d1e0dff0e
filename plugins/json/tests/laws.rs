//! The laws that every pack keeps, and the verdicts of the conformance suites where they are at hand.

use std::{fs, path::Path};

use marquetry_json::Json;
use marquetry_sdk::{Node, Severity, TargetKind, testing};
use serde_json::Value;

const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"a\"",
    "\"b\"",
    "\"a",
    "\"\\u00e9\"",
    "\"\\x\"",
    "1",
    "-0.5e3",
    "01",
    "true",
    "nul",
    "null",
    "'q'",
    "word",
    "é",
    " ",
    "\n",
    "\r\n",
    "  ",
    "// c\n",
    "/* c */",
    "/*",
    "\u{feff}",
    "\t",
    "\u{0}",
];

const DOCUMENTS: &[&str] = &[
    "{\n  \"name\": \"x\",\n  // why\n  \"list\": [1, 2.5, { \"a\": null }],\n  \"empty\": {}, \"tail\": [],\n}\n",
    "[\r\n\t{ \"a\": 1, \"a\": 2 },\r\n\t[[], [[]]],\r\n\t\"tëxt\"\r\n]",
    "{\"a\":{\"b\":{\"c\":[0,1,2,3]}},\"d\":\"\\u0041\"}",
    "{\"id\": 1}\n{\"id\": 2}\n\n[3]\n",
];

#[test]
fn keeps_the_laws() {
    for path in ["a.json", "a.jsonc", "a.jsonl"] {
        testing::laws_on_random::<Json>(path, PIECES, DOCUMENTS);
        DOCUMENTS.iter().for_each(|text| testing::laws::<Json>(path, text));
    }
}

#[test]
fn what_is_made_is_there_and_changes_nothing_else() {
    let mut count = 0;
    for text in DOCUMENTS {
        for below in [".new", ".new.deep['a b'][0].end", "[0]", "[1].new", "[2][0]", "[3]"] {
            let target = |node: &Node| format!("{}{below}", node.address);
            for content in ["1", "{\"x\": [1, {\"y\": 2}]}"] {
                count += testing::laws_of_making::<Json>(("a.jsonc", text), TargetKind::Path, target, content);
            }
        }
    }
    assert!(count > 50, "only {count} were made");
}

fn cases(suite: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites").join(suite);
    let text = fs::read_to_string(folder.join("cases.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a case")).collect()
}

/// Path and text of a case's file, where it is text.
fn file(case: &Value) -> Option<(&str, String)> {
    let (path, content) = case["files"].as_object()?.iter().next()?;
    if let (Some(part), Some(times)) = (content["repeat"].as_str(), content["times"].as_u64()) {
        return Some((path, part.repeat(times as usize) + content["tail"].as_str().unwrap_or_default()));
    }
    Some((path, content.as_str()?.to_owned()))
}

#[test]
fn judges_as_the_suites_do() {
    let mut wrong = Vec::new();
    for case in [cases("jsontestsuite"), cases("jsonc-parser")].concat() {
        let Some((path, text)) = file(&case) else { continue };
        testing::laws::<Json>(path, &text);
        let problems = marquetry_sdk::Document::problems(testing::open::<Json>(path, &text).document());
        let errors = problems.iter().filter(|problem| problem.severity == Severity::Error).count();
        match case["expect"]["parse"].as_str() {
            Some("accept") if errors > 0 => wrong.push(format!("{} {:?}", case["id"], problems[0])),
            Some("reject") if errors == 0 => wrong.push(format!("{} {text:?}", case["id"])),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
