//! Embeds the WIT text in the export macro, so that a pack needs only this crate.

use std::{env, fmt::Write as _, fs, path::Path};

const FILES: [&str; 9] =
    ["types", "language", "links", "symbols", "refactors", "hover", "search", "mentions", "worlds"];

/// The optional interfaces, in the order in which the macro takes them.
const OPTIONAL: [&str; 6] = ["links", "symbols", "refactors", "hover", "search", "mentions"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // `wit` is a symbolic link in the source tree, and a folder in a package.
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("wit");
    let mut text = String::new();
    let mut package = String::new();
    for file in FILES {
        let path = folder.join(file).with_extension("wit");
        println!("cargo::rerun-if-changed={}", path.display());
        for line in fs::read_to_string(path)?.lines() {
            match line.strip_prefix("package ") {
                Some(_) => package = line.to_owned(),
                None if line.trim_start().starts_with("//") => {}
                None => writeln!(text, "{line}")?,
            }
        }
    }
    let mut arms = String::new();
    // Each choice of optional interfaces is a world. Only these worlds import `workspace`: a remapping that a world
    // does not use is an error.
    for choice in 1..1_u32 << OPTIONAL.len() {
        let chosen = OPTIONAL.iter().enumerate().filter(|(bit, _)| choice >> bit & 1 == 1).map(|(_, name)| *name);
        let chosen: Vec<&str> = chosen.collect();
        let world = format!("pack-with-{}", chosen.join("-"));
        writeln!(text, "world {world} {{\n  include pack;\n  import workspace;")?;
        chosen.iter().try_for_each(|name| writeln!(text, "  export {name};"))?;
        writeln!(text, "}}")?;
        let workspace =
            r#"{ "marquetry:language/workspace@0.1.0": marquetry_sdk::bindings::marquetry::language::workspace, }"#;
        writeln!(
            arms,
            r#"    ({}) => {{ $crate::__generate_world!("marquetry:language/{world}" {workspace}); }};"#,
            chosen.join(" ")
        )?;
    }
    let macros = format!(
        r##"
#[doc(hidden)]
#[macro_export]
macro_rules! __generate {{
    () => {{ $crate::__generate_world!("marquetry:language/pack" {{}}); }};
{arms}    ($($interface:ident)+) => {{
        compile_error!("name what the pack has in this order: {}");
    }};
}}

#[doc(hidden)]
#[macro_export]
macro_rules! __generate_world {{ ($world:tt {{ $($more:tt)* }}) => {{
    $crate::wit_bindgen::generate!({{
        inline: r#"{package}
{text}"#,
        world: $world,
        runtime_path: "marquetry_sdk::wit_bindgen::rt",
        with: {{
            "marquetry:language/types@0.1.0": marquetry_sdk::types,
            "marquetry:language/log@0.1.0": marquetry_sdk::bindings::marquetry::language::log,
            $($more)*
        }},
    }});
}}; }}
"##,
        OPTIONAL.join(", ")
    );
    fs::write(Path::new(&env::var("OUT_DIR")?).join("generate.rs"), macros)?;
    Ok(())
}
