//! Measures moves in generated monorepos: the cost of a move must grow linearly with the number of packages.

use anyhow::{Result, bail};
use serde_json::json;

use super::{Run, setup};
use crate::{
    measure::{
        monorepo_project::{self, DESTINATION, FILES, MOVED},
        process::quantile,
        session::Session,
        table::{Table, ms, number},
    },
    plugins,
};

/// Numbers of packages.
const SIZES: [usize; 3] = [50, 100, 304];
const ROUNDS: usize = 9;
/// Number of packages in a sampled run.
const SAMPLED: usize = 10;

/// Measures a monorepo of each size: the first call of a process without an index, and later ones.
pub(super) fn run(run: &Run) -> Result<()> {
    let sizes = if run.is_sampled() { vec![SAMPLED] } else { run.sizes(&SIZES) };
    println!("{FILES} files in each package");
    let table = Table::start(&[
        number("packages"),
        number("first ms"),
        number("again ms"),
        number("applied ms"),
        number("after ms"),
        number("MiB"),
    ]);
    plugins::compile(run.program())?;
    for packages in sizes {
        let folder = setup::empty_folder(&format!("monorepo-{packages}"))?;
        monorepo_project::make(&folder, packages)?;
        let mut session = Session::start(run.program(), &folder)?;
        let dry = json!({ "source": MOVED, "destination": DESTINATION, "dryRun": true });
        let (first, answer) = session.call("file/move", &dry)?;
        if !answer.contains("\"complete\"") {
            bail!("the move is not complete: {}", answer.chars().take(500).collect::<String>());
        }
        let rounds = run.rounds(ROUNDS);
        let again = (0..rounds).map(|_| session.call_time("file/move", &dry)).collect::<Result<Vec<_>>>()?;
        let applied = session.call_time("file/move", &json!({ "source": MOVED, "destination": DESTINATION }))?;
        let back = json!({ "source": DESTINATION, "destination": MOVED, "dryRun": true });
        let after = session.call_time("file/move", &back)?;
        let memory = session.peak_memory().to_string();
        let again = ms(quantile(&again, 0.5));
        table.row(&[&packages.to_string(), &ms(first), &again, &ms(applied), &ms(after), &memory]);
    }
    Ok(())
}
