//! A single binary for all integration tests of the crate, because linking each binary takes seconds.

mod certain;
mod commonjs;
mod host;
mod identity;
mod inferred;
mod keys;
mod members;
mod narrowed;
mod refactors;
