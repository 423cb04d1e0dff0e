//! Tests of the generator: schemas of a tool, and the types and methods that it writes for both languages. One test
//! checks that the generated files are those of the current catalog.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::{
    generated_files, python, python_methods,
    schema::ToolSchemas,
    types::{Catalog, Shape, Type},
    typescript, typescript_methods,
};

/// A tool with these schemas.
fn tool(name: &str, arguments: Value, result: Value) -> ToolSchemas {
    let title = format!("Title of {name}");
    ToolSchemas { name: name.to_owned(), title, description: "Does it.".to_owned(), arguments, result }
}

fn empty() -> Value {
    json!({ "type": "object", "properties": {} })
}

/// The catalog of tools without error kinds.
fn catalog(tools: &[ToolSchemas]) -> Catalog {
    Catalog::read(tools, vec!["Stale".to_owned()]).expect("the schemas are read")
}

/// The definitions of the arguments of a tool, in TypeScript and Python, without the arguments' own heads.
fn types_of(schema: Value) -> (String, String) {
    let arguments = json!({ "type": "object", "properties": { "x": schema }, "required": ["x"] });
    let catalog = catalog(&[tool("a_tool", arguments, empty())]);
    let value = &catalog.fields("AToolArguments")[0].value;
    (typescript::print(value, false), python::print(value))
}

fn refusal(arguments: Value, result: Value) -> String {
    let error = Catalog::read(&[tool("a_tool", arguments, result)], Vec::new()).expect_err("refused");
    error.chain().map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// The text between two lines, without them.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let from = text.find(start).unwrap_or_else(|| panic!("`{start}` is not in:\n{text}"));
    let rest = &text[from..];
    &rest[..rest.find(end).unwrap_or(rest.len())]
}

#[test]
fn simple_schemas_are_types_of_both_languages() {
    for (schema, typescript, python) in [
        (json!({ "type": "string" }), "string", "str"),
        (json!({ "type": "integer", "minimum": 0 }), "number", "int"),
        (json!({ "type": "number" }), "number", "float"),
        (json!({ "type": "boolean" }), "boolean", "bool"),
        (json!({}), "unknown", "Any"),
        (json!({ "enum": ["a", "b"] }), "'a' | 'b'", "Literal[\"a\", \"b\"]"),
        (json!({ "const": "a" }), "'a'", "Literal[\"a\"]"),
        (json!({ "type": "array", "items": { "type": "string" } }), "Array<string>", "list[str]"),
        (
            json!({ "type": "array", "items": { "type": "integer" }, "minItems": 2, "maxItems": 2 }),
            "[number, number]",
            "list[int]",
        ),
        (json!({ "type": "object" }), "Record<string, unknown>", "dict[str, Any]"),
        (
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            "Record<string, string>",
            "dict[str, str]",
        ),
        (json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }), "string | number", "str | int"),
        (
            json!({ "type": "array", "items": { "enum": ["a", "b"] } }),
            "Array<'a' | 'b'>",
            "list[Literal[\"a\", \"b\"]]",
        ),
    ] {
        assert_eq!(types_of(schema.clone()), (typescript.to_owned(), python.to_owned()), "{schema}");
    }
}

#[test]
fn lists_of_arguments_may_be_read_only() {
    let list = Type::List(Box::new(Type::Union(vec![Type::Text, Type::Tuple(Box::new(Type::Integer), 2)])));
    assert_eq!(typescript::print(&list, true), "ReadonlyArray<string | readonly [number, number]>");
    assert_eq!(typescript::print(&list, false), "Array<string | [number, number]>");
}

