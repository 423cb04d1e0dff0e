//! Tests of every operation at typical positions.

use marquetry_sdk::{
    EditOptions, Failure, FailureKind, Operation,
    TargetKind::Path,
    span::apply,
    testing::{self, after, before, body, check_edit, check_refusal, first, last, replace, sorted, wrap},
};

use crate::Json;

#[track_caller]
fn check_in(path: &str, text: &str, target: &str, operation: Operation, expected: &str) {
    check_edit::<Json>((path, text), (Path, target), operation, expected);
}

#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    check_in("a.jsonc", text, target, operation, expected);
}

#[track_caller]
fn refused(text: &str, target: &str, operation: Operation) -> Failure {
    check_refusal::<Json>(("a.json", text), (Path, target), operation)
}

#[test]
fn replaces_values() {
    check("{\n  \"a\": 1\n}", "$.a", replace(" \"x\"\n"), "{\n  \"a\": \"x\"\n}");
    check(
        "{\n\t\"a\": 1\n}",
        "$.a",
        replace("{\n  \"b\": [\n    1\n  ]\n}"),
        "{\n\t\"a\": {\n\t\t\"b\": [\n\t\t\t1\n\t\t]\n\t}\n}",
    );
    check("[1, 2, 3]", "$[*]", replace("0"), "[0, 0, 0]");
    check("// top\n{}\n", "$", replace("[]"), "// top\n[]\n");
    check("{\"a\": }", "$.a", replace("1"), "{\"a\": 1}");
    check("{\"a\":\n}", "$.a", replace("1"), "{\"a\":1\n}");
    check("", "$", replace("{}"), "{}");
    check("// todo", "$", replace("{}"), "{}// todo");
    let failure = refused("{\"a\": 1}", "$.a", replace("\"a\": 2"));
    assert_eq!(failure.kind, FailureKind::ParseError);
    assert_eq!(refused("[[1]]", "$..*", replace("0")).kind, FailureKind::InvalidArgument);
}

#[test]
fn replaces_bodies() {
    check("{\"a\": [1, 2]}", "$.a", body("3"), "{\"a\": [3]}");
    check("{ \"a\": { \"b\": 1 } }", "$.a", body("\"c\": 2, \"d\": 3"), "{ \"a\": { \"c\": 2, \"d\": 3 } }");
    check(
        "{\n  \"a\": {\n    \"b\": 1\n  }\n}",
        "$.a",
        body("\"c\": 2, \"d\": 3"),
        "{\n  \"a\": {\n    \"c\": 2,\n    \"d\": 3\n  }\n}",
    );
    check("{\n  \"a\": [1]\n}", "$.a", body(""), "{\n  \"a\": []\n}");
    assert_eq!(refused("{\"a\": 1}", "$.a", body("2")).kind, FailureKind::Unsupported);
}

#[track_caller]
fn check_made(text: &str, target: &str, content: &str, expected: &str) {
    check_made_in("a.jsonc", text, target, content, expected);
}

#[track_caller]
fn check_made_in(path: &str, text: &str, target: &str, content: &str, expected: &str) {
    testing::check_insert_missing::<Json>((path, text), (Path, target), content, expected);
}

#[test]
fn upsert_creates_missing_values() {
    check_made("{\n  \"a\": 1\n}\n", "$.b", "2", "{\n  \"a\": 1,\n  \"b\": 2\n}\n");
    check_made("{ \"a\":1 }", "$['odd \\' key']", "[]", "{ \"a\":1, \"odd ' key\":[] }");
    check_made("{}", "$.a", "{\n    \"b\": 1\n}", "{\n  \"a\": {\n    \"b\": 1\n  }\n}");
    // The containers on the path are created, too.
    check_made(
        "{\n\t\"a\": {} // why\n}\n",
        "$.a.b.c",
        "{\n  \"d\": [\n    1\n  ]\n}",
        "{\n\t\"a\": {\n\t\t\"b\": {\n\t\t\t\"c\": {\n\t\t\t\t\"d\": [\n\t\t\t\t\t1\n\t\t\t\t]\n\t\t\t}\n\t\t}\n\t} // why\n}\n",
    );
    check_made("{\"a\":{\"x\":1}}", "$.a.b[0].c", "true", "{\"a\":{\"x\":1, \"b\":[{\"c\":true}]}}");
    check_made(
        "{\n  \"b\": 1, // why\n}\n",
        "$.files[0]",
        "\"x\"",
        "{\n  \"b\": 1, // why\n  \"files\": [\"x\"],\n}\n",
    );
    // Elements are created after the last one.
    check_made("{\"a\": [1, 2]}", "$.a[2]", "3", "{\"a\": [1, 2, 3]}");
    check_made("[\n  1\n]", "$[1].a", "3", "[\n  1,\n  {\n    \"a\": 3\n  }\n]");
    // Sorted keys stay sorted.
    check_made(
        "{\n  \"a\": 1,\n  \"b\": 1,\n  \"d\": 1,\n  \"e\": 1\n}",
        "$.c",
        "0",
        "{\n  \"a\": 1,\n  \"b\": 1,\n  \"c\": 0,\n  \"d\": 1,\n  \"e\": 1\n}",
    );
    check_made("{\n  \"a\": null\n}", "$.a.b", "1", "{\n  \"a\": {\n    \"b\": 1\n  }\n}");
    check_made("", "$.a", "1", "{\n  \"a\": 1\n}");
    check_made_in("a.jsonl", "{\"a\": 1}\n", "$[1]", "{\n  \"a\": 2\n}", "{\"a\": 1}\n{\"a\": 2}\n");
    check_made_in("a.jsonl", "{\"a\": 1}\n", "$[0].b.c", "2", "{\"a\": 1, \"b\": {\"c\": 2}}\n");
}

