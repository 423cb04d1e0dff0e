//! `marq recover`: changes that were interrupted and cannot be taken back.

use marquetry_model::Result;
use serde_json::json;

use crate::{
    config::Host,
    show::{self, Output},
};

pub(crate) fn run(host: &Host, give_up: Option<&str>, output: Output) -> Result<()> {
    let files = host.bench.files(None)?;
    let kept = give_up.map(|id| files.give_up(id)).transpose()?;
    let list = files.unfinished()?;
    let rows = list.iter().map(|change| {
        json!({
            "id": change.id, "title": change.done.as_ref().map(|done| &done.0), "time": change.done.as_ref().map(|done| done.1),
            "folder": change.folder, "files": change.files, "journal": change.journal, "reason": change.reason,
        })
    });
    let answer = json!({ "root": files.root(), "unfinished": rows.collect::<Vec<_>>(), "givenUp": give_up, "kept": kept.flatten() });
    show::unfinished(&answer, output);
    Ok(())
}
