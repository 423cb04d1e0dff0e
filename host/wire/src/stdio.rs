//! Newline-delimited JSON-RPC 2.0 on standard input and output. Requests run side by side; answers come as they are done.

use std::sync::Arc;

use jsonrpsee::RpcModule;
use marquetry_model::Error;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, stdin, stdout},
    sync::{Semaphore, mpsc},
};

use crate::catalog::Catalog;

/// Requests that run at once; further ones wait in the pipe.
const AT_ONCE: usize = 64;

/// Serve until the input ends and every request is answered.
pub async fn serve(module: RpcModule<Catalog>) -> Result<(), Error> {
    let (answers, mut outbox) = mpsc::unbounded_channel::<String>();
    let writer = tokio::spawn(async move {
        let mut out = stdout();
        while let Some(mut answer) = outbox.recv().await {
            answer.push('\n');
            if out.write_all(answer.as_bytes()).await.is_err() || out.flush().await.is_err() {
                return;
            }
        }
    });
    let mut input = BufReader::with_capacity(1 << 16, stdin());
    let slots = Arc::new(Semaphore::new(AT_ONCE));
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line).trim().to_owned();
        if text.is_empty() {
            continue;
        }
        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { break };
        let (module, answers) = (module.clone(), answers.clone());
        tokio::spawn(async move {
            if let Some(answer) = answer(&module, &text).await {
                // The writer is gone only when the client is.
                let _ = answers.send(answer);
            }
            drop(slot);
        });
    }
    drop(answers);
    writer.await.map_err(|error| Error::internal(error.to_string()))
}

/// The answer to one message: a request, a notification (none), or a batch.
async fn answer(module: &RpcModule<Catalog>, text: &str) -> Option<String> {
    if !text.starts_with('[') {
        return single(module, text).await;
    }
    let Ok(batch) = serde_json::from_str::<Vec<Box<serde_json::value::RawValue>>>(text) else {
        return Some(failure(-32700, "not JSON"));
    };
    if batch.is_empty() {
        return Some(failure(-32600, "an empty batch"));
    }
    let mut answers = Vec::new();
    for request in batch {
        answers.extend(Box::pin(single(module, request.get())).await);
    }
    (!answers.is_empty()).then(|| format!("[{}]", answers.join(",")))
}

async fn single(module: &RpcModule<Catalog>, text: &str) -> Option<String> {
    match module.raw_json_request(text, 1).await {
        Ok((answer, _)) => Some(answer.get().to_owned()),
        Err(_) => match serde_json::from_str::<Value>(text) {
            Err(error) => Some(failure(-32700, &format!("not JSON: {error}"))),
            // A notification: nothing that a tool does is worth doing without an answer.
            Ok(Value::Object(message)) if message.contains_key("method") && !message.contains_key("id") => None,
            Ok(_) => Some(failure(-32600, "not a JSON-RPC 2.0 request")),
        },
    }
}

fn failure(code: i32, message: &str) -> String {
    let data = json!({ "kind": "InvalidArgument", "message": message, "hint": null, "candidates": [] });
    json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message, "data": data } }).to_string()
}
