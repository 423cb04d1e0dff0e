//! What a call answers: text for models, JSON for programs, or both; each is enough alone.

use marquetry_model::{Error, Result};
use rmcp::model::{CallToolResult, ContentBlock};

use crate::{
    catalog::Answer,
    text::{self, Style},
};

/// What is sent as the answer of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Answers {
    /// Text for models: code as code, and no JSON. No schemas of results are told.
    #[default]
    Text,
    /// JSON, as structured content and, for clients that do not know that, as text.
    Structured,
    /// Text for models, and JSON as structured content.
    Both,
}

impl Answers {
    /// The structured content is sent, so its schema is told.
    pub(crate) fn structured(self) -> bool {
        self != Answers::Text
    }

    /// The answer of a tool.
    pub(crate) fn of(self, tool: &str, answer: &dyn Answer) -> Result<CallToolResult> {
        let value = answer.value()?;
        let text = match self {
            Answers::Structured => value.to_string(),
            Answers::Text | Answers::Both => text::render(tool, &value, Style::for_models()),
        };
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        result.structured_content = self.structured().then_some(value);
        Ok(result)
    }
}

/// Plain text as an answer.
pub(crate) fn plain(answers: Answers, text: String) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text.clone())]);
    result.structured_content = answers.structured().then(|| serde_json::json!({ "text": text }));
    result
}

/// All of the error as text: models are shown nothing else. Structured content would have to fit the schema of results.
pub(crate) fn failure(error: &Error) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text::error(error, Style::for_models()))])
}

/// The answer, or the failure.
pub(crate) fn either(answer: Result<CallToolResult>) -> CallToolResult {
    answer.unwrap_or_else(|error| failure(&error))
}
