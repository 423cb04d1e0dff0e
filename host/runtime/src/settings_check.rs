//! Checks the settings of a plugin in a registry against the JSON Schema in its description.
//!
//! The check covers the keywords that describe settings: `type`, `enum`, `properties`, `additionalProperties`,
//! `required`, `items`, `minimum` and `maximum`. Anything else in a schema is not an error of the settings.

use marquetry_model::{escape::escape_line, nearest::nearest_names};
use serde_json::{Map, Value};

/// Maximum number of problems in one message. Further problems are only counted.
const MAX_PROBLEMS: usize = 5;

/// Keywords that can allow names which `properties` does not list.
const COMPOSED: [&str; 6] = ["$ref", "allOf", "anyOf", "oneOf", "patternProperties", "if"];

/// Describes how settings differ from their schema; `None` if they conform to it.
pub(crate) fn settings_problem(schema: &str, settings: &str) -> Option<String> {
    let (Ok(schema), Ok(settings)) = (serde_json::from_str(schema), serde_json::from_str(settings)) else {
        // A plugin without a valid schema does not say which settings it has.
        return None;
    };
    let mut problems = Vec::new();
    check(&schema, &settings, "", &mut problems);
    let more = problems.len().saturating_sub(MAX_PROBLEMS);
    problems.truncate(MAX_PROBLEMS);
    if more > 0 {
        problems.push(format!("{more} more"));
    }
    (!problems.is_empty()).then(|| escape_line(&format!("its `settings` in registry.toml: {}", problems.join("; "))))
}

