//! Tests of every operation at typical positions.

use marquetry_sdk::{
    FailureKind, Operation, Result, TargetKind,
    testing::{self, after, before, body, check_edit, check_refusal, first, last, open, replace, sorted, wrap},
};

use crate::Markdown;

fn kind(target: &str) -> TargetKind {
    if ["body", "imports"].contains(&target) { TargetKind::Region } else { TargetKind::Heading }
}

fn edit(path: &str, text: &str, target: &str, operation: Operation) -> Result<String> {
    open::<Markdown>(path, text).edit(kind(target), target, operation)
}

#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    check_edit::<Markdown>(("a.md", text), (kind(target), target), operation, expected);
}

#[track_caller]
fn refused(text: &str, target: &str, operation: Operation, kind_of: FailureKind) {
    let failure = check_refusal::<Markdown>(("a.md", text), (kind(target), target), operation);
    assert_eq!(failure.kind, kind_of, "{failure:?}");
}

const TWO: &str = "# A\n\na\n\n## B\n\nb\n\n## C\n\nc\n";

#[test]
fn replaces_a_section() {
    check(TWO, "B", replace("## X\n\nx\n"), "# A\n\na\n\n## X\n\nx\n\n## C\n\nc\n");
    check(TWO, "C", replace("\n## X\n"), "# A\n\na\n\n## B\n\nb\n\n## X\n");
    check(TWO, "B", replace(""), "# A\n\na\n\n## C\n\nc\n");
    check("# A\na\n# B\nb\n", "A", replace("new"), "new\n# B\nb\n");
    check("text\n# A\nSet\n===\n", "A[1]", replace("new"), "text\n\nnew\n\nSet\n===\n");
    check("> # A\n> a\n>\n> # B\n", "A", replace("# X\n\nx"), "> # X\n>\n> x\n>\n> # B\n");
    check("> # A\n> a\n", "A", replace("# A\n> b"), "> # A\n> b\n");
    check("- # A\n  a\n- b\n", "A", replace("# X\n\nx"), "- # X\n\n  x\n- b\n");
}

#[test]
fn replaces_a_body() {
    check(TWO, "B", body("x\n"), "# A\n\na\n\n## B\n\nx\n\n## C\n\nc\n");
    check("# A\na\n# B\n", "A", body("x\ny"), "# A\nx\ny\n# B\n");
    check("# A\n# B\n", "A", body("x"), "# A\n\nx\n\n# B\n");
    check("# A\n", "A", body("x"), "# A\n\nx\n");
    check("Set\n===\n\na\n", "Set", body("x"), "Set\n===\n\nx\n");
    check(TWO, "C", body(""), "# A\n\na\n\n## B\n\nb\n\n## C\n");
    check("```js\na\n```\n", "code[1]", body("b\nc\n"), "```js\nb\nc\n```\n");
    check("```\n```\n", "code[1]", body("b"), "```\nb\n```\n");
    check("```\nb\n```\n", "code[1]", body(""), "```\n```\n");
    check("```\na\n```\n", "code[1]", body("```\nb\n```"), "````\n```\nb\n```\n````\n");
    check("> ```\n> a\n> ```\n", "code[1]", body("b\nc"), "> ```\n> b\n> c\n> ```\n");
    check("- x\n\n  ```\n  a\n  ```\n", "code[1]", body("b\n\nc"), "- x\n\n  ```\n  b\n\n  c\n  ```\n");
    check("x\n\n    a\n    b\n", "code[1]", body("c\nd"), "x\n\n    c\n    d\n");
    check("---\na: 1\n---\n\nx\n", "front-matter", body("b: 2\n"), "---\nb: 2\n---\n\nx\n");
    check("---\n---\nx\n", "front-matter", body("b: 2"), "---\nb: 2\n---\nx\n");
    check("- a\n  - b\n", "list[1] > item[1]", body("c\n\nd"), "- c\n\n  d\n");
    check("[a]: b.md \"t\"\n", "definition[a]", body("c d.md"), "[a]: <c d.md> \"t\"\n");
    check("x[^a]\n\n[^a]: b\n", "footnote[^a]", body("c\n\nd"), "x[^a]\n\n[^a]: c\n\n    d\n");
    refused("a\n", "paragraph[1]", body("x"), FailureKind::Unsupported);
}

