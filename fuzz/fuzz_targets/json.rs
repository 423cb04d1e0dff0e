//! The laws of the pack `json` on arbitrary text.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| marquetry_sdk::testing::laws::<marquetry_json::Json>("a.jsonc", text));
