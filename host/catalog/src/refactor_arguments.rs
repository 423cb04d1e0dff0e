//! Arguments of a refactor that a call gives beside `refactor`: they are moved into `arguments`.

use marquetry_model::nearest::nearest_names;
use serde_json::{Map, Value};

/// The refactor that takes no `arguments`.
const RENAME: &str = "rename_symbol";

/// Moves arguments that the tool does not have into `arguments`, if the call names a refactor. A name that is similar to
/// one of the tool stays, because it is probably a mistake.
pub(crate) fn move_into_arguments(schema: &Value, given: &mut Map<String, Value>) {
    let Some(properties) = schema["properties"].as_object() else { return };
    let is_refactor = given.get("refactor").and_then(Value::as_str).is_some_and(|refactor| refactor != RENAME);
    if !is_refactor || !properties.contains_key("arguments") {
        return;
    }
    let own = given.get("arguments");
    if own.is_some_and(|own| !own.is_object()) {
        return;
    }
    let is_given = |name: &str| own.is_some_and(|own| own.get(name).is_some());
    let is_similar = |name: &str| !nearest_names(name, properties.keys().cloned()).is_empty();
    let is_moved = |name: &&String| !properties.contains_key(*name) && !is_similar(name) && !is_given(name);
    let names: Vec<String> = given.keys().filter(is_moved).cloned().collect();
    let moved: Vec<(String, Value)> = names.iter().filter_map(|name| given.shift_remove_entry(name)).collect();
    if !moved.is_empty()
        && let Value::Object(own) = given.entry("arguments").or_insert_with(|| Value::Object(Map::new()))
    {
        own.extend(moved);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn moved(given: Value) -> Value {
        let schema = json!({ "properties": { "refactor": {}, "symbol": {}, "file": {}, "arguments": {} } });
        let Value::Object(mut given) = given else { panic!("an object") };
        move_into_arguments(&schema, &mut given);
        Value::Object(given)
    }

    #[test]
    fn arguments_of_a_refactor_are_moved() {
        let call = json!({ "refactor": "change_signature", "symbol": "f", "add": { "name": "b" } });
        let expected =
            json!({ "refactor": "change_signature", "symbol": "f", "arguments": { "add": { "name": "b" } } });
        assert_eq!(moved(call), expected);
        let call = json!({ "refactor": "move_to_file", "destination": "b.ts", "arguments": { "x": "1" } });
        let expected = json!({ "refactor": "move_to_file", "arguments": { "x": "1", "destination": "b.ts" } });
        assert_eq!(moved(call), expected);
    }

    #[test]
    fn other_arguments_stay() {
        for call in [
            json!({ "operation": "replace", "add": 1 }),
            json!({ "refactor": "rename_symbol", "add": 1 }),
            json!({ "refactor": "change_signature", "symbl": "f" }),
            json!({ "refactor": "change_signature", "add": 1, "arguments": "x" }),
            json!({ "refactor": "change_signature", "add": 1, "arguments": { "add": 2 } }),
        ] {
            assert_eq!(moved(call.clone()), call);
        }
    }
}
