//! One binary for all integration tests of the crate: each one that is linked costs seconds.

mod common;
mod hostile;
mod revisions;
mod speed;
mod status;
