//! The laws of the pack `typescript` on arbitrary text.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| marquetry_sdk::testing::laws::<marquetry_typescript::TypeScript>("a.tsx", text));
