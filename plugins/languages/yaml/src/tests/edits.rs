//! Tests of every operation at typical positions.

use marquetry_sdk::{
    EditOptions, Failure, FailureKind, Operation,
    TargetKind::Path,
    span::apply,
    testing::{self, after, before, check_edit, check_refusal, first, last, replace, sorted, wrap},
};

use crate::Yaml;

#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    check_edit::<Yaml>(("a.yaml", text), (Path, target), operation, expected);
}

#[track_caller]
fn refused(text: &str, target: &str, operation: Operation) -> Failure {
    check_refusal::<Yaml>(("a.yaml", text), (Path, target), operation)
}

#[test]
fn line_in_place_of_a_text_is_not_a_mapping() {
    let refused = |text: &str, content: &str| {
        let failure = refused(text, "$.a", replace(content));
        assert!(failure.message.contains("is a text"), "{content}: {}", failure.message);
        failure.candidates
    };
    assert_eq!(refused("a: echo one\n", "echo \"it's: ok\""), ["'echo \"it''s: ok\"'"]);
    for text in ["a: x\n", "a: 'x'\n", "a: \"x\"\n", "a: |\n  x\n  y\n", "a: >-\n  x\n", "a: &b !!str x\n", "{a: x}\n"]
    {
        assert_eq!(refused(text, "Runs: the linter"), ["'Runs: the linter'"], "{text}");
        assert_eq!(refused(text, "echo ok # done"), ["'echo ok # done'"], "{text}");
    }
    // The target is not a text, or the content is clearly a collection.
    check("a: 1\n", "$.a", replace("b: 2"), "a:\n  b: 2\n");
    check("a:\n", "$.a", replace("b: 2"), "a:\n  b: 2\n");
    check("a: x\n", "$.a", replace("b: 2"), "a:\n  b: 2\n");
    check("a: x\n", "$.a", replace("{b: 2}"), "a: {b: 2}\n");
    check("a: x\n", "$.a", replace("b: 2\nc: 3"), "a:\n  b: 2\n  c: 3\n");
    check("a: x\n", "$.a", replace("'b: 2'"), "a: 'b: 2'\n");
    check("a: x\n", "$.a", replace("http://b#c"), "a: http://b#c\n");
    let forced = EditOptions { force: true, include_doc: false };
    let bench = testing::open::<Yaml>("a.yaml", "a: x\n");
    let node = bench.nodes(Path, "$.a").expect("a node").remove(0);
    let edits =
        marquetry_sdk::Document::edit(bench.document(), &[node.id], &replace("b: 2 3"), forced).expect("forced");
    assert_eq!(apply("a: x\n", &edits), "a:\n  b: 2 3\n");
}

#[test]
fn replaces_scalars_with_scalars() {
    check("a: 1 # why\nb: 2\n", "$.a", replace("3"), "a: 3 # why\nb: 2\n");
    check("a:    1\n", "$.a", replace("\"x\"\n"), "a:    \"x\"\n");
    check("- 1\n- 2\n", "$[1]", replace("x"), "- 1\n- x\n");
    check("a:\nb: 2\n", "$.a", replace("1"), "a: 1\nb: 2\n");
    check("a: # todo\nb: 2\n", "$.a", replace("1"), "a: 1 # todo\nb: 2\n");
    check("-\n- 2\n", "$[0]", replace("1"), "- 1\n- 2\n");
    check("a: &x 1\nb: *x\n", "$.a", replace("2"), "a: &x 2\nb: *x\n");
    check("a: &x 1\nb: *x\n", "$.b", replace("2"), "a: &x 1\nb: 2\n");
    check("a: !Ref x\n", "$.a", replace("!Sub y"), "a: !Sub y\n");
    check("a: \"one\n  two\"\n", "$.a", replace("1"), "a: 1\n");
    check("--- 1\n", "$", replace("2"), "--- 2\n");
    check("", "$", replace("a: 1"), "a: 1\n");
    check("# only a comment\n", "$", replace("a: 1"), "# only a comment\na: 1\n");
    check("a: 1\r\nb: 2\r\n", "$.a", replace("3"), "a: 3\r\nb: 2\r\n");
    check("a:\n  1\n", "$.a", replace("2"), "a: 2\n");
}

