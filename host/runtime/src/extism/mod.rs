//! Extism plug-ins as language packs: core modules written with any Extism PDK, in the engine of the other packs.
//!
//! A module exports one function for each function of the contract (`contract`). What it is asked and what it answers is JSON
//! of the contract's own records (`module`), handed over in blocks of bytes (`blocks`) by the functions that PDKs import
//! (`env`, `workspace`, and `wasi` for what their languages' libraries insist on). Limits, logs, quarantine and the checks of
//! answers are those of every pack: they lie below and know nothing of this folder.

mod blocks;
mod contract;
mod env;
mod many;
mod module;
#[cfg(test)]
mod oracle;
mod wasi;
mod workspace;

pub(crate) use blocks::Blocks;
pub(crate) use contract::{Imported, identity, serves};
pub(crate) use module::{Linked, Module, Outcome};
