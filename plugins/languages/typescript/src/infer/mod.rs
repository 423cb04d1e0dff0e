//! Type inference: types of expressions, members, calls and the meaning of names.

mod annotations;
mod bases;
pub(crate) mod builtins;
mod calls;
pub(crate) mod checker;
mod context;
mod exports;
mod guards;
pub(crate) mod jsdoc;
mod jsx;
mod literal_types;
mod literals;
mod mapped;
pub(crate) mod members;
mod narrowing;
pub(crate) mod placed;
pub(crate) mod props;
pub(crate) mod shapes;
pub(crate) mod spelling;
pub(crate) mod subjects;
pub(crate) mod ty;
pub(crate) mod values;
