//! Format, lints, and the rules of the project.

use anyhow::Result;

use crate::{
    shell::{run as command, step},
    systems, tidy,
};

/// All of it; the cheapest first.
pub(crate) fn run() -> Result<()> {
    step("the rules of the project");
    tidy::run()?;
    step("format");
    command("cargo", &["fmt", "--all", "--check"])?;
    step("lints");
    command("cargo", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"])?;
    systems::check(false)
}
