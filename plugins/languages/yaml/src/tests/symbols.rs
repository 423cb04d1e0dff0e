//! Tests of symbols: anchors with their aliases, and definitions with their references.

use marquetry_sdk::{FailureKind, RenameResult, Result, Subject, Symbols, span, testing::open};

use crate::Yaml;

fn renaming(text: &str, subject: Subject, new: &str) -> Result<RenameResult> {
    Yaml::rename(open::<Yaml>("a.yaml", text).document(), subject, new)
}

#[track_caller]
fn check_at(text: &str, offset: u32, new: &str, after: &str) {
    let renamed = renaming(text, Subject::At(offset), new).expect("renamed");
    assert_eq!(span::apply(text, &renamed.edits), after);
}

#[track_caller]
fn check(text: &str, address: &str, new: &str, after: &str) {
    let renamed = renaming(text, Subject::Address(address.to_owned()), new).expect("renamed");
    assert_eq!(span::apply(text, &renamed.edits), after);
    for edit in &renamed.edits {
        let at = renaming(text, Subject::At(edit.span.start), new).expect("renamed at each occurrence");
        assert_eq!(at.edits, renamed.edits, "{:?}", edit.span);
    }
}

#[test]
fn renames_anchor_with_its_aliases() {
    check("a: &x 1\nb: [*x, '*x']\nc: *x # *x\n", "&x", "y", "a: &y 1\nb: [*y, '*x']\nc: *y # *x\n");
    check("a: &x {b: 1}\nc:\n  <<: *x\n", "&x", "*base", "a: &base {b: 1}\nc:\n  <<: *base\n");
    check("a: &x !!str 1\nb: !t &y\n  c: *x\n*x : *y\n", "&y", "z", "a: &x !!str 1\nb: !t &z\n  c: *x\n*x : *z\n");
    // An alias refers to the last anchor with its name before it.
    check_at("a: &x 1\nb: *x\nc: &x 2\nd: *x\n", 18, "y", "a: &x 1\nb: *x\nc: &y 2\nd: *y\n");
    check("&k a: 1\nb: *k\n", "&k", "key", "&key a: 1\nb: *key\n");
}

#[test]
fn anchors_are_local_to_document() {
    check_at("a: &x 1\nb: *x\n---\na: &x 2\nb: *x\n", 22, "y", "a: &x 1\nb: *x\n---\na: &y 2\nb: *y\n");
    let text = "a: &x 1\nb: &y 2\n---\na: &z 1\n";
    let failure = renaming(text, Subject::Address("&x".to_owned()), "y").expect_err("refused");
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (FailureKind::RefactorFailed, "the document already has an anchor `y`")
    );
    assert!(renaming(text, Subject::Address("&x".to_owned()), "z").is_ok());
    let unknown = renaming(text, Subject::Address("*xx".to_owned()), "q").expect_err("unknown");
    assert_eq!((unknown.kind, unknown.candidates), (FailureKind::TargetNotFound, vec!["x".to_owned()]));
}

#[test]
fn renames_definitions_in_every_style() {
    check(
        "components:\n  schemas:\n    A: {}\n    'B':\n      $ref: '#/components/schemas/A'\n      x: { $ref: \"#/components/schemas/A/y\" }\n      z:\n        $ref: \"#/components/schemas/B\"\n",
        "$.components.schemas.A",
        "C",
        "components:\n  schemas:\n    C: {}\n    'B':\n      $ref: '#/components/schemas/C'\n      x: { $ref: \"#/components/schemas/C/y\" }\n      z:\n        $ref: \"#/components/schemas/B\"\n",
    );
    check("$defs:\n  'a': 1\n$ref: '#/$defs/a'\n", "$['$defs'].a", "b", "$defs:\n  'b': 1\n$ref: '#/$defs/b'\n");
}

#[test]
fn requests_on_broken_texts_do_not_panic() {
    for text in
        ["$defs: {'é", "$ref: \"é", "$defs:\n  'é", "a: &", "a: *", "&é", "*é: &é", "$defs: {\"", "components: {a: {'"]
    {
        Yaml::facts(open::<Yaml>("a.yaml", text).document());
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            let _ = renaming(text, Subject::At(at as u32), "b");
        }
    }
}

