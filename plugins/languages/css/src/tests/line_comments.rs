//! Tests of line comments in the content of an edit: none is lost, and none takes in what follows it.

use marquetry_sdk::{
    Operation,
    TargetKind::Selector,
    testing::{after, before, body, check_edit, check_insert_missing, first, last, replace},
};

use crate::Css;

const RULES: &str = "$gap: 4px; // gap\n\n.a {\n  color: red; // x\n  margin: 0 // last\n}\n\n.b { color: red }\n";

#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    check_edit::<Css>(("a.scss", text), (Selector, target), operation, expected);
}

/// Checks an edit of the rules, which replaces a part of them.
#[track_caller]
fn check_rules(target: &str, operation: Operation, old: &str, new: &str) {
    assert_eq!(RULES.matches(old).count(), 1, "{old}");
    check(RULES, target, operation, &RULES.replace(old, new));
}

#[test]
fn comments_of_values_are_after_the_semicolon() {
    check_rules(".a@color", body("blue // y"), "red; // x", "blue; // x // y");
    check_rules(".a@margin", body("1px // y"), "0 // last", "1px // last // y");
    check_rules("$gap", body("8px // y"), "4px; // gap", "8px; // gap // y");
    check_rules(".b@color", body("blue // y"), ".b { color: red }", ".b { color: blue // y\n}");
    check(".a { b: c; d: e }\n", ".a@b", body("f // y"), ".a { b: f; // y\n  d: e }\n");
    check(".a {\n  b: c;\n}\n", ".a@b", body("f !important // y"), ".a {\n  b: f !important; // y\n}\n");
    check(".a {\n  b: c;\n}\n", ".a@b", body("url(http://x)"), ".a {\n  b: url(http://x);\n}\n");
    check_edit::<Css>(("a.less", "@g: 4px;\n"), (Selector, "@g"), body("8px // y"), "@g: 8px; // y\n");
    check_edit::<Css>(("a.less", "@g: 4px; // g\n"), (Selector, "@g"), replace("@g: 8px // y"), "@g: 8px; // g // y\n");
}

#[test]
fn comments_of_statements_are_after_the_semicolon() {
    for content in ["color: blue // y", "color: blue; // y"] {
        check_rules(".a@color", replace(content), "red; // x", "blue; // x // y");
        check_rules(".b@color", replace(content), ".b { color: red }", ".b { color: blue // y\n}");
    }
    check_rules("$gap", replace("$gap: 8px; // y"), "4px; // gap", "8px; // gap // y");
    check_rules(".b", replace(".b { top: 0 } // y"), "color: red }\n", "top: 0 } // y\n");
    check(".a { b: c } .d { e: f }\n", ".a", replace(".a { } // y"), ".a { } // y\n.d { e: f }\n");
}

#[test]
fn comments_in_blocks_on_one_line_move_the_brace() {
    for content in ["top: 0 // y", "top: 0; // y"] {
        check_rules(".b", last(content), "{ color: red }", "{ color: red;\n  top: 0; // y\n}");
        check_rules(".b@color", before(content), "{ color: red }", "{ top: 0; // y\n  color: red }");
        check_rules(".b@color", after(content), "{ color: red }", "{ color: red;\n  top: 0; // y\n}");
    }
    check_rules(".b", body("top: 0; // y"), "{ color: red }", "{\n  top: 0; // y\n}");
    check_rules(".b", last("// y"), "{ color: red }", "{ color: red;\n  // y\n}");
    check_rules(".b@color", before("// y"), "{ color: red }", "{ // y\n  color: red }");
    check(".a{b:c}.d{e:f}", ".a", last("top:0 // y"), ".a{b:c;\n  top:0; // y\n}.d{e:f}");
    check(".a{}", ".a", first("top:0 // y"), ".a{\n  top:0; // y\n}");
    check(".a{b:c}.d{e:f}", ".a", after(".g{} // y"), ".a{b:c}.g{} // y\n.d{e:f}");
    check_insert_missing::<Css>(
        ("a.scss", ".a { b: c }\n"),
        (Selector, ".a@d"),
        "e // y",
        ".a { b: c;\n  d: e; // y\n}\n",
    );
}

#[test]
fn comments_of_map_entries_are_after_the_comma() {
    let map = "$map: (\n  sm: 1px, // one, x\n  md: 2px // two\n);\n";
    let with = |old: &str, new: &str| map.replace(old, new);
    check(map, "$map@sm", body("3px // y"), &with("1px, // one, x", "3px, // one, x // y"));
    check(map, "$map@md", body("3px // y"), &with("2px // two", "3px // two // y"));
    check(map, "$map@sm", replace("sm: 3px // y"), &with("1px, // one, x", "3px, // one, x // y"));
    check(map, "$map@sm", before("xs: 4px // y"), &with("(\n", "(\n  xs: 4px, // y\n"));
    check(map, "$map", last("lg: 4px, // y"), &with("2px // two\n", "2px, // two\n  lg: 4px // y\n"));
    check("$m: (a: 1, b: 2);\n", "$m@a", body("3 // y"), "$m: (a: 3, // y\n  b: 2);\n");
    check("$m: (a: 1, b: 2);\n", "$m", last("c: 3 // y"), "$m: (a: 1, b: 2, c: 3 // y\n);\n");
}
