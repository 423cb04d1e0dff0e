//! The sandbox: finds plugins in the registry, loads them, runs them within limits, and validates everything they
//! return.
//!
//! This is the only crate that uses wasmtime. It reads plugin files, registries and its cache, but no files of users.

mod bindings;
mod cache;
mod clock;
mod code;
mod compile;
mod convert;
mod document;
mod editor;
mod engine;
mod extism;
mod found;
mod guest;
mod identify;
mod identity;
mod instance;
mod kept;
mod leftovers;
mod limits;
mod load;
mod lock;
mod logs;
mod lower;
mod meant;
mod pack;
mod packs;
mod pool;
mod project;
mod reach;
pub mod registry;
mod routes;
mod said;
mod signed;
mod state;
mod store;
mod trust;
mod versions;
mod wasi;
mod wishes;

pub use compile::{Compiler, compile_for_parent};
pub use identity::digest;
pub use lock::Locked;
pub use packs::{FromElsewhere, Inspected, Options, PackSet};
pub use signed::beside as signature_beside;
pub use trust::{Demand, Demands, Offer, Saying, Trust, Word};
