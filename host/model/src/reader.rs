//! Port for reading many files, most of which turn out not to be needed.

use std::borrow::Cow;

use crate::Result;

/// Reads the texts of files that a walk just found, one after the other. Reading is fastest if files of the same folder
/// follow each other.
pub trait Reader {
    /// Returns the text of a file. `None` if it is larger than `most` bytes or not a regular file; call
    /// [`crate::files::Files::text`] to get the text or the error.
    ///
    /// # Errors
    /// Fails if the file is not text.
    fn text(&mut self, path: &str, most: u64) -> Result<Option<Cow<'_, str>>>;
}