#[test]
fn replaces_block_scalars() {
    check("a: |\n  one\n  two\nb: 1\n", "$.a", replace("|\n  three\n\n  four\n"), "a: |\n  three\n\n  four\nb: 1\n");
    check("a:\n    b: 1\n", "$.a.b", replace("|-\n one\n   two\n"), "a:\n    b: |-\n        one\n          two\n");
    check("- run: x # c\n", "$[0].run", replace("|\n  a\n  b"), "- run: | # c\n    a\n    b\n");
    check("a: >-\n  text\nb: 1\n", "$.a", replace("short"), "a: short\nb: 1\n");
    check("a: 1\n", "$.a", replace("|2\n   x\n  y"), "a: |2\n   x\n  y\n");
    check("- 1\n", "$[0]", replace("|\n  x\n  y"), "- |\n  x\n  y\n");
}

#[test]
fn comments_do_not_become_scalar_text() {
    check("a: 1 # why\n", "$.a", replace("|\n  x\n  y"), "a: | # why\n  x\n  y\n");
    check("a: 1 # why\n", "$.a", replace("one\ntwo"), "a: one\n  two # why\n");
    check("a:\n  b: 1 # why\nc: 2\n", "$.a", replace("x: |\n  text"), "a:\n  x: |\n    text\n# why\nc: 2\n");
    check("a: # on a\n  b: 1 # on b\n", "$.a", replace(">-\n  x\n  y"), "a: >- # on a # on b\n  x\n  y\n");
    check("a: 1  \nb: 2\n", "$.a", replace("|\n  x"), "a: |\n  x\nb: 2\n");
}

#[test]
fn replaces_collections_with_collections() {
    check("a:\n  b: 1\n  c: 2\nd: 3\n", "$.a", replace("x: 1\ny:\n  z: 2"), "a:\n  x: 1\n  y:\n    z: 2\nd: 3\n");
    check("a:\n  - 1\n  - 2\nd: 3\n", "$.a", replace("- 3"), "a:\n  - 3\nd: 3\n");
    check("a:\n- 1\nd: 3\n", "$.a", replace("- 3\n- 4"), "a:\n- 3\n- 4\nd: 3\n");
    check("a:\n- 1\nd: 3\n", "$.a", replace("b: 1"), "a:\n  b: 1\nd: 3\n");
    check("a:\n  b: 1\n", "$.a", replace("- 1\n- 2"), "a:\n  - 1\n  - 2\n");
    check("- a: 1\n  b: 2\n- c\n", "$[0]", replace("x: 1\ny: 2"), "- x: 1\n  y: 2\n- c\n");
    check("-   a: 1\n    b: 2\n", "$[0]", replace("x: 1\ny: 2"), "-   x: 1\n    y: 2\n");
    check("a: 1\n", "$", replace("- 1"), "- 1\n");
    check("# top\na: 1\n", "$", replace("b:\n  c: 1"), "# top\nb:\n  c: 1\n");
}

#[test]
fn read_text_can_be_written_back() {
    check("a:\n  b: 1\n  c: 2\n", "$.a", replace("b: 1\n  c: 3"), "a:\n  b: 1\n  c: 3\n");
    check("a:\n  - 1\n  - 2\n", "$.a", replace("- 1\n  - 2\n  - 3"), "a:\n  - 1\n  - 2\n  - 3\n");
    check(
        "x:\n    a:\n        b: 1\n    c: 2\n",
        "$.x",
        replace("a:\n        b: 5\n    c: 2"),
        "x:\n    a:\n        b: 5\n    c: 2\n",
    );
}

