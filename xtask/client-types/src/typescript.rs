//! Writes the types of the TypeScript client: `tools.d.ts`.

use std::fmt::Write as _;

use crate::{
    NOTICE, names,
    types::{Catalog, Definition, Field, Shape, Tool, Type},
    typescript_methods,
};

/// Maximum length of a line of generated comments.
const LINE: usize = 116;

/// Returns the declarations of all types and methods.
pub(crate) fn declarations(catalog: &Catalog) -> String {
    let mut out = format!("// {NOTICE}\n\nimport type {{ CallOptions }} from './client.js'\n");
    let kinds = catalog.error_kinds.iter().map(|kind| format!("\n  | '{kind}'")).collect::<String>();
    let _ = write!(out, "\n/** Kinds of errors of tools. */\nexport type ErrorKind ={kinds}\n");
    for definition in &catalog.definitions {
        let tool = catalog.tools.iter().find(|tool| tool.variants.is_some() && tool.result == definition.name);
        match tool {
            Some(tool) => out += &variant_result(catalog, tool, definition),
            None => out += &declare(definition, &definition.name, None),
        }
    }
    out += "\n/** The arguments and the answer of every tool. */\nexport interface ToolTypes {\n";
    for Tool { name, arguments, result, .. } in &catalog.tools {
        let _ = writeln!(out, "  {name}: {{ arguments: {arguments}; result: {result} }}");
    }
    out + "}\n" + &typescript_methods::class(catalog)
}

/// Declares a definition. `instead` is the property that has another type, and that type.
fn declare(definition: &Definition, head: &str, instead: Option<(&str, &str)>) -> String {
    let mut out = String::from("\n");
    if let Some(description) = &definition.description {
        out += &comment(description, "");
    }
    match &definition.shape {
        Shape::Alias(value) => {
            let start = format!("export type {head} =");
            let printed = print_within((value, definition.is_input), start.len(), "");
            let separator = if printed.starts_with('\n') { "" } else { " " };
            let _ = writeln!(out, "{start}{separator}{printed}");
        }
        Shape::Record(fields) => {
            let _ = writeln!(out, "export interface {head} {{");
            for field in fields {
                if let Some(description) = &field.description {
                    out += &comment(description, "  ");
                }
                let printed = match instead {
                    Some((name, value)) if name == field.name => format!("  {name}: {value}\n"),
                    _ => property(field, definition.is_input),
                };
                out += &printed;
            }
            out += "}\n";
        }
    }
    out
}

fn property(Field { name, required, value, .. }: &Field, is_input: bool) -> String {
    let start = if *required { format!("  {name}:") } else { format!("  {name}?:") };
    // `undefined` is the same as leaving an argument out.
    let end = if is_input && !required { " | undefined" } else { "" };
    let printed = print_within((value, is_input), start.len() + end.len(), "  ");
    let end = if end.is_empty() || !printed.starts_with('\n') { end.to_owned() } else { format!("\n   {end}") };
    let separator = if printed.starts_with('\n') { "" } else { " " };
    format!("{start}{separator}{printed}{end}\n")
}

/// Prints a type after this many characters. A union that does not fit has one line for each of its types.
fn print_within((value, is_input): (&Type, bool), before: usize, indent: &str) -> String {
    let printed = print(value, is_input);
    if before + 1 + printed.len() <= LINE || !matches!(value, Type::Words(_) | Type::Union(_)) {
        return printed;
    }
    printed.split(" | ").map(|part| format!("\n{indent}  | {part}")).collect()
}

/// Declares a result whose property depends on an argument.
fn variant_result(catalog: &Catalog, tool: &Tool, definition: &Definition) -> String {
    let Some(variants) = &tool.variants else { return String::new() };
    let base = names::pascal(&tool.name);
    let argument = names::pascal(variants.argument);
    let property = names::pascal(variants.property);
    let words = catalog.fields(&tool.arguments).iter().find(|field| field.name == variants.argument);
    let alias = Definition {
        name: format!("{base}{argument}"),
        description: Some(format!("Values of `{}`.", variants.argument)),
        shape: Shape::Alias(words.map_or(Type::Text, |field| field.value.clone())),
        is_input: true,
    };
    let mut out = declare(&alias, &alias.name, None);
    let _ = write!(
        out,
        "\n/** The type of `{}` for each `{}`. */\nexport interface {base}{property}By{argument} {{\n",
        variants.property, variants.argument
    );
    for (value, name) in &variants.types {
        let _ = writeln!(out, "  {value}: {name}");
    }
    out += "}\n";
    let head = format!("{}<T extends {base}{argument} = {base}{argument}>", tool.result);
    let value = format!("{base}{property}By{argument}[T]");
    out + &declare(definition, &head, Some((variants.property, &value)))
}

/// Prints a type. A program may pass lists that it must not change, so input has other lists than output.
pub(crate) fn print(value: &Type, is_input: bool) -> String {
    let print = |value: &Type| print(value, is_input);
    match value {
        Type::Text => "string".to_owned(),
        Type::Integer | Type::Number => "number".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Json => "unknown".to_owned(),
        Type::Words(words) => words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" | "),
        Type::List(item) if is_input => format!("ReadonlyArray<{}>", print(item)),
        Type::List(item) => format!("Array<{}>", print(item)),
        Type::Tuple(item, length) => {
            let items = vec![print(item); *length].join(", ");
            if is_input { format!("readonly [{items}]") } else { format!("[{items}]") }
        }
        Type::Map(values) => format!("Record<string, {}>", print(values)),
        Type::Named(name) => name.clone(),
        Type::Union(types) => types.iter().map(print).collect::<Vec<_>>().join(" | "),
    }
}

/// Prints a comment, on one line if it fits.
pub(crate) fn comment(text: &str, indent: &str) -> String {
    let text = text.replace("*/", "*\\/");
    let lines = wrap(&text, LINE - indent.len());
    match lines.as_slice() {
        [only] => format!("{indent}/** {only} */\n"),
        lines => {
            let lines = lines.iter().map(|line| format!("{indent} * {line}\n")).collect::<String>();
            format!("{indent}/**\n{lines}{indent} */\n")
        }
    }
}

/// Breaks a text into lines of at most this many characters, except for longer words.
pub(crate) fn wrap(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let length = lines.last().map_or(0, |line| line.chars().count());
        if length > 0 && length + 1 + word.chars().count() > most {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
