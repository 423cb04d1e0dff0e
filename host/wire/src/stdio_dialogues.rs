//! Replays the JSON-RPC dialogues in `dialogues/rpc`.

use serde_json::Value;

use super::tests::answers_of;
use crate::{
    ServedCatalog,
    dialogue::{self, DialogueClient, WaitFor},
};

/// A client that sends each line in its own session.
struct Client(ServedCatalog);

impl DialogueClient for Client {
    fn exchange(&mut self, line: &str, _until: WaitFor) -> Vec<Value> {
        answers_of(self.0.clone(), line.as_bytes())
    }
}

#[test]
fn transcripts_of_clients_match() {
    dialogue::replay("rpc", |catalog, _| Client(catalog));
}
