//! Tests of diagnostics and their positions, and of texts without diagnostics.

use super::open;

#[track_caller]
fn wrong(path: &str, text: &str, place: &str) {
    let problems = open(path, text).diagnostics();
    assert!(problems.first().is_some_and(|problem| problem.starts_with(place)), "{text}: {problems:?}");
}

#[test]
fn invalid_less_is_reported() {
    wrong("a.less", ":extend(.a) { b: c }", "1:1");
    wrong("a.less", ".a:extend(.b).c { d: e }", "1:15");
    wrong("a.less", ".a, .b when (@c) { d: e }", "1:3");
    wrong("a.less", ".m(@a) when @a { d: e }", "1:13");
    wrong("a.less", ".x { .m(@a: 1, @b: 2; @c: 3); }", "1:14");
    wrong("a.less", "@import bad \"a\";", "1:9");
    wrong("a.less", "@import \"a\"", "1:1");
    wrong("a.less", ".a { b: (1 + (2 3)) }", "1:17");
    wrong("a.less", ".a { b: (4 + 5 -6) }", "1:16");
    wrong("a.less", ".a { b: calc(1 %) }", "1:16");
    wrong("a.less", "@media (a)", "1:1");
    wrong("a.less", ".a { b: #ababa; }", "1:9");
    wrong("a.less", ".a { darken(#fff, 5%); }", "1:6");
    wrong("a.less", ".a { #fff; }", "1:6");
    wrong("a.less", "@base: 1;\n.a { @base; }", "2:6");
    wrong("a.less", "@base: 1;\n.a { @base + 1; }", "2:6");
    wrong("a.less", ".a { .m()[@r]; }", "1:6");
    assert_eq!(
        open("a.less", "#fff() { a: b }\n.a { #fff; #ns; .m; each(@l, {}); my-plugin(1); @unknown b; }").diagnostics(),
        Vec::<String>::new()
    );
    let right = ".a:extend(.b all):extend(.c), .d:extend(.e) {}\n.m(@a; @b: 1, 2) when (default()), not (@a) {}\n\
        .x { .m(1, 2; 3); a: (1 + (2 - -3) * 4/2) (-5); b: %(\"%d\", 1) 50% (@c)% unit(1, %); @import (css) url(x); }\n";
    assert_eq!(open("a.less", right).diagnostics(), Vec::<String>::new());
}

#[test]
fn invalid_css_is_reported() {
    wrong("a.css", ".a { b: c", "1:4");
    wrong("a.css", ".a { b: c }}", "1:12");
    wrong("a.css", ".a { b: (c }", "1:9");
    wrong("a.css", ".a { b: 'c }", "1:4");
    wrong("a.css", "/* a", "1:1");
    wrong("a.css", ".a { b }", "1:6");
    wrong("a.css", ".a { b: }", "1:7");
    wrong("a.css", ".a { b: c\n  d: e }", "2:4");
    wrong("a.css", ".a >> .b {}", "1:6");
    wrong("a.css", ".a,, .b {}", "1:4");
    wrong("a.css", "{ a: b }", "1:1");
    wrong("a.css", "@import a;", "1:9");
    wrong("a.css", "@media print;", "1:1");
    wrong("a.css", ".a", "1:1");
    let right = ".a { *zoom: 1; filter: progid:X.Y(a='b'); b: c !important; & > d, .e & { f: g } }\n\
        @media screen and (a: b) { @page :first { margin: 0 } }\n.f:not(.g):nth-child(2n + 1 of .h)::before {}\n<!-- -->";
    assert_eq!(open("a.css", right).diagnostics(), Vec::<String>::new());
    assert_eq!(open("a.css", ".a||b, c||.d || |e:is(f|g||*) {}").diagnostics(), Vec::<String>::new());
    wrong("a.css", ".a|| {}", "1:5");
    assert_eq!(open("a.pcss", "%x { @nest a { b: $c } }").diagnostics(), Vec::<String>::new());
}

#[test]
fn invalid_scss_is_reported() {
    wrong("a.scss", ".a { b: 1 + ; }", "1:12");
    wrong("a.scss", ".a { b: f($x,, $y) }", "1:14");
    wrong("a.scss", "$a: (b: 1, c);", "1:13");
    wrong("a.scss", "@mixin a($b..., $c) {}", "1:17");
    wrong("a.scss", "@if { a: b }", "1:4");
    wrong("a.scss", "@else { a: b }", "1:1");
    wrong("a.scss", "@include a(", "1:11");
    wrong("a.scss", "@function f() { a: b }", "1:17");
    wrong("a.scss", ".a { @return 1; }", "1:6");
    wrong("a.scss", "a: b;", "1:1");
    wrong("a.scss", ".a {} @use 'b';", "1:7");
    wrong("a.scss", "@media a and(b) {}", "1:13");
    wrong("a.scss", "@supports (a: b) or (c: d) and (e: f) {}", "1:28");
    wrong("a.scss", "@for $i from 1 {}", "1:15");
    wrong("a.scss", "a { b: exp(1px / 4em) }", "1:8");
    wrong("a.scss", "a { b: pow(2, 10%) }", "1:8");
    wrong("a.scss", "@use 'sass:math' as m;\na { b: m.sin(1px) }", "2:10");
    wrong("a.scss", "a { b: mod(1px, 1s) }", "1:8");
    wrong("a.scss", "@use 'sass:color';\na { b: color.scale(red, 1) }", "2:14");
    wrong("a.scss", "/* #{a */\nb { c: d }", "1:4");
    let right = "@use 'sass:color';\n/* #{'}'} */\na { b: exp(1px/1in) pow(2, 3) sin(1deg) mod(1px, 1em) exp(var(--x)) /* #{x */ color.scale(red, $alpha: 1) }";
    assert_eq!(open("a.scss", right).diagnostics(), Vec::<String>::new());
    for (path, text) in
        [("_a.scss", ""), ("a.scss", "@import 'b';\n"), ("a.scss", "@function exp($x) { @return $x }\n")]
    {
        assert_eq!(
            open(path, &format!("{text}a {{ b: exp(1px) }}")).diagnostics(),
            Vec::<String>::new(),
            "{path} {text}"
        );
    }
    let right = "@use 'a' as b with ($c: 1);\n@mixin m($d: 1, $e...) { @content($d); }\n@function f($g) { @if $g == 1 { @return -$g; } @else if not $g { @return b.$h } }\n\
        .a { @include m($d: 2) using ($i) { j: k } l: #{m}n-#{o} calc(1px + #{$p}) if($q, 1, 2) (a: 1, b: 2) [c d]; font: { size: 1px } &-x#{$y} & { z: - $a } }\n\
        @each $k, $v in (a: b) { .#{$k} { w: $v !important } }\n@media #{$a} and (b: c), not d { .e { f: g } }\n";
    assert_eq!(open("a.scss", right).diagnostics(), Vec::<String>::new());
}

#[test]
fn parse_errors_take_precedence_over_checks() {
    for text in ["[a", "[6 'b", "a[b='c' d", "@media ("] {
        for path in ["a.css", "a.scss", "a.less"] {
            let (settings, text) = ("{}", text.to_owned());
            let document = <crate::Css as marquetry_sdk::LanguagePack>::open(path, text.clone(), settings);
            let problems = marquetry_sdk::Document::diagnostics(&document);
            for error in marquetry_sdk::Document::parse_errors(&document) {
                assert!(problems.contains(&error), "{path} {text}: {} is not among {problems:?}", error.message);
            }
        }
    }
}
