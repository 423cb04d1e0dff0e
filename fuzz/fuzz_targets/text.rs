//! The laws for the pack `text`, on arbitrary text.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| marquetry_sdk::testing::check_laws::<marquetry_text::Text>("a.txt", text));
