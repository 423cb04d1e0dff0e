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
        self.memory.min(limits::INSTANCE_MEMORY.saturating_add(bytes.saturating_mul(limits::MEMORY_PER_BYTE)))
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

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Bounds = Bounds { memory: 1 << 30, time: Duration::from_secs(10) };

    #[test]
    fn larger_documents_get_more_up_to_a_limit() {
        assert_eq!(SMALL.memory_for(0), limits::INSTANCE_MEMORY);
        assert_eq!(SMALL.memory_for(1000), limits::INSTANCE_MEMORY + 1000 * limits::MEMORY_PER_BYTE);
        assert_eq!(SMALL.memory_for(1 << 30), 1 << 30);
        assert_eq!(SMALL.memory_for(usize::MAX), 1 << 30);
        assert_eq!(Bounds { memory: 1 << 20, ..SMALL }.memory_for(0), 1 << 20);
        assert_eq!(SMALL.time_for(0), Duration::from_secs(10));
        assert_eq!(SMALL.time_for((1 << 20) - 1), Duration::from_secs(10));
        assert_eq!(SMALL.time_for(5 << 20), Duration::from_secs(10) + 5 * limits::CALL_PER_MIB);
    }

    #[test]
    fn memory_is_counted_over_all_memories_and_tables() {
        let mut memory = Memory { allowed: 1000, ..Memory::default() };
        let mut grow = |from, to| memory.memory_growing(from, to, None).expect("answered");
        assert!(grow(0, 600) && grow(600, 700));
        assert!(!grow(0, 301), "another memory, together too much");
        assert!(grow(0, 300));
        assert_eq!((memory.used, memory.refused), (1000, Some(1001)));
        let mut memory = Memory { allowed: 1000, ..Memory::default() };
        assert!(memory.table_growing(0, 125, None).expect("answered"));
        assert!(!memory.table_growing(125, 126, None).expect("answered"), "an entry is eight bytes");
    }

    #[test]
    fn a_memory_keeps_to_the_maximum_that_it_declares() {
        let mut memory = Memory { allowed: 1000, ..Memory::default() };
        assert!(!memory.memory_growing(0, 500, Some(499)).expect("answered"));
        assert_eq!((memory.used, memory.refused), (0, None), "not our limit, so no report");
        assert!(memory.memory_growing(0, 499, Some(499)).expect("answered"));
    }
}
