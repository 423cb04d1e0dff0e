//! Declarations that move to another file: which move together, what they depend on, and how the files of the move
//! import and export names.

pub(crate) mod behavior;
pub(crate) mod commonjs_exports;
pub(crate) mod destination;
mod load_order;
pub(crate) mod loaded_modules;
pub(crate) mod module_system;
pub(crate) mod required_imports;
pub(crate) mod required_names;
pub(crate) mod source_file;
