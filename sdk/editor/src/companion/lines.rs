//! Splits a byte stream into lines. Each byte is examined once.

/// Maximum length of a line in bytes.
const MAX_LINE: usize = 32 << 20;

/// Buffered bytes.
#[derive(Debug, Default)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    /// Start of the next line; everything before it has been returned.
    start: usize,
    /// End of the bytes already searched for a line break.
    searched: usize,
}

/// Error: a line exceeds the maximum length.
#[derive(Debug)]
pub(super) struct TooLong;

impl Lines {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next complete line, without its line break.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, TooLong> {
        let found = self.bytes[self.searched..].iter().position(|byte| *byte == b'\n').map(|at| self.searched + at);
        let end = found.unwrap_or(self.bytes.len());
        if end - self.start > MAX_LINE {
            return Err(TooLong);
        }
        self.searched = end;
        if found.is_none() {
            return Ok(None);
        }
        let line = self.start..end;
        (self.start, self.searched) = (end + 1, end + 1);
        Ok(Some(&self.bytes[line]))
    }
}
