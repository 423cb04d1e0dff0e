//! Tool results: text for models, JSON for programs, or both. Each is complete on its own.

use marquetry_catalog::{
    Answer,
    text::{self, Style},
};
use marquetry_model::{Error, Result};
use rmcp::model::{CallToolResult, ContentBlock};

/// Content of tool results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Answers {
    /// Text for models, in which code is plain text and not JSON. Output schemas are omitted.
    #[default]
    Text,
    /// JSON as structured content, and as text for clients that do not support that.
    Structured,
    /// Text for models, and JSON as structured content.
    Both,
}

impl Answers {
    /// Returns whether structured content is sent, which requires output schemas.
    pub(crate) fn is_structured(self) -> bool {
        self != Answers::Text
    }

    /// Converts the answer of a tool.
    pub(crate) fn tool_result(self, tool: &str, answer: &dyn Answer) -> Result<CallToolResult> {
        let value = answer.to_json()?;
        let text = match self {
            Answers::Structured => value.to_string(),
            Answers::Text | Answers::Both => text::render(tool, &value, Style::for_models()),
        };
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        result.structured_content = self.is_structured().then_some(value);
        Ok(result)
    }
}

/// Plain text as a result.
pub(crate) fn text_result(answers: Answers, text: String) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text.clone())]);
    result.structured_content = answers.is_structured().then(|| serde_json::json!({ "text": text }));
    result
}

/// Converts an error to text, because models see only that. Structured content is omitted, because it would have to
/// match the output schema.
pub(crate) fn error_result(error: &Error) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text::error(error, Style::for_models()))])
}

/// Converts an answer or an error.
pub(crate) fn result_or_error(answer: Result<CallToolResult>) -> CallToolResult {
    answer.unwrap_or_else(|error| error_result(&error))
}
