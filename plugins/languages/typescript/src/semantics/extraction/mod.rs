//! Code that is extracted to a declaration: the places for the declaration, and the values, types and names that it
//! needs there.

pub(crate) mod closures;
pub(crate) mod code_range;
pub(crate) mod data_flow;
pub(crate) mod destructuring;
pub(crate) mod fields;
pub(crate) mod function_targets;
pub(crate) mod function_types;
pub(crate) mod occurrences;
mod own_class;
pub(crate) mod placement;
pub(crate) mod suggested_names;
pub(crate) mod type_parameters;
pub(crate) mod value_types;
