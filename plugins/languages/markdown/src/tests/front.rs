//! Tests of adding missing keys to front matter.

use marquetry_sdk::{Document, FailureKind, Result, Target, TargetKind, span::apply, testing::open};

use crate::Markdown;

fn made(front: &str, path: &str, content: &str) -> Result<String> {
    let text = format!("{front}\n\n# A\n");
    let target = Target { kind: TargetKind::Path, value: path.to_owned() };
    let document = open::<Markdown>("a.md", &text);
    let after = apply(&text, &document.document().insert_missing(&target, content)?);
    Ok(after.strip_suffix("\n\n# A\n").expect("the rest of the document is unchanged").to_owned())
}

#[track_caller]
fn check(front: &str, path: &str, content: &str, expected: &str) {
    assert_eq!(made(front, path, content).expect("made"), expected, "{path} in\n{front}");
}

#[track_caller]
fn refused(front: &str, path: &str, kind: FailureKind) {
    let failure = made(front, path, "1").expect_err("refused");
    assert_eq!(failure.kind, kind, "{failure:?}");
    assert!(failure.hint.is_some());
}

#[test]
fn adds_keys_to_yaml() {
    check("---\ntitle: x\n---", "$.draft", "true", "---\ntitle: x\ndraft: true\n---");
    check("---\ntitle: x\n# end\n\n---", "$.draft", "true", "---\ntitle: x\n# end\ndraft: true\n\n---");
    check("---\n---", "$.draft", "true", "---\ndraft: true\n---");
    check("---\n\n---", "$.draft", "true", "---\ndraft: true\n---");
    check("---\ntags:\n- a\n---", "$.draft", "true", "---\ntags:\n- a\ndraft: true\n---");
    check("---\ntext: |\n  a: b\n\n  - c\n---", "$.draft", "true", "---\ntext: |\n  a: b\n\n  - c\ndraft: true\n---");
    check("---\r\ntitle: x\r\n---", "$.draft", "true", "---\r\ntitle: x\ndraft: true\r\n---");
    check("---\na: 1\n---", "$.tags", "- b\n- c\n", "---\na: 1\ntags:\n  - b\n  - c\n---");
    check("---\na: 1\n---", "$.tags", "[b, c]", "---\na: 1\ntags: [b, c]\n---");
    check("---\na: 1\n---", "$.b", "c: d", "---\na: 1\nb:\n  c: d\n---");
    check("---\na: 1\n---", "$.b", "\"c: d\"", "---\na: 1\nb: \"c: d\"\n---");
    check("---\na: 1\n---", "$.b", "|\n  c\n  d", "---\na: 1\nb: |\n  c\n  d\n---");
    check("---\na: 1\n---", "$['b c']", "2", "---\na: 1\n\"b c\": 2\n---");
    check("---\na: 1\n---", "$.b.c", "2", "---\na: 1\nb:\n  c: 2\n---");
    check("---\nb:\n    c: 1\nd: 2\n---", "$.b.e", "3", "---\nb:\n    c: 1\n    e: 3\nd: 2\n---");
    check("---\nb: # why\nd: 2\n---", "$.b.e", "3", "---\nb: # why\n  e: 3\nd: 2\n---");
    check("---\nb:\n  c:\n    - x\nd: 2\n---", "$.b.e.f", "3", "---\nb:\n  c:\n    - x\n  e:\n    f: 3\nd: 2\n---");
}

#[test]
fn adds_keys_to_toml() {
    check("+++\na = 1\n+++", "$.draft", "true", "+++\na = 1\ndraft = true\n+++");
    check("+++\na = 1\n\n[t]\nb = 2\n+++", "$.draft", "true", "+++\na = 1\ndraft = true\n\n[t]\nb = 2\n+++");
    check("+++\n[t]\nb = 2\n+++", "$.draft", "true", "+++\ndraft = true\n\n[t]\nb = 2\n+++");
    check("+++\n[t]\nb = 2\n\n[u]\n+++", "$.t.c", "3", "+++\n[t]\nb = 2\nc = 3\n\n[u]\n+++");
    check("+++\n[t]\n[u]\n+++", "$.t.c", "3", "+++\n[t]\nc = 3\n[u]\n+++");
    check("+++\na = 1\n+++", "$.t.c", "3", "+++\na = 1\n\n[t]\nc = 3\n+++");
    check("+++\n+++", "$.a", "3", "+++\na = 3\n+++");
}

#[test]
fn refuses_notations_other_than_lines() {
    refused("---\n{a: 1}\n---", "$.b", FailureKind::Unsupported);
    refused("---\n- a\n---", "$.b", FailureKind::Unsupported);
    refused("---\na: {b: 1}\n---", "$.a.c", FailureKind::Unsupported);
    refused("---\na:\n  - b\n---", "$.a.c", FailureKind::Unsupported);
    refused("---\na: 1\n---", "$.a", FailureKind::Unsupported);
    refused("---\na: 1\n---", "$.b[0]", FailureKind::InvalidTarget);
    refused("---\na: 1\n---", "$", FailureKind::InvalidTarget);
    refused("+++\nt.a = 1\n+++", "$.t.b", FailureKind::Unsupported);
    refused("---", "$.a", FailureKind::Unsupported);
}

#[test]
fn creates_front_matter() {
    check("text", "$.draft", "true", "---\ndraft: true\n---\n\ntext");
    check("", "$.draft", "true", "---\ndraft: true\n---\n");
    check("# A\n\n---\n\nb", "$.a.b", "- c", "---\na:\n  b:\n    - c\n---\n\n# A\n\n---\n\nb");
    check("```yaml\na: 1\n```", "$.tags", "[x]", "---\ntags: [x]\n---\n\n```yaml\na: 1\n```");
}
