//! Checks with generated documents that an edit changes nothing but its target.

use marquetry_sdk::{
    Document, Operation, TargetKind,
    testing::{self, List},
};

use crate::Css;

const DECLARATIONS: List = List {
    path: "a.css",
    open: "/* x1 */\n\n.x2 { top: x3; } /* x4 */\n\n/* x5 */\n.a {\n",
    close: "} /* x6 */\n/* x7 */\n.x8 { top: x9; }\n",
    item: "--k§: v§;",
    content: None,
    value: None,
    separator: "",
    indent: "  ",
    comment: "/* c§ */",
    trailing: true,
    leading: true,
    kind: TargetKind::Selector,
    address: ".a@--k§",
    container: Some(".a"),
    empty: Some("/* x1 */\n\n.x2 { top: x3; } /* x4 */\n\n/* x5 */\n.a {}\n/* x6 */\n/* x7 */\n.x8 { top: x9; }\n"),
};

const RULES: List = List {
    open: "@charset 'x1'; /* x2 */\n\n",
    close: "\n/* x3 */\n",
    item: ".k§ { top: v§; }",
    indent: "",
    address: ".k§",
    container: None,
    empty: None,
    ..DECLARATIONS
};

#[track_caller]
fn keeps(list: &List) {
    let count = testing::check_list_laws::<Css>(list);
    println!("{}: {count:?}", list.item);
    assert!(count.documents >= 100 && count.edits >= 1_000, "{count:?}");
    assert_eq!(count.refused, 0);
}

#[test]
fn editing_declarations_keeps_neighbours() {
    for path in ["a.css", "a.scss", "a.less"] {
        keeps(&List { path, ..DECLARATIONS });
    }
    keeps(&List { path: "a.scss", comment: "// c§", ..DECLARATIONS });
    keeps(&List { path: "a.less", comment: "// c§", ..DECLARATIONS });
}

#[test]
fn editing_important_declarations_keeps_neighbours() {
    keeps(&List { item: "k§: v§ !important;", address: ".a@k§", ..DECLARATIONS });
}

#[test]
fn editing_rules_keeps_neighbours() {
    for path in ["a.css", "a.scss", "a.less"] {
        keeps(&List { path, ..RULES });
        keeps(&List { path, item: ".k§ {\n  top: v§;\n}", ..RULES });
        keeps(&List {
            path,
            item: "@media (min-width: §px) {\n  .k§ { top: v§; }\n}",
            address: "@media (min-width: §px)",
            trailing: false,
            ..RULES
        });
    }
}

#[test]
fn editing_rules_in_at_rule_keeps_neighbours() {
    let group = List {
        open: "/* x1 */\n@media print { /* x2 */\n",
        close: "} /* x3 */\n.x4 {}\n",
        indent: "  ",
        container: Some("@media print"),
        address: "@media print >> .k§",
        empty: Some("/* x1 */\n@media print { /* x2 */\n} /* x3 */\n.x4 {}\n"),
        ..RULES
    };
    for path in ["a.css", "a.scss", "a.less"] {
        keeps(&List { path, ..group });
    }
    let nested =
        List { open: "/* x1 */\n.a { /* x2 */\n", container: Some(".a"), address: ".a >> .k§", empty: None, ..group };
    keeps(&nested);
}

#[test]
fn editing_variables_and_map_entries_keeps_neighbours() {
    keeps(&List { path: "a.scss", item: "$k§: v§;", address: "$k§", comment: "// c§", ..RULES });
    keeps(&List { path: "a.scss", item: "$k§: v§ !default;", address: "$k§", comment: "// c§", ..RULES });
    keeps(&List { path: "a.less", item: "@k§: v§;", address: "@k§", comment: "// c§", ..RULES });
    let map = List {
        path: "a.scss",
        open: "$x1: 0; // x2\n$map: ( // x3\n",
        close: ") !default; // x4\n$x5: 1;\n",
        item: "k§: v§",
        separator: ",",
        indent: "  ",
        comment: "// c§",
        address: "$map@k§",
        container: Some("$map"),
        ..RULES
    };
    let count = testing::check_list_laws::<Css>(&map);
    // The body of a variable includes the brackets of the map, so it cannot be replaced by entries without brackets.
    assert!(count.refused <= count.documents, "{count:?}");
}

/// Lines from which random documents are generated.
const LINES: &[&str] = &[
    ".a {\n",
    "}\n",
    "top: 1px;\n",
    "$b: 2;\n",
    "@media print {\n",
    "$m: (c: 1, d: 2);\n",
    "// c\n",
    "/* c */\n",
    "\n",
    ".e, .f { left: 0 }\n",
    "@use 'g';\n",
];

#[test]
fn edits_stay_close_to_their_targets() {
    let texts = testing::random_lines(LINES, 10, 400);
    let count = testing::check_reach_laws::<Css>("a.scss", texts, &["top: 2px;", ".n { top: 0 }", "// note", "k: v"]);
    println!("{count:?}");
    assert!(count.documents >= 20 && count.edits >= 1_000, "{count:?}");
}

