//! Finds where the missing target of a query can be created.

use marquetry_sdk::{Failure, FailureKind, Result, Target, TargetKind, fail};

use crate::{
    address::{push_index, push_name},
    ast::Step,
    target::{parse_path, unsupported_kind},
    tree::{Kind, Tree},
};

/// A missing value: its deepest existing ancestor, and the steps below it.
#[derive(Debug)]
pub struct MissingTarget<N> {
    /// The existing value in which the first step is created.
    pub container: N,
    /// Address of the container.
    pub address: String,
    /// The missing steps; at least one.
    pub steps: Vec<NewStep>,
}

/// A step to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewStep {
    /// A member with this name.
    Member(String),
    /// An element after all others.
    Element,
}

/// Determines which part of a target is missing. The deepest existing value must be an object, an array to which the
/// next element is appended, or null.
///
/// # Errors
///
/// Fails if the target could select several values, already exists, or passes through a value that is not a
/// container.
pub fn find_missing<T: Tree>(tree: &T, target: &Target) -> Result<MissingTarget<T::Node>> {
    if target.kind != TargetKind::Path {
        return Err(unsupported_kind());
    }
    let path = target.value.as_str();
    let query = parse_path(path)?;
    let Some(steps) = query.steps() else {
        return Err(fail(
            FailureKind::InvalidTarget,
            format!("`{path}` can select several values, so none can be created there"),
        )
        .hint("use only keys and indexes, such as `$.key.other`, without `*`, `..`, slices and filters"));
    };
    let (mut inside, mut address) = (tree.root(), "$".to_owned());
    let mut rest = steps.as_slice();
    while let [step, behind @ ..] = rest
        && let Some(child) = child_node(tree, inside, step)
    {
        push_step(&mut address, step, tree.count(inside));
        (inside, rest) = (child, behind);
    }
    let Some((first, below)) = rest.split_first() else {
        return Err(fail(FailureKind::InvalidArgument, format!("`{address}` already exists"))
            .hint(format!("use `replace` with the target `{address}`"))
            .candidates([address]));
    };
    let mut steps = vec![first_step(tree, inside, &address, first)?];
    for step in below {
        steps.push(match step {
            Step::Name(name) => NewStep::Member((*name).to_owned()),
            Step::Index(0) => NewStep::Element,
            Step::Occurrence(..) => return Err(duplicate_member_error(path)),
            Step::Index(index) => {
                return Err(fail(
                    FailureKind::TargetNotFound,
                    format!("`{path}` would be element {index} of an array that does not exist"),
                )
                .hint("start a new array with `[0]`"));
            }
        });
    }
    Ok(MissingTarget { container: inside, address, steps })
}

fn child_node<T: Tree>(tree: &T, node: T::Node, step: &Step<'_>) -> Option<T::Node> {
    match (step, tree.kind(node)) {
        (Step::Name(name), Kind::Object) => tree.member(node, name),
        (Step::Occurrence(name, number), Kind::Object) => tree.occurrence(node, name, *number),
        (Step::Index(index), Kind::Array) => tree.element(node, element_index(*index, tree.count(node))?),
        _ => None,
    }
}

fn element_index(index: i64, count: usize) -> Option<usize> {
    if index < 0 { count.checked_sub(usize::try_from(index.unsigned_abs()).ok()?) } else { usize::try_from(index).ok() }
}

fn push_step(address: &mut String, step: &Step<'_>, count: usize) {
    match step {
        Step::Name(name) => push_name(address, name),
        Step::Occurrence(name, number) => crate::push_occurrence(address, name, *number),
        Step::Index(index) => push_index(address, element_index(*index, count).unwrap_or_default()),
    }
}

/// The first missing step, within the existing value.
fn first_step<T: Tree>(tree: &T, inside: T::Node, address: &str, step: &Step<'_>) -> Result<NewStep> {
    let kind = tree.kind(inside);
    let count = tree.count(inside);
    match (step, kind) {
        (Step::Occurrence(..), _) => Err(duplicate_member_error(address)),
        (Step::Name(name), Kind::Object | Kind::Null) => Ok(NewStep::Member((*name).to_owned())),
        (Step::Index(index), Kind::Array) if usize::try_from(*index) == Ok(count) => Ok(NewStep::Element),
        (Step::Index(0), Kind::Null) => Ok(NewStep::Element),
        (Step::Index(index), Kind::Array) => Err(fail(
            FailureKind::TargetNotFound,
            format!("`{address}` has {count} elements; element {index} cannot be created"),
        )
        .hint(format!("use `{address}[{count}]` to append an element"))
        .candidates([format!("{address}[{count}]")])),
        _ => Err(Failure::unsupported(format!("`{address}` is of type {}; the next step does not fit", kind.name()))
            .hint(match kind {
                Kind::Object => "write a key, such as `.name` or `['odd name']`",
                Kind::Array => "write an index, such as `[0]`",
                _ => "use `replace` to make it an object or an array first",
            })
            .candidates([address.to_owned()])),
    }
}

fn duplicate_member_error(path: &str) -> Failure {
    fail(FailureKind::InvalidTarget, format!("`{path}`: cannot create one of several members with the same name"))
        .hint("write the name without `#` and a number")
}
