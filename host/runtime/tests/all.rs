//! All integration tests of the crate in one binary, because linking each takes seconds.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod cases;
mod extism;
mod loading;
mod projects;
mod registries;
