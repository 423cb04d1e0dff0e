//! The laws that every pack keeps.

use marquetry_sdk::{Node, TargetKind, testing};

use crate::Json;

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
