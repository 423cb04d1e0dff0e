//! Editor integrations in the sandbox: the second kind of plugin, with the same limits, checks and cache as the first.

mod convert;
mod integration;
mod lower;
mod session;

pub(crate) use integration::{EditorSet, WasmIntegration};
