//! `file_read`: show this one thing.

mod many;
mod matches;
mod shape;
mod whole;

use many::FilesRead;

use marquetry_model::{Error, Result, limits, pack::Form};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{
    document::OpenFile,
    session::{Session, repeated},
    shape::Range,
    target::{TargetArgs, at_most},
};

/// Arguments of `file_read`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadArgs {
    /// Project root (default: the server's).
    pub root: Option<String>,
    /// File path, relative to the root or absolute.
    pub file: Option<String>,
    /// Instead of `file`: paths and globs; `!` excludes.
    pub files: Option<Vec<String>>,
    /// What to read. Without a target: the file, or its outline when it is large.
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
    /// Maximum matches (default 50) or `files`.
    pub limit: Option<usize>,
    /// Skip this many.
    pub offset: Option<usize>,
    /// Maximum bytes of content.
    pub max_bytes: Option<usize>,
    /// Include parsed values (data formats).
    #[serde(default)]
    pub values: bool,
}

/// A target and how many lines to show above and below it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Around {
    /// A target, or a text in the file.
    pub target: String,
    /// Lines above and below (default 3).
    pub context: Option<usize>,
}

/// How much of a match to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// All of it.
    Full,
    /// Its head.
    Signature,
    /// Its inside.
    Body,
    /// Its shape.
    Summary,
}

/// Result of `file_read`: of a file, or of several.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ReadAnswer {
    /// One file.
    #[serde(flatten)]
    pub one: Option<ReadResult>,
    /// Several files.
    #[serde(flatten)]
    pub many: Option<FilesRead>,
    /// Worth knowing, such as a change that was interrupted and taken back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What was read of one file. `content` and `range` are those of the first match.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadResult {
    /// The file.
    pub file: String,
    /// What was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetEcho>,
    /// The text of the first match.
    pub content: String,
    /// Where it stands. None where the content is made for the purpose, as some signatures and summaries are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// What `file_edit` replaces, where the content shows something else than that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_range: Option<Range>,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its head on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// What it uses of other files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dependencies: Option<Vec<DependencyShape>>,
    /// The comment attached to it, which is not part of the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<Documentation>,
    /// The value of an expression that names no place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Box<RawValue>>,
    /// Every match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<Match>,
    /// How many matches there are in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_count: Option<usize>,
    /// Symbols that were asked for and are not there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
    /// What was left out, and the call that gets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
    /// How the content was made, unless it is the full text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// The first syntax errors of the file, with their lines: what is found in such a file may not be all of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// The hash of the file: give it back as `expectedHash`.
    pub hash: String,
    /// Which plugin answered.
    pub engine: String,
}

/// What was asked for.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TargetEcho {
    /// The kind of target: the name of its argument; `text` for a text that was looked for, `file` for the whole file.
    pub r#type: &'static str,
    /// Its value.
    pub value: String,
}

/// One match.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Match {
    /// Finds exactly this place again.
    pub address: String,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its text.
    pub content: String,
    /// Where it stands.
    pub range: Range,
    /// What `file_edit` replaces, where the content shows something else than that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_range: Option<Range>,
    /// Its parsed value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Box<RawValue>>,
    /// The comment attached to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<Documentation>,
}

/// A comment attached to a match.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Documentation {
    /// Its text.
    pub content: String,
    /// Where it stands.
    pub range: Range,
}

/// A name that another file brings in.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DependencyShape {
    /// The name in the other file.
    pub symbol: String,
    /// The specifier as written.
    pub from: String,
}

/// A symbol that is not there.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Missing {
    /// The symbol.
    pub symbol: String,
    /// Why.
    pub message: String,
    /// The nearest ones there are.
    pub candidates: Vec<String>,
}

impl Session {
    /// Read a file or several, or what a target names in them.
    pub(crate) fn read(&self, args: &ReadArgs) -> Result<ReadAnswer> {
        match (&args.file, &args.files) {
            (Some(file), None) => Ok(ReadAnswer { one: Some(self.read_file(file, args)?), ..ReadAnswer::default() }),
            (None, Some(files)) => Ok(ReadAnswer { many: Some(self.read_many(files, args)?), ..ReadAnswer::default() }),
            (Some(_), Some(_)) => Err(Error::argument("`file` and `files` exclude each other")),
            (None, None) => Err(Error::argument("`file` is missing").hint(match &args.target.path {
                Some(_) => "`path` is a place inside the file here (a JSONPath): name the file in `file`",
                None => "name the file in `file`, or several in `files`",
            })),
        }
    }

    fn read_file(&self, path: &str, args: &ReadArgs) -> Result<ReadResult> {
        repeated(2, marquetry_model::Error::is_transient, &|| self.read_once(path, args))
    }

    fn read_once(&self, path: &str, args: &ReadArgs) -> Result<ReadResult> {
        self.read_open(&self.open(path)?, args)
    }

    fn read_open(&self, file: &OpenFile, args: &ReadArgs) -> Result<ReadResult> {
        let given = args.target.given(file.description());
        let symbols = args.symbols.as_deref().unwrap_or_default();
        let asked = given.len() + usize::from(!symbols.is_empty()) + usize::from(args.around.is_some());
        if asked > 1 && (args.around.is_some() || !symbols.is_empty()) {
            return Err(Error::argument("`symbols`, `around` and the other targets exclude each other"));
        }
        at_most(&given, limits::EMBEDDED_DEPTH)?;
        let reading = matches::Reading::new(self, file, args);
        let mut result = match &args.around {
            Some(around) => reading.around(around),
            None if !symbols.is_empty() => reading.symbols(symbols),
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
