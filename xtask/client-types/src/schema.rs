//! Reads JSON Schemas, in the subset that the catalog uses, into types. A keyword outside of this subset is an error,
//! so that a new kind of schema cannot get a wrong type.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value};

use crate::{
    names,
    types::{Definition, Field, Shape, Tool, Type, Variants},
};

/// The keywords that are read or do not change the type.
const KEYWORDS: [&str; 15] = [
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "const",
    "description",
    "additionalProperties",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "anyOf",
    "default",
    "$ref",
];

/// The tool whose answer depends on one argument; the argument, the property of the answer, and the property's type for
/// each value. A test compares them with the schemas.
const VARIANTS: (&str, &str, &str, [(&str, &str); 16]) = (
    "query",
    "type",
    "data",
    [
        ("projectInfo", "ProjectInfo"),
        ("symbolInfo", "SymbolInfo"),
        ("hover", "Hover"),
        ("typeDefinition", "TypeDefinition"),
        ("documentSymbols", "Symbols"),
        ("diagnostics", "Diagnostics"),
        ("dependencies", "Dependencies"),
        ("references", "References"),
        ("workspaceSymbols", "WorkspaceSymbols"),
        ("implementations", "Relations"),
        ("typeHierarchy", "Relations"),
        ("callHierarchy", "Relations"),
        ("codeActions", "Actions"),
        ("gitStatus", "GitStatus"),
        ("search", "Matches"),
        ("files", "FileList"),
    ],
);

/// A tool as the catalog describes it.
pub(crate) struct ToolSchemas {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) arguments: Value,
    pub(crate) result: Value,
}

impl ToolSchemas {
    pub(crate) fn of_tool(tool: &marquetry_catalog::Tool) -> ToolSchemas {
        ToolSchemas {
            name: tool.name.to_owned(),
            title: tool.title.to_owned(),
            description: tool.description.to_owned(),
            arguments: tool.input_schema().clone(),
            result: tool.output_schema(),
        }
    }

    fn definition(&self, name: &str) -> Option<&Value> {
        self.result.get("$defs")?.get(name)
    }

    /// Returns a definition with all references replaced by their content, to compare definitions of different tools.
    fn expanded(&self, name: &str) -> String {
        fn expand(tool: &ToolSchemas, value: &mut Value, open: &mut Vec<String>) {
            match value {
                Value::Object(object) => {
                    if let Some(name) = reference(object) {
                        let name = name.to_owned();
                        if !open.contains(&name) {
                            let mut content = tool.definition(&name).cloned().unwrap_or_default();
                            open.push(name);
                            expand(tool, &mut content, open);
                            open.pop();
                            *value = content;
                        }
                        return;
                    }
                    object.values_mut().for_each(|inner| expand(tool, inner, open));
                }
                Value::Array(list) => list.iter_mut().for_each(|inner| expand(tool, inner, open)),
                _ => {}
            }
        }
        let mut content = self.definition(name).cloned().unwrap_or_default();
        expand(self, &mut content, &mut vec![name.to_owned()]);
        content.to_string()
    }
}

/// The name of the definition that a schema refers to.
fn reference(schema: &Map<String, Value>) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// Reads the schemas of tools, and collects the definitions.
pub(crate) struct Reader {
    definitions: Vec<Definition>,
    /// Names that have different contents in different tools.
    ambiguous: BTreeSet<String>,
}

/// The schema that is read now.
#[derive(Clone, Copy)]
struct Place<'t> {
    tool: &'t ToolSchemas,
    /// The definition that contains the schema.
    parent: &'t str,
    /// The property with the schema, which gives an object its name.
    property: &'t str,
    is_input: bool,
}