#[test]
fn replaces_scalars_with_collections_and_back() {
    check("a: 1 # why\nb: 2\n", "$.a", replace("x: 1"), "a: # why\n  x: 1\nb: 2\n");
    check("a:\nb: 2\n", "$.a", replace("- 1\n- 2"), "a:\n  - 1\n  - 2\nb: 2\n");
    check("a:\n- 1\nb:\n", "$.b", replace("- 2"), "a:\n- 1\nb:\n- 2\n");
    check("a: # why\n  x: 1\nb: 2\n", "$.a", replace("5"), "a: 5 # why\nb: 2\n");
    check("a: &x\n  y: 1\nb: *x\n", "$.a", replace("5"), "a: &x 5\nb: *x\n");
    check("- 1\n- 2\n", "$[0]", replace("a: 1\nb: 2"), "- a: 1\n  b: 2\n- 2\n");
    check("- a: 1\n  b: 2\n", "$[0]", replace("x"), "- x\n");
    check("a: 1\n", "$.a", replace("!!map\nx: 1"), "a: !!map\n  x: 1\n");
    check("--- x\n", "$", replace("a: 1"), "---\na: 1\n");
}

#[test]
fn edits_flow_collections() {
    check("a: [1, 2]\n", "$.a[0]", replace("{x: 1}"), "a: [{x: 1}, 2]\n");
    check("a: [1, 2]\n", "$.a[0]", replace("one, two"), "a: [\"one, two\", 2]\n");
    check("a: {x: 1, y}\n", "$.a.y", replace("2"), "a: {x: 1, y: 2}\n");
    check("a: {x: , y: 1}\n", "$.a.x", replace("2"), "a: {x: 2, y: 1}\n");
    check("a: [1, 2]\n", "$.a", last("3"), "a: [1, 2, 3]\n");
    check("a: [1, 2]\n", "$.a[0]", Operation::Delete, "a: [2]\n");
    check("a: {x: 1, y: 2}\n", "$.a.y", Operation::Delete, "a: {x: 1}\n");
    check("a: {x: 1}\n", "$.a", last("y: 2"), "a: {x: 1, y: 2}\n");
    check("a: {x: 1}\n", "$.a", first("{y: 2, z}"), "a: {y: 2, z, x: 1}\n");
    check("a: [b: 1, c]\n", "$.a[0].b", Operation::Delete, "a: [{}, c]\n");
    check("a: [[]]\n", "$.a[0]", last("1"), "a: [[1]]\n");
    check("a: [1]\n", "$.a[0]", replace("x: 1\ny: 2"), "a: [{x: 1, y: 2}]\n");
}

#[test]
fn inserts_keys() {
    check("a: 1\nb: 2\n", "$", last("c: 3"), "a: 1\nb: 2\nc: 3\n");
    check("a: 1", "$", last("c: 3"), "a: 1\nc: 3");
    check("# top\na: 1 # why\n", "$", last("c: 3"), "# top\na: 1 # why\nc: 3\n");
    check("a: 1\nc: 2\n", "$", sorted("b: 3"), "a: 1\nb: 3\nc: 2\n");
    check("a: 1\nc: 2\n", "$", sorted("d: 1\nb: 3"), "a: 1\nb: 3\nc: 2\nd: 1\n");
    check("x:\n  a: 1\ny: 2\n", "$.x", last("b:\n  c: 1"), "x:\n  a: 1\n  b:\n    c: 1\ny: 2\n");
    check("x:\n  a: |\n    text\n\ny: 2\n", "$.x", last("b: 1"), "x:\n  a: |\n    text\n  b: 1\n\ny: 2\n");
    check("- a: 1\n- b\n", "$[0]", last("c: 2"), "- a: 1\n  c: 2\n- b\n");
    check("- a: 1\n- b\n", "$[0]", first("c: 2"), "- c: 2\n  a: 1\n- b\n");
    check("a: 1\n\nb: 2\n", "$", last("c: 3"), "a: 1\n\nb: 2\n\nc: 3\n");
    check("a: 1\n", "$", last("{b: 2, c: [1]}"), "a: 1\nb: 2\nc: [1]\n");
    check("a: 1\r\nb: 2\r\n", "$", last("c: 3"), "a: 1\r\nb: 2\nc: 3\r\n");
    check("a: 1\n", "$", last("# about b\nb: 2"), "a: 1\n# about b\nb: 2\n");
    let known = refused("a: {b: 1}\n", "$.a", last("b: 2"));
    assert_eq!((known.kind, known.candidates), (FailureKind::InvalidArgument, vec!["$.a.b".to_owned()]));
    assert_eq!(refused("a: 1\n", "$", last("b")).kind, FailureKind::InvalidArgument);
}

