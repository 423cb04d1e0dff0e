//! Tests of all operations in typical positions.

use marquetry_sdk::{
    Operation,
    TargetKind::{self, Selector},
    testing::{
        after, before, body, check_insert_missing, check_missing_refusal, check_refusal, check_regions, first, last,
        replace, sorted, wrap,
    },
};

use super::open;

#[track_caller]
fn edit(path: &str, text: &str, target: &str, operation: Operation, expected: &str) {
    let bench = open(path, text);
    let after = bench.edit(Selector, target, operation).expect("edited");
    assert_eq!(after, expected, "\n{after}");
    let again = open(path, &after).diagnostics();
    assert!(again.is_empty() || !bench.diagnostics().is_empty(), "{again:?} in\n{after}");
}

pub(super) const TWO: &str = "/* a */\n.a {\n  color: red;\n  top: 0\n}\n\n.b { left: 0 }\n";

#[test]
fn replace_and_replace_body() {
    edit("a.css", TWO, ".a", replace(".c {\n    x: y;\n}\n"), "/* a */\n.c {\n  x: y;\n}\n\n.b { left: 0 }\n");
    edit(
        "a.css",
        TWO,
        ".a",
        body("x: y;\n&:hover {\n\tz: 0;\n}"),
        "/* a */\n.a {\n  x: y;\n  &:hover {\n    z: 0;\n  }\n}\n\n.b { left: 0 }\n",
    );
    let own = ".a {\n  b: c;\n}\n.d {\n  e: f;\n}\n.g {\n\th: i;\n}\n";
    edit("a.css", own, ".g", replace(".g {\n\tx: y;\n}"), &own.replace("h: i", "x: y"));
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
}

#[test]
fn replace_refuses_rules_instead_of_declarations() {
    let scss = "$v: 1px;\n.a {\n  --c: red;\n  color: red;\n}\n";
    let less = "@v: 1px;\n.a { color: @v }\n";
    for (path, text, target, content, name) in [
        ("a.scss", scss, "$v", ".a { b: c; }", "$v"),
        ("a.scss", scss, "$v", "// why\n.a { b: c }\n.d { e: f }", "$v"),
        ("a.scss", scss, "$v", "@mixin m { b: c }", "$v"),
        ("a.scss", scss, "$v", "@media print { .a { b: c } }", "$v"),
        ("a.scss", scss, ".a@color", ".a { color: blue; }", "color"),
        ("a.scss", scss, ".a@--c", ".a {\n  --c: blue;\n}", "--c"),
        ("a.css", TWO, ".a@top", ".a { top: 1px }", "top"),
        ("a.less", less, "@v", ".a { b: c; }", "@v"),
    ] {
        let failure = check_refusal::<crate::Css>((path, text), (Selector, target), replace(content));
        assert_eq!(failure.message, format!("a rule would replace the declaration of `{name}`"), "{content}");
        assert!(failure.hint.is_some_and(|hint| hint.contains("force")));
    }
    edit("a.scss", scss, "$v", replace("$v: 2px;\n.b { c: d }"), &scss.replace("1px;", "2px;\n.b { c: d }"));
    edit("a.scss", scss, "$v", replace("@use 'v';"), &scss.replace("$v: 1px", "@use 'v'"));
    edit("a.scss", scss, ".a@color", replace("@include x;"), &scss.replace("color: red", "@include x"));
    edit("a.less", less, "@v", replace("@v: { b: c };"), &less.replace("1px", "{ b: c }"));
    edit(
        "a.css",
        TWO,
        ".a@color",
        replace("@media print { x: y }"),
        &TWO.replace("color: red;", "@media print { x: y }"),
    );
}

#[test]
fn insert_rules() {
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
        last(".x {\n  y: z;\n}"),
        "@media print {\n  .a {\n    b: c;\n  }\n\n  .x {\n    y: z;\n  }\n}\n",
    );
    edit("a.css", "@media print {}\n", "@media print", last(".x { y: z }"), "@media print {\n  .x { y: z }\n}\n");
    edit(
        "a.css",
        "@keyframes s {\n  from { a: b }\n  to { a: c }\n}",
        "@keyframes s >> to",
        before("50% { a: d }"),
        "@keyframes s {\n  from { a: b }\n  50% { a: d }\n  to { a: c }\n}",
    );
}

