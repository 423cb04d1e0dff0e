//! State shared by all clients of an endpoint.

use std::{path::PathBuf, sync::Arc};

use jsonrpsee::server::StopHandle;
use tokio::sync::mpsc;

use super::pending::Mentions;
use crate::{ServedCatalog, socket::Links};

/// Settings of an endpoint.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Replacement for `~` in paths from clients.
    pub home: Option<PathBuf>,
    /// If set, clients are not notified of selections; they can still query them.
    pub quiet: bool,
}

/// State shared by all connections of an endpoint.
#[derive(Clone)]
pub(super) struct Endpoint {
    pub(super) catalog: ServedCatalog,
    pub(super) settings: Arc<Settings>,
    pub(super) token: Arc<str>,
    pub(super) links: Links,
    pub(super) mentions: Arc<Mentions>,
    pub(super) stop: StopHandle,
    /// Every session holds a clone; the channel closes when the last session ends.
    pub(super) alive: mpsc::Sender<()>,
}