#[test]
fn inserts_items() {
    check("- 1\n- 2\n", "$", last("3"), "- 1\n- 2\n- 3\n");
    check("- 1\n- 2\n", "$", last("- 3\n- 4"), "- 1\n- 2\n- 3\n- 4\n");
    check("a:\n  - x: 1\n", "$.a", last("x: 2\ny: 3"), "a:\n  - x: 1\n  - x: 2\n    y: 3\n");
    check("a:\n- x\nb: 1\n", "$.a", last("|\n  one\n  two"), "a:\n- x\n- |\n  one\n  two\nb: 1\n");
    check("- 1\n- 3\n", "$", sorted("2"), "- 1\n- 2\n- 3\n");
    check("- a\n- C\n", "$", sorted("b"), "- a\n- b\n- C\n");
    check("- 1\n", "$[0]", before("0"), "- 0\n- 1\n");
    check("- 1\n", "$[0]", after("[2]"), "- 1\n- [2]\n");
    check("- - 1\n  - 2\n", "$[0]", last("3"), "- - 1\n  - 2\n  - 3\n");
}

#[test]
fn inserts_beside_entries() {
    check("a: 1\n# about b\nb: 2\n", "$.b", before("x: 0"), "a: 1\nx: 0\n# about b\nb: 2\n");
    check("a:\n  x: 1\nb: 2\n", "$.a", after("y: 0"), "a:\n  x: 1\ny: 0\nb: 2\n");
    assert_eq!(refused("a: 1\n", "$", after("b: 1")).kind, FailureKind::Unsupported);
}

#[test]
fn fills_empty_collections() {
    check("a: []\n", "$.a", last("x"), "a:\n  - x\n");
    check("a: {}\nb: 1\n", "$.a", last("x: 1"), "a:\n  x: 1\nb: 1\n");
    check("a:\nb: 1\n", "$.a", last("x: 1\ny: 2"), "a:\n  x: 1\n  y: 2\nb: 1\n");
    check("a: null # c\n", "$.a", last("- x"), "a: # c\n  - x\n");
    check("a: []\n", "$.a", last("x: 1\ny: 2"), "a:\n  - x: 1\n    y: 2\n");
    check("{}\n", "$", last("a: 1"), "a: 1\n");
    check("a: {}\n", "$.a", last("{x: 1}"), "a:\n  x: 1\n");
    assert_eq!(refused("a:\n", "$.a", last("x")).kind, FailureKind::InvalidArgument);
    assert_eq!(refused("a: 1\n", "$.a", last("x")).kind, FailureKind::Unsupported);
}

#[test]
fn deletes() {
    check("a: 1\nb: 2\nc: 3\n", "$.b", Operation::Delete, "a: 1\nc: 3\n");
    check("a: 1\n# about b\nb:\n  x: 1\nc: 3\n", "$.b", Operation::Delete, "a: 1\nc: 3\n");
    check("a: 1\nb: 2", "$.b", Operation::Delete, "a: 1");
    check("a: 1\n\nb: 2\n\nc: 3\n", "$.b", Operation::Delete, "a: 1\n\nc: 3\n");
    check("- a: 1\n  b: 2\n", "$[0].a", Operation::Delete, "- b: 2\n");
    check("- a: 1\n  b: 2\n", "$[0].b", Operation::Delete, "- a: 1\n");
    check("a:\n  b: 1\nc: 2\n", "$.a.b", Operation::Delete, "a: {}\nc: 2\n");
    check("a:\n  - 1\n  - 2\n", "$.a[*]", Operation::Delete, "a: []\n");
    check("a: 1\n", "$.a", Operation::Delete, "{}\n");
    check("- 1\n- 2\n- 3\n- 4\n", "$[0,2]", Operation::Delete, "- 2\n- 4\n");
    check("a: 1\r\nb: 2\r\n", "$.a", Operation::Delete, "b: 2\r\n");
    check("? a\n: 1\n? b\n: 2\n", "$.a", Operation::Delete, "? b\n: 2\n");
    assert_eq!(refused("a: 1\n", "$", Operation::Delete).kind, FailureKind::Unsupported);
}

