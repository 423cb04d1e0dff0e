//! `[servers.NAME]` of a registry: language servers that a project requests or may have installed.

use std::{
    collections::BTreeMap,
    path::{Component, Path},
    time::Duration,
};

use marquetry_model::{Error, Result, escape::quote_command, limits, servers::RequestedServer};
use serde::Deserialize;

/// A server as it is written in the registry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ServerTable {
    command: Option<Vec<String>>,
    found_as: Option<Vec<Vec<String>>>,
    files: Option<Vec<String>>,
    languages: Option<BTreeMap<String, String>>,
    settings: Option<toml::Table>,
    limits: Option<ServerLimits>,
    pub(crate) enabled: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ServerLimits {
    memory_mib: Option<u64>,
    seconds: Option<u64>,
    idle_seconds: Option<u64>,
}

/// Merges an entry over an earlier one.
pub(crate) fn merge_server(id: &str, written: ServerTable, before: Option<RequestedServer>) -> Result<RequestedServer> {
    let mut merged = before.unwrap_or_else(|| RequestedServer {
        id: id.to_owned(),
        command: Vec::new(),
        detection_commands: Vec::new(),
        files: Vec::new(),
        languages: BTreeMap::new(),
        settings: "null".to_owned(),
        memory: limits::SERVER_MEMORY,
        idle: limits::SERVER_IDLE,
        time: limits::SERVER_CALL,
        refusal: None,
    });
    // An entry has either a command or a list of commands to search for. The one that was written last applies.
    if let Some(found_as) = written.found_as {
        let is_searchable = |program: &String| is_below(program) || is_name(program);
        if let Some(command) = found_as.iter().find(|command| !command.first().is_some_and(is_searchable)) {
            let program = command.first().map_or("", String::as_str);
            return Err(Error::argument(format!(
                "`{program}` is neither a program below the root nor a name on `PATH`"
            ))
            .hint("write `found-as = [[\"node_modules/.bin/NAME\", \"--stdio\"], [\"NAME\", \"--stdio\"]]`"));
        }
        (merged.command, merged.detection_commands) = (Vec::new(), found_as);
    }
    if let Some(command) = written.command {
        (merged.command, merged.detection_commands) = (command, Vec::new());
    }
    merged.files = written.files.unwrap_or(merged.files);
    merged.languages = written.languages.unwrap_or(merged.languages);
    if let Some(settings) = written.settings {
        merged.settings = serde_json::to_string(&settings).map_err(|error| Error::argument(error.to_string()))?;
    }
    if let Some(bounds) = written.limits {
        merged.memory =
            bounds.memory_mib.map_or(merged.memory, |mib| mib.saturating_mul(1 << 20)).min(limits::MAX_SERVER_MEMORY);
        merged.time = bounds.seconds.map_or(merged.time, Duration::from_secs).min(limits::MAX_CALL_TIME);
        merged.idle = bounds.idle_seconds.map_or(merged.idle, Duration::from_secs);
    }
    if merged.command.iter().all(String::is_empty) && !merged.is_detected() {
        return Err(Error::argument("`command` is missing").hint("write `command = [\"program\", \"--stdio\"]`"));
    }
    if merged.files.is_empty() {
        return Err(Error::argument("`files` is missing").hint("write globs over file names: `files = [\"*.x\"]`"));
    }
    Ok(merged)
}

/// Returns whether a relative path stays below its folder.
fn is_below(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    path.contains('/') && parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Returns whether this is the name of a program, without a folder.
fn is_name(program: &str) -> bool {
    let mut parts = Path::new(program).components();
    !program.contains(['/', '\\', ':']) && matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
}

/// Describes command, files and limits of a server for approval.
pub(crate) fn describe_server(server: &RequestedServer) -> String {
    let settings = if server.settings == "null" { String::new() } else { format!(" with {}", server.settings) };
    let (memory, seconds) = (server.memory >> 20, server.time.as_secs());
    format!(
        "starts `{}` for {}{settings} (at most {memory} MiB, {seconds} s a call)",
        quote_command(&server.command),
        server.files.join(", ")
    )
}
