//! Checks on arbitrary text that the pack `text` satisfies the laws (properties required of every pack).
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| marquetry_sdk::testing::check_laws::<marquetry_text::Text>("a.txt", text));