impl Reader {
    pub(crate) fn new(tools: &[ToolSchemas]) -> Reader {
        let mut contents: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for tool in tools {
            for name in tool.result["$defs"].as_object().into_iter().flat_map(Map::keys) {
                contents.entry(name).or_default().insert(tool.expanded(name));
            }
        }
        let ambiguous = contents.into_iter().filter(|(_, contents)| contents.len() > 1);
        Reader { definitions: Vec::new(), ambiguous: ambiguous.map(|(name, _)| name.to_owned()).collect() }
    }

    pub(crate) fn into_definitions(self) -> Vec<Definition> {
        self.definitions
    }

    /// Reads the arguments and the answer of a tool.
    pub(crate) fn read_tool(&mut self, tool: &ToolSchemas) -> Result<Tool> {
        let [arguments, result] = ["Arguments", "Result"].map(|end| names::pascal(&tool.name) + end);
        self.read_root(tool, &arguments, &tool.arguments, true)?;
        self.read_root(tool, &result, &tool.result, false)?;
        let required = tool.arguments.get("required").and_then(Value::as_array).map_or(0, Vec::len);
        let (name, argument, property, types) = VARIANTS;
        let variants = (tool.name == name).then(|| Variants {
            argument,
            property,
            types: types.map(|(value, name)| (value, self.definition_name(tool, name))).to_vec(),
        });
        Ok(Tool {
            name: tool.name.clone(),
            title: tool.title.clone(),
            description: tool.description.clone(),
            arguments,
            result,
            is_callable_without_arguments: required == 0,
            variants,
        })
    }

    fn read_root(&mut self, tool: &ToolSchemas, name: &str, schema: &Value, is_input: bool) -> Result<()> {
        let mut schema = schema.as_object().context("the schema is not an object")?.clone();
        schema.shift_remove("$defs");
        let description = format!("{} of `{}`.", if is_input { "Arguments" } else { "The answer" }, tool.name);
        schema.insert("description".to_owned(), description.into());
        let place = Place { tool, parent: name, property: "", is_input };
        self.define(name.to_owned(), &schema, place)
    }

    /// Adds the definition of an object schema.
    fn define(&mut self, name: String, schema: &Map<String, Value>, place: Place<'_>) -> Result<()> {
        // Add the definition before those that it refers to, so that it precedes them in the list.
        let index = self.definitions.len();
        let description = text(schema, "description");
        let shape = Shape::Record(Vec::new());
        self.definitions.push(Definition { name: name.clone(), description, shape, is_input: place.is_input });
        let shape = if schema.contains_key("properties") {
            Shape::Record(self.fields(schema, Place { parent: &name, ..place })?)
        } else {
            Shape::Alias(self.value(&Value::Object(schema.clone()), Place { parent: &name, ..place })?)
        };
        self.definitions[index].shape = shape;
        Ok(())
    }

