//! Measures how the time grows with the size of texts that are expensive to process:
//! `cargo run --package marquetry-markdown --example markdown_growth [NAME]`.

use marquetry_markdown::{Markdown, MarkdownDocument};
use marquetry_sdk::{
    Linking, Selection,
    refactor::{self, Refactors},
    testing::growth::{Step, Text, growth, nested, numbered, repeat},
};

const TEXTS: [Text; 25] = [
    ("brackets", |bytes| repeat("[", bytes)),
    ("brackets that nest", |bytes| nested("[", "a", "](b)", bytes)),
    ("links not closed", |bytes| repeat("[a](", bytes)),
    ("links in angles not closed", |bytes| repeat("[a](<b", bytes)),
    ("images", |bytes| repeat("![a](b", bytes)),
    ("links", |bytes| repeat("[a](b) ", bytes)),
    ("destinations in brackets", |bytes| repeat("[a](((b) ", bytes)),
    ("references", |bytes| format!("{}\n\n[a]: b\n", repeat("[a] ", bytes))),
    ("references to nothing", |bytes| repeat("[a][b] ", bytes)),
    ("definitions", |bytes| numbered(|number| format!("[a{number}]: b\n"), bytes)),
    ("equal definitions", |bytes| repeat("[a]: b\n", bytes)),
    ("definitions not closed", |bytes| repeat("[a]: <b\n", bytes)),
    ("quotes", |bytes| repeat("> ", bytes)),
    ("lists", |bytes| repeat("- ", bytes)),
    ("deeper lists", |bytes| {
        let mut text = String::new();
        let mut depth = 0;
        while text.len() < bytes {
            text += &format!("{}- a\n", "  ".repeat(depth % 60));
            depth += 1;
        }
        text
    }),
    ("emphasis", |bytes| repeat("*a _b ", bytes)),
    ("code", |bytes| numbered(|number| format!("{}a", "`".repeat(number % 300)), bytes)),
    ("fences", |bytes| repeat("```\n", bytes)),
    ("headings", |bytes| numbered(|number| format!("# a{number}\n"), bytes)),
    ("equal headings", |bytes| repeat("## a\n", bytes)),
    ("deeper headings", |bytes| numbered(|number| format!("{} a\n\ntext\n", "#".repeat(number % 6 + 1)), bytes)),
    ("a table", |bytes| format!("|a|\n|-|\n{}", repeat("|b|\n", bytes))),
    ("a wide table", |bytes| format!("{}|\n{}|\n", repeat("|a", bytes / 2), repeat("|-", bytes / 2))),
    ("html", |bytes| repeat("<a href=\"x\"", bytes)),
    ("footnotes", |bytes| numbered(|number| format!("[^{number}]: a[^{number}]\n\n"), bytes)),
];

fn refactors(document: &MarkdownDocument) {
    for known in Markdown::table() {
        drop(refactor::apply::<Markdown>(document, known.id, Selection::caret(4), Vec::new()));
    }
}

fn main() -> std::io::Result<()> {
    let steps: [Step<Markdown>; 2] = [("links", |document| drop(Markdown::links(document))), ("refactors", refactors)];
    for path in ["a.md", "a.mdx"] {
        growth::<Markdown>(&mut std::io::stdout(), path, (&TEXTS, &steps), 1 << 20)?;
    }
    Ok(())
}
