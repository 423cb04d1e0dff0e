//! The laws of every pack on many documents: of the public suites, or of any folders.

use anyhow::Result;

use crate::shell;

/// Check them in the folders; with none given, on the sample workspace, our own tree and the suites beside it.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let mut all = vec!["run", "--quiet", "--release", "--package", "laws", "--"];
    all.extend(arguments.iter().map(String::as_str));
    let suites = shell::top().join("../shared/suites");
    let suites = suites.to_string_lossy();
    if !arguments.iter().any(|argument| shell::top().join(argument).is_dir()) {
        all.push(".");
        if shell::top().join(&*suites).is_dir() {
            all.push(&suites);
        }
    }
    shell::run("cargo", &all)
}
