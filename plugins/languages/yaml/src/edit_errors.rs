//! Errors of edits that a document with several parts or aliases refuses.

use marquetry_jsonpath::locations;
use marquetry_sdk::{Failure, FailureKind, fail};

use crate::{
    source::{NodeRef, Source},
    table::Id,
};

/// Error for a node that was reached through an alias. An edit of its definition would change other values, too.
pub(crate) fn alias_error(source: Source<'_>, node: NodeRef) -> Failure {
    let found = locations(&source, source.root_id(), &[node.id, node.via_alias]);
    let address =
        |id: Id| found.iter().find(|place| place.id == id).map_or_else(String::new, |place| place.address.clone());
    let (there, alias) = (address(node.id), source.raw(node.via_alias));
    fail(
        FailureKind::InvalidArgument,
        format!("this value is reached through the alias `{alias}` and is defined at `{there}`"),
    )
    .hint(format!(
        "edit `{there}` to change it for every alias, or replace the alias at `{}` to change it only here",
        address(node.via_alias)
    ))
    .candidates([there])
    .at(source.span(node.id))
}

/// Error for a text of several lines that would lose its line breaks in place of a text that has some.
pub(crate) fn folded_lines_error(address: &str) -> Failure {
    let message =
        format!("the line breaks of the content would become spaces, but `{address}` is a text with line breaks");
    fail(FailureKind::InvalidArgument, message)
        .hint("begin the content with `|` on its own line, to keep the line breaks, or use `force: true`")
}

/// Error for a line that was meant as a text, but is a mapping or ends with a comment.
pub(crate) fn unquoted_text_error(address: &str, content: &str) -> Failure {
    let quoted = format!("'{}'", content.replace('\'', "''"));
    let message =
        format!("`{address}` is a text, but without quotes this content is a mapping, or ends with a comment");
    fail(FailureKind::InvalidArgument, message)
        .hint(format!("for the text, give the content with quotes: {quoted}; otherwise use `force: true`"))
        .candidates([quoted])
}

/// Error for an edit of a stream of documents as a whole.
pub(crate) fn several_documents_error() -> Failure {
    Failure::unsupported("the file contains several documents").hint("address one of them: `$[0]`, `$[1]` …")
}
