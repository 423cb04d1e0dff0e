//! Tests that edits change only their target, in generated documents.

use marquetry_sdk::{
    TargetKind,
    testing::{self, List},
};

use crate::Toml;

const KEYS: List = List {
    path: "a.toml",
    open: "# x1\n\nx2 = 0 # x3\n\n# x4\n[a] # x5\n",
    close: "\n# x6\n[x7] # x8\nx9 = 1\n",
    item: "k§ = 'v§'",
    content: None,
    value: Some("'v§'"),
    separator: "",
    indent: "",
    comment: "# c§",
    trailing: true,
    leading: true,
    kind: TargetKind::Path,
    address: "$.a.k§",
    container: Some("$.a"),
    empty: Some("# x1\n\nx2 = 0 # x3\n\n# x4\n[a] # x5\n\n# x6\n[x7] # x8\nx9 = 1\n"),
};

#[track_caller]
fn keeps(list: &List) {
    let count = testing::check_list_laws::<Toml>(list);
    println!("{}: {count:?}", list.item);
    assert!(count.documents >= 100 && count.edits >= 1_000, "{count:?}");
    assert_eq!(count.refused, 0);
}

#[test]
fn key_edits_preserve_neighbours() {
    keeps(&KEYS);
    keeps(&List { close: "", empty: Some("# x1\n\nx2 = 0 # x3\n\n# x4\n[a] # x5\n"), ..KEYS });
}

#[test]
fn root_key_edits_preserve_neighbours() {
    keeps(&List { open: "", address: "$.k§", container: None, empty: None, leading: false, ..KEYS });
}

#[test]
fn element_edits_preserve_neighbours() {
    let elements = List {
        open: "x1 = 0 # x2\na = [ # x3\n",
        close: "] # x4\n# x5\nx6 = 1\n",
        item: "'v§'",
        separator: ",",
        indent: "  ",
        address: "$.a[§]",
        empty: Some("x1 = 0 # x2\na = [ # x3\n] # x4\n# x5\nx6 = 1\n"),
        ..KEYS
    };
    keeps(&elements);
}

#[test]
fn section_edits_preserve_neighbours() {
    let sections = List {
        open: "x1 = 0 # x2\n\n",
        close: "\n# x3\n[x4]\nx5 = 1\n",
        item: "[k§]\nv§ = 1",
        value: Some("v§ = 1"),
        trailing: false,
        address: "$.k§",
        container: None,
        empty: None,
        ..KEYS
    };
    keeps(&sections);
    keeps(&List { item: "[a.k§]\nv§ = 1", address: "$.a.k§", ..sections });
    keeps(&List { item: "[[a]]\nk§ = 'v§'", address: "$.a[§]", value: Some("k§ = 'v§'"), ..sections });
}

/// Lines from which random documents are made.
const LINES: &[&str] = &[
    "[a]\n",
    "[a.b]\n",
    "[c.d]\n",
    "[[e]]\n",
    "[e.f]\n",
    "x = 1\n",
    "a.y = 2\n",
    "g.h = 3 # c\n",
    "# c\n",
    "\n",
    "z = [1,\n  2]\n",
    "i = { j = 1 }\n",
];

#[test]
fn edits_touch_only_target_and_neighbours() {
    let texts = testing::random_lines(LINES, 10, 160);
    let count =
        testing::check_reach_laws::<Toml>("a.toml", texts, &["'x'", "k = 1", "[n]\nk = 1", "[a.n]\nk = 1", "# note"]);
    println!("{count:?}");
    assert!(count.documents >= 10 && count.edits >= 500, "{count:?}");
}
