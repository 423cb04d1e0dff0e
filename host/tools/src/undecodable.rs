//! Texts in an encoding that is not detected, such as Latin-1 without a declaration. No pack can read them. Names and
//! paths in them are mostly ASCII, so their occurrences can be listed.

use marquetry_model::ports::Files;

use crate::mentioned_names::MAX_SEARCHED_SIZE;

/// Returns the text of a file that could not be decoded, with a replacement character for each invalid byte. `None` if
/// it is binary, too large or cannot be read.
pub(crate) fn undecodable_text(files: &dyn Files, path: &str, size: u64) -> Option<String> {
    if size > MAX_SEARCHED_SIZE {
        return None;
    }
    let bytes = files.read_bytes(path).ok()?;
    let is_binary = memchr::memchr(0, &bytes).is_some();
    (!is_binary).then(|| String::from_utf8_lossy(&bytes).into_owned())
}
