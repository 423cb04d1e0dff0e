//! Checks on arbitrary text that the pack `css` satisfies the laws (properties required of every pack), in each
//! dialect.
#![no_main]

const PATHS: [&str; 3] = ["a.css", "a.scss", "a.less"];

libfuzzer_sys::fuzz_target!(|input: (u8, &str)| {
    let (dialect, text) = input;
    marquetry_sdk::testing::check_laws::<marquetry_css::Css>(PATHS[dialect as usize % PATHS.len()], text);
});
