//! Tests that edits change only their target, in generated documents.

use marquetry_sdk::{
    TargetKind,
    testing::{self, List},
};

use crate::Xml;

const ITEMS: List = List {
    path: "a.xml",
    open: "<?xml version=\"1.0\"?>\n<!-- x1 -->\n<root>\n  <b c=\"x2\"/>\n  <a d=\"x3\">\n",
    close: "  </a>\n  <!-- x4 -->\n  <e>x5</e>\n</root>\n<!-- x6 -->\n",
    item: "<k id=\"k§\">v§</k>",
    content: None,
    value: None,
    separator: "\n",
    indent: "    ",
    comment: "<!-- c§ -->",
    trailing: false,
    leading: true,
    kind: TargetKind::Xpath,
    address: "/root/a/k[@id='k§']",
    container: Some("/root/a"),
    empty: Some(
        "<?xml version=\"1.0\"?>\n<!-- x1 -->\n<root>\n  <b c=\"x2\"/>\n  <a d=\"x3\"/>\n  <!-- x4 -->\n  <e>x5</e>\n</root>\n\
         <!-- x6 -->\n",
    ),
};

#[track_caller]
fn keeps(list: &List) {
    let count = testing::check_list_laws::<Xml>(list);
    println!("{}: {count:?}", list.item);
    assert!(count.documents >= 100 && count.edits >= 1_000, "{count:?}");
    assert_eq!(count.refused, 0);
}

#[test]
fn element_edits_preserve_siblings() {
    keeps(&ITEMS);
    keeps(&List { item: "<k id=\"k§\"><![CDATA[v§]]></k>", ..ITEMS });
    keeps(&List { item: "<k id=\"k§\">\n      <b>v§</b>\n    </k>", ..ITEMS });
}

/// Lines from which random documents are made.
const LINES: &[&str] = &["<a>\n", "</a>\n", "<b c='d'/>\n", "<e>x</e>\n", "<!-- c -->\n", "\n", "<?p q?>\n", "text "];

#[test]
fn edits_touch_only_target_and_neighbours() {
    let texts = testing::random_lines(LINES, 10, 400);
    let count = testing::check_reach_laws::<Xml>("a.xml", texts, &["<n/>", "x", "<!-- note -->"]);
    println!("{count:?}");
    assert!(count.documents >= 20 && count.edits >= 500, "{count:?}");
}
