//! The effect of a setup on one file.

/// Effect on one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The file gets a new entry, page, paragraph or hook.
    Added,
    /// The file has an outdated version, which is updated.
    Updated,
    /// The file already has the current version.
    Unchanged,
    /// The parts that marq added are removed.
    Removed,
    /// The file contains nothing to remove.
    Absent,
    /// The file is not changed, for this reason.
    Kept(&'static str),
}
