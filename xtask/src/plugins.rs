//! Building the language packs as components.

use anyhow::Result;

use crate::shell::{plugins, run};

/// Where cargo leaves the components.
pub(crate) const FOLDER: &str = "target/wasm32-wasip2/release";
/// Where it leaves those that are built quickly.
pub(crate) const QUICK_FOLDER: &str = "target/wasm32-wasip2/quick";

/// Build all packs, or only some.
pub(crate) fn build(only: &[String]) -> Result<()> {
    let mut packs: Vec<String> = plugins()?.into_iter().filter(|name| only.is_empty() || only.contains(name)).collect();
    if only.is_empty() || only.iter().any(|name| name == "hostile") {
        // What the sandbox is tested with.
        packs.push("hostile".to_owned());
    }
    cargo("release", &packs, &[])
}

/// Build packs to be shown: in a fraction of the time, larger and slower, without what is optional in them.
pub(crate) fn build_quickly(packs: &[&str]) -> Result<()> {
    cargo("quick", packs, &["--no-default-features"])
}

fn cargo(profile: &str, packs: &[impl AsRef<str>], features: &[&str]) -> Result<()> {
    let names: Vec<String> = packs.iter().map(|name| format!("--package=marquetry-{}", name.as_ref())).collect();
    let mut arguments = vec!["build", "--quiet", "--target", "wasm32-wasip2", "--profile", profile];
    arguments.extend(features);
    arguments.extend(names.iter().map(String::as_str));
    run("cargo", &arguments)
}
