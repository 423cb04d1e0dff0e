//! What all clients of an endpoint share.

use std::{path::PathBuf, sync::Arc};

use jsonrpsee::server::StopHandle;
use tokio::sync::mpsc;

use super::waiting::Mentions;
use crate::{catalog::Catalog, socket::Links};

/// How an endpoint was started.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// What `~` means in paths of clients.
    pub home: Option<PathBuf>,
    /// Clients are not told what the person selects, unless they ask.
    pub quiet: bool,
}

/// What all connections of an endpoint share.
#[derive(Clone)]
pub(super) struct Endpoint {
    pub(super) catalog: Catalog,
    pub(super) settings: Arc<Settings>,
    pub(super) token: Arc<str>,
    pub(super) links: Links,
    pub(super) mentions: Arc<Mentions>,
    pub(super) stop: StopHandle,
    /// Held by every session, to know when the last of them is gone.
    pub(super) alive: mpsc::Sender<()>,
}
