//! One plugin of a registry.

use marquetry_model::{Error, limits, source::Source};
use semver::VersionReq;

use crate::{limits::PluginLimits, signatures::Signer};

/// One plugin of a registry.
#[derive(Debug, Clone)]
pub(crate) struct RegistryEntry {
    pub(crate) source: Source,
    pub(crate) version: VersionReq,
    /// File patterns of a language pack, if the registry overrides its own.
    pub(crate) files: Option<Vec<String>>,
    /// Addresses of the editors of an integration, if the registry overrides its own.
    pub(crate) addresses: Option<Vec<String>>,
    /// Permissions of a language pack, or channels of an editor integration.
    pub(crate) grants: Vec<String>,
    /// Settings as JSON text, passed to the pack with each document.
    pub(crate) settings: String,
    pub(crate) limits: PluginLimits,
    /// sha256 of the bytes that the registry requires.
    pub(crate) sha256: Option<String>,
    /// The signer that the registry requires.
    pub(crate) signer: Option<Signer>,
    /// State of the plugin in the lock.
    pub(crate) pin: Pin,
    /// sha256 of the approved bytes; `None` if no approval was needed.
    pub(crate) approved_digest: Option<String>,
    /// The error if the plugin must not run because it is not approved.
    pub(crate) refusal: Option<Error>,
}

impl RegistryEntry {
    /// A bundled plugin without further settings.
    pub(super) fn bundled() -> RegistryEntry {
        RegistryEntry {
            source: Source::Bundled,
            version: VersionReq::STAR,
            files: None,
            addresses: None,
            grants: Vec::new(),
            settings: "{}".to_owned(),
            limits: DEFAULT_BOUNDS,
            sha256: None,
            signer: None,
            pin: Pin::Unlocked,
            approved_digest: None,
            refusal: None,
        }
    }
}

/// The state of a plugin in the lock.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Pin {
    /// Without a lock, plugins run as the registry names them.
    Unlocked,
    /// Only the bytes with this sha256 run. Also has the signature from the lock.
    Locked(String, Option<String>),
    /// The lock does not match the registry: the plugin does not run, with this error.
    Mismatch(Error),
}

/// Limits of a plugin without explicit ones.
pub(crate) const DEFAULT_BOUNDS: PluginLimits =
    PluginLimits { memory: limits::MAX_INSTANCE_MEMORY, time: limits::CALL_TIME };
