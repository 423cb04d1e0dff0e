//! Verdicts of public test suites, if the suites are available.

use marquetry_json::Json;
use marquetry_sdk::{Severity, testing};
use serde_json::Value;

fn cases(suite: &str) -> Vec<Value> {
    testing::suite(suite).iter().map(|case| serde_json::from_str(case).expect("a case")).collect()
}

/// Returns path and text of a case's file, if it is text.
fn file(case: &Value) -> Option<(&str, String)> {
    let (path, content) = case["files"].as_object()?.iter().next()?;
    if let (Some(part), Some(times)) = (content["repeat"].as_str(), content["times"].as_u64()) {
        return Some((path, part.repeat(times as usize) + content["tail"].as_str().unwrap_or_default()));
    }
    Some((path, content.as_str()?.to_owned()))
}

#[test]
fn accepts_and_rejects_suite_cases() {
    let mut wrong = Vec::new();
    for case in [cases("jsontestsuite"), cases("jsonc-parser")].concat() {
        let Some((path, text)) = file(&case) else { continue };
        testing::check_laws::<Json>(path, &text);
        let problems = marquetry_sdk::Document::diagnostics(testing::open::<Json>(path, &text).document());
        let errors = problems.iter().filter(|problem| problem.severity == Severity::Error).count();
        match case["expect"]["parse"].as_str() {
            Some("accept") if errors > 0 => wrong.push(format!("{} {:?}", case["id"], problems[0])),
            Some("reject") if errors == 0 => wrong.push(format!("{} {text:?}", case["id"])),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
