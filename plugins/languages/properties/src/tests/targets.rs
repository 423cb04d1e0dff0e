//! Tests of targets: the values that keys find, and the errors for unknown keys.

use marquetry_sdk::{
    FailureKind,
    TargetKind::{Path, Selector},
    testing::open,
};

use super::{ENV, INI, JAVA, SETUP};
use crate::Properties;

#[track_caller]
fn check(path: &str, text: &str, target: &str, expected: &[&str]) {
    assert_eq!(open::<Properties>(path, text).read(Path, target).expect(target), expected, "{target}");
}

#[test]
fn key_finds_value() {
    check(".env", ENV, "DATABASE_URL", &["\"postgres://db/shop\""]);
    check(".env", ENV, "PORT", &["8080"]);
    check(".env", ENV, "EMPTY", &[""]);
    check(".env.local", "A='x # y'#z\nB=x # y\nC=#fff\nD=a#b\n", "A", &["'x # y'"]);
    check(".env.local", "A='x # y'#z\nB=x # y\nC=#fff\nD=a#b\n", "B", &["x"]);
    check(".env.local", "A='x # y'#z\nB=x # y\nC=#fff\nD=a#b\n", "C", &["#fff"]);
    check(".env.local", "A='x # y'#z\nB=x # y\nC=#fff\nD=a#b\n", "D", &["a#b"]);
    check(".env.local", "A=#fff # white\n", "A", &["#fff"]);
    check("prod.env", "KEY=\"one\ntwo \\\" three\"\nB=1\n", "KEY", &["\"one\ntwo \\\" three\""]);
    check("prod.env", "KEY=\"one\"two\n", "KEY", &["\"one\"two"]);
    check(".npmrc", "//host.example/:_authToken=${TOKEN} ; secret\n", "//host.example/:_authToken", &["${TOKEN}"]);
}

#[test]
fn multiline_value_is_found_whole() {
    check("setup.cfg", SETUP, "options.install_requires", &["one\n    # about two\n    two>=2; os == 'x'"]);
    check("setup.cfg", SETUP, "options.zip_safe", &["no"]);
    check("a.ini", "a = 1\n\n  2\n\n[b]\n", "a", &["1\n\n  2"]);
    check("a.ini", "  a = 1\n  b = 2", "a", &["1"]);
    check("a.properties", JAVA, "server.hosts", &["a.example, \\\n             b.example"]);
    check("a.properties", "a\\ = 1\nb\\  2\n", "a\\ ", &["1"]);
    check("a.properties", "a\\ = 1\nb\\  2\n", "b\\ ", &["2"]);
    check("a.properties", "a\\ b\\=c = 1\nd = x\\\\\n", "a\\ b\\=c", &["1"]);
    check("a.properties", "a\\ b\\=c = 1\nd = x\\\\\n", "d", &["x\\\\"]);
}

#[test]
fn finds_whole_section() {
    check(".editorconfig", INI, "*.md", &["[*.md]\nindent_size = 4"]);
    check("a.ini", "[a] ; why\nx=1\n\n# more\n", "a", &["[a] ; why\nx=1"]);
    check("a.ini", "[*.{a,b}[x]]\n", "*.{a,b}[x]", &["[*.{a,b}[x]]"]);
    check(".editorconfig", INI, ".", &["root = true"]);
}

#[test]
fn repeated_name_finds_all_and_number_finds_one() {
    check(".env", "A=1\nB=2\nA=3\n", "A", &["1", "3"]);
    check(".env", "A=1\nB=2\nA=3\n", "A[2]", &["3"]);
}

#[test]
fn not_found_offers_nearest_keys() {
    let ini = open::<Properties>(".editorconfig", INI);
    let failure = |target: &str| ini.nodes(Path, target).expect_err(target);
    assert_eq!(failure("*.md.indent_siz").candidates, ["*.md.indent_size", "*.indent_style"]);
    assert_eq!(failure("indent_style").candidates[0], "*.indent_style");
    let json = failure("$.root");
    assert_eq!((json.kind, json.candidates), (FailureKind::InvalidTarget, vec!["root".to_owned()]));
    assert_eq!(ini.nodes(Selector, "root").expect_err("no selectors").kind, FailureKind::Unsupported);
}
