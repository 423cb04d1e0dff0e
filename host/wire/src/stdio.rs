//! Newline-delimited JSON-RPC 2.0 on standard input and output. Requests run side by side; answers come as they are done.

use std::sync::Arc;

use jsonrpsee::RpcModule;
use marquetry_model::Error;
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, stdin, stdout},
    sync::{Semaphore, mpsc},
};

use crate::{
    calls::{CANCEL, Call, Calls, Outbox, PROGRESS},
    catalog::Catalog,
};

/// Requests that run at once.
const AT_ONCE: usize = 64;
/// Messages that are read before they can run, so that one that cancels is not kept waiting; further ones wait in the pipe.
const READ_AHEAD: usize = 1024;

/// The methods, and what the calls of this one connection share.
#[derive(Clone)]
struct Session {
    module: RpcModule<Catalog>,
    calls: Calls,
    running: Arc<Semaphore>,
}

/// One message as far as it has to be understood before it runs.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

/// Serve until the input ends and every request is answered.
pub async fn serve(mut module: RpcModule<Catalog>) -> Result<(), Error> {
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
    // Not kept alive by the module: the writer ends when the last call has answered.
    let progress = answers.downgrade();
    module.extensions_mut().insert(Outbox(Arc::new(move |params: Value| {
        if let Some(progress) = progress.upgrade() {
            let _ = progress.send(json!({ "jsonrpc": "2.0", "method": PROGRESS, "params": params }).to_string());
        }
    })));
    let session = Session { module, calls: Calls::default(), running: Arc::new(Semaphore::new(AT_ONCE)) };
    let mut input = BufReader::with_capacity(1 << 16, stdin());
    let slots = Arc::new(Semaphore::new(READ_AHEAD));
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
        let (message, session, answers) = (session.read(text), session.clone(), answers.clone());
        tokio::spawn(async move {
            if let Some(answer) = session.answer(message).await {
                // The writer is gone only when the client is.
                let _ = answers.send(answer);
            }
            drop(slot);
        });
    }
    drop(answers);
    writer.await.map_err(|error| Error::internal(error.to_string()))
}

/// A message: its requests, each with its call.
enum Message {
    One(String, Option<Call>),
    Batch(Vec<(String, Option<Call>)>),
    Broken(String),
}

impl Session {
    /// Take a message in: its calls can be cancelled from here on, also by itself.
    fn read(&self, text: String) -> Message {
        if !text.starts_with('[') {
            let call = self.begin(&text);
            return Message::One(text, call);
        }
        match serde_json::from_str::<Vec<Box<RawValue>>>(&text) {
            Err(_) => Message::Broken(failure(-32700, "not JSON")),
            Ok(batch) if batch.is_empty() => Message::Broken(failure(-32600, "an empty batch")),
            Ok(batch) => {
                let requests = batch.into_iter().map(|request| {
                    let call = self.begin(request.get());
                    (request.get().to_owned(), call)
                });
                Message::Batch(requests.collect())
            }
        }
    }

    /// A request begins a call, a `$/cancelRequest` ends one.
    fn begin(&self, text: &str) -> Option<Call> {
        let head = serde_json::from_str::<Head<'_>>(text).ok()?;
        match head.id {
            // As a value, so that the same id is the same text.
            Some(id) => Some(self.calls.begin(0, serde_json::from_str::<Value>(id.get()).ok()?.to_string())),
            None => {
                let method = serde_json::from_str::<String>(head.method?.get()).ok()?;
                if method == CANCEL {
                    self.calls.cancel(0, head.params.map(RawValue::get));
                }
                None
            }
        }
    }

    /// The answer to one message: a request, a notification (none), or a batch.
    async fn answer(&self, message: Message) -> Option<String> {
        let Ok(_running) = self.running.acquire().await else { return None };
        match message {
            Message::One(text, call) => self.single(&text, call).await,
            Message::Broken(answer) => Some(answer),
            Message::Batch(requests) => {
                let mut answers = Vec::new();
                for (text, call) in requests {
                    answers.extend(Box::pin(self.single(&text, call)).await);
                }
                (!answers.is_empty()).then(|| format!("[{}]", answers.join(",")))
            }
        }
    }

    async fn single(&self, text: &str, call: Option<Call>) -> Option<String> {
        let mut module = self.module.clone();
        if let Some(call) = &call {
            module.extensions_mut().insert(call.work.clone());
        }
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
}

fn failure(code: i32, message: &str) -> String {
    let data = json!({ "kind": "InvalidArgument", "message": message, "hint": null, "candidates": [] });
    json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message, "data": data } }).to_string()
}
