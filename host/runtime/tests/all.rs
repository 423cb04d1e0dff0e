//! One binary for all integration tests of the crate: each one that is linked costs seconds.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod cases;
mod extism;
mod loading;
mod projects;
mod registries;
