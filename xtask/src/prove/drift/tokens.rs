//! Numbers of tokens (cl100k), counted by the package that the tests of MCP clients install.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};

use crate::{shell::top, tools};

/// Prints a JSON array with the number of tokens of each string of the array on standard input.
const SCRIPT: &str = "const { encode } = require('gpt-tokenizer/encoding/cl100k_base')
const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'))
console.log(JSON.stringify(texts.map((text) => encode(text).length)))";

/// Returns the number of tokens of each text; `None` if Node or the package is not installed.
pub(super) fn count(texts: &[&str]) -> Result<Option<Vec<usize>>> {
    let folder = top().join("target/e2e/clients/npm");
    let is_installed = folder.join("node_modules/gpt-tokenizer").is_dir();
    let Some(node) = tools::find("node").filter(|_| is_installed) else { return Ok(None) };
    let mut child = Command::new(node)
        .args(["--eval", SCRIPT])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start `node`")?;
    child.stdin.take().context("no input")?.write_all(&serde_json::to_vec(texts)?)?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "the tokens were not counted");
    Ok(Some(serde_json::from_slice(&output.stdout)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_counted_if_the_package_is_installed() {
        if let Some(counts) = count(&["", "hello world", "a\n\"b\""]).expect("counted") {
            assert_eq!(counts[..2], [0, 2]);
            assert_eq!(counts.len(), 3);
        }
    }
}
