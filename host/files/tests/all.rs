//! All integration tests of the crate in one binary, because linking each takes seconds.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod budget;
mod changes;
mod common;
mod convergence;
mod crash;
mod deep;
mod history;
mod lookups;
mod mounts;
mod power;
mod processes;
mod random;
mod reading;
mod recovery;
mod roots;
mod undo;
mod walking;
