//! Reads a file at a revision.

use gix::{
    ObjectId,
    bstr::{BStr, BString, ByteSlice},
    filter::plumbing::{driver::apply::Delay, pipeline::convert::to_worktree},
    index::entry::Stage,
    object::tree::EntryKind,
};
use marquetry_model::{
    Error, Kind, Result, limits,
    nearest::nearest_names,
    repository::{FileVersion, STAGED, WORKING},
};

use crate::{errors::git_error, open::OpenRepository};

/// The names by which a caller can refer to the checked-out commit.
const HEAD: [&str; 2] = ["HEAD", "@"];

/// An entry at a path of a revision.
struct RevisionEntry {
    id: ObjectId,
    kind: EntryKind,
    commit: Option<String>,
}

/// Returns the file at a revision; `None` if the revision does not contain it.
pub(crate) fn version(opened: &OpenRepository, path: &str, revision: &str) -> Result<Option<FileVersion>> {
    let inside: BString = opened.repository_path(path)?.into();
    let content =
        if revision == STAGED { index_entry(opened, &inside)? } else { commit_entry(opened, &inside, revision)? };
    let Some(RevisionEntry { id, kind, commit }) = content else { return Ok(None) };
    match kind {
        EntryKind::Tree => return Err(not_a_file_error(path, revision, "a folder")),
        EntryKind::Commit => return Err(not_a_file_error(path, revision, "a submodule")),
        EntryKind::Blob | EntryKind::BlobExecutable | EntryKind::Link => {}
    }
    let size = opened.repo.find_header(id).map_err(git_error)?.size();
    if size > limits::REVISION_FILE_BYTES {
        let large = format!("`{path}` in {revision} is larger than {} MiB", limits::REVISION_FILE_BYTES >> 20);
        return Err(Error::new(Kind::LimitExceeded, large));
    }
    let bytes = opened.repo.find_object(id).map_err(git_error)?.detach().data;
    let bytes = if kind == EntryKind::Link { bytes } else { as_checked_out(opened, inside.as_ref(), bytes)? };
    Ok(Some(FileVersion { bytes, commit }))
}

fn not_a_file_error(path: &str, revision: &str, what: &str) -> Error {
    Error::new(Kind::Unsupported, format!("`{path}` is {what} in {revision}")).hint("name a file")
}

/// Returns the entry in the index.
fn index_entry(opened: &OpenRepository, inside: &BString) -> Result<Option<RevisionEntry>> {
    let index = opened.repo.index_or_empty().map_err(git_error)?;
    let inside = inside.as_bstr();
    if let Some(entry) = index.entry_by_path_and_stage(inside, Stage::Unconflicted) {
        let kind = entry.mode.to_tree_entry_mode().map_or(EntryKind::Blob, |mode| mode.kind());
        // An entry added with `git add --intent-to-add` is not staged yet.
        let meant = entry.flags.contains(gix::index::entry::Flags::INTENT_TO_ADD);
        return Ok((!meant).then_some(RevisionEntry { id: entry.id, kind, commit: None }));
    }
    if index.entry_range(inside).is_some() {
        return Err(Error::new(
            Kind::Unsupported,
            format!("`{inside}` has a merge conflict: no version of it is staged"),
        )
        .hint("compare `HEAD` with `working`, or resolve the conflict"));
    }
    Ok(None)
}

/// Returns the entry in a commit.
fn commit_entry(opened: &OpenRepository, inside: &BString, revision: &str) -> Result<Option<RevisionEntry>> {
    let repo = &opened.repo;
    // Before the first commit, `HEAD` names a branch without files.
    if HEAD.contains(&revision) && repo.head().is_ok_and(|head| head.is_unborn()) {
        return Ok(None);
    }
    let object =
        repo.rev_parse_single(revision).and_then(|id| id.object()).map_err(|_| unknown_revision(opened, revision))?;
    let no_commit = |_| Error::argument(format!("the revision `{revision}` is not a commit"));
    let commit = object.peel_to_commit().map_err(no_commit)?;
    let tree = commit.tree().map_err(git_error)?;
    let entry = tree.lookup_entry(inside.split_str("/")).map_err(git_error)?;
    let commit = commit.id.to_string();
    Ok(entry.map(|entry| RevisionEntry { id: entry.object_id(), kind: entry.mode().kind(), commit: Some(commit) }))
}

/// Creates the error for an unknown revision, with similar names.
fn unknown_revision(opened: &OpenRepository, revision: &str) -> Error {
    let mut names: Vec<String> = ["HEAD", STAGED, WORKING].map(str::to_owned).to_vec();
    if let Ok(all) = opened.repo.references()
        && let Ok(all) = all.all()
    {
        let known = all.flatten().take(limits::REFERENCES);
        names.extend(known.map(|reference| reference.name().shorten().to_str_lossy().into_owned()));
    }
    let mut candidates = nearest_names(revision, names.iter().cloned());
    if candidates.is_empty() {
        candidates = names.into_iter().take(limits::DEFAULT_MATCHES).collect();
    }
    Error::new(Kind::TargetNotFound, format!("unknown revision `{revision}`"))
        .hint("use a branch, a tag, a commit, `HEAD`, `HEAD~1`, `staged` or `working`")
        .candidates(candidates)
}

/// Converts line endings and encoding as git does on checkout, but without running filter programs.
fn as_checked_out(opened: &OpenRepository, inside: &BStr, bytes: Vec<u8>) -> Result<Vec<u8>> {
    let (mut pipeline, _) = opened.repo.filter_pipeline(None).map_err(git_error)?;
    let options = to_worktree::Options { can_delay: Delay::Forbid, ..Default::default() };
    let converted = pipeline.convert_to_worktree(&bytes, inside, options).map_err(git_error)?;
    match converted.as_bytes() {
        Some(converted) => Ok(converted.to_vec()),
        // Only filter programs produce streams, and all of them were removed from the configuration.
        None => Ok(bytes),
    }
}
