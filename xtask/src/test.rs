//! Runs the tests.

use std::{path::Path, process::Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{
    lanes::{self, Part},
    shell::{self, begin_step, command},
};

/// Cargo arguments that select the tests. Building the tests also builds the programs. A separate build of the program
/// would compile it again, without the features that only tests enable.
pub(crate) const SELECTION: [&str; 1] = ["--workspace"];

/// The program that the tests build.
pub(crate) const PROGRAM: &str = "target/debug/marq";

/// Builds the program and the tests.
pub(crate) fn build() -> Result<()> {
    shell::run("cargo", &[&["test", "--quiet", "--no-run"], &SELECTION[..]].concat())
}

/// The packages whose tests take the longest. They start first.
const SLOWEST: [&str; 3] = ["host/app", "host/tools", "host/servers"];

/// Runs the tests of all crates, two binaries at a time, because many tests wait for processes. The components must have
/// been built before.
pub(crate) fn run() -> Result<()> {
    begin_step("the native tests");
    let mut binaries = binaries()?;
    let rank = |binary: &Binary| SLOWEST.iter().position(|slow| *slow == binary.package).unwrap_or(SLOWEST.len());
    binaries.sort_by_key(|binary| (rank(binary), binary.package.clone()));
    begin_step("tests: native tests, the laws of every pack as WebAssembly, misbehaving plugins, the `marq` program");
    let documentation = [&["test", "--quiet", "--doc"], &SELECTION[..]].concat();
    let documentation = Part { name: "documentation".to_owned(), command: command("cargo", &documentation) };
    let binaries = binaries.into_iter().map(Binary::into_part);
    lanes::run_parts("test", std::iter::once(documentation).chain(binaries).map(|part| vec![part]).collect())
}

/// A program with the tests of a target.
struct Binary {
    /// Folder of the package, such as `host/app`.
    package: String,
    /// Kind and name, such as `test all`.
    target: String,
    program: String,
}

impl Binary {
    /// Reads a message of cargo. Returns `None` if it is not about a test binary.
    fn of_message(message: &Value, top: &Path) -> Option<Binary> {
        if message["profile"]["test"] != true {
            return None;
        }
        let target = &message["target"];
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
        Some(Binary {
            package: folder.strip_prefix(top).ok()?.to_string_lossy().into_owned(),
            target: format!("{} {}", target["kind"][0].as_str()?, target["name"].as_str()?),
            program: message["executable"].as_str()?.to_owned(),
        })
    }

    /// Returns the command that runs the binary as `cargo test` does.
    fn into_part(self) -> Part {
        let folder = shell::top().join(&self.package);
        let mut command = command(&self.program, &["--quiet"]);
        command.current_dir(&folder).env("CARGO_MANIFEST_DIR", &folder);
        Part { name: format!("{} {}", self.package, self.target), command }
    }
}

/// Builds the tests and returns their binaries.
fn binaries() -> Result<Vec<Binary>> {
    let format = ["--no-run", "--message-format", "json-render-diagnostics"];
    let mut cargo = command("cargo", &[&["test", "--quiet"], &SELECTION[..], &format].concat());
    let output = cargo.stderr(Stdio::inherit()).output().context("`cargo` cannot be started")?;
    ensure!(output.status.success(), "the tests do not compile");
    let messages = output.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    let found: Vec<Binary> = messages.filter_map(|message| Binary::of_message(&message, &shell::top())).collect();
    ensure!(!found.is_empty(), "`cargo test --no-run` names no test binary");
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_test_binaries_are_run() {
        let message = |test: bool, executable: Value| {
            json!({
                "reason": "compiler-artifact",
                "manifest_path": "/project/host/app/Cargo.toml",
                "target": { "kind": ["test"], "name": "all" },
                "profile": { "test": test },
                "executable": executable,
            })
        };
        let read = |message: Value| Binary::of_message(&message, Path::new("/project"));
        let found = read(message(true, json!("/project/target/debug/deps/all-1"))).expect("a test binary");
        assert_eq!((found.package.as_str(), found.target.as_str()), ("host/app", "test all"));
        assert_eq!(found.program, "/project/target/debug/deps/all-1");
        assert!(read(message(false, json!("/project/target/debug/marq"))).is_none());
        assert!(read(message(true, Value::Null)).is_none());
        assert!(read(json!({ "reason": "build-finished", "success": true })).is_none());
    }
}
