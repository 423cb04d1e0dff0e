//! `marq recover`: interrupted changes that cannot be rolled back automatically.

use marquetry_model::Result;
use serde_json::json;

use crate::{
    config::Host,
    show::{self, Output},
};

pub(crate) fn run(host: &Host, (give_up, take_back): (Option<&str>, Option<&str>), output: Output) -> Result<()> {
    let files = host.bench.files(None)?;
    let kept = give_up.map(|id| files.give_up(id)).transpose()?;
    let message = take_back.map(|id| files.roll_back_copy(id)).transpose()?;
    let list = files.unfinished()?;
    let rows = list.iter().map(|change| {
        json!({
            "id": change.id, "title": change.description.as_ref().map(|done| &done.0), "time": change.description.as_ref().map(|done| done.1),
            "folder": change.folder, "files": change.files, "journal": change.journal, "reason": change.reason,
        })
    });
    let answer = json!({
        "root": files.root(), "unfinished": rows.collect::<Vec<_>>(), "givenUp": give_up, "kept": kept.flatten(), "rolledBack": message,
    });
    show::interrupted_changes(&answer, output);
    Ok(())
}

/// At the start of a server, looks for interrupted changes in its roots, whatever process made them, and rolls them
/// back. Failures are logged, and reported in the warnings of calls.
pub(crate) fn roll_back_in_background(host: &Host) {
    let roots: Vec<_> =
        host.bench.roots().served().iter().filter_map(|root| host.bench.files(Some(root)).ok()).collect();
    let look = move || {
        for files in roots {
            match files.unfinished() {
                Ok(list) => list.iter().for_each(|change| tracing::warn!("in {}: {}", change.folder, change.reason)),
                Err(error) => tracing::warn!("{}: {error}", files.root()),
            }
        }
    };
    // Without the thread, the first call that finds such a change handles it.
    let _ = std::thread::Builder::new().name("recovery".to_owned()).spawn(look);
}
