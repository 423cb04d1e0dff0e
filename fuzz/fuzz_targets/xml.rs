//! Checks on arbitrary text that the pack `xml` satisfies the laws (properties required of every pack), in each
//! dialect.
#![no_main]

const PATHS: [&str; 2] = ["a.xml", "a.csproj"];

libfuzzer_sys::fuzz_target!(|input: (u8, &str)| {
    let (dialect, text) = input;
    marquetry_sdk::testing::check_laws::<marquetry_xml::Xml>(PATHS[dialect as usize % PATHS.len()], text);
});
