//! Memory blocks that an Extism module and the host exchange, addressed by offsets into one address range.
//!
//! Extism keeps the blocks in a separate wasm memory. Here the host holds them and counts them against the memory limit
//! of the instance. All blocks are freed when a call begins; only the module's memory and its variables persist between
//! calls.

use std::collections::{BTreeSet, HashMap};

use crate::limits::InstanceMemory;

/// Unused bytes before each block. They count against the memory limit in place of the host's own data about the block,
/// so that a module cannot use much host memory with many small blocks.
const BLOCK_OVERHEAD: usize = 64;
/// Minimum number of bytes by which memory grows.
const GROWTH_BYTES: usize = 64 << 10;
/// Maximum bytes of all variables, the same as in Extism.
const VARIABLES: usize = 1 << 20;

/// The blocks of one instance.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    bytes: Vec<u8>,
    /// Bytes counted against the memory limit.
    counted: usize,
    /// Allocated blocks by offset.
    allocated: HashMap<u64, Block>,
    /// Free blocks: capacity and offset.
    free: BTreeSet<(usize, u64)>,
    input: Block,
    input_at: u64,
    output: (u64, u64),
    error: u64,
    variables: HashMap<String, Vec<u8>>,
    /// Settings, returned by `config_get`.
    settings: HashMap<String, String>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Block {
    length: usize,
    /// Capacity in bytes.
    capacity: usize,
}

