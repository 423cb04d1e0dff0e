//! Replays the MCP dialogues: those in `dialogues/mcp` after the handshake of an older client, those in
//! `dialogues/lines` from the first line.

use serde_json::Value;
use tokio::runtime::Runtime;

use super::{Answers, Settings, tests::Talk};
use crate::dialogue::{self, DialogueClient, WaitFor};

/// A client, and the runtime of its connection.
struct Client {
    runtime: Runtime,
    talk: Talk,
}

impl Client {
    fn new<F: Future<Output = Talk>>(begin: impl FnOnce() -> F) -> Client {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("it runs");
        let talk = runtime.block_on(async { begin().await });
        Client { runtime, talk }
    }
}

impl DialogueClient for Client {
    fn exchange(&mut self, line: &str, until: WaitFor) -> Vec<Value> {
        let is_enough = |received: &[Value]| match until {
            WaitFor::Nothing => true,
            WaitFor::OneMessage => !received.is_empty(),
            WaitFor::Answer => received.last().is_some_and(|message| message.get("method").is_none()),
        };
        self.runtime.block_on(async {
            self.talk.say(line).await;
            let mut received = Vec::new();
            while !is_enough(&received) {
                received.push(self.talk.hear().await);
            }
            received
        })
    }
}

/// Parses `structured`, `both` and `core`, as on the command line.
fn settings(words: &str) -> Settings {
    let has = |word: &str| words.split_whitespace().any(|given| given == word);
    let answers = match () {
        () if has("structured") => Answers::Structured,
        () if has("both") => Answers::Both,
        () => Answers::Text,
    };
    Settings { answers, core: has("core") }
}

#[test]
fn transcripts_of_clients_match() {
    dialogue::replay("mcp", |catalog, words| Client::new(|| Talk::met(catalog, settings(words))));
}

#[test]
fn transcripts_from_the_first_line_match() {
    dialogue::replay("lines", |catalog, words| Client::new(async || Talk::unmet(catalog, settings(words))));
}
