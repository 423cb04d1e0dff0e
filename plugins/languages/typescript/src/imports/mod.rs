//! Imports of a file: their bindings, their use, adding, removing and organizing them.

pub(crate) mod add;
pub(crate) mod candidates;
pub(crate) mod compiler_settings;
mod declaration;
pub(crate) mod dependencies;
pub(crate) mod export_resolver;
mod import_style;
pub(crate) mod import_writer;
pub(crate) mod insertion;
mod jsdoc_imports;
pub(crate) mod missing_names;
pub(crate) mod model;
pub(crate) mod module_order;
pub(crate) mod module_uses;
pub(crate) mod order;
pub(crate) mod organize;
pub(crate) mod organized_file;
pub(crate) mod organized_statements;
pub(crate) mod packages;
pub(crate) mod preferences;
pub(crate) mod project_settings;
pub(crate) mod removal;
pub(crate) mod specifier;
pub(crate) mod statement;
pub(crate) mod type_imports;
pub(crate) mod unused;
pub(crate) mod usage;
