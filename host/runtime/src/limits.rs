//! Limits on the memory, CPU time and answers of a guest.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use marquetry_model::{budget::Budget, limits};
use wasmtime::ResourceLimiter;

/// Limits of one plugin, from the registry or the defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Maximum bytes of an instance.
    pub(crate) memory: usize,
    /// CPU time for a call on a small document.
    pub(crate) time: Duration,
}

impl Bounds {
    /// Returns the memory limit of an instance that holds this many bytes of documents.
    pub(crate) fn memory_for(&self, bytes: usize) -> usize {
        self.memory.min(limits::INSTANCE_MEMORY.saturating_add(bytes.saturating_mul(limits::MEMORY_PER_BYTE)))
    }

    /// Returns how many bytes a call on a document of this size may pass to the host at once.
    pub(crate) fn handed_for(bytes: usize) -> usize {
        limits::HANDED.saturating_add(bytes.saturating_mul(limits::HANDED_PER_BYTE)).min(limits::MOST_HANDED)
    }

    /// Returns the CPU time limit of a call on a document of this size.
    pub(crate) fn time_for(&self, bytes: usize) -> Duration {
        self.time + limits::CALL_PER_MIB * u32::try_from(bytes >> 20).unwrap_or(u32::MAX)
    }
}

/// Counts the memory of one instance and rejects growth beyond its limit.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Bytes in use by memories and tables.
    pub(crate) used: usize,
    /// Bytes allowed.
    pub(crate) allowed: usize,
    /// Requested total when growth was rejected.
    pub(crate) refused: Option<usize>,
    /// True if the limit of all instances together was reached.
    pub(crate) crowded: bool,
    /// This instance's part of the total.
    share: Share,
}

/// The memory of all instances of an engine.
#[derive(Debug)]
pub(crate) struct Total {
    used: AtomicUsize,
    most: usize,
}

impl Total {
    pub(crate) fn new(most: usize) -> Total {
        Total { used: AtomicUsize::new(0), most }
    }

    /// Returns the bytes in use.
    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::SeqCst)
    }

    fn take(&self, bytes: usize) -> bool {
        let grown = |used: usize| used.checked_add(bytes).filter(|used| *used <= self.most);
        self.used.try_update(Ordering::SeqCst, Ordering::SeqCst, grown).is_ok()
    }
}

impl Default for Total {
    fn default() -> Total {
        Total::new(usize::MAX)
    }
}

/// The part of one instance in the total, released when dropped.
#[derive(Debug, Default)]
struct Share {
    total: Arc<Total>,
    bytes: usize,
}

impl Share {
    fn grow(&mut self, bytes: usize) -> bool {
        // Idle instances are dropped to make room for working ones.
        let taken = self.total.take(bytes) || {
            Budget::of_process().make_room(limits::KEPT_MEMORY);
            self.total.take(bytes)
        };
        self.bytes += if taken { bytes } else { 0 };
        taken
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.total.used.fetch_sub(self.bytes, Ordering::SeqCst);
    }
}

impl Memory {
    /// Counts the memory of an instance with this limit, within the limit of all instances.
    pub(crate) fn of(total: &Arc<Total>, allowed: usize) -> Memory {
        Memory { allowed, share: Share { total: Arc::clone(total), bytes: 0 }, ..Memory::default() }
    }

    /// Counts growth. Returns false if it exceeds a limit.
    pub(crate) fn grow(&mut self, current: usize, desired: usize) -> bool {
        let more = desired.saturating_sub(current);
        let after = self.used.saturating_add(more);
        if after > self.allowed {
            self.refused = Some(after);
            return false;
        }
        if !self.share.grow(more) {
            self.crowded = true;
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
    fn limits_grow_with_the_document_up_to_a_maximum() {
        assert_eq!(SMALL.memory_for(0), limits::INSTANCE_MEMORY);
        assert_eq!(SMALL.memory_for(1000), limits::INSTANCE_MEMORY + 1000 * limits::MEMORY_PER_BYTE);
        assert_eq!(SMALL.memory_for(1 << 30), 1 << 30);
        assert_eq!(SMALL.memory_for(usize::MAX), 1 << 30);
        assert_eq!(Bounds { memory: 1 << 20, ..SMALL }.memory_for(0), 1 << 20);
        assert_eq!(Bounds::handed_for(0), limits::HANDED);
        assert_eq!(Bounds::handed_for(1 << 20), limits::HANDED + (limits::HANDED_PER_BYTE << 20));
        assert_eq!(Bounds::handed_for(usize::MAX), limits::MOST_HANDED);
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
    fn total_memory_of_instances_is_limited() {
        let total = Arc::new(Total::new(1000));
        let mut one = Memory::of(&total, 900);
        let mut other = Memory::of(&total, 900);
        assert!(one.memory_growing(0, 600, None).expect("answered"));
        assert!(!other.memory_growing(0, 401, None).expect("answered"));
        assert!(other.crowded && other.refused.is_none() && other.used == 0, "it is not its own fault");
        assert!(other.memory_growing(0, 400, None).expect("answered"));
        drop(one);
        assert!(other.memory_growing(400, 900, None).expect("answered"), "what one gives back others may have");
        drop(other);
        assert_eq!(total.used.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn declared_maximum_of_a_memory_is_respected() {
        let mut memory = Memory { allowed: 1000, ..Memory::default() };
        assert!(!memory.memory_growing(0, 500, Some(499)).expect("answered"));
        assert_eq!((memory.used, memory.refused), (0, None), "not our limit, so no report");
        assert!(memory.memory_growing(0, 499, Some(499)).expect("answered"));
    }
}
