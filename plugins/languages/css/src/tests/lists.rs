//! Tests that operations on one selector of a list change only that selector, or are refused.

use marquetry_sdk::{
    Failure, FailureKind, Operation,
    TargetKind::Selector,
    testing::{self, after, before, body, check_edit, check_refusal, last, replace, wrap},
};

use super::open;
use crate::Css;

#[track_caller]
fn check(path: &str, text: &str, target: &str, operation: Operation, expected: &str) {
    check_edit::<Css>((path, text), (Selector, target), operation, expected);
    testing::check_laws::<Css>(path, expected);
}

#[track_caller]
fn delete(text: &str, target: &str, expected: &str) {
    check("a.scss", text, target, Operation::Delete, expected);
}

#[track_caller]
fn refused(text: &str, target: &str, operation: Operation) -> Failure {
    check_refusal::<Css>(("a.scss", text), (Selector, target), operation)
}

#[test]
fn delete_removes_one_selector_of_list() {
    delete(".a, .b { color: red }\n", ".a", ".b { color: red }\n");
    delete(".a, .b { color: red }\n", ".b", ".a { color: red }\n");
    delete(".a,.b,.c{x:y}", ".b", ".a,.c{x:y}");
    delete(".a,\n.b,\n.c {\n  x: y;\n}\n", ".a", ".b,\n.c {\n  x: y;\n}\n");
    delete(".a,\n.b,\n.c {\n  x: y;\n}\n", ".b", ".a,\n.c {\n  x: y;\n}\n");
    delete(".a,\n.b,\n.c {\n  x: y;\n}\n", ".c", ".a,\n.b {\n  x: y;\n}\n");
    delete(".a > b:not(.c, .d), [e=\"f,g\"] { x: y }", ".a > b:not(.c, .d)", "[e=\"f,g\"] { x: y }");
    delete(
        "@media print {\n  .a,\n  .b {\n    x: y;\n  }\n}\n",
        "@media print >> .a",
        "@media print {\n  .b {\n    x: y;\n  }\n}\n",
    );
    delete(
        "@keyframes s { 0%, 50% { top: 0 } to { top: 1px } }",
        "50%",
        "@keyframes s { 0% { top: 0 } to { top: 1px } }",
    );
    delete("@keyframes s { 0%, 50% { top: 0 } }", "@keyframes s >> from", "@keyframes s { 50% { top: 0 } }");
    delete(".a { &:hover, &:focus { x: y } }", ".a:hover", ".a { &:focus { x: y } }");
    check("a.less", ".a, .b { .m(); }", ".a", Operation::Delete, ".b { .m(); }");
}

#[test]
fn delete_removes_comment_of_selector() {
    delete(".a, /* about b */ .b, .c { x: y }", ".b", ".a, .c { x: y }");
    delete(".a, // about a\n.b { x: y }", ".a", ".b { x: y }");
    delete(".a, // about a\n.b { x: y }", ".b", ".a // about a\n { x: y }");
    delete("/* doc */\n.a, .b { x: y }", ".a", "/* doc */\n.b { x: y }");
}

#[test]
fn deleting_whole_list_or_last_selector_deletes_rule() {
    delete(".a, .b { x: y }\n.c {}\n", ".a, .b", ".c {}\n");
    delete(".a, .b { x: y }\n.c {}\n", ".a,.b", ".c {}\n");
    delete(".a { x: y }\n.c {}\n", ".a", ".c {}\n");
    // The selector is in a separate rule and in a list.
    delete(".a { x: y }\n.a, .b { z: 0 }\n", ".a", ".b { z: 0 }\n");
    let text = ".a, .b { x: y }\n.c {}\n";
    let bench = open("a.css", text);
    let ids: Vec<u32> = [".a", ".b"].iter().map(|target| bench.nodes(Selector, target).expect("found")[0].id).collect();
    let options = marquetry_sdk::EditOptions { include_doc: false, force: false };
    let edits = marquetry_sdk::Document::edit(bench.document(), &ids, &Operation::Delete, options).expect("edited");
    assert_eq!(marquetry_sdk::span::apply(text, &edits), ".c {}\n", "a rule without selectors is deleted");
}

#[test]
fn insert_at_selector_of_list_inserts_next_to_rule() {
    check("a.css", ".a, .b { x: y }\n", ".a", after(".c { x: z }"), ".a, .b { x: y }\n\n.c { x: z }\n");
    check("a.css", ".a, .b { x: y }\n", ".b", before(".c { x: z }"), ".c { x: z }\n\n.a, .b { x: y }\n");
}

