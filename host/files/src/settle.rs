//! What to do about a marker that stands although nobody holds the lock: its change was interrupted, and is taken back from
//! its journal. Nothing is done on the word of a marker or a journal alone, see `marker`.

use std::{
    fs::File,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use marquetry_model::{Error, Kind, Result};

use crate::{
    failure::io_error,
    journal::{self, Manifest},
    lock::Lock,
    marker::{self, Found, Marker, Seal},
    operation::{Contents, is_one_step},
    recover::take_back,
    single::{self, Came},
    state::State,
    system::sync_directory,
    tree::{Probe, Tree},
};

/// What became of a marker.
pub(crate) enum Settled {
    /// Nothing is half done any more. With what there is to say about it.
    Done(Option<String>),
    /// It is not for this user: why.
    NotOurs(String),
}

/// The journal that a marker names.
pub(crate) enum Journal {
    /// The change was finished, or had not begun.
    Over,
    /// It is not where the marker says.
    Lost,
    /// It is there, and knows of the marker.
    Sealed(PathBuf, Box<Manifest>, Contents),
    /// It is there, and knows of another marker only.
    Strange(PathBuf),
}

/// Take back what the marker in a directory is about. The lock is proof that it is not still running.
pub(crate) fn settle(folder: &Path, probe: &Probe, _lock: &Lock) -> Result<Settled> {
    let place = folder.join(marker::NAME);
    let failed = |error: io::Error| blocked(&place, &error);
    let tree = Tree::new(folder.to_owned(), probe.clone());
    let (marker, seal) = match marker::read(folder).map_err(failed)? {
        Found::Nothing => return Ok(Settled::Done(None)),
        Found::NotOurs(why) => return Ok(Settled::NotOurs(why)),
        Found::Torn => {
            marker::remove(&tree, "").map_err(failed)?;
            return Ok(Settled::Done(None));
        }
        Found::Marker(marker, seal) => (marker, seal),
    };
    match journal_of(&marker, &seal).map_err(|error| blocked(&marker.journal, &error))? {
        Journal::Over => {}
        // What is carried out in one step is there or is not.
        Journal::Lost | Journal::Strange(_) if marker.alone => {}
        Journal::Lost => return Err(lost(&place, &marker)),
        Journal::Strange(_) => return Err(strange(&place, &marker)),
        Journal::Sealed(path, manifest, contents) => {
            let said = finish(folder, &seal, &path, *manifest, &contents, probe);
            return said.map(Settled::Done).map_err(|error| blocked(&path, &error));
        }
    }
    marker::remove(&tree, "").map_err(failed)?;
    Ok(Settled::Done(None))
}

/// The journal of a marker.
pub(crate) fn journal_of(marker: &Marker, seal: &Seal) -> io::Result<Journal> {
    let is_plain = !marker.id.is_empty() && marker.id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !is_plain || !marker.journal.is_absolute() {
        return Ok(Journal::Lost);
    }
    // A root that took the place of this one may have set its journal aside, and have one of its own there by now.
    let aside = marker.journal.with_file_name(format!("{}.interrupted", marker.id));
    let mut strange = None;
    for path in [&aside, &marker.journal] {
        let knows = |manifest: &Manifest| manifest.markers.iter().any(|known| known.is_of_same(seal));
        if let Some(manifest) = journal::read_manifest(path) {
            // The contents of others are not read.
            if manifest.id != marker.id {
                continue;
            }
            if !knows(&manifest) {
                strange = Some(path.clone());
                continue;
            }
        }
        match journal::read(path) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => return Err(error),
            Ok(None) => return Ok(Journal::Over),
            Ok(Some((manifest, contents))) if manifest.id == marker.id && knows(&manifest) => {
                return Ok(Journal::Sealed(path.clone(), Box::new(manifest), contents));
            }
            // Another one took its place this very moment.
            Ok(Some(_)) => {}
        }
    }
    if marker.journal.with_file_name(&marker.id).symlink_metadata().is_ok() {
        return Ok(Journal::Over);
    }
    Ok(strange.map_or(Journal::Lost, Journal::Strange))
}

