//! Tests of the laws, which are properties that every language pack must have.

use marquetry_sdk::{Node, Operation, TargetKind, testing};

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
fn laws_hold() {
    for path in ["a.json", "a.jsonc", "a.jsonl"] {
        testing::check_laws_on_random::<Json>(path, PIECES, DOCUMENTS);
        DOCUMENTS.iter().for_each(|text| testing::check_laws::<Json>(path, text));
    }
}

#[test]
fn created_target_exists_and_rest_is_unchanged() {
    let mut count = 0;
    for text in DOCUMENTS {
        for below in [".new", ".new.deep['a b'][0].end", "[0]", "[1].new", "[2][0]", "[3]"] {
            let target = |node: &Node| format!("{}{below}", node.address);
            for content in ["1", "{\"x\": [1, {\"y\": 2}]}"] {
                count +=
                    testing::check_insert_missing_laws::<Json>(("a.jsonc", text), TargetKind::Path, target, content);
            }
        }
    }
    assert!(count > 50, "only {count} missing targets were created");
}

/// Layouts of a member and its comment. `N` stands for the name of the member.
const LAYOUTS: [(&str, &str); 5] = [
    ("/* about N */ \"N\": 1", ""),
    ("\"N\": 1 /* about N */", ""),
    ("\n  // about N\n  \"N\": 1", ""),
    ("\n  \"N\": 1", " // about N\n  "),
    ("\n  /* about N */\n  \"N\": [1, 2]", ""),
];

/// Deleting a member deletes its comment, but not the comments of other members.
#[test]
fn delete_removes_only_own_comments() {
    let names = ["a", "b", "c"];
    let mut count = 0;
    for pick in 0..LAYOUTS.len().pow(3) {
        let of = |index: usize| LAYOUTS[pick / LAYOUTS.len().pow(index as u32) % LAYOUTS.len()];
        let mut text = "{".to_owned();
        for (index, name) in names.iter().enumerate() {
            let (member, behind) = of(index);
            let comma = if index + 1 < names.len() { "," } else { "" };
            let space = if text.ends_with(['{', '\n', ' ']) || member.starts_with('\n') { "" } else { " " };
            text += &format!("{space}{}{comma}{}", member.replace('N', name), behind.replace('N', name));
        }
        text += if text.ends_with("  ") { "\n}\n" } else { " }\n" };
        let bench = testing::open::<Json>("a.jsonc", &text);
        assert!(bench.diagnostics().is_empty(), "{text}");
        for name in names {
            let target = format!("$.{name}");
            let after = bench.edit(TargetKind::Path, &target, Operation::Delete).expect("deleted");
            for other in names {
                let about = after.contains(&format!("about {other} ")) || after.contains(&format!("about {other}\n"));
                assert_eq!(about, other != name, "{target} of\n{text}\ngives\n{after}");
                let there = testing::open::<Json>("a.jsonc", &after).nodes(TargetKind::Path, &format!("$.{other}"));
                assert_eq!(there.is_ok(), other != name, "{target} of\n{text}\ngives\n{after}");
            }
            count += 1;
        }
    }
    assert_eq!(count, 375);
}
