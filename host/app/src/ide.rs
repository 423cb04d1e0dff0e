//! The endpoint of Claude Code as a part of this program: a port, its locks, and both gone at the end.

use marquetry_model::{Error, Result};
use marquetry_wire::{Catalog, ide, serve};

use crate::{
    config,
    ide_lock::{self, Locks},
    show,
};

/// Ports that are tried where the locks of other programs have them.
const ATTEMPTS: usize = 20;

/// An endpoint that is running, and its locks.
pub(crate) struct Endpoint {
    running: ide::Running,
    locks: Locks,
}

/// How it is started.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted {
    /// 0: one of the system's choosing.
    pub(crate) port: u16,
    /// Selections are told only to who asks.
    pub(crate) quiet: bool,
}

impl Endpoint {
    /// Listen, and write down where.
    pub(crate) async fn begin(catalog: &Catalog, Wanted { port, quiet }: Wanted) -> Result<Endpoint> {
        let folders = config::ide_folders();
        if folders.is_empty() {
            return Err(Error::argument("neither CLAUDE_CONFIG_DIR nor HOME is set")
                .hint("set one of them: Claude Code looks there for the lock of the endpoint"));
        }
        ide_lock::sweep(&folders);
        let mut listener = ide::listen(port).await?;
        for _ in 0..ATTEMPTS {
            // A port that was asked for is taken as it is: whoever had it is not there.
            if port != 0 || !ide_lock::is_taken(&folders, listener.address.port()) {
                break;
            }
            listener = ide::listen(port).await?;
        }
        let (token, roots) = (serve::token()?, catalog.bench().roots().served());
        let locks = Locks::write(&folders, listener.address.port(), &roots, &token)?;
        let settings = ide::Settings { home: config::home(), quiet };
        Ok(Endpoint { running: listener.serve(catalog.clone(), settings, &token), locks })
    }

    /// Say where it is.
    pub(crate) fn tell(&self) {
        let address = self.running.address;
        show::line(&format!("Claude Code: ws://{address}; `/ide` or `claude --ide` finds it by these locks:"));
        for path in self.locks.paths() {
            show::line(&format!("  {}", path.display()));
        }
    }

    /// Wait until it is stopped.
    pub(crate) async fn stopped(&self) {
        self.running.stopped().await;
    }

    /// End it: from here on nobody finds it, and who is connected is told.
    pub(crate) async fn end(self) {
        drop(self.locks);
        self.running.end().await;
    }
}
