//! Runs the commands of the command line, with one function each.

use std::{
    future::Future,
    path::{Component, Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use marquetry_catalog::{Answer, Catalog, tool_list};
use marquetry_model::{Error, Result};
use marquetry_runtime::ApprovalChange;
use marquetry_wire::{ServedCatalog, mcp, mcp::Settings, serve, stdio};
use serde_json::{Map, Value};

use crate::{
    clean,
    config::{self, Host},
    flags::{self, Command, Flags, GlobalFlags, Invocation, Pager},
    help, hook, ide, init, language_servers, man, page_address, plugins, recover,
    show::{self, Output},
    signals::Signals,
    subprocess, templates, terminal, tool_commands,
    ui::{self, Opening},
};

/// Stack size, in bytes, of the threads that run tools. A guest may use 2 MiB of it; the rest is for the host.
const STACK: usize = 8 << 20;

/// Runs the command.
pub(crate) fn run(flags: &Flags) -> Result<ExitCode> {
    let (everywhere, output) = (&flags.global, Output::new(flags.global.json, flags.global.color));
    let command = match &flags.command {
        Invocation::Open(arguments, pager) => {
            let arguments = &resolve_root(arguments, everywhere);
            let catalog = catalog_for_call(arguments, everywhere)?;
            if !catalog.bench().editors().is_any_attached() {
                return show_in_terminal(&catalog, arguments.clone(), *pager, output);
            }
            let answer = call(&catalog, "open", arguments.clone())?.to_json()?;
            show::answer("open", &answer, output);
            return Ok(exit_code(&answer));
        }
        Invocation::Tool(tool, arguments) => {
            let arguments = &resolve_root(arguments, everywhere);
            let catalog = catalog_for_call(arguments, everywhere)?;
            show::answer(tool, &call(&catalog, tool, arguments.clone())?.to_json()?, output);
            return Ok(ExitCode::SUCCESS);
        }
        Invocation::Other(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut flags::cli(), "marq", &mut script);
            show::bytes(&script);
            return Ok(ExitCode::SUCCESS);
        }
        Invocation::Other(Command::Help { words }) => {
            show::bytes(help::page(flags::cli(), words)?.as_bytes());
            return Ok(ExitCode::SUCCESS);
        }
        Invocation::Other(Command::Man { command }) => {
            show::bytes(man::page(command.as_deref())?.as_bytes());
            return Ok(ExitCode::SUCCESS);
        }
        Invocation::Other(Command::Hook) => return Ok(hook::run()),
        Invocation::Other(Command::RenderTemplate) => return Ok(templates::run_renderer()),
        Invocation::Other(Command::CompilePlugin) => return Ok(subprocess::compile()),
        Invocation::Other(command) => command,
    };
    // A server that other programs can reach serves only the given roots. In a process for one caller, calls may name
    // other roots.
    let private =
        !matches!(command, Command::Mcp(_) | Command::Serve { .. } | Command::Ui { .. } | Command::Ide { .. });
    // Clients have configuration outside of the project.
    let about_clients = matches!(command, Command::Init(_) | Command::Doctor { .. });
    let any = everywhere.any_root || about_clients || (private && everywhere.root.is_empty());
    if !private && everywhere.root.is_empty() {
        config::check_implicit_root()?;
    }
    let host = config::host(&everywhere.root, any, everywhere)?;
    let catalog = host.catalog.clone();
    let ran = run_command(command, &host, catalog, output);
    if let Some(servers) = &host.servers {
        servers.stop_all();
    }
    ran
}

fn run_command(command: &Command, host: &Host, catalog: Catalog, output: Output) -> Result<ExitCode> {
    match command {
        Command::Init(flags) => return init::run(host, flags, output),
        Command::Tools { name, format: Some(format) } => {
            let only = name.as_deref().map(|name| catalog.find(name)).transpose()?;
            show::json(&match format.format() {
                Some(format) => tool_list(&catalog, only, format),
                None => mcp::listed_tools(&catalog, only),
            });
        }
        Command::Tools { name, format: None } => show::tools(&catalog, name.as_deref(), output)?,
        Command::Call { tool, arguments } => {
            show::line(call(&catalog, tool, parse_arguments(arguments)?)?.to_json_text()?.get());
        }
        Command::Plugin(command) => return plugins::run(host, command, output),
        Command::Trust { allow, revoke } => {
            let given = allow.as_deref().map(|names| ApprovalChange { allow: true, names });
            let taken = revoke.as_deref().map(|names| ApprovalChange { allow: false, names });
            plugins::trust(host, given.or(taken), output)?;
        }
        Command::Recover { give_up, take_back } => {
            recover::run(host, (give_up.as_deref(), take_back.as_deref()), output)?;
        }
        Command::Clean { purge: None, yes } => clean::run(host, *yes, output)?,
        Command::Clean { purge: Some(path), yes } => clean::purge(host, path, *yes, output)?,
        Command::Servers => language_servers::list(host, output)?,
        Command::Doctor { compile } => return Ok(plugins::doctor(host, *compile, output)),
        Command::Rpc { .. } => {
            end_on_signal_after_calls(host, &catalog);
            stdio::serve(ServedCatalog::new(catalog))?;
            host.editors.end();
        }
        Command::Serve { port, no_ide, mcp } => {
            let endpoint = (!no_ide).then_some(ide::Options::default());
            listen(host, ServedCatalog::new(catalog), mcp.settings(), *port, endpoint, Opening::PrintAddress)?;
        }
        Command::Ui { port, no_open } => {
            let opening = if *no_open { Opening::PrintWithToken } else { Opening::Browser };
            if !ui::open_running(host, opening)? {
                let endpoint = Some(ide::Options::default());
                listen(host, ServedCatalog::new(catalog), Settings::default(), *port, endpoint, opening)?;
            }
        }
        Command::Ide { port, quiet } => {
            listen_for_ide(host, &ServedCatalog::new(catalog), ide::Options { port: *port, quiet: *quiet })?
        }
        Command::Mcp(mcp) => {
            end_on_signal_after_calls(host, &catalog);
            run_server(mcp::serve(ServedCatalog::new(catalog), mcp.settings()))?;
            host.editors.end();
        }
        // Handled before the host is created.
        Command::Completions { .. }
        | Command::Help { .. }
        | Command::Man { .. }
        | Command::Hook
        | Command::RenderTemplate
        | Command::CompilePlugin => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the arguments of a call. Without `--root`, paths that leave the current folder are made absolute. With it,
/// paths are relative to the given root and not changed.
fn resolve_root(arguments: &Map<String, Value>, everywhere: &GlobalFlags) -> Map<String, Value> {
    if everywhere.root.is_empty() { resolve_parent_paths(arguments) } else { arguments.clone() }
}

/// Creates the catalog for one call, with the root that it needs.
fn catalog_for_call(arguments: &Map<String, Value>, everywhere: &GlobalFlags) -> Result<Catalog> {
    let outside = root_of_arguments(arguments).filter(|_| everywhere.root.is_empty());
    let roots = outside.map_or_else(|| everywhere.root.clone(), |root| vec![root]);
    Ok(config::host(&roots, everywhere.any_root, everywhere)?.catalog)
}

/// Shows files on the terminal; used if no editor is attached.
fn show_in_terminal(
    catalog: &Catalog,
    arguments: Map<String, Value>,
    pager: Pager,
    output: Output,
) -> Result<ExitCode> {
    let answer = terminal::run_interactively(|work| catalog.open_content(arguments, work))?;
    show::answer_in_pager("open", &answer, output, pager);
    Ok(exit_code(&answer))
}

/// Returns the exit code of an answer.
fn exit_code(answer: &Value) -> ExitCode {
    if answer["success"] == false { ExitCode::from(2) } else { ExitCode::SUCCESS }
}

/// Lets a server that receives a signal finish its calls before it ends, so that no change is left half done.
fn end_on_signal_after_calls(host: &Host, catalog: &Catalog) {
    let (catalog, editors, servers) = (catalog.clone(), Arc::clone(&host.editors), host.servers.clone());
    terminal::end_on_signal(move || {
        catalog.shut_down();
        editors.end();
        servers.iter().for_each(|servers| servers.stop_all());
    });
}

/// Names of arguments that are paths.
const PATHS: [&str; 8] = ["file", "source", "destination", "path", "left", "right", "paths", "files"];

/// Returns the arguments with all paths made absolute if one of them leaves the current folder, as `../package.json`
/// does: the call then has another root.
fn resolve_parent_paths(arguments: &Map<String, Value>) -> Map<String, Value> {
    let Ok(here) = std::env::current_dir() else { return arguments.clone() };
    let leaves = |path: &str| path == ".." || path.starts_with("../");
    if !path_arguments(arguments).any(|(_, path)| leaves(path)) {
        return arguments.clone();
    }
    // Other texts, such as a JSONPath in `path`, are not names of files.
    let is_path = |name: &str, path: &str| leaves(path) || name == "destination" || here.join(path).exists();
    let resolve = |name: &str, value: &mut Value| {
        if let Some(path) = value.as_str().filter(|path| is_path(name, path)) {
            *value = normalize(&here.join(path)).display().to_string().into();
        }
    };
    let mut arguments = arguments.clone();
    for name in PATHS {
        match arguments.get_mut(name) {
            Some(Value::Array(list)) => list.iter_mut().for_each(|value| resolve(name, value)),
            Some(value) => resolve(name, value),
            None => {}
        }
    }
    arguments
}

/// Returns the arguments that are paths, each with its name.
fn path_arguments(arguments: &Map<String, Value>) -> impl Iterator<Item = (&'static str, &str)> {
    PATHS.iter().flat_map(|name| match arguments.get(*name) {
        Some(Value::Array(list)) => list.iter().filter_map(|value| Some((*name, value.as_str()?))).collect(),
        Some(value) => value.as_str().map(|path| (*name, path)).into_iter().collect::<Vec<_>>(),
        None => Vec::new(),
    })
}

/// Removes `.` and `..` from a path.
fn normalize(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, component| {
        match component {
            Component::ParentDir => _ = path.pop(),
            Component::CurDir => {}
            other => path.push(other),
        }
        path
    })
}

/// Returns the root of the first file named by an absolute path outside the current folder: its repository, or its
/// folder.
fn root_of_arguments(arguments: &Map<String, Value>) -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    // For a glob, only the part before its first wildcard is used.
    let start = |path: &'_ str| path.find(['*', '?', '{']).unwrap_or(path.len());
    let mut files = path_arguments(arguments).map(|(_, path)| Path::new(&path[..start(path)]));
    let folder = files.find(|file| file.is_absolute() && !file.starts_with(&here))?.parent()?;
    let repository = folder.ancestors().find(|folder| folder.join(".git").exists());
    Some(repository.unwrap_or(folder).to_owned())
}

/// Parses the arguments of `marq call`. A root is relative to the current folder.
fn parse_arguments(text: &str) -> Result<Map<String, Value>> {
    let text = if text == "-" { tool_commands::read_stdin()? } else { text.to_owned() };
    let mut given: Map<String, Value> = serde_json::from_str(&text)
        .map_err(|error| Error::argument(format!("the arguments are not a JSON object: {error}")))?;
    if let Some(root) = given.get_mut("root")
        && let Some(named) = root.as_str().filter(|named| !named.contains("://"))
    {
        *root = config::absolute(Path::new(named))?.display().to_string().into();
    }
    Ok(given)
}

/// Runs a call interactively: shows progress, and Ctrl-C cancels it.
fn call(catalog: &Catalog, tool: &str, arguments: Map<String, Value>) -> Result<Box<dyn Answer>> {
    let tool = catalog.find(tool)?;
    terminal::run_interactively(|work| {
        work.set_client(config::PROGRAM);
        catalog.call(tool, arguments, work)
    })
}

/// Runs a server until it ends. Work that is still running then is abandoned, because its result is not needed.
fn run_server<T>(serving: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(STACK)
        .build()
        .map_err(|error| Error::internal(format!("cannot start the async runtime: {error}")))?;
    let ended = runtime.block_on(serving);
    runtime.shutdown_background();
    ended
}

fn listen(
    host: &Host,
    catalog: ServedCatalog,
    settings: Settings,
    port: u16,
    endpoint: Option<ide::Options>,
    opening: Opening,
) -> Result<()> {
    let token = serve::token()?;
    run_server(async {
        // From here on, a signal does not end the process before the discovery file is removed.
        let mut signals = Signals::watch();
        let running = serve::serve(catalog.clone(), settings, port, token.clone()).await?;
        let discovery = config::Discovery::write(host, running.address, &token)?;
        recover::roll_back_in_background(host);
        show::line(&format!("listening on http://{0} and ws://{0}", running.address));
        show::line(&format!("token: {token}"));
        show::line(&format!("both are stored in {} until the server ends", discovery.path().display()));
        show::line(&format!("MCP: http://{}{}", running.address, serve::MCP));
        ui::open(&discovery.page_file(), &page_address::page_url(running.address, &token), opening);
        let endpoint = match endpoint {
            Some(wanted) => start_ide_endpoint(&catalog, wanted).await,
            None => None,
        };
        tokio::select! {
            () = running.stopped() => {}
            _ = signals.next() => {}
        }
        drop(discovery);
        if let Some(endpoint) = endpoint {
            endpoint.stop().await;
        }
        catalog.shut_down();
        host.editors.end();
        Ok(())
    })
}

/// Starts the endpoint to which Claude Code connects, in the process of a server. If that fails, the server runs
/// without it.
async fn start_ide_endpoint(catalog: &ServedCatalog, wanted: ide::Options) -> Option<ide::Endpoint> {
    match ide::Endpoint::start(catalog, wanted).await {
        Ok(endpoint) => {
            endpoint.print_address();
            Some(endpoint)
        }
        Err(error) => {
            tracing::warn!("cannot open the endpoint for Claude Code: {error}");
            None
        }
    }
}

fn listen_for_ide(host: &Host, catalog: &ServedCatalog, wanted: ide::Options) -> Result<()> {
    run_server(async {
        // From here on, a signal does not end the process before the lock files are removed.
        let mut signals = Signals::watch();
        let endpoint = ide::Endpoint::start(catalog, wanted).await?;
        endpoint.print_address();
        tokio::select! {
            () = endpoint.stopped() => {}
            _ = signals.next() => {}
        }
        endpoint.stop().await;
        catalog.shut_down();
        host.editors.end();
        Ok(())
    })
}
