//! MCP over Streamable HTTP. This server uses no sessions in any protocol version: every request is independent, and
//! its call is cancelled when its connection closes.

use std::sync::Arc;

use http_body_util::{BodyExt, Limited};
use jsonrpsee::server::{HttpBody, HttpRequest, HttpResponse};
use marquetry_model::Error;
use rmcp::{
    model::ClientJsonRpcMessage,
    transport::{
        StreamableHttpServerConfig, StreamableHttpService, streamable_http_server::session::never::NeverSessionManager,
    },
};
use serde_json::{Value, value::RawValue};

use super::{Server, tool_list::Settings, tool_list::ToolList};
use crate::{ServedCatalog, limits::MESSAGE, rpc};

/// Version that removed batches.
const NO_BATCHES_FROM: &str = "2025-06-18";

/// HTTP service for requests that have been authenticated.
#[derive(Clone)]
pub(crate) struct Http(StreamableHttpService<Server, NeverSessionManager>);

impl Http {
    pub(crate) fn new(catalog: ServedCatalog, settings: Settings) -> Http {
        let offer = Arc::new(ToolList::new(&catalog, settings));
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(MESSAGE)
            .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"]);
        let server = move || Ok(Server::with_tool_list(catalog.clone(), Arc::clone(&offer)));
        Http(StreamableHttpService::new(server, Arc::default(), config))
    }

    /// Answers an HTTP request.
    pub(crate) async fn answer(&self, request: HttpRequest) -> HttpResponse {
        if request.method() != "POST" {
            return self.answer_single(request).await;
        }
        let (mut head, body) = request.into_parts();
        let Ok(body) = Limited::new(body, MESSAGE).collect().await else {
            return json_response(413, rpc::not_a_request("null", &format!("it is longer than {} MiB", MESSAGE >> 20)));
        };
        let body = body.to_bytes();
        head.headers.remove("content-length");
        // A client that accepts anything accepts both content types of the protocol.
        if head.headers.get("accept").is_some_and(|accept| accept.as_bytes() == b"*/*") {
            let both = http::HeaderValue::from_static("application/json, text/event-stream");
            head.headers.insert("accept", both);
        }
        if !body.trim_ascii_start().starts_with(b"[") {
            return match validate(&body) {
                Ok(()) => self.answer_single(HttpRequest::from_parts(head, HttpBody::from(body.to_vec()))).await,
                Err(answer) => json_response(400, answer),
            };
        }
        let version = head.headers.get("mcp-protocol-version").and_then(|version| version.to_str().ok());
        if version.is_some_and(|version| version >= NO_BATCHES_FROM) {
            return json_response(400, rpc::not_a_request("null", "this protocol version does not support batches"));
        }
        match serde_json::from_slice::<Vec<Box<RawValue>>>(&body) {
            Err(error) => json_response(400, rpc::not_json(&error)),
            Ok(batch) if batch.is_empty() => {
                json_response(400, rpc::not_a_request("null", "a batch must not be empty"))
            }
            Ok(batch) => self.answer_batch(&head, &batch).await,
        }
    }

    async fn answer_single(&self, request: HttpRequest) -> HttpResponse {
        self.0.handle(request).await.map(HttpBody::new)
    }

    /// Answers a batch.
    async fn answer_batch(&self, head: &http::request::Parts, batch: &[Box<RawValue>]) -> HttpResponse {
        let mut answers: Vec<String> = Vec::new();
        for message in batch {
            if let Err(answer) = validate(message.get().as_bytes()) {
                answers.push(answer);
                continue;
            }
            let request = HttpRequest::from_parts(head.clone(), HttpBody::from(without_progress_token(message)));
            let response = self.answer_single(request).await;
            if let Ok(body) = response.into_body().collect().await {
                answers.extend(String::from_utf8(body.to_bytes().to_vec()).ok().filter(|answer| !answer.is_empty()));
            }
        }
        match answers.as_slice() {
            [] => json_response(202, String::new()),
            answers => json_response(200, format!("[{}]", answers.join(","))),
        }
    }
}

/// Removes the progress token, because the single response to a batch cannot contain progress.
fn without_progress_token(message: &RawValue) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(message.get()) else { return message.get().to_owned() };
    if let Some(meta) = value.pointer_mut("/params/_meta").and_then(Value::as_object_mut) {
        meta.remove("progressToken");
    }
    value.to_string()
}

/// Validates a message. Fails with the response to an invalid one.
fn validate(body: &[u8]) -> Result<(), String> {
    match serde_json::from_slice::<ClientJsonRpcMessage>(body) {
        Ok(_) => Ok(()),
        Err(_) => match std::str::from_utf8(body).map(rpc::Message::read) {
            Err(_) => Err(rpc::error_response("null", rpc::NOT_JSON, &Error::argument("not JSON: not UTF-8"))),
            Ok(rpc::Message::Invalid(answer)) => Err(answer),
            Ok(rpc::Message::Request { id, method, .. }) => Err(rpc::error_response(
                &id,
                rpc::WRONG_PARAMETERS,
                &Error::argument(format!("the parameters of `{method}` are wrong")),
            )),
            // The library accepts unknown notifications.
            Ok(rpc::Message::Notification { .. }) => Ok(()),
        },
    }
}

fn json_response(status: u16, body: String) -> HttpResponse {
    let mut response = HttpResponse::new(HttpBody::from(body));
    *response.status_mut() = status.try_into().unwrap_or_default();
    let json = http::HeaderValue::from_static("application/json");
    response.headers_mut().insert("content-type", json);
    response
}
