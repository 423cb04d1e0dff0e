//! One binary for all integration tests of the crate: each one that is linked costs seconds.

mod cases;
mod extism;
mod loading;
mod projects;
mod registries;
