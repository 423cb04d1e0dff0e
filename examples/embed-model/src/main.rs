//! Asks a model to edit the files of this folder: `embed-model anthropic|openai MODEL PACKS QUESTION COMMAND...`.
//!
//! The command gets each request on its standard input and prints the answer of the API, for example
//! `curl -s https://api.anthropic.com/v1/messages -H "x-api-key: $KEY" -H "anthropic-version: 2023-06-01" -H "content-type: application/json" -d @-`.
#![allow(clippy::print_stdout, reason = "the program prints its result")]

use std::{
    io::Write,
    process::{Command, Stdio},
};

use embed_model::{Api, converse};
use marquetry::{Error, Host, Result, Work};
use serde_json::Value;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let usage = "embed-model anthropic|openai MODEL PACKS QUESTION COMMAND...";
    let [api, model, packs, question, program, arguments @ ..] = words.as_slice() else {
        return Err(Error::argument("arguments are missing").hint(usage));
    };
    let api = match api.as_str() {
        "anthropic" => Api::Anthropic,
        "openai" => Api::Openai,
        other => return Err(Error::argument(format!("unknown API `{other}`")).hint(usage)),
    };
    let host = Host::builder().root(".").pack_folder(packs).client(model).max_bytes(60_000).build()?;
    let mut transport = |request: &Value| send(program, arguments, request);
    println!("{}", converse(&host, (api, model), question, &Work::default(), &mut transport)?);
    Ok(())
}

/// Runs the command that sends a request.
fn send(program: &str, arguments: &[String], request: &Value) -> Result<Value> {
    let failed = |error: &dyn std::fmt::Display| Error::internal(format!("{program}: {error}"));
    let mut command = Command::new(program);
    let mut child = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let child = child.as_mut().map_err(|error| failed(error))?;
    // The pipe is closed after the request, so that the command sees its end.
    if let Some(mut input) = child.stdin.take() {
        input.write_all(request.to_string().as_bytes()).map_err(|error| failed(&error))?;
    }
    let output = child.stdout.take().ok_or_else(|| failed(&"it has no output"))?;
    let answer = serde_json::from_reader(output).map_err(|error| failed(&error));
    child.wait().map_err(|error| failed(&error))?;
    answer
}
