//! Answers a pack's queries, with helpful failures.

use marquetry_sdk::{Failure, FailureKind, Query as Asked, Result, TargetKind, fail};

use crate::{ast::Query, near::near, tree::Tree};

/// The nodes that a target selects. If nothing matches, `addresses` is called to write the addresses of the nodes to
/// suggest.
///
/// # Errors
///
/// Fails with `InvalidTarget` if the target is not a JSONPath, with `TargetNotFound` and the nearest addresses, with
/// `LimitExceeded` if the query visits too many nodes, and with `Unsupported` for another kind of target.
pub fn find<T: Tree>(
    tree: &T,
    asked: &Asked,
    addresses: impl FnOnce(&[T::Node]) -> Vec<String>,
) -> Result<Vec<T::Node>> {
    if asked.target.kind != TargetKind::Path {
        return Err(wrong_kind());
    }
    let path = asked.target.value.as_str();
    let query = parse(path)?;
    let found = query.select(tree).map_err(|_| {
        fail(FailureKind::LimitExceeded, format!("`{path}` looks at more values than one query may"))
            .hint("ask for a narrower path, with fewer `..` and `*`")
    })?;
    if !found.is_empty() {
        return Ok(found);
    }
    let known = addresses(&near(tree, &query));
    Err(Failure::not_found("value at", path, known.iter().map(String::as_str)))
}

/// The failure for a target kind other than `path`.
pub fn wrong_kind() -> Failure {
    fail(FailureKind::Unsupported, "this file is addressed by `path`, a JSONPath")
        .hint("write `$.key.other[0]`, or give `lines`")
}

pub(crate) fn parse(path: &str) -> Result<Query> {
    Query::parse(path).map_err(|invalid| {
        let failure = fail(FailureKind::InvalidTarget, format!("`{path}` is not a JSONPath: {invalid}"));
        let guesses = [format!("${path}"), format!("$.{path}"), path.trim().to_owned()];
        failure
            .hint("write `$.key.other[0]`, `$['odd key']`, `$.list[?@.name == 'x']` or `$..key` (RFC 9535)")
            .candidates(guesses.into_iter().find(|guess| Query::parse(guess).is_ok()))
    })
}
