//! JSON-RPC word for word: the dialogues of `dialogues/rpc`.

use serde_json::Value;

use super::tests::answers_of;
use crate::{
    Catalog,
    dialogue::{self, Speaker, Until},
};

/// A client whose lines are sessions of their own.
struct Client(Catalog);

impl Speaker for Client {
    fn say(&mut self, line: &str, _until: Until) -> Vec<Value> {
        answers_of(self.0.clone(), line.as_bytes())
    }
}

#[test]
fn clients_are_answered_word_for_word() {
    dialogue::replay("rpc", |catalog, _| Client(catalog));
}
