//! Extism plug-ins as language packs: core modules written with any Extism PDK, run by the same engine as other packs.
//!
//! A module exports one function for each function of the contract, which is the WIT interface (module `contract`).
//! Arguments and answers are JSON of the contract's records (`module`), passed in blocks of bytes (`blocks`) through
//! the functions that PDKs import (`env`, `workspace`, and `wasi` for what language libraries require). Limits, logs,
//! quarantine and validation of answers are shared with other packs and do not depend on this module.

mod blocks;
mod contract;
mod env;
mod host_modules;
mod json_list;
mod module;
#[cfg(test)]
mod oracle;
mod wasi;
mod workspace;

pub(crate) use blocks::Blocks;
pub(crate) use contract::{ModuleImport, identity, is_provided};
pub(crate) use module::{LinkedModule, Module};
