//! What is wrong with a text, and where.

use marquetry_sdk::testing::open;

use super::{ENV, INI, JAVA, SETUP};
use crate::Properties;

#[track_caller]
fn check(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(open::<Properties>(path, text).problems(), expected);
}

#[test]
fn nothing_is_wrong_with_good_files() {
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
fn says_what_is_wrong() {
    check(".env", "A\n", &["1:1 expected `=` after the key"]);
    check(".env", "=1\n", &["1:1 a value without a key"]);
    check(".env", "A=\"x\nB=1\n", &["1:3 the quote is never closed"]);
    check("a.ini", "[a\nx=1\n", &["1:1 the `[` of this section is never closed"]);
    check("a.ini", "[a] b\n", &["1:4 only a comment may follow the name of a section"]);
}

#[test]
fn a_key_that_comes_again_hides_the_first() {
    check(".env", "A=1\nB=1\nA=2\n", &["1:1 duplicate key `A`: only the last one counts"]);
    check("a.ini", "a=1\na=2\n", &[]);
}

#[test]
fn what_follows_a_mistake_is_read() {
    let broken = open::<Properties>(".env", "A=\"x\n???\nB=1\n");
    assert_eq!(broken.read(marquetry_sdk::TargetKind::Path, "B").expect("found"), ["1"]);
}