/// Unusual syntax that the specifications of CSS, SCSS and LESS allow, or after which browsers can continue.
const UNUSUAL: &[(&str, &str)] = &[
    (
        "a.css",
        "@charset \"utf-8\";@import url(\"a.css\") layer(base) supports(display: grid) screen and (min-width: 1px);@import \"b.css\" layer;@namespace svg url(http://x);@layer a, b.c;@layer base { html { color: red } }",
    ),
    ("a.css", "/**/a/**/b/**/,/**/c/**/{/**/color/**/:/**/red/**/;/**/}/**/"),
    ("a.css", ".a\\:b, #\\31 23, .\\+x { color: red }\n@\\6d edia print { .z { top: 0 } }\n.\\66 oo { c: d }"),
    (
        "a.css",
        "a { --x: { a: b; c: d }; --y:; --z: ; --w: \"}\" ; --e:{}; *zoom: 1; _height: 1px; color: red !ie; width: 1px\\9; filter: progid:DXImageTransform.Microsoft.gradient(startColorstr='#1', endColorstr='#2'); }",
    ),
    ("a.css", "<!-- a { b: c } -->\n<!--\n.x { y: z }\n-->"),
    (
        "a.css",
        "@font-face { font-family: \"A\"; src: url(a.woff2) format(\"woff2\"), url(b.woff); unicode-range: U+0025-00FF, u+4?? , U+4??; }",
    ),
    (
        "a.css",
        ".card { color: red; & .title { color: blue } &:hover { color: green } .dark & { color: white } > p { margin: 0 } + & { top: 1px } @media (width > 400px) { color: pink; & a { b: c } } @supports (a: b) { c: d } }",
    ),
    (
        "a.css",
        "@container sidebar (min-width: 400px) and style(--x: y) { .a { b: c } }\n@scope (.card) to (.content) { :scope { a: b } img { c: d } }\n@property --p { syntax: \"<length>\"; inherits: false; initial-value: 0px; }\n@starting-style { .a { opacity: 0 } }\n@position-try --b { top: 0 }\n@view-transition { navigation: auto; }\n@counter-style c { system: cyclic; symbols: \"a\" }\n@page :first { margin: 1in; @top-left { content: \"x\" } }\n@font-feature-values Font One { @styleset { nice-style: 12; } }\n@color-profile --x { src: url(a) }",
    ),
    ("a.css", "a{b:c"),
    ("a.css", "a{b:url( x y );c:d}\n.b{e:url(a\\)b);f:url( \"q\" )}"),
    ("a.css", "@media print{a{b:c}}@media screen{;}a{;;b:c;;}"),
    ("a.css", ".a:is(.b, .c):not(:where(#d)) ~ e::before, [data-x=\"a,b\"], [a=b i], ns|a, *|*, |x { c: d }"),
    ("a.css", "@keyframes k { from { a: b } 50.5% { c: d } to, 100% { e: f } }"),
    (
        "a.css",
        "a { background: url(data:image/png;base64,iVBOR/+=) no-repeat; content: \"a\\\nb\"; grid-template-areas: \"a b\" \"c d\"; }",
    ),
    ("a.css", "@import url(foo.css);@import\n\"bar.css\"\n;a{b:c}"),
    ("a.css", ".a{color:red}/* x */.b{color:blue}/* y */"),
    ("a.css", "@layer a{@layer b{.c{d:e}}}\n@layer a.b{.f{g:h}}"),
    (
        "a.css",
        "@function --double(--x) { result: calc(var(--x) * 2); }\n.a { width: --double(2px); b: if(style(--x: 1): red; else: blue); }",
    ),
    ("a.css", "a { color: red; }}\nb { c: d }"),
    ("a.css", ".a { b: c; d }\n.e { f: g; : h; i: j }"),
    (
        "a.css",
        "@media (min-width:1px) and (max-width:2px),print and (orientation:landscape){.a{b:c}}\n@supports not ((a: b) or (c: d)) {.x{y:z}}",
    ),
    (
        "a.css",
        "a::part(foo bar)::slotted(span) {b:c}\n:host(.x) .y, :host-context(z) {b:c}\n::view-transition-old(root){b:c}\n:nth-child(2n+1 of .a){b:c}\n:lang(de, fr){b:c}\n:has(> img){b:c}",
    ),
    ("a.css", "\u{feff}@charset \"utf-8\";\na{b:c}"),
    ("a.css", "a{b:c!important;d:e ! important;f:g!IMPORTANT}"),
    ("a.css", ".a{--json: [1,2,{\"a\":1}];--str:'a;b';--fn:f(a;b);b:c}"),
    (
        "a.scss",
        "$map: (key: (a: 1, \"b c\": 2), 3px: 4, (1 2): x,);\n%place { a: b }\n.a { @extend %place; @extend .b, .c !optional; #{$p}-#{$q}: 1px; &-x { c: d } &#{$s} { e: f } + .y { g: h } }\n@mixin m($a: 1, $b...) { @content($a); }\n@include m($x: (a: b)) using ($z) { c: $z }\n@function f($a) { @return $a * 2; }\n@if $a == 1 { b { c: d } } @else if not $b { e { f: g } } @else { h { i: j } }\n@each $k, $v in $map { .#{$k} { w: $v } }\n@for $i from 1 through 3 { .i-#{$i} { w: $i } }\n@while $i > 0 { .w { x: y } }\n@use \"a\" as b with ($c: 1, $d: 2);\n@forward \"x\" hide y, $z;\n@debug \"x\"; @warn \"y\"; @error \"z\";\n@at-root .r { s: t }\n",
    ),
    (
        "a.scss",
        ".a { font: { family: x; size: 1px; } font: bold { weight: 1 } &:hover > & { b: c } @media #{$q} and (min-width: #{$w}) { d: e } }\n$a: 1 !default !global;\n@#{$name} foo { b: c }\n.b { width: calc(#{$a} + 1px); prop: map.get($m, \"k\"); &__el { &--mod { c: d } } }\n@include foo;\n@include bar { a: b }\n@include ns.baz($a...) ;",
    ),
    (
        "a.scss",
        "// a { b: c }\n.a { // d\n  e: f; // g; h: i }\n}\n/* // */ .b { c: d }\n.c { d: \"//\"; e: url(//x.y/z); }",
    ),
    (
        "a.less",
        "@a: 1px; @@b: 2; @plugin \"x\"; @import (reference, optional) \"foo\";\n.m(@x; @y: 2) when (@x > 1) and (default()) { w: @x }\n.m() !important;\n#ns { .n() { c: d } }\n.a { .m(1; 2); #ns > .n(); #ns.n(); &:extend(.b all, .c); @r: { d: e }; @r(); w: ~\"calc(1px + @{a})\"; f: e(\"x\"); .mixin() !important; @media (min-width: 1px) { g: h } @{prop}-x: y; color: fade(@c, 50%); }\n@detached: { background: red; };\n.call { @detached(); }\n.@{name} { x: y }\n.guard when (@mode = huge) { width: 100% }\n.b { .c; }\n@rules: { .z { y: x } }\n@media @phone { .q { r: s } }\n.lazy-eval { width: @var; @var: @a; @a: 9%; }\n.e(@rules) { @rules(); }\n.f { .mixin(#fff; { a: b }); }\n",
    ),
    (
        "a.less",
        ".a { width: ~`js`; @import \"x\"; }\n.b:extend(.a all) {}\n.m(@a, ...) {}\n.m(@rest...) { x: @arguments }\n@var: ~\"str\"; @sel: ~\".x\";\n@{sel} { a: b }\n.c { &:nth-child(~\"@{n}\") { d: e } }\n@media screen { @media (min-width: 768px) { .d { e: f } } }\n.g { .mixin(@switch; #888) !important; }\n.h { @r: { }; }\n@p: %(\"%d\", 1);\n.i { color: if((@a = 1), red, blue); each(@list, { .sel-@{value} { a: b; } }); }\n",
    ),
];