#[test]
fn upsert_refuses_ambiguous_paths() {
    let refused = |target: &str| {
        testing::check_missing_refusal::<Json>(("a.json", "{\"a\": [1], \"b\": \"x\"}"), (Path, target), "1")
    };
    let check = |target: &str, kind: FailureKind, candidates: &[&str]| {
        let failure = refused(target);
        assert_eq!(
            (failure.kind, failure.candidates),
            (kind, candidates.iter().map(|c| (*c).to_owned()).collect()),
            "{target}"
        );
    };
    check("$.b", FailureKind::InvalidArgument, &["$.b"]);
    check("$.*.x", FailureKind::InvalidTarget, &[]);
    check("$..x", FailureKind::InvalidTarget, &[]);
    check("$.a[?@.x]", FailureKind::InvalidTarget, &[]);
    check("$.a[5]", FailureKind::TargetNotFound, &["$.a[1]"]);
    check("$.a[-3]", FailureKind::TargetNotFound, &["$.a[1]"]);
    check("$.a.x", FailureKind::Unsupported, &["$.a"]);
    check("$.b.x", FailureKind::Unsupported, &["$.b"]);
    check("$.c[1]", FailureKind::TargetNotFound, &[]);
    check("$['c'#2]", FailureKind::InvalidTarget, &[]);
}

#[test]
fn comments_on_line_are_deleted_with_member() {
    check("{\"a\": 1, /* about b */ \"b\": 2, \"c\": 3}", "$.b", Operation::Delete, "{\"a\": 1, \"c\": 3}");
    check("{\"a\": 1, \"b\": 2 /* about b */}", "$.b", Operation::Delete, "{\"a\": 1}");
    check("{\"a\": 1, \"b\": 2 /* about b */, \"c\": 3}", "$.b", Operation::Delete, "{\"a\": 1, \"c\": 3}");
    check("{\"a\": 1, /* about b */ \"b\": 2}", "$.a", Operation::Delete, "{/* about b */ \"b\": 2}");
    check("[1, /* two */ 2, /* three */ 3]", "$[1:]", Operation::Delete, "[1]");
    check("{\n  \"a\": 1, \"b\": 2, // b\n  \"c\": 3\n}", "$.b", Operation::Delete, "{\n  \"a\": 1,\n  \"c\": 3\n}");
}

#[test]
fn comments_in_an_empty_container_stay() {
    check("{\"a\": [ /* none */ ]}", "$.a", last("1"), "{\"a\": [ /* none */ 1 ]}");
    check("{ /* none */ }", "$", last("\"a\": 1"), "{ /* none */ \"a\": 1 }");
    check("{ // none\n}", "$", last("\"a\": 1"), "{ // none\n  \"a\": 1\n}");
    check("[ /* none */ ]", "$", last("[\n  1\n]"), "[ /* none */\n  [\n    1\n  ]\n]");
}

#[test]
fn new_members_follow_comma_style() {
    let text = "{\n  \"a\": 1\n  , \"b\": 2\n}\n";
    check(text, "$", last("\"c\": 3"), "{\n  \"a\": 1\n  , \"b\": 2\n  , \"c\": 3\n}\n");
    check(text, "$.a", after("\"c\": 3"), "{\n  \"a\": 1\n  , \"c\": 3\n  , \"b\": 2\n}\n");
    check(text, "$", first("\"c\": 3"), "{\n  \"c\": 3\n  , \"a\": 1\n  , \"b\": 2\n}\n");
    check(text, "$.b", Operation::Delete, "{\n  \"a\": 1\n}\n");
    check(text, "$.a", Operation::Delete, "{\n  \"b\": 2\n}\n");
}

