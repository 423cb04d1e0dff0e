//! Reading many files of which most turn out not to be needed.

use std::borrow::Cow;

use crate::Result;

/// Reads the texts of files that a walk just found, one after the other. Fastest for files of the same folder in
/// sequence.
pub trait Reader {
    /// Returns the text of a file. `None` if it is larger than `most` bytes or not a regular file; call
    /// [`crate::files::Files::text`] to get the text or the error.
    ///
    /// # Errors
    /// Fails if the file is not text.
    fn text(&mut self, path: &str, most: u64) -> Result<Option<Cow<'_, str>>>;
}
