//! The laws of the pack `xml` on arbitrary text.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| marquetry_sdk::testing::laws::<marquetry_xml::Xml>("a.xml", text));
