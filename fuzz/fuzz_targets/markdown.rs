//! The laws of the pack `markdown` on arbitrary text.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| marquetry_sdk::testing::laws::<marquetry_markdown::Markdown>("a.md", text));