#[test]
fn wraps() {
    check("a: 1\n", "$.a", wrap("[", "]"), "a: [1]\n");
    check("a:\n  b: 1\n  c: 2\n", "$.a", wrap("x:\n", ""), "a:\n  x:\n    b: 1\n    c: 2\n");
    check("a: 1\n", "$.a", wrap("x: ", ""), "a:\n  x: 1\n");
}

#[test]
fn edits_documents() {
    let text = "---\na: 1\n---\nb: 2\n";
    check(text, "$[1].b", replace("3"), "---\na: 1\n---\nb: 3\n");
    check(text, "$[0]", Operation::Delete, "---\nb: 2\n");
    check(text, "$[1]", Operation::Delete, "---\na: 1\n");
    check(text, "$[0]", after("c: 3"), "---\na: 1\n---\nc: 3\n---\nb: 2\n");
    check(text, "$", last("c: 3"), "---\na: 1\n---\nb: 2\n---\nc: 3\n");
    check("a: 1\n---\nb: 2\n", "$[0]", before("c: 3"), "---\nc: 3\n---\na: 1\n---\nb: 2\n");
    assert_eq!(refused(text, "$", replace("x")).kind, FailureKind::Unsupported);
}

const SHARED: &str = "base: &base\n  x: 1\n  y: 2\none:\n  <<: *base\n  y: 3\ntwo: *base\n";

#[test]
fn refuses_edits_through_aliases() {
    for (target, there) in [("$.two.x", "$.base.x"), ("$.one.x", "$.base.x")] {
        let failure = refused(SHARED, target, replace("9"));
        assert_eq!((failure.kind, failure.candidates), (FailureKind::InvalidArgument, vec![there.to_owned()]));
    }
    assert_eq!(refused(SHARED, "$.two", last("z: 1")).candidates, ["$.base"]);
    check(SHARED, "$.one.y", replace("4"), &SHARED.replace("y: 3", "y: 4"));
    check(SHARED, "$.two", replace("1"), &SHARED.replace("two: *base", "two: 1"));
    check(SHARED, "$.one['<<']", Operation::Delete, "base: &base\n  x: 1\n  y: 2\none:\n  y: 3\ntwo: *base\n");
}

#[test]
fn refuses_content_that_parses_differently() {
    assert_eq!(refused("a: 1\n", "$.a", replace("x: y: z")).kind, FailureKind::ParseError);
    assert_eq!(refused("a: 1\n", "$.a", replace("")).kind, FailureKind::InvalidArgument);
    assert_eq!(refused("a: 1\n", "$.a", replace("x\n---\ny")).kind, FailureKind::InvalidArgument);
    assert_eq!(refused("a: [1]\n", "$.a", last("{")).kind, FailureKind::ParseError);
}

#[test]
fn force_and_include_doc_change_edits() {
    let text = "a: 1\n# old\nb: 2\n";
    let bench = testing::open::<Yaml>("a.yaml", text);
    let node = bench.nodes(Path, "$.b").expect("found").remove(0);
    let edit = |operation: &Operation, include_doc: bool, force: bool| {
        let edits =
            marquetry_sdk::Document::edit(bench.document(), &[node.id], operation, EditOptions { include_doc, force });
        edits.map(|edits| apply(text, &edits))
    };
    assert_eq!(edit(&replace("# new\nc: 3"), true, false).expect("edited"), "a: 1\n# new\nc: 3\n");
    assert_eq!(edit(&after("b: 0"), false, true).expect("edited"), "a: 1\n# old\nb: 2\nb: 0\n");
    let shared = testing::open::<Yaml>("a.yaml", SHARED);
    let through = shared.nodes(Path, "$.two.x").expect("found").remove(0);
    let options = EditOptions { include_doc: false, force: true };
    let edits =
        marquetry_sdk::Document::edit(shared.document(), &[through.id], &replace("9"), options).expect("edited");
    assert_eq!(apply(SHARED, &edits), SHARED.replace("x: 1", "x: 9"));
}

