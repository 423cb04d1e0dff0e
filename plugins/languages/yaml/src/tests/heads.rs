//! Tests that tags, anchors and comments around a value are kept when its content is edited.

use marquetry_sdk::{
    FailureKind, Operation,
    TargetKind::Path,
    testing::{after, before, body, check_edit, check_refusal, first, last, replace},
};

use crate::Yaml;

#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    check_edit::<Yaml>(("a.yaml", text), (Path, target), operation, expected);
}

#[test]
fn filled_collection_keeps_tag_and_anchor() {
    check(
        "services:\n  web:\n    ports: !reset []\n",
        "$.services.web.ports",
        last("\"8080:80\""),
        "services:\n  web:\n    ports: !reset\n      - \"8080:80\"\n",
    );
    check("a: !override {}\nb: 1\n", "$.a", last("A: 1"), "a: !override\n  A: 1\nb: 1\n");
    check("a: &x !Foo []\n", "$.a", last("1"), "a: &x !Foo\n  - 1\n");
    check("a: !Foo &x []\nb: *x\n", "$.a", last("1"), "a: !Foo &x\n  - 1\nb: *x\n");
    check("a: !Foo [] # why\n", "$.a", last("1"), "a: !Foo # why\n  - 1\n");
    check("- !Foo []\n- 2\n", "$[0]", last("1"), "- !Foo\n  - 1\n- 2\n");
    check("- &x []\n- *x\n", "$[0]", last("1"), "- &x\n  - 1\n- *x\n");
    check("? a\n: !Foo {}\n", "$.a", last("k: 1"), "? a\n: !Foo\n  k: 1\n");
    check("--- !Foo []\n", "$", last("1"), "--- !Foo\n- 1\n");
    check("!Foo {}\n", "$", last("k: 1"), "!Foo\nk: 1\n");
    check("!K a: []\n", "$.a", last("1"), "!K a:\n  - 1\n");
    check("a: !reset\nb: 1\n", "$.a", last("- 1"), "a: !reset\n  - 1\nb: 1\n");
    check("a: [!Foo []]\n", "$.a[0]", last("1"), "a: [!Foo [1]]\n");
}

#[test]
fn emptied_collection_keeps_tag_and_anchor() {
    let delete = || Operation::Delete;
    check("ports: !override\n  - \"80:80\"\n", "$.ports[0]", delete(), "ports: !override []\n");
    check("L: !Split\n  - ','\n", "$.L[0]", delete(), "L: !Split []\n");
    check("a: !Foo &z\n  k: v\nb: 1\n", "$.a.k", delete(), "a: !Foo &z {}\nb: 1\n");
    check("a: &z !Foo\n  k: v\nb: *z\n", "$.a.k", delete(), "a: &z !Foo {}\nb: *z\n");
    check("a: !Foo # why\n  k: v\n", "$.a.k", delete(), "a: !Foo {} # why\n");
    check("a: &z\n  !Foo\n  k: v\n", "$.a.k", delete(), "a: &z\n  !Foo {}\n");
    check("- !Foo\n  k: v\n- 2\n", "$[0].k", delete(), "- !Foo {}\n- 2\n");
    check("- &x\n  - 1\n- *x\n", "$[0][0]", delete(), "- &x []\n- *x\n");
    check("? a\n: !Foo\n  k: v\n", "$.a.k", delete(), "? a\n: !Foo {}\n");
    check("--- !Foo\na: 1\n", "$.a", delete(), "--- !Foo {}\n");
    check("!Foo\n- 1\n", "$[0]", delete(), "!Foo []\n");
    check("!K a: 1\n", "$['a']", delete(), "{}\n");
}

#[test]
fn new_body_keeps_tag_and_anchor() {
    check("a: !Foo\n  k: v\n", "$.a", body("x: 1"), "a: !Foo\n  x: 1\n");
    check("a: &z !Foo # why\n  - 1\n", "$.a", body("- 2\n- 3"), "a: &z !Foo # why\n  - 2\n  - 3\n");
    check("a: !Foo &z\n  k: v\nb: *z\n", "$.a", body("[1]"), "a: !Foo &z [1]\nb: *z\n");
    check("a: !Foo\n  k: v\n", "$.a", body("!Bar\nx: 1"), "a: !Bar\n  x: 1\n");
    check("a: !Foo {k: v}\n", "$.a", body("x: 1"), "a: !Foo {x: 1}\n");
}

