//! From the command line to calls of the catalog: one function for each command.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::CommandFactory;
use marquetry_model::{Error, Result};
use marquetry_wire::{Catalog, mcp, rpc, serve, stdio};
use serde_json::{Value, json, value::RawValue};

use crate::{
    arguments::{self, given, input},
    config::{self, Host},
    flags::{Command, Flags},
    plugins,
    show::{self, Style},
    terminal,
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
    if run_tool(&catalog, &flags.command, style)? {
        return Ok(ExitCode::SUCCESS);
    }
    match &flags.command {
        Command::Tools { name } => show::tools(&catalog, name.as_deref(), style)?,
        Command::Call { tool, arguments } => {
            show::line(raw(&catalog, tool, &input(arguments)?)?.get());
        }
        Command::Plugin(command) => plugins::run(&host, command, style)?,
        Command::Doctor => return Ok(plugins::doctor(&host, style)),
        Command::Rpc { .. } => stdio::serve(rpc::direct(catalog)?)?,
        Command::Serve { port } => listen(&host, catalog, *port)?,
        Command::Mcp => runtime()?.block_on(mcp::serve(catalog))?,
        _ => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// The commands that are one call of a tool. False for all others.
fn run_tool(catalog: &Catalog, command: &Command, style: Style) -> Result<bool> {
    let changed = |tool: &str, arguments: &Value| -> Result<()> {
        show::change(&call(catalog, tool, arguments)?, style);
        Ok(())
    };
    match command {
        Command::Read(read) => show::read(&call(catalog, "file_read", &arguments::read(read)?)?, style),
        Command::Edit(edit) => changed("file_edit", &arguments::edit(edit)?)?,
        Command::Create(create) => changed("file_create", &arguments::create(create)?)?,
        Command::Move(args) => changed("file_move", &arguments::move_(args))?,
        Command::Rename(args) => changed("file_rename", &arguments::rename(args)?)?,
        Command::Delete(args) => changed("file_delete", &arguments::delete(args))?,
        Command::Duplicate(args) => changed("file_duplicate", &arguments::duplicate(args)?)?,
        Command::RenameSymbol(args) => changed("file_edit", &arguments::rename_symbol(args))?,
        Command::Undo { id, dry_run } => changed("file_undo", &given(json!({ "id": id, "dryRun": dry_run })))?,
        Command::Query(query) => show::answer(&call(catalog, "query", &arguments::query(query)?)?, style),
        Command::History { limit } => {
            show::history(&call(catalog, "file_history", &given(json!({ "limit": limit })))?, style);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// A file named by an absolute path outside the current folder: its repository, or its folder, is the root.
fn root_of(command: &Command) -> Option<PathBuf> {
    let file = match command {
        Command::Read(read) => &read.file,
        Command::Edit(edit) => &edit.file,
        Command::Create(create) => &create.path,
        Command::Move(args) => &args.source,
        Command::Rename(args) => &args.path,
        Command::Delete(args) => args.paths.first()?,
        Command::Duplicate(args) => &args.source,
        Command::RenameSymbol(args) => &args.file,
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

/// A call in front of a person: progress is shown, and Ctrl-C cancels it.
fn raw(catalog: &Catalog, tool: &str, arguments: &str) -> Result<Box<RawValue>> {
    let tool = catalog.find(tool)?;
    terminal::attended(|work| catalog.call(tool, arguments, work))
}

fn call(catalog: &Catalog, tool: &str, arguments: &Value) -> Result<Value> {
    let answer = raw(catalog, tool, &arguments.to_string())?;
    serde_json::from_str(answer.get()).map_err(|error| Error::internal(error.to_string()))
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
