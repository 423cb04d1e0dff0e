//! Text in, text out: outlines, targets, views and edits.

use marquetry_sdk::{
    Document, Form, Operation, Position,
    TargetKind::Selector,
    testing::{self, Bench, insert_into, replace_text, wrap},
};

use crate::Css;

fn open(path: &str, text: &str) -> Bench<Css> {
    testing::open::<Css>(path, text)
}

#[track_caller]
fn outline(path: &str, text: &str, expected: &str) {
    let shown = open(path, text).outline();
    let dedent = |text: &str| {
        text.lines()
            .map(str::trim_end)
            .filter(|line| !line.trim().is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(dedent(&shown), dedent(expected), "\n{shown}");
}

#[test]
fn an_outline_has_an_address_for_everything() {
    outline(
        "a.css",
        "@charset \"utf-8\";\n@import 'x.css';\n.a, .b > c { color: red; color: blue }\n@media print{.a{--x:{a:b}}}\n.a{}\n@keyframes s { 0%, to { top: 0 } }",
        r#"
at-rule @charset "utf-8" @@charset "utf-8"
import @import 'x.css' @@import 'x.css'
rule .a, .b > c @.a, .b > c
  declaration color @.a, .b > c@color[1]
  declaration color @.a, .b > c@color[2]
at-rule @media print @@media print
  rule .a @@media print >> .a
    custom-property --x @@media print >> .a@--x
rule .a @.a[3]
at-rule @keyframes s @@keyframes s
  keyframe 0%, to @@keyframes s >> 0%, to
    declaration top @@keyframes s >> 0%, to@top
"#,
    );
}

#[test]
fn an_outline_of_scss() {
    outline(
        "a.scss",
        "@use 'x' as *;\n$m: (a: 1, 'b c': (d: 2)) !default;\n%p { top: 0 }\n@mixin f($a, $b: 1) { @content }\n.c { @include f(1) { left: 0 } &-d { font: { family: x } } @extend %p; a:hover { b: c } }",
        r#"
import @use 'x' as * @@use 'x' as *
variable $m @$m
  entry a @$m@a
  entry 'b c' @$m@'b c'
    entry d @$m@'b c'@d
placeholder %p @%p
  declaration top @%p@top
mixin @mixin f @@mixin f
  at-rule @content @@mixin f >> @content
rule .c @.c
  include @include f(1) @.c >> @include f(1)
    declaration left @.c >> @include f(1)@left
  rule &-d @.c >> &-d
    declaration font @.c >> &-d@font
      declaration family @.c >> &-d@font@family
  extend @extend %p @.c >> @extend %p
  rule a:hover @.c >> a:hover
    declaration b @.c >> a:hover@b
"#,
    );
}

#[test]
fn an_outline_of_less() {
    outline(
        "a.less",
        "@c: red;\n@r: { top: 0 };\n.m(@a; @b: 2) when (@a > 1) { left: @a }\n.x { .m(1; 2); @r(); color+: @c; &:extend(.y all); .@{z} { a: ~'b' } }\neach(@l, { a: b });\n@page :first { margin: 0 }\n@c2 : \"x\";",
        r#"
variable @c @@c
variable @r @@r
  declaration top @@r@top
mixin .m() @.m()
  declaration left @.m()@left
rule .x @.x
  call .m(1; 2); @.x >> .m(1; 2);
  call @r(); @.x >> @r();
  declaration color+ @.x@color
  extend &:extend(.y all); @.x >> &:extend(.y all);
  rule .@{z} @.x >> .@{z}
    declaration a @.x >> .@{z}@a
call each(@l, { a: b }); @each(@l, { a: b });
at-rule @page :first @@page :first
  declaration margin @@page :first@margin
variable @c2 @@c2
"#,
    );
}

#[test]
fn rules_are_found_by_any_spelling() {
    let css =
        open("a.css", "A>B,[x=y]{a:b}@media (min-width:1px){ .c:hover /* x */ .d {} }\n.c{ &:hover .d {} .e & {} }");
    let find = |target: &str| css.read(Selector, target).unwrap_or_default();
    assert_eq!(find("a > b"), ["A>B,[x=y]{a:b}"]);
    assert_eq!(find("[ X = 'y' ]"), ["A>B,[x=y]{a:b}"]);
    assert_eq!(find("@media  ( min-width: 1px )").len(), 1);
    assert_eq!(find(".c:hover .d").len(), 2, "nested rules by what they stand for");
    assert_eq!(find(".e .c"), [".e & {}"]);
    assert_eq!(find(".c >> &:hover .d"), ["&:hover .d {}"]);
    assert_eq!(find("a>b@a"), ["a:b"]);
    assert_eq!(find(".c:hover .d[2]"), ["&:hover .d {}"]);
}

#[test]
fn long_lists_are_addressed_by_their_first_selector() {
    let list = |from: u32| (from..from + 40).map(|n| format!(".item-{n}")).collect::<Vec<_>>().join(",\n");
    let media = format!("@media {}", "screen, ".repeat(30));
    let text = format!("{} {{}}\n.item-0 {{}}\n{media} print {{}}\n@media a {{}}\n", list(0));
    let addresses: Vec<String> =
        open("a.css", &text).document().outline().into_iter().map(|node| node.address).collect();
    assert_eq!(addresses, [".item-0[1]", ".item-0[2]", "@media[1]", "@media a"]);
    testing::laws::<Css>("a.css", &text);
}

#[test]
fn what_is_not_found_is_a_menu() {
    let css = open("a.css", ".button { padding: 0 }\n@media print { .button { } }\n");
    let failure = css.nodes(Selector, ".buton").expect_err("nothing");
    assert_eq!(failure.candidates[0], ".button[1]", "{failure:?}");
    let lists = open("a.css", ".card > .title, .button-primary {}\n");
    let failure = lists.nodes(Selector, ".button-primari").expect_err("nothing");
    assert_eq!(failure.candidates, [".card > .title, .button-primary"]);
    let failure = css.nodes(Selector, ".button@paddin").expect_err("nothing");
    assert_eq!(failure.candidates[0], ".button[1]@padding", "{failure:?}");
}

#[test]
fn comments_above_are_documentation() {
    let text =
        "/* far */\n\n/* near */\n/* nearer */\n.a { b: c; /* behind */\n  /* of d */\n  d: e }\n/*! license */\n.f {}";
    let css = open("a.css", text);
    let doc = |target: &str| {
        let node = css.nodes(Selector, target).expect("found").remove(0);
        node.doc.map(|doc| doc.of(text).to_owned())
    };
    assert_eq!(doc(".a").as_deref(), Some("/* near */\n/* nearer */"));
    assert_eq!(doc(".a@d").as_deref(), Some("/* of d */"));
    assert_eq!(doc(".a@b"), None);
    assert_eq!(doc(".f"), None);
}

#[test]
fn views() {
    let css = open("a.scss", ".a {\n  b: c;\n  &:hover { d: e; f: g }\n  @media print { h: i }\n}\n");
    let node = css.nodes(Selector, ".a").expect("found").remove(0);
    let show = |form| css.show(&node, form).expect("shown");
    assert_eq!(show(Form::Signature), ".a");
    assert_eq!(show(Form::Summary), ".a  1 declaration\n  &:hover  2 declarations\n  @media print  1 declaration\n");
    assert!(show(Form::Body).contains("d: e"));
}

#[track_caller]
fn edit(path: &str, text: &str, target: &str, operation: Operation, expected: &str) {
    let bench = open(path, text);
    let after = bench.edit(Selector, target, operation).expect("edited");
    assert_eq!(after, expected, "\n{after}");
    let again = open(path, &after).problems();
    assert!(again.is_empty() || !bench.problems().is_empty(), "{again:?} in\n{after}");
}

fn before(content: &str) -> Operation {
    Operation::InsertBefore(content.to_owned())
}

fn after(content: &str) -> Operation {
    Operation::InsertAfter(content.to_owned())
}

fn replace(content: &str) -> Operation {
    Operation::Replace(content.to_owned())
}

fn body(content: &str) -> Operation {
    Operation::ReplaceBody(content.to_owned())
}

const TWO: &str = "/* a */\n.a {\n  color: red;\n  top: 0\n}\n\n.b { left: 0 }\n";

#[test]
fn replaces() {
    edit("a.css", TWO, ".a", replace(".c {\n    x: y;\n}\n"), "/* a */\n.c {\n    x: y;\n}\n\n.b { left: 0 }\n");
    edit("a.css", TWO, ".a@color", replace("color: blue;"), &TWO.replace("red", "blue"));
    edit("a.css", TWO, ".a@top", replace("top: 1px;"), &TWO.replace("top: 0", "top: 1px"));
    edit("a.css", TWO, ".a@color", body("blue;"), &TWO.replace("red", "blue"));
    edit("a.css", TWO, ".b", body("right: 0"), &TWO.replace("left: 0", "right: 0"));
    edit(
        "a.css",
        TWO,
        ".b",
        body("right: 0;\ntop: 1px;"),
        &TWO.replace("{ left: 0 }", "{\n  right: 0;\n  top: 1px;\n}"),
    );
    edit("a.css", TWO, ".a", body("x: y;"), &TWO.replace("color: red;\n  top: 0", "x: y;"));
    edit("a.css", TWO, ".a@color", replace("&:hover { x: y }"), &TWO.replace("color: red;", "&:hover { x: y }"));
    edit("a.css", TWO, ".b", replace_text("left", "right"), &TWO.replace("left", "right"));
}

#[test]
fn inserts_rules() {
    edit("a.css", TWO, ".a", before(".x {\n  y: z;\n}"), &format!(".x {{\n  y: z;\n}}\n\n{TWO}"));
    edit("a.css", TWO, ".a", after(".x {\n  y: z;\n}"), &TWO.replace("\n.b", "\n.x {\n  y: z;\n}\n\n.b"));
    edit("a.css", TWO, ".b", after(".x { y: z }"), &format!("{TWO}\n.x {{ y: z }}\n"));
    edit("a.css", ".a{b:c}.d{e:f}", ".a", after(".x{y:z}"), ".a{b:c}.x{y:z}.d{e:f}");
    edit("a.css", ".a{b:c}.d{e:f}", ".d", before(".x{y:z}"), ".a{b:c}.x{y:z}.d{e:f}");
    edit("a.css", ".a {}\n.b {}\n", ".a", after(".x {}"), ".a {}\n.x {}\n.b {}\n");
    edit("a.css", ".a {}", ".a", after(".x {}"), ".a {}\n\n.x {}");
    edit(
        "a.css",
        "@media print {\n  .a {\n    b: c;\n  }\n}\n",
        "@media print",
        insert_into(".x {\n  y: z;\n}", Position::Last),
        "@media print {\n  .a {\n    b: c;\n  }\n\n  .x {\n    y: z;\n  }\n}\n",
    );
    edit(
        "a.css",
        "@media print {}\n",
        "@media print",
        insert_into(".x { y: z }", Position::Last),
        "@media print {\n  .x { y: z }\n}\n",
    );
    edit(
        "a.css",
        "@keyframes s {\n  from { a: b }\n  to { a: c }\n}",
        "@keyframes s >> to",
        before("50% { a: d }"),
        "@keyframes s {\n  from { a: b }\n  50% { a: d }\n  to { a: c }\n}",
    );
}

#[test]
fn inserts_declarations() {
    edit("a.css", TWO, ".a", insert_into("left: 0", Position::Last), &TWO.replace("top: 0", "top: 0;\n  left: 0;"));
    edit("a.css", TWO, ".a", insert_into("left: 0;", Position::First), &TWO.replace("  color", "  left: 0;\n  color"));
    edit("a.css", TWO, ".a", insert_into("left: 0", Position::Sorted), &TWO.replace("  top", "  left: 0;\n  top"));
    edit("a.css", TWO, ".b", insert_into("top: 0", Position::Last), &TWO.replace("left: 0 }", "left: 0; top: 0 }"));
    edit("a.css", TWO, ".b", insert_into("top: 0;", Position::First), &TWO.replace("left: 0 }", "top: 0; left: 0 }"));
    edit("a.css", TWO, ".a@color", after("left: 0"), &TWO.replace("  top", "  left: 0;\n  top"));
    edit("a.css", ".a{b:c}", ".a", insert_into("d:e", Position::Last), ".a{b:c;d:e}");
    edit("a.css", ".a{b:c;}", ".a", insert_into("d:e", Position::Last), ".a{b:c;d:e;}");
    edit("a.css", ".a{}", ".a", insert_into("d:e", Position::Last), ".a{d:e}");
    edit("a.css", ".a {}", ".a", insert_into("d: e", Position::Last), ".a {\n  d: e;\n}");
    edit("a.css", ".a {\n  /* none */\n}", ".a", insert_into("d: e", Position::Last), ".a {\n  /* none */\n  d: e;\n}");
    edit(
        "a.css",
        ".a {\n  b: c; /* why */\n}",
        ".a",
        insert_into("d: e", Position::Last),
        ".a {\n  b: c; /* why */\n  d: e;\n}",
    );
    edit(
        "a.css",
        ".a {\n  b: c /* why */\n}",
        ".a",
        insert_into("d: e", Position::Last),
        ".a {\n  b: c; /* why */\n  d: e;\n}",
    );
    edit(
        "a.scss",
        ".a {\n  b: c;\n\n  .d {\n    e: f;\n  }\n}",
        ".a",
        insert_into("x: y", Position::Last),
        ".a {\n  b: c;\n  x: y;\n\n  .d {\n    e: f;\n  }\n}",
    );
    edit(
        "a.scss",
        ".a {\n  .d {\n    e: f;\n  }\n}",
        ".a",
        insert_into("x: y", Position::Last),
        ".a {\n  x: y;\n\n  .d {\n    e: f;\n  }\n}",
    );
    edit(
        "a.scss",
        ".a {\n  b: c;\n}",
        ".a",
        insert_into("&:hover {\n  d: e;\n}", Position::Last),
        ".a {\n  b: c;\n\n  &:hover {\n    d: e;\n  }\n}",
    );
    edit(
        "a.css",
        ".a { b: c }",
        ".a",
        insert_into("&:hover {\n  d: e;\n}", Position::Last),
        ".a { b: c;\n  &:hover {\n    d: e;\n  }\n}",
    );
}

#[test]
fn inserts_with_the_line_endings_there() {
    edit(
        "a.css",
        ".a {\r\n  b: c\r\n}\r\n",
        ".a",
        insert_into("d: e", Position::Last),
        ".a {\r\n  b: c;\n  d: e;\r\n}\r\n",
    );
    edit("a.css", ".a {\r\n  b: c;\r\n  d: e;\r\n}\r\n", ".a@b", Operation::Delete, ".a {\r\n  d: e;\r\n}\r\n");
}

#[test]
fn edits_maps() {
    let text = "$m: (\n  a: 1,\n  c: 3\n);\n";
    edit("a.scss", text, "$m", insert_into("d: 4", Position::Last), &text.replace("3", "3,\n  d: 4"));
    edit("a.scss", text, "$m", insert_into("b: 2,", Position::Sorted), &text.replace("  c", "  b: 2,\n  c"));
    edit("a.scss", text, "$m@a", after("b: 2"), &text.replace("  c", "  b: 2,\n  c"));
    edit("a.scss", text, "$m@c", Operation::Delete, "$m: (\n  a: 1\n);\n");
    edit("a.scss", text, "$m@a", body("9"), &text.replace('1', "9"));
    edit("a.scss", "$m: ();", "$m", insert_into("d: 4", Position::Last), "$m: (\n  d: 4\n);");
}

#[test]
fn deletes() {
    edit("a.css", TWO, ".a", Operation::Delete, ".b { left: 0 }\n");
    edit("a.css", TWO, ".b", Operation::Delete, "/* a */\n.a {\n  color: red;\n  top: 0\n}\n");
    edit("a.css", TWO, ".a@color", Operation::Delete, &TWO.replace("  color: red;\n", ""));
    edit("a.css", TWO, ".a@top", Operation::Delete, &TWO.replace("  top: 0\n", ""));
    edit("a.css", TWO, ".b@left", Operation::Delete, &TWO.replace(" left: 0 ", ""));
    edit("a.css", ".a{b:c;d:e}", ".a@d", Operation::Delete, ".a{b:c}");
    edit("a.css", ".a{b:c;d:e}", ".a@b", Operation::Delete, ".a{d:e}");
    edit("a.css", ".a { b: c; d: e; f: g }", ".a@d", Operation::Delete, ".a { b: c; f: g }");
    edit(
        "a.scss",
        "@mixin m {\n  @if a {\n    b: c;\n  } @else {\n    d: e;\n  }\n}\n",
        "@mixin m >> @else",
        Operation::Delete,
        "@mixin m {\n  @if a {\n    b: c;\n  }\n}\n",
    );
    edit("a.less", ".a {\n  // x\n  .m();\n  b: c;\n}", ".a >> .m();", Operation::Delete, ".a {\n  b: c;\n}");
}

#[test]
fn wraps() {
    edit(
        "a.css",
        ".a {\n  b: c;\n}\n\n.d {}\n",
        ".a",
        wrap("@media print {", "}"),
        "@media print {\n  .a {\n    b: c;\n  }\n}\n\n.d {}\n",
    );
    edit("a.css", ".a {\n  b: c;\n}", ".a@b", wrap("@media print {", "}"), ".a {\n  @media print {\n    b: c;\n  }\n}");
    edit("a.css", ".a{b:c}.d{}", ".d", wrap("@media print{", "}"), ".a{b:c}@media print{.d{}}");
}

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
fn keeps_the_laws_of_css() {
    testing::laws_on_random::<Css>("a.css", PIECES, DOCUMENTS);
}

#[test]
fn keeps_the_laws_of_scss() {
    testing::laws_on_random::<Css>("a.scss", PIECES, DOCUMENTS);
}

#[test]
fn keeps_the_laws_of_less() {
    testing::laws_on_random::<Css>("a.less", PIECES, DOCUMENTS);
}

#[test]
fn dependencies_are_what_modules_bring_in() {
    let scss = open(
        "a.scss",
        "@use 'lib/_theme.scss';\n@use 'x' as y;\n@use 'sass:math';\n.a { @include theme.card(1); b: y.$c + math.div(1, 2); d: e.f }",
    );
    let used = |bench: &Bench<Css>| {
        let node = bench.nodes(Selector, ".a").expect("found").remove(0);
        let list = bench.document().dependencies(node.id);
        list.into_iter().map(|used| format!("{} {}", used.symbol, used.from)).collect::<Vec<_>>()
    };
    assert_eq!(used(&scss), ["card lib/_theme.scss", "$c x", "div sass:math"]);
    assert_eq!(used(&open("a.css", ".a { composes: b c from './d.css' }")), ["b ./d.css", "c ./d.css"]);
}

#[test]
fn calls_are_found_by_their_name() {
    let long = "aaaaaaaaaaaaaaaaaaaaaaaaa, ".repeat(6);
    let text = format!(".x {{ .m(1; 2); .n({long} ~`f('@{{c}}', 7) `; @d); }}\n@{{e}} {{ f: g }}\n");
    let less = open("a.less", &text);
    let addresses: Vec<String> = less.document().outline().into_iter().map(|node| node.address).collect();
    assert_eq!(addresses, [".x", ".x >> .m(1; 2);", ".x >> .n();", "@{e}", "@{e}@f"]);
    assert_eq!(less.read(Selector, ".x >> .m();").expect("found"), [".m(1; 2)"]);
    testing::laws::<Css>("a.less", &text);
}
