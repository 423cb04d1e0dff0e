//! What all connections have in common: their cryptography, how long is waited, and what is said when there is none.

use std::time::Duration;

use marquetry_model::{Error, Kind};

/// How long a server may take to be reached, and between two pieces of what it sends.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Choose the cryptography of connections, before the first client is made. Whoever was first in this process chose the same.
pub(crate) fn choose_cryptography() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Something that could not be brought, with the reason that the system or the server gave.
pub(crate) fn unreached(source: &str, reason: &dyn std::error::Error) -> Error {
    // The reason of a failed request stands at the end of a chain.
    let mut said = reason.to_string();
    let mut next = reason.source();
    while let Some(deeper) = next {
        let text = deeper.to_string();
        if !said.contains(&text) {
            said = format!("{said}: {text}");
        }
        next = deeper.source();
    }
    Error::new(Kind::PluginFailed, format!("{source} cannot be reached: {said}"))
        .hint("nothing was changed; without a network, plugins come from `folder:FOLDER`")
}
