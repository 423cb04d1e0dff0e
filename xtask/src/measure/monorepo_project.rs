//! Generated monorepos: packages that import each other by name, each with its own configuration.

use std::{fmt::Write, fs, path::Path};

use anyhow::Result;

/// Files of code in each package.
pub(crate) const FILES: usize = 20;
/// The file that is moved. Two files of its package import it.
pub(crate) const MOVED: &str = "packages/p1/src/m3.ts";
/// The new path of the moved file.
pub(crate) const DESTINATION: &str = "packages/p1/src/inner/m3.ts";
/// The number of other packages that each package depends on.
const DEPENDENCIES: usize = 3;

/// Writes a monorepo into an empty folder.
pub(crate) fn make(folder: &Path, packages: usize) -> Result<()> {
    fs::write(folder.join("package.json"), "{ \"private\": true, \"workspaces\": [\"packages/*\"] }\n")?;
    let paths = "{ \"compilerOptions\": { \"baseUrl\": \".\", \"paths\": { \"@scope/*\": [\"packages/*/src\"] } } }\n";
    fs::write(folder.join("tsconfig.json"), paths)?;
    for package in 0..packages {
        let own = folder.join(format!("packages/p{package}"));
        fs::create_dir_all(own.join("src"))?;
        let needed: Vec<usize> = (1..=DEPENDENCIES).map(|step| (package * 7 + step * 3) % packages).collect();
        fs::write(own.join("package.json"), manifest(package, &needed))?;
        fs::write(own.join("tsconfig.json"), "{ \"extends\": \"../../tsconfig.json\", \"include\": [\"src\"] }\n")?;
        let modules = FILES - 1;
        let barrel: String = (0..modules).map(|module| format!("export * from \"./m{module}\";\n")).collect();
        fs::write(own.join("src/index.ts"), barrel)?;
        for module in 0..modules {
            let (other, next) = (needed[module % DEPENDENCIES], (module + 1) % modules);
            fs::write(own.join(format!("src/m{module}.ts")), text(module, next, other))?;
        }
    }
    Ok(())
}

fn manifest(package: usize, needed: &[usize]) -> String {
    let mut text = format!("{{ \"name\": \"@scope/p{package}\", \"main\": \"dist/index.js\", \"dependencies\": {{");
    for (index, other) in needed.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(text, "{comma} \"@scope/p{other}\": \"workspace:*\"");
    }
    text + " } }\n"
}

/// Returns a module that imports from npm packages, from another package of the monorepo, and from a module of the same
/// package.
fn text(module: usize, next: usize, other: usize) -> String {
    format!(
        "import React from \"react\";\nimport {{ pick }} from \"lodash\";\nimport fs from \"node:fs\";\nimport {{ v{module} as far }} from \
         \"@scope/p{other}\";\nimport {{ v{next} }} from \"./m{next}\";\nexport const v{module}: unknown = [React, pick, fs, far, v{next}];\n"
    )
}
