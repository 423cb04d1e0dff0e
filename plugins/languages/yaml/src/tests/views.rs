//! Views of a value.

use marquetry_sdk::{Form, TargetKind, testing};

use crate::Yaml;

#[test]
fn shows_views() {
    let bench = testing::open::<Yaml>("a.yaml", "a:\n  b: 1\n  c: [x]\n# about d\nd: {e: 1}\nf: &x\n- g\nh: *x\n");
    let show = |target: &str, form: Form| {
        let nodes = bench.nodes(TargetKind::Path, target).expect(target);
        bench.show(&nodes[0], form).expect("a view")
    };
    assert_eq!(show("$.a", Form::Signature), "a: object with 2 members");
    assert_eq!(show("$.a", Form::Summary), "a: {\n  \"b\": number\n  \"c\": [ 1 element, first: string ]\n}");
    assert_eq!(show("$.d", Form::Body), "e: 1");
    assert_eq!(show("$.h", Form::Signature), "h: *x array with 1 element");
    let doc = bench.nodes(TargetKind::Path, "$.d").expect("found")[0].doc;
    assert_eq!(doc.map(|doc| doc.len()), Some("# about d".len()));
}
