//! Views of a value.

use marquetry_sdk::{Form, TargetKind, testing};

use super::PACKAGE;
use crate::Json;

#[test]
fn shows_views() {
    let bench = testing::open::<Json>("a.json", PACKAGE);
    let show = |target: &str, form: Form| {
        let nodes = bench.nodes(TargetKind::Path, target).expect(target);
        bench.show(&nodes[0], form).expect("a view")
    };
    assert_eq!(show("$.scripts", Form::Signature), "\"scripts\": object with 2 members");
    assert_eq!(show("$.scripts", Form::Body), " \"build\": \"tsc\", \"test\": \"vitest\" ");
    assert_eq!(show("$['odd key'][0]", Form::Signature), "1");
    assert_eq!(show("$['odd key'][1]", Form::Summary), "[ 2 elements, first: number ]");
    assert_eq!(show("$.scripts", Form::Summary), "\"scripts\": {\n  \"build\": string\n  \"test\": string\n}");
}

#[test]
fn comment_is_attached_to_value() {
    let text = "{\n  // header\n\n  // about a\n  \"a\": 1, // behind\n  \"b\": 2\n}";
    let bench = testing::open::<Json>("a.jsonc", text);
    let doc = |target: &str| {
        bench.nodes(TargetKind::Path, target).expect(target)[0].doc.map(|doc| doc.slice(text).to_owned())
    };
    assert_eq!(doc("$.a").as_deref(), Some("// about a"));
    assert_eq!(doc("$.b"), None);
}