    fn fields(&mut self, schema: &Map<String, Value>, place: Place<'_>) -> Result<Vec<Field>> {
        let required: Vec<&str> =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let mut fields = Vec::new();
        for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let value = self.value(schema, Place { property: name, ..place });
            fields.push(Field {
                name: name.clone(),
                required: required.contains(&name.as_str()),
                description: schema.as_object().and_then(|schema| text(schema, "description")),
                value: value.with_context(|| format!("the property `{name}`"))?,
            });
        }
        Ok(fields)
    }

    fn value(&mut self, schema: &Value, place: Place<'_>) -> Result<Type> {
        let schema = schema.as_object().context("the schema is not an object")?;
        if let Some(unknown) = schema.keys().find(|key| !KEYWORDS.contains(&key.as_str())) {
            bail!("the keyword `{unknown}` is not supported by the generator of clients");
        }
        if let Some(name) = reference(schema) {
            return self.referenced(name, place);
        }
        if let Some(words) = schema.get("enum").or_else(|| schema.get("const")) {
            return read_words(words);
        }
        if let Some(variants) = schema.get("anyOf").and_then(Value::as_array) {
            let types = variants.iter().map(|variant| self.value(variant, place)).collect::<Result<_>>()?;
            return Ok(Type::Union(types));
        }
        match schema.get("type").and_then(Value::as_str) {
            None if !schema.contains_key("type") => Ok(Type::Json),
            Some("string") => Ok(Type::Text),
            Some("integer") => Ok(Type::Integer),
            Some("number") => Ok(Type::Number),
            Some("boolean") => Ok(Type::Boolean),
            Some("array") => self.list(schema, place),
            Some("object") => self.object(schema, place),
            _ => bail!("the type `{}` is not supported by the generator of clients", schema["type"]),
        }
    }

    fn list(&mut self, schema: &Map<String, Value>, place: Place<'_>) -> Result<Type> {
        let item = self.value(schema.get("items").context("a list without `items`")?, place)?;
        let bound = |name: &str| schema.get(name).and_then(Value::as_u64);
        Ok(match (bound("minItems"), bound("maxItems")) {
            (Some(least), Some(most)) if least == most => Type::Tuple(Box::new(item), usize::try_from(most)?),
            _ => Type::List(Box::new(item)),
        })
    }

    fn object(&mut self, schema: &Map<String, Value>, place: Place<'_>) -> Result<Type> {
        if !schema.contains_key("properties") {
            let values = match schema.get("additionalProperties") {
                None | Some(Value::Bool(true)) => Type::Json,
                Some(values) => self.value(values, place)?,
            };
            return Ok(Type::Map(Box::new(values)));
        }
        let property = names::pascal(names::singular(place.property));
        for name in [names::pascal(&place.tool.name) + &property, place.parent.to_owned() + &property] {
            match self.definitions.iter().position(|definition| definition.name == name) {
                None => {
                    self.define(name.clone(), schema, place)?;
                    return Ok(Type::Named(name));
                }
                Some(known) => {
                    let fields = self.fields(schema, Place { parent: &name, ..place })?;
                    if is_same_record(&self.definitions[known].shape, &fields) {
                        return Ok(Type::Named(name));
                    }
                }
            }
        }
        bail!("another type has the name of this object already")
    }

    /// Adds the definition that a schema refers to, unless it has been added.
    fn referenced(&mut self, reference: &str, place: Place<'_>) -> Result<Type> {
        let name = self.definition_name(place.tool, reference);
        if self.definitions.iter().all(|definition| definition.name != name) {
            let schema = place.tool.definition(reference).and_then(Value::as_object);
            let schema = schema.with_context(|| format!("`{reference}` is not defined"))?;
            self.define(name.clone(), schema, place)?;
        }
        Ok(Type::Named(name))
    }

    /// The name of a definition of a tool in the clients.
    fn definition_name(&self, tool: &ToolSchemas, name: &str) -> String {
        // Types of the same name in different modules get a number. Equal types become one type here.
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_copy = base != name && tool.definition(base).is_some() && tool.expanded(base) == tool.expanded(name);
        let name = if is_copy { base } else { name };
        let clear = names::of_definition(name);
        if self.ambiguous.contains(name) { names::pascal(&tool.name) + &clear } else { clear }
    }
}

/// Compares names, types and optionality; descriptions may differ.
fn is_same_record(shape: &Shape, fields: &[Field]) -> bool {
    let Shape::Record(known) = shape else { return false };
    let facts = |field: &Field| (field.name.clone(), field.required, field.value.clone());
    known.iter().map(facts).eq(fields.iter().map(facts))
}

fn read_words(words: &Value) -> Result<Type> {
    let list = words.as_array().cloned().unwrap_or_else(|| vec![words.clone()]);
    let read: Option<Vec<String>> = list.iter().map(|word| word.as_str().map(str::to_owned)).collect();
    let read = read.with_context(|| format!("{words} has values that are not strings"))?;
    ensure!(!read.is_empty(), "an `enum` without values");
    Ok(Type::Words(read))
}

fn text(schema: &Map<String, Value>, name: &str) -> Option<String> {
    schema.get(name).and_then(Value::as_str).map(str::to_owned)
}
