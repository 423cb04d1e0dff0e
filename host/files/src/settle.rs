//! What to do about a marker that stands although nobody holds the lock: its change was interrupted, and is taken back from
//! its journal. Nothing is done on the word of a marker or a journal alone, see `marker`.

use std::{
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
    tombstone,
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
    /// The change was finished, had not begun, or is taken back.
    Over,
    /// The process that carries it out is still at it.
    Running,
    /// It is not where the marker says.
    Lost,
    /// It is there, and knows of the marker.
    Sealed(Box<Sealed>),
    /// It is there, and knows of another marker only.
    Strange(PathBuf),
}

/// A journal that is to be obeyed.
pub(crate) struct Sealed {
    path: PathBuf,
    pub(crate) manifest: Manifest,
    contents: Contents,
    /// The marker is the very one that the journal names. Otherwise the original may be elsewhere, and need the journal.
    is_original: bool,
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
    match journal_of(folder, &marker, &seal).map_err(|error| blocked(&marker.journal, &error))? {
        Journal::Over => unmark_over(folder, &marker, &seal, probe).map_err(failed)?,
        Journal::Running => return Err(running(&marker.journal, &marker.id)),
        // What is carried out in one step is there or is not.
        Journal::Lost | Journal::Strange(_) if marker.alone => marker::remove(&tree, "").map_err(failed)?,
        Journal::Lost => return Err(lost(&place, &marker)),
        Journal::Strange(_) => return Err(strange(&place, &marker)),
        Journal::Sealed(sealed) => {
            let path = sealed.path.clone();
            let said = finish(folder, &seal, *sealed, probe);
            return said.map(Settled::Done).map_err(|error| blocked(&path, &error));
        }
    }
    Ok(Settled::Done(None))
}

/// Take back the change of a marker that is not the one its journal names, because the person says that it is: identified by
/// its id, and each file by its content. What there is to say about it is answered.
pub(crate) fn take_back_copy(folder: &Path, probe: &Probe, _lock: &Lock) -> Result<String> {
    let place = folder.join(marker::NAME);
    let failed = |error: io::Error| blocked(&place, &error);
    let Found::Marker(marker, seal) = marker::read(folder).map_err(failed)? else {
        return Err(Error::argument(format!("`{}` is not a marker of an interrupted change", place.display())));
    };
    for path in journals(&marker) {
        if journal::read_id_or_manifest(&path).as_deref() != Some(&*marker.id) {
            continue;
        }
        if journal::is_running(&path) {
            return Err(running(&path, &marker.id));
        }
        let Some((manifest, contents)) = journal::read(&path).map_err(|error| blocked(&path, &error))? else {
            continue;
        };
        // The longest name fits best: that of the root itself fits everywhere.
        let names = manifest.markers.iter().map(|known| known.folder.clone());
        let own = names.filter(|name| manifest.markers.len() == 1 || folder.ends_with(name)).max_by_key(String::len);
        let Some(own) = own else { continue };
        let manifest = manifest.resealed(&own, &seal);
        let sealed = Sealed { path: path.clone(), manifest, contents, is_original: false };
        let said = finish(folder, &seal, sealed, probe).map_err(|error| blocked(&path, &error))?;
        return Ok(said.unwrap_or_default());
    }
    Err(lost(&place, &marker))
}

/// The places where the journal of a marker can be. A root that took the place of this one may have set its journal aside, and
/// have one of its own there by now.
fn journals(marker: &Marker) -> Vec<PathBuf> {
    if !journal::is_id(&marker.id) || !marker.journal.is_absolute() {
        return Vec::new();
    }
    vec![kept_path(&marker.journal, &marker.id, Kept::Needed), marker.journal.clone()]
}

/// The journal of a marker in a directory.
pub(crate) fn journal_of(folder: &Path, marker: &Marker, seal: &Seal) -> io::Result<Journal> {
    let mut strange = None;
    let journals = journals(marker);
    if journals.is_empty() {
        return Ok(Journal::Lost);
    }
    for path in journals {
        // The contents of others are not read.
        if journal::read_id_or_manifest(&path).is_some_and(|id| id != marker.id) {
            continue;
        }
        if journal::is_running(&path) {
            return Ok(Journal::Running);
        }
        let (manifest, contents) = match journal::read(&path) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => continue,
            Err(error) => return Err(error),
            Ok(None) => return Ok(Journal::Over),
            // Another one took its place this very moment.
            Ok(Some((manifest, _))) if manifest.id != marker.id => continue,
            Ok(Some(whole)) => whole,
        };
        let is_original = manifest.markers.iter().any(|known| known.is_of_same(seal));
        let manifest = match (is_original, at_its_place(&path, &manifest, folder)) {
            (true, _) => manifest,
            (false, Some(own)) => manifest.resealed(&own, seal),
            (false, None) => {
                strange = Some(path);
                continue;
            }
        };
        return Ok(Journal::Sealed(Box::new(Sealed { path, manifest, contents, is_original })));
    }
    let finished = marker.journal.with_file_name(&marker.id);
    let over =
        [finished, tombstone::path(&marker.journal, &marker.id), kept_path(&marker.journal, &marker.id, Kept::Over)];
    if over.iter().any(|path| path.symlink_metadata().is_ok()) {
        return Ok(Journal::Over);
    }
    Ok(strange.map_or(Journal::Lost, Journal::Strange))
}