#[test]
fn inserts_comments() {
    let text = "{\n  \"a\": 1,\n  \"b\": 2\n}\n";
    check(text, "$.b", before("// about b"), "{\n  \"a\": 1,\n  // about b\n  \"b\": 2\n}\n");
    check(text, "$.a", after("// about b"), "{\n  \"a\": 1,\n  // about b\n  \"b\": 2\n}\n");
    check(text, "$.b", after("/* end */"), "{\n  \"a\": 1,\n  \"b\": 2\n  /* end */\n}\n");
    check(text, "$", last("// end"), "{\n  \"a\": 1,\n  \"b\": 2\n  // end\n}\n");
    check(text, "$", first("// one\n// two"), "{\n  // one\n  // two\n  \"a\": 1,\n  \"b\": 2\n}\n");
    check("{\"a\": [1, 2]}", "$.a[1]", before("/* two */"), "{\"a\": [1, /* two */ 2]}");
    check("{\"a\": []}", "$.a", last("/* none */"), "{\"a\": [ /* none */ ]}");
    assert!(refused("{\"a\": [1, 2]}", "$.a[1]", before("// two")).hint.is_some_and(|hint| hint.contains("/*")));
    assert_eq!(refused(text, "$.a", replace("// none")).kind, FailureKind::ParseError);
    assert_eq!(refused(text, "$", last(" ")).kind, FailureKind::InvalidArgument);
}

#[test]
fn inserts_members() {
    check("{}", "$", last("\"a\": 1"), "{\n  \"a\": 1\n}");
    check("{\n}", "$", last("\"a\": 1"), "{\n  \"a\": 1\n}");
    check("{\"x\":{}}", "$.x", last("\"a\": 1"), "{\"x\":{\"a\": 1}}");
    check("{\n  \"x\": {}\n}", "$.x", last("\"a\": 1"), "{\n  \"x\": {\n    \"a\": 1\n  }\n}");
    check("{ \"b\": 1 }", "$", last("\"a\": 1,"), "{ \"b\": 1, \"a\": 1 }");
    check("{ \"b\": 1 }", "$", first("\"a\": 1"), "{ \"a\": 1, \"b\": 1 }");
    check("{\n  \"b\": 1, // why\n}", "$", last("\"c\": 1"), "{\n  \"b\": 1, // why\n  \"c\": 1,\n}");
    check("{\n  \"b\": 1 // why\n}", "$", last("\"c\": 1"), "{\n  \"b\": 1, // why\n  \"c\": 1\n}");
    check("{\r\n  \"b\": 1\r\n}", "$", last("\"c\": 1"), "{\r\n  \"b\": 1,\n  \"c\": 1\r\n}");
    check(
        "{\n  \"b\": 1\n}",
        "$",
        last("{ \"c\": 1, \"d\": { \"e\": 2 } }"),
        "{\n  \"b\": 1,\n  \"c\": 1,\n  \"d\": { \"e\": 2 }\n}",
    );
    check("{\n  \"b\": 1\n}", "$", last("// note\n\"c\": 1,"), "{\n  \"b\": 1,\n  // note\n  \"c\": 1\n}");
    check("{\n  \"a\": 1,\n  \"c\": 1\n}", "$", sorted("\"b\": 1"), "{\n  \"a\": 1,\n  \"b\": 1,\n  \"c\": 1\n}");
    check("{\"a\":1,\"c\":1}", "$", sorted("\"d\": 1, \"b\": 2"), "{\"a\":1,\"b\": 2,\"c\":1,\"d\": 1}");
}

#[test]
fn inserts_elements() {
    check("[]", "$", last("1"), "[1]");
    check("[1, 2]", "$", last("3"), "[1, 2, 3]");
    check("[\n  1\n]", "$", first("0"), "[\n  0,\n  1\n]");
    check(
        "[\n  {\n    \"a\": 1\n  }\n]",
        "$",
        last("{\n  \"a\": 2\n}"),
        "[\n  {\n    \"a\": 1\n  },\n  {\n    \"a\": 2\n  }\n]",
    );
    check("[1, 3, 10]", "$", sorted("4"), "[1, 3, 4, 10]");
    check("[\"a\", \"C\"]", "$", sorted("\"b\""), "[\"a\", \"b\", \"C\"]");
    check("[]", "$", last("{ \"a\": 1 }"), "[{ \"a\": 1 }]");
}

