//! Tests of names: occurrences, positions, renames.

use marquetry_sdk::{
    FailureKind, ImportKey, RenameResult, Resolution, Result, SharedName, Subject, Symbols,
    shared::{CSS_CLASS, CUSTOM_PROPERTY},
    span,
    testing::open,
};

use crate::Css;

fn renaming(path: &str, text: &str, subject: Subject, new: &str) -> Result<RenameResult> {
    Css::rename(open::<Css>(path, text).document(), subject, new)
}

fn address(address: &str) -> Subject {
    Subject::Address(address.to_owned())
}

fn shared(space: &str, name: &str) -> Subject {
    Subject::Shared(SharedName { namespace: space.to_owned(), name: name.to_owned() })
}

/// Checks the text after a rename of the name at an address, and that renaming it back restores the text.
#[track_caller]
fn check(path: &str, text: &str, symbol: &str, new: &str, expected: &str) {
    let renamed = renaming(path, text, address(symbol), new).expect("renamed");
    let after = span::apply(text, &renamed.edits);
    assert_eq!(after, expected);
    for edit in &renamed.edits {
        let at = renaming(path, text, Subject::At(edit.span.start), new).expect("renamed at any occurrence");
        assert_eq!((at.edits, at.name), (renamed.edits.clone(), renamed.name.clone()), "{:?}", edit.span);
    }
    let first = renamed.edits.first().expect("edits").span.start;
    let back = renaming(path, &after, Subject::At(first), &renamed.name).expect("renamed back");
    assert_eq!(span::apply(&after, &back.edits), text);
}

#[track_caller]
fn refused(path: &str, text: &str, symbol: &str, new: &str, kind: FailureKind, message: &str, candidates: &[&str]) {
    let failure = renaming(path, text, address(symbol), new).expect_err("refused");
    assert_eq!((failure.kind, failure.message.as_str()), (kind, message));
    assert_eq!(failure.candidates, candidates);
}

#[test]
fn facts_list_defined_and_used_names() {
    let css = open::<Css>(
        "a.css",
        ".a > #b { --c: var(--d); animation: e 1s } @keyframes f {} [for=g] { fill: url(#h) } .a { }",
    );
    let facts = Css::facts(css.document());
    let shown = |names: Vec<SharedName>| -> Vec<String> {
        names.into_iter().map(|shared| format!("{} {}", shared.namespace, shared.name)).collect()
    };
    assert_eq!(shown(facts.shared), ["css-class a", "css-id b", "custom-property --c", "keyframes f"]);
    assert_eq!(shown(facts.free), ["css-id g", "css-id h", "custom-property --d", "keyframes e"]);
    assert!(facts.exports.is_empty() && facts.imports.is_empty());
}

#[test]
fn rename_class_in_every_selector() {
    check(
        "a.css",
        ".btn, a.btn:not(.btn):hover > .btn-x { b: '.btn' }\r\n/* .btn */\r\n@media print { p:is(.btn,#btn) { } }\r\n[class~=\"btn\"] {}",
        ".btn",
        "button",
        ".button, a.button:not(.button):hover > .btn-x { b: '.btn' }\r\n/* .btn */\r\n@media print { p:is(.button,#btn) { } }\r\n[class~=\"button\"] {}",
    );
    check("a.css", "\u{feff}.a { .b & { } }", ".a", "md:w-1/2", "\u{feff}.md\\:w-1\\/2 { .b & { } }");
    check("a.css", r".md\:x .a {} [class~='md:x'] {}", r".md\:x", "2xl", r".\32 xl .a {} [class~='2xl'] {}");
    check(
        "a.scss",
        ".a { &.b { @extend .a; } // .a\n .b & { } }",
        ".a",
        "c",
        ".c { &.b { @extend .c; } // .a\n .b & { } }",
    );
    check(
        "a.less",
        ".a { } .b { .a; .a(); .a() !important; &:extend(.a all); c: #aaa }",
        ".a",
        "d",
        ".d { } .b { .d; .d(); .d() !important; &:extend(.d all); c: #aaa }",
    );
}

