//! Edits, new files and deletions as one change, for callers that install something. A file that an edit names is
//! created if it does not exist. The catalog does not contain this tool: agents use `file_edit` and `file_create`.

use std::sync::Arc;

use marquetry_model::{Edit, Error, Kind, Result, Span, Step, ports::Source};

use super::{
    FileEdit,
    multi_file::{FileEditPlan, FileOutcome, combine_errors, in_change, parse_changes},
};
use crate::{
    change_queue::Scope,
    document::OpenFile,
    draft::{Commit, Draft, diagnostic_text, validated_edits},
    preview::Check,
    session::{Session, Writing},
};

/// Arguments of a set of changes.
#[derive(Debug, Clone, Default)]
pub struct FileSetArgs {
    /// Project root (default: the server's).
    pub root: Option<String>,
    /// Title of the change in the history.
    pub title: String,
    /// Edits, in order. A missing file is created with the result of editing an empty text.
    pub edits: Vec<FileEdit>,
    /// Files to create, with their text.
    pub created: Vec<(String, String)>,
    /// Files to delete.
    pub deleted: Vec<String>,
    /// Write nothing, show the result.
    pub dry_run: bool,
}

/// Result of a set of changes.
#[derive(Debug, Clone, Default)]
pub struct FileSetResult {
    /// Unified diff.
    pub diff: String,
    /// Files that the change creates or edits, with their new texts.
    pub texts: Vec<(String, String)>,
    /// Id of the change, for `file_undo`. `None` if nothing was written.
    pub id: Option<String>,
    /// Warnings.
    pub warnings: Vec<String>,
}

impl Session {
    /// Applies edits, new files and deletions as one change.
    pub(crate) fn file_set(&self, args: &FileSetArgs) -> Result<FileSetResult> {
        let edits = parse_changes(&args.edits)?;
        let plan = self.plan_of_changes(&args.edits, &edits)?;
        let named = plan.files.iter().map(|file| file.path.clone());
        let created = args.created.iter().map(|(path, _)| self.files.locate(path));
        let deleted = args.deleted.iter().map(|path| self.files.locate(path));
        let mut paths = named.map(Ok).chain(created).chain(deleted).collect::<Result<Vec<String>>>()?;
        paths.sort_unstable();
        let writing = Writing { scope: Scope::Files(&paths), dry_run: args.dry_run, hash_expected: false };
        self.run_change(writing, || self.file_set_once(&plan.files, args))
    }

    fn file_set_once(&self, files: &[FileEditPlan<'_>], args: &FileSetArgs) -> Result<FileSetResult> {
        let (mut draft, mut texts, mut errors) = (Draft::default(), Vec::new(), Vec::new());
        for file in files {
            match self.edited_or_new(file) {
                Ok(FileOutcome::Edits(source, edits, _)) if source.text.is_empty() => {
                    let text = edits.apply(&source.text).trim_end_matches('\n').to_owned() + "\n";
                    self.create_or_fill(&mut draft, &source.path, &text)?;
                    texts.push((source.path, text));
                }
                Ok(FileOutcome::Edits(source, edits, _)) => {
                    texts.push((source.path.clone(), edits.apply(&source.text)));
                    draft.edit(&source, edits)?;
                }
                Ok(FileOutcome::NothingToEdit(_)) => {}
                Err(error) => errors.push(error),
            }
        }
        if let Some(error) = combine_errors(errors) {
            return Err(error);
        }
        for (path, text) in &args.created {
            let path = self.files.locate(path)?;
            self.create_or_fill(&mut draft, &path, text)?;
            texts.push((path, text.clone()));
        }
        for path in &args.deleted {
            draft.add_step(Step::Delete { path: self.files.locate(path)?, recursive: false });
        }
        let commit = Commit { dry_run: args.dry_run, preview: false, check: Check::No };
        let committed = draft.commit(self, args.title.clone(), commit)?;
        let (id, diff) = (committed.id(), committed.diffs.concat());
        Ok(FileSetResult { diff, texts, id, warnings: committed.warnings })
    }

    /// Creates a file. An empty file gets the text instead.
    fn create_or_fill(&self, draft: &mut Draft, path: &str, text: &str) -> Result<()> {
        match self.files.read(path) {
            Ok(source) if source.text.is_empty() => {
                let edit = Edit { span: Span { start: 0, end: 0 }, text: text.to_owned() };
                draft.edit(&source, validated_edits(path, "", vec![edit])?)
            }
            _ => {
                draft.create(path.to_owned(), text.to_owned());
                Ok(())
            }
        }
    }

    /// Computes the edits of a file. A missing file is an empty text without a hash.
    fn edited_or_new(&self, plan: &FileEditPlan<'_>) -> Result<FileOutcome> {
        let source = match self.files.read(&plan.path) {
            Ok(source) => {
                self.refuse_broken(&source)?;
                source
            }
            Err(error) if error.kind() == Kind::FileNotFound => {
                Source { path: plan.path.clone(), text: Arc::from(""), hash: String::new(), size: 0 }
            }
            Err(error) => return Err(in_change(error, None, &plan.path)),
        };
        self.edits_of_source(source, plan, false)
    }

    /// Refuses a file with syntax errors. An edit near a syntax error would rely on a guess, which the user does not
    /// expect here.
    fn refuse_broken(&self, source: &Source) -> Result<()> {
        if source.text.trim().is_empty() {
            return Ok(());
        }
        self.work.name_file(&source.path);
        let file: OpenFile = self.open_source(source.clone())?;
        let Some(first) = file.errors_of(file.text())?.into_iter().next() else { return Ok(()) };
        Err(Error::new(Kind::ParseError, format!("{}: {}", source.path, diagnostic_text(&source.text, &first)))
            .hint("correct the file, and run the command again; nothing was written"))
    }
}
