//! Checks on arbitrary text that the pack `typescript` satisfies the laws (properties required of every pack), in each
//! dialect.
#![no_main]

const PATHS: [&str; 7] = ["a.ts", "a.tsx", "a.d.ts", "a.cts", "a.js", "a.mjs", "a.cjs"];

libfuzzer_sys::fuzz_target!(|input: (u8, &str)| {
    let (dialect, text) = input;
    marquetry_sdk::testing::check_laws::<marquetry_typescript::TypeScript>(PATHS[dialect as usize % PATHS.len()], text);
});
