//! Tests of symbols: anchors with their aliases, and definitions with their references.

use marquetry_sdk::{FailureKind, RenameResult, Result, Subject, Symbols, span, testing::open};

use crate::Yaml;

fn renaming(text: &str, subject: Subject, new: &str) -> Result<RenameResult> {
    Yaml::rename(open::<Yaml>("a.yaml", text).document(), subject, new)
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
    check("a: &x 1\nb: [*x, '*x']\nc: *x # *x\n", "$.a", "y", "a: &y 1\nb: [*y, '*x']\nc: *y # *x\n");
    check("a: &x {b: 1}\nc:\n  <<: *x\n", "&x", "*base", "a: &base {b: 1}\nc:\n  <<: *base\n");
    check("a: &x !!str 1\nb: !t &y\n  c: *x\n*x : *y\n", "$.b", "z", "a: &x !!str 1\nb: !t &z\n  c: *x\n*x : *z\n");
    // An alias refers to the last anchor with its name before it.
    check("a: &x 1\nb: *x\nc: &x 2\nd: *x\n", "$.c", "y", "a: &x 1\nb: *x\nc: &y 2\nd: *y\n");
    check("&k a: 1\nb: *k\n", "&k", "key", "&key a: 1\nb: *key\n");
}

#[test]
fn anchors_are_local_to_document() {
    check("a: &x 1\nb: *x\n---\na: &x 2\nb: *x\n", "$[1].a", "y", "a: &x 1\nb: *x\n---\na: &y 2\nb: *y\n");
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
