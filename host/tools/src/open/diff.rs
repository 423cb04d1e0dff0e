//! Diffs of two files, or of one file at two revisions.

use marquetry_model::{
    Error, Kind, Result, diff,
    ports::EntryKind,
    repository::{STAGED, WORKING},
};

use super::{OpenItem, ResolvedItem, existing_file};
use crate::session::Session;

/// Two texts to compare.
pub(super) struct DiffPair {
    pub(super) title: String,
    pub(super) left: DiffSide,
    pub(super) right: DiffSide,
    /// Context lines of the unified diff.
    context: usize,
    pub(super) note: Option<String>,
}

/// One side of a diff.
pub(super) struct DiffSide {
    /// Path of the file, relative to the root.
    pub(super) path: String,
    pub(super) text: String,
    pub(super) label: String,
    /// True if the side is the current file: an editor shows its own buffer, with unsaved changes.
    pub(super) live: bool,
    /// True if the file does not exist on this side.
    missing: bool,
}

/// Default number of context lines.
const DEFAULT_CONTEXT: usize = 3;

impl DiffPair {
    /// Kind of change: `created`, `deleted` or `modified`.
    pub(super) fn change(&self) -> &'static str {
        match (self.left.missing, self.right.missing) {
            (true, _) => "created",
            (_, true) => "deleted",
            _ => "modified",
        }
    }

    /// Returns the unified diff of both texts.
    pub(super) fn unified(&self) -> String {
        let name = |half: &DiffSide| if half.missing { "/dev/null".to_owned() } else { half.label.clone() };
        let (left, right) = (name(&self.left), name(&self.right));
        diff::between((&left, &self.left.text), (&right, &self.right.text), self.context)
    }
}

/// Resolves an item of the type `diff`, which compares two files.
pub(super) fn diff_of_files(session: &Session, item: &OpenItem) -> Result<ResolvedItem> {
    let half = |path: &str| {
        let path = existing_file(session, path)?;
        let text = session.files.read(&path)?.text.to_string();
        Ok(DiffSide { label: path.clone(), path, text, live: true, missing: false })
    };
    let left: DiffSide = half(item.required(item.left.as_ref(), "left")?)?;
    let right: DiffSide = half(item.required(item.right.as_ref(), "right")?)?;
    let title =
        item.title.clone().unwrap_or_else(|| format!("{} ↔ {}", last_segment(&left.path), last_segment(&right.path)));
    let note = (left.text == right.text).then(|| "the files are the same".to_owned());
    Ok(ResolvedItem::Diff(Box::new(DiffPair {
        title,
        left,
        right,
        context: item.context.unwrap_or(DEFAULT_CONTEXT),
        note,
    })))
}

/// Resolves an item of the type `gitDiff`, which compares a file at two revisions.
pub(super) fn diff_of_revisions(session: &Session, item: &OpenItem) -> Result<ResolvedItem> {
    let path = session.files.locate(item.required(item.path.as_ref(), "path")?)?;
    let (from, to) = (item.from.as_deref().unwrap_or("HEAD"), item.to.as_deref().unwrap_or(WORKING));
    if session.files.stat(&path) == Some(EntryKind::Directory) {
        return Err(Error::new(Kind::Unsupported, format!("`{path}` is a folder")).hint("name a file"));
    }
    let (left, right) = (side_at_revision(session, &path, from)?, side_at_revision(session, &path, to)?);
    let note = match (&left.missing, &right.missing) {
        (true, true) => {
            return Err(Error::new(Kind::FileNotFound, format!("`{path}` is neither in {from} nor in {to}"))
                .hint("query `gitStatus` lists what changed"));
        }
        (false, false) if left.text == right.text => {
            return Err(Error::new(Kind::TargetNotFound, format!("File has no changes between {from} and {to}"))
                .hint("query `gitStatus` lists what changed"));
        }
        (false, false) if left.text.lines().eq(right.text.lines()) => Some("only line endings differ".to_owned()),
        _ => None,
    };
    let title = item.title.clone().unwrap_or_else(|| format!("{} ({from} ↔ {to})", last_segment(&path)));
    Ok(ResolvedItem::Diff(Box::new(DiffPair {
        title,
        left,
        right,
        context: item.context.unwrap_or(DEFAULT_CONTEXT),
        note,
    })))
}

fn side_at_revision(session: &Session, path: &str, revision: &str) -> Result<DiffSide> {
    let text = if revision == WORKING {
        session.files.stat(path).map(|_| session.files.read(path).map(|source| source.text.to_string())).transpose()?
    } else {
        let version = session.repositories.version(session.files.root(), path, revision, &session.work)?;
        version.map(|version| session.files.decode(path, &version.bytes)).transpose()?
    };
    let missing = text.is_none();
    let mut label = if revision == WORKING { path.to_owned() } else { format!("{path} ({revision})") };
    if missing {
        label = format!("{path} (not in {})", if revision == STAGED { "the index" } else { revision });
    }
    let live = revision == WORKING && !missing;
    Ok(DiffSide { path: path.to_owned(), text: text.unwrap_or_default(), label, live, missing })
}

fn last_segment(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