#[test]
fn inserts_beside_a_section() {
    check(TWO, "B", before("## X\n"), "# A\n\na\n\n## X\n\n## B\n\nb\n\n## C\n\nc\n");
    check(TWO, "B", after("## X\n\nx"), "# A\n\na\n\n## B\n\nb\n\n## X\n\nx\n\n## C\n\nc\n");
    check(TWO, "C", after("## X"), "# A\n\na\n\n## B\n\nb\n\n## C\n\nc\n\n## X\n");
    check("# A\na\n# B\nb", "A", after("x"), "# A\na\n\nx\n\n# B\nb");
    check("a\n# B\n", "B", before("x"), "a\n\nx\n\n# B\n");
    check("# A\n\n\n# B\n\n\n# C\n", "B", after("# X"), "# A\n\n\n# B\n\n\n# X\n\n\n# C\n");
    check("> # A\n> a\n", "A", after("# X"), "> # A\n> a\n>\n> # X\n");
    check("1. # A\n\n   a\n", "A", before("x\ny"), "1. x\n   y\n\n   # A\n\n   a\n");
    check("    code\n", "code[1]", before("x"), "x\n\n    code\n");
    check("# A\r\n\r\na\r\n", "A", after("# X"), "# A\r\n\r\na\n\n# X\r\n");
    check("---\na: 1\n---\nx\n", "front-matter", after("y"), "---\na: 1\n---\n\ny\n\nx\n");
    check("[a]: b\n[c]: d\n", "definition[a]", after("[x]: y"), "[a]: b\n[x]: y\n[c]: d\n");
    check("a\n", "body", before("# X"), "# X\n\na\n");
    refused("---\na: 1\n---\n", "front-matter", before("x"), FailureKind::Unsupported);
    refused(TWO, "B", after(" \n"), FailureKind::InvalidArgument);
}

#[test]
fn inserts_into_a_section() {
    check(TWO, "B", first("x"), "# A\n\na\n\n## B\n\nx\n\nb\n\n## C\n\nc\n");
    check(TWO, "B", last("x"), "# A\n\na\n\n## B\n\nb\n\nx\n\n## C\n\nc\n");
    check(TWO, "A", last("x"), "# A\n\na\n\n## B\n\nb\n\n## C\n\nc\n\nx\n");
    check("# A\na\n", "A", first("x"), "# A\n\nx\n\na\n");
    check("# A\n# B\n", "A", first("x"), "# A\n\nx\n\n# B\n");
    check(TWO, "A", sorted("## Bb\n\nx"), "# A\n\na\n\n## B\n\nb\n\n## Bb\n\nx\n\n## C\n\nc\n");
    check(TWO, "A", sorted("## D"), "# A\n\na\n\n## B\n\nb\n\n## C\n\nc\n\n## D\n");
    refused(TWO, "A", sorted("text"), FailureKind::InvalidArgument);
    check("```\na\n```\n", "code[1]", first("x\n"), "```\nx\na\n```\n");
    check("> ```\n> a\n> ```\n", "code[1]", last("x\n"), "> ```\n> a\n> x\n> ```\n");
    check("> a\n", "quote[1]", last("x"), "> a\n>\n> x\n");
    check("> a\n", "quote[1]", first("x"), "> x\n>\n> a\n");
    refused("a\n", "paragraph[1]", last("x"), FailureKind::Unsupported);
    refused("---\na: 1\n---\n", "front-matter", last("x"), FailureKind::Unsupported);
}

