//! Measures how the time grows with the size of texts that are expensive to parse:
//! `cargo run --package marquetry-properties --example properties_growth [NAME]`.

use marquetry_properties::Properties;
use marquetry_sdk::testing::growth::{Text, growth, numbered, repeat};

const TEXTS: [Text; 7] = [
    ("entries", |bytes| numbered(|number| format!("a{number} = b\n"), bytes)),
    ("equal entries", |bytes| repeat("a = b\n", bytes)),
    ("sections", |bytes| numbered(|number| format!("[a{number}]\nb = c\n"), bytes)),
    ("equal sections", |bytes| repeat("[a]\nb = c\n", bytes)),
    ("continued lines", |bytes| format!("a = {}b\n", repeat("b\\\n", bytes))),
    ("comments", |bytes| repeat("# a\n", bytes)),
    ("words", |bytes| repeat("a\n", bytes)),
];

fn main() -> std::io::Result<()> {
    for path in ["a.properties", "a.ini", ".env"] {
        growth::<Properties>(&mut std::io::stdout(), path, (&TEXTS, &[]), 1 << 20)?;
    }
    Ok(())
}
