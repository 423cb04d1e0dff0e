//! Running the tests, cheapest first.

use anyhow::{Result, ensure};

use crate::{
    shell::{self, step, top},
    stress::{self, Stress},
    suites,
};

/// What is tested, for cargo. The tests build the program too: asked for by itself it would be built once more, with
/// features of other crates that only tests want left out.
pub(crate) const SELECTION: [&str; 5] = ["--workspace", "--exclude", "ratio", "--exclude", "laws"];

/// The program as the tests have it.
pub(crate) const PROGRAM: &str = "target/debug/marq";

/// Build the program, and the tests with it.
pub(crate) fn build() -> Result<()> {
    shell::run("cargo", &[&["test", "--quiet", "--no-run"], &SELECTION[..]].concat())
}

/// Everything that needs rustup, cargo and make only. The components are built already.
pub(crate) fn run() -> Result<()> {
    step("tests: native, the laws of every pack through wasm, hostile plugins, the program");
    native()?;
    stress::run(&Stress { clients: 16, seconds: 2, marq: Some(top().join(PROGRAM)) })?;
    conformance()
}

/// The tests of all crates. Whoever reads a failed run wants to know all that failed, and to find it at its end.
fn native() -> Result<()> {
    let arguments = [&["test", "--quiet", "--no-fail-fast"], &SELECTION[..]].concat();
    // The harness heads what a failed test printed with `---- NAME stdout ----`.
    let is_failure = |line: &str| line.starts_with("---- ") && line.ends_with(" ----");
    let (passed, failures) = shell::run_and_keep("cargo", &arguments, is_failure)?;
    ensure!(passed, "tests failed:\n    {}", failures.join("\n    "));
    Ok(())
}

/// Public conformance suites, where `MARQ_SUITES` tells of them.
fn conformance() -> Result<()> {
    let Some(folder) = suites::folder()? else {
        println!("    no conformance suites: MARQ_SUITES=FOLDER names them");
        return Ok(());
    };
    step("conformance suites");
    let minima = std::fs::read_to_string(top().join("xtask/suites.txt"))?;
    let held: Vec<&str> = minima.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).collect();
    let suites: Vec<&str> = held.iter().filter_map(|line| line.split(['=', '/']).next()).collect();
    let only = suites.into_iter().collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(",");
    let (runner, program) = (folder.join("run.py"), top().join(PROGRAM));
    let (runner, program) = (runner.to_string_lossy().into_owned(), program.to_string_lossy().into_owned());
    // Compile the packs before answers are waited for.
    shell::run(&program, &["doctor"])?;
    let mut arguments = vec![runner.as_str(), "--marq", &program, "--jobs", "2", "--timeout", "60", "--only", &only];
    for line in &held {
        arguments.extend(["--min", line]);
    }
    shell::run("python3", &arguments)
}
