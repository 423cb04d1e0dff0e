//! Checks on arbitrary text that the pack `json` satisfies the laws (properties required of every pack), in each
//! dialect.
#![no_main]

const PATHS: [&str; 3] = ["a.json", "a.jsonc", "a.jsonl"];

libfuzzer_sys::fuzz_target!(|input: (u8, &str)| {
    let (dialect, text) = input;
    marquetry_sdk::testing::check_laws::<marquetry_json::Json>(PATHS[dialect as usize % PATHS.len()], text);
});
