//! From the command line to calls of the catalog: one function for each command.

use std::{
    io::Read as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::CommandFactory;
use marquetry_model::{Error, Result};
use marquetry_wire::{Catalog, mcp, rpc, serve, stdio};
use serde_json::{Map, Value, json};

use crate::{
    config::{self, Host},
    flags::{Command, Create, Edit, Flags, Query, Read, Target},
    plugins,
    show::{self, Style},
};

/// Stack of the threads that run tools: a guest may use two MiB of it, and the host some more.
const STACK: usize = 8 << 20;

/// Run the command.
pub(crate) fn run(flags: &Flags) -> Result<ExitCode> {
    if let Command::Completions { shell } = &flags.command {
        clap_complete::generate(*shell, &mut Flags::command(), "marq", &mut std::io::stdout());
        return Ok(ExitCode::SUCCESS);
    }
    let root = flags.root.clone().or_else(|| root_of(&flags.command));
    let host = config::host(root.as_deref())?;
    let style = Style::new(flags.json, flags.color);
    let catalog = Catalog::new(host.bench.clone());
    match &flags.command {
        Command::Read(read) => show::read(&call(&catalog, "file_read", &read_arguments(read)?)?, style),
        Command::Edit(edit) => show::change(&call(&catalog, "file_edit", &edit_arguments(edit)?)?, style),
        Command::Create(create) => show::change(&call(&catalog, "file_create", &create_arguments(create)?)?, style),
        Command::Query(query) => show::answer(&call(&catalog, "query", &query_arguments(query)?)?, style),
        Command::Undo { id, dry_run } => {
            show::change(&call(&catalog, "file_undo", &given(json!({ "id": id, "dryRun": dry_run })))?, style);
        }
        Command::History { limit } => {
            show::history(&call(&catalog, "file_history", &given(json!({ "limit": limit })))?, style)
        }
        Command::Tools { name } => show::tools(&catalog, name.as_deref(), style)?,
        Command::Call { tool, arguments } => {
            let answer = catalog.call(catalog.find(tool)?, &input(arguments)?)?;
            show::line(answer.get());
        }
        Command::Plugin(command) => plugins::run(&host, command, style)?,
        Command::Doctor => return Ok(plugins::doctor(&host, style)),
        Command::Rpc { .. } => runtime()?.block_on(stdio::serve(rpc::module(catalog)?))?,
        Command::Serve { port } => listen(&host, catalog, *port)?,
        Command::Mcp => runtime()?.block_on(mcp::serve(catalog))?,
        Command::Completions { .. } => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// A file named by an absolute path outside the current folder: its repository, or its folder, is the root.
fn root_of(command: &Command) -> Option<PathBuf> {
    let file = match command {
        Command::Read(read) => &read.file,
        Command::Edit(edit) => &edit.file,
        Command::Create(create) => &create.path,
        Command::Query(query) => query.path.as_ref()?,
        _ => return None,
    };
    let file = Path::new(file);
    let here = std::env::current_dir().ok()?;
    if !file.is_absolute() || file.starts_with(&here) {
        return None;
    }
    let folder = file.parent()?;
    let repository = folder.ancestors().find(|folder| folder.join(".git").exists());
    Some(repository.unwrap_or(folder).to_owned())
}

fn call(catalog: &Catalog, tool: &str, arguments: &Value) -> Result<Value> {
    let answer = catalog.call(catalog.find(tool)?, &arguments.to_string())?;
    serde_json::from_str(answer.get()).map_err(|error| Error::internal(error.to_string()))
}

/// The arguments without those that were not given.
fn given(arguments: Value) -> Value {
    match arguments {
        Value::Object(fields) => Value::Object(
            fields.into_iter().filter(|(_, value)| !value.is_null() && *value != Value::Bool(false)).collect(),
        ),
        other => other,
    }
}

fn input(text: &str) -> Result<String> {
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

fn read_arguments(read: &Read) -> Result<Value> {
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

fn edit_arguments(edit: &Edit) -> Result<Value> {
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

fn create_arguments(create: &Create) -> Result<Value> {
    let content = create.content.as_deref().map(input).transpose()?;
    let vars = pairs(&create.vars)?;
    Ok(given(json!({
        "path": create.path, "content": content, "template": create.template, "overwrite": create.overwrite,
        "dryRun": create.dry_run, "templateVars": if vars.is_empty() { Value::Null } else { Value::Object(vars) },
    })))
}

fn query_arguments(query: &Query) -> Result<Value> {
    let arguments = given(json!({ "type": query.r#type, "path": query.path }));
    Ok(merged(arguments, Value::Object(pairs(&query.arguments)?)))
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

fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(STACK)
        .build()
        .map_err(|error| Error::internal(format!("no runtime: {error}")))
}

fn listen(host: &Host, catalog: Catalog, port: u16) -> Result<()> {
    let token = serve::token()?;
    runtime()?.block_on(async {
        let running = serve::serve(rpc::module(catalog)?, port, token.clone()).await?;
        let discovery = config::Discovery::write(host, running.address, &token)?;
        show::line(&format!("listening on http://{0} and ws://{0}", running.address));
        show::line(&format!("token: {token}"));
        show::line(&format!("both are in {} until this ends", discovery.path().display()));
        tokio::select! {
            () = running.stopped() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        drop(discovery);
        Ok(())
    })
}
