//! Tests by topic. They compare the text before and after an operation.

mod anchors;
mod block_scalars;
mod comments;
mod edits;
mod heads;
mod keeping;
mod laws;
mod links;
mod meaning;
mod problems;
mod refactors;
mod symbols;
mod targets;
mod views;
mod wraps;

use marquetry_sdk::{TargetKind, testing};

use crate::Yaml;

#[track_caller]
fn read(text: &str, target: &str) -> Vec<String> {
    testing::open::<Yaml>("a.yaml", text).read(TargetKind::Path, target).expect(target)
}
