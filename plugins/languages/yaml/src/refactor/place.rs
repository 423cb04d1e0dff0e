//! What the refactors of this pack share: where they apply.

use marquetry_sdk::Span;

use crate::{document::YamlDocument, table::Id};

/// The innermost collection that holds the span and passes the test.
pub(super) fn collection_at(document: &YamlDocument, span: Span, wanted: impl Fn(Id) -> bool) -> Option<Id> {
    let source = document.source();
    let span = span.trimmed(source.text);
    // Collections stand before what is in them.
    let collections = (1..source.table.len()).filter(|id| source.kind_of(*id).is_collection());
    collections.filter(|id| Span::new(source.start(*id), source.end(*id)).holds(span) && wanted(*id)).last()
}