#[test]
fn records_have_optional_and_documented_properties() {
    let arguments = json!({
        "type": "object",
        "properties": {
            "file": { "type": "string", "description": "The file." },
            "dryRun": { "type": "boolean", "description": "Write nothing." },
        },
        "required": ["file"],
    });
    let result = json!({ "type": "object", "properties": { "id": { "type": "string" } } });
    let catalog = catalog(&[tool("a_tool", arguments, result)]);
    let typescript = typescript::declarations(&catalog);
    assert_eq!(
        between(&typescript, "/** Arguments of", "\n\n/** The answer"),
        "/** Arguments of `a_tool`. */\nexport interface AToolArguments {\n  /** The file. */\n  file: string\n  \
         /** Write nothing. */\n  dryRun?: boolean | undefined\n}"
    );
    assert!(typescript.contains("export interface AToolResult {\n  id?: string\n}\n"), "{typescript}");
    let python = python::module(&catalog);
    assert_eq!(
        between(&python, "class AToolArguments", "\n\n\n@final"),
        "class AToolArguments(TypedDict):\n    \"\"\"Arguments of `a_tool`.\"\"\"\n\n    file: str\n    \"\"\"The file.\"\"\"\n\n    \
         dryRun: NotRequired[bool]\n    \"\"\"Write nothing.\"\"\""
    );
    assert!(python.contains("@final\nclass AToolResult(TypedDict):\n"), "{python}");
}

#[test]
fn methods_pass_the_name_of_the_tool() {
    let needs_argument = json!({ "type": "object", "properties": { "a": {} }, "required": ["a"] });
    let catalog = catalog(&[tool("file_read", empty(), empty()), tool("move", needs_argument, empty())]);
    assert_eq!(
        between(&typescript_methods::module(&catalog), "  fileRead", "\n}\n"),
        "  fileRead(args = {}, options = undefined) {\n    return this.call('file_read', args, options)\n  }\n\n  \
         move(args, options = undefined) {\n    return this.call('move', args, options)\n  }"
    );
    let class = typescript_methods::class(&catalog);
    assert!(class.contains("fileRead(args?: FileReadArguments, options?: CallOptions): Promise<FileReadResult>"));
    assert!(class.contains("  /** Title of move: Does it. */\n  move(args: MoveArguments,"), "{class}");
    let class = python_methods::class(&catalog);
    assert!(class.contains("    async def file_read(\n        self,\n        *,\n"), "{class}");
    assert!(class.contains("        **arguments: Unpack[MoveArguments],\n    ) -> MoveResult:\n"), "{class}");
    assert!(class.contains("await self.call(\"move\", cast("), "{class}");
}

#[test]
fn inner_objects_are_named_after_their_property_once() {
    let wrapper = json!({
        "type": "object",
        "properties": { "before": { "type": "string" } },
        "required": ["before"],
        "additionalProperties": false,
    });
    let mut other = wrapper.clone();
    other["properties"]["after"] = json!({ "type": "string" });
    let edit = json!({ "type": "object", "properties": { "wrapper": wrapper, "position": other } });
    let arguments = json!({
        "type": "object",
        "properties": { "edits": { "type": "array", "items": edit }, "wrapper": wrapper, "position": wrapper },
    });
    let catalog = catalog(&[tool("file_edit", arguments, empty())]);
    let names: Vec<&str> = catalog.definitions.iter().map(|definition| definition.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "FileEditArguments",
            "FileEditEdit",
            "FileEditWrapper",
            "FileEditPosition",
            "FileEditArgumentsPosition",
            "FileEditResult"
        ]
    );
    let wrappers = catalog.definitions.iter().filter_map(|definition| match &definition.shape {
        Shape::Record(fields) => fields.iter().find(|field| field.name == "wrapper").map(|field| &field.value),
        Shape::Alias(_) => None,
    });
    assert!(wrappers.eq([&Type::Named("FileEditWrapper".to_owned()); 2]));
}

#[test]
fn definitions_of_several_tools_are_shared_unless_they_differ() {
    let result = |match_type: &str| {
        json!({
            "type": "object",
            "properties": { "range": { "$ref": "#/$defs/Range" }, "match": { "$ref": "#/$defs/Match" } },
            "$defs": {
                "Range": { "type": "object", "properties": { "start": { "type": "integer" } } },
                "Match": { "type": "object", "properties": { "inner": { "$ref": "#/$defs/Inner" } } },
                "Inner": { "type": match_type },
            },
        })
    };
    let catalog = catalog(&[tool("one", empty(), result("string")), tool("two", empty(), result("integer"))]);
    let names: Vec<&str> = catalog.definitions.iter().map(|definition| definition.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "OneArguments",
            "OneResult",
            "Range",
            "OneMatch",
            "OneInner",
            "TwoArguments",
            "TwoResult",
            "TwoMatch",
            "TwoInner"
        ]
    );
}

