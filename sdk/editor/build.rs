//! Embeds the WIT text in the export macro, so that an integration needs only this crate.

use std::{env, fs, path::Path};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // `wit` is a symbolic link in the source tree, and a folder in a package.
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("wit");
    let mut text = String::new();
    let mut package = String::new();
    for file in ["types", "integration"] {
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
    let macros = format!(
        r##"
#[doc(hidden)]
#[macro_export]
macro_rules! __generate_editor {{ () => {{
    $crate::wit_bindgen::generate!({{
        inline: r#"{package}
{text}"#,
        world: "marquetry:editor/editor",
        runtime_path: "marquetry_editor::wit_bindgen::rt",
        with: {{ "marquetry:editor/types@0.1.0": marquetry_editor::types }},
    }});
}}; }}
"##
    );
    fs::write(Path::new(&env::var("OUT_DIR")?).join("generate.rs"), macros)?;
    Ok(())
}
