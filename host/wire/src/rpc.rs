//! JSON-RPC 2.0: the tools as methods, for all transports.
//!
//! A message is parsed in two steps: first its envelope, with the parameters left as text, then the parameters.

use std::sync::Arc;

use jsonrpsee::{
    Extensions, RpcModule,
    types::{ErrorObjectOwned, Params},
};
use marquetry_catalog::{Tool, error_json};
use marquetry_model::{Error, Kind, Work, nearest::nearest_names};
use serde::Deserialize;
use serde_json::{Map, Value, json, value::RawValue};

use crate::{
    ServedCatalog,
    calls::{Outbox, ProgressReport, take_client, take_token},
    limits::MESSAGE,
};

pub(crate) const NOT_JSON: i32 = -32700;
pub(crate) const NOT_A_REQUEST: i32 = -32600;
pub(crate) const NO_METHOD: i32 = -32601;
pub(crate) const WRONG_PARAMETERS: i32 = -32602;

/// Fields of a message, as text.
#[derive(Deserialize)]
struct Envelope {
    #[serde(default, deserialize_with = "deserialize_present")]
    jsonrpc: Option<Box<RawValue>>,
    /// `Some` even if the ID is `null`: that is a valid request, although the specification discourages it.
    #[serde(default, deserialize_with = "deserialize_present")]
    id: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "deserialize_present")]
    method: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "deserialize_present")]
    params: Option<Box<RawValue>>,
}

fn deserialize_present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

/// A valid message, or the response to an invalid one.
pub(crate) enum Message {
    /// Expects a response with this ID, which is JSON text.
    Request {
        id: String,
        method: String,
        params: Option<Box<RawValue>>,
    },
    /// Expects no response.
    Notification {
        method: String,
        params: Option<Box<RawValue>>,
    },
    Invalid(String),
}

impl Message {
    /// Parses a message.
    pub(crate) fn read(text: &str) -> Message {
        let envelope: Envelope = match serde_json::from_str(text) {
            Ok(envelope) => envelope,
            Err(error) if error.is_data() => return Message::Invalid(not_a_request("null", "a message is an object")),
            Err(error) => return Message::Invalid(not_json(&error)),
        };
        let id = envelope.id.map(|id| serde_json::from_str::<Value>(id.get()).unwrap_or_default());
        let shown = match &id {
            None | Some(Value::Null) => "null".to_owned(),
            Some(id @ (Value::String(_) | Value::Number(_))) => id.to_string(),
            Some(_) => return Message::Invalid(not_a_request("null", "`id` must be a number or a string")),
        };
        if envelope.jsonrpc.is_none_or(|version| version.get() != "\"2.0\"") {
            return Message::Invalid(not_a_request(&shown, "`jsonrpc` must be \"2.0\""));
        }
        let method = envelope.method.and_then(|method| serde_json::from_str::<String>(method.get()).ok());
        match (method, id) {
            (None, _) => Message::Invalid(not_a_request(&shown, "`method` must be a string")),
            (Some(method), Some(_)) => Message::Request { id: shown, method, params: envelope.params },
            (Some(method), None) => Message::Notification { method, params: envelope.params },
        }
    }
}

/// Calls a tool and returns the response.
pub(crate) fn answer_request(
    catalog: &ServedCatalog,
    (id, method, params): (&str, &str, Option<&RawValue>),
    work: &Work,
    outbox: &Outbox,
) -> String {
    let Ok(tool) = catalog.find(method) else { return error_response(id, NO_METHOD, &no_method(catalog, method)) };
    let called = parameters(params.map(RawValue::get))
        .and_then(|arguments| call_tool(catalog, tool, arguments, work, Some(outbox)));
    match called {
        Ok(result) => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{}}}", result.get()),
        Err(error) => error_response(id, error_code(error.kind()), &error),
    }
}

/// Fails if an answer exceeds the maximum size of a message.
fn check_size(result: Box<RawValue>) -> Result<Box<RawValue>, Error> {
    let (bytes, most) = (result.get().len(), MESSAGE - ENVELOPE);
    if bytes <= most { Ok(result) } else { Err(too_large(bytes)) }
}

/// Space reserved for the rest of a response.
const ENVELOPE: usize = 4 << 10;

