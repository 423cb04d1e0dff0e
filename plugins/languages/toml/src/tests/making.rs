//! Tests that missing values are created, together with the tables on their path.

use marquetry_sdk::{FailureKind, TargetKind::Path, testing};

use crate::Toml;

#[track_caller]
fn check(text: &str, target: &str, content: &str, expected: &str) {
    testing::check_insert_missing::<Toml>(("a.toml", text), (Path, target), content, expected);
}

const TEXT: &str = "[package]\nname = \"x\"\n\n[dependencies]\na = \"1\"\n";

#[test]
fn upsert_creates_keys_and_tables() {
    check(
        TEXT,
        "$.package.edition",
        "\"2024\"",
        "[package]\nname = \"x\"\nedition = \"2024\"\n\n[dependencies]\na = \"1\"\n",
    );
    check(
        TEXT,
        "$.dependencies.b.version",
        "\"2\"",
        "[package]\nname = \"x\"\n\n[dependencies]\na = \"1\"\nb = { version = \"2\" }\n",
    );
    check(TEXT, "$.profile.release.lto", "true", &format!("{TEXT}\n[profile.release]\nlto = true\n"));
    check(
        TEXT,
        "$.features",
        "default = []\nx = [\"dep:a\"]",
        &format!("{TEXT}\n[features]\ndefault = []\nx = [\"dep:a\"]\n"),
    );
    check(TEXT, "$.features", "{ default = [] }", &format!("{TEXT}\n[features]\ndefault = []\n"));
    check(TEXT, "$.bin[0].name", "\"y\"", &format!("{TEXT}\n[[bin]]\nname = \"y\"\n"));
    check(
        TEXT,
        "$.bin[0]",
        "name = \"y\"\npath = \"y.rs\"",
        &format!("{TEXT}\n[[bin]]\nname = \"y\"\npath = \"y.rs\"\n"),
    );
    check(TEXT, "$.title", "1", &format!("title = 1\n\n{TEXT}"));
    check(TEXT, "$.x['odd key']", "1", &format!("{TEXT}\n[x]\n\"odd key\" = 1\n"));
    check("", "$.a.b", "1", "[a]\nb = 1\n");
    check("[a.b]\nx=1\n", "$.a.c", "2", "[a]\nc=2\n\n[a.b]\nx=1\n");
    check("[a.b]\nx = 1\n", "$.a.c.y", "2", "[a.b]\nx = 1\n\n[a.c]\ny = 2\n");
    check("[a]\nb.x = 1\n", "$.a.b.y", "2", "[a]\nb.x = 1\nb.y = 2\n");
    check("[t]\na = 1\nb = 1\nd = 1\ne = 1\n", "$.t.c", "0", "[t]\na = 1\nb = 1\nc = 0\nd = 1\ne = 1\n");
}

#[test]
fn upsert_creates_elements() {
    check("a = [1]\n", "$.a[1]", "2", "a = [1, 2]\n");
    check("a = [1]\n", "$.a[1].b", "2", "a = [1, { b = 2 }]\n");
    check("x = 1\n", "$.a[0]", "2", "x = 1\na = [2]\n");
    check("[[a]]\nx = 1\n\n[b]\n", "$.a[1].y.z", "2", "[[a]]\nx = 1\n\n[[a]]\ny = { z = 2 }\n\n[b]\n");
    check("[[a]]\nx = 1\n", "$.a[1]", "{ x = 2 }", "[[a]]\nx = 1\n\n[[a]]\nx = 2\n");
    check("a = {}\n", "$.a.b.c", "1", "a = { b = { c = 1 } }\n");
}

#[test]
fn upsert_refuses_ambiguous_paths() {
    let refused = |target: &str, content: &str| {
        testing::check_missing_refusal::<Toml>(("a.toml", "a = [1]\nb = 1\n[[c]]\n"), (Path, target), content).kind
    };
    assert_eq!(refused("$.b", "1"), FailureKind::InvalidArgument);
    assert_eq!(refused("$.*.x", "1"), FailureKind::InvalidTarget);
    assert_eq!(refused("$.b.x", "1"), FailureKind::Unsupported);
    assert_eq!(refused("$.a[2]", "1"), FailureKind::TargetNotFound);
    assert_eq!(refused("$.c[1]", "1"), FailureKind::InvalidArgument);
    assert_eq!(refused("$.x", "no value"), FailureKind::ParseError);
    assert_eq!(refused("$.x", "[x]\ny = 1"), FailureKind::InvalidArgument);
}
