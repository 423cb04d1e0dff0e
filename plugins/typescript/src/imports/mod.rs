//! The imports of a file: what they bring in, which of it is used, and how others are added.

pub(crate) mod add;
mod declaration;
pub(crate) mod dependencies;
pub(crate) mod model;
