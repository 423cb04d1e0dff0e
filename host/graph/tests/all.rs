//! One binary for all integration tests of the crate: linking each one separately takes seconds.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;
mod formats;
mod index;
mod kept;
mod many;
mod packs;
mod survey;
mod warm;
mod workspace;