#[test]
fn edits_of_one_selector_that_affect_others_are_refused() {
    let text = ".a, .b { color: red }\n";
    for operation in [replace(".a { x: y }"), body("x: y"), last("x: y"), wrap("@media print {", "}")] {
        let failure = refused(text, ".a", operation);
        assert_eq!(failure.kind, FailureKind::AmbiguousTarget);
        assert_eq!(failure.candidates, [".a, .b"]);
        let hint = failure.hint.expect("a hint");
        assert!(hint.contains("`.a, .b`") && hint.contains("take `.a` out"), "{hint}");
    }
    for operation in [Operation::Delete, replace("color: blue"), body("blue"), after("x: y")] {
        assert_eq!(refused(text, ".a@color", operation).candidates, [".a, .b@color"]);
    }
    let nested = ".x, .y { .z { a: b } }";
    for (target, candidate) in
        [(".x .z", ".x, .y >> .z"), (".x >> .z", ".x, .y >> .z"), (".x >> .z@a", ".x, .y >> .z@a")]
    {
        assert_eq!(refused(nested, target, Operation::Delete).candidates, [candidate], "{target}");
    }
    let failure = testing::check_missing_refusal::<Css>(("a.css", text), (Selector, ".a@left"), "0");
    assert_eq!(failure.candidates, [".a, .b"]);
    check("a.css", text, ".a, .b@color", body("blue"), ".a, .b { color: blue }\n");
    check("a.css", text, ".a, .b", last("x: y"), ".a, .b { color: red; x: y }\n");
}

#[test]
fn only_selector_lists_can_be_targeted_in_part() {
    for (text, target) in [
        ("@media a, b { .c { x: y } }", "@media a"),
        ("@import 'a', 'b';", "@import 'a'"),
        (".c { @extend .a, .b; }", ".c >> @extend .a"),
        (":is(.a, .b) { x: y }", ".a"),
        ("@font-face { src: url(a), url(b) }", "@font-face@src[2]"),
    ] {
        let failure = open("a.scss", text).nodes(Selector, target).expect_err(target);
        assert_eq!(failure.kind, FailureKind::TargetNotFound, "{target}: {failure:?}");
    }
}

#[test]
fn node_of_one_selector_shows_rule_and_has_address() {
    let bench = open("a.css", ".a { x: y }\n.a, .b { z: 0 }\n@media print { .a, .c { } }\n");
    let nodes = bench.nodes(Selector, ".a").expect("found");
    let addresses: Vec<&str> = nodes.iter().map(|node| node.address.as_str()).collect();
    assert_eq!(addresses, [".a[1]", ".a[2]", "@media print >> .a"]);
    assert_eq!(bench.read(Selector, ".a[2]").expect("read"), [".a, .b { z: 0 }"]);
    assert_eq!(nodes[1].selection.slice(bench_text(&bench)), ".a");
    for node in nodes {
        assert_eq!(bench.nodes(Selector, &node.address).expect("found"), [node]);
    }
}

fn bench_text(bench: &testing::TestDocument<Css>) -> &str {
    marquetry_sdk::Document::text(bench.document())
}

/// Returns all lists of these selectors, in every layout.
fn lists() -> Vec<(Vec<&'static str>, String)> {
    const SELECTORS: [&str; 5] = [".a", "b > .c", ":is(.d, .e)", "[f=\"g,h\"]", "&:hover"];
    const GAPS: [&str; 5] = [", ", ",", ",\n  ", ", /* c */ ", " /* c */,\n"];
    let mut found = Vec::new();
    for count in 2..=SELECTORS.len() {
        for first in 0..SELECTORS.len() {
            let own: Vec<&str> = (0..count).map(|index| SELECTORS[(first + index) % SELECTORS.len()]).collect();
            for gap in 0..GAPS.len() {
                let gaps = (0..count - 1).map(|index| GAPS[(gap + index) % GAPS.len()]);
                let rest: String = gaps.zip(&own[1..]).map(|(gap, selector)| format!("{gap}{selector}")).collect();
                found.push((own.clone(), format!("{}{rest}", own[0])));
            }
        }
    }
    found
}

/// Checks that deleting one selector keeps the other selectors, the rule, and everything around it.
#[test]
fn deleting_any_selector_keeps_the_others() {
    let all = lists();
    assert!(all.len() >= 100);
    for (own, list) in all {
        for around in ["", "  "] {
            let text = format!(".first {{ x: y }}\n{around}{list} {{\n  color: red;\n}}\n.last {{}}\n");
            for gone in &own {
                let after = open("a.scss", &text).edit(Selector, gone, Operation::Delete);
                let after = after.unwrap_or_else(|failure| panic!("{gone} of\n{text}\n{failure:?}"));
                let bench = open("a.scss", &after);
                assert!(bench.diagnostics().is_empty(), "{gone} of\n{text}\n{after}");
                assert!(
                    after.starts_with(".first { x: y }\n") && after.ends_with(" {\n  color: red;\n}\n.last {}\n"),
                    "{after}"
                );
                let rest: Vec<&str> = own.iter().copied().filter(|selector| selector != gone).collect();
                let found = bench.nodes(Selector, &rest.join(", ")).map(|nodes| nodes.len());
                assert_eq!(found, Ok(1), "{gone} of\n{text}\ngives\n{after}");
            }
        }
    }
}
