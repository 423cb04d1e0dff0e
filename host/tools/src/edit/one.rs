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
    /// What to do with it.
    pub operation: Option<OperationName>,
    /// What is inserted or takes the target's place.
    pub content: Option<String>,
    /// For `wrap`.
    pub wrapper: Option<WrapperArgs>,
    /// For `insert_into` (default `last`).
    pub position: Option<PositionName>,
    /// For `replace_text`: the text inside the target (or the file) that `content` replaces.
    pub old: Option<String>,
    /// `old` is a regular expression, `$1` and `${name}` in `content` its groups.
    #[serde(default)]
    pub regex: bool,
    /// Only where `old` is no part of a longer word.
    #[serde(default)]
    pub whole_word: bool,
    /// `old` in letters of either case.
    #[serde(default)]
    pub ignore_case: bool,
    /// Instead of an operation: code with holes, `foo($A, $$$REST)`.
    pub pattern: Option<String>,
    /// For `pattern`: the new code, with its holes.
    pub replacement: Option<String>,
    /// Every match of the target or `pattern`; for `replace_text` every occurrence.
    #[serde(default)]
    pub all: bool,
    /// The attached doc comment is part of the target.
    #[serde(default)]
    pub include_doc: bool,
    /// With `replace`: make it, with `content`, where it is not there yet.
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
    /// Before it.
    pub before: String,
    /// After it.
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
