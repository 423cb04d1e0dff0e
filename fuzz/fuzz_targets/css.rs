//! The laws of the pack `css` on arbitrary text.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| marquetry_sdk::testing::laws::<marquetry_css::Css>("a.scss", text));
