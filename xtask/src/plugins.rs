//! Building the language packs as components.

use anyhow::Result;

use crate::shell::{plugins, run};

/// Where cargo leaves the components.
pub(crate) const FOLDER: &str = "target/wasm32-wasip2/plugin";

/// Build all packs, or only some.
pub(crate) fn build(only: &[String]) -> Result<()> {
    let packs: Vec<String> = plugins()?.into_iter().filter(|name| only.is_empty() || only.contains(name)).collect();
    let mut names: Vec<String> = packs.iter().map(|name| format!("--package=marquetry-{name}")).collect();
    if only.is_empty() || only.iter().any(|name| name == "hostile") {
        // What the sandbox is tested with.
        names.push("--package=marquetry-hostile".to_owned());
    }
    let mut arguments = vec!["build", "--target", "wasm32-wasip2", "--profile", "plugin"];
    arguments.extend(names.iter().map(String::as_str));
    run("cargo", &arguments)
}
