//! Tests of every operation at typical positions.

use marquetry_sdk::{
    EditOptions, Failure, FailureKind, Operation,
    TargetKind::Path,
    span::apply,
    testing::{self, after, before, body, check_edit, check_refusal, first, last, replace, sorted, wrap},
};

use crate::Toml;

#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    check_edit::<Toml>(("a.toml", text), (Path, target), operation, expected);
}

#[track_caller]
fn refused(text: &str, target: &str, operation: Operation) -> Failure {
    check_refusal::<Toml>(("a.toml", text), (Path, target), operation)
}

#[test]
fn replaces_values() {
    check("a = 1 # why\n", "$.a", replace("\"x\"\n"), "a = \"x\" # why\n");
    check("a = [1, 2, 3]\n", "$.a[*]", replace("0"), "a = [0, 0, 0]\n");
    check("a = { b = 1 }\r\n", "$.a.b", replace("[]"), "a = { b = [] }\r\n");
    check("a =\nb = 1\n", "$.a", replace("2"), "a = 2\nb = 1\n");
    check("  a = 1\n", "$.a", replace("[\n  1,\n  2,\n]"), "  a = [\n    1,\n    2,\n  ]\n");
    check("a = '''\n  x\n'''\n", "$.a", replace("'''\n    y\n  z\n'''"), "a = '''\n    y\n  z\n'''\n");
    let failure = refused("a = 1\n", "$.a", replace("1 # no\n2"));
    assert_eq!(failure.kind, FailureKind::ParseError);
    let failure = refused("a = 1\n", "$.a", replace("word"));
    assert_eq!((failure.kind, failure.candidates), (FailureKind::ParseError, vec!["\"word\"".to_owned()]));
    refused("a = 1\n", "$.a", replace("a = 2"));
}

const TWO: &str = "[a]\nx = 1 # one\n\n[a.b]\ny = 2\n\n# about c\n[c]\nz = 3\n";

#[test]
fn replaces_sections() {
    check(TWO, "$.c", replace("w = 4"), "[a]\nx = 1 # one\n\n[a.b]\ny = 2\n\n# about c\n[c]\nw = 4\n");
    check(
        TWO,
        "$.c",
        replace("[c]\n# new\nw = 4\n\n[c.d]\n"),
        "[a]\nx = 1 # one\n\n[a.b]\ny = 2\n\n# about c\n[c]\n# new\nw = 4\n\n[c.d]\n",
    );
    check(
        TWO,
        "$.c",
        replace("{ v = 1, w = [2] }"),
        "[a]\nx = 1 # one\n\n[a.b]\ny = 2\n\n# about c\n[c]\nv = 1\nw = [2]\n",
    );
    check(TWO, "$.a", replace("x = 0"), "[a]\nx = 0\n\n# about c\n[c]\nz = 3\n");
    check(TWO, "$.a", body("x = 0\n\n[a.e]\n"), "[a]\nx = 0\n\n[a.e]\n\n# about c\n[c]\nz = 3\n");
    check("[a.b]\nx = 1\n\n[c]\n", "$.a", replace("x = 2"), "[a]\nx = 2\n\n[c]\n");
    check("[[a]]\nx = 1\n\n[[a]]\nx = 2\n", "$.a[0]", replace("x = 3"), "[[a]]\nx = 3\n\n[[a]]\nx = 2\n");
    check("[[a]]\nx = 1\n", "$.a", replace("[[a]]\ny = 1\n\n[[a]]\ny = 2\n"), "[[a]]\ny = 1\n\n[[a]]\ny = 2\n");
    refused(TWO, "$.c", replace("[d]\nx = 1"));
    refused(TWO, "$.c", replace("w = 1\n[c]\n"));
    refused("[[a]]\nx = 1\n", "$.a", replace("x = 2"));
    refused("[[a]]\n", "$.a[0]", replace("[[a]]\n[[a]]\n"));
    assert_eq!(refused(TWO, "$.c", replace("1")).kind, FailureKind::ParseError);
}

