//! Tests of refactors. They compare the text before and after.

use marquetry_sdk::TargetKind;
use marquetry_sdk::testing::{check_refactor, check_refactor_laws, check_refactor_of, check_refused};

use crate::Markdown;

#[track_caller]
fn check(id: &str, marked: &str, after: &str) {
    check_refactor::<Markdown>(("a.md", marked), id, &[], after);
}

#[track_caller]
fn refused(id: &str, marked: &str, message: &str) {
    check_refused::<Markdown>(("a.md", marked), id, &[], message);
}

#[test]
fn update_toc_rewrites_existing_table() {
    check(
        "update_toc",
        "# T\n\n- [A](#a)\n- [Old](#old)\n\n## A\n\n### A1\n\n## B `x`\n",
        "# T\n\n- [A](#a)\n- [B `x`](#b-x)\n\n## A\n\n### A1\n\n## B `x`\n",
    );
    // The levels and the style of the existing table are kept.
    check(
        "update_toc",
        "# T\n\n* [A](#a)\n    * [B](#b)\n\n## A\n### B\n## C\n#### D\n### E\n",
        "# T\n\n* [A](#a)\n    * [B](#b)\n* [C](#c)\n    * [E](#e)\n\n## A\n### B\n## C\n#### D\n### E\n",
    );
    check(
        "update_toc",
        "1. [A](#a)\n2. [X](#x)\n\n# A\n## B\n# C\n# D\n",
        "1. [A](#a)\n2. [C](#c)\n3. [D](#d)\n\n# A\n## B\n# C\n# D\n",
    );
    check("update_toc", "- [A](#a)\n\n- [C](#c)\n\n# A\n# B\n", "- [A](#a)\n\n- [B](#b)\n\n# A\n# B\n");
    // A list in a quote is not the table of contents.
    check(
        "update_toc",
        "> - [A](#a)\n> - [X](#x)\n\n# A\n# B\n",
        "> - [A](#a)\n> - [X](#x)\n\n- [A](#a)\n- [B](#b)\n\n# A\n# B\n",
    );
    // A correct table is not changed.
    let right = "# T\r\n\r\n- [A](#a)\r\n- [A](#a-1)\r\n\r\n## A\r\n\r\n## A\r\n";
    check("update_toc", right, right);
}

#[test]
fn update_toc_creates_table() {
    check(
        "update_toc",
        "# T\n\ntext\n\n## A\n\n### B\n\n#### C\n\n## D\n",
        "# T\n\ntext\n\n- [A](#a)\n  - [B](#b)\n- [D](#d)\n\n## A\n\n### B\n\n#### C\n\n## D\n",
    );
    check("update_toc", "# T\r\n\r\n## A\r\n## B\r\n", "# T\r\n\r\n- [A](#a)\r\n- [B](#b)\r\n\r\n## A\r\n## B\r\n");
    // The table is created below a heading or comment that marks its position.
    check("update_toc", "# T\n\n## Contents\n\n## A\n", "# T\n\n## Contents\n\n- [A](#a)\n\n## A\n");
    check(
        "update_toc",
        "# T\n<!-- toc -->\n<!-- tocstop -->\n## A\n",
        "# T\n<!-- toc -->\n\n- [A](#a)\n\n<!-- tocstop -->\n## A\n",
    );
    check_refactor::<Markdown>(
        ("a.md", "# T\n\n## A\n\n#### B\n"),
        "update_toc",
        &[("heading", "Contents"), ("maxLevel", "4")],
        "# T\n\n## Contents\n\n- [A](#a)\n  - [B](#b)\n\n## A\n\n#### B\n",
    );
    refused("update_toc", "text\n", "no headings");
    refused("update_toc", "# T\n\ntext\n", "no headings");
}

#[test]
fn update_toc_links_headings_with_markup() {
    check(
        "update_toc",
        "<!-- toc -->\n\n# [a](b) c\n# a ] b\n# *x* <b>y</b>\n# Own {#mine}\n# no <!-- omit in toc -->\n# `a[0]`\n",
        "<!-- toc -->\n\n- [a c](#a-c)\n- [a \\] b](#a--b)\n- [x y](#x-y)\n- [Own](#mine)\n- [`a[0]`](#a0)\n\n# [a](b) c\n# a ] b\n# *x* <b>y</b>\n# Own {#mine}\n# no <!-- omit in toc -->\n# `a[0]`\n",
    );
    // A list that contains other content than links is not changed.
    refused("update_toc", "- [A](#a): text\n- [B](#b)\n\n# A\n# B\n", "would not parse as a list of links");
    check(
        "update_toc",
        "- [A](#a): text\n- [B](#b)\n\ntext\n\n# A\n# B\n",
        "- [A](#a): text\n- [B](#b)\n\ntext\n\n- [A](#a)\n- [B](#b)\n\n# A\n# B\n",
    );
}

