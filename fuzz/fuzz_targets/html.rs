//! Checks on arbitrary text that the pack `html` satisfies the laws (properties required of every pack), in each
//! dialect.
#![no_main]

const PATHS: [&str; 2] = ["a.html", "a.xhtml"];

libfuzzer_sys::fuzz_target!(|input: (u8, &str)| {
    let (dialect, text) = input;
    marquetry_sdk::testing::check_laws::<marquetry_html::Html>(PATHS[dialect as usize % PATHS.len()], text);
});
