//! The laws for the pack `rust`, on arbitrary text.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| marquetry_sdk::testing::check_laws::<marquetry_rust::Rust>("a.rs", text));