/// Error for an answer that is too large to send.
fn too_large(bytes: usize) -> Error {
    let (bytes, most) = (bytes.div_ceil(1 << 20), MESSAGE >> 20);
    Error::new(Kind::LimitExceeded, format!("the answer has {bytes} MiB; the limit is {most} MiB"))
        .hint("ask for less at once: `maxBytes`, `limit` with `offset`, a target, or lines")
}

/// Parses the parameters, which must be an object.
fn parameters(text: Option<&str>) -> Result<Map<String, Value>, Error> {
    match text.map(str::trim) {
        None | Some("" | "null") => Ok(Map::new()),
        Some(text) => serde_json::from_str(text).map_err(|_| {
            Error::argument("the parameters are not an object").hint("pass parameters by name: {\"file\": \"…\"}")
        }),
    }
}

fn call_tool(
    catalog: &ServedCatalog,
    tool: &Tool,
    mut arguments: Map<String, Value>,
    work: &Work,
    outbox: Option<&Outbox>,
) -> Result<Box<RawValue>, Error> {
    work.set_client(take_client(&mut arguments).as_deref().unwrap_or("JSON-RPC"));
    let report = take_token(&mut arguments).zip(outbox);
    let report = report.map(|(token, outbox)| ProgressReport::begin(outbox, token, tool.title, work));
    let answer = catalog.call(tool, arguments, work).and_then(|answer| answer.to_json_text());
    drop(report);
    // The answer to a change is sent even if it is too large, because an error would suggest that nothing was changed.
    if tool.read_only { answer.and_then(check_size) } else { answer }
}

/// Error for an unknown method, with similar names.
pub(crate) fn no_method(catalog: &ServedCatalog, method: &str) -> Error {
    let methods = || catalog.tools().iter().map(|tool| tool.method.to_owned());
    let near = nearest_names(method, methods());
    let candidates = if near.is_empty() { methods().collect() } else { near };
    Error::argument(format!("no method `{method}`")).hint("use one of the candidates").candidates(candidates)
}

/// Returns the response to invalid JSON.
pub(crate) fn not_json(error: &serde_json::Error) -> String {
    error_response("null", NOT_JSON, &Error::argument(format!("not JSON: {error}")))
}

/// Response to JSON that is not a valid message.
pub(crate) fn not_a_request(id: &str, why: &str) -> String {
    let error = Error::argument(format!("not a JSON-RPC 2.0 request: {why}"));
    error_response(
        id,
        NOT_A_REQUEST,
        &error.hint("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"…\", \"params\": {…}}"),
    )
}

/// Returns a response with an error.
pub(crate) fn error_response(id: &str, code: i32, error: &Error) -> String {
    let error = json!({ "code": code, "message": error.content().message, "data": error_json(error) });
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}")
}

/// Module for servers that handle the envelope themselves. It has a method for each tool (`file/read`), also under
/// the tool's name (`file_read`). The methods run on blocking threads. The transport passes the `Work` of a call, and
/// the `Outbox` for its progress, as extensions.
pub fn module(catalog: ServedCatalog) -> Result<RpcModule<ServedCatalog>, Error> {
    let failed = |error: jsonrpsee::core::RegisterMethodError| Error::internal(error.to_string());
    let names: Vec<_> =
        catalog.tools().iter().enumerate().map(|(place, tool)| (place, tool.method, tool.name)).collect();
    let mut module = RpcModule::new(catalog);
    for (place, method, name) in names {
        let answer = move |params: Params<'_>, catalog: Arc<ServedCatalog>, extensions: Extensions| {
            let work = extensions.get::<Work>().cloned().unwrap_or_default();
            parameters(params.as_str())
                .and_then(|arguments| {
                    call_tool(&catalog, &catalog.tools()[place], arguments, &work, extensions.get::<Outbox>())
                })
                .map_err(|error| error_object(&error))
        };
        module.register_blocking_method(method, answer).map_err(failed)?;
        if name != method {
            module.register_alias(name, method).map_err(failed)?;
        }
    }
    Ok(module)
}

/// Converts an error to a JSON-RPC error object.
pub(crate) fn error_object(error: &Error) -> ErrorObjectOwned {
    ErrorObjectOwned::owned(error_code(error.kind()), error.content().message.clone(), Some(error_json(error)))
}

