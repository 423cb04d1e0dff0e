//! Measures how the time grows with the size of texts that are expensive to process:
//! `cargo run --package marquetry-yaml --example yaml_growth [NAME]`.

use marquetry_sdk::{
    Linking, Selection,
    refactor::{self, Refactors},
    testing::growth::{Step, Text, growth, nested, numbered, repeat},
};
use marquetry_yaml::{Yaml, YamlDocument};

const TEXTS: [Text; 20] = [
    ("nested flow sequences", |bytes| nested("[", "1", "]", bytes)),
    ("nested flow mappings", |bytes| nested("{a: ", "1", "}", bytes)),
    ("flow not closed", |bytes| repeat("[{a: ", bytes)),
    ("nested blocks", |bytes| {
        let depth = (bytes as f64).sqrt() as usize;
        (0..depth).map(|column| format!("{}a:\n", " ".repeat(column))).collect()
    }),
    ("dashes", |bytes| repeat("- ", bytes)),
    ("question marks", |bytes| repeat("? ", bytes)),
    ("items", |bytes| repeat("- 1\n", bytes)),
    ("entries", |bytes| numbered(|number| format!("a{number}: 1\n"), bytes)),
    ("equal entries", |bytes| repeat("a: 1\n", bytes)),
    ("anchors", |bytes| numbered(|number| format!("- &a{number} 1\n"), bytes)),
    ("aliases", |bytes| format!("- &a 1\n{}", repeat("- *a\n", bytes))),
    ("aliases of aliases", |bytes| {
        numbered(
            |number| {
                format!("a{number}: &a{number} [*a{}, *a{}]\n", number.saturating_sub(1), number.saturating_sub(1))
            },
            bytes,
        )
    }),
    ("merges", |bytes| {
        numbered(
            |number| format!("a{number}: &a{number}\n  <<: *a{}\n  b{number}: 1\n", number.saturating_sub(1)),
            bytes,
        )
    }),
    ("anchored mappings", |bytes| numbered(|number| format!("&k{number} a{number}: &v{number}\n  b: 1\n"), bytes)),
    ("comments", |bytes| repeat("# a\n", bytes)),
    ("commented entries", |bytes| numbered(|number| format!("# a\na{number}: 1 # b\n\n"), bytes)),
    ("a long scalar", |bytes| format!("a: |\n{}", repeat("  b\n", bytes))),
    ("strings not closed", |bytes| repeat("a: \"b\n", bytes)),
    ("documents", |bytes| repeat("--- 1\n", bytes)),
    ("words on lines", |bytes| repeat("a b\n", bytes)),
];

fn refactors(document: &YamlDocument) {
    for known in Yaml::table() {
        let deep = marquetry_sdk::Argument { name: "deep".to_owned(), value: "true".to_owned() };
        let given =
            if known.arguments.iter().any(|argument| argument.name == "deep") { vec![deep] } else { Vec::new() };
        drop(refactor::apply::<Yaml>(document, known.id, Selection::caret(4), given));
    }
}

fn main() -> std::io::Result<()> {
    let steps: [Step<Yaml>; 2] = [("links", |document| drop(Yaml::links(document))), ("refactors", refactors)];
    growth::<Yaml>(&mut std::io::stdout(), "a.yaml", (&TEXTS, &steps), 1 << 20)
}
