//! `marq ui`: opens a server's page in a browser. A running server for the root is used; otherwise one is started.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use marquetry_model::{Error, Result};

use crate::{
    config::{self, Host},
    page_address,
    running::{self, FoundServer},
    show,
};

/// Way of opening the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Opens the page in the user's browser.
    Browser,
    /// Prints only the address of the page, with the token.
    PrintWithToken,
    /// Prints only the address of the page, without the token.
    PrintAddress,
}

/// Opens the page of a running server. Returns whether there is one.
pub(crate) fn open_running(host: &Host, opening: Opening) -> Result<bool> {
    let wanted = host.bench.roots().served();
    let serves = |found: &FoundServer| wanted.iter().all(|root| found.roots.contains(root));
    let Some(found) = running::find_servers(host)?.into_iter().filter(serves).find(FoundServer::is_running) else {
        return Ok(false);
    };
    open(
        &found.file.with_extension(page_address::EXTENSION),
        &page_address::page_url(found.address, &found.token),
        opening,
    );
    Ok(true)
}

/// Opens the page or prints its address.
pub(crate) fn open(page: &Path, address: &str, opening: Opening) {
    match opening {
        Opening::PrintAddress => show::line(&format!("page: {}", address.split('#').next().unwrap_or(address))),
        Opening::PrintWithToken => show::line(&format!("page: {address}")),
        Opening::Browser => match open_browser(page) {
            Ok(()) => show::line(&format!("page: {address}")),
            Err(error) => show::line(&format!("page: {address}\nno browser was opened: {error}")),
        },
    }
}

/// Opens a file in the user's browser. Its output is discarded.
fn open_browser(page: &Path) -> Result<()> {
    let words = config::browser();
    let Some((program, arguments)) = words.split_first() else {
        return Err(Error::argument("no program to open a browser was found").hint("set `BROWSER` to one"));
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = command.spawn().map_err(|error| {
        Error::argument(format!("`{program}` cannot be started: {error}"))
            .hint("set `BROWSER` to another program, or open the address yourself")
    });
    started.map(drop)
}
