//! One function for each command.

use std::{io::Read, process::ExitCode};

use marquetry_model::{Error, Result};
use marquetry_wire::{Catalog, rpc, stdio};

use crate::{
    config::{self, Host},
    flags::{Command, Flags},
    show,
};

/// Stack of the threads that run tools: a guest may use two MiB of it, and the host some more.
const STACK: usize = 8 << 20;

/// Run the command.
pub(crate) fn run(flags: &Flags) -> Result<ExitCode> {
    let host = config::host(flags.root.as_deref())?;
    match &flags.command {
        Command::Call { tool, arguments } => call(&host, tool, arguments),
        Command::Rpc { .. } => serve_stdio(&host),
    }
}

fn call(host: &Host, tool: &str, arguments: &str) -> Result<ExitCode> {
    let mut text = arguments.to_owned();
    if arguments == "-" {
        text.clear();
        std::io::stdin().read_to_string(&mut text).map_err(|error| Error::argument(format!("standard input: {error}")))?;
    }
    let catalog = Catalog::new(host.bench.clone());
    let answer = catalog.call(catalog.find(tool)?, &text)?;
    show::line(answer.get());
    Ok(ExitCode::SUCCESS)
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(STACK)
        .build()
        .map_err(|error| Error::internal(format!("no runtime: {error}")))
}

fn serve_stdio(host: &Host) -> Result<ExitCode> {
    let module = rpc::module(Catalog::new(host.bench.clone()))?;
    runtime()?.block_on(stdio::serve(module))?;
    Ok(ExitCode::SUCCESS)
}
