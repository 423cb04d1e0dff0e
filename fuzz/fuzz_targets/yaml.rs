//! The laws for the pack `yaml`, on arbitrary text.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| marquetry_sdk::testing::check_laws::<marquetry_yaml::Yaml>("a.yaml", text));