#[test]
fn rename_ids_custom_properties_and_animations() {
    check("a.css", "#a b, [for='a'] { c: #aaa url(#a) }", "#a", "d", "#d b, [for='d'] { c: #aaa url(#d) }");
    check(
        "a.css",
        ":root { --gap: 1px }\n@property --gap { inherits: true }\n.a { margin: calc(var(--gap) * 2) var( --gap, 1px ); transition: --gap 1s; --gap-x: var(--gap) }",
        ":root@--gap",
        "--space",
        ":root { --space: 1px }\n@property --space { inherits: true }\n.a { margin: calc(var(--space) * 2) var( --space, 1px ); transition: --space 1s; --gap-x: var(--space) }",
    );
    check(
        "a.scss",
        "$x: var(--a);\n$m: (b: var(--a), --a: 1);\n@mixin c($d: var(--a)) { --a: #{$x}; }\n.e { @include c(var(--a)); }",
        "--a",
        "--f",
        "$x: var(--f);\n$m: (b: var(--f), --a: 1);\n@mixin c($d: var(--f)) { --f: #{$x}; }\n.e { @include c(var(--f)); }",
    );
    check(
        "a.css",
        "@keyframes spin { } @-webkit-keyframes spin { } .spin { animation: 1s linear spin; animation-name: spin, 'spin' }",
        "@keyframes spin",
        "turn",
        "@keyframes turn { } @-webkit-keyframes turn { } .spin { animation: 1s linear turn; animation-name: turn, 'turn' }",
    );
}

#[test]
fn rename_leaves_uncertain_occurrences() {
    let text = ".btn-a { } [class^='btn'] { } .btn-#{$x} { } .c { &-d { } }";
    let renamed = renaming("a.scss", text, address(".btn-a"), "x").expect("renamed");
    let left: Vec<&str> = renamed.unresolved.iter().map(|span| span.slice(text)).collect();
    assert_eq!((renamed.edits.len(), left), (1, vec!["btn", "btn-#{$x}"]));
    let built = renaming("a.scss", text, shared(CSS_CLASS, "c-d"), "x").expect("renamed");
    assert_eq!(
        (built.edits, built.unresolved.iter().map(|span| span.slice(text)).collect::<Vec<_>>()),
        (vec![], vec!["-d"])
    );
}

#[test]
fn rename_refuses_taken_or_invalid_names() {
    let text = ".a .b { --c: 1 } .d { &-e { } }";
    let refused = |symbol: &str, new: &str, kind, message: &str, candidates: &[&str]| {
        refused("a.scss", text, symbol, new, kind, message, candidates);
    };
    refused(".a", "b", FailureKind::RefactorFailed, "the file already has the class `b`", &[]);
    refused(".a", "d-e", FailureKind::RefactorFailed, "the file already has the class `d-e`", &[]);
    refused(
        ".d",
        "x",
        FailureKind::RefactorFailed,
        "nested rules continue the class `d`: `d-e` would be renamed with it",
        &["d-e"],
    );
    let sign = "`.x` is not a valid name for this class: the sign before the name is selector syntax";
    refused(".a", ".x", FailureKind::InvalidArgument, sign, &["x"]);
    let dashes = "`x` is not a valid name for this custom property: custom properties begin with two dashes";
    refused("--c", "x", FailureKind::InvalidArgument, dashes, &["--x"]);
    let space = "`x y` is not a valid name for this class: it contains white space";
    refused(".a", "x y", FailureKind::InvalidArgument, space, &[]);
    refused(".a .b", "x", FailureKind::AmbiguousTarget, "`.a .b` has 2 names", &[".a", ".b"]);
}

#[test]
fn references_are_found_from_any_occurrence() {
    let text = ".a { --b: 1 }\n.c { d: var(--b) }";
    let css = open::<Css>("a.css", text);
    let found: Resolution = Css::resolve_symbol(css.document(), Subject::At(26)).expect("found");
    let shown: Vec<&str> = found.occurrences.iter().map(|occurrence| occurrence.span.slice(text)).collect();
    assert_eq!((found.name.as_str(), found.kind.as_str(), shown), ("--b", "custom property", vec!["--b", "--b"]));
    assert_eq!((found.address.as_deref(), found.shared.as_deref()), (Some(".a@--b"), Some(CUSTOM_PROPERTY)));
    let missing = Css::resolve_symbol(css.document(), Subject::At(9)).expect_err("no name at white space");
    assert_eq!(missing.kind, FailureKind::TargetNotFound);
}

