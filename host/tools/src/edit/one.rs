//! One edit as a caller asks for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::target::TargetArgs;

/// One edit.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OneEdit {
    /// What to edit.
    #[serde(flatten)]
    pub place: TargetArgs,
    /// The operation.
    pub operation: Option<OperationName>,
    /// The text to insert or to replace the target with.
    pub content: Option<String>,
    /// `wrap`: the text around the target.
    pub wrapper: Option<WrapperArgs>,
    /// `insert_into`: where (default `last`).
    pub position: Option<PositionName>,
    /// `replace_text`: the text in the target (or file) that `content` replaces.
    pub old: Option<String>,
    /// `old` is a regular expression; `content` may use `$1`, `${name}`.
    #[serde(default)]
    pub regex: bool,
    /// Match `old` as a whole word only.
    #[serde(default)]
    pub whole_word: bool,
    /// Ignore the case of `old`.
    #[serde(default)]
    pub ignore_case: bool,
    /// Structural search pattern, as in ast-grep: `foo($A, $$$REST)`.
    pub pattern: Option<String>,
    /// `pattern`: the new code.
    pub replacement: Option<String>,
    /// Edit every match of the target, `pattern` or `old`.
    #[serde(default)]
    pub all: bool,
    /// Include the attached doc comment in the target.
    #[serde(default)]
    pub include_doc: bool,
    /// `replace`: create the target if it does not exist.
    #[serde(default)]
    pub upsert: bool,
}

/// What to do with the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationName {
    /// Put the content in its place.
    Replace,
    /// Put the content in the place of its inside.
    ReplaceBody,
    /// Insert before it.
    InsertBefore,
    /// Insert after it.
    InsertAfter,
    /// Insert into it.
    InsertInto,
    /// Put something around it.
    Wrap,
    /// Delete it, with its comment and separators.
    Delete,
    /// Replace a text inside it.
    ReplaceText,
}

/// What `wrap` puts around the target.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct WrapperArgs {
    /// Text before.
    pub before: String,
    /// Text after.
    pub after: String,
}

/// Where `insert_into` inserts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PositionName {
    /// Before all others.
    First,
    /// After all others.
    Last,
    /// Where the order of its neighbours has it.
    Sorted,
}
