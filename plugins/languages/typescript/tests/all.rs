//! One binary for all integration tests of the crate: each one that is linked costs seconds.

mod certain;
mod commonjs;
mod host;
mod identity;
mod inferred;
mod keys;
mod members;
mod narrowed;
mod refactors;
