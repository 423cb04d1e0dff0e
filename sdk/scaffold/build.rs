//! Embeds the files of the SDKs and of the WIT interface, so that a new pack can be created without the source tree.

use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// The embedded SDKs: name of the constant, source folder, and folder in the new pack.
const PARTS: [(&str, &str, &str); 5] = [
    ("RUST", "../rust", "sdk"),
    ("JAVASCRIPT", "../js", "sdk"),
    ("PYTHON", "../python", "sdk"),
    // A pack with a grammar also needs the SDK in Rust, which is in another folder.
    ("GRAMMAR", "../code", "sdk/code"),
    ("GRAMMAR", "../grammar", "sdk/grammar"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let workspace = fs::read_to_string(here.join("../../Cargo.toml"))?;
    let mut code = String::new();
    let mut names: Vec<&str> = PARTS.iter().map(|(name, ..)| *name).collect();
    names.dedup();
    for name in names {
        writeln!(code, "pub(crate) const {name}: &[(&str, &str)] = &[")?;
        for (_, from, to) in PARTS.iter().filter(|(part, ..)| *part == name) {
            let folder = here.join(from).canonicalize()?;
            println!("cargo::rerun-if-changed={}", folder.display());
            let mut files = Vec::new();
            collect(&folder, &folder, &mut files)?;
            for file in files {
                let mut text = fs::read_to_string(folder.join(&file))?;
                if file == Path::new("Cargo.toml") {
                    text = alone(&text, &workspace);
                }
                writeln!(code, "    ({:?}, {text:?}),", format!("{to}/{}", file.display()).replace('\\', "/"))?;
            }
        }
        writeln!(code, "];")?;
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("sdks.rs"), code)?;
    Ok(())
}

/// Collects the source files below a folder. Skips installed packages, build output and tests.
fn collect(top: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn std::error::Error>> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            let made =
                matches!(name.as_str(), "target" | "node_modules" | "__pycache__" | "tests" | "test" | "archives");
            if !made && !name.ends_with(".egg-info") && !name.starts_with('.') {
                collect(top, &path, files)?;
            }
        } else if name != "tests.rs" {
            files.push(path.strip_prefix(top)?.to_owned());
        }
    }
    Ok(())
}

/// Makes a manifest independent of the workspace by inlining inherited keys, as `cargo package` does. Without the compiled
/// archives, crates compile the C code for the sandbox, too.
fn alone(manifest: &str, workspace: &str) -> String {
    let shared = |key: &str| {
        let package = workspace.split("[workspace.package]").nth(1).unwrap_or_default();
        package.lines().find(|line| line.split('=').next().is_some_and(|name| name.trim() == key)).map(str::to_owned)
    };
    let mut out = String::new();
    for line in manifest.split("[lints]").next().unwrap_or(manifest).lines() {
        let inherited = line.split_once(".workspace = true").and_then(|(key, _)| shared(key));
        let line = inherited.as_deref().unwrap_or(line);
        out += &line.replace("cfg(not(target_family = \"wasm\"))", "cfg(all())");
        out.push('\n');
    }
    out
}
