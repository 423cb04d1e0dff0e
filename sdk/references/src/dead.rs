//! References within a document that lead to nothing: `{"$ref": "#/definitions/gone"}`.

use marquetry_jsonpath::{Kind, Tree};
use marquetry_sdk::{Area, Finding, Problem, Severity, Span, urls};

/// Values that are looked at.
const MOST_VALUES: usize = 500_000;
/// Problems that are told.
const MOST_DEAD: usize = 200;

/// The references of a document to its own places that are not there. Where a part of it has an address of its own
/// (`$id`), what they start from is not decided here.
pub fn dead_references<T: Tree>(tree: &T, span: impl Fn(T::Node) -> Span) -> Vec<Finding> {
    let (mut references, mut seen, mut has_parts) = (Vec::new(), 0, false);
    let root = tree.root();
    tree.descend(root, &mut |node| {
        seen += 1;
        if tree.kind(node) == Kind::Object {
            let text = |name| tree.member(node, name).filter(|found| tree.kind(*found) == Kind::String);
            has_parts |=
                node != root && (text("$id").is_some() || text("id").is_some_and(|id| tree.text(id).contains(':')));
            references.extend(text("$ref").filter(|found| tree.text(*found).starts_with("#/")));
        }
        seen < MOST_VALUES
    });
    if has_parts || seen >= MOST_VALUES {
        return Vec::new();
    }
    let dead = references.into_iter().filter(|node| !leads(tree, &tree.text(*node)[2..]));
    let finding = |node| {
        let problem = Problem {
            severity: Severity::Error,
            span: span(node),
            message: format!("`{}` leads to nothing in this file", tree.text(node)),
            code: Some("dead-reference".to_owned()),
        };
        Finding::certain(Area::Links, problem)
    };
    dead.take(MOST_DEAD).map(finding).collect()
}

/// Whether a pointer, without its first `/`, names a value.
fn leads<T: Tree>(tree: &T, pointer: &str) -> bool {
    let step = |node: T::Node, part: &str| {
        let part = urls::decoded(part).replace("~1", "/").replace("~0", "~");
        match tree.kind(node) {
            Kind::Object => tree.member(node, &part),
            Kind::Array => tree.element(node, part.parse().ok()?),
            _ => None,
        }
    };
    pointer.split('/').try_fold(tree.root(), step).is_some()
}
