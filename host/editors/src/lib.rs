//! Attached editors: the part of the host that is common to all integrations.
//!
//! [`Host`] discovers the editors of the projects it is asked about ([`address`], [`finder`]), connects to them
//! ([`transport`]) and runs a thread for each ([`attached`]), which passes bytes and requests to the integration's
//! state machine and carries out the actions it returns. This crate stores the last known state of each editor, the
//! focus order and the pending proposals ([`state`], [`proposals`]), independent of the integration. While idle, the
//! only activity is a scan for editors every few seconds.
//!
//! This crate does not depend on a specific editor or protocol. The plugin runtime validates the messages of an
//! integration when they leave the sandbox; this crate restricts their paths to the served roots
//! ([`restrict_to_roots`]).

mod address;
mod attached;
mod finder;
mod host;
mod proposals;
mod queues;
mod restrict_to_roots;
mod state;
mod transport;

pub use address::{Environment, Variable};
pub use host::Host;
