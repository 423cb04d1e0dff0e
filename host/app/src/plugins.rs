//! `marq plugin` and `marq doctor`.

use std::{process::ExitCode, sync::Arc};

use marquetry_model::{
    Change, Error, Result, Step, Work,
    editor::{Attached, Editors, Integrations, State},
    limits,
    nearest::nearest,
    ports::{Files, Packs},
};
use marquetry_runtime::Word;
use serde_json::json;

use crate::{
    config::{self, Host},
    flags::Plugin,
    ide_lock,
    show::{self, Output},
};

pub(crate) fn run(host: &Host, command: &Plugin, output: Output) -> Result<()> {
    let files = host.bench.files(None)?;
    match command {
        Plugin::List => {
            let list = host.packs.plugins(&files);
            let rows = list.iter().map(|plugin| {
                json!({
                    "id": plugin.id, "version": plugin.version, "source": plugin.source, "sha256": plugin.digest, "files": plugin.files,
                    "interfaces": plugin.interfaces, "grants": plugin.grants, "state": plugin.state,
                })
            });
            show::plugins(&rows.collect::<Vec<_>>(), output);
        }
        Plugin::Show { id } => {
            let known = host.packs.descriptions(&files);
            let editors = host.packs.of(&files)?;
            if let Some(description) = known.iter().find(|description| description.id == *id) {
                show::line(description.help.trim_end());
            } else if let Some(editor) = editors.iter().find(|editor| editor.name() == id) {
                show::line(editor.describe()?.help.trim_end());
            } else {
                let names = known.iter().map(|known| known.id.clone());
                let names = names.chain(editors.iter().map(|editor| editor.name().to_owned()));
                return Err(Error::argument(format!("no plugin `{id}`")).candidates(nearest(id, names)));
            }
        }
        Plugin::Lock => {
            let lock = format!("# Written by `marq plugin lock`.\n{}", host.packs.lock_of(&files)?);
            let step = Step::Create {
                path: "registry.lock".to_owned(),
                content: lock.into_bytes(),
                overwrite: true,
                directories: false,
            };
            let (change, work) =
                (Change { title: "Locked the plugins".to_owned(), steps: vec![step] }, Work::default());
            work.call_of(config::PROGRAM);
            work.sign("plugin lock", "registry.lock", None);
            files.apply(&change, false, &work)?;
            show::line("wrote registry.lock");
        }
    }
    Ok(())
}

/// What the project's files ask for, and the person's word about it.
pub(crate) fn trust(host: &Host, allow: bool, revoke: bool, output: Output) -> Result<()> {
    let files = host.bench.files(None)?;
    let demands = if allow || revoke { host.packs.give_word(&files, allow)? } else { host.packs.demands(&files)? };
    let word = match demands.word {
        _ if demands.list.is_empty() => "nothing is asked for",
        Word::Allowed => "allowed",
        Word::Unasked => "not allowed: `marq trust --allow` allows it as it is now",
        Word::Refused => "left out",
    };
    let list: Vec<_> =
        demands.list.iter().map(|demand| json!({ "plugin": demand.plugin, "asks": demand.what })).collect();
    show::demands(&json!({ "root": files.root(), "demands": list, "word": word }), output);
    Ok(())
}

/// Whether every change is whole.
fn unfinished(files: &Arc<dyn Files>) -> std::result::Result<String, String> {
    let list = files.unfinished().map_err(|error| error.to_string())?;
    match list.first() {
        None => Ok("all whole".to_owned()),
        Some(first) => Err(format!("{} half done, the first: {}; see `marq recover`", list.len(), first.reason)),
    }
}

/// Whether the history can be read, and every change in it is there as a whole.
fn history(files: &Arc<dyn Files>) -> std::result::Result<String, String> {
    let past = files.history(limits::HISTORY_ENTRIES).map_err(|error| error.to_string())?;
    let damage = files.damage().map_err(|error| error.to_string())?;
    if let Some(first) = damage.first() {
        return Err(format!("{} changes cannot be undone, the first: {first}", damage.len()));
    }
    let kept: Vec<&str> = past.iter().filter_map(|past| past.interrupted.as_deref()).collect();
    match kept.as_slice() {
        [] => Ok("readable".to_owned()),
        _ => Err(format!(
            "others wrote to the files of a change that was interrupted; what stood in them is kept in {}; remove that when it is \
             not needed",
            kept.join(", ")
        )),
    }
}

/// An editor, and how far it is. One that cannot be reached is nothing that marq lacks.
fn editor(editor: &Attached) -> (String, std::result::Result<String, String>) {
    let state = match &editor.state {
        State::Ready => format!("{} at {}", editor.title, editor.channel),
        State::Connecting => format!("says nothing yet at {}", editor.channel),
        State::Failed(why) => format!("not attached: {why} ({})", editor.channel),
    };
    (format!("editor {}", editor.name), Ok(state))
}

/// A lock by which Claude Code finds an editor, ours or another's. One of a program that is gone keeps nobody from working.
fn lock(found: &ide_lock::Found) -> (String, std::result::Result<String, String>) {
    let state = match (found.lives, found.answers) {
        (true, true) => "it answers",
        (true, false) => "its program is there, its port does not answer",
        (false, true) => "its program is gone, its port is another's",
        (false, false) => "its program is gone; `marq ide` removes it",
    };
    let detail = format!("port {} of {}: {state}", found.port, found.name);
    (format!("lock {}", found.path.display()), Ok(detail))
}

/// Each thing that marq needs, and whether it is there.
pub(crate) fn doctor(host: &Host, output: Output) -> ExitCode {
    let mut checks: Vec<(String, std::result::Result<String, String>)> = Vec::new();
    let files = host.bench.files(None);
    checks.push(("root".to_owned(), files.as_ref().map(|files| files.root().to_owned()).map_err(ToString::to_string)));
    if let Ok(files) = &files {
        checks.push(("changes".to_owned(), unfinished(files)));
        checks.push(("history".to_owned(), history(files)));
        for plugin in host.packs.plugins(files) {
            let state = match plugin.version {
                Some(version) if plugin.state == "ready" => Ok(format!("{version} from {}", plugin.source)),
                _ => Err(plugin.state),
            };
            checks.push((format!("plugin {}", plugin.id), state));
        }
        checks.extend(host.editors.attached(None).iter().map(editor));
    }
    checks.extend(ide_lock::found(&config::ide_folders()).iter().map(lock));
    let healthy = checks.iter().all(|(_, result)| result.is_ok());
    show::checks(&checks, output);
    if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
