//! Tests by topic. They compare the text before and after an operation.

mod comments;
mod edits;
mod keeping;
mod laws;
mod links;
mod making;
mod manifests;
mod meaning;
mod outline;
mod problems;
mod refactors;
mod targets;
mod views;

use marquetry_sdk::{TargetKind, testing};

use crate::Toml;

fn read(text: &str, target: &str) -> Vec<String> {
    testing::open::<Toml>("a.toml", text).read(TargetKind::Path, target).expect(target)
}

const MANIFEST: &str = r#"# A shop.

[package]
name = "shop"
version = "1.0.0" # the first

# What it needs.
[dependencies]
serde = { version = "1", features = ["derive"] }
tokio.version = "1.2"
tokio.features = ["rt"]

[dependencies.rand]
version = "0.9"

[[bin]]
name = "one"

[[bin]]
name = "two"

[bin.extra]
x = 1

[profile.release]
lto = "thin"
"#;
