//! Tests the optional interfaces of a module. Each function returns JSON in the documented form.

use marquetry_model::{
    Interface, Kind, Span,
    hover::{CheckArea, Condition},
    mentions::SearchedText,
    pack::Subject,
    refactor::{Audience, Selection},
};

use super::plugin::Plugin;

const SPAN: &str = r#"{"start": 0, "end": 4}"#;

/// A module with these functions, in which `SPAN` is replaced by the span of the whole text.
fn with(functions: &[(&str, &str)]) -> Plugin {
    let answering = |plugin: Plugin, (name, json): &(&str, &str)| plugin.answering(name, &json.replace("SPAN", SPAN));
    functions.iter().fold(Plugin::healthy(), answering)
}

#[test]
fn symbols() {
    let installed = with(&[
        (
            "symbols_facts",
            r#"{"exports": [{"name": "a", "span": SPAN, "kind": "key", "type_only": false}],
                "imports": [{"specifier": "./b", "name": "*", "exported": "*", "type_only": true}],
                "shared": [{"namespace": "css-class", "name": "c"}], "free": []}"#,
        ),
        (
            "symbols_resolve_symbol",
            r#"{"ok": {"name": "a", "kind": "key", "occurrences": [{"span": SPAN, "usage": "type_use", "certain": true}],
                "exported_as": ["a"], "declared": {"name": "a", "locations": [{"path": "b", "offset": 3}], "forms": []}}}"#,
        ),
        (
            "symbols_rename",
            r#"{"ok": {"edits": [{"span": SPAN, "text": "b"}], "exported": [{"old": "a", "new": "b"}], "unresolved": [SPAN],
                "name": "a"}}"#,
        ),
    ])
    .installed("");
    assert!(installed.pack().expect("a pack").has_interface(Interface::Symbols));
    let mut document = installed.open("text");
    let facts = document.exports_and_imports().expect("facts");
    assert_eq!((facts.exports[0].name.as_str(), facts.imports[0].exported.as_deref()), ("a", Some("*")));
    assert_eq!(facts.shared[0].namespace, "css-class");
    let found = document.resolve_symbol(&Subject::At(0)).expect("resolved");
    assert_eq!(
        (found.occurrences[0].usage, found.member.map(|member| member.locations)),
        ("type", Some(vec![("b".to_owned(), 3)]))
    );
    let renaming = document.rename(&Subject::Address("a".to_owned()), "b").expect("renamed");
    assert_eq!((renaming.edits.apply("text").as_str(), renaming.unresolved.as_slice()), ("b", &[Span::new(0, 4)][..]));
}

#[test]
fn refactors() {
    let rewrite = r#"{"ok": {"edits": [], "ask": [{"audience": {"importers": ["a"]}, "payload": "p"}, {"audience": {"file": "b"}, "payload": "q"}],
        "create": [{"path": "c", "text": "new"}], "unresolved": [], "name_at": 3}}"#;
    let installed = with(&[
        (
            "refactors_refactors",
            r#"[{"id": "sort", "title": "Sort", "place": "document", "asks_exporters": false,
                "arguments": [{"name": "order", "summary": "s", "values": ["a"], "required": true}]}]"#,
        ),
        (
            "refactors_offers",
            r#"[{"id": "sort"}, {"id": "other", "unavailable": {"kind": "unsupported", "message": "m", "candidates": []}}]"#,
        ),
        ("refactors_apply", rewrite),
        ("refactors_answer", r#"{"failure": {"kind": "refactor_failed", "message": "m", "candidates": []}}"#),
    ])
    .installed("");
    let pack = installed.pack().expect("a pack");
    assert_eq!(pack.description().refactors[0].arguments[0].name, "order");
    let mut document = installed.open("text");
    let at = Selection { span: Span::new(0, 4), caret: 0 };
    let offers = document.available_refactors(at).expect("offers");
    assert_eq!(offers[1].unavailable.as_ref().map(marquetry_model::Error::kind), Some(Kind::Unsupported));
    let rewrite = document.apply_refactor("sort", at, &[("order".to_owned(), "a".to_owned())]).expect("applied");
    assert_eq!(rewrite.questions[0].audience, Audience::Importers(vec!["a".to_owned()]));
    assert_eq!(
        (rewrite.questions[1].payload.as_str(), rewrite.new_files[0].0.as_str(), rewrite.name_at),
        ("q", "c", Some(3))
    );
    assert_eq!(document.answer_question("a", "p").expect_err("it refuses").kind(), Kind::RefactorFailed);
}

