//! Measurement for proofs: generated inputs and projects, whole processes and running hosts, samples and tables.

pub(crate) mod inputs;
pub(crate) mod members_project;
pub(crate) mod monorepo_project;
pub(crate) mod peers;
pub(crate) mod process;
pub(crate) mod sample;
pub(crate) mod session;
pub(crate) mod subject;
pub(crate) mod table;
pub(crate) mod typescript_project;
pub(crate) mod workspace_calls;