#[test]
fn anchor_stays_with_its_collection() {
    check("- &x\n  a: 1\n- *x\n", "$[0]", replace("b: 1\nc: 2"), "- &x\n  b: 1\n  c: 2\n- *x\n");
    check("- &x 1\n- *x\n", "$[0]", replace("b: 1\nc: 2"), "- &x\n  b: 1\n  c: 2\n- *x\n");
}

#[test]
fn filled_collection_keeps_its_comments() {
    check("a: [\n  # one\n  # two\n]\n", "$.a", last("x"), "a:\n  # one\n  # two\n  - x\n");
    check("a: { # none\n}\nb: 1\n", "$.a", last("k: 1"), "a:\n  # none\n  k: 1\nb: 1\n");
    check("a: !Foo [ # none\n] # end\n", "$.a", last("1"), "a: !Foo # end\n  # none\n  - 1\n");
    check("- [\n  # none\n  ]\n", "$[0]", last("1"), "-\n  # none\n  - 1\n");
    check("[ # none\n]\n", "$", last("1"), "# none\n- 1\n");
    check("a: [[ # none\n  ]]\n", "$.a[0]", last("1"), "a: [[ # none\n  1\n  ]]\n");
}

#[test]
fn block_scalar_keeps_the_comment_of_its_header() {
    check("a: | # licence\n  text\nb: 1\n", "$.a", replace("short"), "a: short # licence\nb: 1\n");
    check("a: | # licence\n  text\n", "$.a", replace(">-\n  new"), "a: >- # licence\n  new\n");
    check("a: |2- # licence\n   text\n", "$.a", replace("1"), "a: 1 # licence\n");
    check("a: >+ # licence\n  text\n\nb: 1\n", "$.a", replace("x: 1"), "a: # licence\n  x: 1\nb: 1\n");
    check("a: !T | # licence\n  text\n", "$.a", replace("1"), "a: 1 # licence\n");
    check("- &x | # licence\n  text\n- *x\n", "$[0]", replace("1"), "- &x 1 # licence\n- *x\n");
    check("a: | # licence\n  text\n", "$.a", replace("| # other\n  new"), "a: | # other\n  new\n");
    check("a:\n  # above\n  | # licence\n  text\n", "$.a", replace("1"), "a: 1 # licence\n  # above\n");
}

#[test]
fn comments_between_key_and_value_stay() {
    let delete = Operation::Delete;
    check("a:\n  # part\n\n  # about b\n  b: 1\nc: 2\n", "$.a.b", delete, "a: {}\n  # part\nc: 2\n");
    check("a:\n  # note\n  1\nb: 2\n", "$.a", replace("2"), "a: 2\n  # note\nb: 2\n");
    check("a: !Foo # why\n  text\nb: 2\n", "$.a", replace("2"), "a: 2 # why\nb: 2\n");
}

#[test]
fn deletes_entry_that_ends_with_empty_value() {
    let delete = || Operation::Delete;
    check("on:\n  push:\n    branches: [main]\n  pull_request:\n\nname: CI\n", "$.on", delete(), "name: CI\n");
    check("- a:\n\n- b: 1\n", "$[0]", delete(), "- b: 1\n");
    check("volumes:\n  data:\n\n# about\nservices: {}\n", "$.volumes", delete(), "# about\nservices: {}\n");
    check("x: 1\n\na:\n\nb: 1\n", "$.a", delete(), "x: 1\n\nb: 1\n");
    check("x: 1\n\n# about\na:\n\nb: 1\n", "$.a", delete(), "x: 1\n\nb: 1\n");
    check("x: 1\na:\nb: 1\n", "$.a", delete(), "x: 1\nb: 1\n");
    check("x: 1\na:", "$.a", delete(), "x: 1");
    check("on:\n  pull_request:\n\njobs: {}\n", "$.on.pull_request", delete(), "on: {}\n\njobs: {}\n");
    check("on: # why\n-\njobs: {}\n", "$.on[0]", delete(), "on: [] # why\njobs: {}\n");
    check("- a:\n- b\n", "$[0].a", delete(), "- {}\n- b\n");
    check("- a: # c\n  b: 1\n", "$[0].a", delete(), "- b: 1\n");
}

