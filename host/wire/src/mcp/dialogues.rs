//! MCP word for word: the dialogues of `dialogues/mcp`, after the greeting of an older client.

use serde_json::Value;
use tokio::runtime::Runtime;

use super::{Settings, tests::Talk};
use crate::{
    Catalog,
    dialogue::{self, Speaker},
};

/// A client, and what its connection runs on.
struct Client {
    runtime: Runtime,
    talk: Talk,
}

impl Client {
    fn new(catalog: Catalog, settings: Settings) -> Client {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("it runs");
        let talk = runtime.block_on(Talk::met(catalog, settings));
        Client { runtime, talk }
    }
}

impl Speaker for Client {
    fn say(&mut self, line: &str, is_answered: bool) -> Vec<Value> {
        self.runtime.block_on(async {
            self.talk.say(line).await;
            let mut heard = Vec::new();
            while is_answered && heard.last().is_none_or(|message: &Value| message.get("method").is_some()) {
                heard.push(self.talk.hear().await);
            }
            heard
        })
    }
}

#[test]
fn clients_are_answered_word_for_word() {
    dialogue::replay("mcp", |catalog| Client::new(catalog, Settings::default()));
}
