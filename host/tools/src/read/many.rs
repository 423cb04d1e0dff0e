//! One thing of several files: each file answers for itself, with what was read or with its own error.

use std::sync::Arc;

use marquetry_graph::on_all_cores;
use marquetry_model::{Error, Kind, Result, limits, nearest::MOST};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ReadArgs, ReadResult};
use crate::{
    page::Room,
    selection::{Selected, Selection, is_absent},
    session::{Session, repeated},
};

/// What was read of several files.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilesRead {
    /// An answer for each file, in the order of `files`, those of a glob by their paths: as that of one file, or its error.
    #[schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")]
    pub results: Vec<FileRead>,
    /// How many files there are in all.
    pub file_count: usize,
    /// How many of those that were looked at do not have the target, or are no text, and were not asked for by name.
    #[serde(skip_serializing_if = "is_zero")]
    pub without: usize,
    /// How many of the answers are errors.
    #[serde(skip_serializing_if = "is_zero")]
    pub failed: usize,
    /// What was left out, and the call that gets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
}

/// What one of several files answers.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FileRead {
    /// What was read.
    Read(Box<ReadResult>),
    /// Why nothing was.
    Failed(FileFailure),
}

/// A file that could not be read, or has no such thing.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FileFailure {
    /// The file, or the glob that no file matches.
    pub file: String,
    /// What was wrong.
    pub error: Failure,
}

/// An error as it stands in a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Failure {
    /// To branch on.
    pub kind: &'static str,
    /// What was wrong.
    pub message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The nearest right answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}

/// What one file says.
enum Said {
    Item(FileRead),
    /// A glob matches it, and it has no such thing.
    Without(Option<Error>),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde hands over")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Files that are read at once: what is not shown in the end was read for nothing.
const AT_ONCE: usize = 32;

impl Session {
    /// Read the same of several files. Those beyond the page are not looked at.
    pub(super) fn read_many(&self, files: &[String], args: &ReadArgs) -> Result<FilesRead> {
        if args.symbols.is_some() && args.target.target.is_some() {
            return Err(Error::argument("`symbols` and the other targets exclude each other"));
        }
        let Selection { files, unmatched } = self.select(files)?;
        let bytes = args.max_bytes.or(self.most_bytes).unwrap_or(limits::READ_FILES);
        let (offset, limit) = (args.offset.unwrap_or(0), args.limit.unwrap_or(usize::MAX).max(1));
        // Of each file the usual number of matches is shown: the page is one of files.
        let one = ReadArgs { limit: None, offset: None, max_bytes: Some(bytes), ..args.clone() };
        let mut read = FilesRead { file_count: files.len(), ..FilesRead::default() };
        if offset == 0 {
            read.results.extend(unmatched.iter().map(|(glob, error)| FileRead::failed(glob, error)));
        }
        let (mut room, mut at, mut absent) = (Room::new(Some(bytes)), offset.min(files.len()), None);
        let stage = self.work.stage("reading files", files.len() - at);
        'files: while at < files.len() {
            let batch = &files[at..files.len().min(at + AT_ONCE)];
            let said = on_all_cores(batch, |file| {
                stage.step()?;
                self.read_selected(file, &one)
            });
            for said in said {
                match said? {
                    Said::Item(item) => {
                        if read.results.len() >= limit {
                            break 'files;
                        }
                        if !room.holds(&item) {
                            if !read.results.is_empty() {
                                break 'files;
                            }
                            // A page has one file at least.
                            room = Room::new(Some(0));
                        }
                        read.results.push(item);
                    }
                    Said::Without(error) => {
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
            read.truncated = Some(format!("{seen} were looked at; give `offset: {at}` for the next"));
        } else if offset >= files.len() && !files.is_empty() && offset > 0 {
            read.truncated = Some(format!("there are {} files, none from `offset: {offset}` on", files.len()));
        }
        if read.results.is_empty() && read.without > 0 && read.truncated.is_none() {
            return Err(in_none(absent, &files[offset.min(files.len())..]));
        }
        Ok(read)
    }

    fn read_selected(&self, file: &Selected, args: &ReadArgs) -> Result<Said> {
        let read = repeated(2, Error::is_transient, &|| {
            let file = self.open(&file.path)?;
            match self.read_open(&file, args) {
                Err(error) if error.is_transient() => Err(error),
                // Whether the format can have such a thing is known with its pack.
                read => Ok((read, Arc::clone(file.description()))),
            }
        });
        Ok(match read {
            Ok((Ok(read), _)) => Said::Item(FileRead::Read(Box::new(read))),
            Ok((Err(error), description)) if !file.named && is_absent(&description, &args.target, &error) => {
                Said::Without(Some(error))
            }
            // No text, or gone since the folder was looked through.
            Err(error) if !file.named && matches!(error.kind(), Kind::Unsupported | Kind::FileNotFound) => {
                Said::Without(None)
            }
            Ok((Err(error), _)) | Err(error) if error.kind() == Kind::Cancelled => return Err(error),
            Ok((Err(error), _)) | Err(error) => Said::Item(FileRead::failed(&file.path, &error)),
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

/// No file has the target: the menu of the first, and which files they are.
fn in_none(absent: Option<Error>, files: &[Selected]) -> Error {
    let shown: Vec<&str> = files.iter().take(MOST).map(|file| file.path.as_str()).collect();
    let more = if files.len() > shown.len() { ", …" } else { "" };
    let files = format!("in none of {} files ({}{more})", files.len(), shown.join(", "));
    absent.unwrap_or_else(|| Error::new(Kind::Unsupported, "they are not text")).context(&files)
}