#[test]
fn css_modules_export_their_classes() {
    let text =
        ".a { composes: b c from './c.module.css'; composes: d } .d :global(.e) { } .f { composes: g from global }";
    let css = open::<Css>("a.module.css", text);
    let facts = Css::facts(css.document());
    let exports: Vec<&str> = facts.exports.iter().map(|export| export.name.as_str()).collect();
    assert_eq!(exports, ["a", "d", "f"]);
    assert_eq!(facts.imports.iter().map(|import| import.name.as_str()).collect::<Vec<_>>(), ["b", "c"]);
    assert_eq!((facts.shared.len(), facts.free.len()), (1, 1));
    let renamed = renaming("a.module.css", text, address(".d"), "x").expect("renamed");
    assert_eq!((renamed.edits.len(), renamed.shared), (2, None));
    assert_eq!(renamed.exported.iter().map(|name| (&*name.old, &*name.new)).collect::<Vec<_>>(), [("d", "x")]);
    let key = ImportKey { specifiers: vec!["./c.module.css".to_owned()], name: "b".to_owned() };
    let imported = renaming("a.module.css", text, Subject::Imported(key), "x").expect("renamed");
    assert_eq!(span::apply(text, &imported.edits).matches("composes: x c from").count(), 1);
}

/// Tests that members of SCSS and LESS can be renamed at any of their occurrences, and back.
mod members {
    use marquetry_sdk::{FailureKind, ImportKey, RenameResult, Subject, Symbols, span, testing::open, workspace};

    use super::{address, check, refused, renaming};
    use crate::Css;

    #[test]
    fn rename_variable_in_all_positions() {
        check(
            "a.scss",
            "$my-gap: 1px !default;\n.a-#{$my-gap} { margin: -$my-gap calc(#{$my-gap} * 2); --x: #{$my-gap}; --y: $my-gap; &:nth-child(#{$my-gap}) { } }\n@media (min-width: $my-gap) { }\n$map: (a: $my-gap, $my-gap: 1);\n// $my-gap\n@debug \"x#{$my-gap} $my-gap\";",
            "$my-gap",
            "space",
            "$space: 1px !default;\n.a-#{$space} { margin: -$space calc(#{$space} * 2); --x: #{$space}; --y: $my-gap; &:nth-child(#{$space}) { } }\n@media (min-width: $space) { }\n$map: (a: $space, $space: 1);\n// $my-gap\n@debug \"x#{$space} $my-gap\";",
        );
        check(
            "a.less",
            "@w: 1px;\n.a-@{w} { width: @w; @{w}-x: ~'@{w}'; .m(@w; 1) !important; &:extend(.b); }\n@media (min-width: @w) { }\n.c when (@w > 1) { @d: @w; }",
            "@w",
            "@size",
            "@size: 1px;\n.a-@{size} { width: @size; @{size}-x: ~'@{size}'; .m(@size; 1) !important; &:extend(.b); }\n@media (min-width: @size) { }\n.c when (@size > 1) { @d: @size; }",
        );
    }

    #[test]
    fn dash_and_underscore_are_equal_in_sass() {
        let text = "$a_b: 1; @mixin c_d { e: $a-b } @include c-d; .f { @include c_d; g: $a_b }";
        let renamed = |symbol: &str| {
            let renamed = renaming("a.scss", text, address(symbol), "z").expect("renamed");
            span::apply(text, &renamed.edits)
        };
        assert_eq!(renamed("$a-b"), "$z: 1; @mixin c_d { e: $z } @include c-d; .f { @include c_d; g: $z }");
        assert_eq!(renamed("@mixin c-d"), "$a_b: 1; @mixin z { e: $a-b } @include z; .f { @include z; g: $a_b }");
    }

    #[test]
    fn rename_respects_block_scope() {
        let text = "$a: 1;\n.b { c: $a; $a: 2; d: $a; .e { $a: 3; f: $a } }\n@mixin m($a) { g: $a }\n@if $a { $a: 4; }\n.h { i: $a; $a: 5 !global; }";
        check(
            "a.scss",
            text,
            "$a",
            "$z",
            "$z: 1;\n.b { c: $z; $a: 2; d: $a; .e { $a: 3; f: $a } }\n@mixin m($a) { g: $a }\n@if $z { $z: 4; }\n.h { i: $z; $z: 5 !global; }",
        );
        check(
            "a.scss",
            text,
            ".b >> $a",
            "z",
            "$a: 1;\n.b { c: $a; $z: 2; d: $z; .e { $z: 3; f: $z } }\n@mixin m($a) { g: $a }\n@if $a { $a: 4; }\n.h { i: $a; $a: 5 !global; }",
        );
        check(
            "a.less",
            "@a: 1;\n.b { c: @a; .d { e: @a; @a: 2; } }\n.m(@a; @f: @a) { g: @a }",
            "@a",
            "z",
            "@z: 1;\n.b { c: @z; .d { e: @a; @a: 2; } }\n.m(@a; @f: @a) { g: @a }",
        );
        check(
            "a.scss",
            "@each $k, $v in $map { a: $k $v }\n@for $k from 1 through 3 { b: $k }\n@include x using ($k) { c: $k }",
            "$map",
            "list",
            "@each $k, $v in $list { a: $k $v }\n@for $k from 1 through 3 { b: $k }\n@include x using ($k) { c: $k }",
        );
    }

