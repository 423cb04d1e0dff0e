//! Runs the cases of public test suites, if `MARQ_SUITES` names their folder. They check whether a text is valid, the
//! positions of rules, and the validity of selectors.

use std::collections::BTreeMap;

use marquetry_css::Css;
use marquetry_sdk::{Document, FailureKind, Severity, TargetKind, testing};
use serde_json::Value;

/// For each kind of case: the number of passed cases, and messages about the failed cases.
#[derive(Default)]
struct Table(BTreeMap<String, (u32, Vec<String>)>);

impl Table {
    fn count(&mut self, kind: &str, id: &str, result: Result<(), String>) {
        let entry = self.0.entry(kind.to_owned()).or_default();
        match result {
            Ok(()) => entry.0 += 1,
            Err(why) => entry.1.push(format!("{id}: {why}")),
        }
    }

    fn percent(&self, kind: &str) -> f64 {
        let (passed, failed) = &self.0[kind];
        f64::from(*passed) * 100.0 / (f64::from(*passed) + failed.len() as f64)
    }
}

fn cases(suite: &str) -> Vec<Value> {
    testing::suite(suite).iter().map(|case| serde_json::from_str(case).expect("a case")).collect()
}

fn file(case: &Value) -> Option<(&str, &str)> {
    let name = case["args"]["file"].as_str()?;
    Some((name, case["files"][name].as_str()?))
}

fn errors(name: &str, text: &str) -> Vec<String> {
    let bench = testing::open::<Css>(name, text);
    let shown = bench.diagnostics();
    let problems = bench.document().diagnostics();
    problems.iter().zip(shown).filter(|(p, _)| p.severity == Severity::Error).map(|(_, shown)| shown).collect()
}

fn verdict(case: &Value, name: &str, text: &str) -> Result<(), String> {
    let found = errors(name, text);
    match case["expect"]["parse"].as_str() {
        Some("accept") if !found.is_empty() => Err(format!("valid, but {}", found[0])),
        Some("reject") if found.is_empty() => Err(format!("invalid, but no error: {}", case["expect"]["message"])),
        _ => {
            testing::open::<Css>(name, text).document().outline();
            Ok(())
        }
    }
}

fn wrapped(case: &Value, text: &str) -> String {
    match case["args"]["context"].as_str() {
        Some("mediaQuery") => format!("@media {text} {{}}"),
        Some("selector" | "selectorList") if !text.ends_with("{}") => format!("{text} {{}}"),
        _ => text.to_owned(),
    }
}

/// Converts an offset in bytes to UTF-16 code units, in which the suites count.
fn utf16(text: &str, offset: usize) -> u64 {
    text[..offset].encode_utf16().count() as u64
}

fn rules(case: &Value, name: &str, text: &str) -> Result<(), String> {
    let bench = testing::open::<Css>(name, text);
    for rule in case["expect"]["rules"].as_array().expect("rules") {
        let selector = rule["selector"].as_str().expect("a selector");
        let found = bench.nodes(TargetKind::Selector, selector).map_err(|failure| failure.message)?;
        let end = rule["end"][2].as_u64();
        let there = found.iter().any(|node| {
            let last = utf16(text, node.span.range().end);
            utf16(text, node.span.range().start) == rule["start"][2].as_u64().expect("a start")
                && end.is_none_or(|end| last == end || last + 1 == end)
        });
        if !there {
            return Err(format!("{selector} is not at its place"));
        }
    }
    Ok(())
}

fn selector(case: &Value, name: &str, text: &str, selector: &str) -> Result<(), String> {
    let bench = testing::open::<Css>(name, text);
    let found = bench.read(TargetKind::Selector, selector);
    if case["kind"] == "selector:invalid" {
        return match found {
            Err(failure) if matches!(failure.kind, FailureKind::InvalidTarget | FailureKind::TargetNotFound) => Ok(()),
            other => Err(format!("{other:?}")),
        };
    }
    match found {
        Ok(found) if found == [text.trim()] => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

fn run() -> Table {
    let mut table = Table::default();
    for suite in ["sass-spec", "less", "csstree", "postcss-parser-tests", "css-parsing-tests", "wpt-selectors"] {
        for case in cases(suite) {
            let (kind, id) = (case["kind"].as_str().expect("a kind"), case["id"].as_str().expect("an id"));
            let Some((name, text)) = file(&case) else { continue };
            match kind {
                _ if suite == "wpt-selectors" && case["format"] != "css" => {}
                "css-rules" => {
                    table.count(kind, id, rules(&case, name, text));
                    table.count("css-rules:accept", id, verdict(&case, name, text));
                }
                "selector:valid" => {
                    let asked = case["args"]["selector"].as_str().expect("a selector");
                    table.count(kind, id, selector(&case, name, text, asked));
                    if let Some(serialized) = case["expect"]["serialized"].as_str() {
                        table.count("selector:serialized", id, selector(&case, name, text, serialized));
                    }
                }
                "selector:invalid" => {
                    let asked = case["args"]["selector"].as_str().expect("a selector");
                    table.count(kind, id, selector(&case, name, text, asked));
                }
                _ => table.count(kind, id, verdict(&case, name, &wrapped(&case, text))),
            }
        }
    }
    table
}

/// For each kind of case, the minimum percentage that must pass.
const MINIMA: &[(&str, f64)] = &[
    ("css-rules", 100.0),
    ("css-rules:accept", 100.0),
    ("css-stylesheet:accept", 100.0),
    ("css-stylesheet:reject", 100.0),
    ("css-atrule:accept", 98.0),
    ("css-selector:accept", 100.0),
    ("css-selector:reject", 100.0),
    ("scss:accept", 99.9),
    ("scss:reject", 97.0),
    ("less:accept", 100.0),
    ("less:reject", 90.0),
    ("selector:valid", 100.0),
    ("selector:serialized", 100.0),
    ("selector:invalid", 100.0),
];

#[test]
fn public_test_suites_pass() {
    let table = run();
    for (kind, (passed, failed)) in &table.0 {
        println!("{kind}: {passed} of {}", *passed as usize + failed.len());
        for failure in failed {
            println!("    {failure}");
        }
    }
    for (kind, least) in MINIMA.iter().filter(|(kind, _)| table.0.contains_key(*kind)) {
        assert!(table.percent(kind) >= *least, "{kind}: {:.1} % instead of {least} %", table.percent(kind));
    }
}
