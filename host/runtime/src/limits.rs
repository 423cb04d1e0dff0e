//! What a guest may use: memory while it runs, and what it may say.

use std::time::Duration;

use marquetry_model::limits;
use wasmtime::ResourceLimiter;

/// Bounds on one plugin, from the registry or the defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// No instance grows beyond this many bytes.
    pub(crate) memory: usize,
    /// The time for a call on a small document.
    pub(crate) time: Duration,
}

impl Bounds {
    /// Memory for an instance that holds so many bytes of documents.
    pub(crate) fn memory_for(&self, bytes: usize) -> usize {
        self.memory.min(limits::INSTANCE_MEMORY + bytes.saturating_mul(limits::MEMORY_PER_BYTE))
    }

    /// Time for a call on a document of this size.
    pub(crate) fn time_for(&self, bytes: usize) -> Duration {
        self.time + limits::CALL_PER_MIB * u32::try_from(bytes >> 20).unwrap_or(u32::MAX)
    }
}

/// Counts the memory of one instance and refuses what is too much.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Bytes in use: memories and tables.
    pub(crate) used: usize,
    /// Bytes allowed.
    pub(crate) allowed: usize,
    /// What was asked for when it was refused.
    pub(crate) refused: Option<usize>,
}

impl Memory {
    fn grow(&mut self, current: usize, desired: usize) -> bool {
        let after = self.used + desired.saturating_sub(current);
        if after > self.allowed {
            self.refused = Some(after);
            return false;
        }
        self.used = after;
        true
    }
}

impl ResourceLimiter for Memory {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        Ok(maximum.is_none_or(|maximum| desired <= maximum) && self.grow(current, desired))
    }

    fn table_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        const ENTRY: usize = 8;
        Ok(self.grow(current * ENTRY, desired * ENTRY))
    }
}
