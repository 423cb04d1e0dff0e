//! Error for an XPath that finds nothing. It reports which part of the path matches, and suggests similar paths.

use marquetry_sdk::{Failure, FailureKind, fail, failure::MAX_CANDIDATES, nearest};
use rustc_hash::FxHashSet;

use crate::{
    address::DEFAULT_PREFIX,
    document::XmlDocument,
    tree::{Id, Kind},
    xpath::{Expression, Outcome},
};

/// Maximum number of distinct paths compared with the requested one.
const MAX_PATHS: usize = 2000;

/// Error for an expression that found no node.
pub(crate) fn not_found_error(document: &XmlDocument, source: &str, expression: &Expression) -> Failure {
    let failure = fail(FailureKind::TargetNotFound, format!("no node `{source}`"));
    if let Some(prefixed) = with_default_prefix(document, source, expression) {
        let namespace = document.prefixes.default.map_or("", |default| document.tree.names.uri(default));
        return failure
            .hint(format!(
                "an unprefixed name matches only names without a namespace; for the default namespace `{namespace}`, use the prefix `{DEFAULT_PREFIX}:`"
            ))
            .candidates([prefixed]);
    }
    let candidates = nearest(source, distinct_paths(document).iter().map(String::as_str));
    let hint = if candidates.is_empty() {
        "read the file without a target to see its outline; names are case-sensitive".to_owned()
    } else {
        "use one of the candidates, or read the file without a target to see its outline; names are case-sensitive"
            .to_owned()
    };
    failure.hint(hint).candidates(candidates)
}

/// Adds the prefix of the default namespace to the names in the expression. Returns the result if it finds a node.
fn with_default_prefix(document: &XmlDocument, source: &str, expression: &Expression) -> Option<String> {
    document.prefixes.default?;
    let mut prefixed = source.to_owned();
    let mut places = expression.unprefixed().to_vec();
    places.sort_unstable();
    for at in places.into_iter().rev() {
        prefixed.insert_str(at, &format!("{DEFAULT_PREFIX}:"));
    }
    match document.evaluate(&prefixed) {
        Ok((Outcome::Nodes(nodes), _)) if !nodes.is_empty() => Some(prefixed),
        _ => None,
    }
}

/// Distinct paths of elements and attributes, without positions, such as `/a/b/@c`.
fn distinct_paths(document: &XmlDocument) -> Vec<String> {
    let tree = &document.tree;
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    let mut above: Vec<(Id, String)> = Vec::new();
    for id in 1..tree.len() {
        if found.len() >= MAX_PATHS {
            break;
        }
        if !matches!(tree.kind(id), Kind::Element | Kind::Attribute) {
            continue;
        }
        while above.last().is_some_and(|(element, _)| tree.after(*element) <= id) {
            above.pop();
        }
        let parent = above.last().map_or("", |(_, path)| path);
        if parent.len() > 500 {
            continue;
        }
        let Some(label) = document.labels().step(tree, id) else { continue };
        let is_element = tree.kind(id) == Kind::Element;
        let path = format!("{parent}/{}{label}", if is_element { "" } else { "@" });
        if seen.insert(path.clone()) {
            found.push(path.clone());
        }
        if is_element {
            above.push((id, path));
        }
    }
    found.truncate(MAX_PATHS.max(MAX_CANDIDATES));
    found
}
