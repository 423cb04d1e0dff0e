//! Writes the types of the Python client: `_tools.py`.

use std::fmt::Write as _;

use crate::{
    NOTICE, names, python_methods,
    types::{Catalog, Definition, Field, Shape, Tool, Type},
    typescript::wrap,
};

/// Maximum length of a line of generated documentation.
const LINE: usize = 112;

/// Words that cannot be names in Python.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Returns the module with all types and methods.
pub(crate) fn module(catalog: &Catalog) -> String {
    let mut out = format!(
        "# {NOTICE}\n\"\"\"Types of the arguments and answers of every tool, and a method for each tool.\"\"\"\n\n\
         from abc import ABC, abstractmethod\nfrom collections.abc import Callable, Mapping\n\
         from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar, Union, Unpack, cast, final, overload\n\n\
         from ._progress import Progress\n\n"
    );
    let kinds = words(&catalog.error_kinds, "");
    let _ = write!(out, "ErrorKind = {kinds}\n\"\"\"Kinds of errors of tools.\"\"\"\n");
    out += "\nData = TypeVar(\"Data\")\n";
    for definition in &catalog.definitions {
        let with_variants = |name: fn(&Tool) -> &String| {
            catalog.tools.iter().find(|tool| tool.variants.is_some() && *name(tool) == definition.name)
        };
        if let Some(tool) = with_variants(|tool| &tool.arguments) {
            out += &variant_arguments(tool, definition);
        } else if let Some(tool) = with_variants(|tool| &tool.result) {
            out += &variant_result(tool, definition);
        } else {
            out += &define(definition, "TypedDict");
        }
    }
    out + &python_methods::class(catalog)
}

/// Defines a type.
fn define(definition: &Definition, bases: &str) -> String {
    let Definition { name, description, shape, is_input } = definition;
    let fields = match shape {
        Shape::Alias(value) => {
            let doc = description.as_ref().map(|text| docstring(text, "")).unwrap_or_default();
            return format!("\n{name} = {}\n{doc}", print_at_runtime(value));
        }
        Shape::Record(fields) => fields,
    };
    if fields.iter().any(|field| KEYWORDS.contains(&field.name.as_str())) {
        return define_with_keywords(definition, fields);
    }
    // Answers are final, so that `"key" in answer` narrows a union.
    let decorator = if *is_input { "" } else { "@final\n" };
    let mut out = format!("\n\n{decorator}class {name}({bases}):\n");
    if let Some(description) = description {
        out += &docstring(description, "    ");
        out += "\n";
    }
    for (place, field) in fields.iter().enumerate() {
        let _ = writeln!(out, "    {}: {}", field.name, annotation(field));
        if let Some(description) = &field.description {
            out += &docstring(description, "    ");
            if place + 1 < fields.len() {
                out += "\n";
            }
        }
    }
    if fields.is_empty() && description.is_none() {
        out += "    pass\n";
    }
    out
}

/// Defines a type with a property whose name is a keyword, which the form of a class cannot have.
fn define_with_keywords(Definition { name, description, .. }: &Definition, fields: &[Field]) -> String {
    let mut out = format!("\n\n{name} = TypedDict(\n    \"{name}\",\n    {{\n");
    for field in fields {
        if let Some(description) = &field.description {
            for line in wrap(description, LINE - 10) {
                let _ = writeln!(out, "        # {line}");
            }
        }
        let _ = writeln!(out, "        \"{}\": {},", field.name, annotation(field));
    }
    out += "    },\n)\n";
    out + &description.as_ref().map(|text| docstring(text, "")).unwrap_or_default()
}