#[test]
fn numbered_copies_of_a_definition_are_one_type() {
    let count = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    let mut other = count.clone();
    other["properties"]["path"] = json!({ "type": "integer" });
    let result = json!({
        "type": "object",
        "properties": { "a": { "$ref": "#/$defs/Count" }, "b": { "$ref": "#/$defs/Count2" }, "c": { "$ref": "#/$defs/Count3" } },
        "$defs": { "Count": count, "Count2": count, "Count3": other },
    });
    let catalog = catalog(&[tool("a_tool", empty(), result)]);
    let types = catalog.fields("AToolResult").iter().map(|field| typescript::print(&field.value, false));
    assert_eq!(types.collect::<Vec<_>>(), ["Count", "Count", "Count3"]);
}

#[test]
fn recursive_definitions_end() {
    let result = json!({
        "type": "object",
        "properties": { "symbol": { "$ref": "#/$defs/Symbol" } },
        "$defs": { "Symbol": {
            "type": "object",
            "properties": { "children": { "type": "array", "items": { "$ref": "#/$defs/Symbol" } } },
        } },
    });
    let catalog = catalog(&[tool("a_tool", empty(), result)]);
    let typescript = typescript::declarations(&catalog);
    assert!(typescript.contains("export interface DocumentSymbol {\n  children?: Array<DocumentSymbol>\n}"));
    let python = python::module(&catalog);
    assert!(python.contains("    children: NotRequired[\"list[DocumentSymbol]\"]\n"), "{python}");
}

#[test]
fn properties_that_are_keywords_of_python_are_quoted() {
    let item = json!({
        "type": "object",
        "properties": { "from": { "type": "string", "description": "Old." }, "to": { "type": "string" } },
        "required": ["from"],
        "description": "One item.",
    });
    let arguments = json!({ "type": "object", "properties": { "items": { "type": "array", "items": item } } });
    let python = python::module(&catalog(&[tool("open", arguments, empty())]));
    assert!(
        python.contains(
            "OpenItem = TypedDict(\n    \"OpenItem\",\n    {\n        # Old.\n        \"from\": str,\n        \
             \"to\": NotRequired[str],\n    },\n)\n\"\"\"One item.\"\"\"\n"
        ),
        "{python}"
    );
}

#[test]
fn long_unions_have_a_line_for_each_type() {
    let words: Vec<String> = (0..12).map(|number| format!("operation-{number:02}")).collect();
    let arguments = json!({ "type": "object", "properties": { "operation": { "enum": words } } });
    let catalog = catalog(&[tool("a_tool", arguments, empty())]);
    let typescript = typescript::declarations(&catalog);
    assert!(typescript.contains("  operation?:\n    | 'operation-00'\n    | 'operation-01'\n"), "{typescript}");
    assert!(typescript.contains("    | 'operation-11'\n    | undefined\n}"), "{typescript}");
    for text in [typescript, python::module(&catalog)] {
        let longest = text.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(120), "{longest:?}");
    }
}

#[test]
fn texts_cannot_end_comments() {
    assert_eq!(typescript::comment("a */ b", ""), "/** a *\\/ b */\n");
    assert_eq!(python::docstring("a \"\"\" b \\ \"c\"", ""), "\"\"\"a \\\"\\\"\\\" b \\\\ \"c\\\"\"\"\"\n");
    let long = "word ".repeat(60);
    assert!(typescript::comment(&long, "  ").lines().all(|line| line.len() <= 120));
    assert!(python::docstring(&long, "    ").lines().all(|line| line.len() <= 120));
}

#[test]
fn schemas_outside_of_the_subset_are_refused() {
    let with = |schema: Value| json!({ "type": "object", "properties": { "x": schema } });
    for (schema, expected) in [
        (json!({ "oneOf": [] }), "the keyword `oneOf` is not supported"),
        (json!({ "type": ["string", "null"] }), "the type `[\"string\",\"null\"]` is not supported"),
        (json!({ "type": "null" }), "the type `\"null\"` is not supported"),
        (json!({ "enum": [1] }), "[1] has values that are not strings"),
        (json!({ "type": "array" }), "a list without `items`"),
        (json!(true), "the schema is not an object"),
        (json!({ "$ref": "#/$defs/Missing" }), "`Missing` is not defined"),
    ] {
        let refusal = refusal(with(schema.clone()), empty());
        assert!(refusal.starts_with("the schemas of `a_tool`: the property `x`: "), "{refusal}");
        assert!(refusal.contains(expected), "{schema}: {refusal}");
    }
}