#[test]
fn inserts_beside_members_and_elements() {
    check("[1, 2]", "$[0]", before("0"), "[0, 1, 2]");
    check("[1, 2]", "$[1]", after("3"), "[1, 2, 3]");
    check(
        "{\n  // about a\n  \"a\": 1,\n  \"b\": 2\n}",
        "$.a",
        before("\"z\": 0"),
        "{\n  \"z\": 0,\n  // about a\n  \"a\": 1,\n  \"b\": 2\n}",
    );
    check(
        "{\n  \"a\": 1,\n\n  \"b\": 2\n}",
        "$.a",
        after("\"z\": 0"),
        "{\n  \"a\": 1,\n\n  \"z\": 0,\n\n  \"b\": 2\n}",
    );
}

#[test]
fn deletes() {
    check("{\n  \"a\": 1,\n  \"b\": 2\n}", "$.b", Operation::Delete, "{\n  \"a\": 1\n}");
    check("{\n  // about a\n  \"a\": 1, // more\n  \"b\": 2\n}", "$.a", Operation::Delete, "{\n  \"b\": 2\n}");
    check("{\n  \"a\": 1,\n  \"b\": 2,\n}", "$.b", Operation::Delete, "{\n  \"a\": 1,\n}");
    check("{\n  \"a\": 1\n}", "$.a", Operation::Delete, "{\n}");
    check("{\"a\":1,\"b\":2}", "$.a", Operation::Delete, "{\"b\":2}");
    check("[1, 2, 3, 4]", "$[1,3]", Operation::Delete, "[1, 3]");
    check("[1, 2, 3, 4]", "$[*]", Operation::Delete, "[]");
    check("{\"a\": {\"b\": 1}, \"c\": 2}", "$..*", Operation::Delete, "{}");
    check("{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}", "$.b", Operation::Delete, "{\r\n  \"a\": 1\r\n}");
    assert_eq!(refused("{}", "$", Operation::Delete).kind, FailureKind::Unsupported);
}

#[test]
fn wraps() {
    check("{\n  \"a\": 1\n}", "$.a", wrap("[", "]"), "{\n  \"a\": [1]\n}");
    check(
        "{\n  \"a\": {\n    \"b\": 1\n  }\n}",
        "$.a",
        wrap("{\n  \"x\":\n", "\n}"),
        "{\n  \"a\": {\n    \"x\":\n    {\n      \"b\": 1\n    }\n  }\n}",
    );
    assert_eq!(refused("[1]", "$[0]", wrap("(", ")")).kind, FailureKind::ParseError);
}

#[test]
fn insert_refuses_existing_keys() {
    let failure = refused("{\"a\": {\"b\": 1}}", "$.a", last("\"b\": 2"));
    assert_eq!(failure.kind, FailureKind::InvalidArgument);
    assert_eq!(failure.candidates, ["$.a.b"]);
    assert_eq!(refused("[1]", "$", last("\"a\": 1")).kind, FailureKind::ParseError);
    assert_eq!(refused("{}", "$", last("1")).kind, FailureKind::ParseError);
    assert_eq!(refused("{}", "$", last(" ")).kind, FailureKind::InvalidArgument);
    assert_eq!(refused("[1]", "$[0]", last("1")).kind, FailureKind::Unsupported);
    assert_eq!(refused("[1]", "$", before("1")).kind, FailureKind::Unsupported);
}

#[test]
fn edits_json_lines() {
    let text = "{\"a\":1}\n{\"a\":2}\n";
    check_in("a.jsonl", text, "$", last("{\n  \"a\": 3\n}"), "{\"a\":1}\n{\"a\":2}\n{\"a\": 3}\n");
    check_in("a.jsonl", text, "$", first("0\n1"), "0\n1\n{\"a\":1}\n{\"a\":2}\n");
    check_in("a.jsonl", text, "$[0]", Operation::Delete, "{\"a\":2}\n");
    check_in("a.jsonl", text, "$[1]", before("[\n1]"), "{\"a\":1}\n[1]\n{\"a\":2}\n");
    check_in(
        "a.jsonl",
        text,
        "$[1].a",
        replace("{\n  \"b\": 1,\n  \"c\": 2\n}"),
        "{\"a\":1}\n{\"a\":{\"b\": 1, \"c\": 2}}\n",
    );
    check_in("a.jsonl", text, "$[0]", last("\"b\": 2"), "{\"a\":1, \"b\": 2}\n{\"a\":2}\n");
    check_in("a.jsonl", "", "$", last("{}"), "{}\n");
}

