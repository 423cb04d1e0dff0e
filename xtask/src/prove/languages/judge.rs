//! Errors of a project, from the compiler or type checker of its language.

use std::{collections::BTreeMap, path::Path, process::Command};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::changes::Change;
use crate::{prove::setup, tools};

/// Number of equal errors by file and message.
pub(super) type Errors = BTreeMap<Finding, usize>;

/// An error, without its line, which a change may shift.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Finding {
    pub(super) file: String,
    pub(super) message: String,
}

/// Language of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    Go,
    Rust,
}

impl Language {
    /// Returns whether a file is source code of the language.
    pub(super) fn is_source(self, file: &str) -> bool {
        match self {
            Language::Python => file.ends_with(".py"),
            Language::Go => file.ends_with(".go"),
            Language::Rust => file.ends_with(".rs"),
        }
    }

    /// Returns the language of the project in a folder, or the compiler or type checker that is missing.
    pub(super) fn for_project(root: &Path) -> Result<std::result::Result<Language, &'static str>> {
        let manifests = [
            ("Cargo.toml", Language::Rust, "cargo"),
            ("go.mod", Language::Go, "go"),
            ("pyproject.toml", Language::Python, "pyright"),
            ("setup.py", Language::Python, "pyright"),
        ];
        let found = manifests.into_iter().find(|(file, ..)| root.join(file).is_file());
        let (_, language, program) = found.with_context(|| format!("no project in {}", root.display()))?;
        Ok(if tools::find(program).is_some() { Ok(language) } else { Err(program) })
    }

    /// Returns the errors of the project.
    pub(super) fn errors(self, root: &Path) -> Result<Errors> {
        let (program, arguments): (&str, &[&str]) = match self {
            Language::Rust => {
                ("cargo", &["check", "--quiet", "--workspace", "--all-targets", "--message-format=short"])
            }
            // The names of example functions are not checked.
            Language::Go => ("go", &["vet", "-tests=false", "./..."]),
            Language::Python => ("pyright", &["--outputjson"]),
        };
        let mut command = Command::new(program);
        command.args(arguments).current_dir(root).env("CARGO_TARGET_DIR", setup::folder("languages-target"));
        let output = command.output().with_context(|| format!("cannot start `{program}`"))?;
        let findings = match self {
            Language::Python => python_errors(root, &output.stdout)?,
            Language::Go | Language::Rust => compiler_errors(&String::from_utf8_lossy(&output.stderr)),
        };
        if findings.is_empty() && self != Language::Python && !output.status.success() {
            bail!("`{program}` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        let mut errors = Errors::new();
        findings.into_iter().for_each(|finding| *errors.entry(finding).or_default() += 1);
        Ok(errors)
    }

    /// Returns whether the errors are those of code. Otherwise required packages are missing, and code that uses them was
    /// not checked.
    pub(super) fn could_check(errors: &Errors) -> bool {
        let missing = ["dial tcp", "no required module", "cannot find module", "could not import"];
        !errors.keys().any(|error| missing.iter().any(|words| error.message.contains(words)))
    }

    /// Returns the errors that a change caused. Their files have the paths from before the change.
    pub(super) fn new_errors(self, root: &Path, before: &Errors, change: &Change) -> Result<Vec<Finding>> {
        let mut found = Errors::new();
        for (finding, count) in self.errors(root)? {
            let [file, message] = [finding.file, finding.message].map(|text| change.with_old_names(&text));
            *found.entry(Finding { file, message }).or_default() += count;
        }
        let known = |finding: &Finding| before.get(finding).copied().unwrap_or_default();
        Ok(found.into_iter().filter(|(finding, count)| *count > known(finding)).map(|(finding, _)| finding).collect())
    }
}

/// Reads lines such as `src/a.rs:3:5: error[E0425]: …` or `vet: ./a.go:3:5: …`.
fn compiler_errors(output: &str) -> Vec<Finding> {
    let parse = |line: &str| {
        let line = line.strip_prefix("vet: ").unwrap_or(line);
        let (file, rest) = line.split_once(':')?;
        let (number, rest) = rest.split_once(':')?;
        number.parse::<usize>().ok()?;
        let message = rest.split_once(": ").map_or(rest, |(_, message)| message);
        let is_error = !message.starts_with("warning") && !message.starts_with("note");
        let file = file.trim_start_matches("./").to_owned();
        is_error.then(|| Finding { file, message: message.to_owned() })
    };
    output.lines().filter_map(parse).collect()
}

/// Reads the report of pyright.
fn python_errors(root: &Path, output: &[u8]) -> Result<Vec<Finding>> {
    let report: Value = serde_json::from_slice(output).context("the report of pyright is not JSON")?;
    let found = report["generalDiagnostics"].as_array().into_iter().flatten();
    let read = |diagnostic: &Value| {
        let file = Path::new(diagnostic["file"].as_str()?);
        let file = file.strip_prefix(root).unwrap_or(file).to_string_lossy().into_owned();
        let is_error = diagnostic["severity"] == "error";
        is_error.then(|| Some(Finding { file, message: diagnostic["message"].as_str()?.to_owned() }))?
    };
    Ok(found.filter_map(read).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_compilers_are_read() {
        let output = "# example.com/shop\nvet: ./a.go:3:5: undefined: b\nsrc/a.rs:1:2: error[E0425]: cannot find `x`\n\
                      src/b.rs:1:2: warning: unused\nerror: could not compile\n";
        let found: Vec<String> =
            compiler_errors(output).into_iter().map(|found| format!("{} {}", found.file, found.message)).collect();
        assert_eq!(found, ["a.go undefined: b", "src/a.rs error[E0425]: cannot find `x`"]);
    }

    #[test]
    fn errors_of_pyright_are_read() {
        let report = r#"{"generalDiagnostics": [
            {"file": "/p/a.py", "severity": "error", "message": "\"b\" is not defined"},
            {"file": "/p/c.py", "severity": "warning", "message": "d"}]}"#;
        let found = python_errors(Path::new("/p"), report.as_bytes()).expect("a report");
        assert_eq!(found, [Finding { file: "a.py".to_owned(), message: "\"b\" is not defined".to_owned() }]);
    }
}
