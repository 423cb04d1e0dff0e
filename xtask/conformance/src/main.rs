//! Answers calls with the library `marquetry`: reads a call on each line of standard input, `{"tool", "arguments"}`, and
//! writes a line with its `result`, or its `error` and the `text` of the error for models.
//! `cargo xtask prove conformance` compares the answers with those of other front ends.

use std::{
    env,
    io::{BufRead, Write, stdin, stdout},
    path::PathBuf,
};

use anyhow::{Context, Result};
use marquetry::{DEFAULT_REGISTRY, Host, TrustPolicy, error_json, folders};
use serde_json::{Value, json};

fn main() -> Result<()> {
    let mut arguments = env::args_os().skip(1).map(PathBuf::from);
    let usage = "usage: conformance ROOT PACKS";
    let (root, packs) = (arguments.next().context(usage)?, arguments.next().context(usage)?);
    let host = host(root, packs)?;
    for line in stdin().lock().lines() {
        let mut call: Value = serde_json::from_str(&line?)?;
        let tool = call["tool"].as_str().context("`tool` is missing")?.to_owned();
        let answer = match host.call(&tool, call["arguments"].take()) {
            Ok(result) => json!({ "result": result }),
            Err(error) => {
                let content = error_json(&error);
                json!({ "error": content, "text": host.text_for_model(&tool, &Err(error)) })
            }
        };
        let mut out = stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

/// Builds a host with the settings of the program `marq`: its registry, its folders, git and language servers.
fn host(root: PathBuf, packs: PathBuf) -> marquetry::Result<Host> {
    let state = folders::state()?;
    let cache = folders::cache(std::slice::from_ref(&root))?;
    let paths = env::var_os("PATH").map(|paths| env::split_paths(&paths).collect::<Vec<_>>()).unwrap_or_default();
    Host::builder()
        .root(root)
        .registry(DEFAULT_REGISTRY)
        .pack_folder(packs)
        .trust(TrustPolicy::Allowed(state.join("trust")))
        .plugin_store(Some(state.join("plugins")))
        .state(state)
        .cache(cache)
        .git()
        .language_servers()
        .program_folders(paths)
        .client("conformance 1")
        .build()
}