/// The tree and the manifest of an interrupted change, as they are to be seen from a directory with a marker of it.
pub(crate) fn placed(folder: &Path, seal: &Seal, manifest: Manifest, probe: &Probe) -> io::Result<(Tree, Manifest)> {
    let elsewhere = || io::Error::new(ErrorKind::NotFound, "a folder above was renamed since");
    let own = manifest.markers.iter().find(|known| known.is_of_same(seal)).map(|known| known.folder.clone());
    let own = own.ok_or_else(elsewhere)?;
    if manifest.markers.len() == 1 {
        // All it touched lies below, whatever the directories above are called by now.
        let manifest = manifest.below(&own).ok_or_else(elsewhere)?;
        return Ok((Tree::new(folder.to_owned(), probe.clone()), manifest));
    }
    if !folder.ends_with(&own) {
        return Err(elsewhere());
    }
    let root = folder.ancestors().nth(Path::new(&own).components().count()).ok_or_else(elsewhere)?;
    Ok((Tree::new(root.to_owned(), probe.clone()), manifest))
}

/// Take a change back, then say so in its journal, then remove its markers: at no moment is the one without the other.
fn finish(
    folder: &Path,
    seal: &Seal,
    path: &Path,
    manifest: Manifest,
    contents: &Contents,
    probe: &Probe,
) -> io::Result<Option<String>> {
    let (tree, manifest) = placed(folder, seal, manifest, probe)?;
    let foreign = take_back(&tree, &manifest, contents)?;
    tree.probe("drop journal");
    if foreign.is_empty() {
        // What is no whole journal is about nothing.
        let journal = File::options().write(true).open(path)?;
        journal.set_len(0).and_then(|()| journal.sync_all())?;
        unmark(&tree, &manifest)?;
        tree.probe("drop journal");
        std::fs::remove_file(path)?;
        sync_directory(path.parent().unwrap_or(path))?;
        return Ok(None);
    }
    // Somebody wrote to its files meanwhile: what stood there before is kept beside the history.
    let kept = set_aside(path, &manifest.id)?;
    unmark(&tree, &manifest)?;
    Ok(Some(format!(
        "the change `{}` ({}) was interrupted and is taken back, but for `{}`: others changed that meanwhile, and it is left as \
         it is; what stood there before is kept in {}",
        manifest.id,
        manifest.title,
        foreign.join("`, `"),
        kept.display()
    )))
}

fn unmark(tree: &Tree, manifest: &Manifest) -> io::Result<()> {
    for seal in &manifest.markers {
        marker::remove(tree, &seal.folder)?;
        match tree.sync_directory(&seal.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            other => other?,
        }
    }
    Ok(())
}

/// Keep a journal for what it holds; nothing is taken back from it any more.
fn set_aside(path: &Path, id: &str) -> io::Result<PathBuf> {
    let kept = path.with_file_name(format!("{id}.interrupted"));
    std::fs::rename(path, &kept)?;
    sync_directory(path.parent().unwrap_or(path))?;
    Ok(kept)
}

/// Take back what this very root left half done, and make room for the next journal. The lock is that of the root.
pub(crate) fn settle_own(state: &State, tree: &Tree, probe: &Probe, lock: &Lock) -> Result<Option<String>> {
    let pending = state.pending();
    if !state.is_pending() {
        return Ok(None);
    }
    let mut said = Vec::new();
    for folder in journal::read_folders(&pending) {
        let folder = tree.root().join(folder);
        if marker::stands(&folder)
            && let Settled::Done(Some(more)) = settle(&folder, probe, lock)?
        {
            said.push(more);
        }
    }
    let failed = |error: io::Error| blocked(&pending, &error);
    if state.is_pending() {
        tree.probe("drop journal");
        match journal::read(&pending).map_err(failed)? {
            // It was never finished, so nothing was changed.
            None => std::fs::remove_file(&pending).and_then(|()| sync_directory(&state.changes())).map_err(failed)?,
            Some((manifest, _)) => said.extend(settle_unmarked(state, tree, &manifest).map_err(failed)?),
        }
    }
    Ok((!said.is_empty()).then(|| said.join("; ")))
}

