//! Imports of a file: their bindings, their use, adding and organizing them.

pub(crate) mod add;
pub(crate) mod compiler_settings;
mod declaration;
pub(crate) mod dependencies;
pub(crate) mod export_resolver;
pub(crate) mod insertion;
pub(crate) mod model;
pub(crate) mod module_order;
pub(crate) mod order;
pub(crate) mod organize;
pub(crate) mod organized_statements;
pub(crate) mod packages;
pub(crate) mod preferences;
pub(crate) mod project_settings;
pub(crate) mod specifier;
pub(crate) mod statement;
pub(crate) mod type_imports;
pub(crate) mod usage;
