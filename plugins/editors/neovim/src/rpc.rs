//! Messages of msgpack-rpc: requests and notifications both ways, and answers.

use rmpv::Value;

/// A message that came.
#[derive(Debug, PartialEq)]
pub(crate) enum Message {
    /// Neovim asks something.
    Request(Value),
    /// Neovim answers: the number of the request, and what came of it.
    Answer(u64, Result<Value, Value>),
    /// Neovim tells something: what, and its arguments.
    Notification(String, Vec<Value>),
}

/// Levels of a value: as deep as [`crate::frames`] lets through.
const DEPTH: usize = 100;

/// Read a whole message. None where it is no message of the protocol.
pub(crate) fn read(bytes: &[u8]) -> Option<Message> {
    let value = rmpv::decode::read_value_with_max_depth(&mut &bytes[..], DEPTH).ok()?;
    let Value::Array(parts) = value else { return None };
    let mut parts = parts.into_iter();
    match (parts.next()?.as_u64()?, parts.next()?, parts.next()?, parts.next()) {
        (0, id, _, Some(_)) => Some(Message::Request(id)),
        (1, id, Value::Nil, Some(answer)) => Some(Message::Answer(id.as_u64()?, Ok(answer))),
        (1, id, error, Some(_)) => Some(Message::Answer(id.as_u64()?, Err(error))),
        (2, name, Value::Array(arguments), None) => Some(Message::Notification(name.as_str()?.to_owned(), arguments)),
        _ => None,
    }
}

/// The bytes of a request.
pub(crate) fn request(id: u64, method: &str, arguments: Vec<Value>) -> Vec<u8> {
    written(&Value::Array(vec![0.into(), id.into(), method.into(), Value::Array(arguments)]))
}

/// The bytes of a notification.
pub(crate) fn notification(method: &str, arguments: Vec<Value>) -> Vec<u8> {
    written(&Value::Array(vec![2.into(), method.into(), Value::Array(arguments)]))
}

/// The bytes of the answer to a request of Neovim: there is nothing that it could ask.
pub(crate) fn refusal(id: Value) -> Vec<u8> {
    written(&Value::Array(vec![1.into(), id, "this channel answers nothing".into(), Value::Nil]))
}

fn written(message: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing to memory does not fail.
    let _ = rmpv::encode::write_value(&mut bytes, message);
    bytes
}
