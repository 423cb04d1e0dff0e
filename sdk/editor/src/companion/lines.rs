//! Where one line ends and the next begins, however the bytes come. Each byte is looked at once.

/// Bytes of one line.
const LONGEST: usize = 32 << 20;

/// Bytes that came, up to the end of the last whole line.
#[derive(Debug, Default)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    /// The line begins here: what is before it was given out.
    start: usize,
    /// No line ends between its start and this.
    known: usize,
}

/// A line is too long.
#[derive(Debug)]
pub(super) struct TooLong;

impl Lines {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.start);
        self.known -= self.start;
        self.start = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole line, without its end.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, TooLong> {
        let found = self.bytes[self.known..].iter().position(|byte| *byte == b'\n').map(|at| self.known + at);
        let end = found.unwrap_or(self.bytes.len());
        if end - self.start > LONGEST {
            return Err(TooLong);
        }
        self.known = end;
        if found.is_none() {
            return Ok(None);
        }
        let line = self.start..end;
        (self.start, self.known) = (end + 1, end + 1);
        Ok(Some(&self.bytes[line]))
    }
}