#[test]
fn edits_empty_items_keys_and_documents() {
    let delete = || Operation::Delete;
    check("a:\n  -\n\nb: 1\n", "$.a[0]", delete(), "a: []\n\nb: 1\n");
    check("-\n\n", "$[0]", after("x"), "-\n- x\n\n");
    check("? |\n  key\n  more\nb: 1\n", "$['key\\nmore\\n']", delete(), "b: 1\n");
    check("? a\n  b\n", "$['a b']", after("x: 2"), "? a\n  b\nx: 2\n");
    check("? a\n  b\nc: 1\n", "$['a b']", replace("1"), "? a\n  b\n: 1\nc: 1\n");
    check("---\n\n\n---\na: 1\n", "$[0]", after("x: 2"), "---\n\n\n---\nx: 2\n---\na: 1\n");
    check("a: 1\n---\n# c\n\n\n", "$[1]", after("x: 2"), "a: 1\n---\n# c\n\n\n---\nx: 2\n");
}

#[test]
fn inserts_after_empty_entry() {
    let text = "on:\n  push:\n  pull_request:\n\njobs: {}\n";
    check(text, "$.on", after("x: {}"), "on:\n  push:\n  pull_request:\n\nx: {}\n\njobs: {}\n");
    check(text, "$.on.pull_request", after("x:"), "on:\n  push:\n  pull_request:\n  x:\n\njobs: {}\n");
    check("a:\n\nb: 1\n", "$.a", after("x: 2"), "a:\n\nx: 2\n\nb: 1\n");
    check("a:\n\n# part\n\nb: 1\n", "$.b", before("x: 2"), "a:\n\n# part\n\nx: 2\n\nb: 1\n");
    check("-\n\n- b: 1\n", "$[0]", after("x"), "-\n\n- x\n\n- b: 1\n");
}

#[test]
fn document_end_markers_stay() {
    check("a: 1\nb: 2\n# end\n...\n", "$.b", Operation::Delete, "a: 1\n# end\n...\n");
    check("a: 1\n# end\n...\n", "$", last("b: 2"), "a: 1\nb: 2\n# end\n...\n");
    check("a: 1\n# end\n...\n", "$.a", after("b: 2"), "a: 1\nb: 2\n# end\n...\n");
    check("a: 1\n...\nb: 2\n", "$[0]", Operation::Delete, "b: 2\n");
    check("a: 1\n...\nb: 2\n", "$[1]", Operation::Delete, "a: 1\n...\n");
    check("a: 1\n...\nb: 2\n", "$[0]", after("c: 3"), "a: 1\n...\n---\nc: 3\n---\nb: 2\n");
    check("a: 1\n# end\n...\n", "$.a", Operation::Delete, "{}\n# end\n...\n");
}

