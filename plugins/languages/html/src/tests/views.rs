//! Tests of views of elements.

use marquetry_sdk::TargetKind::Selector;
use marquetry_sdk::{FailureKind, Form};

use super::{PAGE, open};

#[test]
fn views_show_signature_body_and_summary() {
    let bench = open(PAGE);
    let show = |selector: &str, form: Form| {
        let nodes = bench.nodes(Selector, selector).expect("found");
        bench.show(&nodes[0], form).expect("shown")
    };
    assert_eq!(show("nav", Form::Signature), "<nav id=\"top\">");
    assert_eq!(show("style", Form::Body), "body { margin: 0 }");
    assert_eq!(show("pre", Form::Body), "\n  keep\n    this\n");
    let summary = "\
nav#top
  ul
    li
      a \"Home\"
    li.here
      a \"About\"";
    assert_eq!(show("nav", Form::Summary), summary);
    let list = open("<ul><li>1<li>2<li>3<li>4<li>5</ul>");
    let nodes = list.nodes(Selector, "ul").expect("found");
    let summary = "ul\n  li \"1\"\n  li \"2\"\n  li \"3\"\n  … 2 more li";
    assert_eq!(list.show(&nodes[0], Form::Summary).expect("shown"), summary);
    let br = open("<br>");
    let nodes = br.nodes(Selector, "br").expect("found");
    assert_eq!(br.show(&nodes[0], Form::Body).expect_err("no content").kind, FailureKind::Unsupported);
}
