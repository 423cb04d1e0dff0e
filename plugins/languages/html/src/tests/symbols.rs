//! Tests of names: occurrences, positions, renames.

use marquetry_sdk::{
    FailureKind, ImportKey, RenameResult, Result, SharedName, Subject, Symbols, shared::CSS_CLASS, span,
};

use super::open;
use crate::Html;

fn renaming(text: &str, subject: Subject, new: &str) -> Result<RenameResult> {
    Html::rename(open(text).document(), subject, new)
}

fn address(address: &str) -> Subject {
    Subject::Address(address.to_owned())
}

/// Checks the text after a rename of the name at an address, and that renaming it back restores the text.
#[track_caller]
fn check(text: &str, symbol: &str, new: &str, expected: &str) {
    let renamed = renaming(text, address(symbol), new).expect("renamed");
    let after = span::apply(text, &renamed.edits);
    assert_eq!(after, expected);
    for edit in &renamed.edits {
        let at = renaming(text, Subject::At(edit.span.start), new).expect("renamed at any occurrence");
        assert_eq!((at.edits, at.name), (renamed.edits.clone(), renamed.name.clone()), "{:?}", edit.span);
    }
    let first = renamed.edits.first().expect("edits").span.start;
    let back = renaming(&after, Subject::At(first), &renamed.name).expect("renamed back");
    assert_eq!(span::apply(&after, &back.edits), text);
}

#[track_caller]
fn left(text: &str, symbol: &str, expected: &[&str]) {
    let renamed = renaming(text, address(symbol), "other").expect("renamed");
    let shown: Vec<&str> = renamed.unresolved.iter().map(|span| span.slice(text)).collect();
    assert_eq!(shown, expected);
}

#[test]
fn facts_list_defined_and_used_names() {
    let page = open(
        "<style>.a { --b: c }</style><p class='d e' id=f style='g: var(--h)'></p><label for=i></label><a href='#f'></a><a href='x.html#j'></a>",
    );
    let facts = Html::facts(page.document());
    let shown = |names: Vec<SharedName>| -> Vec<String> {
        names.into_iter().map(|shared| format!("{} {}", shared.namespace, shared.name)).collect()
    };
    assert_eq!(shown(facts.shared), ["css-class a", "css-class d", "css-class e", "css-id f", "custom-property --b"]);
    assert_eq!(shown(facts.free), ["css-id i", "css-id j", "custom-property --h"]);
}

#[test]
fn rename_class_in_attributes_and_styles() {
    check(
        "<style>\r\n.btn, .btn-x { a: b }\r\n</style><p class=\"  btn\tbtn-x btn\">btn</p><p class=btn title=btn></p>",
        ".btn",
        "button",
        "<style>\r\n.button, .btn-x { a: b }\r\n</style><p class=\"  button\tbtn-x button\">btn</p><p class=button title=btn></p>",
    );
    check("<p class='a b'>", "p.b", "[&>p]:x&y", "<p class='a [&>p]:x&amp;y'>");
    check("<p class=a>", ".a", "it's=", "<p class=it&#39;s&#61;>");
    check("<P CLASS='md:x'><style>.md\\:x{}</style>", r".md\:x", "y", "<P CLASS='y'><style>.y{}</style>");
}

#[test]
fn rename_id_in_all_references() {
    check(
        "<div id=a></div><label for='a'></label><input list=\"a\" form=a aria-describedby='b a'><table><td headers='a c'></table><a href='#a'></a><a href=' page.html#a '></a><button popovertarget=a></button><svg><use href='#a'/><rect fill='url(#a)'/></svg><p style='mask: url(#a)'></p><style>#a { }</style>",
        "#a",
        "main",
        "<div id=main></div><label for='main'></label><input list=\"main\" form=main aria-describedby='b main'><table><td headers='main c'></table><a href='#main'></a><a href=' page.html#main '></a><button popovertarget=main></button><svg><use href='#main'/><rect fill='url(#main)'/></svg><p style='mask: url(#main)'></p><style>#main { }</style>",
    );
    check("<a href='#café'></a>", "#café", "x", "<a href='#x'></a>");
    let encoded = renaming("<a href='#caf%C3%A9'></a>", address("#café"), "x").expect("renamed");
    assert_eq!(encoded.edits.len(), 1);
    check("<map id=m></map><img usemap='#m'>", "#m", "x", "<map id=x></map><img usemap='#x'>");
    check("<map id=m name=m></map><img usemap='#m'>", "#m", "x", "<map id=x name=m></map><img usemap='#m'>");
}

