//! Tests of structural search.

use marquetry_sdk::{Context, LanguagePack, Search};

use crate::Css;

/// Checks the texts that a pattern finds in a file, each with the values of its metavariables.
#[track_caller]
fn check_in(path: &str, pattern: &str, text: &str, expected: &[&str]) {
    if let Err(failure) = Css::read_pattern(&Context::for_path(path), pattern) {
        panic!("`{pattern}`: {failure:?}");
    }
    let document = Css::open(path, text.to_owned(), "");
    let found = Css::matches(&document, pattern, 100).expect("within the step limit");
    let of = |span: marquetry_sdk::Span| span.slice(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = found.matches.iter().map(|found| {
        let captures = found.captures.iter().map(|capture| format!(" {}={}", capture.name, of(capture.span)));
        let unsaid = found.unmatched.iter().map(|part| format!(" -{}", of(*part)));
        format!("{}{}{}", of(found.span), captures.collect::<String>(), unsaid.collect::<String>())
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected, "`{pattern}` in `{text}`");
}

#[track_caller]
fn check(pattern: &str, text: &str, expected: &[&str]) {
    check_in("a.css", pattern, text, expected);
}

#[track_caller]
fn scss(pattern: &str, text: &str, expected: &[&str]) {
    check_in("a.scss", pattern, text, expected);
}

#[track_caller]
fn less(pattern: &str, text: &str, expected: &[&str]) {
    check_in("a.less", pattern, text, expected);
}

#[track_caller]
fn wrong(path: &str, pattern: &str, expected: &str) {
    let failure = Css::read_pattern(&Context::for_path(path), pattern).expect_err("invalid pattern");
    assert!(failure.message.contains(expected), "{}", failure.message);
}

#[test]
fn patterns_match_declarations() {
    let text = ".a { color: red; Color: blue; margin: 0 1px; border-color: red } b { color: rgb(1, 2, 3) !important }";
    check("color: $V", text, &["color: red V=red", "color: rgb(1, 2, 3) !important V=rgb(1, 2, 3) -!important"]);
    check("color: red", text, &["color: red"]);
    check("color: $V !important", text, &["color: rgb(1, 2, 3) !important V=rgb(1, 2, 3)"]);
    check("$P: red", text, &["color: red P=color", "border-color: red P=border-color"]);
    check("$P-color: $V", text, &["border-color: red P=border V=red"]);
    check("margin: $A $B", text, &["margin: 0 1px A=0 B=1px"]);
    check("margin: $A $B $C", text, &[]);
    check("margin: 0 $$$REST", ".a{margin:0;margin:0 1px 2px}", &["margin:0 REST=", "margin:0 1px 2px REST=1px 2px"]);
    check("color: red;", ".a { color: red; color: red }", &["color: red;", "color: red"]);
    check("--$NAME: $V", ":root { --gap: 4px; gap: 1px }", &["--gap: 4px NAME=gap V=4px"]);
}

#[test]
fn patterns_match_values() {
    let text =
        "a { color: rgba(0, 0, 0, .5); background: url(img/a.png) no-repeat, url('b.png'); margin: calc(1px + 2em) }";
    check("rgba($R, $G, $B, $A)", text, &["rgba(0, 0, 0, .5) R=0 G=0 B=0 A=.5"]);
    check("rgba($$$RGB, $A)", text, &["rgba(0, 0, 0, .5) RGB=0, 0, 0 A=.5"]);
    check("url($U)", text, &["url(img/a.png) U=img/a.png", "url('b.png') U='b.png'"]);
    check("url(\"$U\")", text, &["url(img/a.png) U=img/a.png", "url('b.png') U=b.png"]);
    check("url(\"img/$NAME.png\")", text, &["url(img/a.png) NAME=a"]);
    check("$F(1px + $B)", text, &["calc(1px + 2em) F=calc B=2em"]);
    check(
        "background: $A, $B",
        text,
        &["background: url(img/a.png) no-repeat, url('b.png') A=url(img/a.png) no-repeat B=url('b.png')"],
    );
    check("var(--$N, $FALLBACK)", "a { top: var(--x); left: var(--y, 1px) }", &["var(--y, 1px) N=y FALLBACK=1px"]);
    check("font: $SIZE/$LINE $$$FAMILY", "a { font: 12px/1.5 'A B', serif }", &[]);
    check(
        "font: $SIZE/$LINE $F, $$$R",
        "a { font: 12px/1.5 'A B', serif }",
        &["font: 12px/1.5 'A B', serif SIZE=12px LINE=1.5 F='A B' R=serif"],
    );
    check("#fff", "#fff { color: #fff } a { color: #FFF }", &["#fff"]);
}

#[test]
fn patterns_match_rules() {
    let text = ".btn-primary { color: red; top: 0 }\n.btn-primary:hover, a > b { color: blue }\n.empty {}";
    check(
        ".btn-$KIND { $$$BODY }",
        text,
        &[".btn-primary { color: red; top: 0 } KIND=primary BODY=color: red; top: 0"],
    );
    check("$S { color: $C }", text, &[".btn-primary:hover, a > b { color: blue } S=.btn-primary:hover, a > b C=blue"]);
    check(
        "$S { color: $C; $$$R }",
        text,
        &[
            ".btn-primary { color: red; top: 0 } S=.btn-primary C=red R=top: 0",
            ".btn-primary:hover, a > b { color: blue } S=.btn-primary:hover, a > b C=blue R=",
        ],
    );
    check("$S { $$$ top: $T; $$$ }", text, &[".btn-primary { color: red; top: 0 } S=.btn-primary T=0"]);
    check("$S {}", text, &[".empty {} S=.empty"]);
    check("$A, $B { $$$ }", text, &[".btn-primary:hover, a > b { color: blue } A=.btn-primary:hover B=a > b"]);
    check("a>$X { $$$ }", "a > b { top: 0 } a > b, c { top: 0 }", &["a > b { top: 0 } X=b"]);
    check("[href=$V] { $$$ }", "[href=\"x\"] { top: 0 }", &["[href=\"x\"] { top: 0 } V=\"x\""]);
    check("[href=x] { $$$ }", "[ href = 'x' ] { top: 0 }", &["[ href = 'x' ] { top: 0 }"]);
    check(":not($X) { $$$ }", ":not(.a) { top: 0 }", &[":not(.a) { top: 0 } X=.a"]);
}

#[test]
fn patterns_match_at_rules() {
    let text = "@import 'a.css' screen;\n@media (min-width: 600px) { a { top: 0 } }\n@keyframes spin { from { top: 0 } 50% { top: 1px } }";
    check(
        "@media $Q { $$$B }",
        text,
        &["@media (min-width: 600px) { a { top: 0 } } Q=(min-width: 600px) B=a { top: 0 }"],
    );
    check("@media ($F: $W) { $$$ }", text, &["@media (min-width: 600px) { a { top: 0 } } F=min-width W=600px"]);
    check("@import \"$P\" $$$;", text, &["@import 'a.css' screen; P=a.css"]);
    check(
        "@$NAME $Q { $$$ }",
        text,
        &[
            "@media (min-width: 600px) { a { top: 0 } } NAME=media Q=(min-width: 600px)",
            "@keyframes spin { from { top: 0 } 50% { top: 1px } } NAME=keyframes Q=spin",
        ],
    );
    check("from { $$$ }", text, &["from { top: 0 }"]);
}

#[test]
fn patterns_match_consecutive_statements() {
    let text = "a { top: 0; /* why */ left: 0; right: 0 }";
    check("top: $T; left: $L", text, &["top: 0; /* why */ left: 0 T=0 L=0 -/* why */"]);
    check("top: $T; right: $R", text, &[]);
    check("top: $X; $$$; right: $X", text, &["top: 0; /* why */ left: 0; right: 0 X=0"]);
    check("top: $X; left: $X;", text, &["top: 0; /* why */ left: 0; X=0 -/* why */"]);
}

#[test]
fn repeated_metavariable_must_match_same_text() {
    check(
        "margin: $A $B $A $B",
        "a { margin: 1px 2px 1px 2px; margin: 1px 2px 3px 2px }",
        &["margin: 1px 2px 1px 2px A=1px B=2px"],
    );
    check(".$A > .$A { $$$ }", ".a > .a { top: 0 } .a > .b { top: 0 }", &[".a > .a { top: 0 } A=a"]);
}

#[test]
fn matching_ignores_comments_and_white_space() {
    check("f($A, $B)", "a { top: f( 1 , /* two */ 2 ) }", &["f( 1 , /* two */ 2 ) A=1 B=2 -/* two */"]);
    check(
        "a { $$$B }",
        "a { /* first */ top: 0; /* last */ }",
        &["a { /* first */ top: 0; /* last */ } B=/* first */ top: 0; /* last */"],
    );
    check("color: red", "a{color:/* x */red}", &["color:/* x */red -/* x */"]);
    check("color: red", "/* color: red */ a { content: 'color: red' }", &[]);
}

#[test]
fn patterns_match_scss_statements() {
    let text =
        "$gap: 4px !default;\n.card { @include flex($gap, 2); &:hover { top: math.div($gap, 2) } .title { left: 0 } }";
    scss("$gap: $V", text, &["$gap: 4px !default V=4px -!default"]);
    scss("$$NAME: $V !default", text, &["$gap: 4px !default NAME=gap V=4px"]);
    scss("@include $M($$$A);", text, &["@include flex($gap, 2); M=flex A=$gap, 2"]);
    scss("math.div($A, $B)", text, &["math.div($gap, 2) A=$gap B=2"]);
    scss("&:hover { $$$B }", text, &["&:hover { top: math.div($gap, 2) } B=top: math.div($gap, 2)"]);
    scss(
        ".card { $$$A .title { $$$B } }",
        text,
        &[".card { @include flex($gap, 2); &:hover { top: math.div($gap, 2) } .title { left: 0 } } \
         A=@include flex($gap, 2); &:hover { top: math.div($gap, 2) } B=left: 0"],
    );
    scss("font: { family: $F; }", "a { font: { family: x; } }", &["font: { family: x; } F=x"]);
    scss("@use '$M' as $N", "@use 'sass:math' as m;", &["@use 'sass:math' as m M=sass:math N=m"]);
    scss("map.get($M, $K)", "a { top: map.get($sizes, 'md') }", &["map.get($sizes, 'md') M=$sizes K='md'"]);
}

#[test]
fn patterns_match_less_statements() {
    let text = "@gap: 4px;\n.m(@a; @b: 1) { top: @a }\n.c { .m(1; 2); .plain; color: darken(@gap, 10%); @media (a) { top: 0 } }";
    less("@gap: $V", text, &["@gap: 4px V=4px"]);
    less(".m($$$A);", text, &[".m(1; 2); A=1; 2"]);
    less(".m($$$A) { $$$B }", text, &[".m(@a; @b: 1) { top: @a } A=@a; @b: 1 B=top: @a"]);
    less("darken($C, $P)", text, &["darken(@gap, 10%) C=@gap P=10%"]);
    less(".plain", text, &[".plain"]);
}

#[test]
fn invalid_patterns_are_refused() {
    wrong("a.css", "", "empty");
    wrong("a.css", "$A", "only metavariables");
    wrong("a.css", "$A: $B", "only metavariables");
    wrong("a.css", "a {", "not closed");
    wrong("a.css", "if ($A) { throw $E }", "cannot be read");
    for path in ["a.css", "a.scss", "a.less"] {
        wrong(path, "$NAME($$$): $TYPE { $$$ }", "is not a selector");
        wrong(path, "const $A = $B", "cannot be read");
        wrong(path, "case $V: $$$B", "is not a property name");
        wrong(path, "<$TAG $$$PROPS />", "cannot be read");
    }
}

#[test]
fn pattern_words_occur_in_every_match() {
    let words = |pattern: &str| Css::read_pattern(&Context::for_path("a.css"), pattern).expect("a pattern").words;
    assert_eq!(words(".btn-$KIND { color: $C }"), ["color", "btn"]);
    assert_eq!(words("rgba($R, $$$)"), ["rgba"]);
    assert_eq!(words("url(\"img/$A-icon.png\")"), ["icon", "img", "png", "url"]);
}

/// Uses the text of each statement as a pattern, which must find the statement.
#[test]
fn statement_is_found_by_its_own_text() {
    let text = include_str!("sample.txt");
    for path in ["a.css", "a.scss", "a.less"] {
        let document = Css::open(path, text.to_owned(), "");
        let mut looked = 0;
        for item in &document.tree.items {
            let own = item.span().slice(text);
            if Css::read_pattern(&Context::for_path(path), own).is_err() {
                continue;
            }
            looked += 1;
            let found = Css::matches(&document, own, 1000).expect("within the step limit").matches;
            assert!(found.iter().any(|found| found.span == item.span()), "{path}: `{own}` is not found: {found:?}");
        }
        assert!(looked > 20, "{path}: {looked} patterns");
    }
}