#[test]
fn replace_refuses_comments_instead_of_keys() {
    let array = "[[a]]\nx = 1\n\n[[a]]\n";
    for (text, target, content) in [
        ("[p]\nname = \"x\"\n", "$.p", "# x"),
        ("[p]\nname = \"x\"\n", "$", "# x\n\n# y\n"),
        (TWO, "$.a", "# none"),
        ("[a.b]\nx = 1\n", "$.a", "# none"),
        (array, "$.a[0]", "# none"),
        (array, "$.a", "# none"),
    ] {
        let failure = refused(text, target, replace(content));
        assert_eq!(failure.message, format!("a comment alone would replace all keys of `{target}`"), "{text}");
        assert!(failure.hint.is_some());
    }
    for (text, target) in [("a.b = 1\n", "$.a"), ("a = { b = 1 }\n", "$.a"), ("a = [1]\n", "$.a"), ("a = 1\n", "$.a")] {
        assert_eq!(refused(text, target, replace("# x")).kind, FailureKind::ParseError, "{text}");
    }
    check("[p]\n\n[q]\n", "$.p", replace("# why"), "[p]\n# why\n\n[q]\n");
    check("[p]\na = 1\n", "$.p", replace("[p]\n# none"), "[p]\n# none\n");
    check("[p]\na = 1\n", "$.p", replace("{}"), "[p]\n");
    check("[p]\na = 1\n", "$.p", replace("# why\nb = 1"), "[p]\n# why\nb = 1\n");
    check("[p]\na = 1\n", "$.p", body("# none"), "[p]\n# none\n");
    check("# none\n", "$", replace("# x"), "# x\n");
}

#[test]
fn replaces_dotted_keys() {
    let text = "serde.version = \"1\"\nserde.default = true\nx = 1\n";
    check(text, "$.serde", replace("\"2\""), "serde = \"2\"\nx = 1\n");
    check(text, "$.serde", replace("{ workspace = true }"), "serde = { workspace = true }\nx = 1\n");
    check(text, "$.serde", replace("version = \"2\""), "serde.version = \"2\"\nx = 1\n");
    check(
        text,
        "$.serde",
        replace("serde.version = \"2\"\nserde.y = 1"),
        "serde.version = \"2\"\nserde.y = 1\nx = 1\n",
    );
    refused(text, "$.serde", replace("serde.version = \"2\"\ny = 1"));
    refused("a.b = 1\nx = 1\na.c = 1\n", "$.a", replace("1"));
    check("t = { a.b = 1, a.c = 2, d = 3 }\n", "$.t.a", replace("b = 2\nc = 1"), "t = { a.b = 2, a.c = 1, d = 3 }\n");
}

#[test]
fn table_with_dotted_keys_elsewhere_gets_no_header() {
    for text in [
        "[t.a.sub]\nx = 1\n[t]\na.y = 2\n",
        "[[t.a.list]]\n[u]\n[t]\na.b.y = 2\n",
        "[t.a.sub]\n\n[t]\nz = 1\na.y.z = 2\n",
    ] {
        for operation in [replace("q = 1"), replace("{ q = 1 }"), body("q = 1")] {
            let failure = refused(text, "$.t.a", operation);
            assert!(failure.message.contains("dotted keys"), "{}", failure.message);
        }
    }
    check("[t.a.sub]\nx = 1\n[t]\na.y = 2\n", "$.t.a", last("q = 1"), "[t.a.sub]\nx = 1\n[t]\na.y = 2\na.q = 1\n");
    check("[t.a.sub]\nx = 1\n[t]\na.y = 2\n", "$.t.a.sub", replace("q = 1"), "[t.a.sub]\nq = 1\n[t]\na.y = 2\n");
}

