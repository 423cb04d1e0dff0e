//! Arguments of one edit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::target::TargetArgs;

/// One edit.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OneEdit {
    /// The target to edit.
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
    /// Code pattern as in ast-grep: `foo($A, $$$REST)`.
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

/// Operation on a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationName {
    /// Replace it with the content.
    Replace,
    /// Replace its body with the content.
    ReplaceBody,
    /// Insert before it.
    InsertBefore,
    /// Insert after it.
    InsertAfter,
    /// Insert into it.
    InsertInto,
    /// Put text around it.
    Wrap,
    /// Delete it, with its comment and separators.
    Delete,
    /// Replace a text inside of it.
    ReplaceText,
}

/// Text that `wrap` puts around the target.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
pub struct WrapperArgs {
    /// Text before.
    pub before: String,
    /// Text after.
    pub after: String,
}

/// Position for `insert_into`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PositionName {
    /// Before all siblings.
    First,
    /// After all siblings.
    Last,
    /// At its place in the order of its siblings.
    Sorted,
}