/// What becomes of this root's journal where no marker knows it. With what there is to say about it.
fn settle_unmarked(state: &State, tree: &Tree, manifest: &Manifest) -> io::Result<Option<String>> {
    let (pending, Manifest { id, title, .. }) = (state.pending(), manifest);
    let came = is_one_step(&manifest.operations).then(|| single::tidy(tree, manifest)).transpose()?;
    match &came {
        Some(Came::ToNothing) => std::fs::remove_file(&pending)?,
        Some(Came::ToItsEnd) => std::fs::rename(&pending, state.changes().join(id))?,
        Some(Came::OfOthers(path)) => {
            let kept = set_aside(&pending, id)?.display().to_string();
            return Ok(Some(format!(
                "the change `{id}` ({title}) was interrupted, and others changed `{path}` since: that is left as it is, and \
                 what it replaced is kept in {kept}"
            )));
        }
        None => {
            let kept = set_aside(&pending, id)?.display().to_string();
            return Ok(Some(format!(
                "the change `{id}` ({title}) was interrupted in a folder that is not there any more, or whose marker is gone: \
                 nothing was touched, and what it replaced is kept in {kept}"
            )));
        }
    }
    sync_directory(&state.changes())?;
    Ok(None)
}

/// Leave a change as it was interrupted. Answers where its journal is kept, if there is one.
pub(crate) fn give_up(folder: &Path, _lock: &Lock) -> Result<Option<PathBuf>> {
    let place = folder.join(marker::NAME);
    let failed = |error: io::Error| io_error("give up", &place.to_string_lossy(), &error);
    let Found::Marker(marker, seal) = marker::read(folder).map_err(failed)? else { return Ok(None) };
    let tree = Tree::new(folder.to_owned(), None);
    let Ok(Journal::Sealed(path, manifest, _)) = journal_of(&marker, &seal) else {
        return marker::remove(&tree, "").map(|()| None).map_err(failed);
    };
    let id = manifest.id.clone();
    match placed(folder, &seal, *manifest, &None) {
        Ok((tree, manifest)) => unmark(&tree, &manifest).map_err(failed)?,
        Err(_) => marker::remove(&tree, "").map_err(failed)?,
    }
    set_aside(&path, &id).map(Some).map_err(failed)
}

/// What a journal is called that cannot be read.
pub(crate) const UNREAD: &str = "0-unread";

/// The same for the root's own journal where it cannot be read.
pub(crate) fn give_up_unread(state: &State, _lock: &Lock) -> Result<Option<PathBuf>> {
    let pending = state.pending();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    set_aside(&pending, &format!("{UNREAD}-{now}"))
        .map(Some)
        .map_err(|error| io_error("give up", &pending.to_string_lossy(), &error))
}

fn blocked(path: &Path, error: &io::Error) -> Error {
    io_error("take back an interrupted change with", &path.to_string_lossy(), error)
        .hint("nothing can be changed there before that; see to the cause and repeat the call, or give the change up")
}

fn lost(place: &Path, marker: &Marker) -> Error {
    Error::new(
        Kind::Unsupported,
        format!(
            "the change `{}` was interrupted, and its journal `{}` is gone: files beside `{}` may be half changed",
            marker.id,
            marker.journal.display(),
            place.display()
        ),
    )
    .hint("bring the journal back, or look at the files and give the change up")
}

fn strange(place: &Path, marker: &Marker) -> Error {
    Error::new(
        Kind::Unsupported,
        format!(
            "`{}` is a copy, or was not written by marq: it does not belong to the change `{}`",
            place.display(),
            marker.id
        ),
    )
    .hint("files beside it may be half changed, as those that it was copied from; look at them and give the change up")
}
