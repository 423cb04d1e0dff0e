//! The types of a catalog, independent of any programming language.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

use crate::{
    names,
    schema::{Reader, ToolSchemas},
};

/// A type of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Type {
    Text,
    Integer,
    Number,
    Boolean,
    /// Any JSON.
    Json,
    /// One of these words.
    Words(Vec<String>),
    List(Box<Type>),
    /// A list of exactly this many items.
    Tuple(Box<Type>, usize),
    /// An object with any keys.
    Map(Box<Type>),
    /// A definition of the catalog.
    Named(String),
    Union(Vec<Type>),
}

/// A property of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) required: bool,
    pub(crate) description: Option<String>,
    pub(crate) value: Type,
}

/// The content of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape {
    Record(Vec<Field>),
    Alias(Type),
}

/// A named type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) shape: Shape,
    /// True if a program writes values of this type, false if it only reads them.
    pub(crate) is_input: bool,
}

/// A tool. Its arguments and its answer are definitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) arguments: String,
    pub(crate) result: String,
    /// True if a call without arguments is valid.
    pub(crate) is_callable_without_arguments: bool,
    /// The answer depends on the value of an argument.
    pub(crate) variants: Option<Variants>,
}

/// Answers that depend on one argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Variants {
    /// The argument.
    pub(crate) argument: &'static str,
    /// The property of the answer.
    pub(crate) property: &'static str,
    /// The type of the property for each value of the argument.
    pub(crate) types: Vec<(&'static str, String)>,
}

/// Everything that the clients have types for.
#[derive(Debug)]
pub(crate) struct Catalog {
    pub(crate) tools: Vec<Tool>,
    pub(crate) definitions: Vec<Definition>,
    pub(crate) error_kinds: Vec<String>,
}

impl Catalog {
    /// Reads the schemas of all tools.
    pub(crate) fn read(tools: &[ToolSchemas], error_kinds: Vec<String>) -> Result<Catalog> {
        let mut reader = Reader::new(tools);
        let mut read = Vec::new();
        for tool in tools {
            let tool = reader.read_tool(tool).with_context(|| format!("the schemas of `{}`", tool.name))?;
            read.push(tool);
        }
        let definitions = reader.into_definitions();
        let catalog = Catalog { tools: read, definitions, error_kinds };
        catalog.check()?;
        Ok(catalog)
    }

    /// Fails if two definitions have one name, or a name has no definition.
    fn check(&self) -> Result<()> {
        let mut shapes: BTreeMap<&str, &Definition> = BTreeMap::new();
        for definition in &self.definitions {
            let name = definition.name.as_str();
            ensure!(!names::RESERVED.contains(&name), "`{name}` has another meaning in TypeScript or Python");
            ensure!(shapes.insert(name, definition).is_none(), "two definitions have the name `{name}`");
        }
        let variants = self.tools.iter().filter_map(|tool| tool.variants.as_ref()).flat_map(|variants| &variants.types);
        for (_, name) in variants {
            ensure!(shapes.contains_key(name.as_str()), "`{name}` is not defined");
        }
        for definition in &self.definitions {
            let types: Vec<&Type> = match &definition.shape {
                Shape::Record(fields) => fields.iter().map(|field| &field.value).collect(),
                Shape::Alias(value) => vec![value],
            };
            for name in types.into_iter().flat_map(Type::names) {
                ensure!(shapes.contains_key(name), "`{}` refers to `{name}`, which is not defined", definition.name);
            }
        }
        Ok(())
    }

    /// The definition with this name.
    pub(crate) fn find(&self, name: &str) -> Option<&Definition> {
        self.definitions.iter().find(|definition| definition.name == name)
    }

    /// The properties of a record; empty for other definitions.
    pub(crate) fn fields(&self, name: &str) -> &[Field] {
        match self.find(name).map(|definition| &definition.shape) {
            Some(Shape::Record(fields)) => fields,
            _ => &[],
        }
    }
}

impl Type {
    /// The names of the definitions that a type refers to.
    pub(crate) fn names(&self) -> Vec<&str> {
        match self {
            Type::Named(name) => vec![name],
            Type::List(item) | Type::Tuple(item, _) | Type::Map(item) => item.names(),
            Type::Union(types) => types.iter().flat_map(Type::names).collect(),
            Type::Text | Type::Integer | Type::Number | Type::Boolean | Type::Json | Type::Words(_) => Vec::new(),
        }
    }
}
