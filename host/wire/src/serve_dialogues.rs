//! Replays the HTTP dialogues in `dialogues/http`.
//!
//! A line is `METHOD PATH`, followed by ` | ` and options: `token`, `accept` (content types as sent by MCP clients),
//! `origin` (the server's own), `version V` of MCP, a header `Name: value`, and last the body, if it starts like JSON
//! or with `=`.

use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::{
    Running, serve,
    tests::{TOKEN, request_with_head},
};
use crate::{
    ServedCatalog,
    dialogue::{self, DialogueClient, WaitFor},
    mcp::Settings,
};

/// Response headers that are shown.
const HEADS: [&str; 5] = ["content-type", "allow", "location", "www-authenticate", "retry-after"];

/// A client that opens a connection for each request.
struct Client {
    runtime: Runtime,
    server: Running,
}

impl Client {
    fn new(catalog: ServedCatalog) -> Client {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("it runs");
        let serving = serve(catalog, Settings::default(), 0, TOKEN.to_owned());
        let server = runtime.block_on(serving).expect("it listens");
        Client { runtime, server }
    }

    fn headers(&self, words: &[&str]) -> String {
        let header = |word: &&str| match *word {
            "token" => format!("Authorization: Bearer {TOKEN}\r\n"),
            "accept" => "Accept: application/json, text/event-stream\r\n".to_owned(),
            "origin" => format!("Origin: http://{}\r\n", self.server.address),
            word => match word.strip_prefix("version ") {
                Some(version) => format!("MCP-Protocol-Version: {version}\r\n"),
                None => format!("{word}\r\n"),
            },
        };
        words.iter().map(header).collect()
    }
}

impl DialogueClient for Client {
    fn exchange(&mut self, line: &str, _until: WaitFor) -> Vec<Value> {
        let mut words: Vec<&str> = line.split(" | ").collect();
        let is_body = |word: &&str| word.starts_with(['{', '[', '=']);
        let body = if words.last().is_some_and(is_body) { words.pop().unwrap_or_default() } else { "" };
        let (method, path) = words.remove(0).split_once(' ').expect("a method and a path");
        let headers = self.headers(&words);
        let answered = request_with_head(&self.server, method, path, &headers, body.trim_start_matches('='));
        let (head, body) = self.runtime.block_on(answered);
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse::<u16>().ok());
        let mut received = json!({ "status": status });
        for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
            if HEADS.contains(&name.to_lowercase().as_str()) {
                received[name.to_lowercase()] = value.into();
            }
        }
        // In a stream of events, the last one is the answer.
        let text = body.lines().rev().find_map(|line| line.strip_prefix("data: ")).unwrap_or(&body);
        if !body.is_empty() {
            received["body"] = serde_json::from_str(text).unwrap_or_else(|_| text.into());
        }
        vec![received]
    }
}

#[test]
fn transcripts_of_http_requests_match() {
    dialogue::replay("http", |catalog, _| Client::new(catalog));
}