#[test]
fn hover() {
    let related = r#"[{"name": "f", "span": SPAN, "from": "./b"}]"#;
    let installed = with(&[
        (
            "hover_info",
            r#"{"name": "a", "kind": "key", "span": SPAN, "type": "number", "notes": [{"label": "default", "text": "1"}]}"#,
        ),
        ("hover_type_definitions", r#"[{"path": "b", "offset": 3}]"#),
        ("hover_calls", related),
        ("hover_supertypes", "null"),
        ("hover_subtypes", related),
        (
            "hover_check",
            r#"{"checked": ["links", "names"], "diagnostics": [{"area": "names", "diagnostic": {"severity": "warning", "span": SPAN,
                "message": "m"}, "only_if": [{"exported": "a"}, {"declared_nowhere": {"namespace": "s", "name": "n"}}],
                "fix": {"refactor": "sort", "arguments": []}}]}"#,
        ),
        ("hover_manifest_names", r#"["a.p"]"#),
        ("hover_read_manifest", r#"{"name": "n", "scripts": [{"name": "test", "command": "t"}], "workspaces": []}"#),
    ])
    .installed("");
    assert_eq!(installed.pack().expect("a pack").manifest_names(), Ok(vec!["a.p".to_owned()]));
    let mut document = installed.open("text");
    let info = document.hover_info(1).expect("answered").expect("hover information");
    assert_eq!((info.r#type.as_deref(), info.notes[0].label.as_str()), (Some("number"), "default"));
    assert_eq!(document.type_definitions(1), Ok(vec![("b".to_owned(), 3)]));
    assert_eq!(document.calls("$").expect("answered").expect("calls")[0].name, "f");
    assert_eq!(document.supertypes("$"), Ok(None));
    assert_eq!(document.subtypes("$").expect("answered").expect("subtypes")[0].name, "f");
    let checks = document.semantic_diagnostics().expect("checked");
    assert_eq!((checks.checked.len(), &checks.diagnostics[0].area), (2, &CheckArea::Names));
    assert_eq!(checks.diagnostics[0].conditions[0], Condition::Exported("a".to_owned()));
    assert_eq!(document.read_manifest().expect("read").expect("a manifest").scripts[0].1, "t");
}

#[test]
fn search() {
    let installed = with(&[
        ("search_read_pattern", r#"{"ok": {"words": ["foo"], "captures": ["A"]}}"#),
        (
            "search_matches",
            r#"{"ok": {"matches": [{"span": SPAN, "captures": [{"name": "A", "span": SPAN}], "unmatched": []}], "total": 1}}"#,
        ),
    ])
    .installed("");
    let pack = installed.pack().expect("a pack");
    assert_eq!(pack.parse_pattern("a.p", "foo($A)").expect("read").captures, ["A"]);
    let found = installed.open("text").structural_matches("foo($A)", 5).expect("matched");
    assert_eq!((found.total, found.matches[0].span), (1, Span::new(0, 4)));
}

#[test]
fn mentions() {
    let installed = with(&[
        ("mentions_text_names", r#"[{"name": "text", "path": "text.p", "kind": "module"}]"#),
        ("mentions_find_mentions", r#"[{"name": 0, "span": SPAN, "member": null}]"#),
    ])
    .installed("");
    let pack = installed.pack().expect("a pack");
    assert!(pack.has_interface(Interface::Mentions));
    let names = pack.text_names(&["text.p"]).expect("names");
    assert_eq!((names[0].name.as_str(), names[0].kind.as_str()), ("text", "module"));
    let source = SearchedText { path: "Makefile", text: "text", is_code: false };
    assert_eq!(pack.find_mentions(&names, source).expect("found")[0].span, Span::new(0, 4));
}
