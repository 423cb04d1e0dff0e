//! Tests of symbols: definitions and their references.

use marquetry_sdk::{FailureKind, ImportKey, RenameResult, Result, Subject, Symbols, span, testing::open, workspace};

use crate::Json;

fn renaming(path: &str, text: &str, subject: Subject, new: &str) -> Result<RenameResult> {
    Json::rename(open::<Json>(path, text).document(), subject, new)
}

fn address(address: &str) -> Subject {
    Subject::Address(address.to_owned())
}

#[track_caller]
fn check(text: &str, address_of: &str, new: &str, after: &str) {
    let renamed = renaming("a.json", text, address(address_of), new).expect("renamed");
    assert_eq!(span::apply(text, &renamed.edits), after);
    for edit in &renamed.edits {
        let at = renaming("a.json", text, Subject::At(edit.span.start), new).expect("renamed at each occurrence");
        assert_eq!(at.edits, renamed.edits, "{:?}", edit.span);
    }
}

#[test]
fn renames_definition_with_its_references() {
    check(
        r##"{"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$defs": {"a": 1}}, "ab": {"$ref": "#/$defs/a"}}, "c": "a"}"##,
        "$['$defs'].a",
        "x",
        r##"{"$defs": {"x": {"$ref": "#/$defs/b"}, "b": {"$defs": {"a": 1}}, "ab": {"$ref": "#/$defs/x"}}, "c": "a"}"##,
    );
    check(
        r##"{"definitions": {"a b": {"items": {"$ref": "#/definitions/a%20b/items"}}}}"##,
        "$.definitions['a b']",
        "c",
        r##"{"definitions": {"c": {"items": {"$ref": "#/definitions/c/items"}}}}"##,
    );
}

