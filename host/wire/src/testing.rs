//! Test utilities: a catalog with two empty roots that have a history.

use marquetry_catalog::Catalog;
use marquetry_native::idle_workbench;
pub(crate) use marquetry_native::{SLOW, STUCK, waiting};

use crate::ServedCatalog;

/// A catalog with two roots, `/one` and `/two`.
pub(crate) fn catalog() -> ServedCatalog {
    with_roots(&["/one", "/two"])
}

/// A catalog with these roots.
pub(crate) fn with_roots(roots: &[&str]) -> ServedCatalog {
    ServedCatalog::new(Catalog::new(idle_workbench(roots)))
}