#[test]
fn rename_custom_property_in_styles() {
    check(
        "<p style=\"--a: 1; font: &quot;--a&quot;; b: var(--a)\"></p><style>:root { --a: 2 } @keyframes a { }</style>",
        "--a",
        "--b",
        "<p style=\"--b: 1; font: &quot;--a&quot;; b: var(--b)\"></p><style>:root { --b: 2 } @keyframes a { }</style>",
    );
}

#[test]
fn rename_leaves_templates_and_scripts() {
    left(
        "<p class='btn {{ x ? \"btn\" : \"\" }} {{y}}-z btn-{{size}}' :class=\"{ btn: x }\" data-target='.btn'></p><script>f('.btn, .btn-x', btn, `btn`)</script>",
        ".btn",
        &["btn", "btn", "btn", "btn", "btn"],
    );
    left("<p class='a btn-{{size}}'></p><i class='btn-xl'></i>", ".btn-xl", &["btn-"]);
    left("<p id=a></p><a href='https://x.y/#a'></a><a href='guide.md#a'></a><a href='{{b}}#a'></a>", "#a", &["a"]);
}

#[test]
fn rename_leaves_links_to_other_formats() {
    let text = "<a href='guide.md#install'>a</a><a href=' guide.md?x#install '>b</a><a href='other.md#install'>c</a>";
    let key = ImportKey { specifiers: vec!["guide.md".to_owned()], name: "install".to_owned() };
    let renamed = renaming(text, Subject::Imported(key), "Set up").expect("renamed");
    let starts: Vec<u32> = renamed.unresolved.iter().map(|span| span.start).collect();
    assert_eq!((renamed.edits.len(), starts), (0, vec![18, 53]));
}

#[test]
fn rename_refuses_taken_or_invalid_names() {
    let text = "<p id=a class='b c'></p><p class='d'></p><p class='e f'></p>";
    let refused = |symbol: &str, new: &str| renaming(text, address(symbol), new).expect_err("refused");
    let taken = refused(".b", "c");
    assert_eq!(
        (taken.kind, taken.message.as_str()),
        (FailureKind::RefactorFailed, "the file already has the class `c`")
    );
    assert_eq!(refused(".b", ".x").candidates, ["x"]);
    assert_eq!(refused("#a", "#x").candidates, ["x"]);
    assert_eq!(refused("p:nth-of-type(3)", "x").candidates, [".e", ".f"]);
    let missing = refused(".bb", "x");
    assert_eq!((missing.kind, missing.candidates[0].as_str()), (FailureKind::TargetNotFound, ".b"));
    let other = renaming(text, Subject::Shared(SharedName { namespace: CSS_CLASS.into(), name: "z".into() }), "x");
    assert!(other.expect("renaming an unused name succeeds").edits.is_empty());
}

#[test]
fn names_are_read_from_invalid_pages() {
    for text in [
        "<p class=",
        "<p class='a",
        "<p id='&#",
        "<style>.a{",
        "<p style='--a:",
        "<a href='#",
        "<p class='{{",
        "<p class='&#32;a b'>",
    ] {
        let page = open(text);
        Html::facts(page.document());
    }
}

#[test]
fn rename_of_export_updates_script_imports() {
    let page = "<script type=module>\nimport d, { total, sum as s } from './a.js'\nimport * as m from './a.js'\n\
                import { total as other } from './b.js'\ntotal(m.total, s, import('./c.js'))\n</script>";
    let facts = Html::facts(open(page).document());
    let shown: Vec<String> = facts
        .imports
        .into_iter()
        .map(|it| format!("{} {} {}", it.specifier, it.name, it.local.unwrap_or_default()))
        .collect();
    assert_eq!(
        shown,
        ["./a.js default d", "./a.js total total", "./a.js sum s", "./a.js * m", "./b.js total other", "./c.js * "]
    );
    let key = |name: &str| ImportKey { specifiers: vec!["./a.js".to_owned()], name: name.to_owned() };
    let renamed = renaming(page, Subject::Imported(key("total")), "all").expect("renamed");
    let after = span::apply(page, &renamed.edits);
    assert_eq!(after, page.replacen("total, sum", "all as total, sum", 1));
    let left: Vec<&str> = renamed.unresolved.iter().map(|span| span.slice(page)).collect();
    assert_eq!(left, ["total"]);
    let renamed = renaming(page, Subject::Imported(key("sum")), "all").expect("renamed");
    assert_eq!(span::apply(page, &renamed.edits), page.replacen("sum as", "all as", 1));
}
