//! Runs the commands of the command line, with one function each.

use std::{
    future::Future,
    path::{Component, Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use marquetry_model::{Error, Result};
use marquetry_runtime::Saying;
use marquetry_wire::{Catalog, catalog::Answer, mcp, mcp::Settings, serve, stdio};
use serde_json::{Map, Value};

use crate::{
    apart, clean,
    config::{self, Host},
    doorway,
    flags::{self, Command, Everywhere, Flags, Pager, Run},
    help, ide, man, plugins, recover,
    show::{self, Output},
    signals::Signals,
    templates, terminal, tool_commands,
    ui::{self, Opening},
};

/// Stack of threads that run tools: a guest may use two MiB of it, and the host needs some more.
const STACK: usize = 8 << 20;

/// Runs the command.
pub(crate) fn run(flags: &Flags) -> Result<ExitCode> {
    let (everywhere, output) = (&flags.everywhere, Output::new(flags.everywhere.json, flags.everywhere.color));
    let command = match &flags.command {
        Run::Open(arguments, pager) => {
            let arguments = &from_root(arguments, everywhere);
            let catalog = for_call(arguments, everywhere)?;
            if !catalog.bench().editors().is_any_attached() {
                return here(&catalog, arguments.clone(), *pager, output);
            }
            let answer = call(&catalog, "open", arguments.clone())?.value()?;
            show::answer("open", &answer, output);
            return Ok(code_of(&answer));
        }
        Run::Tool(tool, arguments) => {
            let arguments = &from_root(arguments, everywhere);
            let catalog = for_call(arguments, everywhere)?;
            show::answer(tool, &call(&catalog, tool, arguments.clone())?.value()?, output);
            return Ok(ExitCode::SUCCESS);
        }
        Run::Other(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut flags::grammar(), "marq", &mut script);
            show::bytes(&script);
            return Ok(ExitCode::SUCCESS);
        }
        Run::Other(Command::Help { words }) => {
            show::bytes(help::page(words)?.as_bytes());
            return Ok(ExitCode::SUCCESS);
        }
        Run::Other(Command::Man { command }) => {
            show::bytes(man::page(command.as_deref())?.as_bytes());
            return Ok(ExitCode::SUCCESS);
        }
        Run::Other(Command::RenderTemplate) => return Ok(templates::answer()),
        Run::Other(Command::CompilePlugin) => return Ok(apart::compile()),
        Run::Other(command) => command,
    };
    // A server that others can reach serves only the given roots; in a private process, calls may name other roots.
    let private =
        !matches!(command, Command::Mcp(_) | Command::Serve { .. } | Command::Ui { .. } | Command::Ide { .. });
    let any = everywhere.any_root || (private && everywhere.root.is_empty());
    if !private && everywhere.root.is_empty() {
        config::check_implicit_root()?;
    }
    let host = config::host(&everywhere.root, any, everywhere)?;
    let catalog = Catalog::new(host.bench.clone());
    let ran = run_command(command, &host, catalog, output);
    if let Some(servers) = &host.servers {
        servers.end();
    }
    ran
}

fn run_command(command: &Command, host: &Host, catalog: Catalog, output: Output) -> Result<ExitCode> {
    match command {
        Command::Tools { name } => show::tools(&catalog, name.as_deref(), output)?,
        Command::Call { tool, arguments } => {
            show::line(call(&catalog, tool, given(arguments)?)?.text()?.get());
        }
        Command::Plugin(command) => return plugins::run(host, command, output),
        Command::Trust { allow, revoke } => {
            let given = allow.as_deref().map(|names| Saying { allow: true, names });
            let taken = revoke.as_deref().map(|names| Saying { allow: false, names });
            plugins::trust(host, given.or(taken), output)?;
        }
        Command::Recover { give_up, take_back } => {
            recover::run(host, (give_up.as_deref(), take_back.as_deref()), output)?;
        }
        Command::Clean { purge: None, yes } => clean::run(host, *yes, output)?,
        Command::Clean { purge: Some(path), yes } => clean::purge(host, path, *yes, output)?,
        Command::Doctor => return Ok(plugins::doctor(host, output)),
        Command::Rpc { .. } => {
            end_with_its_calls(host, &catalog);
            stdio::serve(catalog)?;
            host.editors.end();
        }
        Command::Serve { port, no_ide, mcp } => {
            let endpoint = (!no_ide).then_some(ide::Wanted::default());
            listen(host, catalog, mcp.settings(), *port, endpoint, Opening::Nothing)?;
        }
        Command::Ui { port, no_open } => {
            let opening = if *no_open { Opening::Told } else { Opening::Browser };
            if !ui::open_running(host, opening)? {
                let endpoint = Some(ide::Wanted::default());
                listen(host, catalog, Settings::default(), *port, endpoint, opening)?;
            }
        }
        Command::Ide { port, quiet } => listen_for_ide(host, &catalog, ide::Wanted { port: *port, quiet: *quiet })?,
        Command::Mcp(mcp) => {
            end_with_its_calls(host, &catalog);
            to_the_end(mcp::serve(catalog, mcp.settings()))?;
            host.editors.end();
        }
        // Handled before the host is created.
        Command::Completions { .. }
        | Command::Help { .. }
        | Command::Man { .. }
        | Command::RenderTemplate
        | Command::CompilePlugin => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the arguments with paths relative to the named root, or to the current folder if no root is named.
fn from_root(arguments: &Map<String, Value>, everywhere: &Everywhere) -> Map<String, Value> {
    if everywhere.root.is_empty() { from_here(arguments) } else { arguments.clone() }
}

/// Creates the catalog for one call, with the root that it needs.
fn for_call(arguments: &Map<String, Value>, everywhere: &Everywhere) -> Result<Catalog> {
    let outside = root_of(arguments).filter(|_| everywhere.root.is_empty());
    let roots = outside.map_or_else(|| everywhere.root.clone(), |root| vec![root]);
    Ok(Catalog::new(config::host(&roots, everywhere.any_root, everywhere)?.bench))
}

/// Shows files on the terminal, as no editor is attached.
fn here(catalog: &Catalog, arguments: Map<String, Value>, pager: Pager, output: Output) -> Result<ExitCode> {
    let answer = terminal::attended(|work| catalog.show(arguments, work))?;
    show::paged("open", &answer, output, pager);
    Ok(code_of(&answer))
}

/// Returns the exit code of an answer.
fn code_of(answer: &Value) -> ExitCode {
    if answer["success"] == false { ExitCode::from(2) } else { ExitCode::SUCCESS }
}

/// On a signal, a server ends after its calls, so that no change is left half done.
fn end_with_its_calls(host: &Host, catalog: &Catalog) {
    let (catalog, editors, servers) = (catalog.clone(), Arc::clone(&host.editors), host.servers.clone());
    terminal::end_on_signal(move || {
        catalog.end();
        editors.end();
        servers.iter().for_each(|servers| servers.end());
    });
}

/// Names of arguments that are paths.
const PATHS: [&str; 8] = ["file", "source", "destination", "path", "left", "right", "paths", "files"];

/// Returns the arguments with paths that leave the current folder, such as `../package.json`, made absolute.
fn from_here(arguments: &Map<String, Value>) -> Map<String, Value> {
    let Ok(here) = std::env::current_dir() else { return arguments.clone() };
    let outside = |value: &mut Value| {
        if let Some(path) = value.as_str().filter(|path| *path == ".." || path.starts_with("../")) {
            *value = normal(&here.join(path)).display().to_string().into();
        }
    };
    let mut arguments = arguments.clone();
    for name in PATHS {
        match arguments.get_mut(name) {
            Some(Value::Array(list)) => list.iter_mut().for_each(outside),
            Some(value) => outside(value),
            None => {}
        }
    }
    arguments
}

/// Removes `.` and `..` from a path.
fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, component| {
        match component {
            Component::ParentDir => _ = path.pop(),
            Component::CurDir => {}
            other => path.push(other),
        }
        path
    })
}

/// Returns the root of a file named by an absolute path outside the current folder: its repository, or its folder.
fn root_of(arguments: &Map<String, Value>) -> Option<PathBuf> {
    let named = ["file", "source", "path", "left"].iter().find_map(|name| arguments.get(*name)?.as_str());
    let first = |list: &str| arguments.get(list)?.get(0)?.as_str();
    // The folder where a glob starts.
    let file = Path::new(named.or_else(|| first("paths").or_else(|| first("files")))?.split(['*', '?', '{']).next()?);
    let here = std::env::current_dir().ok()?;
    if !file.is_absolute() || file.starts_with(&here) {
        return None;
    }
    let folder = file.parent()?;
    let repository = folder.ancestors().find(|folder| folder.join(".git").exists());
    Some(repository.unwrap_or(folder).to_owned())
}

/// Parses the arguments of `marq call`. A root is relative to the current folder.
fn given(text: &str) -> Result<Map<String, Value>> {
    let text = if text == "-" { tool_commands::input()? } else { text.to_owned() };
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
    terminal::attended(|work| {
        work.call_of(config::PROGRAM);
        catalog.call(tool, arguments, work)
    })
}

/// Runs a server to its end. Work still running then is abandoned, because its result is not needed.
fn to_the_end<T>(serving: impl Future<Output = Result<T>>) -> Result<T> {
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
    catalog: Catalog,
    settings: Settings,
    port: u16,
    endpoint: Option<ide::Wanted>,
    opening: Opening,
) -> Result<()> {
    let token = serve::token()?;
    to_the_end(async {
        // From here on, a signal does not end the process before the discovery file is removed.
        let mut signals = Signals::watched();
        let running = serve::serve(catalog.clone(), settings, port, token.clone()).await?;
        let discovery = config::Discovery::write(host, running.address, &token)?;
        recover::in_background(host);
        show::line(&format!("listening on http://{0} and ws://{0}", running.address));
        show::line(&format!("token: {token}"));
        show::line(&format!("both are stored in {} until the server ends", discovery.path().display()));
        show::line(&format!("MCP: http://{}{}", running.address, serve::MCP));
        ui::open(&discovery.doorway(), &doorway::address(running.address, &token), opening);
        let endpoint = match endpoint {
            Some(wanted) => beside(&catalog, wanted).await,
            None => None,
        };
        tokio::select! {
            () = running.stopped() => {}
            _ = signals.next() => {}
        }
        drop(discovery);
        if let Some(endpoint) = endpoint {
            endpoint.end().await;
        }
        catalog.end();
        host.editors.end();
        Ok(())
    })
}

/// Starts the endpoint of Claude Code next to a server. If that fails, the server runs without it.
async fn beside(catalog: &Catalog, wanted: ide::Wanted) -> Option<ide::Endpoint> {
    match ide::Endpoint::begin(catalog, wanted).await {
        Ok(endpoint) => {
            endpoint.tell();
            Some(endpoint)
        }
        Err(error) => {
            tracing::warn!("cannot open the endpoint for Claude Code: {error}");
            None
        }
    }
}

fn listen_for_ide(host: &Host, catalog: &Catalog, wanted: ide::Wanted) -> Result<()> {
    to_the_end(async {
        // From here on, a signal does not end the process before the lock files are removed.
        let mut signals = Signals::watched();
        let endpoint = ide::Endpoint::begin(catalog, wanted).await?;
        endpoint.tell();
        tokio::select! {
            () = endpoint.stopped() => {}
            _ = signals.next() => {}
        }
        endpoint.end().await;
        catalog.end();
        host.editors.end();
        Ok(())
    })
}
