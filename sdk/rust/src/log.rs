//! Writes to the host's log. Native builds discard the lines.

/// Writes one line at the given level.
pub fn write(level: Level, message: &str) {
    #[cfg(target_arch = "wasm32")]
    crate::bindings::marquetry::language::log::write(level, message);
    #[cfg(not(target_arch = "wasm32"))]
    let _ = (level, message);
}

pub use crate::bindings::marquetry::language::log::Level;
