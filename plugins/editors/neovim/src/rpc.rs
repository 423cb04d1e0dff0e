//! Messages of msgpack-rpc.

use rmpv::Value;

/// A message from Neovim.
#[derive(Debug, PartialEq)]
pub(crate) enum Message {
    /// A request with this ID.
    Request(Value),
    /// A response: the ID of the request, and its result.
    Answer(u64, Result<Value, Value>),
    /// A notification: name and arguments.
    Notification(String, Vec<Value>),
}

/// Maximum nesting of a value. It is larger than the maximum of [`crate::frames`], which has already checked the value.
const MAX_DEPTH: usize = 100;

/// Decodes a message. `None` if it is not a valid msgpack-rpc message.
pub(crate) fn decode(bytes: &[u8]) -> Option<Message> {
    let value = rmpv::decode::read_value_with_max_depth(&mut &bytes[..], MAX_DEPTH).ok()?;
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

/// Encodes a request.
pub(crate) fn request(id: u64, method: &str, arguments: Vec<Value>) -> Vec<u8> {
    encode(&Value::Array(vec![0.into(), id.into(), method.into(), Value::Array(arguments)]))
}

/// Encodes a notification.
pub(crate) fn notification(method: &str, arguments: Vec<Value>) -> Vec<u8> {
    encode(&Value::Array(vec![2.into(), method.into(), Value::Array(arguments)]))
}

/// Encodes an error as the response to a request from Neovim, because no requests from Neovim are supported.
pub(crate) fn error_response(id: Value) -> Vec<u8> {
    encode(&Value::Array(vec![1.into(), id, "this channel does not answer requests".into(), Value::Nil]))
}

fn encode(message: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing to memory does not fail.
    let _ = rmpv::encode::write_value(&mut bytes, message);
    bytes
}
