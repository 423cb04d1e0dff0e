//! The sandbox: finds plugins in the registry, loads them, runs them within limits, and believes nothing they return.
//!
//! The only crate that names wasmtime. It reads plugin files, registries and its own cache, and no file of a user.

mod bindings;
mod cache;
mod code;
mod convert;
mod document;
mod editor;
mod engine;
mod extism;
mod found;
mod guest;
mod identity;
mod instance;
mod kept;
mod leftovers;
mod limits;
mod load;
mod lock;
mod logs;
mod lower;
mod pack;
mod packs;
mod pool;
mod project;
mod reach;
pub mod registry;
mod routes;
mod said;
mod state;
mod trust;
mod versions;
mod wasi;
mod wishes;

pub use found::Offer;
pub use packs::{Inspected, Options, PackSet};
pub use trust::{Demand, Demands, Saying, Trust, Word};
