//! The laws for the pack `properties`, on arbitrary text.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    for name in [".env", "a.properties", ".editorconfig", "a.ini"] {
        marquetry_sdk::testing::check_laws::<marquetry_properties::Properties>(name, text);
    }
});