    #[test]
    fn rename_mixins_and_functions() {
        check(
            "a.scss",
            "@mixin flex-row($gap: 1px) { gap: $gap }\n.a { @include flex-row; @include flex-row($gap: 2px); flex-row: 1 }",
            "@mixin flex-row",
            "row",
            "@mixin row($gap: 1px) { gap: $gap }\n.a { @include row; @include row($gap: 2px); flex-row: 1 }",
        );
        check(
            "a.scss",
            "@function double($n) { @return $n * 2 }\n.a { b: double(1) double (2) x(double($n: 3)) #{double(4)} 'double(5)'; --c: double(6); &:double(7) { } }",
            "@function double",
            "twice",
            "@function twice($n) { @return $n * 2 }\n.a { b: twice(1) double (2) x(twice($n: 3)) #{twice(4)} 'double(5)'; --c: double(6); &:double(7) { } }",
        );
        check(
            "a.scss",
            "%card { a: b }\n.c { @extend %card; @extend %card-x; }",
            "%card",
            "box",
            "%box { a: b }\n.c { @extend %box; @extend %card-x; }",
        );
        check(
            "a.less",
            ".m(@a) when (@a > 0) { b: @a }\n.c { .m(1); #ns.m(2); }",
            ".m",
            "mix",
            ".mix(@a) when (@a > 0) { b: @a }\n.c { .mix(1); #ns.mix(2); }",
        );
    }

    #[test]
    fn rename_parameter_updates_named_arguments() {
        let text = "@mixin m($size, $x: $size) { a: $size }\n.b { @include m($size: 1); @include n($size: 2); }";
        let renamed = renaming("a.scss", text, Subject::At(10), "w").expect("renamed");
        assert_eq!(
            span::apply(text, &renamed.edits),
            "@mixin m($w, $x: $w) { a: $w }\n.b { @include m($w: 1); @include n($size: 2); }"
        );
        assert_eq!(renamed.exported.iter().map(|name| &*name.old).collect::<Vec<_>>(), ["@mixin m($size)"]);
    }

    #[test]
    fn rename_leaves_uncertain_occurrences() {
        let left = |path: &str, text: &str, symbol: &str| -> Vec<String> {
            let renamed = renaming(path, text, address(symbol), "z").expect("renamed");
            renamed.unresolved.iter().map(|span| format!("{}:{}", span.start, span.slice(text))).collect()
        };
        assert_eq!(left("a.scss", "$a: 1; /* #{$a} */ @if variable-exists('a') { }", "$a"), ["13:a", "40:a"]);
        assert_eq!(left("a.less", "@a: 1; .m() { @a: 2 } .b { .m(); c: @a }", "@a"), ["37:a", "15:a"]);
    }

    #[test]
    fn rename_refuses_taken_or_invalid_names() {
        let refused = |path: &str, text: &str, symbol: &str, new: &str, message: &str| {
            refused(path, text, symbol, new, FailureKind::RefactorFailed, message, &[]);
        };
        refused("a.scss", "$a: 1; $b: 2;", "$a", "b", "the file already has a variable `$b`");
        let captured = "with the name `b`, this variable would refer to another declaration";
        refused("a.scss", "$a: 1; .c { $b: 2; d: $a }", "$a", "b", captured);
        refused("a.less", "@a: 1; .c { d: @a; @b: 2 }", "@a", "b", captured);
        let local = "with the name `a`, this variable would refer to another declaration";
        refused("a.scss", "$a: 1; .c { $b: 2; $a: 3; d: $a $b }", ".c >> $b", "a", local);
        refused(
            "a.scss",
            "@function a() { } .c { d: a() rgb(1) }",
            "@function a",
            "rgb",
            "the file already has a function `@function rgb`",
        );
    }

