//! The imports of a file.

pub(crate) mod dependencies;
