//! `marq plugin build`: builds the component of a folder with the tools of its language.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use marquetry_model::{Error, Kind, Result};
use serde_json::Value;
use toml_edit::{DocumentMut, Item};

/// Builds the pack in a folder, and writes it to `NAME.wasm` in this folder.
///
/// # Errors
/// Fails if the folder is not a pack, or its tools are missing or fail; their output is on standard error.
pub(crate) fn build(folder: &Path) -> Result<PathBuf> {
    let has = |name: &str| folder.join(name).is_file();
    if has("Cargo.toml") {
        let made = build_cargo(folder)?;
        let name = made.file_stem().unwrap_or_default().to_string_lossy().replace('_', "-");
        let place = folder.join(format!("{name}.wasm"));
        fs::copy(&made, &place)
            .map_err(|error| Error::argument(format!("{} cannot be written: {error}", place.display())))?;
        return Ok(place);
    }
    if has("package.json") {
        return build_npm(folder);
    }
    if has("pyproject.toml") {
        return build_python(folder);
    }
    Err(Error::argument(format!("{} is not the folder of a pack", folder.display()))
        .hint("give a folder with a `Cargo.toml`, `package.json` or `pyproject.toml`, or run `marq plugin new NAME`"))
}

/// Installs missing npm packages and runs the package's build script.
fn build_npm(folder: &Path) -> Result<PathBuf> {
    if !folder.join("node_modules").is_dir() {
        run_tool(folder, "npm", &["install", "--no-audit", "--no-fund", "--loglevel=error"])?;
    }
    let text = read(&folder.join("package.json"))?;
    let package: Value =
        serde_json::from_str(&text).map_err(|error| Error::new(Kind::ParseError, format!("package.json: {error}")))?;
    let name = package["name"].as_str().unwrap_or("pack");
    run_tool(folder, "npm", &["run", "--silent", "build"])?;
    component_at(
        folder.join(format!("{name}.wasm")),
        "its script `build` must write `NAME.wasm`, named after the package",
    )
}

/// Creates a virtual environment with the SDK if necessary, and builds the pack with it.
fn build_python(folder: &Path) -> Result<PathBuf> {
    let inside = if cfg!(windows) { ".venv/Scripts/python.exe" } else { ".venv/bin/python" };
    if !folder.join(inside).is_file() {
        run_tool(folder, "python3", &["-m", "venv", ".venv"])?;
        run_tool(folder, inside, &["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "./sdk"])?;
    }
    let text = read(&folder.join("pyproject.toml"))?;
    let project = text.parse::<DocumentMut>().map_err(|error| Error::new(Kind::ParseError, error.to_string()))?;
    let name = project.get("project").and_then(|project| project.get("name")).and_then(Item::as_str).unwrap_or("pack");
    let file = format!("{name}.wasm");
    run_tool(folder, inside, &["-m", "marquetry_sdk", "build", "pack.py", "-o", &file])?;
    component_at(folder.join(file), "`pack.py` must define the pack as `pack`")
}

/// Runs a tool in the folder of a pack and shows its output.
fn run_tool(folder: &Path, program: &str, arguments: &[&str]) -> Result<()> {
    // `program` may be a path relative to `folder` (`.venv/bin/python`). It is made absolute, because the process runs
    // in `folder`, not in the current folder.
    let here = std::env::current_dir().unwrap_or_default();
    let path = if program.contains('/') { here.join(folder).join(program) } else { PathBuf::from(program) };
    let status = Command::new(&path)
        .args(arguments)
        .current_dir(folder)
        .stdout(Stdio::from(std::io::stderr()))
        .status()
        .map_err(|error| {
            build_error(&format!("{program} cannot be started: {error}")).hint(format!("install {program}"))
        })?;
    if !status.success() {
        return Err(build_error(&format!("`{program} {}` failed; see its output above", arguments.join(" "))));
    }
    Ok(())
}

fn component_at(place: PathBuf, hint: &str) -> Result<PathBuf> {
    if place.is_file() {
        return Ok(place);
    }
    Err(build_error(&format!("the build did not write {}", place.display())).hint(hint))
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| Error::argument(format!("{} cannot be read: {error}", path.display())))
}

/// Builds a crate for `wasm32-wasip2` and returns the component that cargo reports.
fn build_cargo(folder: &Path) -> Result<PathBuf> {
    let arguments =
        ["build", "--release", "--lib", "--target", "wasm32-wasip2", "--message-format", "json-render-diagnostics"];
    let output = Command::new("cargo").args(arguments).current_dir(folder).stderr(Stdio::inherit()).output().map_err(
        |error| build_error(&format!("cargo cannot be started: {error}")).hint("install Rust: https://rustup.rs"),
    )?;
    if !output.status.success() {
        return Err(build_error("cargo failed; see its output above")
            .hint("if the compiler or its wasm target is missing: run `rustup toolchain install` in the folder"));
    }
    let made = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["reason"] == "compiler-artifact")
        .flat_map(|message| message["filenames"].as_array().cloned().unwrap_or_default())
        .filter_map(|file| file.as_str().filter(|file| file.ends_with(".wasm")).map(PathBuf::from))
        .next_back();
    made.ok_or_else(|| {
        build_error("cargo built no component").hint("the crate needs `crate-type = [\"cdylib\", \"lib\"]` in `[lib]`")
    })
}

fn build_error(message: &str) -> Error {
    Error::new(Kind::PluginFailed, message)
}
