//! Answers a pack's queries, with helpful failures.

use marquetry_sdk::{Failure, FailureKind, Query as Asked, Result, TargetKind, fail};

use crate::{ast::Query, suggestions::similar_nodes, tree::Tree};

/// The nodes that a target selects. If nothing matches, `addresses` is called to write the addresses of the nodes to
/// suggest.
///
/// # Errors
///
/// Fails with `InvalidTarget` if the target is not a JSONPath, with `TargetNotFound` and the nearest addresses, with
/// `LimitExceeded` if the query visits too many nodes, and with `Unsupported` for another kind of target.
pub fn find_nodes<T: Tree>(
    tree: &T,
    asked: &Asked,
    addresses: impl FnOnce(&[T::Node]) -> Vec<String>,
) -> Result<Vec<T::Node>> {
    if asked.target.kind != TargetKind::Path {
        return Err(unsupported_kind());
    }
    let path = asked.target.value.as_str();
    let query = parse_path(path)?;
    let found = query.select(tree).map_err(|_| {
        fail(FailureKind::LimitExceeded, format!("`{path}` visits too many values"))
            .hint("use a narrower path, with fewer `..` and `*`")
    })?;
    if !found.is_empty() {
        return Ok(found);
    }
    let known = addresses(&similar_nodes(tree, &query));
    Err(Failure::not_found("value at", path, known.iter().map(String::as_str)))
}

/// The failure for a target kind other than `path`.
pub fn unsupported_kind() -> Failure {
    fail(FailureKind::Unsupported, "this file is addressed by `path`, a JSONPath")
        .hint("write `$.key.other[0]`, or give `lines`")
}

pub(crate) fn parse_path(path: &str) -> Result<Query> {
    Query::parse(path).map_err(|invalid| {
        let failure = fail(FailureKind::InvalidTarget, format!("`{path}` is not a JSONPath: {invalid}"));
        let rooted = if path.starts_with('$') { path.to_owned() } else { format!("$.{path}") };
        let others = [format!("${path}"), format!("$.{path}"), path.trim().to_owned(), with_quoted_names(&rooted)];
        let guesses = from_pointer(path).into_iter().chain(others);
        failure
            .hint("write `$.key.other[0]`, `$['odd key']`, `$.list[?@.name == 'x']` or `$..key` (RFC 9535)")
            .candidates(guesses.into_iter().find(|guess| Query::parse(guess).is_ok()))
    })
}

/// Converts a JSON Pointer: `/paths/~1cart/0` becomes `$.paths['/cart'][0]`.
fn from_pointer(path: &str) -> Option<String> {
    let names = path.trim_start_matches('#').strip_prefix('/')?.split('/');
    let step = |name: &str| {
        let name = name.replace("~1", "/").replace("~0", "~");
        let is_index = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        match Query::parse(&format!("$.{name}")) {
            _ if is_index => format!("[{name}]"),
            Ok(_) if !name.contains(['.', '[']) => format!(".{name}"),
            _ => format!("['{}']", name.replace('\\', "\\\\").replace('\'', "\\'")),
        }
    };
    Some(names.map(step).fold("$".to_owned(), |path, step| path + &step))
}

/// Writes names that need brackets in brackets: `$.jobs.test.runs-on` becomes `$.jobs.test['runs-on']`.
fn with_quoted_names(path: &str) -> String {
    let mut out = String::new();
    let mut rest = path;
    while let Some(at) = rest.find('.') {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let name = &after[1..];
        let end = name.find(['.', '[']).unwrap_or(name.len());
        let (name, after) = name.split_at(end);
        let is_plain = name.is_empty() || name == "*" || Query::parse(&format!("$.{name}")).is_ok();
        match (is_plain, name.contains(['\'', '\\'])) {
            // After `..`, both dots are kept before the brackets.
            (false, false) if out.ends_with('.') => out.push_str(&format!(".['{name}']")),
            (false, false) => out.push_str(&format!("['{name}']")),
            _ => out.push_str(&format!(".{name}")),
        }
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(path: &str) -> Vec<String> {
        parse_path(path).expect_err("not a JSONPath").candidates
    }

    #[test]
    fn candidate_quotes_names_that_need_brackets() {
        for (path, wanted) in [
            ("$.jobs.test.runs-on", "$.jobs.test['runs-on']"),
            ("$.jobs.test-all.steps[0].with.node-version", "$.jobs['test-all'].steps[0].with['node-version']"),
            ("jobs.test.runs-on", "$.jobs.test['runs-on']"),
            ("$.scripts.build:prod", "$.scripts['build:prod']"),
            ("$.devDependencies.@types/node", "$.devDependencies['@types/node']"),
            ("$..runs-on", "$..['runs-on']"),
        ] {
            assert_eq!(candidate(path), [wanted], "{path}");
        }
    }

    #[test]
    fn candidate_of_a_json_pointer_is_the_same_path() {
        for (path, wanted) in [
            ("/scripts/build", "$.scripts.build"),
            ("#/components/schemas/User", "$.components.schemas.User"),
            ("/paths/~1cart~1{id}/get/0", "$.paths['/cart/{id}'].get[0]"),
            ("/a.b/it's", "$['a.b']['it\\'s']"),
        ] {
            assert_eq!(candidate(path), [wanted], "{path}");
        }
    }

    #[test]
    fn candidates_are_valid_paths() {
        for path in ["$.a[", "$.it's.b-c[", "$.a b'"] {
            assert!(candidate(path).iter().all(|path| Query::parse(path).is_ok()), "{path}");
        }
    }
}
