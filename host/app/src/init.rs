//! `marq init`: connects MCP clients with marq, shows the changes of their configurations, and tests the configured
//! servers.

use std::{collections::BTreeSet, io::IsTerminal, path::Path, process::ExitCode, time::Duration};

use marquetry_clients::{self as clients, Choice, Connection, Machine, Outcome, Plan, RootChange, Row, Selection};
use marquetry_model::{Error, Kind, Result};
use marquetry_tools::FileSetArgs;
use marquetry_wire::probe::{self, Probe, Proof};
use serde_json::{Value, json};

use crate::{
    config::{self, Host},
    flags::init::Init,
    show::{self, Output},
    terminal,
};

/// Maximum time for the test of a server. The first call of a new version compiles a pack.
const PROOF_TIMEOUT: Duration = Duration::from_secs(60);

/// Runs the command.
pub(crate) fn run(host: &Host, flags: &Init, output: Output) -> Result<ExitCode> {
    let machine = config::machine(Path::new(host.bench.files(None)?.root()));
    if let Some(name) = &flags.print {
        return print(host, &machine, name, flags);
    }
    if !host.folders.has_root {
        config::check_implicit_root()?;
    }
    let selection = clients::select(&machine, &flags.client, flags.scope())?;
    let scope = flags.scope().or(selection.chosen.first().map(|choice| choice.scope));
    let scope = scope.unwrap_or(clients::Scope::Project);
    let plan = clients::plan((&host.bench, &machine), &selection, (flags.extras(), scope), flags.remove)?;
    let mut written = Vec::new();
    show::client_diffs(&plan.changes.iter().map(|change| change.diff.as_str()).collect::<Vec<_>>(), output);
    if !flags.dry_run && !plan.changes.is_empty() {
        confirm(&plan, flags)?;
        for change in &plan.changes {
            written.push(apply(host, change, flags)?);
        }
    }
    let checks = if flags.remove || flags.dry_run { Vec::new() } else { prove_all(host, &machine, &selection.chosen) };
    let healthy = checks.iter().all(|(_, result)| result.is_ok());
    show::clients(&answer((&plan, &machine), &selection, (&written, &checks), flags), output);
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints the configuration of a client.
fn print(host: &Host, machine: &Machine, name: &str, flags: &Init) -> Result<ExitCode> {
    let folder = temporary_folder()?;
    let folder = folder.path().canonicalize().unwrap_or_else(|_| folder.path().to_owned());
    let (file, text) = clients::snippet((&host.bench, machine), name, flags.scope(), &folder)?;
    show::bytes(text.as_bytes());
    // The name of the file is printed only on a terminal, so that the redirected output is the configuration alone.
    if std::io::stdout().is_terminal() {
        show::note(&format!("for {}", file.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks the user whether to write the changes.
fn confirm(plan: &Plan, flags: &Init) -> Result<()> {
    if flags.yes {
        return Ok(());
    }
    let changed = plan.rows.iter().filter(|row| is_change(row.outcome)).map(|row| &row.file);
    let files = changed.collect::<BTreeSet<_>>().len();
    let question = format!("write {files} {}?", if files == 1 { "file" } else { "files" });
    match terminal::confirm(&question) {
        Some(true) => Ok(()),
        Some(false) => Err(Error::new(Kind::Cancelled, "nothing was written")),
        None => Err(Error::argument("nothing was written, because standard input is not a terminal")
            .hint("give `--yes` to write it, or `--dry-run` to see it only")),
    }
}

fn is_change(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Added | Outcome::Updated | Outcome::Removed)
}

/// Writes the changes below one root. Returns the command that undoes them.
fn apply(host: &Host, change: &RootChange, flags: &Init) -> Result<Value> {
    let set = FileSetArgs { dry_run: false, ..change.set.clone() };
    let done = terminal::run_interactively(|work| {
        work.set_client(config::PROGRAM);
        work.set_origin("init", &change.clients.join(" "), None);
        host.bench.with_progress(work).file_set(&set)
    })?;
    let id = done.id.unwrap_or_default();
    let undo = match (change.scope, flags.remove) {
        (clients::Scope::Project, _) => format!("marq undo {id}"),
        (clients::Scope::User, true) => format!("marq undo {id} --root '{}'", change.root.display()),
        // A client may write to its file at any time, and a changed file cannot be undone.
        (clients::Scope::User, false) => {
            let named: String = change.clients.iter().map(|client| format!(" --client {client}")).collect();
            format!("marq init --remove --scope user{named}")
        }
    };
    Ok(json!({ "root": change.root.display().to_string(), "id": id, "undo": undo, "warnings": done.warnings }))
}

/// Tests the server of each client. Equal commands are tested once.
fn prove_all(host: &Host, machine: &Machine, choices: &[Choice]) -> Vec<Check> {
    let mut proved: Vec<(Connection, std::result::Result<String, String>)> = Vec::new();
    let mut checks = Vec::new();
    for choice in choices {
        let name = format!("{} ({})", choice.client.name, display_path(&choice.file, machine));
        let connection = match choice.connection(&host.bench, machine) {
            Ok(Some(connection)) => connection,
            Ok(None) => continue,
            Err(error) => {
                checks.push((name, Err(error.to_string())));
                continue;
            }
        };
        let known = proved.iter().find(|(known, _)| *known == connection).map(|(_, result)| result.clone());
        let result = known.unwrap_or_else(|| {
            let result = prove(&connection).map(|proof| proof_text(&proof)).map_err(|error| error.to_string());
            proved.push((connection.clone(), result.clone()));
            result
        });
        checks.push((name, result));
    }
    checks
}

/// Name and result of a check.
pub(crate) type Check = (String, std::result::Result<String, String>);

/// Tests the servers of all clients that are configured for this user or in this project.
pub(crate) fn client_checks(host: &Host, root: &str) -> Vec<Check> {
    let machine = config::machine(Path::new(root));
    let checks = prove_all(host, &machine, &clients::configured(&machine));
    checks.into_iter().map(|(name, result)| (format!("client {name}"), result)).collect()
}

/// Starts a configured server in a temporary folder, and makes an edit as a dry run.
fn prove(connection: &Connection) -> Result<Proof> {
    let missing =
        connection.roots().into_iter().find(|root| Path::new(root).is_absolute() && !Path::new(root).is_dir());
    if let Some(missing) = missing {
        return Err(Error::new(Kind::FileNotFound, format!("the root `{missing}` does not exist"))
            .hint("correct it in the configuration, or run `marq init` in the project"));
    }
    let folder = temporary_folder()?;
    let (file, text) = (folder.path().join("sample.json"), "{ \"state\": \"before\" }\n");
    std::fs::write(&file, text).map_err(|error| not_written(&file, &error))?;
    let connection = connection.for_folder(folder.path());
    let proof = probe::prove(&Probe {
        command: &connection.command,
        arguments: &connection.arguments,
        environment: &connection.environment,
        folder: folder.path(),
        edit: json!({
            "file": "sample.json", "path": "$.state", "operation": "replace", "content": "\"after\"", "dryRun": true,
        }),
        expected: "\"after\"",
        timeout: PROOF_TIMEOUT,
    })?;
    match std::fs::read_to_string(&file) {
        Ok(now) if now == text => Ok(proof),
        _ => Err(Error::new(Kind::PluginFailed, "a dry run of the server changed a file")
            .hint("check that the command starts this marq")),
    }
}

fn temporary_folder() -> Result<tempfile::TempDir> {
    tempfile::tempdir().map_err(|error| not_written(&std::env::temp_dir(), &error))
}

fn not_written(path: &Path, error: &std::io::Error) -> Error {
    Error::new(Kind::PermissionDenied, format!("{}: {error}", path.display()))
}

fn proof_text(proof: &Proof) -> String {
    format!("{} answers: {} tools, and a dry run of an edit works", proof.server, proof.tools)
}

/// Returns a path as people write it: below the project or the home folder.
fn display_path(path: &Path, machine: &Machine) -> String {
    if let Ok(below) = path.strip_prefix(&machine.project) {
        return below.display().to_string();
    }
    let homes =
        machine.home.iter().flat_map(|home| [home.clone(), home.canonicalize().unwrap_or_else(|_| home.clone())]);
    match homes.into_iter().find_map(|home| Some(path.strip_prefix(home).ok()?.display().to_string())) {
        Some(below) => format!("~/{below}"),
        None => path.display().to_string(),
    }
}

/// The answer as JSON.
fn answer(
    (plan, machine): (&Plan, &Machine),
    selection: &Selection,
    (written, checks): (&[Value], &[Check]),
    flags: &Init,
) -> Value {
    let outcome = |row: &Row| match row.outcome {
        Outcome::Added => ("added", None),
        Outcome::Updated => ("updated", None),
        Outcome::Unchanged => ("unchanged", None),
        Outcome::Removed => ("removed", None),
        Outcome::Absent => ("absent", None),
        Outcome::Kept(why) => ("kept", Some(why)),
    };
    let rows = plan.rows.iter().map(|row| {
        let (outcome, reason) = outcome(row);
        json!({
            "name": row.name, "client": row.client.map(|client| client.id), "scope": row.scope.name(),
            "file": row.file.display().to_string(), "shown": display_path(&row.file, machine), "outcome": outcome, "reason": reason,
        })
    });
    let skipped = selection.skipped.iter();
    let skipped = skipped
        .map(|skipped| json!({ "client": skipped.client.id, "name": skipped.client.name, "reason": skipped.reason }));
    let next = plan.rows.iter().filter(|row| !flags.remove && is_change(row.outcome)).filter_map(|row| row.client);
    let next: Vec<Value> = next.map(|client| json!({ "name": client.name, "what": client.next })).collect();
    let checks = checks.iter().map(|(name, result)| match result {
        Ok(detail) => json!({ "name": name, "success": true, "detail": detail }),
        Err(why) => json!({ "name": name, "success": false, "detail": why }),
    });
    json!({
        "files": rows.collect::<Vec<_>>(), "skipped": skipped.collect::<Vec<_>>(),
        "diff": plan.changes.iter().map(|change| change.diff.as_str()).collect::<String>(),
        "changes": written, "checks": checks.collect::<Vec<_>>(), "next": next, "dryRun": flags.dry_run,
    })
}
