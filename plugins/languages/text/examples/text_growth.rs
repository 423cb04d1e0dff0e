//! Measures how the time grows with the size of texts that are expensive to parse:
//! `cargo run --package marquetry-text --example text_growth [NAME]`.

use marquetry_sdk::testing::growth::{Text, growth, repeat};
use marquetry_text::Text as Pack;

const TEXTS: [Text; 3] = [
    ("lines", |bytes| repeat("a\n", bytes)),
    ("a long line", |bytes| repeat("a", bytes)),
    ("line breaks", |bytes| repeat("\r\n\r", bytes)),
];

fn main() -> std::io::Result<()> {
    growth::<Pack>(&mut std::io::stdout(), "a.txt", (&TEXTS, &[]), 1 << 20)
}