/// Defines arguments, and a base without the argument that selects the type of the answer.
fn variant_arguments(tool: &Tool, definition: &Definition) -> String {
    let Some(variants) = &tool.variants else { return String::new() };
    let Shape::Record(fields) = &definition.shape else { return String::new() };
    let base = names::pascal(&tool.name);
    let (selector, others): (Vec<Field>, Vec<Field>) =
        fields.iter().cloned().partition(|field| field.name == variants.argument);
    let alias = format!("{base}{}", names::pascal(variants.argument));
    let words = selector.first().map(|field| print(&field.value)).unwrap_or_default();
    let mut out = format!("\n{alias} = {words}\n\"\"\"Values of `{}`.\"\"\"\n", variants.argument);
    let options = Definition {
        name: format!("{base}Options"),
        description: Some(format!("Arguments of `{}` without `{}`.", tool.name, variants.argument)),
        shape: Shape::Record(others),
        is_input: true,
    };
    out += &define(&options, "TypedDict");
    let named = selector.into_iter().map(|field| Field { value: Type::Named(alias.clone()), ..field }).collect();
    out + &define(&Definition { shape: Shape::Record(named), ..definition.clone() }, &options.name)
}

/// Defines an answer with a type parameter for the property that depends on an argument.
fn variant_result(tool: &Tool, definition: &Definition) -> String {
    let (Some(variants), Shape::Record(fields)) = (&tool.variants, &definition.shape) else { return String::new() };
    let parameter = |field: &Field| match field.name == variants.property {
        true => Field { value: Type::Named("Data".to_owned()), ..field.clone() },
        false => field.clone(),
    };
    let shape = Shape::Record(fields.iter().map(parameter).collect());
    define(&Definition { shape, ..definition.clone() }, "TypedDict, Generic[Data]")
}

/// Returns the annotation of a property.
fn annotation(field: &Field) -> String {
    let value = print_quoted(&field.value);
    if field.required { value } else { format!("NotRequired[{value}]") }
}

/// Prints a type in quotes if it refers to definitions, which may follow later in the module.
fn print_quoted(value: &Type) -> String {
    let is_parameter = *value == Type::Named("Data".to_owned());
    if value.names().is_empty() || is_parameter { print(value) } else { format!("\"{}\"", print(value)) }
}

/// Prints the type of an alias, which Python evaluates.
fn print_at_runtime(value: &Type) -> String {
    match value {
        Type::Union(types) if !value.names().is_empty() => {
            let names = types.iter().map(|of| format!("\n    \"{}\",", print(of))).collect::<String>();
            format!("Union[{names}\n]")
        }
        _ => print(value),
    }
}

/// Prints a type.
pub(crate) fn print(value: &Type) -> String {
    match value {
        Type::Text => "str".to_owned(),
        Type::Integer => "int".to_owned(),
        Type::Number => "float".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Json => "Any".to_owned(),
        Type::Words(words) => self::words(words, ""),
        Type::List(item) => format!("list[{}]", print(item)),
        Type::Tuple(item, _) => format!("list[{}]", print(item)),
        Type::Map(values) => format!("dict[str, {}]", print(values)),
        Type::Named(name) => name.clone(),
        Type::Union(types) => types.iter().map(print).collect::<Vec<_>>().join(" | "),
    }
}

/// Prints a literal type, one word a line if it is long.
fn words(words: &[String], indent: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    let line = format!("Literal[{}]", quoted.join(", "));
    if line.len() <= 80 {
        return line;
    }
    let lines = quoted.iter().map(|word| format!("\n{indent}    {word},")).collect::<String>();
    format!("Literal[{lines}\n{indent}]")
}

/// Prints a documentation string.
pub(crate) fn docstring(text: &str, indent: &str) -> String {
    let text = text.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
    // A quote at the end would join the closing quotes.
    let text = text.strip_suffix('"').map(|start| format!("{start}\\\"")).unwrap_or(text);
    let lines = wrap(&text, LINE - indent.len() - 6);
    match lines.as_slice() {
        [only] => format!("{indent}\"\"\"{only}\"\"\"\n"),
        lines => format!("{indent}\"\"\"{}\n{indent}\"\"\"\n", lines.join(&format!("\n{indent}"))),
    }
}
