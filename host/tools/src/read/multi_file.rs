//! Reads several files. Each file has its own result or error.

use std::sync::Arc;

use marquetry_graph::parallel_map;
use marquetry_model::{Error, Kind, Result, limits, nearest::MAX_CANDIDATES};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ReadArgs, ReadResult};
use crate::{
    pagination::ByteBudget,
    selection::{Selected, Selection, is_absent},
    session::{Session, retry},
};

/// Result for several files.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilesRead {
    /// Results in the order of `files`, those of a glob sorted by path: the result of the file, or its error.
    #[schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")]
    pub results: Vec<FileRead>,
    /// Number of all files.
    pub file_count: usize,
    /// Number of files that match a glob but do not contain the target or are not text.
    #[serde(skip_serializing_if = "is_zero")]
    pub without: usize,
    /// Number of errors.
    #[serde(skip_serializing_if = "is_zero")]
    pub failed: usize,
    /// Omitted parts, and how to get them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
}

/// Result for one of several files.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FileRead {
    /// The file was read.
    Read(Box<ReadResult>),
    /// The file was not read.
    Failed(FileFailure),
}

/// Error for one of several files.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FileFailure {
    /// The file, or the glob without matches.
    pub file: String,
    /// The error.
    pub error: Failure,
}

/// An error in a list of results.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Failure {
    /// Kind of the error.
    pub kind: &'static str,
    /// Message.
    pub message: String,
    /// Hint on what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Valid values, most similar first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}

/// Result for one file, in internal form.
enum FileOutcome {
    Item(FileRead),
    /// The file matches a glob and does not contain the target.
    TargetAbsent(Option<Error>),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde hands over")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Number of files that are read in parallel. Files that do not fit into the answer are read unnecessarily.
const BATCH_SIZE: usize = 32;

impl Session {
    /// Reads the same target in several files. Files after the page are not read.
    pub(super) fn read_many(&self, files: &[String], args: &ReadArgs) -> Result<FilesRead> {
        if args.symbols.is_some() && args.target.target.is_some() {
            return Err(Error::argument("`symbols` and the other targets exclude each other"));
        }
        let Selection { files, unmatched } = self.select(files)?;
        let bytes = args.max_bytes.or(self.max_bytes).unwrap_or(limits::READ_FILES);
        let (offset, limit) = (args.offset.unwrap_or(0), args.limit.unwrap_or(usize::MAX).max(1));
        // In a call about several files, `limit` and `offset` select files, so each file has the default number of
        // matches.
        let one = ReadArgs { limit: None, offset: None, max_bytes: Some(bytes), ..args.clone() };
        let mut read = FilesRead { file_count: files.len(), ..FilesRead::default() };
        if offset == 0 {
            read.results.extend(unmatched.iter().map(|(glob, error)| FileRead::failed(glob, error)));
        }
        let (mut room, mut at, mut absent) = (ByteBudget::new(Some(bytes)), offset.min(files.len()), None);
        let stage = self.work.stage("reading files", files.len() - at);
        'files: while at < files.len() {
            let batch = &files[at..files.len().min(at + BATCH_SIZE)];
            let results = parallel_map(batch, |file| {
                stage.step()?;
                self.read_selected(file, &one)
            });
            for results in results {
                match results? {
                    FileOutcome::Item(item) => {
                        if read.results.len() >= limit {
                            break 'files;
                        }
                        if !room.take_item(&item) {
                            if !read.results.is_empty() {
                                break 'files;
                            }
                            // A page has at least one file.
                            room = ByteBudget::new(Some(0));
                        }
                        read.results.push(item);
                    }
                    FileOutcome::TargetAbsent(error) => {
                        read.without += 1;
                        absent = absent.or(error);
                    }
                }
                at += 1;
            }
        }
        read.failed = read.results.iter().filter(|item| matches!(item, FileRead::Failed(_))).count();
        if at < files.len() {
            let seen = format!("files {} to {at} of {}", offset + 1, files.len());
            read.truncated = Some(format!("{seen} were read; give `offset: {at}` for the next"));
        } else if offset >= files.len() && !files.is_empty() && offset > 0 {
            read.truncated = Some(format!("there are {} files, none from `offset: {offset}` on", files.len()));
        }
        if read.results.is_empty() && read.without > 0 && read.truncated.is_none() {
            return Err(none_has_target(absent, &files[offset.min(files.len())..]));
        }
        Ok(read)
    }

    fn read_selected(&self, file: &Selected, args: &ReadArgs) -> Result<FileOutcome> {
        let read = retry(2, Error::is_transient, &|| {
            let file = self.open(&file.path)?;
            match self.read_open(&file, args) {
                Err(error) if error.is_transient() => Err(error),
                // The description of the pack shows whether the format supports the target.
                read => Ok((read, Arc::clone(file.description()))),
            }
        });
        Ok(match read {
            Ok((Ok(read), _)) => FileOutcome::Item(FileRead::Read(Box::new(read))),
            Ok((Err(error), description)) if !file.named && is_absent(&description, &args.target, &error) => {
                FileOutcome::TargetAbsent(Some(error))
            }
            // The file is not text, or it was deleted after the walk.
            Err(error) if !file.named && matches!(error.kind(), Kind::Unsupported | Kind::FileNotFound) => {
                FileOutcome::TargetAbsent(None)
            }
            Ok((Err(error), _)) | Err(error) if error.kind() == Kind::Cancelled => return Err(error),
            Ok((Err(error), _)) | Err(error) => FileOutcome::Item(FileRead::failed(&file.path, &error)),
        })
    }
}

impl FileRead {
    fn failed(file: &str, error: &Error) -> FileRead {
        let content = error.content().clone();
        let error = Failure {
            kind: content.kind.name(),
            message: content.message,
            hint: content.hint,
            candidates: content.candidates,
        };
        FileRead::Failed(FileFailure { file: file.to_owned(), error })
    }
}

/// Error if no file contains the target: suggestions of the first file, and the names of the files.
fn none_has_target(absent: Option<Error>, files: &[Selected]) -> Error {
    let shown: Vec<&str> = files.iter().take(MAX_CANDIDATES).map(|file| file.path.as_str()).collect();
    let more = if files.len() > shown.len() { ", …" } else { "" };
    let files = format!("in none of {} files ({}{more})", files.len(), shown.join(", "));
    absent.unwrap_or_else(|| Error::new(Kind::Unsupported, "they are not text")).context(&files)
}
