//! Type inference: types of expressions, members, calls and the meaning of names.

mod annotations;
mod bases;
pub(crate) mod builtins;
mod calls;
pub(crate) mod checker;
mod context;
pub(crate) mod contextual;
mod declaration_files;
mod exported_symbols;
mod exports;
mod guards;
mod inference;
pub(crate) mod jsdoc;
mod jsx;
mod library;
mod literal_types;
mod mapped;
pub(crate) mod members;
pub(crate) mod narrowable;
mod narrowing;
pub(crate) mod props;
pub(crate) mod shapes;
mod string_literals;
mod switches;
pub(crate) mod ty;
pub(crate) mod type_printer;
pub(crate) mod values;
