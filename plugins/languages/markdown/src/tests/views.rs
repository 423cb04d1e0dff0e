//! Views of a section or block.

use marquetry_sdk::{Form, TargetKind, testing::open};

use super::GUIDE;
use crate::Markdown;

#[test]
fn shows_views() {
    let guide = open::<Markdown>("a.md", GUIDE);
    let view = |target: &str, form: Form| {
        let node = guide.nodes(TargetKind::Heading, target).expect("found").remove(0);
        guide.show(&node, form).expect("shown")
    };
    assert_eq!(view("## Install", Form::Signature), "## Install");
    assert_eq!(view("## Install", Form::Body), "Use `npm`.\n\n```sh\nnpm i\n```\n\n### Linux");
    assert_eq!(view("Linux", Form::Body), "");
    assert_eq!(view("code[sh]", Form::Body), "npm i");
    assert_eq!(view("front-matter", Form::Body), "title: Guide");
    let summary = "# Guide: What it is.\n## Install: Use npm.\n### Linux\n## Using foo\n### Install\n";
    assert_eq!(view("Guide[1]", Form::Summary), summary);
}
