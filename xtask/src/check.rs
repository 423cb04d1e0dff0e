//! Format, lints, the rules of the project, and those of dependencies.

use anyhow::Result;

use crate::{
    shell::{run as command, step},
    systems, tidy, tools,
};

/// Runs all checks, the cheapest first.
pub(crate) fn run() -> Result<()> {
    step("the rules of the project");
    tidy::run()?;
    step("format");
    command("cargo", &["fmt", "--all", "--check"])?;
    step("lints");
    command("cargo", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"])?;
    systems::check(false)?;
    dependencies()
}

/// Versions, licences and sources of dependencies, as `deny.toml` restricts them.
fn dependencies() -> Result<()> {
    step("the rules of dependencies");
    let Some(deny) = tools::find("cargo-deny") else {
        println!("    not run: needs cargo-deny (`cargo xtask tools cargo-deny`)");
        return Ok(());
    };
    // cargo-deny reads the crates of all systems, of which builds fetch only those of some.
    command("cargo", &["fetch", "--quiet", "--locked"])?;
    let arguments = ["--offline", "--log-level", "error", "check", "bans", "licenses", "sources"];
    command(&deny.to_string_lossy(), &arguments)
}
