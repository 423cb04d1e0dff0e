//! The endpoint for Claude Code: a port and its lock files, which are removed when the endpoint ends.

use marquetry_model::{Error, Result};
use marquetry_wire::{ServedCatalog, ide, serve};

use crate::{
    config,
    ide_lock::{self, Locks},
    show,
};

/// Maximum number of ports to try. A port is not used if a lock file of another running program has its number.
const ATTEMPTS: usize = 20;

/// A running endpoint and its lock files.
pub(crate) struct Endpoint {
    running: ide::Running,
    locks: Locks,
}

/// Start options.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Options {
    /// The port; 0 lets the system choose one.
    pub(crate) port: u16,
    /// If set, selections are sent only on request.
    pub(crate) quiet: bool,
}

impl Endpoint {
    /// Starts listening and writes the lock files.
    pub(crate) async fn start(catalog: &ServedCatalog, Options { port, quiet }: Options) -> Result<Endpoint> {
        let folders = config::ide_folders();
        if folders.is_empty() {
            return Err(Error::argument("neither CLAUDE_CONFIG_DIR nor HOME is set")
                .hint("set one of them: Claude Code looks there for the lock of the endpoint"));
        }
        ide_lock::remove_stale_locks(&folders);
        let mut listener = ide::listen(port).await?;
        for _ in 0..ATTEMPTS {
            // An explicitly requested port is used even if another program has a lock file for it.
            if port != 0 || !ide_lock::is_port_taken(&folders, listener.address.port()) {
                break;
            }
            listener = ide::listen(port).await?;
        }
        let (token, roots) = (serve::token()?, catalog.bench().roots().served());
        let locks = Locks::write(&folders, listener.address.port(), &roots, &token)?;
        let settings = ide::Settings { home: config::home(), quiet };
        Ok(Endpoint { running: listener.serve(catalog.clone(), settings, &token), locks })
    }

    /// Prints the address.
    pub(crate) fn print_address(&self) {
        let address = self.running.address;
        show::line(&format!("Claude Code: ws://{address}; `/ide` or `claude --ide` finds it by these locks:"));
        for path in self.locks.paths() {
            show::line(&format!("  {}", path.display()));
        }
    }

    /// Waits until the endpoint is stopped.
    pub(crate) async fn stopped(&self) {
        self.running.stopped().await;
    }

    /// Stops the endpoint: removes the lock files first and then closes the connections.
    pub(crate) async fn stop(self) {
        drop(self.locks);
        self.running.end().await;
    }
}
