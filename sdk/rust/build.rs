//! Puts the text of the contract into the export macros, so that a pack needs nothing but this crate.

use std::{env, fs, path::Path};

const FILES: [&str; 8] = ["types", "language", "links", "symbols", "refactors", "insight", "search", "worlds"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../wit/language");
    let mut text = String::new();
    let mut package = String::new();
    for file in FILES {
        let path = folder.join(file).with_extension("wit");
        println!("cargo::rerun-if-changed={}", path.display());
        for line in fs::read_to_string(path)?.lines() {
            match line.strip_prefix("package ") {
                Some(_) => package = line.to_owned(),
                None if line.trim_start().starts_with("//") => {}
                None => text += &format!("{line}\n"),
            }
        }
    }
    let mut macros = String::new();
    let worlds = [
        ("pack", "pack"),
        ("linking", "linking-pack"),
        ("refactoring", "refactoring-pack"),
        ("naming", "naming-pack"),
        ("data", "data-pack"),
        ("describing", "describing-pack"),
        ("semantic", "semantic-pack"),
        ("code", "code-pack"),
    ];
    for (name, world) in worlds {
        // A remapping that the world does not use is an error.
        let workspace = if world == "pack" {
            ""
        } else {
            r#""marquetry:language/workspace@0.1.0": marquetry_sdk::bindings::marquetry::language::workspace,"#
        };
        macros += &format!(
            r##"
#[doc(hidden)]
#[macro_export]
macro_rules! __generate_{name} {{ () => {{
    $crate::wit_bindgen::generate!({{
        inline: r#"{package}
{text}"#,
        world: "marquetry:language/{world}",
        runtime_path: "marquetry_sdk::wit_bindgen::rt",
        with: {{
            "marquetry:language/types@0.1.0": marquetry_sdk::types,
            "marquetry:language/log@0.1.0": marquetry_sdk::bindings::marquetry::language::log,
            {workspace}
        }},
    }});
}}; }}
"##
        );
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("generate.rs"), macros)?;
    Ok(())
}