#[test]
fn content_gets_indentation_of_file() {
    check(
        "a:\n  b:\n    c: 1\n",
        "$.a",
        last("d:\n    e:\n        f: 1"),
        "a:\n  b:\n    c: 1\n  d:\n    e:\n      f: 1\n",
    );
    check(
        "on:\n- push\njobs:\n  a: 1\n",
        "$.jobs",
        last("b:\n  steps:\n    - run: |\n        x\n      name: y"),
        "on:\n- push\njobs:\n  a: 1\n  b:\n    steps:\n    - run: |\n        x\n      name: y\n",
    );
    check(
        "a:\n    b: 1\n",
        "$.a.b",
        replace("c:\n  d: |\n    x\n     y"),
        "a:\n    b:\n        c:\n            d: |\n                x\n                 y\n",
    );
}

#[track_caller]
fn check_made(text: &str, target: &str, content: &str, expected: &str) {
    testing::check_insert_missing::<Yaml>(("a.yaml", text), (Path, target), content, expected);
}

#[test]
fn upsert_creates_missing_values() {
    check_made("a: 1 # why\n", "$.b", "2", "a: 1 # why\nb: 2\n");
    check_made("a:\n    x: 1\n\nb: 2\n", "$.a.y.z", "3", "a:\n    x: 1\n    y:\n        z: 3\n\nb: 2\n");
    check_made("a:\nb: 2\n", "$.a.x", "1", "a:\n  x: 1\nb: 2\n");
    check_made("a: 1\n", "$.list[0].name", "x", "a: 1\nlist:\n  - name: x\n");
    check_made("a:\n- 1\n", "$.b.c[0]", "- 2", "a:\n- 1\nb:\n  c:\n  - - 2\n");
    check_made("a:\n  - 1\n  # last\n  - 2\n", "$.a[2]", "3", "a:\n  - 1\n  # last\n  - 2\n  - 3\n");
    check_made("a: {x: 1}\n", "$.a.y.z", "[1, 2]", "a: {x: 1, y: {z: [1, 2]}}\n");
    check_made("a: [1]\n", "$.a[1].b", "x", "a: [1, {b: x}]\n");
    check_made("", "$.a.b", "1", "a:\n  b: 1\n");
    check_made("'a': 1\n", "$['it\\'s']", "2", "'a': 1\n'it''s': 2\n");
    check_made("a: 1\n", "$['x: y']", "2", "a: 1\n\"x: y\": 2\n");
    check_made("a: 1\nb: 2\nd: 3\ne: 4\n", "$.c", "0", "a: 1\nb: 2\nc: 0\nd: 3\ne: 4\n");
    check_made("a: 1\n", "$.run", "|\n  one\n  two", "a: 1\nrun: |\n  one\n  two\n");
    check_made("a: 1\n---\nb: 1\n", "$[1].c", "2", "a: 1\n---\nb: 1\nc: 2\n");
    check_made("- a: 1\n", "$[0].b.c", "2", "- a: 1\n  b:\n    c: 2\n");
}

#[test]
fn upsert_refuses_ambiguous_paths() {
    let check = |text: &str, target: &str, kind: FailureKind| {
        let failure = testing::check_missing_refusal::<Yaml>(("a.yaml", text), (Path, target), "1");
        assert_eq!(failure.kind, kind, "{target}: {}", failure.message);
    };
    check("a: &x {b: 1}\nc: *x\n", "$.c.d", FailureKind::InvalidArgument);
    check("a: 1\n", "$.a", FailureKind::InvalidArgument);
    check("a: [1]\n", "$.a[3]", FailureKind::TargetNotFound);
    check("a: x\n", "$.a.b", FailureKind::Unsupported);
    check("a: x\n", "$.*.b", FailureKind::InvalidTarget);
}

#[test]
fn invalid_content_error_has_position() {
    let failure = refused("a: 1\n", "$.a", replace("\n  b: 1\n  c: [1, 2\n"));
    assert_eq!(failure.kind, FailureKind::ParseError);
    assert!(failure.message.contains("line 3, column"), "{}", failure.message);
    assert!(failure.message.ends_with("(`c: [1, 2`)"), "{}", failure.message);
}

/// Reading a sequence returns its text without the indentation of its first line. Such text is accepted as content.
#[test]
fn accepts_item_content_without_dash_indentation() {
    let text = "jobs:\n  steps:\n      - uses: a@1\n        env:\n          b: c\nd: 1\n";
    let after = "jobs:\n  steps:\n      - uses: a@2\n        env:\n          b: c\nd: 1\n";
    for content in ["- uses: a@2\n        env:\n          b: c", "- uses: a@2\n  env:\n    b: c"] {
        check_edit::<Yaml>(("a.yaml", text), (Path, "$.jobs.steps"), replace(content), after);
    }
}

