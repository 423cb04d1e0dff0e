//! The laws for the pack `toml`, on arbitrary text.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| marquetry_sdk::testing::check_laws::<marquetry_toml::Toml>("a.toml", text));