/// Checks each node of unusual syntax: its address finds it, replacing it by its own text changes nothing, and deleting
/// it deletes only text that belongs to it.
#[test]
fn laws_hold_for_unusual_syntax() {
    let mut count = 0;
    for (path, text) in UNUSUAL {
        testing::check_laws::<Css>(path, text);
        let bench = testing::open::<Css>(path, text);
        let is_valid = bench.diagnostics().is_empty();
        let nodes = bench.document().outline();
        for node in nodes.iter().filter(|node| !node.address.starts_with('[')) {
            let Ok(after) = bench.edit(TargetKind::Selector, &node.address, Operation::Delete) else { continue };
            let removed = text.len() - after.len();
            let least = node.span.range().len();
            let doc = node.doc.map_or(0, |doc| doc.range().len());
            let end = node.span.range().end;
            let behind = text[end..].lines().next().map_or(0, str::len);
            // The semicolon of a node, its comment, and white space are deleted with it.
            let (gone, kept) = (node.span.slice(text), testing::open::<Css>(path, &after));
            assert!(
                (least..=least + doc + behind + 12).contains(&removed),
                "`{}` in\n{text}\ngives\n{after}",
                node.address
            );
            let follows = gone.starts_with("@if") || gone.starts_with("@else");
            assert!(
                !is_valid || follows || kept.diagnostics().is_empty(),
                "`{gone}` deleted from\n{text}\ngives\n{after}"
            );
            count += 1;
        }
    }
    assert!(count > 200, "{count} nodes");
}
