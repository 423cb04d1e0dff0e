//! Properties and values of the YAML test suite, if the suite is available.

use marquetry_sdk::{TargetKind, testing};
use marquetry_yaml::Yaml;
use serde_json::Value;

fn cases() -> Vec<Value> {
    testing::suite("yaml-test-suite").iter().map(|case| serde_json::from_str(case).expect("a case")).collect()
}

#[test]
fn laws_hold_on_suite() {
    for case in cases() {
        testing::check_laws::<Yaml>("a.yaml", case["files"]["doc.yaml"].as_str().expect("text"));
    }
}

#[test]
fn values_equal_suite() {
    let mut wrong = Vec::new();
    for case in cases() {
        let (Some(documents), Some(text)) = (case["expect"]["docs"].as_array(), case["files"]["doc.yaml"].as_str())
        else {
            continue;
        };
        if documents.is_empty() {
            continue;
        }
        let path = if documents.len() == 1 { "$" } else { "$[*]" };
        let nodes = testing::open::<Yaml>("a.yaml", text).nodes(TargetKind::Path, path).expect("found");
        let parse =
            |value: &Option<String>| serde_json::from_str(value.as_deref().unwrap_or_default()).unwrap_or(Value::Null);
        let values: Vec<Value> = nodes.iter().map(|node| parse(&node.value)).collect();
        if !same(&Value::from(values.clone()), &Value::from(documents.clone())) {
            wrong.push(format!("{} {values:?} instead of {documents:?}", case["id"]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns whether JSON values are equal, with 1 equal to 1.0.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}
