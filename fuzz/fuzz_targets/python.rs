//! The laws for the pack `python`, on arbitrary text.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| marquetry_sdk::testing::check_laws::<marquetry_python::Python>("a.py", text));