/// JSON-RPC error code of an error kind.
fn error_code(kind: Kind) -> i32 {
    match kind {
        Kind::InvalidArgument => -32602,
        Kind::Internal => -32603,
        Kind::FileNotFound => -32001,
        Kind::TargetNotFound => -32002,
        Kind::ParseError => -32003,
        Kind::RefactorFailed => -32004,
        Kind::OverwriteBlocked => -32005,
        Kind::AmbiguousTarget => -32006,
        Kind::InvalidTarget => -32007,
        Kind::Stale => -32008,
        Kind::OutsideWorkspace => -32009,
        Kind::Unsupported => -32010,
        Kind::PluginFailed => -32011,
        Kind::LimitExceeded => -32012,
        Kind::PermissionDenied => -32013,
        // Code of LSP's `RequestCancelled`.
        Kind::Cancelled => -32800,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_error_kind_has_a_distinct_code() {
        let codes: BTreeSet<i32> = Kind::ALL.into_iter().map(error_code).collect();
        assert_eq!(codes.len(), Kind::ALL.len());
        assert!(codes.iter().all(|code| (-32900..-32000).contains(code)));
    }

    #[test]
    fn too_large_answers_become_errors() {
        let text = |bytes: usize| RawValue::from_string(format!("\"{}\"", "x".repeat(bytes - 2))).expect("JSON");
        assert!(check_size(text(MESSAGE - ENVELOPE)).is_ok());
        let error = check_size(text(MESSAGE - ENVELOPE + 1)).expect_err("too large");
        assert_eq!(error.kind(), Kind::LimitExceeded);
        assert_eq!(error.content().message, "the answer has 64 MiB; the limit is 64 MiB");
        assert!(error.content().hint.as_ref().is_some_and(|hint| hint.contains("`offset`")), "{error}");
    }

    /// Summary of a parsed message.
    fn taken(text: &str) -> String {
        match Message::read(text) {
            Message::Request { id, method, params } => {
                format!("request {id} {method} {}", params.as_deref().map_or("-", RawValue::get))
            }
            Message::Notification { method, params } => {
                format!("notification {method} {}", params.as_deref().map_or("-", RawValue::get))
            }
            Message::Invalid(answer) => {
                let answer: Value = serde_json::from_str(&answer).expect("JSON");
                format!("{} {} {}", answer["id"], answer["error"]["code"], answer["error"]["message"])
            }
        }
    }

    #[test]
    fn messages_are_parsed_once() {
        for (text, what) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a": [1,  2]}}"#, r#"request 1 m {"a": [1,  2]}"#),
            (r#"{"jsonrpc":"2.0","id":"1","method":"m"}"#, r#"request "1" m -"#),
            (r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, "request null m -"),
            (r#"{"jsonrpc":"2.0","method":"m","params":null}"#, "notification m null"),
            (r#"{"jsonrpc":"2.0","method":"\u006d","further":{}}"#, "notification m -"),
            (
                r#"{"jsonrpc":"2.0","id":[1],"method":"m"}"#,
                "null -32600 \"not a JSON-RPC 2.0 request: `id` must be a number or a string\"",
            ),
            (
                r#"{"jsonrpc":2.0,"id":1,"method":"m"}"#,
                "1 -32600 \"not a JSON-RPC 2.0 request: `jsonrpc` must be \\\"2.0\\\"\"",
            ),
            (r#"{"jsonrpc":"2.0","id":1}"#, "1 -32600 \"not a JSON-RPC 2.0 request: `method` must be a string\""),
            ("null", "null -32600 \"not a JSON-RPC 2.0 request: a message is an object\""),
            ("", "null -32700 \"not JSON: EOF while parsing a value at line 1 column 0\""),
        ] {
            assert_eq!(taken(text), what, "{text}");
        }
    }

    #[test]
    fn parameters_must_be_an_object() {
        for text in [None, Some(""), Some(" null "), Some("{}")] {
            assert_eq!(parameters(text).expect("none"), Map::new(), "{text:?}");
        }
        assert_eq!(parameters(Some(r#"{"a": 1}"#)).expect("one")["a"], 1);
        for text in ["[]", "1", "\"a\"", "{"] {
            let error = parameters(Some(text)).expect_err("no object");
            assert_eq!(error.content().message, "the parameters are not an object", "{text}");
        }
    }
}
