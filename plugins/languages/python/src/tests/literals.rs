//! Entries of dictionaries, and items of lists, sets and tuples.

use marquetry_sdk::{
    Operation,
    TargetKind::Symbol,
    testing::{self, after, before, body, first, last, replace, sorted, wrap},
};

use super::check;
use crate::Python;

const SETTINGS: &str = "DATABASES = {\n    \"default\": {\n        \"ENGINE\": \"pg\",\n        \"HOST\": (\"db\" \".internal\"),  # main\n    },\n    # The copy.\n    \"replica\": {\"HOST\": \"db2\"},\n    **OTHERS,\n}\n\n\nclass A:\n    routes: dict = {'/home': 1, \"a.b\": 2, key: 3, f\"x\": 4, \"e\\n\": 5, 6: 7, \"d\": 8, \"d\": lambda a, b: (a, b)}\n";

#[test]
fn entries_have_addresses() {
    let outline = testing::open::<Python>("a.py", SETTINGS).outline();
    let expected = "
constant DATABASES @DATABASES
  entry default @DATABASES.default
    entry ENGINE @DATABASES.default.ENGINE
    entry HOST @DATABASES.default.HOST
  entry replica @DATABASES.replica
    entry HOST @DATABASES.replica.HOST
class A @A
  attribute routes @A.routes
    entry \"/home\" @A.routes.\"/home\"
    entry \"a.b\" @A.routes.\"a.b\"
    entry d @A.routes.d[1]
    entry d @A.routes.d[2]";
    assert_eq!(outline.trim_end(), expected.trim_matches('\n'));
}

#[test]
fn only_values_of_declarations_have_entries() {
    let text = "f({\"a\": 1})\n{\"b\": 2}\nx = y = {\"c\": 3}\nz = [{\"d\": 4}]\ndef g():\n    return {\"e\": 5}\n";
    let outline = testing::open::<Python>("a.py", text).outline();
    assert_eq!(outline.trim_end(), "variable x @x\nvariable y @y\nvariable z @z\nfunction g @g");
}

#[track_caller]
fn check_settings(target: &str, operation: Operation, from: &str, to: &str) {
    assert!(SETTINGS.contains(from), "{from}");
    check(SETTINGS, target, operation, &SETTINGS.replacen(from, to, 1));
}

#[test]
fn entries_are_replaced() {
    check_settings(
        "DATABASES.default.HOST",
        replace("\"HOST\": \"x\","),
        "\"HOST\": (\"db\" \".internal\")",
        "\"HOST\": \"x\"",
    );
    check_settings("DATABASES.default.HOST", body("\"x\""), "\"db\" \".internal\"", "\"x\"");
    check_settings("DATABASES.replica", body("{}"), "{\"HOST\": \"db2\"}", "{}");
    check_settings(
        "DATABASES.replica",
        replace("# New.\n'r': {\n  'a': '''x\n  y''',\n}"),
        "# The copy.\n    \"replica\": {\"HOST\": \"db2\"}",
        "# New.\n    'r': {\n        'a': '''x\n  y''',\n    }",
    );
    // Names in quotes are found with both quotes and without them.
    for target in ["A.routes.\"/home\"", "A.routes.'/home'", "A.routes./home"] {
        check_settings(target, body("0"), "'/home': 1", "'/home': 0");
    }
    check_settings("A.routes.d[1]", body("0"), "\"d\": 8", "\"d\": 0");
}

#[test]
fn entries_are_deleted_with_their_comments() {
    check_settings(
        "DATABASES.default.HOST",
        Operation::Delete,
        "        \"HOST\": (\"db\" \".internal\"),  # main\n",
        "",
    );
    check_settings(
        "DATABASES.replica",
        Operation::Delete,
        "    # The copy.\n    \"replica\": {\"HOST\": \"db2\"},\n",
        "",
    );
    check_settings("DATABASES.replica.HOST", Operation::Delete, "{\"HOST\": \"db2\"}", "{}");
    check_settings("A.routes.d[2]", Operation::Delete, ", \"d\": lambda a, b: (a, b)", "");
    check_settings("A.routes.d", Operation::Delete, ", \"d\": 8, \"d\": lambda a, b: (a, b)", "");
}

