//! Names of the modules whose functions the host provides to Extism modules.

/// The functions that every PDK imports.
pub(super) const ENV: &str = "extism:host/env";
/// The functions that language libraries import.
pub(super) const WASI: &str = "wasi_snapshot_preview1";
/// The workspace functions, which a project grants.
pub(super) const WORKSPACE: &str = "extism:host/user";
/// Start of the names of workspace functions.
pub(super) const WORKSPACE_PREFIX: &str = "workspace_";
/// Names of the workspace functions, without their prefix: those of the WIT interface `workspace`, and `denial`, which
/// returns why `read` fails.
const WORKSPACE_FUNCTIONS: [&str; 7] = ["stat", "read", "denial", "entries", "version", "layout", "exporters"];

/// Returns whether this is the name of a workspace function.
pub(super) fn is_workspace_function(name: &str) -> bool {
    name.strip_prefix(WORKSPACE_PREFIX).is_some_and(|name| WORKSPACE_FUNCTIONS.contains(&name))
}
