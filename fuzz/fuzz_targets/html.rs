//! The laws of the pack `html` on arbitrary text.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| marquetry_sdk::testing::laws::<marquetry_html::Html>("a.html", text));