#[test]
fn inserts_list_items() {
    check("- a\n- c\n", "list[1]", last("d"), "- a\n- c\n- d\n");
    check("- a\n- c\n", "list[1]", first("* x"), "- x\n- a\n- c\n");
    check("- a\n- c\n", "list[1]", sorted("b"), "- a\n- b\n- c\n");
    check("* a\n\n* c\n", "list[1]", last("d\n\ne"), "* a\n\n* c\n\n* d\n\n  e\n");
    check("- a\n", "list[1]", last("- b\n  - c\n- d"), "- a\n- b\n  - c\n- d\n");
    check("1. a\n2. b\n", "list[1]", last("c"), "1. a\n2. b\n3. c\n");
    check("1. a\n2. b\n", "list[1]", first("c"), "1. c\n2. a\n3. b\n");
    check("1. a\n1. b\n", "list[1]", last("c"), "1. a\n1. b\n1. c\n");
    check("1) a\n", "list[1]", last("1. c"), "1) a\n2) c\n");
    check("- [ ] a\n- [x] b\n", "task-list[1]", last("c"), "- [ ] a\n- [x] b\n- [ ] c\n");
    check("- [ ] a\n", "list[1]", last("- [x] c"), "- [ ] a\n- [x] c\n");
    check("- a\n  - b\n- c\n", "list[1] > item[1] > list[1]", last("x\ny"), "- a\n  - b\n  - x\n    y\n- c\n");
    check("- a\n- c\n", "list[1] > item[1]", after("b"), "- a\n- b\n- c\n");
    check("- a\n- c\n", "list[1] > item[1]", before("- b"), "- b\n- a\n- c\n");
    check("- a\n- c\n", "list[1] > item[1]", last("- b"), "- a\n  - b\n- c\n");
    check("- a\n  - b\n", "list[1] > item[1]", last("- c"), "- a\n  - b\n  - c\n");
    check("- a\n", "list[1] > item[1]", last("para"), "- a\n\n  para\n");
    check("-\ta\n", "list[1]", last("b\n\nc"), "-\ta\n-\tb\n\n    c\n");
    check("> - a\n> - b\n", "list[1]", last("c\nd"), "> - a\n> - b\n> - c\n>   d\n");
}

#[test]
fn replaced_items_keep_a_list_tight() {
    check("1. a\n2. b\n3. c\n", "list[1] > item[2]", replace("new"), "1. a\n2. new\n3. c\n");
    check("1. a\n2. b\n3. c\n", "list[1] > item[2]", replace("2. new\n   more"), "1. a\n2. new\n   more\n3. c\n");
    check(
        "- a\n  1. b\n  2. c\n- d\n",
        "list[1] > item[1] > list[1] > item[1]",
        replace("new"),
        "- a\n  1. new\n  2. c\n- d\n",
    );
    check("1. a\n   - b\n2. c\n", "list[1] > item[1] > list[1] > item[1]", replace("new"), "1. a\n   - new\n2. c\n");
    check("> 1. a\n> 2. b\n", "list[1] > item[1]", replace("new"), "> 1. new\n> 2. b\n");
    check("1. a\n\n2. b\n", "list[1] > item[1]", replace("new"), "1. new\n\n2. b\n");
    check("1) a\n2) b\n", "list[1] > item[1]", body("new\nmore"), "1) new\n   more\n2) b\n");
}

