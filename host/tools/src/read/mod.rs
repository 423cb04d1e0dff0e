//! `file_read`: reads a file, or a target in it.

mod matches;
mod multi_file;
mod overview;
mod whole_file;

use multi_file::FilesRead;

use marquetry_model::{Error, Result, limits, pack::Form};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{
    document::OpenFile,
    result_types::Range,
    session::{Session, retry},
    target::{TargetArgs, check_target_count},
};

/// Arguments of `file_read`.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadArgs {
    /// Project root (default: the server's).
    pub root: Option<String>,
    /// File path, relative to the root or absolute.
    pub file: Option<String>,
    /// Instead of `file`: paths and globs; `!` excludes.
    pub files: Option<Vec<String>>,
    /// The target to read. Without a target: the file, or its outline if it is large.
    #[serde(flatten)]
    pub target: TargetArgs,
    /// Several symbols.
    pub symbols: Option<Vec<String>>,
    /// Lines around a target or a text.
    pub around: Option<Around>,
    /// `full` (default), `signature`, `body`, or `summary`.
    pub format: Option<Format>,
    /// Include kind, signature and dependencies (default true).
    pub include_metadata: Option<bool>,
    /// Include the attached doc comment in the range.
    #[serde(default)]
    pub include_doc: bool,
    /// Maximum lines per match.
    pub max_lines: Option<usize>,
    /// Maximum number of matches (default 50) or `files`.
    pub limit: Option<usize>,
    /// Skip this many matches or files.
    pub offset: Option<usize>,
    /// Maximum bytes of content.
    pub max_bytes: Option<usize>,
    /// Include parsed values (data formats).
    #[serde(default)]
    pub values: bool,
}

impl ReadArgs {
    /// Returns whether `offset` and `limit` select lines, for a call without a target.
    fn asks_for_lines(&self) -> bool {
        self.format.is_none_or(|format| format == Format::Full) && (self.offset > Some(1) || self.limit.is_some())
    }
}

/// A target and how many lines to show above and below it.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
pub struct Around {
    /// A target, or a text in the file.
    pub target: String,
    /// Lines above and below (default 3).
    pub context: Option<usize>,
}

/// Form of the content of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// The whole text.
    Full,
    /// The signature.
    Signature,
    /// The body.
    Body,
    /// A summary.
    Summary,
}

/// Result of `file_read`, for one file or several.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ReadAnswer {
    /// Result for one file.
    #[serde(flatten)]
    pub one: Option<ReadResult>,
    /// Result for several files.
    #[serde(flatten)]
    pub many: Option<FilesRead>,
    /// Warnings, such as a change that was interrupted and rolled back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Result for one file. `content` and `range` are those of the first match.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadResult {
    /// Path of the file.
    pub file: String,
    /// The requested target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetEcho>,
    /// Text of the first match.
    pub content: String,
    /// Its range; `None` if the content was generated, like some signatures and summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// Range that `file_edit` replaces, if it differs from `range`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_range: Option<Range>,
    /// Kind of node, such as `class`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its signature, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Names of other files that it uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dependencies: Option<Vec<DependencyShape>>,
    /// The attached comment, which is not part of the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<Documentation>,
    /// Value of an expression that does not match a node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Box<RawValue>>,
    /// All matches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<Match>,
    /// Number of all matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_count: Option<usize>,
    /// Requested symbols that do not exist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
    /// Omitted parts, and how to get them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
    /// Form of the content, unless it is the full text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// First syntax errors of the file, with their lines. Matches in such a file may be incomplete.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// Hash of the file, for `expectedHash`.
    pub hash: String,
    /// The plugin that answered.
    pub engine: String,
}

/// The requested target.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TargetEcho {
    /// Kind of target: the name of its argument; `text` for a text search, `file` for the whole file.
    pub r#type: &'static str,
    /// Its value.
    pub value: String,
}

/// A match.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Match {
    /// Address that finds exactly this node.
    pub address: String,
    /// Kind of node, such as `class`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its text.
    pub content: String,
    /// Range of the content.
    pub range: Range,
    /// Range that `file_edit` replaces, if it differs from `range`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_range: Option<Range>,
    /// Its parsed value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Box<RawValue>>,
    /// The attached comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<Documentation>,
}

/// An attached comment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Documentation {
    /// Its text.
    pub content: String,
    /// Its range.
    pub range: Range,
}

/// A name that is imported from another file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DependencyShape {
    /// The name in the other file.
    pub symbol: String,
    /// The specifier as written.
    pub from: String,
}

/// A requested symbol that does not exist.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Missing {
    /// The symbol.
    pub symbol: String,
    /// Error message.
    pub message: String,
    /// The most similar symbols.
    pub candidates: Vec<String>,
}

impl Session {
    /// Reads one or several files, or a target in them.
    pub(crate) fn read(&self, args: &ReadArgs) -> Result<ReadAnswer> {
        match (&args.file, &args.files) {
            (Some(file), None) => Ok(ReadAnswer { one: Some(self.read_file(file, args)?), ..ReadAnswer::default() }),
            (None, Some(files)) => Ok(ReadAnswer { many: Some(self.read_many(files, args)?), ..ReadAnswer::default() }),
            (Some(_), Some(_)) => Err(Error::argument("`file` and `files` exclude each other")),
            (None, None) => Err(Error::argument("`file` is missing").hint(match &args.target.path {
                Some(_) => "in this call `path` is a JSONPath inside the file: pass the path of the file as `file`",
                None => "name the file in `file`, or several in `files`",
            })),
        }
    }

    fn read_file(&self, path: &str, args: &ReadArgs) -> Result<ReadResult> {
        retry(2, marquetry_model::Error::is_transient, &|| self.read_once(path, args))
    }

    fn read_once(&self, path: &str, args: &ReadArgs) -> Result<ReadResult> {
        self.read_open(&self.open_or_symbol(path)?, args)
    }

    fn read_open(&self, file: &OpenFile, args: &ReadArgs) -> Result<ReadResult> {
        let given = args.target.given_targets(file.description());
        let symbols = args.symbols.as_deref().unwrap_or_default();
        let count = given.len() + usize::from(!symbols.is_empty()) + usize::from(args.around.is_some());
        if count > 1 && (args.around.is_some() || !symbols.is_empty()) {
            return Err(Error::argument("`symbols`, `around` and the other targets exclude each other"));
        }
        check_target_count(&given, limits::EMBEDDED_DEPTH)?;
        let reading = matches::Reading::new(self, file, args);
        let mut result = match &args.around {
            Some(around) => reading.around(around),
            None if !symbols.is_empty() => reading.symbols(symbols),
            None if given.is_empty() && args.asks_for_lines() => reading.page_of_lines(),
            None if given.is_empty() => reading.whole(),
            None => reading.target(given),
        }?;
        result.problems = reading.problems()?;
        Ok(result)
    }
}

impl From<Format> for Form {
    fn from(format: Format) -> Form {
        match format {
            Format::Full => Form::Full,
            Format::Signature => Form::Signature,
            Format::Body => Form::Body,
            Format::Summary => Form::Summary,
        }
    }
}
