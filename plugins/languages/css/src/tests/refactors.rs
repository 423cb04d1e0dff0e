//! Tests of refactorings.

use marquetry_sdk::{
    TargetKind::Selector,
    testing::{check_refactor, check_refactor_laws, check_refactor_of, check_refused},
};

use super::edits::TWO;
use crate::Css;

#[track_caller]
fn check(path: &str, id: &str, arguments: &[(&str, &str)], marked: &str, after: &str) {
    check_refactor::<Css>((path, marked), id, arguments, after);
}

#[track_caller]
fn sorts(marked: &str, after: &str) {
    check("a.scss", "sort_properties", &[], marked, after);
}

#[test]
fn sort_properties_sorts_declarations() {
    sorts(".a {\n  top: 0;\n  ‸color: red;\n}\n", ".a {\n  color: red;\n  top: 0;\n}\n");
    sorts(".a{top:0;color:red‸}", ".a{color:red;top:0}");
    sorts(
        ".a {\r\n\ttop: 0; // t\r\n\r\n\t// c\r\n\tcolor: ‸red; /* r */\r\n}",
        ".a {\r\n\t// c\r\n\tcolor: red; /* r */\r\n\r\n\ttop: 0; // t\r\n}",
    );
    sorts(".a {\n  /* t */ top: 0;\n  color: ‸red\n}", ".a {\n  color: red;\n  /* t */ top: 0\n}");
    sorts(
        ".a {\n  z-index: 1;\n  --b: 1;\n  -webkit-box-flex: 1‸;\n  box-sizing: x;\n}",
        ".a {\n  --b: 1;\n  -webkit-box-flex: 1;\n  box-sizing: x;\n  z-index: 1;\n}",
    );
    check(
        "a.css",
        "sort_properties",
        &[("all", "true")],
        "@media x {\n  a { d: 1; c: 2 }\n}\nb { f: 1; e: 2 }",
        "@media x {\n  a { c: 2; d: 1 }\n}\nb { e: 2; f: 1 }",
    );
    check_refactor_of::<Css>(
        ("a.css", "a { d: 1; c: 2 } b { d: 1; c: 2 }"),
        (Selector, "b"),
        "sort_properties",
        &[],
        "a { d: 1; c: 2 } b { c: 2; d: 1 }",
    );
}

#[test]
fn sort_properties_keeps_order_of_overrides() {
    sorts("a { margin-top: 1px; ‸margin: 0; color: red }", "a { color: red; margin-top: 1px; margin: 0 }");
    sorts(
        "a { display: -webkit-box; ‸display: flex; color: a; color: b }",
        "a { color: a; color: b; display: -webkit-box; display: flex }",
    );
    sorts("a { top: 0; inset: 1px; ‸bottom: 0 }", "a { top: 0; inset: 1px; bottom: 0 }");
    sorts(
        "a { transition: x; ‸-webkit-transition: y; color: z }",
        "a { color: z; transition: x; -webkit-transition: y }",
    );
}

#[test]
fn sort_properties_does_not_cross_other_statements() {
    sorts(
        "a { c: 1; b: 2; ‸@include m; e: 1; d: 2; &:hover { x: y } g: 1; f: 2 }",
        "a { b: 2; c: 1; @include m; d: 2; e: 1; &:hover { x: y } f: 2; g: 1 }",
    );
    sorts("a { c: 1; #{$x}: 2; ‸b: 3; $v: 4; a: 5 }", "a { c: 1; #{$x}: 2; b: 3; $v: 4; a: 5 }");
    check("a.less", "sort_properties", &[], "a { c: 1; .m(); ‸b: 3; a: 5 }", "a { c: 1; .m(); a: 5; b: 3 }");
    check_refused::<Css>(("a.css", "‸\na { }"), "sort_properties", &[], "not in a rule");
    check_refused::<Css>(("a.css", "a { ‸b: 1"), "sort_properties", &[], "syntax errors");
}

#[test]
fn extract_variable_defines_and_uses_variable() {
    let extract = |path: &str, arguments: &[(&str, &str)], marked: &str, after: &str| {
        check(path, "extract_variable", arguments, marked, after);
    };
    extract(
        "a.css",
        &[],
        ".a {\n  color: ‸red;\n}\n",
        ":root {\n  --color: red;\n}\n\n.a {\n  color: var(--color);\n}\n",
    );
    extract(
        "a.css",
        &[("extractedName", "--edge"), ("all", "true")],
        "@import 'x';\n:root {\n\t--a: 1;\n}\n.a {\n\tborder: «1px solid» red;\n}\n.b { outline: 1px solid; border: 1px solid-x }\n",
        "@import 'x';\n:root {\n\t--a: 1;\n\t--edge: 1px solid;\n}\n.a {\n\tborder: var(--edge) red;\n}\n.b { outline: var(--edge); border: 1px solid-x }\n",
    );
    extract(
        "a.css",
        &[("extractedName", "start")],
        "a { background: linear-gradient(‸red 0%, blue) !important }",
        ":root {\n  --start: red;\n}\n\na { background: linear-gradient(var(--start) 0%, blue) !important }",
    );
    extract(
        "a.scss",
        &[("extractedName", "gap")],
        "@use 'x';\r\n$a: 1px;\r\n\r\n.a { margin: 0 «4px»; }\r\n",
        "@use 'x';\r\n$a: 1px;\r\n$gap: 4px;\r\n\r\n.a { margin: 0 $gap; }\r\n",
    );
    extract(
        "a.less",
        &[],
        "@color: x;\n.a { .b { color: fade(‸#fff, 50%) } }\n",
        "@color: x;\n@color-2: #fff;\n.a { .b { color: fade(@color-2, 50%) } }\n",
    );
    extract("a.scss", &[], ".a { --x: ‸4px; }\n", "$x: 4px;\n\n.a { --x: #{$x}; }\n");
    check_refactor_of::<Css>(
        ("a.css", ":root { }\na { margin: 0 auto; }"),
        (Selector, "a@margin"),
        "extract_variable",
        &[],
        ":root {\n  --margin: 0 auto;\n}\na { margin: var(--margin); }",
    );
}