#[test]
fn replaces_and_deletes_list_items() {
    check("- a\n- c\n", "list[1] > item[1]", replace("b"), "- b\n- c\n");
    check("- a\n- c\n", "list[1] > item[1]", replace("- b\n  - x"), "- b\n  - x\n- c\n");
    check("- a\n  - b\n    c\n", "list[1] > item[1] > list[1] > item[1]", replace("- d\n    e"), "- a\n  - d\n    e\n");
    check("- [ ] a\n- [ ] b\n", "list[1] > item[2]", replace("- [x] b"), "- [ ] a\n- [x] b\n");
    check("- a\n- b\n- c\n", "list[1] > item[2]", Operation::Delete, "- a\n- c\n");
    check("- a\n- b\n", "list[1] > item[2]", Operation::Delete, "- a\n");
    check("1. a\n2. b\n3. c\n", "list[1] > item[1]", Operation::Delete, "1. b\n2. c\n");
    check("x\n\n- a\n\ny\n", "list[1] > item[1]", Operation::Delete, "x\n\ny\n");
    check("- a\n  - b\n- c\n", "list[1] > item[1] > list[1]", Operation::Delete, "- a\n- c\n");
    let numbered = (1..=10).map(|n| format!("{n}. x\n   y\n")).collect::<String>();
    let shifted = edit("a.md", &numbered, "list[1] > item[1]", Operation::Delete).expect("deleted");
    // If 10 became 9, the contents of the item would need another indentation. So the numbers are kept, because
    // renderers number the items themselves.
    assert!(shifted.starts_with("2. x\n   y\n3. x"), "{shifted}");
}

const TABLE: &str = "| Name | Type |\n| ---- | ---- |\n| b    | int  |\n| d    | str  |\n\nend\n";

#[test]
fn edits_table_rows() {
    let with = |row: &str, at: usize| {
        let mut lines: Vec<&str> = TABLE.lines().collect();
        lines.insert(at, row);
        lines.join("\n") + "\n"
    };
    check(TABLE, "table[1]", last("e | bool"), &with("| e    | bool |", 4));
    check(TABLE, "table[1]", first("| a | x |"), &with("| a    | x    |", 2));
    check(TABLE, "table[1]", sorted("c|y"), &with("| c    | y    |", 3));
    check(TABLE, "table[1]", last("e"), &with("| e    |      |", 4));
    check(TABLE, "table[1] > row[1]", after("c | x"), &with("| c    | x    |", 3));
    check("a|b\n-|-\n1|2\n", "table[1]", last("3|4"), "a|b\n-|-\n1|2\n3|4\n".replace("3|4", "3 | 4").as_str());
    check("|a|b|\n|-|-|\n|1|2|\n", "table[1]", last("3 | 4"), "|a|b|\n|-|-|\n|1|2|\n|3|4|\n");
    check("> |a|\n> |-|\n", "table[1]", last("x"), "> |a|\n> |-|\n> |x|\n");
    check("|a|b|\n|-|-|\n|1|2|\n", "table[1] > row[1]", replace("3 | 4"), "|a|b|\n|-|-|\n|3|4|\n");
    check("|a|b|\n|-|-|\n|1|2|\n", "table[1] > header", replace("| x | y |"), "| x | y |\n|-|-|\n|1|2|\n");
    check("|a|b|\n|-|-|\n|1|2|\n\nx\n", "table[1] > row[1]", Operation::Delete, "|a|b|\n|-|-|\n\nx\n");
    refused(TABLE, "table[1]", last("a | b | c"), FailureKind::InvalidArgument);
    refused(TABLE, "table[1] > header", replace("| a |"), FailureKind::InvalidArgument);
    refused(TABLE, "table[1] > header", Operation::Delete, FailureKind::Unsupported);
    refused(TABLE, "table[1] > row[1]", wrap("a", "b"), FailureKind::Unsupported);
}

