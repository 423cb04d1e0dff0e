//! Each tool of the host as a route of an HTTP service.
//!
//! `GET /tools` lists the tools, `POST /tools/NAME` calls one with a JSON object. A client that disconnects cancels its
//! call, because axum drops the future of its handler. The service has no authentication: serve it to trusted clients
//! only, or put one in front.

use axum::{
    Json, Router,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use marquetry::{Error, Host, Kind, ToolFormat, error_json};
use serde_json::{Value, json};

/// Creates the service of a host.
pub fn service(host: Host) -> Router {
    Router::new().route("/tools", get(list)).route("/tools/{name}", post(call)).with_state(host)
}

async fn list(State(host): State<Host>) -> Json<Value> {
    Json(host.tool_definitions(ToolFormat::Anthropic))
}

async fn call(State(host): State<Host>, Path(name): Path<String>, Json(arguments): Json<Value>) -> Response {
    match host.call_async(&name, arguments).await {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => (status(&error), Json(json!({ "error": error_json(&error) }))).into_response(),
    }
}

fn status(error: &Error) -> StatusCode {
    match error.kind() {
        Kind::FileNotFound | Kind::TargetNotFound => StatusCode::NOT_FOUND,
        Kind::Stale | Kind::OverwriteBlocked => StatusCode::CONFLICT,
        Kind::PermissionDenied | Kind::OutsideWorkspace => StatusCode::FORBIDDEN,
        Kind::LimitExceeded => StatusCode::PAYLOAD_TOO_LARGE,
        Kind::Internal | Kind::PluginFailed => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::BAD_REQUEST,
    }
}
