//! Editor integrations in the sandbox, with the limits, validation and cache of language packs.

mod convert;
mod integration;
mod lower;
mod session;

pub(crate) use integration::{IntegrationSet, WasmIntegration};