#[test]
fn force_and_include_doc_change_edits() {
    let text = "{\n  // old\n  \"a\": 1,\n  \"b\": 2\n}";
    let bench = testing::open::<Json>("a.jsonc", text);
    let node = bench.nodes(Path, "$.a").expect("found").remove(0);
    let edit = |operation: &Operation, include_doc: bool, force: bool| {
        let document: &crate::JsonDocument = bench.document();
        let edits = marquetry_sdk::Document::edit(document, &[node.id], operation, EditOptions { include_doc, force });
        edits.map(|edits| apply(text, &edits))
    };
    let renamed = "{\n  // new\n  \"c\": 3,\n  \"b\": 2\n}";
    assert_eq!(edit(&replace("// new\n\"c\": 3"), true, false).expect("edited"), renamed);
    let twice = "{\n  // old\n  \"a\": 1,\n  \"b\": 0,\n  \"b\": 2\n}";
    assert_eq!(edit(&after("\"b\": 0"), false, true).expect("edited"), twice);
    assert_eq!(edit(&replace("oops"), false, true).expect("edited"), text.replace('1', "oops"));
}

#[test]
fn invalid_content_error_has_position() {
    let check = |target: &str, operation: Operation, place: &str| {
        let failure = refused("{\"a\": [1], \"b\": {}}", target, operation);
        assert_eq!(failure.kind, FailureKind::ParseError);
        assert!(failure.message.contains(place), "{}", failure.message);
    };
    check("$.a", replace("\n  {\n  \"x\": y\n}"), "line 3, column 7: ");
    check("$.a", replace("\n  {\n  \"x\": y\n}"), "(`\"x\": y`)");
    check("$.b", last("\"x\": 1,\n\"y\" 2"), "line 2, column 4: ");
    check("$.b", last("{\"x\": 1,\n\"y\" 2}"), "line 2, column 4: ");
    check("$.a", last("[1,\n2"), "line 2, column 1: ");
}

/// Edits of one call are computed from the same text, so an insertion must not be inside of the range that the deletion
/// of a neighbour removes.
#[test]
fn insertion_and_deletion_of_neighbour_do_not_overlap() {
    let documents = [
        "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3,\n  \"d\": 4\n}\n",
        "{\r\n\t\"a\": 1,\r\n\t\"b\": [\r\n\t\t2\r\n\t],\r\n\t\"c\": 3,\r\n\t\"d\": 4\r\n}\r\n",
        "{ \"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4 }",
        "{\"a\":1,\"b\":2,\"c\":3,\"d\":4}",
        "{\n  // about a\n  \"a\": 1,\n\n  // about b\n  \"b\": 2,\n  \"c\": 3,\n  \"d\": 4\n}\n",
    ];
    let names = ["a", "b", "c", "d"];
    let options = EditOptions { include_doc: false, force: false };
    for text in documents {
        let path = if text.contains("//") { "a.jsonc" } else { "a.json" };
        let bench = testing::open::<Json>(path, text);
        let edits = |name: &str, operation: &Operation| {
            let node = bench.nodes(Path, &format!("$.{name}")).expect("a member").remove(0);
            marquetry_sdk::Document::edit(bench.document(), &[node.id], operation, options).expect("edits")
        };
        for (beside, deleted) in (0..4).flat_map(|beside| (0..3).map(move |deleted| (beside, deleted))) {
            for (operation, offset) in [(after("\"new\": 0"), 1), (before("\"new\": 0"), 0)] {
                let mut both = edits(names[beside], &operation);
                both.extend(edits(names[deleted], &Operation::Delete));
                both.sort_by_key(|edit| (edit.span.start, edit.span.end));
                let overlaps = both.windows(2).any(|pair| pair[1].span.start < pair[0].span.end);
                assert!(!overlaps, "{operation:?} of {} and deletion of {} in\n{text}", names[beside], names[deleted]);
                let result = apply(text, &both);
                let members = testing::open::<Json>(path, &result).read(Path, "$.*").expect("members");
                let mut expected: Vec<String> = names
                    .iter()
                    .map(|name| bench.read(Path, &format!("$.{name}")).expect("a member").remove(0))
                    .collect();
                expected.insert(beside + offset, "0".to_owned());
                expected.remove(deleted + usize::from(deleted >= beside + offset));
                assert_eq!(members, expected, "{operation:?} of {} in\n{text}\ngives\n{result}", names[beside]);
            }
        }
    }
}
