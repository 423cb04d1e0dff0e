//! What a document declares, how its declarations are addressed, found and shown.

pub(crate) mod address;
pub(crate) mod declarations;
pub(crate) mod find;
pub(crate) mod regions;
pub(crate) mod views;
