//! Reading many files, most of them for nothing.

use std::borrow::Cow;

use crate::Result;

/// Reads the texts of files that a walk just found, one after the other, neighbours best of all.
pub trait Reader {
    /// The text of a file. None where that takes more than a look: it has more than so many bytes, or is no file; what it is then
    /// is for [`crate::files::Files::text`] to say.
    ///
    /// # Errors
    /// The file is no text.
    fn text(&mut self, path: &str, most: u64) -> Result<Option<Cow<'_, str>>>;
}