#[test]
fn extract_variable_refuses_context_dependent_values() {
    let refused = |path: &str, marked: &str, message: &str| {
        check_refused::<Css>((path, marked), "extract_variable", &[], message)
    };
    refused("a.css", "a { color: ‸inherit }", "`inherit`");
    refused("a.css", "a { color: rgb(«var(--x)») }", "`var`");
    refused("a.css", "@font-face { src: ‸x }", "`@font-face`");
    refused("a.css", "a { color: red; color: ‸lch(1 2 3) }", "more than once");
    refused("a.css", "a { color: r«e»d }", "whole values");
    refused("a.css", "a‸ { color: red }", "no value");
    refused("a.scss", "a { font: ‸12px/1.5 x }", "slash");
    refused("a.scss", "a { $w: 1px; b: «$w + 1px» }", "`$w`");
    refused("a.scss", "@mixin m($w) { b: «calc($w)» }", "`$w`");
    check_refused::<Css>(("a.css", "a { b: ‸c; --d: e }"), "extract_variable", &[("extractedName", "d")], "already");
    check_refused::<Css>(("a.css", "a { b: ‸c }"), "extract_variable", &[("extractedName", "1 d")], "not a variable");
}

#[test]
fn inline_variable_replaces_uses() {
    let inline = |path: &str, marked: &str, after: &str| check(path, "inline_variable", &[], marked, after);
    inline(
        "a.css",
        ":root {\n  --a: red;\n  --b: 1px;\n}\nx { c: var(‸--a) var(--b); d: calc(var( --a , blue)) }\n",
        ":root {\n  --b: 1px;\n}\nx { c: red var(--b); d: calc(red) }\n",
    );
    inline("a.css", ":root { ‸--a: red }\nx { c: var(--a) }\n", "x { c: red }\n");
    inline(
        "a.scss",
        "$‸a_b: 1px + 2px;\n@media (min-width: $a-b) { x { y: $a-b; z: $a-b * 2; #{$a-b}: \"#{$a-b}\" } }\n",
        "@media (min-width: (1px + 2px)) { x { y: 1px + 2px; z: (1px + 2px) * 2; #{1px + 2px}: \"#{1px + 2px}\" } }\n",
    );
    inline("a.scss", "x { $c: red; @include m($c: ‸$c); d: n.$c }", "x { @include m($c: red); d: n.$c }");
    inline("a.less", "@a: 'x';\n.@{a} { b: @‸a; c: \"q@{a}\" }\n", ".x { b: 'x'; c: \"qx\" }\n");
    check(
        "a.css",
        "inline_variable",
        &[("keep", "true")],
        ":root { --a: red }\nx { c: var(‸--a) }",
        ":root { --a: red }\nx { c: red }",
    );
}

#[test]
fn inline_variable_refuses_ambiguous_variables() {
    let refused =
        |path: &str, marked: &str, message: &str| check_refused::<Css>((path, marked), "inline_variable", &[], message);
    refused("a.css", ":root { --a: 1 } @media x { :root { --a: 2 } } b { c: var(‸--a) }", "defined 2 times");
    refused("a.css", ".x { --a: 1 } b { c: var(‸--a) }", "some elements");
    refused("a.css", "b { c: var(‸--a) }", "not defined");
    refused("a.css", ":root { ‸--a: 1 } b { transition: --a 1s }", "outside `var()`");
    refused("a.css", ":root { ‸--a: 1 }", "nothing in this file");
    refused("a.scss", "$‸a: 1 !default; b { c: $a }", "!default");
    refused("a.scss", "$‸a: 1; @mixin m($a) { b: $a }", "parameter");
    refused("a.scss", "$‸a: 10px; b { font: $a/2 c }", "slash");
    refused("a.less", "@‸a: 'b'; @b: 1; c { d: @@a }", "another variable");
    refused("a.css", "a { co‸lor: red }", "no variable");
}

#[test]
fn laws_hold_for_refactors() {
    let texts = [
        TWO,
        ":root { --a: { b: c }; --d: 1px }\n@media print{.a{d:var(--d);b:c}}\n@font-face { src: url(x); font: y }\n",
        "$m: (\n  a: 1,\n  'b': (c: 2)\n) !default;\n$v: 1;\n// doc\n@mixin m($a...) { z: $v; &:hover { @content } y: x }\n.a { @include m(1) { b: c; a: b } font: { family: d } }\n",
        "@a: 1px;\n@r: { b: c };\n.m(@a) when (@a > 1) { d+: e; c: f }\n.x { .m(1); @r(); &:extend(.y); .@{z} { g: @a; f: ~'g' } }\n",
    ];
    for text in texts {
        for path in ["a.css", "a.scss", "a.less"] {
            check_refactor_laws::<Css>((path, text), &[("all", "true")]);
        }
    }
    assert!(check_refactor_laws::<Css>(("a.css", texts[1]), &[("all", "true")]) > 4);
    for text in ["", "{", "a{b", "a{b:", "a{:c;d:}", "@", "--x", "a{b:c(}", "$a:$a;a{b:$}", "@a:@@a;"] {
        for path in ["a.css", "a.scss", "a.less"] {
            check_refactor_laws::<Css>((path, text), &[("all", "true")]);
        }
    }
}