    #[test]
    fn names_are_read_from_invalid_text() {
        let texts = [
            "@use 'a' with ($é",
            "@use 'a' as",
            "@mixin m($é",
            "@include m($a: é",
            "$é: #{é",
            ".m(@é",
            "@é: @{é",
            "@forward 'a' show $é, é",
            "@each $é in",
            "@include a.é(",
            "/* #{$é */",
            "$a: é.$é(é.é(",
        ];
        for text in texts {
            for path in ["a.scss", "a.less"] {
                Css::facts(open::<Css>(path, text).document());
                for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
                    let _ = renaming(path, text, Subject::At(at as u32), "b");
                }
            }
        }
    }

    fn imported(path: &str, text: &str, specifier: &str, name: &str, new: &str) -> RenameResult {
        let key = ImportKey { specifiers: vec![specifier.to_owned()], name: name.to_owned() };
        renaming(path, text, Subject::Imported(key), new).expect("renamed")
    }

    #[test]
    fn rename_of_imported_member_updates_importer() {
        let files = [("_v.scss", "$gap: 1px; @mixin m { }"), ("_f.scss", "@forward 'v' as v-* show v-m, $v-gap;")];
        workspace::set_files(files.map(|(path, text)| (path.to_owned(), text.to_owned())));
        let follow = |text: &str, specifier: &str, name: &str| {
            let renamed = imported("a.scss", text, specifier, name, "space");
            let exported: Vec<String> = renamed.exported.into_iter().map(|name| name.new).collect();
            (span::apply(text, &renamed.edits), exported.join(" "))
        };
        let cases = [
            ("@use 'v'; a { b: v.$gap $gap }", "v", "$gap", "@use 'v'; a { b: v.$space $gap }", ""),
            (
                "@use 'v' as w with ($gap: $gap); a { b: w.$gap }",
                "v",
                "$gap",
                "@use 'v' as w with ($space: $gap); a { b: w.$space }",
                "",
            ),
            ("@use 'v' as *; a { b: $gap; @include m }", "v", "$gap", "@use 'v' as *; a { b: $space; @include m }", ""),
            ("@forward 'v' as w-* hide w-m;", "v", "$gap", "@forward 'v' as w-* hide w-m;", "$w-space"),
            ("@forward 'v' as w-* hide $w-gap;", "v", "$gap", "@forward 'v' as w-* hide $w-space;", ""),
            ("@use 'f'; a { b: f.$v-gap }", "f", "$v-gap", "@use 'f'; a { b: f.$v-space }", ""),
            (
                "@import 'v'; a { b: $gap; @include m }",
                "v",
                "@mixin m",
                "@import 'v'; a { b: $gap; @include space }",
                "@mixin space",
            ),
        ];
        for (text, specifier, name, expected, exported) in cases {
            assert_eq!(follow(text, specifier, name), (expected.to_owned(), exported.to_owned()), "{text}");
        }
    }

    #[test]
    fn imported_members_resolve_to_declaring_file() {
        let files = [
            ("_v.scss", "$gap: 1px; @mixin m { }"),
            ("_f.scss", "@forward 'v' as v-*; @forward 'w';"),
            ("_w.scss", "$x: 1"),
        ];
        workspace::set_files(files.map(|(path, text)| (path.to_owned(), text.to_owned())));
        let text = "@use 'f'; a { b: f.$v-gap f.$x f.$y }";
        let css = open::<Css>("a.scss", text);
        let found = Css::resolve_symbol(css.document(), Subject::At(20)).expect("found");
        assert_eq!(found.elsewhere.map(|place| (place.path, place.offset)), Some(("_v.scss".to_owned(), 1)));
        let prefixed = renaming("a.scss", text, Subject::At(20), "z").expect_err("refused");
        assert_eq!(prefixed.message, "`$v-gap` has the prefix `v-`, which a `@forward` adds");
        let hint = "rename `$gap` in `_v.scss`, without the prefix; this file is updated too";
        assert_eq!(prefixed.hint.as_deref(), Some(hint));
        let renamed = renaming("a.scss", text, Subject::At(28), "z").expect("renamed");
        assert_eq!(renamed.elsewhere.map(|place| place.path), Some("_w.scss".to_owned()));
        let nowhere = renaming("a.scss", text, Subject::At(33), "z").expect_err("refused");
        assert_eq!(nowhere.message, "`$y` is not declared in `f` or a file that it loads");
    }
}