#[test]
fn block_scalars_at_end_of_file_keep_their_lines() {
    check("a: |+\n  x", "$", last("b: 1"), "a: |+\n  x\nb: 1");
    check("a: |-\n  x", "$", last("b: 1"), "a: |-\n  x\nb: 1");
    check("a: |\n  x", "$", last("b: 1"), "a: |\n  x\nb: 1");
    check("a: |+\n  x\n", "$", last("b: 1"), "a: |+\n  x\nb: 1\n");
    check("a: |+\n  x\n\n", "$", last("b: 1"), "a: |+\n  x\n\nb: 1\n");
    check("- >+\n  x", "$", last("b"), "- >+\n  x\n- b");
    check("a: 1", "$.a", replace("|\n  x"), "a: |\n  x\n");
    check("a: 1", "$", last("b: >\n  x"), "a: 1\nb: >\n  x\n");
    check("a: 1", "$.a", after("b:\n  - |+\n    x"), "a: 1\nb:\n  - |+\n    x\n");
    check("a: 1", "$", last("b: |-\n  x"), "a: 1\nb: |-\n  x");
    check("a: |+\n  x\nb: 1", "$.b", Operation::Delete, "a: |+\n  x\n");
    check("a: |\n  x\nb: 1", "$.b", Operation::Delete, "a: |\n  x\n");
}

/// Edits of one call are computed from the same text, so an insertion must not be inside of the range that the deletion
/// of a neighbour removes.
#[test]
fn insertion_and_deletion_of_neighbour_do_not_overlap() {
    let options = EditOptions { include_doc: false, force: false };
    for (text, new) in [
        ("a: 1\nb: 2\nc: 3\nd: 4\n", "new: 0"),
        ("x:\n  a: 1\n  # about b\n  b: 2 # two\n  c:\n    e: 3\n  d: 4\ny: 5\n", "new: 0"),
        ("x:\n- 1\n- 2\n- - 3\n- 4\n", "- 0"),
        ("x:\r\n  - 1\r\n  - a: 2\r\n    b: 2\r\n  - 3\r\n  - 4\r\n", "- 0"),
    ] {
        let bench = testing::open::<Yaml>("a.yaml", text);
        let around = if text.starts_with('x') { "$.x" } else { "$" };
        let nodes = bench.nodes(Path, &format!("{around}.*")).expect("entries");
        let values: Vec<String> = nodes.iter().map(|node| node.value.clone().expect("a value")).collect();
        assert_eq!(nodes.len(), 4);
        for (beside, deleted) in (0..4).flat_map(|beside| (0..3).map(move |deleted| (beside, deleted))) {
            for (operation, offset) in [(after(new), 1), (before(new), 0)] {
                if operation == after(new) && beside == deleted {
                    continue; // the text is inserted into the deleted line
                }
                let edits = |index: usize, operation: &Operation| {
                    marquetry_sdk::Document::edit(bench.document(), &[nodes[index].id], operation, options)
                };
                let mut both = edits(beside, &operation).expect("an insertion");
                both.extend(edits(deleted, &Operation::Delete).expect("a deletion"));
                both.sort_by_key(|edit| (edit.span.start, edit.span.end));
                let overlaps = both.windows(2).any(|pair| pair[1].span.start < pair[0].span.end);
                assert!(!overlaps, "{operation:?} at {beside} and deletion at {deleted} in\n{text}");
                let result = apply(text, &both);
                let found =
                    testing::open::<Yaml>("a.yaml", &result).nodes(Path, &format!("{around}.*")).expect("entries");
                let found: Vec<String> = found.iter().map(|node| node.value.clone().expect("a value")).collect();
                let mut expected = values.clone();
                expected.insert(beside + offset, "0".to_owned());
                expected.remove(deleted + usize::from(deleted >= beside + offset));
                assert_eq!(found, expected, "{operation:?} at {beside} in\n{text}\ngives\n{result}");
            }
        }
    }
}