#[test]
fn new_items_have_the_dashes_of_their_neighbours() {
    let text = "repos:\n-   id: a\n-   id: b\n";
    check(text, "$.repos", last("id: c"), &format!("{text}-   id: c\n"));
    check(text, "$.repos", last("- id: c\n  x: 1\n- d"), &format!("{text}-   id: c\n    x: 1\n-   d\n"));
    check(text, "$.repos[0]", before("id: c\nx: 1"), &text.replacen('\n', "\n-   id: c\n    x: 1\n", 1));
    check("-\n  a: 1\n-\n  a: 2\n", "$", last("a: 3\nb: 4"), "-\n  a: 1\n-\n  a: 2\n-\n  a: 3\n  b: 4\n");
    check("-\ta\n-\tb\n", "$", last("c"), "-\ta\n-\tb\n-\tc\n");
    check("-  a\n-  b\n", "$", last("|\n  x\n    y"), "-  a\n-  b\n-  |\n   x\n     y\n");
    check("- a\n", "$", last("-   b: 1\n    c: 2"), "- a\n- b: 1\n  c: 2\n");
    check("-   a: []\n", "$[0].a", last("b"), "-   a:\n      -   b\n");
    check("-   a:\n    - x\n    b: []\n", "$[0].a", last("y"), "-   a:\n    - x\n    - y\n    b: []\n");
    check(
        "-   repo: x\n    hooks:\n    -   id: y\n",
        "$",
        last("repo: z\nhooks:\n- id: w\n  args: [1]"),
        "-   repo: x\n    hooks:\n    -   id: y\n-   repo: z\n    hooks:\n    -   id: w\n        args: [1]\n",
    );
}

#[test]
fn inserts_comments_beside_entries() {
    check("a: 1\nb: 2\n", "$.b", before("# note"), "a: 1\n# note\nb: 2\n");
    check("a: 1\n\nb: 2\n", "$.a", after("# note"), "a: 1\n# note\n\nb: 2\n");
    check("a: 1 # x\nb: 2\n", "$.a", after("# one\n# two\n"), "a: 1 # x\n# one\n# two\nb: 2\n");
    check("x:\n  - a: 1\n    b: 2\n", "$.x[0].b", before("# note"), "x:\n  - a: 1\n    # note\n    b: 2\n");
    check("x:\n  - a: 1\n", "$.x[0]", before("# note"), "x:\n  # note\n  - a: 1\n");
    check("x:\n  - a: 1\n", "$.x[0].a", before("# note"), "x:\n  - # note\n    a: 1\n");
    check("a: |\n  text\nb: 1\n", "$.a", after("# note"), "a: |\n  text\n# note\nb: 1\n");
    check("---\nkey: a\n---\nkey: b\n...\n", "$[0].key", before("# c"), "---\n# c\nkey: a\n---\nkey: b\n...\n");
    check("---\nkey: a\n---\nkey: b\n...\n", "$[1]", last("more: 1"), "---\nkey: a\n---\nkey: b\nmore: 1\n...\n");
    check("---\nkey: a\n---\nkey: b\n", "$[1]", before("# c"), "---\nkey: a\n---\n# c\nkey: b\n");
    check("a: 1\r\nb: 2\r\n", "$.b", before("# note"), "a: 1\r\n# note\nb: 2\r\n");
}

#[test]
fn inserts_comments_into_collections() {
    check("a: 1\nb: 2\n", "$", first("# note"), "# note\na: 1\nb: 2\n");
    check("a:\n  b: 1\nc: 2\n", "$.a", last("# note"), "a:\n  b: 1\n  # note\nc: 2\n");
    check("a:\n  - 1\n", "$.a", last("# note"), "a:\n  - 1\n  # note\n");
    check("a:\nb: 1\n", "$.a", last("# note"), "a:\n  # note\nb: 1\n");
    check("a: []\n", "$.a", last("# note"), "a: [\n  # note\n  ]\n");
    check("a: [1, 2]\n", "$.a[1]", before("# note"), "a: [1, # note\n  2]\n");
    check("a: [1, 2]\n", "$.a[0]", after("# note"), "a: [1, # note\n  2]\n");
    check("a: [\n  1,\n  2\n]\n", "$.a[1]", before("# note"), "a: [\n  1,\n  # note\n  2\n]\n");
    check("a: [\n  1,\n  2\n]\n", "$.a", last("# note"), "a: [\n  1,\n  2\n  # note\n]\n");
    let refused = |text: &str, target: &str, operation: Operation| {
        check_refusal::<Yaml>(("a.yaml", text), (Path, target), operation).kind
    };
    assert_eq!(refused("a: x\n", "$.a", last("# note")), FailureKind::Unsupported);
    assert_eq!(refused("a: x\n", "$.a", replace("# note")), FailureKind::InvalidArgument);
}
