//! JSON Schemas derived from the types of arguments and results, reduced to a form that all clients understand. Tests
//! compare them with the files in `schemas/`, which are embedded in the binary: generating them at startup would cost
//! a millisecond and megabytes of code.
//!
//! `null` is the same as leaving an argument out, so schemas do not mention `null`. Integers have no `format`, which
//! validators may not know. Result schemas are for validators only and have no descriptions.

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use crate::arguments::UNLISTED;

/// Schema of arguments. It has no references, which some clients do not resolve.
pub(crate) fn input<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = root::<T>(settings.for_deserialize());
    let tidy = Simplifier { prose: true };
    tidy.schema(&mut schema);
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.retain(|name, _| !UNLISTED.contains(&name.as_str()));
    }
    schema
}

/// Generates the schemas of a tool.
pub(crate) struct Types {
    arguments: fn() -> Value,
    result: fn() -> Value,
    /// Deserializes arguments to their type and serializes them again.
    pub(crate) rewritten: fn(&Value) -> Value,
}

impl Types {
    pub(crate) fn new<A: JsonSchema + Serialize + DeserializeOwned, R: JsonSchema>() -> Types {
        let rewritten = |given: &Value| {
            serde_json::to_value(A::deserialize(given).expect("arguments of the type")).expect("arguments are JSON")
        };
        Types { arguments: input::<A>, result: output::<R>, rewritten }
    }

    /// Expected content of the tool's schema file.
    pub(crate) fn text(&self) -> String {
        let both = json!({ "arguments": (self.arguments)(), "result": (self.result)() });
        serde_json::to_string_pretty(&both).expect("a value is JSON") + "\n"
    }
}

/// Schema of a result.
pub(crate) fn output<T: JsonSchema>() -> Value {
    let mut schema = root::<T>(SchemaSettings::draft2020_12().for_serialize());
    let tidy = Simplifier { prose: false };
    tidy.schema(&mut schema);
    schema
}

fn root<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| settings.meta_schema = None);
    let mut schema = SchemaGenerator::new(settings).into_root_schema_for::<T>().to_value();
    if let Some(object) = schema.as_object_mut() {
        // Removes the description of the type, because the tool has its own.
        object.remove("description");
        object.insert("type".to_owned(), "object".into());
    }
    schema
}

struct Simplifier {
    prose: bool,
}

impl Simplifier {
    fn schema(&self, schema: &mut Value) {
        if *schema == Value::Bool(true) {
            *schema = json!({});
        }
        let Some(object) = schema.as_object_mut() else { return };
        object.remove("title");
        object.remove("format");
        if !self.prose {
            object.remove("description");
        }
        if object.get("default").is_some_and(|default| default.is_null() || *default == Value::Bool(false)) {
            object.remove("default");
        }
        remove_null(object);
        merge_constants(object);
        for (keyword, value) in object.iter_mut() {
            match keyword.as_str() {
                "properties" | "$defs" => {
                    value.as_object_mut().into_iter().flatten().for_each(|(_, each)| self.schema(each))
                }
                "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                    value.as_array_mut().into_iter().flatten().for_each(|each| self.schema(each));
                }
                "items" => self.schema(value),
                "additionalProperties" if value.is_object() => self.schema(value),
                _ => {}
            }
        }
        if self.prose && object.contains_key("properties") && !object.contains_key("additionalProperties") {
            object.insert("additionalProperties".to_owned(), false.into());
        }
    }
}

/// Removes `null` from a schema.
fn remove_null(object: &mut Map<String, Value>) {
    if let Some(types) = object.get_mut("type").and_then(Value::as_array_mut) {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(values) = object.get_mut("enum").and_then(Value::as_array_mut) {
        values.retain(|value| !value.is_null());
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(variants) = object.get_mut(keyword).and_then(Value::as_array_mut) else { continue };
        variants.retain(|variant| variant["type"] != "null");
        if let [Value::Object(only)] = variants.as_mut_slice() {
            let only = std::mem::take(only);
            object.remove(keyword);
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
            // The only remaining variant may contain `null`, too.
            return remove_null(object);
        }
    }
}

/// Merges variants that are string constants into one `enum`.
fn merge_constants(object: &mut Map<String, Value>) {
    for keyword in ["oneOf", "anyOf"] {
        let Some(variants) = object.get(keyword).and_then(Value::as_array) else { continue };
        let words = |variant: &Value| match (&variant["const"], &variant["enum"]) {
            (Value::String(word), _) => Some(vec![Value::String(word.clone())]),
            (_, Value::Array(words)) if words.iter().all(Value::is_string) => Some(words.clone()),
            _ => None,
        };
        let Some(words) = variants.iter().map(words).collect::<Option<Vec<_>>>() else { continue };
        object.remove(keyword);
        object.insert("type".to_owned(), "string".into());
        object.insert("enum".to_owned(), words.into_iter().flatten().collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(schemars::JsonSchema, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    #[allow(dead_code, reason = "only its schema is looked at")]
    struct Arguments {
        /// The file.
        file: String,
        /// Maximum results.
        limit: Option<usize>,
        #[serde(default)]
        dry_run: bool,
        kind: Option<Kind>,
        #[serde(skip_serializing_if = "Option::is_none")]
        inner: Option<Inner>,
        #[serde(default)]
        preferences: serde_json::Map<String, Value>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        list: Vec<Inner>,
    }

    #[derive(schemars::JsonSchema, serde::Serialize, serde::Deserialize)]
    #[allow(dead_code, reason = "only its schema is looked at")]
    struct Inner {
        value: Option<serde_json::Value>,
    }

    #[derive(schemars::JsonSchema, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    #[allow(dead_code, reason = "only its schema is looked at")]
    enum Kind {
        /// One.
        One,
        /// Two.
        Two,
    }

    #[test]
    fn argument_schema_is_closed_and_minimal() {
        let schema = input::<Arguments>();
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {
                    "file": { "type": "string", "description": "The file." },
                    "limit": { "type": "integer", "minimum": 0, "description": "Maximum results." },
                    "dryRun": { "type": "boolean" },
                    "kind": { "type": "string", "enum": ["one", "two"] },
                    "inner": { "type": "object", "properties": { "value": {} }, "additionalProperties": false },
                    "list": { "type": "array", "items": { "type": "object", "properties": { "value": {} }, "additionalProperties": false } },
                },
                "required": ["file", "list"],
                "additionalProperties": false,
            })
        );
    }

    #[test]
    fn result_schema_marks_omitted_empty_fields_optional() {
        let schema = output::<Arguments>();
        let required: Vec<&str> =
            schema["required"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        assert!(!required.contains(&"list") && !required.contains(&"inner"), "{schema}");
        assert!(required.contains(&"file") && required.contains(&"dryRun"), "{schema}");
        let text = schema.to_string();
        assert!(!text.contains("null") && !text.contains("uint") && !text.contains("At most"), "{text}");
    }
}
