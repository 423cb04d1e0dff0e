//! Code that all connections share: the TLS provider, the timeout, and the error for failed connections.

use std::time::Duration;

use marquetry_model::{Error, Kind};

/// The timeout for connecting, and for each read.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);

/// Installs the default TLS provider, unless one is installed already. Must be called before the first client is
/// created.
pub(crate) fn install_tls_provider() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Creates the error for a source that cannot be reached, with all causes.
pub(crate) fn unreachable_error(source: &str, reason: &dyn std::error::Error) -> Error {
    // The actual reason of a failed request is at the end of the chain of causes.
    let mut message = reason.to_string();
    let mut next = reason.source();
    while let Some(deeper) = next {
        let text = deeper.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        next = deeper.source();
    }
    Error::new(Kind::PluginFailed, format!("{source} cannot be reached: {message}"))
        .hint("nothing was changed; without network access, use `folder:FOLDER`")
}
