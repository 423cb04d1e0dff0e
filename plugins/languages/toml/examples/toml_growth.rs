//! Measures how the time grows with the size of texts that are expensive to process:
//! `cargo run --package marquetry-toml --example toml_growth [NAME]`.

use marquetry_sdk::{
    Linking, Selection,
    refactor::{self, Refactors},
    testing::growth::{Step, Text, growth, nested, numbered, repeat},
};
use marquetry_toml::{Toml, TomlDocument};

const TEXTS: [Text; 19] = [
    ("nested arrays", |bytes| nested("a = [", "1", "]", bytes)),
    ("nested braces", |bytes| nested("a = {a = ", "1", "}", bytes)),
    ("brackets not closed", |bytes| repeat("a = [\n", bytes)),
    ("strings not closed", |bytes| repeat("a = \"\"\"\n[b]\nc = '''\n", bytes)),
    ("a deep key", |bytes| format!("{}a = 1", repeat("a.", bytes))),
    ("a deep header", |bytes| format!("[{}a]", repeat("a.", bytes))),
    ("entries", |bytes| numbered(|number| format!("a{number} = 1\n"), bytes)),
    ("equal entries", |bytes| repeat("a = 1\n", bytes)),
    ("dotted entries", |bytes| numbered(|number| format!("a.b{number} = 1\n"), bytes)),
    ("tables", |bytes| numbered(|number| format!("[a{number}]\nb = 1\n"), bytes)),
    ("equal tables", |bytes| repeat("[a]\n", bytes)),
    ("tables apart", |bytes| numbered(|number| format!("[a{number}.b]\n[c.d{number}]\n[a{number}]\n"), bytes)),
    ("elements", |bytes| repeat("[[a]]\nb = 1\n", bytes)),
    ("elements in elements", |bytes| repeat("[[a]]\n[[a.b]]\nc = 1\n", bytes)),
    ("a long array", |bytes| format!("a = [{}]", repeat("1, ", bytes))),
    ("commented elements", |bytes| format!("a = [\n{}]", repeat("# a\n1, # b\n", bytes))),
    ("comments", |bytes| repeat("# a\n", bytes)),
    ("commented entries", |bytes| numbered(|number| format!("# a\na{number} = 1 # b\n\n"), bytes)),
    ("words on lines", |bytes| repeat("a b\n", bytes)),
];

fn refactors(document: &TomlDocument) {
    for known in Toml::table() {
        let deep = marquetry_sdk::Argument { name: "deep".to_owned(), value: "true".to_owned() };
        drop(refactor::apply::<Toml>(document, known.id, Selection::caret(4), vec![deep]));
    }
}

fn main() -> std::io::Result<()> {
    let steps: [Step<Toml>; 2] = [("links", |document| drop(Toml::links(document))), ("refactors", refactors)];
    growth::<Toml>(&mut std::io::stdout(), "a.toml", (&TEXTS, &steps), 1 << 20)
}