#[test]
fn insert_declarations() {
    edit("a.css", TWO, ".a", last("left: 0"), &TWO.replace("top: 0", "top: 0;\n  left: 0;"));
    edit("a.css", TWO, ".a", first("left: 0;"), &TWO.replace("  color", "  left: 0;\n  color"));
    edit("a.css", TWO, ".a", sorted("left: 0"), &TWO.replace("  top", "  left: 0;\n  top"));
    edit("a.css", TWO, ".b", last("top: 0"), &TWO.replace("left: 0 }", "left: 0; top: 0 }"));
    edit("a.css", TWO, ".b", first("top: 0;"), &TWO.replace("left: 0 }", "top: 0; left: 0 }"));
    edit("a.css", TWO, ".a@color", after("left: 0"), &TWO.replace("  top", "  left: 0;\n  top"));
    edit("a.css", ".a{b:c}", ".a", last("d:e"), ".a{b:c;d:e}");
    edit("a.css", ".a{b:c;}", ".a", last("d:e"), ".a{b:c;d:e;}");
    edit("a.css", ".a{}", ".a", last("d:e"), ".a{d:e}");
    edit("a.css", ".a {}", ".a", last("d: e"), ".a {\n  d: e;\n}");
    edit("a.css", ".a {\n  /* none */\n}", ".a", last("d: e"), ".a {\n  /* none */\n  d: e;\n}");
    edit("a.css", ".a {\n  b: c; /* why */\n}", ".a", last("d: e"), ".a {\n  b: c; /* why */\n  d: e;\n}");
    edit("a.css", ".a {\n  b: c /* why */\n}", ".a", last("d: e"), ".a {\n  b: c; /* why */\n  d: e;\n}");
    edit(
        "a.scss",
        ".a {\n  b: c;\n\n  .d {\n    e: f;\n  }\n}",
        ".a",
        last("x: y"),
        ".a {\n  b: c;\n  x: y;\n\n  .d {\n    e: f;\n  }\n}",
    );
    edit("a.scss", ".a {\n  .d {\n    e: f;\n  }\n}", ".a", last("x: y"), ".a {\n  x: y;\n\n  .d {\n    e: f;\n  }\n}");
    edit(
        "a.scss",
        ".a {\n  b: c;\n}",
        ".a",
        last("&:hover {\n  d: e;\n}"),
        ".a {\n  b: c;\n\n  &:hover {\n    d: e;\n  }\n}",
    );
    edit("a.css", ".a { b: c }", ".a", last("&:hover {\n  d: e;\n}"), ".a { b: c;\n  &:hover {\n    d: e;\n  }\n}");
}

#[test]
fn edits_keep_line_endings() {
    edit("a.css", ".a {\r\n  b: c\r\n}\r\n", ".a", last("d: e"), ".a {\r\n  b: c;\n  d: e;\r\n}\r\n");
    edit("a.css", ".a {\r\n  b: c;\r\n  d: e;\r\n}\r\n", ".a@b", Operation::Delete, ".a {\r\n  d: e;\r\n}\r\n");
}

#[test]
fn edit_map_entries() {
    let text = "$m: (\n  a: 1,\n  c: 3\n);\n";
    edit("a.scss", text, "$m", last("d: 4"), &text.replace("3", "3,\n  d: 4"));
    edit("a.scss", text, "$m", sorted("b: 2,"), &text.replace("  c", "  b: 2,\n  c"));
    edit("a.scss", text, "$m@a", after("b: 2"), &text.replace("  c", "  b: 2,\n  c"));
    edit("a.scss", text, "$m@c", Operation::Delete, "$m: (\n  a: 1\n);\n");
    edit("a.scss", text, "$m@a", body("9"), &text.replace('1', "9"));
    edit("a.scss", "$m: ();", "$m", last("d: 4"), "$m: (\n  d: 4\n);");
}