#[test]
fn key_of_an_anchored_value_is_not_taken_for_the_anchor() {
    let text = "base: &b\n  k: 1\nuse: *b\n";
    let failure = renaming(text, Subject::Address("$.base".to_owned()), "basis").expect_err("a key");
    assert_eq!((failure.kind, failure.candidates), (FailureKind::RefactorFailed, vec!["&b".to_owned()]));
    assert!(renaming(text, Subject::Address("&b".to_owned()), "basis").is_ok());
    assert!(failure.hint.is_some_and(|hint| hint.contains("`&basis`")), "the hint shows the new name");
    check(text, "$.base", "&basis", "base: &basis\n  k: 1\nuse: *basis\n");
    check("- x: &b 1\n- *b\n", "$[0].x", "&c", "- x: &c 1\n- *c\n");
    assert!(renaming("b: &b 1\nc: *b\n", Subject::Address("$.b".to_owned()), "basis").is_ok());
    assert!(renaming("- &b 1\n- *b\n", Subject::Address("$[0]".to_owned()), "basis").is_ok());
}

#[test]
fn renames_plain_keys_where_they_are_written() {
    for (text, address, new, after) in [
        ("a:\n  old: 1\nold: 2\n", "$.a.old", "new", "a:\n  new: 1\nold: 2\n"),
        ("a: {old: 1, b: 2}\n", "$.a.old", "new", "a: {new: 1, b: 2}\n"),
        ("- old: 1\n  b: 2\n", "$[0].old", "longer", "- longer: 1\n  b: 2\n"),
        ("'old': 1\n", "$.old", "it's", "'it''s': 1\n"),
        ("\"old\": 1\n", "$.old", "a\"b", "\"a\\\"b\": 1\n"),
        ("old: 1\n", "$.old", "a: b", "'a: b': 1\n"),
        ("old: 1\n", "$.old", "null", "'null': 1\n"),
        ("old: 1\n", "$.old", "- x", "'- x': 1\n"),
        ("old: 1\n", "$.old", "#x", "'#x': 1\n"),
        ("? old\n: 1\n", "$.old", "new", "? new\n: 1\n"),
        ("old: # c\n  - 1\n", "$.old", "new", "new: # c\n  - 1\n"),
        ("old: |\n  old\n", "$.old", "new", "new: |\n  old\n"),
        ("&k old: 1\n", "$.old", "new", "&k new: 1\n"),
        ("a: 1\n---\nold: 1\n", "$[1].old", "new", "a: 1\n---\nnew: 1\n"),
        ("1: a\n", "$['1']", "2", "2: a\n"),
    ] {
        let renamed = renaming(text, Subject::Address(address.to_owned()), new)
            .unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert_eq!(span::apply(text, &renamed.edits), after, "{text}");
        let at = Subject::At(renamed.edits[0].span.start);
        assert_eq!(renaming(text, at, new).expect("renamed").edits, renamed.edits, "{text}");
    }
}

#[test]
fn keys_that_cannot_be_renamed_are_refused() {
    for (text, address, new) in [
        ("a: 1\nb: 2\n", "$.a", "b"),
        ("a: 1\na: 2\n", "$.a", "b"),
        ("<<: {a: 1}\n", "$['<<']", "b"),
        ("$ref: x\n", "$['$ref']", "b"),
        ("- 1\n", "$[0]", "b"),
        ("x: &x {a: 1}\ny: *x\n", "$.y.a", "b"),
        ("x: &x {a: 1}\ny:\n  <<: *x\n", "$.y.a", "b"),
    ] {
        assert!(renaming(text, Subject::Address(address.to_owned()), new).is_err(), "{text} {address}");
    }
    assert!(renaming("a: 1\n", Subject::Address("$.a".to_owned()), "a").expect("renamed").edits.is_empty());
    check_at("base: &b 1\nuse: *b\n", 1, "basis", "basis: &b 1\nuse: *b\n");
}
