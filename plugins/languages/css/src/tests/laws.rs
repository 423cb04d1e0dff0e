//! Checks the laws, which are properties that every language pack must have.

use marquetry_sdk::testing;

use super::edits::TWO;
use crate::Css;

const PIECES: &[&str] = &[
    "a",
    ".b",
    "#c",
    " ",
    "\n",
    "\r\n",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ":",
    ";",
    ",",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "@",
    "$",
    "%",
    "&",
    "#{",
    "@{",
    "\\",
    ">",
    ">>",
    "@media",
    "@import",
    "--x",
    "url(",
    "a: b;",
    ".a { b: c }",
    "é",
    "`",
    "~",
    "|",
    "*",
    "!",
    "when",
    "[2]",
    "=",
    "0%",
    "@keyframes k {",
    "$m: (a: 1, b: (c: 2))",
];

const DOCUMENTS: &[&str] = &[
    TWO,
    "@charset 'x';\n@import url(x.css) print;\n\n:root { --a: { b: c }; }\n@media print{.a{b:c;d:e}}\n@font-face { src: url(x) }\n",
    "@use 'a';\n$m: (\n  a: 1,\n  'b': (c: 2)\n) !default;\n// doc\n@mixin m($a...) { &:hover { @content } }\n.a { @include m(1) { b: c } font: { family: d } }\n",
    "@a: 1px;\n@r: { b: c };\n.m(@a) when (@a > 1) { d+: e }\n.x { .m(1); @r(); &:extend(.y); .@{z} { f: ~'g' } }\n",
];

#[test]
fn laws_hold_for_css() {
    testing::check_laws_on_random::<Css>("a.css", PIECES, DOCUMENTS);
}

#[test]
fn laws_hold_for_scss() {
    testing::check_laws_on_random::<Css>("a.scss", PIECES, DOCUMENTS);
}

#[test]
fn laws_hold_for_less() {
    testing::check_laws_on_random::<Css>("a.less", PIECES, DOCUMENTS);
}

/// Parts from which random texts with names are generated.
const NAMES: &[&str] = &[
    ".a",
    ".b-c",
    "#a",
    "#d",
    "&-e",
    "&.a",
    " ",
    ", ",
    "{",
    "}",
    ";",
    ":not(",
    ":is(",
    ")",
    "--a",
    "--a: b;",
    "var(--a)",
    "url(#a)",
    "[class~=a]",
    "[for='a']",
    "@keyframes a {",
    "animation: a 1s;",
    "composes: a b;",
    ":global(",
    "\\:",
    "\\31 ",
    "#{$x}",
    "@{x}",
    ".a();",
    "@extend .a;",
    "/* .a */",
    "// .a\n",
    "'",
    "@apply a;",
    "@property --a {",
    "@media print {",
    "é",
];

#[test]
fn laws_hold_for_names() {
    for path in ["a.css", "a.scss", "a.less", "a.module.css"] {
        testing::check_name_laws_on_random::<Css>(path, NAMES, DOCUMENTS);
    }
}

#[test]
fn truncated_map_is_not_a_map() {
    testing::check_laws::<Css>("a.scss", "$m: (\n  a: 1,\n  'b': (c: 2)}\n) !default;\n// doc\n");
}
