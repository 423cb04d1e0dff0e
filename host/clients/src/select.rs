//! Selection of clients and scopes for a command.

use std::path::PathBuf;

use marquetry_model::{Error, Kind, Result, nearest::nearest_names};

use crate::{
    machine::Machine,
    table::{CLIENTS, Client, Place, Scope},
};

/// A client and the file in which it is configured.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The client.
    pub client: &'static Client,
    /// The scope.
    pub scope: Scope,
    /// The place in the table.
    pub place: &'static Place,
    /// The file.
    pub file: PathBuf,
}

/// A client that was found and is not configured.
#[derive(Debug, Clone)]
pub struct Skipped {
    /// The client.
    pub client: &'static Client,
    /// The reason, and the next step of the user.
    pub reason: String,
}

/// The clients of a command.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Clients to configure.
    pub chosen: Vec<Choice>,
    /// Clients that were found and cannot be configured in this scope.
    pub skipped: Vec<Skipped>,
}

/// Selects the named clients, or all that are found.
///
/// # Errors
/// Fails if a name is unknown, a named client has no configuration in the scope, or no client is found.
pub fn select(machine: &Machine, names: &[String], scope: Option<Scope>) -> Result<Selection> {
    let mut selection = Selection::default();
    if names.is_empty() {
        for client in CLIENTS.into_iter().filter(|client| machine.has(client)) {
            match choose(machine, client, scope.unwrap_or(Scope::Project)) {
                Ok(choice) => selection.chosen.push(choice),
                Err(error) => selection.skipped.push(Skipped { client, reason: refusal_text(&error) }),
            }
        }
        if selection.chosen.is_empty() && selection.skipped.is_empty() {
            return Err(Error::argument("no client was found on this machine or in this project")
                .hint("name one: `--client NAME`")
                .candidates(ids()));
        }
        return Ok(selection);
    }
    for name in names {
        let client = find(name)?;
        let usual = if client.project.is_some() { Scope::Project } else { Scope::User };
        selection.chosen.push(choose(machine, client, scope.unwrap_or(usual))?);
    }
    Ok(selection)
}

/// Returns all files of all clients in which a server may be configured, without repetitions.
pub fn configured(machine: &Machine) -> Vec<Choice> {
    let scopes = [Scope::Project, Scope::User];
    let all = CLIENTS.into_iter().flat_map(|client| scopes.map(|scope| choose(machine, client, scope)));
    let mut choices: Vec<Choice> = Vec::new();
    for choice in all.flatten().filter(|choice| choice.file.is_file()) {
        if !choices.iter().any(|known| known.file == choice.file && known.place.key == choice.place.key) {
            choices.push(choice);
        }
    }
    choices
}

/// Finds a client by its name.
pub(crate) fn find(name: &str) -> Result<&'static Client> {
    let found = CLIENTS.into_iter().find(|client| client.id == name);
    found.ok_or_else(|| {
        let near = nearest_names(name, ids());
        let candidates = if near.is_empty() { ids().collect() } else { near };
        Error::argument(format!("unknown client `{name}`")).hint("use one of the candidates").candidates(candidates)
    })
}

/// Returns the configuration of a client in a scope.
pub(crate) fn choose(machine: &Machine, client: &'static Client, scope: Scope) -> Result<Choice> {
    let place = client.place(scope).ok_or_else(|| {
        let other = if scope == Scope::Project { Scope::User } else { Scope::Project };
        let message = format!("{} has no configuration for the {}", client.name, scope.name());
        Error::new(Kind::Unsupported, message).hint(format!("`--client {} --scope {}`", client.id, other.name()))
    })?;
    let file = machine
        .file(place)
        .ok_or_else(|| Error::argument("the home folder is unknown").hint("set HOME, or use `--scope project`"))?;
    Ok(Choice { client, scope, place, file })
}

fn ids() -> impl Iterator<Item = String> {
    CLIENTS.into_iter().map(|client| client.id.to_owned())
}

fn refusal_text(error: &Error) -> String {
    let content = error.content();
    match &content.hint {
        Some(hint) => format!("{}: {hint}", content.message),
        None => content.message.clone(),
    }
}
