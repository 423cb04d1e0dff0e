//! Renames of keys and sections.

use marquetry_sdk::{DeclaredKey, Failure, LanguagePack, Subject, Symbols, span::apply};

use super::{ENV, INI, JAVA, SETUP};
use crate::Properties;

fn rename(path: &str, text: &str, subject: Subject, name: &str) -> Result<String, Failure> {
    let document = Properties::open(path, text.to_owned(), "{}");
    Properties::rename(&document, subject, name).map(|renamed| apply(text, &renamed.edits))
}

#[track_caller]
fn check(path: &str, text: &str, key: &str, name: &str, change: [&str; 2]) {
    let expected = text.replacen(change[0], change[1], 1);
    assert_ne!(expected, text);
    assert_eq!(rename(path, text, Subject::Address(key.to_owned()), name), Ok(expected.clone()));
    let at = text.find(change[0]).expect("the old text") + change[0].find(|c: char| c.is_alphanumeric()).unwrap_or(0);
    assert_eq!(rename(path, text, Subject::At(at as u32), name), Ok(expected), "at {at}");
}

#[track_caller]
fn check_refused(path: &str, text: &str, key: &str, name: &str, message: &str) {
    let refused = rename(path, text, Subject::Address(key.to_owned()), name);
    assert_eq!(refused.map_err(|failure| failure.message), Err(message.to_owned()));
}

#[test]
fn name_is_changed_where_it_is_written() {
    check(".env", ENV, "DATABASE_URL", "DB", ["DATABASE_URL", "DB"]);
    check("setup.cfg", SETUP, "options.zip_safe", "zipped", ["zip_safe:", "zipped:"]);
    check("setup.cfg", SETUP, "metadata", "meta", ["metadata]", "meta]"]);
    check("a.properties", JAVA, "server.port", "server.door", ["server.port", "server.door"]);
    check("a.properties", JAVA, "empty", "none", ["empty", "none"]);
    check(".editorconfig", INI, "*.md.indent_size", "tab_width", ["indent_size", "tab_width"]);
}

#[test]
fn exported_name_keeps_its_export() {
    check(".env", ENV, "PORT", "DOOR", ["PORT", "DOOR"]);
    check(".env", "export export=1\n", "export", "b", ["export=", "b="]);
}

#[test]
fn names_that_would_mean_something_else_are_refused() {
    check_refused(".env", ENV, "PORT", "EMPTY", "`EMPTY` already exists");
    check_refused(".env", ENV, "PORT", "A=B", "`A=B` cannot be written as a name here");
    check_refused("a.properties", JAVA, "empty", "a b", "`a b` cannot be written as a name here");
    check_refused("setup.cfg", SETUP, "metadata", "a]b\nc", "`a]b\nc` cannot be written as a name here");
    check_refused(".env", ENV, "EMPTY", "#A", "`#A` cannot be written as a name here");
}

#[test]
fn keys_are_not_uses_of_members_of_code() {
    let document = Properties::open(".env", ENV.to_owned(), "{}");
    let member = DeclaredKey { name: "PORT".to_owned(), locations: Vec::new(), forms: Vec::new() };
    let found = Properties::resolve_symbol(&document, Subject::Declared(member.clone())).expect("an answer");
    assert!(found.occurrences.is_empty());
    let renamed = Properties::rename(&document, Subject::Declared(member), "DOOR").expect("an answer");
    assert!(renamed.edits.is_empty() && renamed.unresolved.is_empty());
}
