//! Tests that edits change only their target, in generated documents.

use marquetry_sdk::{
    TargetKind,
    testing::{self, List},
};

use crate::Markdown;

const SECTIONS: List = List {
    path: "a.md",
    open: "# x1\n\ntext x2 [one][x3]\n\n<details>\n<summary>x4</summary>\n\n",
    close: "\n</details>\n\n<!-- x5:END -->\n\n[x3]: https://example.com/x6\n[^x7]: note x8\n",
    item: "## k§\n\nv§",
    content: None,
    value: None,
    separator: "",
    indent: "",
    comment: "",
    trailing: false,
    leading: false,
    kind: TargetKind::Heading,
    address: "k§",
    container: None,
    empty: None,
};

#[track_caller]
fn keeps(list: &List) {
    let count = testing::check_list_laws::<Markdown>(list);
    println!("{}: {count:?}", list.item);
    assert!(count.documents >= 100 && count.edits >= 1_000, "{count:?}");
    assert_eq!(count.refused, 0);
}

#[test]
fn section_edits_preserve_neighbours_and_closing_tags() {
    keeps(&SECTIONS);
    keeps(&List { item: "## k§\n\n- v§\n", ..SECTIONS });
    keeps(&List { item: "k§\n---\n\n```\nv§\n```\n", ..SECTIONS });
    keeps(&List {
        open: "---\nx1: 1\n---\n\n# x2\n\n[x5], [x8]\n\n",
        close: "\n[x5]: https://example.com/x6 (x7)\n\n[x8]: <x9>\n  'x10'\n",
        ..SECTIONS
    });
    keeps(&List { open: "# x1\n\n<!-- x2-start -->\n", close: "<!-- x2-end -->\n", ..SECTIONS });
    keeps(&List { open: "<div align=\"center\">\n\n", close: "\n</div>\n\n[^x1]: x2\n\n    x3\n", ..SECTIONS });
}

/// Lines from which random documents are made.
const LINES: &[&str] = &[
    "# a\n",
    "## b\n",
    "text [x]\n",
    "- i\n",
    "  - j\n",
    "1. k\n",
    "\n",
    "\n",
    "> q\n",
    "```js\n",
    "```\n",
    "| a | b |\n|---|---|\n| c | d |\n",
    "[x]: y\n",
    "<div>\n",
    "</div>\n",
    "<!-- s:START -->\n",
    "<!-- s:END -->\n",
];

#[test]
fn edits_touch_only_target_and_neighbours() {
    let texts = testing::random_lines(LINES, 10, 400);
    let count = testing::check_reach_laws::<Markdown>("a.md", texts, &["x", "- x", "## n\n\nx", "<!-- note -->"]);
    println!("{count:?}");
    assert!(count.documents >= 20 && count.edits >= 1_000, "{count:?}");
}
