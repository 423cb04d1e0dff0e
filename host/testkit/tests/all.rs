//! One binary for all integration tests of the crate: each one that is linked costs seconds.

mod editor;
mod editors;
mod hostile;
mod index;
mod laws;
mod neovim;
mod parallel;
mod versions;
