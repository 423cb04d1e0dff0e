//! Writes the generated parts of the typed clients in `sdk/clients`: types of the arguments and answers of every tool,
//! and a method for each. `cargo xtask clients` runs this program; a test fails if the files are not current.

mod names;
mod python;
mod python_methods;
mod schema;
#[cfg(test)]
mod tests;
mod types;
mod typescript;
mod typescript_methods;

use std::{fs, path::Path};

use anyhow::{Context, Result};
use marquetry_model::Kind;

use crate::{schema::ToolSchemas, types::Catalog};

/// First line of every generated file, after the characters that begin a comment.
pub(crate) const NOTICE: &str = "Generated from the catalog of tools by `cargo xtask clients`. Do not edit.";

fn main() -> Result<()> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, text) in generated_files()? {
        let path = top.join(name);
        if fs::read_to_string(&path).is_ok_and(|current| current == text) {
            continue;
        }
        fs::write(&path, text).with_context(|| format!("{name} cannot be written"))?;
    }
    Ok(())
}

/// Returns the generated files: their paths in the repository, and their contents.
pub(crate) fn generated_files() -> Result<[(&'static str, String); 3]> {
    let tools: Vec<ToolSchemas> = marquetry_catalog::tools().iter().map(ToolSchemas::of_tool).collect();
    let kinds = Kind::ALL.map(|kind| kind.name().to_owned()).to_vec();
    let catalog = Catalog::read(&tools, kinds)?;
    Ok([
        ("sdk/clients/typescript/src/tools.d.ts", typescript::declarations(&catalog)),
        ("sdk/clients/typescript/src/tools.js", typescript_methods::module(&catalog)),
        ("sdk/clients/python/marquetry_client/_tools.py", python::module(&catalog)),
    ])
}
