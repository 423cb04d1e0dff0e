//! One binary for all integration tests of the crate: each one that is linked costs seconds.

mod certain;
mod host;
mod identity;
mod keys;
mod members;
mod refactors;