#[test]
fn deletes_blocks_and_sections() {
    check(TWO, "B", Operation::Delete, "# A\n\na\n\n## C\n\nc\n");
    check(TWO, "C", Operation::Delete, "# A\n\na\n\n## B\n\nb\n");
    check(TWO, "A", Operation::Delete, "");
    check("---\na: 1\n---\n\n# A\n", "A", Operation::Delete, "---\na: 1\n---\n");
    check("---\na: 1\n---\n\n# A\n", "front-matter", Operation::Delete, "# A\n");
    check("# A\n\n---\n\nx\n\n---\n", "A", Operation::Delete, "");
    check("x\n\n---\ny: 1\n\n---\n", "paragraph[1]", Operation::Delete, "\n---\ny: 1\n\n---\n");
    check("a\n```\nx\n```\nb\n", "code[1]", Operation::Delete, "a\n\nb\n");
    check("a\n```\nx\n```\n\nb\n", "code[1]", Operation::Delete, "a\n\nb\n");
    check("# A\n```\nx\n```\n# B\n", "code[1]", Operation::Delete, "# A\n# B\n");
    check("> # A\n> a\n>\n> # B\n> b\n", "B", Operation::Delete, "> # A\n> a\n");
    check("> # A\n> a\n>\n> # B\n> b\n", "A", Operation::Delete, "> # B\n> b\n");
    check("a\n\n> # A\n\nb\n", "A", Operation::Delete, "a\n\nb\n");
    check("- # A\n- b\n", "A", Operation::Delete, "- b\n");
    check("# A\r\n\r\na\r\n\r\n# B\r\n", "A", Operation::Delete, "# B\r\n");
    check("# A\n\nx\n\n# A\n\ny\n\n# B\n", "A", Operation::Delete, "# B\n");
    check("# B\n\n# A\n\nx\n\n# A\n\ny\n", "A", Operation::Delete, "# B\n");
    check("[a]: b\n[c]: d\n", "definition[a]", Operation::Delete, "[c]: d\n");
}

#[test]
fn wraps() {
    check(TWO, "B", wrap("<details>", "</details>"), "# A\n\na\n\n<details>\n\n## B\n\nb\n\n</details>\n\n## C\n\nc\n");
    check("a\n", "paragraph[1]", wrap("```\n", "\n```"), "```\na\n```\n");
    check("> a\n", "paragraph[1]", wrap("<p>", "</p>"), "> <p>\n>\n> a\n>\n> </p>\n");
    refused("- a\n", "list[1] > item[1]", wrap("a", "b"), FailureKind::Unsupported);
}

#[test]
fn edits_mdx() {
    let check = |text: &str, target: &str, operation: Operation, expected: &str| {
        assert_eq!(edit("a.mdx", text, target, operation).expect("edited"), expected);
    };
    let text = "import a from 'a'\n\n<Tabs>\n  <Tab>\n    ## One\n\n    one\n  </Tab>\n</Tabs>\n";
    check(
        text,
        "One",
        body("x\n\ny"),
        "import a from 'a'\n\n<Tabs>\n  <Tab>\n    ## One\n\n    x\n\n    y\n  </Tab>\n</Tabs>\n",
    );
    check(text, "imports", last("import b from 'b'"), &text.replacen("'a'\n", "'a'\nimport b from 'b'\n", 1));
    check(text, "import[a]", after("import b from 'b'"), &text.replacen("'a'\n", "'a'\nimport b from 'b'\n", 1));
    check(text, "import[a]", Operation::Delete, text.split_once("\n\n").expect("two parts").1);
    check("<A>\n  x\n</A>\n", "component[A]", last("y"), "<A>\n  x\n\n  y\n</A>\n");
    check("<A>\n  x\n</A>\n", "component[A]", body("y\nz"), "<A>\n  y\n  z\n</A>\n");
    check("<A>\n</A>\n", "component[A]", body("y"), "<A>\ny\n</A>\n");
    let one_line = "import 'a';import 'b';import 'c'\n";
    check(one_line, "import[b]", Operation::Delete, "import 'a';import 'c'\n");
    check("import 'a'\nimport 'b';import 'c'\n", "import[b]", Operation::Delete, "import 'a'\nimport 'c'\n");
    check("<A>\nx\n</A><B />{c}\n", "component[B]", Operation::Delete, "<A>\nx\n</A>{c}\n");
    check("<A /><B />\n# C\n", "component[B]", Operation::Delete, "<A />\n# C\n");
    let failure = edit("a.mdx", "<A />\n", "component[A]", last("x")).expect_err("no inside");
    assert_eq!(failure.kind, FailureKind::Unsupported);
}

