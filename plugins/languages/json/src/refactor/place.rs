//! What the refactors of this pack share: where they apply.

use marquetry_sdk::Span;

use crate::{document::JsonDocument, table::Id};

/// The innermost container that holds the span and passes the test.
pub(super) fn container_at(document: &JsonDocument, span: Span, wanted: impl Fn(Id) -> bool) -> Option<Id> {
    let source = document.source();
    let span = span.trimmed(source.text);
    let holds = |id: &Id| source.table.is_value(*id) && source.span(*id).holds(span);
    // Containers stand before what is in them.
    let containers = (0..source.table.next_id()).filter(|id| holds(id) && source.table.is_container(source.text, *id));
    containers.filter(|id| wanted(*id)).last()
}
