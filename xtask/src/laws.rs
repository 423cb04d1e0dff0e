//! The laws of every pack on many documents: of the public suites, or of any folders.

use anyhow::Result;

use crate::{shell, suites};

/// Check them in the folders; with none given, on our own tree and the suites that `MARQ_SUITES` tells of.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let mut all = vec!["run", "--quiet", "--release", "--package", "laws", "--"];
    all.extend(arguments.iter().map(String::as_str));
    let suites = suites::folder()?.map(|folder| folder.to_string_lossy().into_owned());
    if !arguments.iter().any(|argument| shell::top().join(argument).is_dir()) {
        all.push(".");
        all.extend(suites.as_deref());
    }
    shell::run("cargo", &all)
}