#[test]
fn refuses_nested_targets() {
    let text = "# A\n\n## A\n\nx\n";
    refused(text, "A", replace("x"), FailureKind::InvalidArgument);
    check(text, "A", Operation::Delete, "");
}

#[test]
fn inserted_code_gets_indentation_of_block() {
    check(
        "```js\nf {\n\ta\n}\n```\n",
        "code[1]",
        last("g {\n  b {\n    c\n  }\n}"),
        "```js\nf {\n\ta\n}\ng {\n\tb {\n\t\tc\n\t}\n}\n```\n",
    );
    check("```js\nf\n```\n", "code[1]", last("g\n    b"), "```js\nf\ng\n    b\n```\n");
}

#[track_caller]
fn check_made(text: &str, target: &str, content: &str, expected: &str) {
    testing::check_insert_missing::<Markdown>(("a.md", text), (TargetKind::Heading, target), content, expected);
}

#[test]
fn upsert_creates_sections() {
    check_made(TWO, "D", "d", "# A\n\na\n\n## B\n\nb\n\n## C\n\nc\n\n## D\n\nd\n");
    check_made(TWO, "A > B > D", "d\n", "# A\n\na\n\n## B\n\nb\n\n### D\n\nd\n\n## C\n\nc\n");
    check_made(TWO, "B > D > E", "", "# A\n\na\n\n## B\n\nb\n\n### D\n\n#### E\n\n## C\n\nc\n");
    check_made(TWO, "# D", "d", "# A\n\na\n\n## B\n\nb\n\n## C\n\nc\n\n# D\n\nd\n");
    check_made(TWO, "### D", "d", "# A\n\na\n\n## B\n\nb\n\n## C\n\nc\n\n### D\n\nd\n");
    // The content has its own heading.
    check_made("# A\n", "A > B", "## B\n\nb", "# A\n\n## B\n\nb\n");
    check_made("A\n=\n\nB\n-\n", "New", "x", "A\n=\n\nB\n-\n\nNew\n---\n\nx\n");
    check_made("", "A", "a", "# A\n\na\n");
    check_made("text\n", "A", "a", "text\n\n# A\n\na\n");
    check_made("# A\n\n# B\n", "C", "c", "# A\n\n# B\n\n# C\n\nc\n");
    check_made(
        "# Words\n\n## a\n\n## b\n\n## d\n\n## e\n",
        "c",
        "x",
        "# Words\n\n## a\n\n## b\n\n## c\n\nx\n\n## d\n\n## e\n",
    );
    check_made("> # A\n>\n> a\n", "A > B", "b", "> # A\n>\n> a\n>\n> ## B\n>\n> b\n");
}

#[test]
fn upsert_refuses_ambiguous_sections() {
    let check = |text: &str, target: &str, content: &str, kind: FailureKind| {
        let failure =
            testing::check_missing_refusal::<Markdown>(("a.md", text), (TargetKind::Heading, target), content);
        assert_eq!(failure.kind, kind, "{target}: {failure:?}");
    };
    check(TWO, "B", "x", FailureKind::InvalidArgument);
    check(TWO, "D[2]", "x", FailureKind::InvalidTarget);
    check(TWO, "B > code[js]", "x", FailureKind::InvalidTarget);
    check(TWO, "B > # D", "x", FailureKind::InvalidTarget);
    check(TWO, "D", "## E\n\nx", FailureKind::InvalidArgument);
    check("# A\n\n# A\n", "A > B", "x", FailureKind::AmbiguousTarget);
    check("###### A\n", "A > B", "x", FailureKind::Unsupported);
}
