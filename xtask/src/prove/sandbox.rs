//! Cost of the sandbox: opens a document and finds a node in it, with the same pack natively and as a component.

use anyhow::{Context, Result, ensure};

use super::{Run, setup};
use crate::{
    measure::{
        inputs::{INPUTS, Input},
        table::{Table, number, text},
    },
    shell::command,
};

const ROUNDS: usize = 15;
/// Extensions of the formats whose packs `ratio` contains as libraries.
const EXTENSIONS: [&str; 4] = [".ts", ".tsx", ".json", ".md"];

/// Runs `ratio` on the inputs.
pub(super) fn run(run: &Run) -> Result<()> {
    let is_native = |input: &&Input| EXTENSIONS.iter().any(|extension| input.file.ends_with(extension));
    let folder = setup::folder("files");
    let rounds = run.rounds(ROUNDS).to_string();
    let table = Table::start(&[text("input", 14), number("native ms"), number("component ms"), number("ratio")]);
    for input in run.draw(INPUTS.iter().filter(is_native).collect(), "files") {
        input.write(&folder, run.is_sampled())?;
        let file = folder.join(input.file).to_string_lossy().into_owned();
        let ratio = run.tool("ratio")?.to_string_lossy().into_owned();
        let output = command(&ratio, &[&rounds, &file, input.target]).output().context("cannot start `ratio`")?;
        let line = String::from_utf8_lossy(&output.stdout);
        let figures: Vec<&str> = line.split_whitespace().collect();
        ensure!(
            output.status.success() && figures.len() == 3,
            "`ratio` failed on {}: {}",
            input.file,
            String::from_utf8_lossy(&output.stderr)
        );
        table.row(&[input.file, figures[0], figures[1], figures[2]]);
    }
    Ok(())
}
