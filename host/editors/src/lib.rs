//! Attached editors: the host's side of what every integration has in common.
//!
//! [`Host`] finds the editors of the projects it is asked about ([`address`], [`finder`]), connects to them ([`transport`]) and
//! has a thread for each ([`attached`]) that hands bytes and requests to the integration's state machine and carries out what it
//! answers. What editors said last, who has the person's keys, and which proposals wait for the person is kept here once
//! ([`state`], [`proposals`]), whatever the editor is. Nothing runs while nothing happens but a look at where editors may be, every
//! few seconds.
//!
//! It knows no editor and no protocol of one. What an integration says was checked in itself where it left the sandbox; here its
//! paths are held to the served roots ([`confine`]).

mod address;
mod attached;
mod confine;
mod finder;
mod host;
mod proposals;
mod state;
mod transport;
mod waiting;

pub use address::{Surroundings, Variable};
pub use host::Host;
