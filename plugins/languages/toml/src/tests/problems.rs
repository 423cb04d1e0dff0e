//! Tests of syntax errors and their positions.

use marquetry_sdk::{TargetKind, testing};

use crate::Toml;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(testing::open::<Toml>("a.toml", text).diagnostics(), expected, "{text}");
}

#[test]
fn reports_duplicate_keys() {
    check("a = 1\nb = 2\na = 3\n", &["3:1 the key `a` is already defined as an integer (line 1)"]);
    check("[a]\n[b]\n[a]\n", &["3:2 the key `a` is already defined as a table (line 1)"]);
    check("[a]\n[[a]]\n", &["2:3 the key `a` is already defined as a table (line 1)"]);
    check("a = { b = 1, b = 2 }\n", &["1:14 the key `b` is already defined as an integer (line 1)"]);
    check("a.b = 1\n[a]\n", &["2:2 the key `a` is already defined as a table (line 1)"]);
}

#[test]
fn reports_duplicate_keys_in_large_table() {
    let many: String = (0..100).map(|number| format!("a{number} = 1\n")).collect();
    let twice = |name: &str, line| format!("the key `{name}` is already defined as an integer (line {line})");
    let found = [format!("101:1 {}", twice("a3", 4)), format!("102:1 {}", twice("a99", 100))];
    check(&format!("{many}\"a3\" = 2\na99 = 2\n[b]\na1 = 1\n"), &found.each_ref().map(String::as_str));
    // The last duplicate is reported, although the first one was added before the names of the table were hashed.
    let found = [format!("2:1 {}", twice("b", 1)), format!("103:1 {}", twice("b", 2))];
    check(&format!("b = 1\nb = 2\n{many}b = 3\n"), &found.each_ref().map(String::as_str));
}

#[test]
fn reports_tables_that_cannot_be_extended() {
    check("a = 1\n[a.b]\n", &["2:2 `a` is an integer, which has no keys (line 1)"]);
    check("a = {}\na.b = 1\n", &["2:1 the inline table `a` cannot be extended outside its braces (line 1)"]);
    check("[a.b]\n[a]\nb.c = 1\n", &["3:1 the table `b` has its own header: a dotted key cannot extend it (line 1)"]);
    check("[[a.b]]\n[a]\nb.c = 1\n", &["3:1 `b` is an array of tables: a dotted key cannot extend it (line 1)"]);
}

#[test]
fn reports_invalid_values() {
    check("a = \n", &["1:5 a value is missing"]);
    check("a = 2021-02-30\n", &["1:5 this date or time does not exist"]);
    check("a = 9223372036854775808\n", &["1:5 the number does not fit into 64 bits"]);
    check("a = b\n", &["1:5 string values must be quoted, expected literal string"]);
    check("= 1\n", &["1:1 a key is missing"]);
}

#[test]
fn finds_values_after_error() {
    let text = "a = [1,\n  2\n\n[b]\nc = \"\"\"\nx\n\n[d]\ne = 1\n";
    let bench = testing::open::<Toml>("a.toml", text);
    assert_eq!(bench.diagnostics().len(), 2, "{:?}", bench.diagnostics());
    assert_eq!(bench.read(TargetKind::Path, "$.d.e").expect("found"), ["1"]);
    assert_eq!(bench.read(TargetKind::Path, "$.a[1]").expect("found"), ["2"]);
    let text = "a = 1\n[b\nc = 2\n[[d]\ne = 3\n";
    let bench = testing::open::<Toml>("a.toml", text);
    assert_eq!(bench.read(TargetKind::Path, "$.b.c").expect("found"), ["2"]);
    assert_eq!(bench.read(TargetKind::Path, "$.d[0].e").expect("found"), ["3"]);
}

#[test]
fn deep_nesting_is_refused() {
    let text = format!("a = {}1{}\nb = 2\n", "[".repeat(5000), "]".repeat(5000));
    let bench = testing::open::<Toml>("a.toml", &text);
    assert!(!bench.diagnostics().is_empty());
    assert_eq!(bench.read(TargetKind::Path, "$.b").expect("found"), ["2"]);
    testing::open::<Toml>("a.toml", &format!("{}x = 1\n", "a.".repeat(50_000))).outline();
}
