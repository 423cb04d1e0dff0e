//! Views of a value.

use marquetry_sdk::{Form, TargetKind, testing};

use super::MANIFEST;
use crate::Toml;

#[test]
fn shows_views() {
    let bench = testing::open::<Toml>("a.toml", MANIFEST);
    let show = |target: &str, form: Form| {
        let nodes = bench.nodes(TargetKind::Path, target).expect(target);
        bench.show(&nodes[0], form).expect("a view")
    };
    assert_eq!(show("$.package", Form::Signature), "[package] object with 2 members");
    assert_eq!(show("$.package", Form::Body), "name = \"shop\"\nversion = \"1.0.0\" # the first");
    assert_eq!(show("$.dependencies.serde", Form::Body), " version = \"1\", features = [\"derive\"] ");
    assert_eq!(show("$.dependencies.serde", Form::Signature), "serde = object with 2 members");
    assert_eq!(show("$.bin[0]", Form::Signature), "[[bin]] object with 1 member");
    assert_eq!(show("$.package.name", Form::Signature), "name = \"shop\"");
    assert_eq!(show("$.bin[1]", Form::Body), "name = \"two\"\n\n[bin.extra]\nx = 1");
}
