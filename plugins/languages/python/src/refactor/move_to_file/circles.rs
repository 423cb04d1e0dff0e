//! Circles of imports: the modules that are executed when a module is imported.

use std::collections::BTreeSet;

use marquetry_code::CodeDocument;
use marquetry_sdk::workspace;

use crate::{
    imports::{self, Import},
    modules::{self, Found},
    origins, table,
};

/// Maximum number of modules that are read to find a circle.
const MAX_MODULES: usize = 200;

/// The answer to a search for a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    Yes,
    No,
    /// The search was not finished.
    Unknown,
}

/// Searches a module among the modules that the files in `start` import when they are executed, and those files.
pub(super) fn reaches(start: Vec<String>, goal: &str) -> Reach {
    let mut open = start;
    let mut known: BTreeSet<String> = BTreeSet::new();
    while let Some(path) = open.pop() {
        if path == goal {
            return Reach::Yes;
        }
        if !known.insert(path.clone()) {
            continue;
        }
        if known.len() > MAX_MODULES {
            return Reach::Unknown;
        }
        if let Ok(text) = workspace::read(&path) {
            let document = CodeDocument::open(&table::PYTHON, &path, text);
            open.extend(executed(&document, imports::imports(&document).iter()));
        }
    }
    Reach::No
}

/// The files that imports of a document execute.
pub(super) fn executed<'i>(document: &CodeDocument, imports: impl Iterator<Item = &'i Import>) -> Vec<String> {
    let at_start = imports.filter(|import| import.is_global || import.local.is_none());
    at_start.filter(|import| !import.is_type_only).filter_map(|import| file_of(document, import)).collect()
}

/// The file of the module that an import executes. `None` for modules of other projects.
pub(super) fn file_of(document: &CodeDocument, import: &Import) -> Option<String> {
    let whole = origins::module_of_import(document, import);
    let module = whole.as_deref().unwrap_or(&import.module);
    match modules::resolve(document.path(), module) {
        Found::Inside(found) => Some(found.path),
        Found::Missing(_) | Found::External => None,
    }
}