/// The name by which a journal knows a directory, if that is where the journal's root has a marker. The journal is private, and
/// the id of its change is known to nobody else: a marker with this id in just this place is that of this change, although a
/// file system gave it another inode.
fn at_its_place(journal: &Path, manifest: &Manifest, folder: &Path) -> Option<String> {
    let root = State::root_of(journal.parent()?.parent()?)?;
    manifest.markers.iter().find(|known| root.join(&known.folder) == folder).map(|known| known.folder.clone())
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

/// Take a change back, then say so by the journal's name, then remove its markers, then what is left of the journal. Whoever
/// comes after an interruption between two of these steps goes on from there, by any of the markers.
fn finish(folder: &Path, seal: &Seal, sealed: Sealed, probe: &Probe) -> io::Result<Option<String>> {
    let Sealed { path, manifest, contents, is_original } = sealed;
    let (tree, manifest) = placed(folder, seal, manifest, probe)?;
    let foreign = take_back(&tree, &manifest, &contents)?;
    tree.probe("drop journal");
    let Manifest { id, title, .. } = &manifest;
    if foreign.is_empty() && is_original {
        let tombstone = tombstone::make(&path, id)?;
        unmark(&tree, &manifest)?;
        tree.probe("drop journal");
        tombstone::remove(&tombstone)?;
        return Ok(None);
    }
    let keep = if is_original { Kept::Over } else { Kept::Needed };
    let kept = set_aside(&path, id, keep)?;
    unmark(&tree, &manifest)?;
    let mut said = format!("the change `{id}` ({title}) was interrupted and is taken back");
    if !foreign.is_empty() {
        // Somebody wrote to its files meanwhile: what stood there before is kept beside the history.
        said +=
            &format!(", but for `{}`: others changed that meanwhile, and it is left as it is", foreign.join("`, `"));
    }
    Ok(Some(format!("{said}; the previous content is kept in {}", kept.display())))
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

/// Remove the markers of a change that is over, and what is left of its journal where these are all.
fn unmark_over(folder: &Path, marker: &Marker, seal: &Seal, probe: &Probe) -> io::Result<()> {
    let tombstone = tombstone::path(&marker.journal, &marker.id);
    let manifest = if journal::is_id(&marker.id) { journal::read_manifest(&tombstone) } else { None };
    if let Some((tree, manifest)) = manifest.and_then(|manifest| placed(folder, seal, manifest, probe).ok()) {
        unmark(&tree, &manifest)?;
        return tombstone::remove(&tombstone);
    }
    marker::remove(&Tree::new(folder.to_owned(), probe.clone()), "")
}

/// Why a journal is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// For what it holds: its change is over, and nothing is taken back from it any more.
    Over,
    /// Its change may be half done in a folder that is elsewhere by now.
    Needed,
}

fn kept_path(journal: &Path, id: &str, kept: Kept) -> PathBuf {
    let end = if kept == Kept::Over { "kept" } else { "interrupted" };
    journal.with_file_name(format!("{id}.{end}"))
}

/// Keep a journal under another name, and make room for the next one.
fn set_aside(path: &Path, id: &str, why: Kept) -> io::Result<PathBuf> {
    let kept = kept_path(path, id, why);
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
    if journal::is_running(&pending) {
        return Err(running(&pending, &journal::read_id(&pending).unwrap_or_default()));
    }
    let (mut said, mut all_were_there) = (Vec::new(), true);
    for folder in journal::read_folders(&pending) {
        let folder = tree.root().join(folder);
        if !marker::stands(&folder) {
            all_were_there = false;
        } else if let Settled::Done(Some(more)) = settle(&folder, probe, lock)? {
            said.push(more);
        }
    }
    let failed = |error: io::Error| blocked(&pending, &error);
    if state.is_pending() {
        tree.probe("drop journal");
        match journal::read(&pending).map_err(failed)? {
            None => drop_unfinished(state, all_were_there).map_err(failed)?,
            Some((manifest, _)) => said.extend(settle_unmarked(state, tree, &manifest).map_err(failed)?),
        }
    }
    Ok((!said.is_empty()).then(|| said.join("; ")))
}

/// Remove a journal that was never finished: nothing was changed. A marker that is not in its place may have moved away with its
/// folder; there it has to find out.
fn drop_unfinished(state: &State, all_were_there: bool) -> io::Result<()> {
    let pending = state.pending();
    match journal::read_id(&pending) {
        Some(id) if !all_were_there => tombstone::make(&pending, &id).map(drop),
        _ => std::fs::remove_file(&pending).and_then(|()| sync_directory(&state.changes())),
    }
}

/// Remove the journal and the markers of a change that this process announced and did not begin.
pub(crate) fn retract(state: &State, tree: &Tree, id: &str) -> io::Result<()> {
    let pending = state.pending();
    if journal::read_id(&pending).as_deref() == Some(id) {
        for folder in journal::read_folders(&pending) {
            let is_own = match marker::read(&tree.root().join(&folder))? {
                Found::Torn => true,
                Found::Marker(marker, _) => marker.id == id,
                Found::Nothing | Found::NotOurs(_) => false,
            };
            if is_own {
                marker::remove(tree, &folder)?;
            }
        }
    }
    tree.probe("drop journal");
    std::fs::remove_file(&pending)?;
    sync_directory(&state.changes())
}

/// What becomes of this root's journal where no marker knows it. With what there is to say about it.
fn settle_unmarked(state: &State, tree: &Tree, manifest: &Manifest) -> io::Result<Option<String>> {
    let (pending, Manifest { id, title, .. }) = (state.pending(), manifest);
    let came = is_one_step(&manifest.operations).then(|| single::tidy(tree, manifest)).transpose()?;
    match &came {
        Some(Came::ToNothing) => std::fs::remove_file(&pending)?,
        Some(Came::ToItsEnd) => std::fs::rename(&pending, state.changes().join(id))?,
        Some(Came::OfOthers(path)) => {
            let kept = set_aside(&pending, id, Kept::Needed)?.display().to_string();
            return Ok(Some(format!(
                "the change `{id}` ({title}) was interrupted, and others changed `{path}` since: that is left as it is, and \
                 what it replaced is kept in {kept}"
            )));
        }
        None => {
            let kept = set_aside(&pending, id, Kept::Needed)?.display().to_string();
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
    let sealed = match journal_of(folder, &marker, &seal) {
        Ok(Journal::Running) => return Err(running(&marker.journal, &marker.id)),
        Ok(Journal::Sealed(sealed)) => *sealed,
        _ => return marker::remove(&tree, "").map(|()| None).map_err(failed),
    };
    // First: from now on the change is over, whichever of its markers is met.
    let kept = set_aside(&sealed.path, &marker.id, if sealed.is_original { Kept::Over } else { Kept::Needed });
    let kept = kept.map_err(failed)?;
    match placed(folder, &seal, sealed.manifest, &None) {
        Ok((tree, manifest)) => unmark(&tree, &manifest).map_err(failed)?,
        Err(_) => marker::remove(&tree, "").map_err(failed)?,
    }
    Ok(Some(kept))
}

/// What a journal is called that cannot be read.
pub(crate) const UNREAD: &str = "0-unread";

/// The same for the root's own journal where it cannot be read.
pub(crate) fn give_up_unread(state: &State, _lock: &Lock) -> Result<Option<PathBuf>> {
    let pending = state.pending();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    set_aside(&pending, &format!("{UNREAD}-{now}"), Kept::Over)
        .map(Some)
        .map_err(|error| io_error("give up", &pending.to_string_lossy(), &error))
}

/// A change whose process is still there.
fn running(journal: &Path, id: &str) -> Error {
    Error::new(
        Kind::LimitExceeded,
        format!("the change `{id}` is still running: its journal `{}` is locked", journal.display()),
    )
    .hint("wait for it or end its process, then repeat the call; nothing was written")
}

fn blocked(path: &Path, error: &io::Error) -> Error {
    io_error("take back an interrupted change with", &path.to_string_lossy(), error)
        .hint(
            "nothing can be changed there before that; see to the cause and repeat the call, or leave the files as they are: \
             `marq recover` lists the change, `marq recover --give-up` gives it up",
        )
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
    .hint(format!(
        "bring the journal back, or look at the files and leave them as they are with `marq recover --give-up {}`",
        marker.id
    ))
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
    .hint(format!(
        "files beside it may be half changed, as those that it was copied from: `marq recover --take-back {id}` takes them back, \
         `marq recover --give-up {id}` leaves them as they are",
        id = marker.id
    ))
}
