//! Answering a pack's queries: values, or a failure that says what would have been right.

use marquetry_sdk::{Failure, FailureKind, Query as Asked, Result, TargetKind, fail};

use crate::{ast::Query, near::near, tree::Tree};

/// The nodes that a target names. `addresses` writes those of nodes to be offered where it names none.
///
/// # Errors
///
/// `InvalidTarget` for what is no JSONPath, `TargetNotFound` with the nearest addresses, `LimitExceeded` for a query that
/// visits too much, `Unsupported` for another kind of target.
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

/// The target is of a kind that trees of values do not have.
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
