//! Tests of refactors. They compare the text before and after.

use marquetry_sdk::{
    TargetKind,
    testing::{check_refactor, check_refactor_laws, check_refactor_of, check_refused},
};

use crate::Json;

#[track_caller]
fn sorts(marked: &str, after: &str) {
    check_refactor::<Json>(("a.jsonc", marked), "sort_keys", &[], after);
}

#[test]
fn sort_keys_sorts_object() {
    sorts("{\"b\": 1, ‸\"a\": 2}", "{\"a\": 2, \"b\": 1}");
    sorts("{\n\t\"b\": {‸ \"d\": 1, \"c\": 2 },\n\t\"a\": 2\n}", "{\n\t\"b\": { \"c\": 2, \"d\": 1 },\n\t\"a\": 2\n}");
    sorts("{\r\n  \"B\": 1,‸\r\n  \"a\": 2,\r\n}\r\n", "{\r\n  \"a\": 2,\r\n  \"B\": 1,\r\n}\r\n");
    sorts("[{\"a\": 1,‸ \"b\": 2}]", "[{\"a\": 1, \"b\": 2}]");
    // Of several equal keys, the last one takes precedence. This must not change by sorting.
    sorts("{\"b\": 1, \"a\": 2, \"b\": 3, \"a\"‸: 4}", "{\"a\": 2, \"a\": 4, \"b\": 1, \"b\": 3}");
    check_refactor_of::<Json>(
        ("a.json", "{\"x\": {\"b\": [{\"d\": 1, \"c\": 2}], \"a\": 1}}"),
        (TargetKind::Path, "$.x"),
        "sort_keys",
        &[("deep", "true")],
        "{\"x\": {\"a\": 1, \"b\": [{\"c\": 2, \"d\": 1}]}}",
    );
    check_refactor_of::<Json>(
        ("a.jsonl", "{\"b\": 1, \"a\": 2}\n[]\n"),
        (TargetKind::Path, "$[0]"),
        "sort_keys",
        &[],
        "{\"a\": 2, \"b\": 1}\n[]\n",
    );
}

#[test]
fn sort_keys_moves_comments_and_commas() {
    sorts(
        "{‸\n  // of b\n  \"b\": 1, // behind b\n\n  /* of a */ \"a\": 2 // behind a\n}\n",
        "{\n  /* of a */ \"a\": 2, // behind a\n\n  // of b\n  \"b\": 1 // behind b\n}\n",
    );
    sorts("{‸\n  \"b\": 1 // b\n  ,\n  \"a\": 2\n}", "{\n  \"a\": 2,\n  \"b\": 1 // b\n  \n}");
    sorts("{‸ \"b\": 1, // b\n  \"a\": 2 }", "{ \"a\": 2,\n  \"b\": 1 // b\n }");
}

#[test]
fn sort_keys_refuses_arrays() {
    check_refused::<Json>(("a.json", "[1, ‸2]"), "sort_keys", &[], "is not inside an object");
    check_refused::<Json>(("a.json", "{\"a\": «[{}]»}"), "sort_keys", &[], "array");
    check_refused::<Json>(("a.json", "{\"b\": 1 ‸\"a\": 2}"), "sort_keys", &[], "syntax errors");
}

const SCHEMA: &str = "{
  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",
  \"type\": \"object\",
  \"properties\": {
    \"home\": {
      \"type\": \"object\",
      // where
      \"properties\": { \"street\": { \"type\": \"string\" } }
    },
    \"work\": { \"$ref\": \"#/properties/home\" },
    \"road\": { \"$ref\": \"#/properties/home/properties/street\" }
  }
}
";

#[test]
fn extract_definition_moves_schema() {
    check_refactor_of::<Json>(
        ("a.jsonc", SCHEMA),
        (TargetKind::Path, "$.properties.home"),
        "extract_definition",
        &[("extractedName", "address")],
        "{
  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",
  \"type\": \"object\",
  \"properties\": {
    \"home\": {
      \"$ref\": \"#/$defs/address\"
    },
    \"work\": { \"$ref\": \"#/$defs/address\" },
    \"road\": { \"$ref\": \"#/$defs/address/properties/street\" }
  },
  \"$defs\": {
    \"address\": {
      \"type\": \"object\",
      // where
      \"properties\": { \"street\": { \"type\": \"string\" } }
    }
  }
}
",
    );
    // The definition is named by the position of the schema, and formatted like the document.
    check_refactor::<Json>(
        ("a.json", "{\"definitions\": {\"Pet\": {}}, \"items\": {\"properties\": {\"tag\": {\"type\": ‸\"string\"}}}}"),
        "extract_definition",
        &[],
        "{\"definitions\": {\"Pet\": {}, \"Tag\": {\"type\": \"string\"}}, \"items\": {\"properties\": {\"tag\": {\"$ref\": \"#/definitions/Tag\"}}}}",
    );
    check_refactor::<Json>(
        ("a.json", "{\"openapi\": \"3.1.0\", \"paths\": {\"/a\": {\"get\": {\"schema\": {‸\"title\": \"My pet\"}}}}}"),
        "extract_definition",
        &[],
        "{\"openapi\": \"3.1.0\", \"paths\": {\"/a\": {\"get\": {\"schema\": {\"$ref\": \"#/components/schemas/MyPet\"}}}}, \"components\": {\"schemas\": {\"MyPet\": {\"title\": \"My pet\"}}}}",
    );
}

#[test]
fn extract_definition_refuses_non_schemas() {
    let refused = |marked: &str, message: &str| {
        check_refused::<Json>(("a.json", marked), "extract_definition", &[], message);
    };
    refused("{\"name\": {‸}}", "not a JSON Schema");
    refused("{\"$schema\": \"x\",‸ \"items\": {}}", "root schema");
    refused("{\"$schema\": \"x\", \"default\": {\"properties\": {‸}}}", "not a schema");
    refused("{\"$defs\": {\"a\": {‸}}}", "already a definition");
    refused("{\"items\": {‸\"$ref\": \"#\"}}", "already a reference");
    refused("{\"items\": {\"$id\": \"x\", \"items\": {‸}}}", "identifier");
    refused("{\"items\": {‸\"properties\": {\"a\": {\"$ref\": \"#/items/properties\"}}}}", "itself");
    let given = |name| [("extractedName", name)];
    check_refused::<Json>(("a.json", "{\"items\": {‸}}"), "extract_definition", &given("a b"), "not a valid");
    check_refused::<Json>(
        ("a.json", "{\"$defs\": {\"a\": 1}, \"items\": {‸}}"),
        "extract_definition",
        &given("a"),
        "already",
    );
}

#[test]
fn laws_hold_for_refactors() {
    for text in
        [SCHEMA, super::PACKAGE, "[\r\n\t{ \"b\": 1, \"a\": 2 },\r\n\t[[], {\"x\": {}, \"\": 0}],\r\n\t\"tëxt\"\r\n]"]
    {
        assert!(check_refactor_laws::<Json>(("a.jsonc", text), &[("deep", "true")]) > 0, "{text}");
    }
    for text in ["", "{", "{\"a\":", "[{]}", "{\"a\" 1, \"b\"}", "{\"\\u0\": 1, // \n}"] {
        check_refactor_laws::<Json>(("a.jsonc", text), &[("deep", "true")]);
    }
}
