//! The files of a root as one call asks for them: whoever works on them for long, a pack above all, can see whether the call
//! is still wanted, and nothing is changed that a person has unsaved in an editor.

use std::sync::Arc;

use marquetry_model::{
    Applied, Change, Error, Kind, Result, Step, Work,
    editor::{Editors, Unsaved},
    ports::{EntryKind, FileStamp, Files, Past, Source, Survey, Unfinished},
};

/// Files, and the call that they are asked for.
struct CallFiles {
    files: Arc<dyn Files>,
    editors: Arc<dyn Editors>,
    work: Work,
}

/// The files as one call asks for them.
pub(crate) fn of_call(files: Arc<dyn Files>, editors: &Arc<dyn Editors>, work: &Work) -> Arc<dyn Files> {
    Arc::new(CallFiles { files, editors: Arc::clone(editors), work: work.clone() })
}

impl CallFiles {
    /// Refuse to change what an editor holds unsaved; a call that writes nothing is told.
    fn check_saved<'a>(&self, paths: impl Iterator<Item = &'a str>, dry_run: bool) -> Result<()> {
        let root = self.files.root().trim_end_matches('/');
        let paths: Vec<String> = paths.map(|path| format!("{root}/{path}")).collect();
        let unsaved = self.editors.unsaved(&paths);
        if unsaved.is_empty() {
            return Ok(());
        }
        let refusal = refusal(&unsaved, root);
        if dry_run {
            self.work.note(format!("{}: the change itself would be refused", refusal.content().message));
            return Ok(());
        }
        Err(refusal)
    }
}

/// Why nothing is changed: it would be lost when the person saves, or what the person wrote would be.
fn refusal(unsaved: &[Unsaved], root: &str) -> Error {
    let shown = |path: &str| path.strip_prefix(root).unwrap_or(path).trim_start_matches('/').to_owned();
    let first = &unsaved[0];
    let others = match unsaved.len() {
        1 => String::new(),
        many => format!(", as have {} more", many - 1),
    };
    let (path, title, name) = (shown(&first.path), &first.title, &first.editor);
    let message = format!("{path} has changes in {title} (`{name}`) that are not saved{others}");
    Error::new(Kind::OverwriteBlocked, message)
        .hint("nothing was written; have the person save or discard them in the editor, then repeat the call")
        .candidates(unsaved.iter().map(|held| shown(&held.path)))
}

/// The paths that a step changes.
fn changed(step: &Step) -> Vec<&str> {
    match step {
        Step::Edit { path, .. } | Step::Create { path, .. } | Step::Delete { path, .. } => vec![path],
        Step::Move { from, to, .. } => vec![from, to],
        Step::Copy { to, .. } => vec![to],
    }
}

impl Files for CallFiles {
    fn work(&self) -> Option<&Work> {
        Some(&self.work)
    }

    fn root(&self) -> &str {
        self.files.root()
    }

    fn locate(&self, path: &str) -> Result<String> {
        self.files.locate(path)
    }

    fn read(&self, path: &str) -> Result<Source> {
        self.files.read(path)
    }

    fn text(&self, path: &str) -> Result<Arc<str>> {
        self.files.text(path)
    }

    fn read_bytes(&self, path: &str) -> Result<Vec<u8>> {
        self.files.read_bytes(path)
    }

    fn decode(&self, path: &str, bytes: &[u8]) -> Result<String> {
        self.files.decode(path, bytes)
    }

    fn stat(&self, path: &str) -> Option<EntryKind> {
        self.files.stat(path)
    }

    fn entries(&self, path: &str) -> Vec<(String, EntryKind)> {
        self.files.entries(path)
    }

    fn is_ignored(&self, path: &str) -> bool {
        self.files.is_ignored(path)
    }

    fn version(&self, path: &str) -> Option<u64> {
        self.files.version(path)
    }

    fn layout(&self) -> u64 {
        self.files.layout()
    }

    fn exporters(&self, name: &str) -> Vec<String> {
        self.files.exporters(name)
    }

    fn walk(&self, below: &str) -> Result<Vec<FileStamp>> {
        self.files.walk(below)
    }

    fn survey(&self, below: &str) -> Result<Survey> {
        self.files.survey(below)
    }

    fn damage(&self) -> Result<Vec<String>> {
        self.files.damage()
    }

    fn notices(&self) -> Vec<String> {
        self.files.notices()
    }

    fn unfinished(&self) -> Result<Vec<Unfinished>> {
        self.files.unfinished()
    }

    fn give_up(&self, id: &str) -> Result<Option<String>> {
        self.files.give_up(id)
    }

    fn apply(&self, change: &Change, dry_run: bool, work: &Work) -> Result<Applied> {
        self.check_saved(change.steps.iter().flat_map(changed), dry_run)?;
        self.files.apply(change, dry_run, work)
    }

    fn undo(&self, id: Option<&str>, dry_run: bool, work: &Work) -> Result<(Past, Applied)> {
        if !self.editors.unsaved(&[self.files.root().to_owned()]).is_empty() {
            let (past, _) = self.files.undo(id, true, work)?;
            self.check_saved(past.files.iter().map(String::as_str), dry_run)?;
        }
        self.files.undo(id, dry_run, work)
    }

    fn history(&self, limit: usize) -> Result<Vec<Past>> {
        self.files.history(limit)
    }
}
