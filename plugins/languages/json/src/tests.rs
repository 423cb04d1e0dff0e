//! Tests by topic. They compare the text before and after an operation.

mod comments;
mod edits;
mod keeping;
mod laws;
mod links;
mod meaning;
mod problems;
mod projects;
mod refactors;
mod symbols;
mod targets;
mod views;

use marquetry_sdk::{TargetKind, testing};

use crate::Json;

fn read(path: &str, text: &str, target: &str) -> Vec<String> {
    testing::open::<Json>(path, text).read(TargetKind::Path, target).expect(target)
}

const PACKAGE: &str = r#"{
  "name": "shop",
  "scripts": { "build": "tsc", "test": "vitest" },
  "odd key": [1, [2, { "x": null }]],
  "esc\u0061ped": true
}
"#;
