//! Tests of the outline: kinds, names and addresses.

use marquetry_sdk::{Document as _, testing};

use super::MANIFEST;
use crate::Toml;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(testing::open::<Toml>("a.toml", text).outline(), expected, "{text}");
}

#[test]
fn outline_lists_tables_in_every_notation() {
    check(
        MANIFEST,
        "table $ @$
  table package @$.package
    string name @$.package.name
    string version @$.package.version
  table dependencies @$.dependencies
    table serde @$.dependencies.serde
      string version @$.dependencies.serde.version
      array features @$.dependencies.serde.features
        string 0 @$.dependencies.serde.features[0]
    table tokio @$.dependencies.tokio
      string version @$.dependencies.tokio.version
      array features @$.dependencies.tokio.features
        string 0 @$.dependencies.tokio.features[0]
    table rand @$.dependencies.rand
      string version @$.dependencies.rand.version
  array bin @$.bin
    table 0 @$.bin[0]
      string name @$.bin[0].name
    table 1 @$.bin[1]
      string name @$.bin[1].name
      table extra @$.bin[1].extra
        integer x @$.bin[1].extra.x
  table profile @$.profile
    table release @$.profile.release
      string lto @$.profile.release.lto
",
    );
}

#[test]
fn outline_names_scalar_kinds() {
    check(
        "a = 1\nb = 1.5\nc = true\nd = 1979-05-27\n'e f' = '''\nx'''\n",
        "table $ @$
  integer a @$.a
  float b @$.b
  boolean c @$.c
  date-time d @$.d
  string e f @$['e f']
",
    );
}

#[test]
fn outline_lists_scattered_parts_at_their_positions() {
    check(
        "[a]\nx = 1\n[b]\ny = 1\n[a.c]\nz = 1\n",
        "table $ @$
  table a @$.a
    integer x @$.a.x
  table b @$.b
    integer y @$.b.y
  table c @$.a.c
    integer z @$.a.c.z
",
    );
    check(
        "a.b = 1\nc = 2\na.d = 3\n",
        "table $ @$\n  table a @$.a\n    integer b @$.a.b\n  integer c @$.c\n  integer d @$.a.d\n",
    );
}

#[test]
fn outlines_of_large_files_are_complete_up_to_the_limit_of_the_contract() {
    let nodes = |text: &str| testing::open::<Toml>("a.toml", text).document().outline().len();
    let keys: String = (0..3000).map(|key| format!("k{key} = {key}\n")).collect();
    assert_eq!(nodes(&keys), 3001);
    assert_eq!(nodes(&"[[t]]\na = 1\n".repeat(40_000)), 50_000);
}
