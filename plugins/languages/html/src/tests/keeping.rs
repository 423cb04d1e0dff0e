//! Checks with generated documents that an edit changes nothing but its target.

use marquetry_sdk::{
    TargetKind,
    testing::{self, List},
};

use crate::Html;

const ITEMS: List = List {
    path: "a.html",
    open: "<!doctype html>\n<!-- x1 -->\n<div id=\"x2\"></div>\n<ul class=\"x3\" id=\"a\">\n",
    close: "</ul>\n<!-- x4 -->\n<p>x5</p>\n",
    item: "<li id=\"k§\">v§</li>",
    content: None,
    value: None,
    separator: "",
    indent: "  ",
    comment: "<!-- c§ -->",
    trailing: false,
    leading: true,
    kind: TargetKind::Selector,
    address: "#k§",
    container: Some("#a"),
    empty: Some(
        "<!doctype html>\n<!-- x1 -->\n<div id=\"x2\"></div>\n<ul class=\"x3\" id=\"a\"></ul>\n<!-- x4 -->\n<p>x5</p>\n",
    ),
};

#[track_caller]
fn keeps(list: &List) {
    let count = testing::check_list_laws::<Html>(list);
    println!("{}: {count:?}", list.item);
    assert!(count.documents >= 100 && count.edits >= 1_000, "{count:?}");
    assert_eq!(count.refused, 0);
}

#[test]
fn editing_elements_keeps_neighbours() {
    keeps(&ITEMS);
    keeps(&List { item: "<li id=\"k§\">\n    <b>v§</b>\n  </li>", ..ITEMS });
}

#[test]
fn editing_elements_without_end_tags_keeps_neighbours() {
    keeps(&List { item: "<li id=\"k§\">v§", comment: "", ..ITEMS });
}

/// Lines from which random documents are generated.
const LINES: &[&str] = &[
    "<!doctype html>\n",
    "<div>\n",
    "</div>\n",
    "<p id=a>x</p>\n",
    "<br>\n",
    "<!-- c -->\n",
    "\n",
    "<ul><li>x<li>y</ul>\n",
    "<script>a()</script>\n",
    "text ",
];

#[test]
fn edits_stay_close_to_their_targets() {
    let texts = testing::random_lines(LINES, 10, 400);
    let count = testing::check_reach_laws::<Html>("a.html", texts, &["<b>x</b>", "x", "<!-- note -->"]);
    println!("{count:?}");
    assert!(count.documents >= 20 && count.edits >= 1_000, "{count:?}");
}
