//! Stubs for builds without MDX, which do not parse JavaScript.

use std::ops::Range;

use super::{Module, Taken, Wrong};

pub(crate) fn modules(_source: &str) -> Result<Vec<Module>, Wrong> {
    Ok(Vec::new())
}

pub(crate) fn check_expression(_source: &str) -> Result<(), Wrong> {
    Ok(())
}

pub(crate) fn check_tag(_tag: &str) -> Option<String> {
    None
}

pub(crate) fn wholes(_source: &str) -> Vec<(String, Option<String>, Range<usize>)> {
    Vec::new()
}

pub(crate) fn locals(_source: &str) -> Vec<(String, String, String)> {
    Vec::new()
}

pub(crate) fn taken(_source: &str) -> Vec<Taken> {
    Vec::new()
}
