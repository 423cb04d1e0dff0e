//! `marq servers`: lists the known language servers, the locations of their programs, and whether they may start. The
//! command starts no server.

use std::path::Path;

use marquetry_model::{Result, escape::quote_command};
use marquetry_runtime::{KnownServer, ServerState};
use serde_json::{Value, json};

use crate::{
    config::Host,
    show::{self, Output},
};

pub(crate) fn list(host: &Host, output: Output) -> Result<()> {
    let files = host.bench.files(None)?;
    let known = host.packs.known_servers(&files)?;
    show::language_servers(&known.iter().map(row).collect::<Vec<_>>(), output);
    Ok(())
}

fn row(server: &KnownServer) -> Value {
    let place = match server.command.first() {
        None => "nowhere",
        Some(_) if server.searched.is_empty() => "registry.toml",
        Some(program) if Path::new(program).is_absolute() => "PATH",
        Some(_) => "project",
    };
    let (state, next) = match server.state {
        ServerState::Missing => ("missing", format!("install one of: {}", server.searched.join(", "))),
        ServerState::Unapproved => ("unapproved", format!("approve it: marq trust --allow servers.{}", server.id)),
        ServerState::Approved => ("approved", "starts when it is first used".to_owned()),
        ServerState::Refused => ("refused", "`--no-trust` starts no server".to_owned()),
    };
    let command = if server.command.is_empty() { Value::Null } else { json!(quote_command(&server.command)) };
    json!({
        "id": server.id, "files": server.files, "command": command, "found": place, "searched": server.searched,
        "approved": server.state == ServerState::Approved, "state": state, "next": next,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows the row of a server: where it was found, its state and the next step.
    fn shown(command: &[&str], searched: &[&str], state: ServerState) -> String {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let server = KnownServer {
            id: "c".to_owned(),
            files: texts(&["*.c"]),
            command: texts(command),
            searched: texts(searched),
            state,
        };
        let row = row(&server);
        let text = |key: &str| row[key].as_str().unwrap_or("-").to_owned();
        format!("{} | {} | {} | {} | {}", text("command"), text("found"), text("state"), row["approved"], text("next"))
    }

    #[test]
    fn row_has_place_state_and_next_step() {
        assert_eq!(
            shown(&[], &["bin/c", "c"], ServerState::Missing),
            "- | nowhere | missing | false | install one of: bin/c, c"
        );
        assert_eq!(
            shown(&["/usr/bin/c", "--a b"], &["c"], ServerState::Unapproved),
            "/usr/bin/c \"--a b\" | PATH | unapproved | false | approve it: marq trust --allow servers.c"
        );
        assert_eq!(
            shown(&["bin/c"], &["bin/c"], ServerState::Approved),
            "bin/c | project | approved | true | starts when it is first used"
        );
        assert_eq!(
            shown(&["c"], &[], ServerState::Refused),
            "c | registry.toml | refused | false | `--no-trust` starts no server"
        );
    }
}
