//! Tests that edits change only their target, in generated documents.

use marquetry_sdk::{
    TargetKind,
    testing::{self, List},
};

use crate::Yaml;

const ENTRIES: List = List {
    path: "a.yaml",
    open: "# x1\n\nx2: 0 # x3\n\na: &x4 !x5 # x6\n",
    close: "x7: 1 # x8\n",
    item: "k§: v§",
    content: None,
    value: Some("v§"),
    separator: "",
    indent: "  ",
    comment: "# c§",
    trailing: true,
    leading: true,
    kind: TargetKind::Path,
    address: "$.a.k§",
    container: Some("$.a"),
    empty: Some("# x1\n\nx2: 0 # x3\n\na: &x4 !x5 {} # x6\nx7: 1 # x8\n"),
};

#[track_caller]
fn keeps(list: &List) {
    let count = testing::check_list_laws::<Yaml>(list);
    println!("{}: {count:?}", list.item);
    assert!(count.documents >= 100 && count.edits >= 1_000, "{count:?}");
    assert_eq!(count.refused, 0);
}

#[test]
fn entry_edits_preserve_neighbours() {
    keeps(&ENTRIES);
    keeps(&List { item: "k§: |\n    v§", trailing: false, value: Some("v§"), ..ENTRIES });
    keeps(&List { item: "? k§\n  : v§", trailing: false, value: Some("v§"), ..ENTRIES });
}

#[test]
fn item_edits_preserve_neighbours() {
    let items = List {
        item: "- v§",
        content: Some("- v§"),
        address: "$.a[§]",
        empty: Some("# x1\n\nx2: 0 # x3\n\na: &x4 !x5 [] # x6\nx7: 1 # x8\n"),
        ..ENTRIES
    };
    keeps(&items);
    keeps(&List { item: "-   k: v§", content: Some("- k: v§"), value: Some("k: v§"), ..items });
}

#[test]
fn flow_member_edits_preserve_neighbours() {
    let flow = List {
        open: "# x1\n\nx2: 0 # x3\n\na: &x4 !x5 { # x6\n",
        close: "  }\nx8: 1\n",
        separator: ",",
        empty: Some("# x1\n\nx2: 0 # x3\n\na: &x4 !x5 { # x6\n  }\nx8: 1\n"),
        ..ENTRIES
    };
    keeps(&flow);
    keeps(&List {
        item: "v§",
        content: Some("v§"),
        address: "$.a[§]",
        open: "x1: &x4 !x5 0\na: [ # x6\n",
        close: "  ]\nx8: 1\n",
        empty: None,
        ..flow
    });
}

#[test]
fn edits_preserve_documents_and_end_markers() {
    let last = List {
        open: "--- !x1 # x2\n# x3\n\n",
        close: "...\n# x4\n",
        indent: "",
        address: "$.k§",
        container: None,
        empty: None,
        ..ENTRIES
    };
    keeps(&last);
}