#[test]
fn replaces_bodies() {
    check("a = [1, 2]\n", "$.a", body("3"), "a = [3]\n");
    check("a = { b = 1 }\n", "$.a", body("c = 2, d = 3"), "a = { c = 2, d = 3 }\n");
    check("a = [\n  1,\n]\n", "$.a", body("2, 3"), "a = [\n  2,\n  3,\n]\n");
    check("a = [1]\n", "$.a", body(""), "a = []\n");
    check("[a] # why\n", "$.a", body("x = 1"), "[a] # why\nx = 1\n");
    check("[a] # why\nx = 1\n[b]\n", "$.a", body(""), "[a] # why\n[b]\n");
    assert_eq!(refused("a = 1\n", "$.a", body("2")).kind, FailureKind::Unsupported);
}

#[test]
fn inserts_keys_into_tables() {
    check(TWO, "$.a", last("w = 0"), "[a]\nx = 1 # one\nw = 0\n\n[a.b]\ny = 2\n\n# about c\n[c]\nz = 3\n");
    check(TWO, "$.c", first("w = 0"), "[a]\nx = 1 # one\n\n[a.b]\ny = 2\n\n# about c\n[c]\nw = 0\nz = 3\n");
    check(
        TWO,
        "$.c",
        sorted("zz = 0\nw = 0"),
        "[a]\nx = 1 # one\n\n[a.b]\ny = 2\n\n# about c\n[c]\nw = 0\nz = 3\nzz = 0\n",
    );
    check(TWO, "$", last("w = 0"), "w = 0\n\n[a]\nx = 1 # one\n\n[a.b]\ny = 2\n\n# about c\n[c]\nz = 3\n");
    check("# top\n\n[a]\n", "$", last("w = 0"), "# top\n\nw = 0\n\n[a]\n");
    check("", "$", last("w = 0"), "w = 0\n");
    check("# top\n", "$", last("w = 0"), "# top\nw = 0\n");
    check("[a] # why\n\n[b]\n", "$.a", last("x = 1"), "[a] # why\nx = 1\n\n[b]\n");
    check("[a]", "$.a", last("x = 1"), "[a]\nx = 1");
    check("[a.b]\ny = 1\n", "$.a", last("x = 1"), "[a]\nx = 1\n\n[a.b]\ny = 1\n");
    check("[a]\n  x = 1\n[b]\n", "$.b", last("y = [\n  1,\n]"), "[a]\n  x = 1\n[b]\n  y = [\n    1,\n  ]\n");
    check("[a]\nx = 1\n", "$.a", last("# about y\ny = 2"), "[a]\nx = 1\n# about y\ny = 2\n");
    check("[a]\nx = 1\n", "$.a", last("{ y = 2, z = 3 }"), "[a]\nx = 1\ny = 2\nz = 3\n");
    let failure = refused(TWO, "$.a", last("x = 2"));
    assert_eq!((failure.kind, failure.candidates), (FailureKind::InvalidArgument, vec!["$.a.x".to_owned()]));
    refused("a = 1\n", "$.a", last("b = 1"));
}

#[test]
fn inserts_sections() {
    check(
        TWO,
        "$.a",
        last("[a.d]\nw = 0"),
        "[a]\nx = 1 # one\n\n[a.b]\ny = 2\n\n[a.d]\nw = 0\n\n# about c\n[c]\nz = 3\n",
    );
    check(TWO, "$", last("[d]\nw = 0"), "[a]\nx = 1 # one\n\n[a.b]\ny = 2\n\n# about c\n[c]\nz = 3\n\n[d]\nw = 0\n");
    check(TWO, "$", sorted("[b]\nw = 0"), "[a]\nx = 1 # one\n\n[a.b]\ny = 2\n\n[b]\nw = 0\n\n# about c\n[c]\nz = 3\n");
    check(
        TWO,
        "$.c",
        before("[b]\nw = 0"),
        "[a]\nx = 1 # one\n\n[a.b]\ny = 2\n\n[b]\nw = 0\n\n# about c\n[c]\nz = 3\n",
    );
    check(TWO, "$.a", after("[b]"), "[a]\nx = 1 # one\n\n[a.b]\ny = 2\n\n[b]\n\n# about c\n[c]\nz = 3\n");
    check(TWO, "$.c", after("[d]"), "[a]\nx = 1 # one\n\n[a.b]\ny = 2\n\n# about c\n[c]\nz = 3\n\n[d]\n");
    check("x = 1\n", "$", last("[a]\ny = 1"), "x = 1\n\n[a]\ny = 1\n");
    let failure = refused(TWO, "$.a", last("[d]\nx = 1"));
    assert!(failure.hint.is_some_and(|hint| hint.contains("`[a.d]`")));
}