#[test]
fn references_resolve_from_schema_with_id() {
    let text = r##"{"$id": "https://x.y/root.json", "$defs": {"a": {}, "b": {"$id": "b.json", "$defs": {"a": {}}, "items": {"$ref": "#/$defs/a"}}}, "c": {"$ref": "#/$defs/a"}, "d": {"$ref": "b.json#/$defs/a"}, "e": {"$ref": "root.json#/$defs/a"}}"##;
    let outer = text.replace(r#""$defs": {"a": {}, "b""#, r#""$defs": {"x": {}, "b""#);
    let outer = outer.replace(r##""c": {"$ref": "#/$defs/a"}"##, r##""c": {"$ref": "#/$defs/x"}"##);
    check(text, "$['$defs'].a", "x", &outer.replace("root.json#/$defs/a", "root.json#/$defs/x"));
    let inner = text.replace(r#""b.json", "$defs": {"a""#, r#""b.json", "$defs": {"x""#);
    let inner = inner.replace(r##""items": {"$ref": "#/$defs/a"}"##, r##""items": {"$ref": "#/$defs/x"}"##);
    check(text, "$['$defs'].b['$defs'].a", "x", &inner.replace("b.json#/$defs/a", "b.json#/$defs/x"));
    check(text, "$['$defs'].b", "x", &text.replace(r#""b": {"$id""#, r#""x": {"$id""#));
}

#[test]
fn renames_anchor_with_its_references() {
    check(
        r##"{"$defs": {"a": {"$anchor": "b"}, "c": {"$id": "d", "$anchor": "b", "items": {"$ref": "#b"}}}, "e": {"$ref": "#b"}}"##,
        "$['$defs'].a['$anchor']",
        "x",
        r##"{"$defs": {"a": {"$anchor": "x"}, "c": {"$id": "d", "$anchor": "b", "items": {"$ref": "#b"}}}, "e": {"$ref": "#x"}}"##,
    );
    check(
        r##"{"definitions": {"a": {"$id": "#b"}}, "c": {"$ref": "#b"}}"##,
        "$.definitions.a['$id']",
        "x",
        r##"{"definitions": {"a": {"$id": "#x"}}, "c": {"$ref": "#x"}}"##,
    );
    workspace::set_files([("b.json".to_owned(), r#"{"$defs": {"x": {"$anchor": "y"}}}"#.to_owned())]);
    let text = r##"{"a": {"$ref": "b.json#y"}}"##;
    let found = renaming("a.json", text, Subject::At(20), "z").expect("found");
    assert_eq!(found.elsewhere.map(|place| (place.path, place.offset)), Some(("b.json".to_owned(), 29)));
    let key = ImportKey { specifiers: vec!["b.json#y".to_owned()], name: "/#y".to_owned() };
    let renamed = renaming("a.json", text, Subject::Imported(key), "z").expect("renamed");
    assert_eq!(span::apply(text, &renamed.edits), text.replace("#y", "#z"));
    let failure = renaming("a.json", r#"{"$anchor": "a"}"#, address("$['$anchor']"), "1").expect_err("refused");
    assert_eq!(failure.message, "`1` is not an anchor");
    let dynamic = r##"{"$anchor": "a", "b": {"$dynamicRef": "#a"}}"##;
    assert_eq!(renaming("a.json", dynamic, address("$['$anchor']"), "x").expect("renamed").unresolved.len(), 1);
}

#[test]
fn rename_leaves_uncertain_references() {
    let text = r##"{"$defs": {"a": 1}, "x": "#/$defs/a", "y": {"$ref": "#\/$defs/a"}}"##;
    let renamed = renaming("a.json", text, address("$['$defs'].a"), "b").expect("renamed");
    let left: Vec<&str> = renamed.unresolved.iter().map(|span| span.slice(text)).collect();
    assert_eq!((renamed.edits.len(), left), (1, vec!["a"]));
}

#[test]
fn rename_refuses_invalid_or_taken_names() {
    let refused = |text: &str, of: &str, new: &str| {
        let failure = renaming("a.json", text, address(of), new).expect_err("refused");
        (failure.kind, failure.message)
    };
    let taken = (FailureKind::RefactorFailed, "a definition `b` already exists".to_owned());
    assert_eq!(refused(r#"{"$defs": {"a": 1, "b": 2}}"#, "$['$defs'].a", "b"), taken);
    let twice = (FailureKind::RefactorFailed, "the key `a` occurs 2 times, and only the last one is used".to_owned());
    assert_eq!(refused(r#"{"$defs": {"a": 1, "a": 2}}"#, "$['$defs'].a", "b"), twice);
    let written = "the key `a` is written with escapes and cannot be renamed".to_owned();
    assert_eq!(refused(r#"{"$defs": {"\u0061": 1}}"#, "$['$defs'].a", "b"), (FailureKind::RefactorFailed, written));
    // A property named `$defs` is not the keyword, so its members are plain keys and not definitions.
    let text = r#"{"properties": {"$defs": {"a": 1}}}"#;
    let renamed = renaming("a.json", text, address("$.properties['$defs'].a"), "b").expect("a key");
    assert!(renamed.exported.is_empty());
    assert_eq!(span::apply(text, &renamed.edits), r#"{"properties": {"$defs": {"b": 1}}}"#);
}

#[test]
fn rename_updates_references_in_other_files() {
    workspace::set_files([("b.json".to_owned(), r#"{"$defs": {"x": 1}}"#.to_owned())]);
    let text = r##"{"a": {"$ref": "b.json#/$defs/x/y"}, "b": {"$ref": "b.json#/$defs/xy"}}"##;
    let found = renaming("a.json", text, Subject::At(18), "z").expect("found");
    assert_eq!(found.elsewhere.map(|place| (place.path, place.offset)), Some(("b.json".to_owned(), 12)));
    let specifiers = vec!["b.json#/$defs/x/y".to_owned(), "b.json#/$defs/xy".to_owned()];
    let key = ImportKey { specifiers, name: "/$defs/x".to_owned() };
    let renamed = renaming("a.json", text, Subject::Imported(key), "z").expect("renamed");
    assert_eq!(span::apply(text, &renamed.edits), text.replace("/x/", "/z/"));
    let facts = Json::facts(open::<Json>("a.json", text).document());
    assert_eq!(facts.imports.into_iter().map(|import| import.name).collect::<Vec<_>>(), ["/$defs/x/y", "/$defs/xy"]);
}

/// If a document has no definitions, a key is renamed only at the place where it is written.
#[test]
fn renames_plain_keys_in_place() {
    for (text, address_of, new, after) in [
        (r#"{"a": {"b": 1}, "c": "b"}"#, "$.a.b", "x", r#"{"a": {"x": 1}, "c": "b"}"#),
        (r#"{"a": 1}"#, "$.a", "a b\"c", r#"{"a b\"c": 1}"#),
        (r#"[{"a": 1}, {"a": 2}]"#, "$[1].a", "z", r#"[{"a": 1}, {"z": 2}]"#),
        (
            r##"{"$defs": {"a": {}}, "items": {"$ref": "#/$defs/a"}}"##,
            "$.items",
            "z",
            r##"{"$defs": {"a": {}}, "z": {"$ref": "#/$defs/a"}}"##,
        ),
    ] {
        let renamed = renaming("a.json", text, address(address_of), new).expect("renamed");
        assert_eq!(span::apply(text, &renamed.edits), after);
        assert!(renamed.exported.is_empty() && renamed.shared.is_none(), "no other file is affected");
        let at = renaming("a.json", text, Subject::At(renamed.edits[0].span.start), new).expect("found by offset");
        assert_eq!(at.edits, renamed.edits);
    }
    let json5 = renaming("a.json5", "{a: 1, 'b': 2}", address("$.b"), "c").expect("renamed");
    assert_eq!(span::apply("{a: 1, 'b': 2}", &json5.edits), "{a: 1, 'c': 2}");
    let json5 = renaming("a.json5", "{a: 1}", address("$.a"), "b-c").expect("renamed");
    assert_eq!(span::apply("{a: 1}", &json5.edits), "{\"b-c\": 1}");
}

#[test]
fn rename_refuses_existing_key() {
    let kind = |text: &str, address_of: &str, new: &str| {
        renaming("a.json", text, address(address_of), new).err().map(|failure| failure.kind)
    };
    assert_eq!(kind(r#"{"a": 1, "b": 2}"#, "$.a", "b"), Some(FailureKind::RefactorFailed));
    assert_eq!(kind(r#"{"a": 1, "a": 2}"#, "$.a", "b"), Some(FailureKind::RefactorFailed));
    assert_eq!(kind(r#"{"a": [1]}"#, "$.a[0]", "b"), Some(FailureKind::TargetNotFound));
    assert_eq!(kind(r#"{"$id": "x"}"#, "$['$id']", "b"), Some(FailureKind::TargetNotFound));
    assert_eq!(kind(r#"{"a": 1}"#, "$", "b"), Some(FailureKind::TargetNotFound));
}