#[test]
fn items_are_inserted() {
    check_settings("DATABASES", last("'x': 1"), "**OTHERS,\n", "**OTHERS,\n    'x': 1,\n");
    check_settings(
        "DATABASES",
        first("'x': 1,\n'y': 2,"),
        "    \"default\"",
        "    'x': 1,\n    'y': 2,\n    \"default\"",
    );
    check_settings(
        "DATABASES.default",
        last("'x': {\n        'y': 1,\n    }"),
        "# main\n",
        "# main\n        'x': {\n            'y': 1,\n        },\n",
    );
    check_settings(
        "DATABASES.default",
        sorted("'FILE': 1"),
        "        \"HOST\"",
        "        'FILE': 1,\n        \"HOST\"",
    );
    check_settings("DATABASES.replica", first("'A': 1"), "{\"HOST\"", "{'A': 1, \"HOST\"");
    check_settings("DATABASES.replica.HOST", after("'A': 1"), "\"db2\"}", "\"db2\", 'A': 1}");
    check_settings("DATABASES.replica", before("'A': 1"), "    # The copy", "    'A': 1,\n    # The copy");
    check_settings("DATABASES", last("# end"), "**OTHERS,\n", "**OTHERS,\n    # end\n");
}

#[test]
fn items_keep_the_form_of_each_collection() {
    let cases = [
        ("x = [\"a\", \"c\"]", sorted("\"b\""), "x = [\"a\", \"b\", \"c\"]"),
        ("x = ['b', 'c']", sorted("\"a\""), "x = [\"a\", 'b', 'c']"),
        ("x = [a,c,]", last("d,"), "x = [a,c,d,]"),
        ("x = []", last("\"a\""), "x = [\"a\"]"),
        ("x = ()", last("\"a\""), "x = (\"a\",)"),
        ("x = ()", last("a, b"), "x = (a, b)"),
        ("x = (\"a\",)", last("\"b\""), "x = (\"a\", \"b\",)"),
        ("x = {}", last("'a': 1"), "x = {'a': 1}"),
        ("x = {1, 3}", sorted("2"), "x = {1, 2, 3}"),
        ("x = [\n]", last("a"), "x = [\n    a,\n]"),
        ("x = [\n    # none\n]", last("a"), "x = [\n    # none\n    a,\n]"),
        ("x = [\n    a,  # one\n    c\n]", last("d"), "x = [\n    a,  # one\n    c,\n    d\n]"),
        ("x = [a,\n     b]", last("c"), "x = [a,\n     b, c]"),
        ("x: list = [(a), (b)]", first("c"), "x: list = [c, (a), (b)]"),
        ("x = [lambda a, b: a, c]", last("d"), "x = [lambda a, b: a, c, d]"),
        ("x = [\n    f\"{a}, {b}\",\n]", last("*c"), "x = [\n    f\"{a}, {b}\",\n    *c,\n]"),
    ];
    for (text, operation, expected) in cases {
        check(text, "x", operation, expected);
    }
}

#[test]
fn wrong_items_are_refused() {
    let refused = |text: &str, target: &str, operation: Operation| {
        testing::check_refusal::<Python>(("a.py", text), (Symbol, target), operation);
    };
    refused("x = {}", "x", last("\"a\""));
    refused("x = {\"a\": 1}", "x", last("b = 1"));
    refused("x = [1]", "x", last("a: 1"));
    refused("x = {1}", "x", last("\"a\": 1"));
    refused("x = [1]", "x", last("2,  # two"));
    refused("x = [1]", "x", last(""));
    refused("x = [1]", "x", last("2]; y = [3"));
    refused("x = [1]", "x", last("# two"));
    refused("x = [1]", "x", sorted("# two"));
    refused("x = 1, 2", "x", last("3"));
    refused("x = (1), (2)", "x", last("3"));
    refused("x = [i for i in y]", "x", last("3"));
    refused("x = {\"a\": 1}", "x.a", wrap("# region", ""));
    refused("x = {\"a\": 1}", "x.a", replace("# nothing"));
    refused("x = {\"a\": 1}", "x.b", Operation::Delete);
}
