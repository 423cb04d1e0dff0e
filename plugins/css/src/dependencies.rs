//! Names that an item uses and another file brings in.
use marquetry_sdk::Dependency;
use crate::tree::{Item, Tree};
pub(crate) fn of(_tree: &Tree, _item: &Item) -> Vec<Dependency> { Vec::new() }
