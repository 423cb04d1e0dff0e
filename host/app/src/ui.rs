//! `marq ui`: the page of a server in a browser. A server that runs already and serves the root is used; else one is started.

use std::{
    net::SocketAddr,
    path::Path,
    process::{Command, Stdio},
};

use marquetry_model::{Error, Result};
use marquetry_wire::ui::PAGE;

use crate::{
    config::{self, Host},
    running::{self, Found},
    show,
};

/// How files end that lead a browser to the page.
pub(crate) const DOORWAY: &str = "html";
/// Whether the page is opened by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// In the person's browser.
    Browser,
    /// Its address is told.
    Told,
    /// Nobody asked for it.
    Nothing,
}

/// Where the page is for who holds the token: that stands behind `#`, which no browser sends anywhere.
pub(crate) fn address(server: SocketAddr, token: &str) -> String {
    format!("http://{server}{PAGE}#token={token}")
}

/// A file that leads a browser to the page: arguments of programs are read by everybody on a machine, this file is not.
pub(crate) fn doorway(address: &str) -> String {
    format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0;url={address}\">\n<title>marq</title>\n\
         <a href=\"{address}\">The page of marq</a>\n"
    )
}

/// Open the page of a server that runs already. Whether there is one.
pub(crate) fn open_running(host: &Host, opening: Opening) -> Result<bool> {
    let wanted = host.bench.roots().served();
    let serves = |found: &Found| wanted.iter().all(|root| found.roots.contains(root));
    let Some(found) = running::found()?.into_iter().filter(serves).find(Found::answers) else { return Ok(false) };
    open(&found.file.with_extension(DOORWAY), &address(found.address, &found.token), opening);
    Ok(true)
}

/// Open the page, or say where it is.
pub(crate) fn open(doorway: &Path, address: &str, opening: Opening) {
    match opening {
        Opening::Nothing => show::line(&format!("page: {}", address.split('#').next().unwrap_or(address))),
        Opening::Told => show::line(&format!("page: {address}")),
        Opening::Browser => match browse(doorway) {
            Ok(()) => show::line(&format!("page: {address}")),
            Err(error) => show::line(&format!("page: {address}\nno browser was opened: {error}")),
        },
    }
}

/// Have the person's browser open a file. What it prints is its own.
fn browse(doorway: &Path) -> Result<()> {
    let words = config::browser();
    let Some((program, arguments)) = words.split_first() else {
        return Err(Error::argument("no program opens files here").hint("`BROWSER` names one"));
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(doorway).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = command.spawn().map_err(|error| {
        Error::argument(format!("`{program}` cannot be started: {error}"))
            .hint("`BROWSER` names another program; or open the address yourself")
    });
    started.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_stands_where_no_browser_sends_it() {
        let address = address(SocketAddr::from(([127, 0, 0, 1], 4000)), "abc");
        assert_eq!(address, "http://127.0.0.1:4000/ui/#token=abc");
        let page = doorway(&address);
        assert!(page.contains("content=\"0;url=http://127.0.0.1:4000/ui/#token=abc\""), "{page}");
    }
}
