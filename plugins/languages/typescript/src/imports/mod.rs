//! Imports of a file: their bindings, their use, adding and organizing them.

pub(crate) mod add;
mod declaration;
pub(crate) mod dependencies;
pub(crate) mod exported;
pub(crate) mod members;
pub(crate) mod model;
pub(crate) mod order;
pub(crate) mod organize;
pub(crate) mod packages;
pub(crate) mod place;
pub(crate) mod preferences;
pub(crate) mod project;
pub(crate) mod settings;
pub(crate) mod specifier;
pub(crate) mod statement;
pub(crate) mod tools;
pub(crate) mod types;
pub(crate) mod usage;
