//! Finds where the refactors of this pack apply.

use marquetry_sdk::Span;

use crate::{document::YamlDocument, table::Id};

/// Returns the innermost collection that contains the span and passes the test.
pub(super) fn collection_at(document: &YamlDocument, span: Span, wanted: impl Fn(Id) -> bool) -> Option<Id> {
    let source = document.source();
    let span = span.trimmed(source.text);
    // Collections precede their contents, so the last match is the innermost collection.
    let collections = (1..source.table.len()).filter(|id| source.kind_of(*id).is_collection());
    collections.filter(|id| Span::new(source.start(*id), source.end(*id)).contains(span) && wanted(*id)).last()
}
