//! Tests of the laws, which are properties that every language pack must have.

use marquetry_sdk::testing;

use super::{ENV, INI, JAVA, SETUP};
use crate::Properties;

const PIECES: &[&str] = &[
    "a", "b", "key", "[1]", "a[1]", " ", "\t", "    ", "\n", "\r\n", "\n\n", "=", ":", " = ", "\"", "'", "`", "\\",
    "\\\n", "#", " # c\n", "! c\n", "; c\n", "[", "]", "[a]\n", "[a.b]\n", "export ", ".", "é", "\u{feff}",
];

const DOCUMENTS: &[&str] = &[ENV, INI, JAVA, SETUP];

/// A file name of each format.
const NAMES: [&str; 4] = [".env", "a.properties", ".editorconfig", "a.ini"];

#[test]
fn laws_hold() {
    for name in NAMES {
        testing::check_laws_on_random::<Properties>(name, PIECES, DOCUMENTS);
        DOCUMENTS.iter().for_each(|text| testing::check_laws::<Properties>(name, text));
    }
}

#[test]
fn addresses_entries_in_long_file() {
    let text = "[a]\nkey = value\n".repeat(20_000);
    let bench = testing::open::<Properties>("a.ini", &text);
    assert_eq!(bench.nodes(marquetry_sdk::TargetKind::Path, "a.key[20000]").expect("found").len(), 1);
}
