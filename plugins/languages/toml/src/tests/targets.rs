//! Tests of the values that paths find, and of the errors for invalid paths.

use marquetry_sdk::{FailureKind, TargetKind, testing};

use super::{MANIFEST, read};
use crate::Toml;

#[test]
fn reads_values_and_sections() {
    assert_eq!(read(MANIFEST, "$.package.version"), ["\"1.0.0\""]);
    assert_eq!(read(MANIFEST, "$.package"), ["[package]\nname = \"shop\"\nversion = \"1.0.0\" # the first"]);
    assert_eq!(read(MANIFEST, "$.dependencies.tokio"), ["tokio.version = \"1.2\"\ntokio.features = [\"rt\"]"]);
    assert_eq!(read(MANIFEST, "$.dependencies.serde.features[0]"), ["\"derive\""]);
    assert_eq!(read(MANIFEST, "$.bin[1]"), ["[[bin]]\nname = \"two\"\n\n[bin.extra]\nx = 1"]);
    assert_eq!(read(MANIFEST, "$.bin[?@.name == 'one']"), ["[[bin]]\nname = \"one\""]);
    assert_eq!(read(MANIFEST, "$.profile"), ["[profile.release]\nlto = \"thin\""]);
    assert_eq!(read(MANIFEST, "$..version"), ["\"1.0.0\"", "\"1\"", "\"1.2\"", "\"0.9\""]);
    assert_eq!(read(MANIFEST, "$"), [MANIFEST]);
}

#[test]
fn section_includes_comment_above_header() {
    let text = "[a]\nx = 1\n# in a\n\n# about b\n[b]\n";
    assert_eq!(read(text, "$.a"), ["[a]\nx = 1\n# in a"]);
    let bench = testing::open::<Toml>("a.toml", text);
    let doc = |target: &str| bench.nodes(TargetKind::Path, target).expect(target)[0].doc.map(|doc| doc.slice(text));
    assert_eq!(doc("$.b"), Some("# about b"));
    assert_eq!(doc("$.a"), None);
}

#[test]
fn values_equal_those_of_toml_parsers() {
    let bench = testing::open::<Toml>(
        "a.toml",
        "a = 0x10\nb = '''\n\"q\"'''\nc = 1_0.5\nd = inf\ne = 12:00:00\n[[f]]\ng.h = [true]\n",
    );
    let value = bench.nodes(TargetKind::Path, "$").expect("a root").remove(0).value;
    assert_eq!(
        value.as_deref(),
        Some(r#"{"a":16,"b":"\"q\"","c":10.5,"d":"inf","e":"12:00:00","f":[{"g":{"h":[true]}}]}"#)
    );
}

#[test]
fn not_found_offers_nearest_paths() {
    let bench = testing::open::<Toml>("a.toml", MANIFEST);
    let failure = bench.nodes(TargetKind::Path, "$.package.versoin").expect_err("a typo");
    assert_eq!(failure.kind, FailureKind::TargetNotFound);
    assert_eq!(failure.candidates[0], "$.package.version");
    let failure = bench.nodes(TargetKind::Path, "package.name").expect_err("no JSONPath");
    assert_eq!((failure.kind, failure.candidates), (FailureKind::InvalidTarget, vec!["$.package.name".to_owned()]));
    assert_eq!(bench.nodes(TargetKind::Symbol, "package").expect_err("a symbol").kind, FailureKind::Unsupported);
}

#[test]
fn repeated_keys_have_unique_addresses() {
    let text = "a = 1\na = 2\n[b]\nx = 1\n[b]\ny = 1\n";
    assert_eq!(read(text, "$.a"), ["2"]);
    assert_eq!(read(text, "$['a'#1]"), ["1"]);
    assert_eq!(read(text, "$['b'#1]"), ["[b]\nx = 1"]);
    assert_eq!(read(text, "$.b.y"), ["1"]);
}
