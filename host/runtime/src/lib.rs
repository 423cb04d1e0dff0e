//! The sandbox: finds plugins in the registry, loads them, runs them within limits, and validates everything they
//! return.
//!
//! This is the only crate that uses wasmtime. It reads plugin files, registries and its cache. It reads files of users
//! only through the `Files` port.

mod approvals;
mod bindings;
mod bundle;
mod cache;
mod cached_description;
mod cached_plugin;
mod checked_document;
mod clock;
mod code;
mod compile;
mod convert;
mod describe_plugin;
mod document;
mod editor;
mod engine;
mod extism;
mod file_access;
mod guest;
mod guest_output;
mod identify;
mod identity;
mod installed_servers;
mod instance;
mod limits;
mod load;
mod lock;
mod logs;
mod lower;
mod pack;
mod packs;
mod plugin_check;
mod plugin_file;
mod plugin_parts;
mod pool;
mod private_folder;
mod project;
mod questions;
pub mod registry;
mod requested_servers;
mod routes;
mod sandbox;
mod settings_check;
mod signatures;
mod stale_data;
mod state;
mod store;
mod versions;
mod wasi;

pub use approvals::{
    Approval, ApprovalChange, InstalledServer, RequestedPermission, RequestedPermissions, TrustPolicy,
};
pub use bundle::{BundledPlugin, Decompress};
pub use compile::{Compiler, compile_for_parent};
pub use identity::digest;
pub use lock::LockedPlugin;
pub use packs::locked::LockedFile;
pub use packs::{ExternalPlugin, InspectedPlugin, KnownServer, Options, PackSet, ServerState};
pub use plugin_parts::PluginParts;
pub use signatures::signature_path as signature_beside;
