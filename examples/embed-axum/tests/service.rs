//! The routes of the service, over files in memory. The components must be built.

use axum::{
    body::Body,
    http::{Request, StatusCode},
};
use embed_axum::service;
use http_body_util::BodyExt as _;
use marquetry::{Host, MemoryFiles};
use marquetry_testkit::components;
use serde_json::{Value, json};
use tower::ServiceExt as _;

fn host(files: &MemoryFiles) -> Host {
    let json = std::fs::read(components().join("marquetry_json.wasm")).expect("a component");
    let builder = Host::builder().files(files.clone()).pack("json", json);
    builder.cache(Some(components().join("../../test-cache"))).build().expect("built")
}

async fn send(host: &Host, request: Request<Body>) -> (StatusCode, Value) {
    let answer = service(host.clone()).oneshot(request).await.expect("answered");
    let status = answer.status();
    let body = answer.into_body().collect().await.expect("a body").to_bytes();
    (status, serde_json::from_slice(&body).expect("JSON"))
}

fn post(tool: &str, arguments: Value) -> Request<Body> {
    let request = Request::post(format!("/tools/{tool}")).header("content-type", "application/json");
    request.body(Body::from(arguments.to_string())).expect("a request")
}

#[tokio::test]
async fn tools_are_listed_and_called() {
    let files = MemoryFiles::new([("a.json", "{\n  \"b\": 1\n}\n")]);
    let host = host(&files);
    let (status, list) = send(&host, Request::get("/tools").body(Body::empty()).expect("a request")).await;
    assert_eq!((status, list.as_array().map(Vec::len)), (StatusCode::OK, Some(host.tools().len())));
    let edit = json!({ "file": "a.json", "path": "$.b", "operation": "replace", "content": "2" });
    let (status, answer) = send(&host, post("file_edit", edit)).await;
    assert_eq!((status, &answer["success"]), (StatusCode::OK, &json!(true)), "{answer}");
    assert_eq!(files.text("a.json").as_deref(), Some("{\n  \"b\": 2\n}\n"));
}

#[tokio::test]
async fn errors_have_a_status_and_the_way_out() {
    let host = host(&MemoryFiles::new([("a.json", "{}")]));
    for (tool, arguments, expected, candidate) in [
        ("file_read", json!({ "file": "b.json" }), StatusCode::NOT_FOUND, "a.json"),
        ("file_raed", json!({ "file": "a.json" }), StatusCode::BAD_REQUEST, "file_read"),
        ("file_move", json!({ "sorce": "a.json", "destination": "b.json" }), StatusCode::BAD_REQUEST, "source"),
    ] {
        let (status, answer) = send(&host, post(tool, arguments)).await;
        assert_eq!((status, &answer["error"]["candidates"][0]), (expected, &json!(candidate)), "{answer}");
    }
    let (status, _) = send(&host, post("file_read", json!({ "file": "/etc/passwd" }))).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
}
