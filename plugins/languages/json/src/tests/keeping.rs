//! Tests that edits change only their target, in generated documents.

use marquetry_sdk::{
    TargetKind,
    testing::{self, List},
};

use crate::Json;

const MEMBERS: List = List {
    path: "a.jsonc",
    open: "// x1\n{ // x2\n  \"x3\": 0, // x4\n  \"a\": { // x5\n",
    close: "  }, // x6\n  // x7\n  \"x8\": 1\n}\n// x9\n",
    item: "\"k§\": \"v§\"",
    content: None,
    value: Some("\"v§\""),
    separator: ",",
    indent: "    ",
    comment: "// c§",
    trailing: true,
    leading: true,
    kind: TargetKind::Path,
    address: "$.a.k§",
    container: Some("$.a"),
    empty: Some("// x1\n{ // x2\n  \"x3\": 0, // x4\n  \"a\": { // x5\n  }, // x6\n  // x7\n  \"x8\": 1\n}\n// x9\n"),
};

#[track_caller]
fn keeps(list: &List) {
    let count = testing::check_list_laws::<Json>(list);
    println!("{}: {count:?}", list.item);
    assert!(count.documents >= 100 && count.edits >= 1_000, "{count:?}");
    assert_eq!(count.refused, 0);
}

#[test]
fn member_edits_preserve_neighbours() {
    keeps(&MEMBERS);
    keeps(&List { comment: "/* c§ */", ..MEMBERS });
}

#[test]
fn member_edits_preserve_neighbours_without_comments() {
    let plain = List {
        path: "a.json",
        open: "{\n  \"a\": {\n",
        close: "  }\n}\n",
        comment: "",
        empty: Some("{\n  \"a\": {}\n}\n"),
        ..MEMBERS
    };
    keeps(&plain);
}

#[test]
fn element_edits_preserve_neighbours() {
    let elements = List {
        item: "\"v§\"",
        address: "$.a[§]",
        open: "// x1\n{\n  \"a\": [ // x5\n",
        close: "  ] // x6\n}\n// x9\n",
        empty: None,
        ..MEMBERS
    };
    keeps(&elements);
    let objects = List { item: "{ \"k\": \"v§\" }", value: Some("{ \"k\": \"v§\" }"), ..elements };
    keeps(&objects);
}

/// Lines from which random documents are made.
const LINES: &[&str] = &[
    "{\"a\": [1, 2]}\n",
    "[]\n",
    "1\n",
    "{ \"b\": {}, \"c\": [ { \"d\": null } ] }\n",
    "[[], [\"e\"]]\n",
    "\n",
    "{ }\n",
];

#[test]
fn edits_touch_only_target_and_neighbours() {
    let texts = testing::random_lines(LINES, 6, 200);
    let count = testing::check_reach_laws::<Json>("a.jsonl", texts, &["1", "\"k\": 1", "{\"k\": 1}"]);
    println!("{count:?}");
    assert!(count.documents >= 100 && count.edits >= 1_000, "{count:?}");
}
