//! Tests of problems and their positions.

use marquetry_sdk::testing::open;

use super::{ENV, INI, JAVA, SETUP};
use crate::Properties;

#[track_caller]
fn check(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(open::<Properties>(path, text).diagnostics(), expected);
}

#[test]
fn valid_files_have_no_problems() {
    for (path, text) in [
        (".env", ENV),
        (".editorconfig", INI),
        ("setup.cfg", SETUP),
        ("a.properties", JAVA),
        ("a.ini", ""),
        ("a.ini", "\u{feff}a=1\r\n[b]\r\n"),
    ] {
        check(path, text, &[]);
    }
}

#[test]
fn reports_errors_with_positions() {
    check(".env", "A\n", &["1:1 expected `=` after the key"]);
    check(".env", "=1\n", &["1:1 a value without a key"]);
    check(".env", "A=\"x\nB=1\n", &["1:3 the quote is never closed"]);
    check("a.ini", "[a\nx=1\n", &["1:1 the `[` of this section is never closed"]);
    check("a.ini", "[a] b\n", &["1:4 only a comment may follow the name of a section"]);
}

#[test]
fn warns_about_duplicate_keys() {
    check(".env", "A=1\nB=1\nA=2\n", &["1:1 duplicate key `A`: only the last one counts"]);
    check("a.ini", "a=1\na=2\n", &[]);
}

#[test]
fn parses_lines_after_error() {
    let broken = open::<Properties>(".env", "A=\"x\n???\nB=1\n");
    assert_eq!(broken.read(marquetry_sdk::TargetKind::Path, "B").expect("found"), ["1"]);
}