#[test]
fn inserts_elements_of_arrays_of_tables() {
    let text = "[[a]]\nx = 1\n\n[[a]]\nx = 2\n\n[b]\n";
    check(text, "$.a", last("x = 3"), "[[a]]\nx = 1\n\n[[a]]\nx = 2\n\n[[a]]\nx = 3\n\n[b]\n");
    check(text, "$.a", first("{ x = 0 }"), "[[a]]\nx = 0\n\n[[a]]\nx = 1\n\n[[a]]\nx = 2\n\n[b]\n");
    check(text, "$.a[0]", after("[[a]]\nx = 3"), "[[a]]\nx = 1\n\n[[a]]\nx = 3\n\n[[a]]\nx = 2\n\n[b]\n");
    check(text, "$.a[1]", before("x = 3\n\n[a.c]"), "[[a]]\nx = 1\n\n[[a]]\nx = 3\n\n[a.c]\n\n[[a]]\nx = 2\n\n[b]\n");
    refused(text, "$.a", last("[[b]]\nx = 1"));
}

#[test]
fn inserts_into_brackets() {
    check("a = [1, 3]\n", "$.a", last("4"), "a = [1, 3, 4]\n");
    check("a = [1, 3]\n", "$.a", sorted("2"), "a = [1, 2, 3]\n");
    check("a = [\n  1, # one\n]\n", "$.a", last("2"), "a = [\n  1, # one\n  2,\n]\n");
    check("a = [\n  1 # one\n]\n", "$.a", last("2"), "a = [\n  1, # one\n  2\n]\n");
    check("a = [1, 3]\n", "$.a[0]", after("2"), "a = [1, 2, 3]\n");
    check("a = []\n", "$.a", last("\"x\", \"y\""), "a = [\"x\", \"y\"]\n");
    check("a = {}\n", "$.a", last("b = 1"), "a = { b = 1 }\n");
    check("a = { b = 1 }\n", "$.a", last("c = 2"), "a = { b = 1, c = 2 }\n");
    check("a = { b = 1, d = 1 }\n", "$.a", sorted("c = 2\ne = 3"), "a = { b = 1, c = 2, d = 1, e = 3 }\n");
    check("a = { b = 1 }\n", "$.a.b", before("c = 2"), "a = { c = 2, b = 1 }\n");
    check("a = { b.c = 1, d = 2 }\n", "$.a.b", last("e = 2"), "a = { b.c = 1, b.e = 2, d = 2 }\n");
    refused("a = { b = 1 }\n", "$.a", last("b = 2"));
    refused("a = [1]\n", "$.a", last("b = 2"));
}

#[test]
fn inserts_beside_keys() {
    check("a = 1\nb = 2\n", "$.b", before("c = 3"), "a = 1\nc = 3\nb = 2\n");
    check("a = 1\n# b\nb = 2\n", "$.a", after("c = 3"), "a = 1\nc = 3\n# b\nb = 2\n");
    check("a = 1 # one\n", "$.a", after("c = 3"), "a = 1 # one\nc = 3\n");
    check("[t]\na.x = 1\na.y = 2\n", "$.t.a", last("z = 3"), "[t]\na.x = 1\na.y = 2\na.z = 3\n");
    check(
        "[t]\na.x = 1\na.y = 2\nb = 1\n",
        "$.t.a",
        first("# w\nw = 3"),
        "[t]\n# w\na.w = 3\na.x = 1\na.y = 2\nb = 1\n",
    );
    check("a.x = 1\na.y = 2\n", "$.a.y", before("w = 3"), "a.x = 1\na.w = 3\na.y = 2\n");
    assert_eq!(refused("a = 1\n", "$", after("b = 2")).kind, FailureKind::Unsupported);
}

