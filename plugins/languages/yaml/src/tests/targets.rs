//! Tests of the values that paths find, and of the errors for invalid paths.

use marquetry_sdk::{Document as _, FailureKind, TargetKind, testing};

use super::read;
use crate::Yaml;

/// Returns the values as JSON text.
#[track_caller]
fn values(text: &str, target: &str) -> Vec<String> {
    let nodes = testing::open::<Yaml>("a.yaml", text).nodes(TargetKind::Path, target).expect(target);
    nodes.into_iter().map(|node| node.value.expect("a value")).collect()
}

const FLOW: &str = "on:\n  push: {branches: [main, \"dev\"]}\njobs:\n  build:\n    steps:\n    - run: |\n        one\n        two\n    - uses: x\n1: y\n";

#[test]
fn reads_values() {
    assert_eq!(read(FLOW, "$.on.push.branches[1]"), ["\"dev\""]);
    assert_eq!(read(FLOW, "$.jobs.build.steps[0]"), ["run: |\n        one\n        two"]);
    assert_eq!(read(FLOW, "$.jobs.build.steps[?@.uses == 'x'].uses"), ["x"]);
    assert_eq!(read(FLOW, "$['1']"), ["y"]);
    assert_eq!(read(FLOW, "$..run"), ["|\n        one\n        two"]);
    assert_eq!(values(FLOW, "$..run"), ["\"one\\ntwo\\n\""]);
}

#[test]
fn values_follow_the_core_schema() {
    let text = "[~, yes, True, 0x10, 0o10, +1, .5, 1e3, 0123, 1_0, .inf, 2001-01-01, '1', !!str 1, !!int '1', !t 1]";
    assert_eq!(
        values(text, "$"),
        ["[null,\"yes\",true,16,8,1,0.5,1e3,123,\"1_0\",\".inf\",\"2001-01-01\",\"1\",\"1\",1,\"1\"]"]
    );
}

#[test]
fn value_includes_tag_but_not_anchor() {
    assert_eq!(read("a: &x 1\nb: !Ref y\nc: &z !t v\nd: &m\n  e: 1\n", "$.*"), ["1", "!Ref y", "!t v", "e: 1"]);
}

#[test]
fn multiple_documents_form_an_array() {
    assert_eq!(read("---\na: 1\n---\na: 2\n...\n", "$[*].a"), ["1", "2"]);
    assert_eq!(read("---\na: 1\n...\n", "$.a"), ["1"]);
    assert_eq!(values("# nothing\n", "$"), ["null"]);
}

const SHARED: &str =
    "base: &base\n  x: 1\n  y: 2\none:\n  <<: *base\n  y: 3\ntwo: *base\nall:\n  <<: [*base, {z: 4}]\n";

#[test]
fn paths_resolve_aliases_and_merge_keys() {
    assert_eq!(values(SHARED, "$.one"), ["{\"y\":3,\"x\":1}"]);
    assert_eq!(values(SHARED, "$.all"), ["{\"x\":1,\"y\":2,\"z\":4}"]);
    assert_eq!(values(SHARED, "$.two"), ["{\"x\":1,\"y\":2}"]);
    assert_eq!(read(SHARED, "$.two"), ["*base"]);
    assert_eq!(read(SHARED, "$.one['<<']"), ["*base"]);
    let bench = testing::open::<Yaml>("a.yaml", SHARED);
    let through = bench.nodes(TargetKind::Path, "$.two.x").expect("found");
    assert_eq!(through[0].address, "$.base.x");
    assert_eq!(read(SHARED, "$[?@.x == 1].y"), ["2", "3", "2", "2"]);
}

#[test]
fn alias_expansion_is_limited() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let alias = format!("*a{}", level - 1);
        text += &format!("a{level}: &a{level} [{}]\n", [alias.as_str(); 10].join(", "));
    }
    let bench = testing::open::<Yaml>("a.yaml", &text);
    let failed = |target: &str| bench.nodes(TargetKind::Path, target).expect_err(target).kind;
    assert_eq!(failed("$.a11"), FailureKind::LimitExceeded);
    assert_eq!(bench.read(TargetKind::Path, "$.a2[0][0]").expect("found"), ["*a0"]);
    let cycle = testing::open::<Yaml>("a.yaml", "a: &a [*a]\n");
    assert_eq!(cycle.diagnostics(), ["1:8 the alias refers to a value that contains it"]);
    assert_eq!(cycle.nodes(TargetKind::Path, "$").expect("found")[0].value.as_deref(), Some("{\"a\":[null]}"));
}

#[test]
fn deep_nesting_does_not_overflow_stack() {
    let deep = 20_000;
    let text = format!("{}1{}", "[".repeat(deep), "]".repeat(deep));
    let bench = testing::open::<Yaml>("a.yaml", &text);
    assert!(bench.diagnostics().is_empty());
    assert_eq!(bench.read(TargetKind::Path, &format!("${}", "[0]".repeat(deep))).expect("found"), ["1"]);
    assert!(!bench.outline().is_empty());
    for text in [
        "[".repeat(200_000),
        "- ".repeat(200_000),
        "? ".repeat(100_000),
        "{a: ".repeat(100_000),
        "[[".repeat(50_000) + &"]: ".repeat(50_000),
    ] {
        assert!(!testing::open::<Yaml>("a.yaml", &text).diagnostics().is_empty());
    }
}

#[test]
fn repeated_keys_have_unique_addresses() {
    let bench = testing::open::<Yaml>("a.yaml", "a: 1\nb: 2\na: 3\n");
    assert_eq!(bench.outline(), "object $ @$\n  number a @$['a'#1]\n  number b @$.b\n  number a @$.a\n");
    assert_eq!(bench.diagnostics(), ["1:1 duplicate key `a` in this mapping: only the last one counts"]);
}

#[test]
fn not_found_offers_nearest_paths() {
    let bench = testing::open::<Yaml>("a.yaml", FLOW);
    let failure = |target: &str| bench.nodes(TargetKind::Path, target).expect_err(target);
    assert_eq!(failure("$.jobs.biuld").candidates[0], "$.jobs.build");
    assert_eq!(failure("$.steps").candidates[0], "$.jobs.build.steps");
    assert_eq!(failure("jobs").kind, FailureKind::InvalidTarget);
}

#[test]
fn finds_values_in_broken_texts() {
    assert_eq!(read("a: [1, 2\nb: 1\n", "$.b"), ["1"]);
    assert_eq!(read("a: b: c\nd: 1\n", "$.d"), ["1"]);
    assert_eq!(read("a: 1\nb\nc: 2\n", "$.c"), ["2"]);
    assert_eq!(read("a: 'x'\n b: 2\nc: 3\n", "$.c"), ["3"]);
}

#[test]
fn outlines_of_large_files_are_complete_up_to_the_limit_of_the_contract() {
    let nodes = |text: &str| testing::open::<Yaml>("a.yaml", text).document().outline().len();
    let keys: String = (0..3000).map(|key| format!("k{key}: {key}\n")).collect();
    assert_eq!(nodes(&keys), 3001);
    assert_eq!(nodes(&"- {a: 1}\n".repeat(40_000)), 50_000);
}
