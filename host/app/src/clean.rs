//! `marq clean`: stale data, and contents to purge.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use marquetry_files::clean;
use marquetry_graph::stale_indices;
use marquetry_model::{Error, Kind, Result, StaleData};
use serde_json::{Value, json};

use crate::{
    config::{self, DataFolders, Host},
    show::{self, Output},
    terminal,
};

/// Lists stale data, and removes it if `remove` is set.
pub(crate) fn run(host: &Host, remove: bool, output: Output) -> Result<()> {
    let DataFolders { state, cache, .. } = &host.folders;
    let states = clean::stale_states(state);
    let indices = cache.as_ref().map(|cache| stale_indices(&cache.join("index"))).unwrap_or_default();
    let files = [ended_servers(&state.join("servers")), host.packs.stale_data()?, indices].concat();
    let removed = |stale: &StaleData| match fs::remove_file(&stale.path) {
        _ if states.contains(stale) => clean::remove_state(state, stale),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            let message = format!("{} cannot be removed: {error}", stale.path.display());
            Err(Error::new(Kind::PermissionDenied, message))
        }
        _ => Ok(true),
    };
    let mut rows = Vec::new();
    terminal::run_interactively(|work| {
        for stale in states.iter().chain(&files) {
            work.check()?;
            let outcome = if remove { Some(removed(stale)) } else { None };
            rows.push(stale_data_row(stale, outcome));
        }
        Ok(())
    })?;
    show::stale_data(&json!({ "staleData": rows, "removed": remove }), output);
    Ok(())
}

fn stale_data_row(stale: &StaleData, outcome: Option<Result<bool>>) -> Value {
    let mut row = json!({
        "path": stale.path.display().to_string(), "bytes": stale.bytes, "reason": stale.reason,
        "removed": matches!(outcome, Some(Ok(true))),
    });
    match outcome {
        Some(Ok(false)) => row["kept"] = "it is in use again".into(),
        Some(Err(error)) => row["kept"] = error.to_string().into(),
        _ => {}
    }
    row
}

/// Returns discovery files of servers that ended without removing them.
fn ended_servers(folder: &Path) -> Vec<StaleData> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let ended = files.filter(|path| {
        let process = path.file_stem().and_then(|stem| stem.to_str()?.parse::<u32>().ok());
        // On a system without `/proc`, it is not known which processes have ended, so no server is listed.
        let tells = Path::new("/proc/self").exists();
        tells && process.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists())
    });
    let stale = |path: PathBuf| StaleData {
        bytes: path.symlink_metadata().map_or(0, |metadata| metadata.len()),
        reason: "address and token of a server that ended".to_owned(),
        path,
    };
    ended.map(stale).collect()
}

/// Lists what the history keeps of a path, and purges it if `remove` is set.
pub(crate) fn purge(host: &Host, path: &Path, remove: bool, output: Output) -> Result<()> {
    let path = absolute_path(host, path)?;
    let purged = terminal::run_interactively(|work| clean::purge(&host.folders.state, &path, !remove, work))?;
    let rows: Vec<Value> = purged
        .iter()
        .map(|purge| {
            let changes = purge.changes.iter().map(|(id, title)| json!({ "id": id, "title": title }));
            json!({ "root": purge.root, "changes": changes.collect::<Vec<_>>(), "bytes": purge.bytes, "unread": purge.unreadable })
        })
        .collect();
    let exists = path.symlink_metadata().is_ok();
    show::purged_history(
        &json!({ "path": path.display().to_string(), "histories": rows, "purged": remove, "exists": exists }),
        output,
    );
    Ok(())
}

/// Returns a path as histories record it: below the canonical root, whether or not it exists.
fn absolute_path(host: &Host, path: &Path) -> Result<PathBuf> {
    let named = if host.folders.has_root {
        Path::new(host.bench.files(None)?.root()).join(path)
    } else {
        config::absolute(path)?
    };
    let mut plain = PathBuf::new();
    for part in named.components() {
        match part {
            Component::ParentDir => _ = plain.pop(),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    // Resolves symbolic links in the parent folders, but not in the last component.
    let there = plain.ancestors().skip(1).find_map(|folder| Some((folder, folder.canonicalize().ok()?)));
    let (folder, real) = there.ok_or_else(|| Error::argument(format!("`{}` is not a valid path", path.display())))?;
    Ok(real.join(plain.strip_prefix(folder).unwrap_or(&plain)))
}
