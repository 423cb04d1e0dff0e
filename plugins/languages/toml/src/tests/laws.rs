//! Tests of the laws, which are properties that every language pack must have.

use marquetry_sdk::{Node, TargetKind, testing};

use super::MANIFEST;
use crate::Toml;

const PIECES: &[&str] = &[
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    ",",
    ".",
    "=",
    " = ",
    "a",
    "b",
    "c-d",
    "[a]\n",
    "[[b]]\n",
    "[a.b]\n",
    "a = 1\n",
    "a.b = 2\n",
    "\"a\"",
    "'b'",
    "\"a",
    "\"\"\"",
    "'''",
    "\"\\u00e9\"",
    "\"\\x\"",
    "1",
    "-0.5e3",
    "01",
    "true",
    "inf",
    "1979-05-27",
    "07:32",
    "é",
    " ",
    "\n",
    "\r\n",
    "  ",
    "# c\n",
    "#",
    "\u{feff}",
    "\t",
    "\u{0}",
    "\r",
];

const DOCUMENTS: &[&str] = &[
    MANIFEST,
    "# top\r\n\r\na = [\r\n\t1, # one\r\n\t{ b = 2, c.d = 3 },\r\n]\r\n[x]\r\ny = '''\r\nz\r\n'''\r\n",
    "a.b.c = 1\na.b.d = [[], [[]]]\ne = {}\n[[f]]\n[f.g]\nh = 1\n[[f.i]]\n[[f.i]]\nj = \"\\u0041\"\n[[f]]\n",
    "[a.b.c]\nx = 1\n[d]\n# in d\n\n[a.b]\ny = 2 # y\n[a]\nz.w = 1979-05-27T07:32:00Z\n[e.'f g'.\"h\"]\n",
    "  [a]\n  x = 1\n\n    [a.b]\n    y = 2\n  [c]\n",
    "x = { a = 1,\n  b = 2, # two\n}\n",
];

#[test]
fn laws_hold() {
    testing::check_laws_on_random::<Toml>("a.toml", PIECES, DOCUMENTS);
    DOCUMENTS.iter().for_each(|text| testing::check_laws::<Toml>("a.toml", text));
}

#[test]
fn laws_hold_for_refactors() {
    let arguments = [("deep", "true")];
    let changed: usize =
        DOCUMENTS.iter().map(|text| testing::check_refactor_laws::<Toml>(("a.toml", text), &arguments)).sum();
    assert!(changed > 3, "only {changed} documents were changed");
}

#[test]
fn created_target_exists_and_rest_is_unchanged() {
    let mut count = 0;
    for text in DOCUMENTS {
        for below in [".new", ".new.deep['a b'][0].end", ".new[0].x", "[0]", "[1].new", "[2][0]", "[3]"] {
            let target = |node: &Node| format!("{}{below}", node.address);
            for content in ["1", "{ x = [1, { y = 2 }] }", "x = 1\ny = 2"] {
                count +=
                    testing::check_insert_missing_laws::<Toml>(("a.toml", text), TargetKind::Path, target, content);
            }
        }
    }
    assert!(count > 100, "only {count} missing targets were created");
}
