//! All integration tests of the crate in one binary, as linking each one takes seconds.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bundled;
mod editor;
mod editors;
mod hostile;
mod index;
mod laws;
mod neovim;
mod parallel;
mod versions;
