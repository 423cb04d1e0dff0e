//! Names: what a file says of them, where they stand, what a rename changes.

use marquetry_sdk::{
    FailureKind, ImportKey, Renaming, Resolution, Result, SharedName, Subject, Symbols,
    shared::{CSS_CLASS, CUSTOM_PROPERTY},
    span,
    testing::open,
};

use crate::Css;

fn renaming(path: &str, text: &str, subject: Subject, new: &str) -> Result<Renaming> {
    Css::rename(open::<Css>(path, text).document(), subject, new)
}

fn address(address: &str) -> Subject {
    Subject::Address(address.to_owned())
}

fn shared(space: &str, name: &str) -> Subject {
    Subject::Shared(SharedName { space: space.to_owned(), name: name.to_owned() })
}

/// The name that an address stands for gets a new one; renamed back, the text is as it was.
#[track_caller]
fn check(path: &str, text: &str, symbol: &str, new: &str, expected: &str) {
    let renamed = renaming(path, text, address(symbol), new).expect("renamed");
    let after = span::apply(text, &renamed.edits);
    assert_eq!(after, expected);
    for edit in &renamed.edits {
        let at = renaming(path, text, Subject::At(edit.span.start), new).expect("renamed by any of its places");
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
fn facts_tell_what_is_defined_and_what_is_used() {
    let css = open::<Css>(
        "a.css",
        ".a > #b { --c: var(--d); animation: e 1s } @keyframes f {} [for=g] { fill: url(#h) } .a { }",
    );
    let facts = Css::facts(css.document());
    let shown = |names: Vec<SharedName>| -> Vec<String> {
        names.into_iter().map(|shared| format!("{} {}", shared.space, shared.name)).collect()
    };
    assert_eq!(shown(facts.shared), ["css-class a", "css-id b", "custom-property --c", "keyframes f"]);
    assert_eq!(shown(facts.free), ["css-id g", "css-id h", "custom-property --d", "keyframes e"]);
    assert!(facts.exports.is_empty() && facts.imports.is_empty());
}

#[test]
fn classes_are_renamed_in_every_selector() {
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
fn ids_custom_properties_and_animations_are_renamed() {
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
fn what_is_not_certain_is_left() {
    let text = ".btn-a { } [class^='btn'] { } .btn-#{$x} { } .c { &-d { } }";
    let renamed = renaming("a.scss", text, address(".btn-a"), "x").expect("renamed");
    let left: Vec<&str> = renamed.left.iter().map(|span| span.of(text)).collect();
    assert_eq!((renamed.edits.len(), left), (1, vec!["btn", "btn-#{$x}"]));
    let built = renaming("a.scss", text, shared(CSS_CLASS, "c-d"), "x").expect("asked");
    assert_eq!((built.edits, built.left.iter().map(|span| span.of(text)).collect::<Vec<_>>()), (vec![], vec!["-d"]));
}

#[test]
fn what_would_mean_something_else_is_refused() {
    let text = ".a .b { --c: 1 } .d { &-e { } }";
    let refused = |symbol: &str, new: &str, kind, message: &str, candidates: &[&str]| {
        refused("a.scss", text, symbol, new, kind, message, candidates);
    };
    refused(".a", "b", FailureKind::RefactorFailed, "the file has the class `b` already", &[]);
    refused(".a", "d-e", FailureKind::RefactorFailed, "the file has the class `d-e` already", &[]);
    refused(
        ".d",
        "x",
        FailureKind::RefactorFailed,
        "nested rules continue the class `d`: `d-e` would be renamed with it",
        &["d-e"],
    );
    let sign = "`.x` is no name for this class: the sign before it belongs to selectors";
    refused(".a", ".x", FailureKind::InvalidArgument, sign, &["x"]);
    let dashes = "`x` is no name for this custom property: custom properties begin with two dashes";
    refused("--c", "x", FailureKind::InvalidArgument, dashes, &["--x"]);
    let space = "`x y` is no name for this class: it has white space in it";
    refused(".a", "x y", FailureKind::InvalidArgument, space, &[]);
    refused(".a .b", "x", FailureKind::AmbiguousTarget, "`.a .b` has 2 names", &[".a", ".b"]);
}

#[test]
fn references_are_found_from_any_place() {
    let text = ".a { --b: 1 }\n.c { d: var(--b) }";
    let css = open::<Css>("a.css", text);
    let found: Resolution = Css::resolve_symbol(css.document(), Subject::At(26)).expect("found");
    let shown: Vec<&str> = found.occurrences.iter().map(|occurrence| occurrence.span.of(text)).collect();
    assert_eq!((found.name.as_str(), found.kind.as_str(), shown), ("--b", "custom property", vec!["--b", "--b"]));
    assert_eq!((found.address.as_deref(), found.shared.as_deref()), (Some(".a@--b"), Some(CUSTOM_PROPERTY)));
    let missing = Css::resolve_symbol(css.document(), Subject::At(9)).expect_err("white space");
    assert_eq!(missing.kind, FailureKind::TargetNotFound);
}

#[test]
fn modules_export_their_classes() {
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
