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
pub(crate) struct PluginLimits {
    /// Maximum bytes of an instance.
    pub(crate) memory: usize,
    /// CPU time for a call on a small document.
    pub(crate) time: Duration,
}

impl PluginLimits {
    /// Returns the memory limit of an instance that holds this many bytes of documents.
    pub(crate) fn memory_limit(&self, bytes: usize) -> usize {
        self.memory.min(limits::INSTANCE_MEMORY.saturating_add(bytes.saturating_mul(limits::MEMORY_PER_BYTE)))
    }

    /// Returns how many bytes a call on a document of this size may pass to the host at once.
    pub(crate) fn transfer_limit(bytes: usize) -> usize {
        limits::TRANSFER_BYTES
            .saturating_add(bytes.saturating_mul(limits::TRANSFER_PER_BYTE))
            .min(limits::MAX_TRANSFER_BYTES)
    }

    /// Returns the CPU time limit of a call on a document of this size.
    pub(crate) fn time_limit(&self, bytes: usize) -> Duration {
        self.time + limits::CALL_PER_MIB * u32::try_from(bytes >> 20).unwrap_or(u32::MAX)
    }
}

/// Counts the memory of one instance and rejects growth beyond its limit.
#[derive(Debug, Default)]
pub(crate) struct InstanceMemory {
    /// Bytes in use by memories and tables.
    pub(crate) used: usize,
    /// Bytes allowed.
    pub(crate) allowed: usize,
    /// Requested total when growth was rejected.
    pub(crate) refused_bytes: Option<usize>,
    /// True if the limit of all instances together was reached.
    pub(crate) total_exceeded: bool,
    /// This instance's part of the total.
    share: MemoryShare,
}

/// The memory of all instances of an engine.
#[derive(Debug)]
pub(crate) struct TotalMemory {
    used: AtomicUsize,
    limit: usize,
}

impl TotalMemory {
    pub(crate) fn new(limit: usize) -> TotalMemory {
        TotalMemory { used: AtomicUsize::new(0), limit }
    }

    /// Returns the bytes in use.
    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::SeqCst)
    }

    fn take(&self, bytes: usize) -> bool {
        let grown = |used: usize| used.checked_add(bytes).filter(|used| *used <= self.limit);
        self.used.try_update(Ordering::SeqCst, Ordering::SeqCst, grown).is_ok()
    }
}

impl Default for TotalMemory {
    fn default() -> TotalMemory {
        TotalMemory::new(usize::MAX)
    }
}

/// The memory of one instance as a part of the total. Dropping it subtracts that memory from the total.
#[derive(Debug, Default)]
struct MemoryShare {
    total: Arc<TotalMemory>,
    bytes: usize,
}

impl MemoryShare {
    fn grow(&mut self, bytes: usize) -> bool {
        // Idle instances are dropped to make room for working ones.
        let taken = self.total.take(bytes) || {
            Budget::global().make_room(limits::CACHE_MEMORY);
            self.total.take(bytes)
        };
        self.bytes += if taken { bytes } else { 0 };
        taken
    }
}

impl Drop for MemoryShare {
    fn drop(&mut self) {
        self.total.used.fetch_sub(self.bytes, Ordering::SeqCst);
    }
}

impl InstanceMemory {
    /// Counts the memory of an instance with this limit, within the limit of all instances.
    pub(crate) fn new(total: &Arc<TotalMemory>, allowed: usize) -> InstanceMemory {
        InstanceMemory {
            allowed,
            share: MemoryShare { total: Arc::clone(total), bytes: 0 },
            ..InstanceMemory::default()
        }
    }

    /// Counts growth. Returns false if it exceeds a limit.
    pub(crate) fn grow(&mut self, current: usize, desired: usize) -> bool {
        let more = desired.saturating_sub(current);
        let after = self.used.saturating_add(more);
        if after > self.allowed {
            self.refused_bytes = Some(after);
            return false;
        }
        if !self.share.grow(more) {
            self.total_exceeded = true;
            return false;
        }
        self.used = after;
        true
    }
}

impl ResourceLimiter for InstanceMemory {
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

    const SMALL: PluginLimits = PluginLimits { memory: 1 << 30, time: Duration::from_secs(10) };

    #[test]
    fn limits_grow_with_the_document_up_to_a_maximum() {
        assert_eq!(SMALL.memory_limit(0), limits::INSTANCE_MEMORY);
        assert_eq!(SMALL.memory_limit(1000), limits::INSTANCE_MEMORY + 1000 * limits::MEMORY_PER_BYTE);
        assert_eq!(SMALL.memory_limit(1 << 30), 1 << 30);
        assert_eq!(SMALL.memory_limit(usize::MAX), 1 << 30);
        assert_eq!(PluginLimits { memory: 1 << 20, ..SMALL }.memory_limit(0), 1 << 20);
        assert_eq!(PluginLimits::transfer_limit(0), limits::TRANSFER_BYTES);
        assert_eq!(PluginLimits::transfer_limit(1 << 20), limits::TRANSFER_BYTES + (limits::TRANSFER_PER_BYTE << 20));
        assert_eq!(PluginLimits::transfer_limit(usize::MAX), limits::MAX_TRANSFER_BYTES);
        assert_eq!(SMALL.time_limit(0), Duration::from_secs(10));
        assert_eq!(SMALL.time_limit((1 << 20) - 1), Duration::from_secs(10));
        assert_eq!(SMALL.time_limit(5 << 20), Duration::from_secs(10) + 5 * limits::CALL_PER_MIB);
    }

    #[test]
    fn memory_is_counted_over_all_memories_and_tables() {
        let mut memory = InstanceMemory { allowed: 1000, ..InstanceMemory::default() };
        let mut grow = |from, to| memory.memory_growing(from, to, None).expect("answered");
        assert!(grow(0, 600) && grow(600, 700));
        assert!(!grow(0, 301), "the limit must apply to both memories together");
        assert!(grow(0, 300));
        assert_eq!((memory.used, memory.refused_bytes), (1000, Some(1001)));
        let mut memory = InstanceMemory { allowed: 1000, ..InstanceMemory::default() };
        assert!(memory.table_growing(0, 125, None).expect("answered"));
        assert!(!memory.table_growing(125, 126, None).expect("answered"), "each table entry must count as eight bytes");
    }

    #[test]
    fn total_memory_of_instances_is_limited() {
        let total = Arc::new(TotalMemory::new(1000));
        let mut one = InstanceMemory::new(&total, 900);
        let mut other = InstanceMemory::new(&total, 900);
        assert!(one.memory_growing(0, 600, None).expect("answered"));
        assert!(!other.memory_growing(0, 401, None).expect("answered"));
        assert!(
            other.total_exceeded && other.refused_bytes.is_none() && other.used == 0,
            "only the limit of all instances together was exceeded"
        );
        assert!(other.memory_growing(0, 400, None).expect("answered"));
        drop(one);
        assert!(
            other.memory_growing(400, 900, None).expect("answered"),
            "memory of a dropped instance must be available to others"
        );
        drop(other);
        assert_eq!(total.used.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn declared_maximum_of_a_memory_is_respected() {
        let mut memory = InstanceMemory { allowed: 1000, ..InstanceMemory::default() };
        assert!(!memory.memory_growing(0, 500, Some(499)).expect("answered"));
        assert_eq!(
            (memory.used, memory.refused_bytes),
            (0, None),
            "exceeding the memory's own declared maximum must not be recorded"
        );
        assert!(memory.memory_growing(0, 499, Some(499)).expect("answered"));
    }
}