#[test]
fn names_with_another_meaning_are_refused() {
    let result = json!({
        "type": "object",
        "properties": { "a": { "$ref": "#/$defs/Promise" } },
        "$defs": { "Promise": { "type": "object", "properties": {} } },
    });
    assert_eq!(refusal(empty(), result), "`Promise` has another meaning in TypeScript or Python");
}

#[test]
fn answers_of_queries_have_the_type_of_their_kind() {
    let tools: Vec<ToolSchemas> = marquetry_catalog::tools().iter().map(ToolSchemas::of_tool).collect();
    let catalog = catalog(&tools);
    let query = catalog.tools.iter().find(|tool| tool.name == "query").expect("the tool");
    let variants = query.variants.as_ref().expect("variants");
    let words = catalog.fields("QueryArguments").iter().find(|field| field.name == variants.argument);
    let Some(Type::Words(words)) = words.map(|field| &field.value) else { panic!("`type` is not an enum") };
    assert!(variants.types.iter().map(|(value, _)| *value).eq(words.iter().map(String::as_str)), "{words:?}");
    let Some(Shape::Alias(Type::Union(types))) = catalog.find("QueryData").map(|definition| &definition.shape) else {
        panic!("`QueryData` is not a union")
    };
    for value in types {
        assert!(variants.types.iter().any(|(_, name)| *value == Type::Named(name.clone())), "{value:?} is not used");
    }
    let typescript = typescript::declarations(&catalog);
    assert!(typescript.contains("  data: QueryDataByType[T]\n"), "{typescript}");
    assert!(typescript.contains("query<T extends QueryType>(args: QueryArguments & { type: T },"), "{typescript}");
    let python = python_methods::class(&catalog);
    let relations = "type: Literal[\"implementations\", \"typeHierarchy\", \"callHierarchy\"],";
    assert!(python.contains(relations) && python.contains("-> QueryResult[Relations]: ..."), "{python}");
}

#[test]
fn every_change_has_a_reason() {
    let (typescript, python) = {
        let [declarations, _, python] = generated_files().expect("generated");
        (declarations.1, python.1)
    };
    for tool in marquetry_catalog::tools().iter().filter(|tool| !tool.read_only) {
        let head = crate::names::pascal(tool.name);
        assert!(between(&typescript, &format!("interface {head}Arguments"), "\n}\n").contains("why?: string"));
        assert!(between(&python, &format!("class {head}Arguments"), "\n\n\n").contains("why: NotRequired[str]"));
    }
}

#[test]
fn generated_files_are_current() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, text) in generated_files().expect("generated") {
        let current = fs::read_to_string(top.join(name)).unwrap_or_default();
        assert!(current == text, "{name} is not current: run `cargo xtask clients`");
    }
}

#[test]
fn packages_have_the_version_of_the_workspace() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let version = env!("CARGO_PKG_VERSION");
    for (name, line) in [
        ("sdk/clients/typescript/package.json", format!("\"version\": \"{version}\"")),
        ("sdk/clients/python/pyproject.toml", format!("version = \"{version}\"")),
    ] {
        let text = fs::read_to_string(top.join(name)).expect("the manifest");
        assert!(text.contains(&line), "{name} does not have the version {version}");
    }
}

#[test]
fn packages_have_the_licenses_of_the_workspace() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &str| fs::read_to_string(top.join(name)).expect("a license");
    for (package, license) in ["typescript", "python"].iter().flat_map(|p| ["APACHE", "MIT"].map(|l| (p, l))) {
        let copy = read(&format!("sdk/clients/{package}/LICENSE-{license}"));
        assert!(copy == read(&format!("LICENSE-{license}")), "{package}: {license}");
    }
}
