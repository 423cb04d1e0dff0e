//! Lines for the host's log. Natively they go nowhere.

/// Write one line at the given level.
pub fn write(level: Level, message: &str) {
    #[cfg(target_arch = "wasm32")]
    crate::bindings::marquetry::language::log::write(level, message);
    #[cfg(not(target_arch = "wasm32"))]
    let _ = (level, message);
}

pub use crate::bindings::marquetry::language::log::Level;