#[test]
fn wraps_values() {
    check("a = 1\n", "$.a", wrap("[", "]"), "a = [1]\n");
    check("a = 1\n", "$.a", wrap("{ version = ", " }"), "a = { version = 1 }\n");
    check("a = 1\n", "$.a", wrap("[\n", ",\n]"), "a = [\n    1,\n]\n");
    refused("a = 1\n", "$.a", wrap("[", ""));
    refused("[a]\n", "$.a", wrap("[", "]"));
}

#[test]
fn deletes() {
    check(TWO, "$.a.x", Operation::Delete, "[a]\n\n[a.b]\ny = 2\n\n# about c\n[c]\nz = 3\n");
    check(TWO, "$.c", Operation::Delete, "[a]\nx = 1 # one\n\n[a.b]\ny = 2\n");
    check(TWO, "$.a", Operation::Delete, "# about c\n[c]\nz = 3\n");
    check(TWO, "$.a.b", Operation::Delete, "[a]\nx = 1 # one\n\n# about c\n[c]\nz = 3\n");
    check(TWO, "$.*", Operation::Delete, "");
    check("[a]\n[b]\ny = 1\n[a.c]\nz = 1\n", "$.a", Operation::Delete, "[b]\ny = 1\n");
    check("a.b = 1\nc = 2\na.d = 3\n", "$.a", Operation::Delete, "c = 2\n");
    check("# about a\na = 1 # why\n\nb = 2\n", "$.a", Operation::Delete, "b = 2\n");
    check("a = [1, 2, 3]\n", "$.a[1]", Operation::Delete, "a = [1, 3]\n");
    check("a = [\n  1, # one\n  2,\n]\n", "$.a[0]", Operation::Delete, "a = [\n  2,\n]\n");
    check("a = { b = 1, c = 2 }\n", "$.a.b", Operation::Delete, "a = { c = 2 }\n");
    check("a = { b.x = 1, c = 2, b.y = 3 }\n", "$.a.b", Operation::Delete, "a = { c = 2 }\n");
    check("a = { b.x = 1, c = 2 }\n", "$.a.b.x", Operation::Delete, "a = { c = 2 }\n");
    check("[[a]]\nx = 1\n\n[[a]]\nx = 2\n", "$.a[0]", Operation::Delete, "[[a]]\nx = 2\n");
    assert_eq!(refused("a = 1\n", "$", Operation::Delete).kind, FailureKind::Unsupported);
}

#[test]
fn include_doc_replaces_comment() {
    let text = "# about a\na = 1\n\n# about b\n[b]\nx = 1\n";
    let bench = testing::open::<Toml>("a.toml", text);
    let edited = |target: &str, content: &str| {
        let node = bench.nodes(Path, target).expect(target).remove(0);
        let options = EditOptions { include_doc: true, force: false };
        let operation = Operation::Replace(content.to_owned());
        let edits = marquetry_sdk::Document::edit(bench.document(), &[node.id], &operation, options);
        apply(text, &edits.expect("edits"))
    };
    assert_eq!(edited("$.a", "# new\na = 2"), "# new\na = 2\n\n# about b\n[b]\nx = 1\n");
    assert_eq!(edited("$.b", "# new\n[b]\nx = 2"), "# about a\na = 1\n\n# new\n[b]\nx = 2\n");
}

#[test]
fn inline_tables_stay_on_one_line() {
    check("a = {}\n", "$.a", last("b = [\n  1,\n]"), "a = { b = [\n  1,\n] }\n");
    check("a = {}\n", "$.a", last("b = 1"), "a = { b = 1 }\n");
    check("a = {x=1}\nb = {}\n", "$.b", last("c = '''\nx'''"), "a = {x=1}\nb = {c = '''\nx'''}\n");
    check("a = { b = 1 }\n", "$.a", body("c = [\n  1,\n]"), "a = { c = [\n  1,\n] }\n");
}
