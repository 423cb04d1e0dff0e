//! Meaning of a document: types, declarations, references, free names, effects and the order of evaluation.
//!
//! The modules of this folder answer questions about code. They do not write text.

pub(crate) mod awaited_types;
pub(crate) mod control_flow;
pub(crate) mod effects;
pub(crate) mod facts;
pub(crate) mod functions;
pub(crate) mod names;
pub(crate) mod positions;
pub(crate) mod promises;
pub(crate) mod selection;
pub(crate) mod subclasses;

use crate::TypeScriptDocument;
use crate::infer::checker::Checker;
use crate::program::resolution::workspace::Workspace;
use crate::program::{Program, cache};

/// Runs a closure with a type checker for the open document.
pub(crate) fn with_checker<R>(document: &TypeScriptDocument, look: impl FnOnce(&mut Checker<'_>) -> R) -> R {
    let workspace = Workspace::current();
    document.tree.with(|parsed| {
        cache::with_cache(|arena, modules| {
            let load = |path: &str| modules.get(arena, path);
            let file = (document.tree.path(), document.tree.text());
            let program = Program::new(&load, &workspace, file, parsed.program, parsed.semantic());
            look(&mut Checker::new(program))
        })
    })
}