fn check(schema: &Value, value: &Value, at: &str, problems: &mut Vec<String>) {
    let Value::Object(schema) = schema else { return };
    let here = if at.is_empty() { "they".to_owned() } else { format!("`{at}`") };
    if let Some(types) = schema.get("type").filter(|types| !has_type(types, value)) {
        problems.push(format!("{here} must be of type {}", alternatives(types)));
        return;
    }
    if let Some(values) = schema.get("enum").filter(|values| !values.as_array().is_some_and(|it| it.contains(value))) {
        problems.push(format!("{here} must be one of {}", alternatives(values)));
    }
    if let Some(number) = value.as_f64() {
        let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
        if let Some(least) = limit("minimum").filter(|least| number < *least) {
            problems.push(format!("{here} must be at least {least}"));
        }
        if let Some(most) = limit("maximum").filter(|most| number > *most) {
            problems.push(format!("{here} must be at most {most}"));
        }
    }
    match value {
        Value::Object(fields) => check_fields(schema, fields, at, problems),
        Value::Array(items) => {
            for (place, item) in items.iter().enumerate() {
                check(schema.get("items").unwrap_or(&Value::Null), item, &format!("{at}[{place}]"), problems);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn check_fields(schema: &Map<String, Value>, fields: &Map<String, Value>, at: &str, problems: &mut Vec<String>) {
    let path = |name: &str| if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
    let known = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for missing in required.filter(|name| !fields.contains_key(*name)) {
        problems.push(format!("`{}` is missing", path(missing)));
    }
    for (name, value) in fields {
        if let Some(inner) = known.and_then(|known| known.get(name)) {
            check(inner, value, &path(name), problems);
        } else if schema.get("additionalProperties").is_some_and(Value::is_object) {
            check(&schema["additionalProperties"], value, &path(name), problems);
        } else if !allows_other_names(schema, at.is_empty()) {
            let names: Vec<String> = known.into_iter().flat_map(Map::keys).cloned().collect();
            let near = nearest_names(name, names.clone());
            let advice = match (near.first(), names.is_empty()) {
                (Some(near), _) => format!(", did you mean `{}`?", path(near)),
                (None, true) if at.is_empty() => ", the plugin has no settings".to_owned(),
                (None, _) => format!(", the known ones are: {}", names.join(", ")),
            };
            problems.push(format!("unknown setting `{}`{advice}", path(name)));
        }
    }
}

/// Returns whether an object may have names that `properties` does not list. By the contract, a schema accepts only the
/// settings that it names: `{}` accepts none.
fn allows_other_names(schema: &Map<String, Value>, is_top: bool) -> bool {
    match schema.get("additionalProperties") {
        Some(Value::Bool(allowed)) => *allowed,
        Some(_) => true,
        None => !is_top || COMPOSED.iter().any(|keyword| schema.contains_key(*keyword)),
    }
}

fn has_type(types: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => true,
    };
    match types {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

/// Formats a type, a list of types, or a list of values.
fn alternatives(values: &Value) -> String {
    let shown = |value: &Value| format!("`{}`", value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    match values {
        Value::Array(all) => all.iter().map(shown).collect::<Vec<_>>().join(", "),
        one => shown(one),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r#"{"type": "object", "additionalProperties": false, "required": ["mode"], "properties": {
        "mode": {"enum": ["fast", "slow", 3]}, "indent": {"type": "integer", "minimum": 1, "maximum": 8},
        "names": {"type": "array", "items": {"type": "string"}}, "on": {"type": ["boolean", "null"]},
        "deep": {"additionalProperties": false, "properties": {"a": {"type": "number"}}},
        "free": {"properties": {"a": {}}}, "map": {"additionalProperties": {"type": "string"}}}}"#;

    #[track_caller]
    fn check(schema: &str, settings: &str, expected: &str) {
        let problem = settings_problem(schema, settings).unwrap_or_default();
        assert_eq!(
            problem.strip_prefix("its `settings` in registry.toml: ").unwrap_or(&problem),
            expected,
            "{settings}"
        );
    }

    #[test]
    fn settings_that_conform_have_no_problem() {
        for settings in [
            r#"{"mode": "fast"}"#,
            r#"{"mode": 3, "indent": 2.0, "names": ["a", "b"], "on": null, "deep": {"a": 1.5}}"#,
            r#"{"mode": "slow", "on": true, "free": {"other": 1}, "map": {"x": "y"}, "names": []}"#,
        ] {
            check(SCHEMA, settings, "");
        }
        for schema in ["{}", SCHEMA.replace("\"required\": [\"mode\"],", "").as_str(), "", "not JSON", "true", "3"] {
            check(schema, "{}", "");
        }
        for schema in [
            r#"{"additionalProperties": true}"#,
            r#"{"anyOf": [{"properties": {"x": {}}}]}"#,
            r##"{"$ref": "#/$defs/all"}"##,
            r#"{"patternProperties": {"^x": {}}}"#,
            r#"{"additionalProperties": {"type": "integer"}}"#,
        ] {
            check(schema, r#"{"x": 1}"#, "");
        }
    }

    #[test]
    fn each_difference_is_described() {
        for (settings, expected) in [
            ("{}", "`mode` is missing"),
            (r#"{"mode": "fats"}"#, "`mode` must be one of `fast`, `slow`, `3`"),
            (r#"{"mode": 3, "indent": "x"}"#, "`indent` must be of type `integer`"),
            (r#"{"mode": 3, "indent": 1.5}"#, "`indent` must be of type `integer`"),
            (r#"{"mode": 3, "indent": 0}"#, "`indent` must be at least 1"),
            (r#"{"mode": 3, "indent": 9}"#, "`indent` must be at most 8"),
            (r#"{"mode": 3, "names": ["a", 1]}"#, "`names[1]` must be of type `string`"),
            (r#"{"mode": 3, "on": 1}"#, "`on` must be of type `boolean`, `null`"),
            (r#"{"mode": 3, "indnet": 1}"#, "unknown setting `indnet`, did you mean `indent`?"),
            (r#"{"mode": 3, "deep": {"b": 1}}"#, "unknown setting `deep.b`, the known ones are: a"),
            (r#"{"mode": 3, "map": {"x": 1}}"#, "`map.x` must be of type `string`"),
            (
                r#"{"mode": 3, "a\n\u202e": 1, "deep": 2}"#,
                "unknown setting `a\\n\\u{202e}`, the known ones are: mode, indent, names, on, deep, free, map",
            ),
        ] {
            check(SCHEMA, settings, expected);
        }
        check("{}", r#"{"nonsense": 1}"#, "unknown setting `nonsense`, the plugin has no settings");
        let many: Map<String, Value> = (0..9).map(|n| (format!("unlike{n}"), n.into())).collect();
        let shown = settings_problem("{}", &Value::Object(many).to_string()).unwrap_or_default();
        assert!(shown.contains("`unlike4`") && shown.ends_with("; 4 more"), "{shown}");
    }
}
