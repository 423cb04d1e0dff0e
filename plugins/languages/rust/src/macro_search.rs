//! Structural search that also finds matches in the arguments of macros.
//!
//! The arguments of a macro may be any tokens, so only those of a few macros are parsed as code. For a search, those of
//! other macros are parsed as code, too, if they are a list of expressions. The search runs on both trees, because a
//! metavariable among other arguments is one token.

use std::{cmp::Reverse, collections::HashSet};

use marquetry_code::{CodeDocument, search};
use marquetry_sdk::{Result, StructureMatches};

use crate::{
    kinds::{K, has_kind},
    table::WITH_MACRO_ARGUMENTS,
};

/// The matches of a pattern in a document.
///
/// # Errors
///
/// Fails if the pattern is invalid, or if the search takes too many steps.
pub(crate) fn matches(document: &CodeDocument, pattern: &str, limit: u32) -> Result<StructureMatches> {
    let arena = document.arena();
    let has_arguments = arena.nodes().any(|(index, _)| {
        has_kind(arena, index, K::TOKEN_TREE) && has_kind(arena, arena.node(index).parent, K::MACRO_CALL)
    });
    if !has_arguments {
        return search::matches(document, pattern, limit);
    }
    // Without a limit, because both trees have most matches in common.
    let mut found = search::matches(document, pattern, u32::MAX)?.matches;
    let expanded = CodeDocument::open(&WITH_MACRO_ARGUMENTS, document.path(), arena.text.clone());
    let known: HashSet<(u32, u32)> = found.iter().map(|one| (one.span.start, one.span.end)).collect();
    let inside = search::matches(&expanded, pattern, u32::MAX)?.matches;
    found.extend(inside.into_iter().filter(|one| !known.contains(&(one.span.start, one.span.end))));
    found.sort_by_key(|one| (one.span.start, Reverse(one.span.end)));
    let total = found.len() as u32;
    found.truncate(limit as usize);
    Ok(StructureMatches { matches: found, total })
}