impl Blocks {
    /// Starts a call with an input that consists of these parts.
    ///
    /// # Errors
    /// Fails if there is not enough memory.
    pub(super) fn begin(&mut self, memory: &mut InstanceMemory, input: &[&[u8]]) -> wasmtime::Result<()> {
        self.bytes.clear();
        self.allocated.clear();
        self.free.clear();
        (self.output, self.error) = ((0, 0), 0);
        let length = input.iter().map(|part| part.len()).sum::<usize>();
        self.input_at = self.alloc(memory, length as u64)?;
        self.input = self.allocated.get(&self.input_at).copied().unwrap_or_default();
        let mut at = self.input_at as usize;
        for part in input {
            self.bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        Ok(())
    }

    /// Allocates a zeroed block; returns 0 for length 0.
    ///
    /// # Errors
    /// Fails if there is not enough memory.
    pub(super) fn alloc(&mut self, memory: &mut InstanceMemory, length: u64) -> wasmtime::Result<u64> {
        if length == 0 {
            return Ok(0);
        }
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let room = length.saturating_add(7) & !7;
        // A block that is much larger than requested is kept for larger requests.
        let fits = self.free.range((room, 0)..).next().copied();
        if let Some((found, at)) = fits.filter(|(found, _)| *found <= room.saturating_mul(2)) {
            self.free.remove(&(found, at));
            self.allocated.insert(at, Block { length, capacity: found });
            self.bytes[at as usize..at as usize + found].fill(0);
            return Ok(at);
        }
        let at = self.bytes.len() + BLOCK_OVERHEAD;
        let end = at.saturating_add(room);
        self.reserve(memory, end)?;
        self.bytes.resize(end, 0);
        self.allocated.insert(at as u64, Block { length, capacity: room });
        Ok(at as u64)
    }

    /// Allocates a block with this content. Empty content also gets a block, because an empty file exists.
    ///
    /// # Errors
    /// Fails if there is not enough memory.
    pub(super) fn alloc_with(&mut self, memory: &mut InstanceMemory, content: &[u8]) -> wasmtime::Result<u64> {
        let at = self.alloc(memory, content.len().max(1) as u64)?;
        if let Some(block) = self.allocated.get_mut(&at) {
            block.length = content.len();
        }
        let from = at as usize;
        self.bytes[from..from + content.len()].copy_from_slice(content);
        Ok(at)
    }

    fn reserve(&mut self, memory: &mut InstanceMemory, end: usize) -> wasmtime::Result<()> {
        if end <= self.counted {
            return Ok(());
        }
        // Grows by an eighth, so that many small allocations do not move the bytes each time.
        let wanted = end.saturating_add(end / 8).checked_next_multiple_of(GROWTH_BYTES).unwrap_or(usize::MAX);
        if !memory.grow(self.counted, wanted) {
            return Err(wasmtime::format_err!("there is not enough memory for its blocks"));
        }
        self.counted = wanted;
        let more = wanted - self.bytes.len();
        self.bytes
            .try_reserve_exact(more)
            .map_err(|error| wasmtime::format_err!("there is not enough memory for its blocks: {error}"))
    }

    /// Frees a block. Other offsets are ignored.
    pub(super) fn free(&mut self, at: u64) {
        if let Some(block) = self.allocated.remove(&at) {
            self.free.insert((block.capacity, at));
            if at == self.input_at {
                self.input = Block::default();
            }
        }
    }

    /// Returns the length of a block; 0 if the offset is not a block.
    pub(super) fn length(&self, at: u64) -> u64 {
        self.allocated.get(&at).map_or(0, |block| block.length as u64)
    }

    /// Reads bytes at an offset; zeros beyond the last block.
    pub(super) fn load<const N: usize>(&self, at: u64) -> [u8; N] {
        let from = usize::try_from(at).ok();
        let found = from.and_then(|from| self.bytes.get(from..from.checked_add(N)?));
        found.and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; N])
    }

    /// Writes bytes at an offset. Writes beyond the last block are ignored, as in Extism.
    pub(super) fn store<const N: usize>(&mut self, at: u64, bytes: [u8; N]) {
        let from = usize::try_from(at).ok();
        if let Some(place) = from.and_then(|from| self.bytes.get_mut(from..from.checked_add(N)?)) {
            place.copy_from_slice(&bytes);
        }
    }

    pub(super) fn input(&self) -> (u64, u64) {
        (self.input_at, self.input.length as u64)
    }

    /// Reads bytes at an offset of the input; zeros if any of them is beyond its end.
    pub(super) fn load_input<const N: usize>(&self, from: u64) -> [u8; N] {
        match from.checked_add(N as u64) {
            Some(end) if end <= self.input.length as u64 => self.load(self.input_at + from),
            _ => [0; N],
        }
    }

    /// Sets the bytes that are the answer. Offset 0 with length 0 keeps the previous answer, as in Extism.
    ///
    /// # Errors
    /// Fails if the range is out of bounds.
    pub(super) fn set_output(&mut self, at: u64, length: u64) -> wasmtime::Result<()> {
        if (at, length) == (0, 0) {
            return Ok(());
        }
        if at.checked_add(length).is_none_or(|end| end > self.bytes.len() as u64) {
            return Err(wasmtime::format_err!("`output_set` refers to bytes that were not allocated"));
        }
        self.output = (at, length);
        Ok(())
    }

    pub(super) fn output_range(&self) -> (u64, u64) {
        self.output
    }

    /// Returns the answer.
    pub(super) fn output(&self) -> &[u8] {
        let (at, length) = (self.output.0 as usize, self.output.1 as usize);
        self.bytes.get(at..at + length).unwrap_or_default()
    }

    pub(super) fn set_error(&mut self, at: u64) {
        self.error = at;
    }

    pub(super) fn error(&self) -> u64 {
        self.error
    }

    /// Returns the error message that the module set.
    pub(super) fn error_text(&self) -> Option<String> {
        let (from, block) = (self.error as usize, self.allocated.get(&self.error)?);
        let bytes = self.bytes.get(from..from + block.length).unwrap_or_default();
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    /// Takes the bytes of a block and frees it, as every host function does with its arguments. Offset 0 is empty, as
    /// in [`Blocks::alloc`].
    ///
    /// # Errors
    /// Fails if the offset is not a block.
    pub(super) fn take(&mut self, at: u64) -> wasmtime::Result<Vec<u8>> {
        if at == 0 {
            return Ok(Vec::new());
        }
        let block = self.allocated.get(&at).copied();
        let block = block.ok_or_else(|| wasmtime::format_err!("{at} is not an allocated block"))?;
        let bytes = self.bytes[at as usize..at as usize + block.length].to_vec();
        self.free(at);
        Ok(bytes)
    }

    /// Takes the bytes of a block as text.
    ///
    /// # Errors
    /// Fails if the offset is not a block.
    pub(super) fn take_text(&mut self, at: u64) -> wasmtime::Result<String> {
        self.take(at).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Takes at most the first `most` bytes of a block as text.
    ///
    /// # Errors
    /// Fails if the offset is not a block.
    pub(super) fn take_prefix(&mut self, at: u64, most: usize) -> wasmtime::Result<String> {
        let block = self.allocated.get(&at).copied();
        let start = block.and_then(|block| {
            let from = usize::try_from(at).ok()?;
            self.bytes.get(from..from + block.length.min(most))
        });
        let start = start.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        match start {
            Some(start) => {
                self.free(at);
                Ok(start)
            }
            None => self.take_text(at),
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&[u8]> {
        self.variables.get(name).map(Vec::as_slice)
    }

    /// Sets or removes a variable.
    ///
    /// # Errors
    /// Fails if the variables exceed their limit or there is not enough memory.
    pub(super) fn set_variable(
        &mut self,
        memory: &mut InstanceMemory,
        name: String,
        value: Option<Vec<u8>>,
    ) -> wasmtime::Result<()> {
        let Some(value) = value else {
            self.variables.remove(&name);
            return Ok(());
        };
        // The full size limit of variables is counted against the memory when the first one is set, because their size
        // changes often.
        if self.variables.capacity() == 0 && !memory.grow(0, VARIABLES) {
            return Err(wasmtime::format_err!("there is not enough memory for its variables"));
        }
        let others = self.variables.iter().filter(|(other, _)| **other != name);
        let bytes: usize = others.map(|(name, value)| name.len() + value.len() + BLOCK_OVERHEAD).sum();
        if bytes + name.len() + value.len() + BLOCK_OVERHEAD > VARIABLES {
            return Err(wasmtime::format_err!("its variables take more than {VARIABLES} bytes"));
        }
        self.variables.insert(name, value);
        Ok(())
    }

    pub(super) fn setting(&self, name: &str) -> Option<&str> {
        self.settings.get(name).map(String::as_str)
    }

    /// Sets the settings: strings unchanged, other values as JSON text.
    pub(super) fn set_settings(&mut self, settings: &serde_json::Value) {
        let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let settings = settings.as_object().into_iter().flatten();
        self.settings = settings.map(|(name, value)| (name.clone(), text(value))).collect();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn memory(allowed: usize) -> InstanceMemory {
        InstanceMemory::new(&Arc::default(), allowed)
    }

    #[test]
    fn blocks_return_stored_bytes() {
        let (mut blocks, mut memory) = (Blocks::default(), memory(1 << 20));
        blocks.begin(&mut memory, &[b"{}", b"\n", b"text"]).expect("begun");
        assert_eq!((blocks.input().1, blocks.load_input::<1>(3)), (7, *b"t"));
        assert_eq!(blocks.load_input::<8>(0), [0; 8], "a read beyond the end of the input must return zeros");
        let at = blocks.alloc(&mut memory, 9).expect("there is room");
        assert_eq!((at % 8, blocks.length(at), blocks.length(at + 1)), (0, 9, 0));
        blocks.store(at, *b"abcdefgh");
        assert_eq!((blocks.load::<8>(at), blocks.load::<1>(at + 1)), (*b"abcdefgh", *b"b"));
        blocks.store(u64::MAX, *b"abcdefgh");
        assert_eq!((blocks.load::<8>(u64::MAX), blocks.load::<8>(1 << 40)), ([0; 8], [0; 8]));
        blocks.set_output(at, 3).expect("the range lies in the block");
        assert_eq!(blocks.output(), b"abc");
        assert!(blocks.set_output(at, 1 << 40).is_err() && blocks.set_output(u64::MAX, 2).is_err());
        assert_eq!(blocks.alloc(&mut memory, 0).expect("length 0 needs no block"), 0);
    }

    #[test]
    fn freed_block_is_reused_and_zeroed() {
        let (mut blocks, mut memory) = (Blocks::default(), memory(1 << 20));
        let first = blocks.alloc_with(&mut memory, b"secret").expect("there is room");
        blocks.free(first);
        blocks.free(first);
        blocks.free(12_345);
        let again = blocks.alloc(&mut memory, 6).expect("there is room");
        assert_eq!((again, blocks.load::<8>(again)), (first, [0; 8]));
        for _ in 0..100_000 {
            let block = blocks.alloc(&mut memory, 1000).expect("there is room");
            blocks.free(block);
        }
    }

    #[test]
    fn blocks_count_against_the_memory_limit() {
        let (mut blocks, mut memory) = (Blocks::default(), memory(1 << 20));
        assert!(blocks.alloc(&mut memory, 2 << 20).is_err());
        assert!(memory.refused_bytes.is_some_and(|bytes| bytes > 2 << 20));
        assert!(blocks.alloc(&mut memory, u64::MAX).is_err(), "a block of this size must be refused");
        let many = (0..1_000_000).take_while(|_| blocks.alloc(&mut memory, 1).is_ok()).count();
        assert!(
            (5_000..20_000).contains(&many),
            "{many} blocks of one byte: the overhead of each block must count too"
        );
        let used = memory.used;
        blocks.begin(&mut memory, &[b"x"]).expect("begun");
        blocks.alloc(&mut memory, 500 << 10).expect("the memory of the previous call must be free again");
        assert_eq!(memory.used, used);
    }

    #[test]
    fn variables_over_the_limit_are_refused() {
        let (mut blocks, mut memory) = (Blocks::default(), memory(4 << 20));
        let mut set = |name: &str, bytes: usize| {
            blocks.set_variable(&mut memory, name.to_owned(), Some(vec![7; bytes])).map_err(|error| error.to_string())
        };
        assert_eq!(set("a", 1000), Ok(()));
        assert_eq!(set("b", 1 << 20), Err("its variables take more than 1048576 bytes".to_owned()));
        assert_eq!(set("a", 1_000_000), Ok(()), "a value replaces the previous one");
        assert_eq!(blocks.variable("a").map(<[u8]>::len), Some(1_000_000));
        blocks.set_variable(&mut memory, "a".to_owned(), None).expect("gone");
        assert_eq!(blocks.variable("a"), None);
    }
}
