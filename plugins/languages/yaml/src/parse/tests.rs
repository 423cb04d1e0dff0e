//! Compares the parser with the events of the YAML test suite, if the suite is available.

use super::parse;
use crate::{
    scalar,
    table::{Id, Kind, Table},
};
use marquetry_sdk::{Severity, testing};
use serde_json::Value;

fn cases() -> Vec<Value> {
    testing::suite("yaml-test-suite").iter().map(|case| serde_json::from_str(case).expect("a case")).collect()
}

#[test]
fn accepts_and_rejects_suite_cases() {
    let mut wrong = Vec::new();
    for case in cases() {
        let text = case["files"]["doc.yaml"].as_str().expect("text");
        let (_, problems) = parse(text);
        let error = problems.iter().find(|problem| problem.severity == Severity::Error);
        let accepts = case["expect"]["parse"] == "accept";
        if accepts != error.is_none() {
            wrong.push(format!("{} {text:?} {error:?}", case["id"]));
        }
    }
    assert!(wrong.is_empty(), "{} cases: {wrong:#?}", wrong.len());
}

/// Returns the nodes in the suite's event notation, without document starts and tags.
fn events(text: &str, table: &Table) -> Vec<String> {
    let mut out = Vec::new();
    // Events that must still be written. The last one is the next.
    let mut waiting = vec![Err("-STR"), Ok(0)];
    while let Some(next) = waiting.pop() {
        let id: Id = match next {
            Ok(id) => id,
            Err(end) => {
                out.push(end.to_owned());
                continue;
            }
        };
        let anchor = table.properties(id).anchor;
        let anchor = &text[anchor.0 as usize..anchor.1 as usize];
        let anchor = if anchor.is_empty() { String::new() } else { format!(" {anchor}") };
        let (start, end) = match table.kind(id) {
            Kind::Stream => ("+STR".to_owned(), ""),
            Kind::BlockSequence => (format!("+SEQ{anchor}"), "-SEQ"),
            Kind::FlowSequence => (format!("+SEQ []{anchor}"), "-SEQ"),
            Kind::BlockMapping => (format!("+MAP{anchor}"), "-MAP"),
            Kind::FlowMapping | Kind::Pair => (format!("+MAP {{}}{anchor}"), "-MAP"),
            Kind::Alias => (format!("=ALI {}", &text[table.range(id)]), ""),
            kind => {
                let style = match kind {
                    Kind::SingleQuoted => '\'',
                    Kind::DoubleQuoted => '"',
                    Kind::Literal => '|',
                    Kind::Folded => '>',
                    _ => ':',
                };
                let value = scalar::decode_text(text, table, id);
                let value = value
                    .replace('\\', "\\\\")
                    .replace('\n', "\\n")
                    .replace('\t', "\\t")
                    .replace('\r', "\\r")
                    .replace('\u{8}', "\\b");
                (format!("=VAL{anchor} {style}{value}"), "")
            }
        };
        out.push(start);
        waiting.extend((!end.is_empty()).then_some(Err(end)));
        let from = waiting.len();
        waiting.extend(table.children(id).map(Ok));
        waiting[from..].reverse();
    }
    out
}

#[test]
fn parses_suite_cases_to_expected_events() {
    let mut wrong = Vec::new();
    for case in cases().into_iter().filter(|case| case["expect"]["parse"] == "accept") {
        let text = case["files"]["doc.yaml"].as_str().expect("text");
        let (table, _) = parse(text);
        let strip_tag = |event: &str| match (event.find(" <"), event.find('>')) {
            (Some(from), Some(to)) if from < to && !event[..from].contains(':') => {
                format!("{}{}", &event[..from], &event[to + 1..])
            }
            _ => event.to_owned(),
        };
        let expected = case["expect"]["events"]
            .as_array()
            .expect("events")
            .iter()
            .map(|event| strip_tag(event.as_str().expect("event")));
        let expected: Vec<String> =
            expected.filter(|event| !event.starts_with("+DOC") && !event.starts_with("-DOC")).collect();
        let mut found = events(text, &table);
        if expected.len() == 2 {
            found.retain(|event| event.ends_with("STR"));
        }
        // The events in the suite have no trailing white space.
        found.iter_mut().for_each(|event| event.truncate(event.trim_end().len()));
        if found != expected {
            let at = found.iter().zip(&expected).position(|(a, b)| a != b).unwrap_or(found.len().min(expected.len()));
            wrong.push(format!("{} {text:?} {:?} instead of {:?}", case["id"], found.get(at), expected.get(at)));
        }
    }
    assert!(wrong.is_empty(), "{} cases: {wrong:#?}", wrong.len());
}
