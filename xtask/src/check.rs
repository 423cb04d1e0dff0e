//! Checks the format, lints, the project rules and the dependencies.

use anyhow::Result;

use crate::{
    cross_check,
    shell::{begin_step, run as command},
    tidy, tools,
};

/// Runs all checks, the cheapest first.
pub(crate) fn run() -> Result<()> {
    begin_step("the rules of the project");
    tidy::run()?;
    begin_step("format");
    command("cargo", &["fmt", "--all", "--check"])?;
    begin_step("lints");
    command("cargo", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"])?;
    begin_step("lints without optional features");
    let package = ["--package", "marquetry-sources", "--no-default-features"];
    command("cargo", &[&["clippy", "--all-targets", "--quiet"], &package[..], &["--", "--deny", "warnings"]].concat())?;
    begin_step("documentation");
    let flags =
        r#"build.rustdocflags=["-Dwarnings", "-Arustdoc::private_intra_doc_links", "--document-private-items"]"#;
    command("cargo", &["doc", "--workspace", "--no-deps", "--quiet", "--config", flags])?;
    cross_check::check(false)?;
    dependencies()
}

/// Checks versions, licenses and sources of dependencies against `deny.toml`.
fn dependencies() -> Result<()> {
    begin_step("the rules of dependencies");
    let Some(deny) = tools::find("cargo-deny") else {
        println!("    not run: needs cargo-deny (`cargo xtask tools cargo-deny`)");
        return Ok(());
    };
    // cargo-deny reads the crates for all systems, but builds fetch only those for the systems they build for, so the
    // others are fetched here.
    command("cargo", &["fetch", "--quiet", "--locked"])?;
    let arguments = ["--offline", "--log-level", "error", "check", "bans", "licenses", "sources"];
    command(&deny.to_string_lossy(), &arguments)
}
