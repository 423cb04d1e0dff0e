//! `marq plugin` and `marq doctor`.

use std::{collections::BTreeMap, process::ExitCode, sync::Arc, time::Duration};

use marquetry_model::{
    Error, Kind, Result,
    editor::{AttachedEditor, ConnectionState, Editors, Integrations},
    escape::quote_command,
    limits,
    nearest::nearest_names,
    ports::{Files, Overlap, Packs},
    servers::RequestedServer,
};
use marquetry_runtime::{Approval, ApprovalChange, InstalledServer};
use serde_json::{Value, json};

use crate::{
    config::{self, Host},
    flags::plugin::Plugin,
    ide_lock, init, kit,
    running::{self, FoundServer},
    show::{self, Output},
};

pub(crate) fn run(host: &Host, command: &Plugin, output: Output) -> Result<ExitCode> {
    let files = host.bench.files(None)?;
    match command {
        Plugin::List => {
            let list = host.packs.plugins(&files);
            let rows = list.iter().map(|plugin| {
                let interfaces: Vec<_> = plugin.interfaces.iter().map(|interface| interface.name()).collect();
                json!({
                    "id": plugin.id, "version": plugin.version, "source": plugin.source, "sha256": plugin.digest, "files": plugin.files,
                    "interfaces": interfaces, "grants": plugin.grants, "state": plugin.state,
                    "overlaps": plugin.overlaps.iter().map(overlap_text).collect::<Vec<_>>(),
                })
            });
            show::plugins(&rows.collect::<Vec<_>>(), output);
        }
        Plugin::Show { id } => {
            let known = host.packs.descriptions(&files);
            let editors = host.packs.for_project(&files)?;
            if let Some(description) = known.iter().find(|description| description.id == *id) {
                show::text(description.help.trim_end());
            } else if let Some(editor) = editors.iter().find(|editor| editor.name() == id) {
                show::text(editor.describe()?.help.trim_end());
            } else {
                return Err(unknown_plugin(host, &files, id)?);
            }
        }
        Plugin::Logs { id } => match host.packs.logs(id) {
            Some(text) => show::text(text.trim_end()),
            None if host.packs.plugins(&files).iter().any(|plugin| plugin.id == *id) => {
                show::line(&format!("no call of `{id}` failed"));
            }
            None => return Err(unknown_plugin(host, &files, id)?),
        },
        Plugin::Lock => {
            kit::lock(host, &files, &BTreeMap::new())?;
            show::line("wrote registry.lock");
        }
        Plugin::New { name, lang, to } => kit::new(name, *lang, to.as_deref())?,
        Plugin::Build { folder } => show::line(&format!("wrote {}", kit::build(folder)?.display())),
        Plugin::Test { file, documents, seconds, update } => {
            return kit::test(host, file, documents, (Duration::from_secs(*seconds), *update), output);
        }
        Plugin::Dev { folder, seconds } => kit::dev(host, folder, Duration::from_secs(*seconds), output)?,
        Plugin::Info { file } => kit::info(host, file, output)?,
        Plugin::Add(arguments) => kit::add(host, arguments)?,
        Plugin::Update { id, locked: false } => kit::update(host, id.as_deref())?,
        Plugin::Update { id, locked: true } => kit::download_locked(host, id.as_deref())?,
        Plugin::Publish { file, to, signature } => kit::publish(host, file, to, signature.as_deref())?,
        Plugin::Search { word, place } => kit::search(word, place, output)?,
        Plugin::Remove { id } => kit::remove(host, id)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Describes a file pattern that two plugins claim, and which of them is used for it.
fn overlap_text(overlap: &Overlap) -> String {
    let Overlap { pattern, other, wins } = overlap;
    if *wins {
        format!("{pattern} is also claimed by `{other}`, which is not used for it")
    } else {
        format!("`{other}` is used for {pattern}")
    }
}

/// Returns the error for a plugin that cannot be shown: why it cannot be used, or the names of existing ones.
fn unknown_plugin(host: &Host, files: &Arc<dyn Files>, id: &str) -> Result<Error> {
    let plugins = host.packs.plugins(files);
    if let Some(refused) = plugins.iter().find(|plugin| plugin.id == id) {
        return Ok(Error::new(Kind::PluginFailed, format!("plugin `{id}` cannot be used: {}", refused.state)));
    }
    let names = plugins.into_iter().map(|plugin| plugin.id);
    let editors = host.packs.for_project(files)?;
    let names = names.chain(editors.iter().map(|editor| editor.name().to_owned()));
    Ok(Error::argument(format!("no plugin `{id}`")).candidates(nearest_names(id, names)))
}

/// Shows the permissions that the project requests and their approval, after granting or revoking it if `saying` is
/// given.
pub(crate) fn trust(host: &Host, saying: Option<ApprovalChange<'_>>, output: Output) -> Result<()> {
    let files = host.bench.files(None)?;
    let requested = match saying {
        Some(saying) => host.packs.change_approval(&files, saying)?,
        None => host.packs.requested_permissions(&files)?,
    };
    let all = requested.list.iter().map(|permission| (permission, requested.approval_of(&permission.plugin)));
    // Servers that are only on `PATH` are listed by `marq servers`.
    let is_shown = |offer: &&InstalledServer| !offer.is_on_path() || offer.word == Approval::Allowed;
    let offers = requested.installed_servers.iter().filter(is_shown);
    let all: Vec<_> = all.chain(offers.map(|offer| (&offer.permission, offer.word))).collect();
    let is_allowed = |approval: Approval| approval == Approval::Allowed;
    let approval = match all.iter().filter(|(_, approval)| is_allowed(*approval)).count() {
        _ if requested.approval == Approval::Refused => "ignored, because of `--no-trust`",
        _ if all.is_empty() => "nothing is requested",
        allowed if allowed == all.len() => "allowed",
        0 => "not allowed: `marq trust --allow` approves all of it, `marq trust --allow NAME` a part",
        _ => "partly allowed: `marq trust --allow` approves all of it, `marq trust --allow NAME` a part",
    };
    let list: Vec<_> = all
        .iter()
        .map(|(permission, approval)| {
            json!({
                "plugin": permission.plugin, "permission": permission.what, "notes": permission.notes,
                "allowed": is_allowed(*approval),
            })
        })
        .collect();
    show::requested_permissions(&json!({ "root": files.root(), "permissions": list, "approval": approval }), output);
    Ok(())
}

/// Describes a language server. A server that is not approved is not an error.
fn server_check(server: &RequestedServer) -> (String, std::result::Result<String, String>) {
    let from = match (server.is_on_path(), server.is_detected()) {
        (true, _) => "on the PATH",
        (_, true) => "installed",
        _ => "of registry.toml",
    };
    let state =
        if server.refusal.is_some() { "not started until you run `marq trust --allow`" } else { "started on demand" };
    (format!("server {}", server.id), Ok(format!("`{}`, {from}: {state}", quote_command(&server.command))))
}

/// Checks for interrupted changes.
fn recovery_check(files: &Arc<dyn Files>) -> std::result::Result<String, String> {
    let list = files.unfinished().map_err(|error| error.to_string())?;
    match list.first() {
        None => Ok("no interrupted changes".to_owned()),
        Some(first) => Err(format!("{} interrupted, the first: {}; see `marq recover`", list.len(), first.reason)),
    }
}

/// Checks that the history is readable and undamaged.
fn history_check(files: &Arc<dyn Files>) -> std::result::Result<String, String> {
    let past = files.history(limits::HISTORY_ENTRIES).map_err(|error| error.to_string())?;
    let damage = files.damaged_entries().map_err(|error| error.to_string())?;
    if let Some(first) = damage.first() {
        return Err(format!("{} changes cannot be undone, the first: {first}", damage.len()));
    }
    let kept: Vec<&str> = past.iter().filter_map(|past| past.interrupted.as_deref()).collect();
    match kept.as_slice() {
        [] => Ok("readable".to_owned()),
        _ => Err(format!(
            "other programs wrote to the files of an interrupted change; their content is kept in {}; \
             remove it when you no longer need it",
            kept.join(", ")
        )),
    }
}

/// Describes an editor and its state. An unreachable editor is not an error of marq.
fn editor_check(editor: &AttachedEditor) -> (String, std::result::Result<String, String>) {
    let state = match &editor.state {
        ConnectionState::Ready => format!("{} at {}", editor.title, editor.channel),
        ConnectionState::Connecting => format!("has not completed the handshake yet at {}", editor.channel),
        ConnectionState::Failed(why) => format!("not attached: {why} ({})", editor.channel),
    };
    (format!("editor {}", editor.name), Ok(state))
}

/// Describes a lock file by which Claude Code finds an editor. A lock file of an ended program is not an error.
fn lock_check(found: &ide_lock::FoundLock) -> (String, std::result::Result<String, String>) {
    let state = match (found.is_running, found.is_listening) {
        (true, true) => "running",
        (true, false) => "its program is running, but its port does not answer",
        (false, true) => "its program has ended, and another program uses its port",
        (false, false) => "its program has ended; `marq ide` removes the lock",
    };
    let detail = format!("port {} of {}: {state}", found.port, found.name);
    (format!("lock {}", found.path.display()), Ok(detail))
}

/// Describes a running server of the user: its roots, attached editors, and connected clients of Claude Code.
fn running_server_check(found: &FoundServer) -> (String, std::result::Result<String, String>) {
    let list = |value: &Value, name: &str| {
        let items =
            value.as_array().into_iter().flatten().filter(|item| item.get("state").is_none_or(|it| it == "ready"));
        let items: Vec<&str> = items.filter_map(|item| item.get(name).unwrap_or(item).as_str()).collect();
        if items.is_empty() { "none".to_owned() } else { items.join(", ") }
    };
    let state = match found.workspace() {
        Some(workspace) => {
            format!(
                "editors: {}; clients of Claude Code: {}",
                list(&workspace["editors"], "title"),
                list(&workspace["clients"], "")
            )
        }
        None => "no answer, or it could not prove that it wrote its discovery file; the token was not sent".to_owned(),
    };
    (format!("server {}", found.address), Ok(format!("{}; {state}", found.roots.join(", "))))
}

/// Checks everything that marq needs. If `compile` is set, compiles the plugins first.
pub(crate) fn doctor(host: &Host, compile: bool, output: Output) -> ExitCode {
    let mut checks: Vec<(String, std::result::Result<String, String>)> = Vec::new();
    let files = host.bench.files(None);
    checks.push(("root".to_owned(), files.as_ref().map(|files| files.root().to_owned()).map_err(ToString::to_string)));
    checks.extend(host.packs.cache_problem().map(|why| ("cache".to_owned(), Err(why))));
    if let Ok(files) = &files {
        checks.push(("changes".to_owned(), recovery_check(files)));
        checks.push(("history".to_owned(), history_check(files)));
        if compile {
            host.packs.prepare(files);
        }
        for plugin in host.packs.plugins(files) {
            let state = match (plugin.state.as_str(), plugin.version) {
                ("ready", Some(version)) => Ok(format!("{version} from {}", plugin.source)),
                ("ready", None) => Ok(format!("from {}, compiled when first used", plugin.source)),
                _ => Err(plugin.state),
            };
            checks.push((format!("plugin {}", plugin.id), state));
        }
        let servers = host.packs.servers(files).unwrap_or_default();
        checks.extend(servers.iter().filter(|it| !(it.is_on_path() && it.refusal.is_some())).map(server_check));
        checks.extend(host.editors.attached(None).iter().map(editor_check));
    }
    match running::find_servers(host) {
        Ok(found) => checks.extend(found.iter().map(running_server_check)),
        Err(error) => checks.push(("servers".to_owned(), Err(error.to_string()))),
    }
    // Lock files of other programs are not checked.
    let locks = ide_lock::find_locks(&config::ide_folders());
    checks.extend(locks.iter().filter(|lock| lock.name == ide_lock::NAME).map(lock_check));
    if let Ok(files) = &files {
        checks.extend(init::client_checks(host, files.root()));
    }
    let healthy = checks.iter().all(|(_, result)| result.is_ok());
    show::checks(&checks, output);
    if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
