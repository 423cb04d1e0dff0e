//! Tests that the flags after a value are kept when the value changes.

use marquetry_sdk::{
    TargetKind::Selector,
    testing::{body, check_edit, replace},
};

use crate::Css;

#[track_caller]
fn check(path: &str, text: &str, target: &str, content: &str, expected: &str) {
    check_edit::<Css>((path, text), (Selector, target), body(content), expected);
}

#[test]
fn replace_body_keeps_flags() {
    check("a.css", ".a { color: red !important; }", ".a@color", "blue", ".a { color: blue !important; }");
    check("a.css", ".a{color:red!important}", ".a@color", "blue;", ".a{color:blue!important}");
    check("a.css", ".a { --x: 1 ! important }", ".a@--x", "2", ".a { --x: 2 ! important }");
    check("a.scss", "$gap: 4px !default;\n", "$gap", "8px", "$gap: 8px !default;\n");
    check("a.scss", "$a: 1 !global !default;\n", "$a", "2", "$a: 2 !global !default;\n");
    check("a.scss", "$m: (a: 1) !default;\n", "$m", "(b: 2)", "$m: (b: 2) !default;\n");
    check("a.less", ".a { width: @w !important; }", ".a@width", "1px", ".a { width: 1px !important; }");
}

#[test]
fn flags_of_new_value_replace_old_flags() {
    check("a.css", ".a { color: red !important }", ".a@color", "blue !important", ".a { color: blue !important }");
    check("a.scss", "$a: 1 !default;\n", "$a", "2 !global", "$a: 2 !global;\n");
}

#[test]
fn replace_of_declaration_drops_flags() {
    let text = ".a { color: red !important; }";
    check_edit::<Css>(("a.css", text), (Selector, ".a@color"), replace("color: blue"), ".a { color: blue; }");
}

#[test]
fn text_that_looks_like_flag_is_part_of_value() {
    check("a.css", ".a { content: \"!important\" }", ".a@content", "\"x\"", ".a { content: \"x\" }");
    check("a.css", ".a { --x: f(!important) }", ".a@--x", "1", ".a { --x: 1 }");
}

#[test]
fn replace_body_fills_empty_value() {
    check("a.css", ".a { --x: ; }", ".a@--x", "1px", ".a { --x: 1px; }");
    check("a.css", ".a { --x:; }", ".a@--x", "1px", ".a { --x: 1px; }");
    check("a.css", ".a {\n  --x:  ;\n  b: c;\n}", ".a@--x", "1px", ".a {\n  --x: 1px;\n  b: c;\n}");
}