#[test]
fn promote_and_demote_move_whole_sections() {
    check("promote", "# A\n\n## ‸B\n\n### C\n\nc\n\n## D\n", "# A\n\n# B\n\n## C\n\nc\n\n## D\n");
    check("demote", "# A\n\n## B\n\n### C\n\nc‸\n\n## D\n", "# A\n\n## B\n\n#### C\n\nc\n\n## D\n");
    check("demote", "‸# A #\n\n  ## B ##\n\n## C #\n", "## A ##\n\n  ### B ###\n\n### C #\n");
    check("promote", "> ## ‸A\n> a\n>\n> ### B\n\n## C\n", "> # A\n> a\n>\n> ## B\n\n## C\n");
    check_refactor_of::<Markdown>(
        ("a.md", "# A\r\n## B\r\n"),
        (TargetKind::Heading, "A"),
        "demote",
        &[],
        "## A\r\n### B\r\n",
    );
}

#[test]
fn demote_keeps_underlines_up_to_level_2() {
    check("demote", "A‸\n===\n\ntext\n", "A\n---\n\ntext\n");
    check("promote", "‸A\n--\n\nB\n---\n", "A\n==\n\nB\n---\n");
    check("demote", "A\n===\n\n‸B\nb #\n---\n\nx\n", "A\n===\n\n### B b \\#\n\nx\n");
    check("demote", "> A‸\n> b\n> ---\n> x\n", "> ### A b\n> x\n");
    refused("demote", "A‸  \nb\n---\n", "line break");
}

#[test]
fn promote_and_demote_refuse_missing_levels() {
    refused("promote", "‸# A\n", "level 1");
    refused("demote", "##### ‸A\n\n###### B\n", "`B` is a heading of level 6");
    refused("demote", "te‸xt\n\n# A\n", "not in the section of a heading");
}

#[test]
fn align_table_aligns_columns() {
    check(
        "align_table",
        "| a|long header | c‸ |\n|-|:-:|--:|\n|1|2|3|\n| four | 5\\|6 | x | beyond\n| |\n",
        "| a    | long header |   c |\n| ---- | :---------: | --: |\n| 1    |      2      |   3 |\n| four |    5\\|6     |   x | beyond |\n|      |             |     |\n",
    );
    // The text before the rows is kept, and a correct table is not changed.
    check(
        "align_table",
        "- x\n\n  > a | b\n  > --|--\n  > ä‸ | `c`\n",
        "- x\n\n  > | a   | b   |\n  > | --- | --- |\n  > | ä   | `c` |\n",
    );
    let right = "| a   | b   |\r\n| --- | --- |\r\n| 1‸   |     |\r\n";
    check("align_table", right, &right.replace('‸', ""));
    // Only spaces around a cell are removed. A no-break space is part of the cell.
    check("align_table", "|‸a|\n|-|\n|\u{a0}b|\n", "| a   |\n| --- |\n| \u{a0}b  |\n");
    check("align_table", "# ‸A\n\ntext\n\n## B\n\na|b\n-|-\n", "# A\n\ntext\n\n## B\n\n| a   | b   |\n| --- | --- |\n");
    refused("align_table", "‸# A\n\na|b\n-|-\n\ntext\n\na|b\n-|-\n", "several tables");
    refused("align_table", "te‸xt\n\n|a|\n|-|\n", "no table");
}

#[test]
fn laws_hold_for_refactors() {
    let texts = [
        "---\ntitle: x\n---\n# T\n\n- [A](#a)\n- [B](#b)\n\n## A\n\nSet\n===\n\n> # Q\n> ## R\n\n- # I\n\n  x\n\n## B {#b}\n",
        "\u{feff}Title\r\n=====\r\n\r\n<!-- toc -->\r\n\r\nA\r\n---\r\n\r\n#\r\n\r\n## \\# ##\r\n[^1]: # x\r\n",
        "# A\n## A\n# [x]\n\n[x]: y\n",
        "|a|b\n-|-\n|1|\n\n> | x | y | z\n> |:-|-\n\n- a|b\n  :-:|-:\n  1|2|3\n",
    ];
    for text in texts {
        for path in ["a.md", "a.mdx"] {
            assert!(check_refactor_laws::<Markdown>((path, text), &[("heading", "Contents")]) > 0, "{text}");
        }
    }
}
