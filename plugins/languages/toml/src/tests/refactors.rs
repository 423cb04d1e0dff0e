//! Tests of refactors. They compare the text before and after.

use marquetry_sdk::{
    TargetKind,
    testing::{check_refactor, check_refactor_of, check_refused},
};

use crate::Toml;

#[track_caller]
fn sorts(marked: &str, after: &str) {
    check_refactor::<Toml>(("a.toml", marked), "sort_keys", &[], after);
}

#[test]
fn sort_keys_moves_comments_with_keys() {
    sorts(
        "[a]\nz = 1\n# about b\nb‸ = 2 # two\n\n[b]\ny = 1\nx = 2\n",
        "[a]\n# about b\nb = 2 # two\nz = 1\n\n[b]\ny = 1\nx = 2\n",
    );
    sorts("b = 1\n\na‸ = 2\n[t]\nz = 1\n", "a = 2\n\nb = 1\n[t]\nz = 1\n");
    sorts("a = { ‸c = 1, b = 2 }\n", "a = { b = 2, c = 1 }\n");
    sorts("[t]\nb.y = 1\n‸b.x = 2\na = 3\r\n", "[t]\na = 3\nb.x = 2\nb.y = 1\r\n");
    sorts("[a]\na = 1\nb = 2‸\n", "[a]\na = 1\nb = 2\n");
    check_refactor_of::<Toml>(
        ("a.toml", "[a]\nc = { y = 1, x = 2 }\nb = 1\n\n[a.d]\nz = 1\nw = 2\n"),
        (TargetKind::Path, "$.a"),
        "sort_keys",
        &[("deep", "true")],
        "[a]\nb = 1\nc = { x = 2, y = 1 }\n\n[a.d]\nw = 2\nz = 1\n",
    );
}

#[test]
fn sort_keys_refuses_broken_file() {
    check_refused::<Toml>(("a.toml", "b = 1\na = ‸\n"), "sort_keys", &[], "syntax errors");
}
