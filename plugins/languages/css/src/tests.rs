//! Tests of outlines, targets and views. Other topics are in submodules.

mod edits;
mod flags;
mod keeping;
mod laws;
mod line_comments;
mod lists;
mod problems;
mod refactors;
mod symbols;

use marquetry_sdk::{
    Document, Form,
    TargetKind::Selector,
    testing::{self, TestDocument},
};

use crate::Css;

fn open(path: &str, text: &str) -> TestDocument<Css> {
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
fn outline_of_css_has_an_address_for_every_item() {
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
fn outline_of_scss() {
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
fn outline_of_less() {
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
fn selectors_match_regardless_of_formatting() {
    let css =
        open("a.css", "A>B,[x=y]{a:b}@media (min-width:1px){ .c:hover /* x */ .d {} }\n.c{ &:hover .d {} .e & {} }");
    let find = |target: &str| css.read(Selector, target).unwrap_or_default();
    assert_eq!(find("a > b"), ["A>B,[x=y]{a:b}"]);
    assert_eq!(find("[ X = 'y' ]"), ["A>B,[x=y]{a:b}"]);
    assert_eq!(find("@media  ( min-width: 1px )").len(), 1);
    assert_eq!(find(".c:hover .d").len(), 2, "nested rules are found by their resolved selector");
    assert_eq!(find(".e .c"), [".e & {}"]);
    assert_eq!(find(".c >> &:hover .d"), ["&:hover .d {}"]);
    assert_eq!(find("a>b@a"), ["a:b"]);
    assert_eq!(find(".c:hover .d[2]"), ["&:hover .d {}"]);
}

#[test]
fn address_of_long_list_is_first_selector_and_ellipsis() {
    let list = |from: u32| (from..from + 40).map(|n| format!(".item-{n}")).collect::<Vec<_>>().join(",\n");
    let media = format!("@media {}", "screen, ".repeat(30));
    let text = format!("{} {{}}\n.item-0 {{}}\n{media} print {{}}\n@media a {{}}\n", list(0));
    let addresses: Vec<String> =
        open("a.css", &text).document().outline().into_iter().map(|node| node.address).collect();
    assert_eq!(addresses, [".item-0, …", ".item-0[2]", "@media[1]", "@media a"]);
    testing::check_laws::<Css>("a.css", &text);
}

#[test]
fn missing_target_suggests_similar_items() {
    let css = open("a.css", ".button { padding: 0 }\n@media print { .button { } }\n");
    let failure = css.nodes(Selector, ".buton").expect_err("no match");
    assert_eq!(failure.candidates[0], ".button[1]", "{failure:?}");
    let lists = open("a.css", ".card > .title, .button-primary {}\n");
    let failure = lists.nodes(Selector, ".button-primari").expect_err("no match");
    assert_eq!(failure.candidates, [".card > .title, .button-primary"]);
    let failure = css.nodes(Selector, ".button@paddin").expect_err("no match");
    assert_eq!(failure.candidates[0], ".button[1]@padding", "{failure:?}");
}

#[test]
fn comments_directly_above_are_documentation() {
    let text =
        "/* far */\n\n/* near */\n/* nearer */\n.a { b: c; /* behind */\n  /* of d */\n  d: e }\n/*! license */\n.f {}";
    let css = open("a.css", text);
    let doc = |target: &str| {
        let node = css.nodes(Selector, target).expect("found").remove(0);
        node.doc.map(|doc| doc.slice(text).to_owned())
    };
    assert_eq!(doc(".a").as_deref(), Some("/* near */\n/* nearer */"));
    assert_eq!(doc(".a@d").as_deref(), Some("/* of d */"));
    assert_eq!(doc(".a@b"), None);
    assert_eq!(doc(".f"), None);
}

#[test]
fn views_show_signature_summary_and_body() {
    let css = open("a.scss", ".a {\n  b: c;\n  &:hover { d: e; f: g }\n  @media print { h: i }\n}\n");
    let node = css.nodes(Selector, ".a").expect("found").remove(0);
    let show = |form| css.show(&node, form).expect("shown");
    assert_eq!(show(Form::Signature), ".a");
    assert_eq!(show(Form::Summary), ".a  1 declaration\n  &:hover  2 declarations\n  @media print  1 declaration\n");
    assert!(show(Form::Body).contains("d: e"));
}

#[test]
fn dependencies_list_used_module_members() {
    let scss = open(
        "a.scss",
        "@use 'lib/_theme.scss';\n@use 'x' as y;\n@use 'sass:math';\n.a { @include theme.card(1); b: y.$c + math.div(1, 2); d: e.f }",
    );
    let used = |bench: &TestDocument<Css>| {
        let node = bench.nodes(Selector, ".a").expect("found").remove(0);
        let list = bench.document().dependencies(node.id);
        list.into_iter().map(|used| format!("{} {}", used.symbol, used.from)).collect::<Vec<_>>()
    };
    assert_eq!(used(&scss), ["card lib/_theme.scss", "$c x", "div sass:math"]);
    assert_eq!(used(&open("a.css", ".a { composes: b c from './d.css' }")), ["b ./d.css", "c ./d.css"]);
}

#[test]
fn less_calls_are_found_by_name() {
    let long = "aaaaaaaaaaaaaaaaaaaaaaaaa, ".repeat(6);
    let text = format!(".x {{ .m(1; 2); .n({long} ~`f('@{{c}}', 7) `; @d); }}\n@{{e}} {{ f: g }}\n");
    let less = open("a.less", &text);
    let addresses: Vec<String> = less.document().outline().into_iter().map(|node| node.address).collect();
    assert_eq!(addresses, [".x", ".x >> .m(1; 2);", ".x >> .n();", "@{e}", "@{e}@f"]);
    assert_eq!(less.read(Selector, ".x >> .m();").expect("found"), [".m(1; 2)"]);
    testing::check_laws::<Css>("a.less", &text);
}

#[test]
fn unclosed_block_contains_its_last_comment() {
    for text in
        ["@{\n@media/* ", ".a {\n  b: c; // d ", ".a {\n  b: c; /* d", ".a { .b {\n  c: 'd ", ".a { b: c; /* d */ \n"]
    {
        testing::check_laws::<Css>("a.scss", text);
        let rule = &open("a.scss", text).document().outline()[0];
        assert_eq!(rule.span.slice(text), text.trim_end_matches(" \n"));
    }
}
