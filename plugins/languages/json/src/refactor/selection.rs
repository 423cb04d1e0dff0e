//! Finds where the refactors of this pack apply.

use marquetry_sdk::Span;

use crate::{document::JsonDocument, table::Id};

/// Returns the innermost container that contains the span and passes the test.
pub(super) fn container_at(document: &JsonDocument, span: Span, wanted: impl Fn(Id) -> bool) -> Option<Id> {
    let source = document.source();
    let span = span.trimmed(source.text);
    let holds = |id: &Id| source.table.is_value(*id) && source.span(*id).contains(span);
    // Containers precede their contents, so the last match is the innermost container.
    let containers = (0..source.table.next_id()).filter(|id| holds(id) && source.table.is_container(source.text, *id));
    containers.filter(|id| wanted(*id)).last()
}
