//! A conversation with a model that may call tools, in the formats of two APIs.
//!
//! The transport is a function from a request to an answer, so the crate depends on no HTTP client and on no provider.

use marquetry::{Error, Host, Kind, Result, ToolFormat, Work};
use serde_json::{Value, json};

/// Maximum number of answers in which the model calls tools.
const MAX_TURNS: usize = 30;
/// Instructions for the model.
const INSTRUCTIONS: &str = "You edit the files of a project. Name what you read and edit instead of guessing lines.";

/// The format of an API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// Anthropic's messages.
    Anthropic,
    /// OpenAI's chat completions, which many servers of models accept.
    Openai,
}

/// A call that the model requests.
#[derive(Debug, Clone, PartialEq)]
struct ToolCall {
    id: String,
    name: String,
    arguments: Value,
}

/// Sends a request to the API and returns its answer.
pub type Transport<'t> = dyn FnMut(&Value) -> Result<Value> + 't;

/// Asks the model, carries out the calls that it requests, and returns its final text. Cancelling `work` ends the
/// conversation at the next step.
///
/// # Errors
/// Fails if the transport fails, if an answer is not in the format of the API, or if the model calls tools endlessly.
/// Errors of tools are answers for the model, which can correct its call.
pub fn converse(
    host: &Host,
    (api, model): (Api, &str),
    question: &str,
    work: &Work,
    transport: &mut Transport<'_>,
) -> Result<String> {
    let mut messages = api.first_messages(question);
    let host = host.with_work(work).with_reason(question);
    for _ in 0..MAX_TURNS {
        work.check()?;
        let answer = transport(&api.request(&host, model, &messages))?;
        let (message, text, calls) = api.read_answer(&answer)?;
        messages.push(message);
        if calls.is_empty() {
            return Ok(text);
        }
        let results: Vec<(ToolCall, Result<Value>)> = calls
            .into_iter()
            .map(|call| {
                let result = host.call(&call.name, call.arguments.clone());
                (call, result)
            })
            .collect();
        work.check()?;
        messages.extend(api.result_messages(&host, &results));
    }
    Err(Error::new(Kind::LimitExceeded, format!("the model still calls tools after {MAX_TURNS} answers"))
        .hint("ask for less at once"))
}

impl Api {
    fn first_messages(self, question: &str) -> Vec<Value> {
        let user = json!({ "role": "user", "content": question });
        match self {
            Api::Anthropic => vec![user],
            Api::Openai => vec![json!({ "role": "system", "content": INSTRUCTIONS }), user],
        }
    }

    fn request(self, host: &Host, model: &str, messages: &[Value]) -> Value {
        match self {
            Api::Anthropic => json!({
                "model": model, "max_tokens": 4096, "system": INSTRUCTIONS, "messages": messages,
                "tools": host.tool_definitions(ToolFormat::Anthropic),
            }),
            Api::Openai => json!({
                "model": model, "messages": messages, "tools": host.tool_definitions(ToolFormat::Openai),
            }),
        }
    }

    /// Returns the message for the conversation, its text, and the calls in it.
    fn read_answer(self, answer: &Value) -> Result<(Value, String, Vec<ToolCall>)> {
        match self {
            Api::Anthropic => read_anthropic(answer),
            Api::Openai => read_openai(answer),
        }
    }

    /// Returns the messages with the results of calls. An error has its hint and candidates, so that the model can
    /// correct its call.
    fn result_messages(self, host: &Host, results: &[(ToolCall, Result<Value>)]) -> Vec<Value> {
        let text = |call: &ToolCall, result: &Result<Value>| host.text_for_model(&call.name, result);
        match self {
            Api::Anthropic => {
                let block = |(call, result): &(ToolCall, Result<Value>)| {
                    json!({
                        "type": "tool_result", "tool_use_id": call.id, "content": text(call, result),
                        "is_error": result.is_err(),
                    })
                };
                vec![json!({ "role": "user", "content": results.iter().map(block).collect::<Vec<_>>() })]
            }
            Api::Openai => results
                .iter()
                .map(|(call, result)| json!({ "role": "tool", "tool_call_id": call.id, "content": text(call, result) }))
                .collect(),
        }
    }
}

fn read_anthropic(answer: &Value) -> Result<(Value, String, Vec<ToolCall>)> {
    let blocks = answer["content"].as_array().ok_or_else(|| format_error(answer))?;
    let of_type = |kind: &'static str| blocks.iter().filter(move |block| block["type"] == kind);
    let text = of_type("text").filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n");
    let call = |block: &Value| {
        let (id, name) = (block["id"].as_str()?.to_owned(), block["name"].as_str()?.to_owned());
        Some(ToolCall { id, name, arguments: block["input"].clone() })
    };
    let calls = of_type("tool_use").map(|block| call(block).ok_or_else(|| format_error(answer)));
    let calls = calls.collect::<Result<Vec<_>>>()?;
    Ok((json!({ "role": "assistant", "content": blocks }), text, calls))
}

fn read_openai(answer: &Value) -> Result<(Value, String, Vec<ToolCall>)> {
    let message = &answer["choices"][0]["message"];
    if !message.is_object() {
        return Err(format_error(answer));
    }
    let call = |call: &Value| {
        let function = &call["function"];
        let (id, name) = (call["id"].as_str()?.to_owned(), function["name"].as_str()?.to_owned());
        // The arguments are JSON in a string. Text that is not JSON is refused by the tool.
        let text = function["arguments"].as_str()?;
        let arguments = serde_json::from_str(text).unwrap_or_else(|_| text.into());
        Some(ToolCall { id, name, arguments })
    };
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    let calls = calls.map(|each| call(each).ok_or_else(|| format_error(answer))).collect::<Result<Vec<_>>>()?;
    Ok((message.clone(), message["content"].as_str().unwrap_or_default().to_owned(), calls))
}

fn format_error(answer: &Value) -> Error {
    let message = answer["error"]["message"].as_str().map_or_else(|| answer.to_string(), str::to_owned);
    Error::new(Kind::Internal, format!("the API answered: {message}")).hint("check the address, the key and the model")
}