#[test]
fn delete_items() {
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
fn wrap_items() {
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

#[track_caller]
fn edit_region(text: &str, region: &str, operation: Operation, expected: &str) {
    let after = open("a.scss", text).edit(TargetKind::Region, region, operation).expect("edited");
    assert_eq!(after, expected, "\n{after}");
}

#[test]
fn edit_regions() {
    let text = "// License\n\n@use 'a';\n@use 'c';\n\n$x: 1;\n\n.y {\n  z: $x;\n}\n";
    edit_region(text, "imports", Operation::Delete, &text.replace("@use 'a';\n@use 'c';\n\n", ""));
    edit_region(text, "imports", replace("@use 'b'"), &text.replace("'a';\n@use 'c'", "'b'"));
    edit_region(text, "imports", sorted("@use 'b'"), &text.replace("@use 'c'", "@use 'b';\n@use 'c'"));
    edit_region(text, "stylesheet", last("@use 'd'"), &text.replace("'c';", "'c';\n@use 'd';"));
    edit_region(text, "stylesheet", last("$w: 2"), &text.replace("1;", "1;\n$w: 2;"));
    edit_region(text, "stylesheet", last(".b {\n  c: d;\n}"), &format!("{text}\n.b {{\n  c: d;\n}}\n"));
    edit_region(
        text,
        "stylesheet",
        first("$w: 2"),
        &text.replace("$x", "$w: 2;\n$x").replacen("z: $w: 2;\n$x", "z: $x", 1),
    );
    edit_region("", "stylesheet", last(".b { c: d }"), ".b { c: d }\n");
    edit_region("/* a */\n", "stylesheet", last(".b { c: d }"), "/* a */\n\n.b { c: d }\n");
    let failure = open("a.scss", text).nodes(TargetKind::Region, "import").expect_err("no such region");
    assert_eq!(failure.candidates, ["imports"]);
}

#[test]
fn all_regions_support_edits() {
    let text = "@charset \"utf-8\";\n@use 'a';\n\n$x: 1;\n\n@media print {\n  .y { z: $x }\n}\n";
    check_regions::<crate::Css>("a.scss", text, "@use 'b'");
    check_regions::<crate::Css>("a.less", &text.replace("@use", "@import").replace('$', "@"), "@import 'b'");
    let css = "@charset \"utf-8\";\n@import 'a';\n@media print {\n  .y { z: 1 }\n}\n";
    let failure = open("a.css", css).nodes(TargetKind::Region, "variables").expect_err("no variables");
    assert_eq!(failure.candidates, ["stylesheet"]);
}

#[test]
fn insert_rules_sorted() {
    let text = "@media print {\n  .b { c: d }\n  .f { g: h }\n}\n";
    edit("a.css", text, "@media print", sorted(".e { i: j }"), &text.replace("  .f", "  .e { i: j }\n  .f"));
    edit("a.css", text, "@media print", first(".a { i: j }"), &text.replace("  .b", "  .a { i: j }\n  .b"));
}

#[test]
fn edit_several_nodes() {
    let text = ".a { b: c }\n\n.d {}\n\n.a { e: f }\n";
    edit("a.css", text, ".a", Operation::Delete, ".d {}\n");
    edit("a.css", text, ".a", last("g: h"), ".a { b: c; g: h }\n\n.d {}\n\n.a { e: f; g: h }\n");
    let nested = open("a.scss", ".a { .b .a { c: d } .a { e: f } }");
    let failure = nested.edit(Selector, ".a", Operation::Replace("x {}".to_owned())).expect_err("nested targets");
    assert!(failure.hint.is_some());
}

#[track_caller]
fn refused(path: &str, text: &str, target: &str, operation: Operation, message: &str, candidates: &[&str]) {
    let failure = check_refusal::<crate::Css>((path, text), (Selector, target), operation);
    assert_eq!(failure.message, message);
    assert_eq!(failure.candidates, candidates, "{failure:?}");
}

#[test]
fn value_is_refused_as_statement() {
    let less = "@base: #000;\n.box {\n  color: @base;\n  .m();\n}\n";
    refused("a.less", less, "@base", replace("#fff"), "`#fff` is a value, not a statement", &["@base: #fff"]);
    refused("a.less", less, "@base", replace("#fff;"), "`#fff` is a value, not a statement", &["@base: #fff"]);
    refused("a.less", less, "@base", replace("@other;"), "`@other` is a value, not a statement", &["@base: @other"]);
    let darken = "`darken(#fff, 5%)` is a value, not a statement";
    refused("a.less", less, ".box@color", replace("darken(#fff, 5%)"), darken, &["color: darken(#fff, 5%)"]);
    refused("a.less", less, ".box@color", after("darken(#fff, 5%)"), darken, &[]);
    refused("a.less", less, ".box", last("#fff"), "`#fff` is a value, not a statement", &[]);
    refused(
        "a.less",
        less,
        ".box@color",
        replace(".m()[@c]"),
        "`.m()[@c]` is a value, not a statement",
        &["color: .m()[@c]"],
    );
    refused(
        "a.less",
        less,
        ".box@color",
        replace("@base + 1"),
        "`@base + 1` is a value, not a statement",
        &["color: @base + 1"],
    );
    for (path, text) in
        [("a.css", ".box { color: red }"), ("a.scss", "$base: red;\n.box { color: $base }"), ("a.less", less)]
    {
        let red = "`red` is a value, not a statement";
        refused(path, text, ".box@color", replace("red"), red, &["color: red"]);
        refused(path, text, ".box@color", before("1px  solid"), "`1px  solid` is a value, not a statement", &[]);
    }
    let scss = "$base: red;\n$m: (\n  a: 1,\n);\n.box { color: $base }";
    refused("a.scss", scss, "$base", replace("$other"), "`$other` is a value, not a statement", &["$base: $other"]);
    refused("a.scss", scss, "$m@a", replace("2"), "`2` is a value, not a map entry", &["a: 2"]);
    refused("a.scss", scss, "$m", last("2"), "`2` is a value, not a map entry", &[]);
    refused(
        "a.css",
        ".a { --x: 1 }",
        ".a@--x",
        replace("{ b: c }"),
        "`{ b: c }` is a value, not a statement",
        &["--x: { b: c }"],
    );
}

#[test]
fn declaration_is_refused_as_value() {
    let hint = "use `replace` to replace the whole declaration, or give only its value";
    for (path, text, target, content) in [
        ("a.less", "@base: #000;", "@base", "@base: #fff;"),
        ("a.scss", "$base: #000;", "$base", "$base : #fff"),
        ("a.scss", "$m: (a: 1);", "$m@a", "a: 2"),
        ("a.css", ".box { color: red }", ".box@color", "Color: blue;"),
        ("a.css", ".box { --x: red }", ".box@--x", "--x: blue;"),
    ] {
        let failure = check_refusal::<crate::Css>((path, text), (Selector, target), body(content));
        assert_eq!(failure.hint.as_deref(), Some(hint), "{content}");
    }
}

#[test]
fn declaration_can_be_replaced_by_any_statement() {
    let less = ".m() {}\n.box {\n  color: red;\n}\n";
    for content in [
        ".m();",
        "#ns > .m();",
        "#ns.m() !important;",
        "@detached();",
        "each(@l, { a: b });",
        "@media print { a: b }",
        "&:hover { a: b }",
        "/* none */",
    ] {
        edit("a.less", less, ".box@color", replace(content), &less.replace("color: red;", content));
    }
    let scss = ".box {\n  color: red;\n}\n";
    for content in ["@include m;", "@extend %p;", "a { b: c }", "// none"] {
        edit("a.scss", scss, ".box@color", replace(content), &scss.replace("color: red;", content));
    }
}

#[test]
fn upsert_refuses_values_that_are_not_closed() {
    for (path, target) in [("a.css", ".a@left"), ("a.css", "Card@title"), ("a.scss", "$new"), ("a.less", "@new")] {
        for content in ["He\"y {", "a{", "}", "1; top: 2", "url(", "(", "'x", "b } c { d: e"] {
            let failure = check_missing_refusal::<crate::Css>((path, TWO), (Selector, target), content);
            assert!(failure.message.contains("is not a value"), "{target} {content}: {}", failure.message);
        }
    }
}

#[test]
fn upsert_creates_missing_targets() {
    let make = |path: &str, text: &str, target: &str, content: &str, expected: &str| {
        check_insert_missing::<crate::Css>((path, text), (Selector, target), content, expected);
    };
    make("a.css", TWO, ".a@left", "0", &TWO.replace("top: 0", "top: 0;\n  left: 0;"));
    make("a.css", TWO, ".b@top", "top: 1px;", &TWO.replace("left: 0 }", "left: 0; top: 1px }"));
    make("a.css", ":root { --a: 1 }", ":root@--b", "{ c: d }", ":root { --a: 1; --b: { c: d } }");
    make("a.css", TWO, ".c@top", "0", &format!("{TWO}\n.c {{\n  top: 0;\n}}\n"));
    make("a.css", "", "@media print >> .a@top", "0", "@media print {\n  .a {\n    top: 0;\n  }\n}\n");
    make("a.css", TWO, ".c", ".c { top: 0 }", &format!("{TWO}\n.c {{ top: 0 }}\n"));
    make("a.css", TWO, ".c > p", "top: 0;\nleft: 0;", &format!("{TWO}\n.c > p {{\n  top: 0;\n  left: 0;\n}}\n"));
    make("a.scss", "@use 'a';\n\n.b { c: $d }\n", "$d", "1px", "@use 'a';\n$d: 1px;\n\n.b { c: $d }\n");
    make("a.less", "@a: 1;\n.b { c: @d }\n", "@d", "1px", "@a: 1;\n@d: 1px;\n.b { c: @d }\n");
    make("a.scss", "$m: (\n  a: 1,\n);\n", "$m@b", "2", "$m: (\n  a: 1,\n  b: 2,\n);\n");
    let refused =
        |text, target, content| check_missing_refusal::<crate::Css>(("a.css", text), (Selector, target), content);
    assert_eq!(refused(".a {} .a {}", ".a@b", "c").candidates, [".a[1]", ".a[2]"]);
    assert_eq!(refused(TWO, ".a@top", "1").kind, marquetry_sdk::FailureKind::InvalidArgument);
    for target in [".c[2]@top", "[#9]", ".a@color >> .b"] {
        assert_eq!(refused(TWO, target, "1").kind, marquetry_sdk::FailureKind::InvalidTarget, "{target}");
    }
}

#[test]
fn section_comments_stay() {
    let heads = [
        "/* About the file. */\n\n",
        "/* --- Buttons --- */\n",
        "/* Buttons ---------- */\n",
        "/* ==========\n   Buttons\n   ========== */\n",
        "/*************\n * Buttons *\n *************/\n",
        "/* Copyright 2026 A */\n",
        "/*! theme */\n",
    ];
    for path in ["a.css", "a.scss", "a.less"] {
        for head in heads {
            edit(
                path,
                &format!("{head}.a {{ x: y }}\n.b {{ x: y }}\n"),
                ".a",
                Operation::Delete,
                &format!("{head}.b {{ x: y }}\n"),
            );
            edit(
                path,
                &format!("{head}/* about a */\n.a {{ x: y }}\n.b {{ x: y }}\n"),
                ".a",
                Operation::Delete,
                &format!("{head}.b {{ x: y }}\n"),
            );
        }
    }
    edit(
        "a.scss",
        "// ---- Buttons ----\n.a { x: y }\n.b { x: y }\n",
        ".a",
        Operation::Delete,
        "// ---- Buttons ----\n.b { x: y }\n",
    );
    edit("a.css", "/* about a */\n.a { x: y }\n.b { x: y }\n", ".a", Operation::Delete, ".b { x: y }\n");
}
