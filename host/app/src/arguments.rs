//! From the flags of a command to the arguments of its tool.

use std::io::Read as _;

use marquetry_model::{Error, Result};
use serde_json::{Map, Value, json};

use crate::flags::{Create, Delete, Duplicate, Edit, Move, Query, Read, Rename, RenameSymbol, Target};

/// The arguments without those that were not given.
pub(crate) fn given(arguments: Value) -> Value {
    match arguments {
        Value::Object(fields) => Value::Object(
            fields.into_iter().filter(|(_, value)| !value.is_null() && *value != Value::Bool(false)).collect(),
        ),
        other => other,
    }
}

/// An argument, or standard input for `-`.
pub(crate) fn input(text: &str) -> Result<String> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| Error::argument(format!("standard input: {error}")))?;
    Ok(text)
}

fn place(target: &Target) -> Value {
    given(json!({
        "symbol": target.symbol, "path": target.path, "selector": target.selector, "xpath": target.xpath,
        "heading": target.heading, "region": target.region, "lines": target.lines,
    }))
}

fn merged(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Object(mut a), Value::Object(b)) => {
            a.extend(b);
            Value::Object(a)
        }
        (a, _) => a,
    }
}

pub(crate) fn read(read: &Read) -> Result<Value> {
    let arguments = given(json!({
        "file": read.file, "format": read.format, "maxLines": read.max_lines, "limit": read.limit, "includeDoc": read.include_doc,
    }));
    let target = match (&read.target, read.around) {
        (Some(target), Some(context)) => json!({ "around": { "target": target, "context": context } }),
        (Some(target), None) => json!({ "target": target }),
        (None, _) => json!({}),
    };
    Ok(merged(merged(arguments, place(&read.place)), target))
}

pub(crate) fn edit(edit: &Edit) -> Result<Value> {
    let content = edit.content.as_deref().map(input).transpose()?;
    let wrapper = match (&edit.before, &edit.after) {
        (None, None) => Value::Null,
        (before, after) => {
            json!({ "before": before.clone().unwrap_or_default(), "after": after.clone().unwrap_or_default() })
        }
    };
    Ok(given(json!({
        "file": edit.file, "target": edit.target, "operation": edit.operation, "content": content, "wrapper": wrapper,
        "position": edit.position, "old": edit.old, "all": edit.all, "includeDoc": edit.include_doc, "force": edit.force,
        "dryRun": edit.dry_run, "expectedHash": edit.expected_hash,
    })))
}

pub(crate) fn create(create: &Create) -> Result<Value> {
    let content = create.content.as_deref().map(input).transpose()?;
    let vars = pairs(&create.vars)?;
    Ok(given(json!({
        "path": create.path, "content": content, "template": create.template, "overwrite": create.overwrite,
        "dryRun": create.dry_run, "templateVars": if vars.is_empty() { Value::Null } else { Value::Object(vars) },
    })))
}

pub(crate) fn move_(args: &Move) -> Value {
    merged(
        given(json!({
            "source": args.source, "destination": args.destination, "overwrite": args.overwrite, "dryRun": args.dry_run,
        })),
        updating(args.no_update_imports),
    )
}

pub(crate) fn rename(args: &Rename) -> Result<Value> {
    let arguments = given(json!({
        "path": args.path, "newName": args.new_name, "renameExports": args.rename_exports,
        "exportMapping": mapping(&args.exports)?, "overwrite": args.overwrite, "dryRun": args.dry_run,
    }));
    Ok(merged(arguments, updating(args.no_update_imports)))
}

pub(crate) fn delete(args: &Delete) -> Value {
    merged(
        given(json!({
            "paths": args.paths, "recursive": args.recursive, "safe": args.safe, "dryRun": args.dry_run,
        })),
        updating(args.no_update_imports),
    )
}

pub(crate) fn duplicate(args: &Duplicate) -> Result<Value> {
    Ok(given(json!({
        "source": args.source, "destination": args.destination, "renameSymbols": args.rename_symbols,
        "symbolMapping": mapping(&args.symbols)?, "overwrite": args.overwrite, "dryRun": args.dry_run,
    })))
}

pub(crate) fn rename_symbol(args: &RenameSymbol) -> Value {
    given(json!({
        "refactor": "rename_symbol", "file": args.file, "symbol": args.symbol, "newName": args.new_name, "line": args.line,
        "column": args.column, "scope": args.scope, "dryRun": args.dry_run, "expectedHash": args.expected_hash,
    }))
}

pub(crate) fn query(query: &Query) -> Result<Value> {
    // What is looked for in the whole workspace has no file: the one word given is its name.
    let (path, name) =
        if query.r#type == "workspaceSymbols" { (None, &query.path) } else { (query.path.as_ref(), &None) };
    let arguments = given(json!({
        "type": query.r#type, "path": path, "query": name, "symbol": query.symbol.as_ref().or(query.anywhere.as_ref()),
        "line": query.line, "column": query.column, "direction": query.direction, "kind": query.kind, "limit": query.limit,
        "includeDeclaration": query.include_declaration, "severity": query.severity,
    }));
    Ok(merged(arguments, Value::Object(pairs(&query.arguments)?)))
}

/// Updating is what the tools do unless they are told otherwise.
fn updating(not: bool) -> Value {
    if not { json!({ "updateImports": false }) } else { json!({}) }
}

/// `OLD=NEW`, as a map of names.
fn mapping(list: &[String]) -> Result<Value> {
    let mut names = Map::new();
    for pair in list {
        let (old, new) = pair.split_once('=').ok_or_else(|| Error::argument(format!("`{pair}` is not OLD=NEW")))?;
        names.insert(old.to_owned(), new.into());
    }
    Ok(if names.is_empty() { Value::Null } else { Value::Object(names) })
}

/// `NAME=VALUE`; a value that is a number or a truth value is one.
fn pairs(list: &[String]) -> Result<Map<String, Value>> {
    list.iter()
        .map(|pair| {
            let (name, value) =
                pair.split_once('=').ok_or_else(|| Error::argument(format!("`{pair}` is not NAME=VALUE")))?;
            let parsed =
                serde_json::from_str::<Value>(value).ok().filter(|value| value.is_number() || value.is_boolean());
            Ok((name.to_owned(), parsed.unwrap_or_else(|| Value::String(value.to_owned()))))
        })
        .collect()
}
