//! The history: origin of changes, entries of older versions, damaged entries, and purging.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::common::*;
use marquetry_files::clean;
use marquetry_model::{
    Kind,
    ports::{Files, ReplacedFile, StoredContent},
};

fn state(place: &Place) -> PathBuf {
    place.directory.path().join("state")
}

/// Returns the entries' folder of the only history.
fn entries(place: &Place) -> PathBuf {
    fs::read_dir(state(place)).unwrap().next().unwrap().unwrap().path().join("changes")
}

fn undo(files: &dyn Files, id: &str) -> marquetry_model::Result<()> {
    files.undo(Some(id), false, &Work::default()).map(|_| ())
}

#[test]
fn history_records_client_tool_and_reason() {
    let place = fast_place(&[("a", "a")]);
    let work = Work::default();
    work.set_client("claude-code 2.1.0\n");
    work.set_origin("file_edit", "a $.b", Some("it was\nslow"));
    place.files.apply(&change(vec![place.edit("a", "a", "b")]), false, &work).unwrap();
    place.apply(vec![place.edit("a", "b", "c")]).unwrap();
    let past = place.files.history(9).unwrap();
    assert_eq!(past[0].origin, None, "a change without an origin must be listed without one");
    assert_eq!(past[1].origin.as_ref().unwrap().to_string(), "claude-code 2.1.0, file_edit a $.b: it was slow");
}

/// Rewrites an entry, with its lengths and hash, to the format of older versions, which stored no origin.
#[test]
fn entries_of_older_versions_are_read() {
    let place = fast_place(&[("a", "a")]);
    let work = Work::default();
    work.set_origin("file_edit", "a", None);
    let id = place.files.apply(&change(vec![place.edit("a", "a", "b")]), false, &work).unwrap().id.unwrap();
    let entry = entries(&place).join(&id);
    let bytes = fs::read(&entry).unwrap();
    let sized = |at: usize| 8 + usize::try_from(u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())).unwrap();
    let head = "marquetry journal 2\n".len();
    let start = head + sized(head);
    let end = start + sized(start);
    let manifest = std::str::from_utf8(&bytes[start + 8..end]).unwrap();
    let origin = r#","origin":{"client":"","tool":"file_edit","about":"a"}"#;
    assert!(manifest.contains(origin), "{manifest}");
    let manifest = manifest.replacen(origin, "", 1);
    let mut old = bytes[..start].to_vec();
    old.extend((manifest.len() as u64).to_le_bytes());
    old.extend(manifest.as_bytes());
    old.extend(&bytes[end..bytes.len() - 32]);
    let hash = *blake3::hash(&old).as_bytes();
    old.extend(hash);
    fs::write(&entry, old).unwrap();
    assert_eq!(place.files.damaged_entries().unwrap(), Vec::<String>::new());
    assert_eq!(place.files.history(9).unwrap()[0].origin, None);
    undo(&*place.files, &id).unwrap();
    assert_eq!(place.text("a"), "a");
}

/// One of three entries is truncated and modified at many offsets: the others are still listed and undone.
#[test]
fn damaged_entry_does_not_block_other_entries() {
    let place = fast_place(&[("a", "a"), ("b", "b"), ("c", "c")]);
    let ids = ["a", "b", "c"].map(|path| place.apply(vec![place.edit(path, path, "new")]).unwrap().id.unwrap());
    let entry = entries(&place).join(&ids[1]);
    let whole = fs::read(&entry).unwrap();
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x11;
        for (what, bytes) in [("flipped", &flipped[..]), ("cut", &whole[..at])] {
            fs::write(&entry, bytes).unwrap();
            assert_eq!(place.files.damaged_entries().unwrap().len(), 1, "{what} at {at}");
            let listed: Vec<String> = place.files.history(9).unwrap().into_iter().map(|past| past.id).collect();
            assert!(listed.first() == Some(&ids[2]) && listed.last() == Some(&ids[0]), "{what} at {at}: {listed:?}");
            let error = place.files.undo(Some(&ids[1]), true, &Work::default()).unwrap_err();
            assert!([Kind::Unsupported, Kind::InvalidArgument].contains(&error.kind()), "{what} at {at}: {error}");
            let work = Work::default();
            assert_eq!(place.files.undo(None, true, &work).unwrap().0.id, ids[2], "{what} at {at}");
            place.files.undo(Some(&ids[0]), true, &work).unwrap();
        }
    }
    for id in [&ids[2], &ids[0]] {
        undo(&*place.files, id).unwrap();
        place.apply(vec![create(&format!("after-{id}"), "a change like any other")]).unwrap();
    }
    assert_eq!((place.text("a"), place.text("b"), place.text("c")), ("a".into(), "new".into(), "c".into()));
}

/// Returns whether any file of the state has these bytes.
fn keeps(place: &Place, text: &str) -> bool {
    let holds = |node: &Node| matches!(node, Node::File(bytes, _) if String::from_utf8_lossy(bytes).contains(text));
    tree(&state(place)).values().any(holds)
}

#[test]
fn path_is_purged_from_the_history() {
    let place = fast_place(&[(".env", "KEY=one-secret\n"), ("a", "kept a\n"), ("d/deep", "deep-secret\n")]);
    let first = place.apply(vec![place.edit(".env", "one-", "two-"), place.edit("a", "a", "b")]).unwrap().id.unwrap();
    let second = place.apply(vec![place.edit("a", "b", "c")]).unwrap().id.unwrap();
    let third = place.apply(vec![copy(".env", "copy"), delete(".env")]).unwrap().id.unwrap();
    // The same bytes under another name.
    let fourth = place.apply(vec![delete("copy"), rename("d", "e")]).unwrap().id.unwrap();
    let fifth = place.apply(vec![delete("e/deep")]).unwrap().id.unwrap();
    assert!(["one-secret", "two-secret", "deep-secret"].iter().all(|secret| keeps(&place, secret)));
    let env = place.root().join(".env");
    let shown = clean::purge(&state(&place), &env, true, &Work::default()).unwrap();
    let ids = |purge: &marquetry_files::Purge| purge.changes.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&shown[0]), [fourth.clone(), third.clone(), first.clone()]);
    assert!(keeps(&place, "one-secret"), "a dry run must not remove the contents");
    let before = entries(&place).join(&first).metadata().unwrap().modified().unwrap();
    assert_eq!(clean::purge(&state(&place), &env, false, &Work::default()).unwrap(), shown);
    assert_eq!(shown[0].bytes, 3 * "KEY=one-secret\n".len() as u64);
    assert!(!keeps(&place, "one-secret") && !keeps(&place, "two-secret") && keeps(&place, "kept a"));
    assert_eq!(
        entries(&place).join(&first).metadata().unwrap().modified().unwrap(),
        before,
        "the entry must keep its modification time"
    );
    assert_eq!(place.files.damaged_entries().unwrap(), Vec::<String>::new());
    let past = place.files.history(9).unwrap();
    assert_eq!(past.iter().find(|past| past.id == first).unwrap().purged, [".env"]);
    let error = undo(&*place.files, &third).unwrap_err();
    assert!(error.kind() == Kind::Unsupported && error.to_string().contains("`.env` was purged"), "{error}");
    undo(&*place.files, &fifth).unwrap();
    undo(&*place.files, &second).unwrap();
    assert_eq!((place.text("e/deep"), place.text("a")), ("deep-secret\n".to_owned(), "kept b\n".to_owned()));
    let again = clean::purge(&state(&place), &env, false, &Work::default()).unwrap();
    assert_eq!(again, []);
    // The path is a folder, under the name that it had when the file was removed.
    clean::purge(&state(&place), &place.root().join("e"), false, &Work::default()).unwrap();
    assert!(!keeps(&place, "deep-secret"));
}

/// Histories of nested roots contain the same file.
#[test]
fn purge_covers_every_root_that_contains_the_path() {
    let place = fast_place(&[("pkg/.env", "secret-1\n"), ("pkg/gone/.env", "secret-1\n")]);
    let inner = open_at(&place.path("pkg"), &state(&place));
    place.apply(vec![place.edit("pkg/.env", "1", "2")]).unwrap();
    inner.apply(&change(vec![edit(&*inner, ".env", "2", "3")]), false, &Work::default()).unwrap();
    let gone = open_at(&place.path("pkg/gone"), &state(&place));
    gone.apply(&change(vec![edit(&*gone, ".env", "1", "2")]), false, &Work::default()).unwrap();
    fs::remove_dir_all(place.path("pkg/gone")).unwrap();
    let all = clean::purge(&state(&place), &place.path("pkg"), false, &Work::default()).unwrap();
    assert_eq!(all.len(), 3, "{all:?}");
    assert!(!keeps(&place, "secret"));
}

/// Purging waits for a running change until it is cancelled.
#[test]
fn purge_waits_for_a_running_change() {
    let place = fast_place(&[("a", "a"), ("b", "b")]);
    place.apply(vec![place.edit("b", "b", "c")]).unwrap();
    let paused = paused_change(place.directory.path(), vec![place.edit("a", "a", "A")]);
    let work = Work::default();
    work.cancel();
    let error = clean::purge(&state(&place), &place.path("b"), false, &work).unwrap_err();
    assert_eq!(error.kind(), Kind::Cancelled);
    assert!(clean::stale_states(&state(&place)).is_empty());
    paused.resume();
    assert_eq!(clean::purge(&state(&place), &place.path("b"), false, &Work::default()).unwrap().len(), 1);
    assert_eq!(place.text("a"), "A");
}

#[test]
fn only_states_of_missing_roots_are_stale() {
    quietly();
    let place = fast_place(&[("a", "a"), ("gone/x", "x"), ("back/x", "x"), ("half/x", "x"), ("half/y", "y")]);
    let state = state(&place);
    place.apply(vec![place.edit("a", "a", "b")]).unwrap();
    for name in ["gone", "back"] {
        let files = open_at(&place.path(name), &state);
        files.apply(&change(vec![edit(&*files, "x", "x", "y")]), false, &Work::default()).unwrap();
        fs::remove_dir_all(place.path(name)).unwrap();
    }
    // An interrupted change in a folder that was renamed since.
    stop_at_root(&place.path("half"), &state, "commit", |files| {
        vec![edit(files, "x", "x", "1"), edit(files, "y", "y", "2")]
    });
    fs::rename(place.path("half"), place.path("renamed")).unwrap();
    let left = clean::stale_states(&state);
    let reasons: Vec<&str> = left.iter().map(|left| left.reason.as_str()).collect();
    assert!(left.len() == 2 && reasons[0].contains("/back,") && reasons[1].contains("/gone,"), "{reasons:?}");
    assert!(left.iter().all(|left| left.bytes > 100));
    fs::create_dir(place.path("back")).unwrap();
    let removed = |at: usize| clean::remove_state(&state, &left[at]).unwrap();
    assert!(!removed(0), "the state must be kept, because the root exists again");
    assert!(removed(1) && !left[1].path.exists() && left[0].path.exists() && !removed(1));
    // Other folders are never removed.
    let stranger = state.join("mine");
    fs::create_dir_all(stranger.join("changes")).unwrap();
    fs::write(stranger.join("root"), "/nowhere/at/all").unwrap();
    assert_eq!(clean::stale_states(&state), []);
    let renamed = open_at(&place.path("renamed"), &state);
    assert_eq!(renamed.read("x").unwrap().text.to_string(), "x", "the interrupted change must still be rolled back");
    assert!(Path::new(&stranger).exists());
}

/// Replaces the head of a journal by that of older builds, which did not write the id into it.
fn with_old_head(bytes: &[u8]) -> Vec<u8> {
    let magic = "marquetry journal 2\n".len();
    let (length, rest) = bytes[magic..bytes.len() - 32].split_at(8);
    let (head, rest) = rest.split_at(usize::try_from(u64::from_le_bytes(length.try_into().unwrap())).unwrap());
    let head: Vec<String> = serde_json::from_slice(head).unwrap();
    let old: Vec<&String> = head.iter().filter(|entry| !entry.starts_with('/')).collect();
    let old = serde_json::to_vec(&old).unwrap();
    let mut out = bytes[..magic].to_vec();
    out.extend_from_slice(&(old.len() as u64).to_le_bytes());
    out.extend_from_slice(&old);
    out.extend_from_slice(rest);
    let hash = blake3::hash(&out);
    out.extend_from_slice(hash.as_bytes());
    out
}

/// Entries and interrupted changes of an earlier build are read.
#[test]
fn journals_of_an_earlier_build_are_read() {
    quietly();
    let place = fast_place(&[("d/a", "a"), ("d/b", "b")]);
    place.apply(vec![place.edit("d/a", "a", "A")]).unwrap();
    rewrite_all(&place);
    place.files.undo(None, false, &Work::default()).unwrap();
    assert_eq!(place.text("d/a"), "a");
    stop_at(&place, "commit", 0, vec![place.edit("d/a", "a", "A"), place.edit("d/b", "b", "B")]);
    rewrite_all(&place);
    assert_eq!(&*open(place.directory.path(), |_| {}).read("d/a").unwrap().text, "a");
    assert_eq!(place.text("d/b"), "b");
}

/// Entries of a later build are rejected with an explanation.
#[test]
fn entries_of_a_later_build_are_refused_with_a_hint() {
    let place = fast_place(&[("a", "a")]);
    let id = place.apply(vec![place.edit("a", "a", "b")]).unwrap().id.unwrap();
    let entry = fs::read_dir(state(&place)).unwrap().next().unwrap().unwrap().path().join("changes").join(&id);
    let mut bytes = fs::read(&entry).unwrap();
    bytes["marquetry journal ".len()] = b'9';
    fs::write(&entry, bytes).unwrap();
    for id in [None, Some(id.as_str())] {
        let error = place.files.undo(id, false, &Work::default()).unwrap_err();
        assert_eq!(error.kind(), Kind::Unsupported);
        assert!(error.to_string().contains("another version of marq"), "{error}");
        assert!(error.content().hint.as_deref().is_some_and(|hint| hint.contains("that version")), "{error:?}");
    }
    assert!(place.files.damaged_entries().unwrap()[0].contains("another version"));
    // The entry does not block later changes.
    place.apply(vec![place.edit("a", "b", "c")]).unwrap();
    place.files.undo(None, false, &Work::default()).unwrap();
    assert!(entry.exists() && place.text("a") == "b");
}

fn rewrite_all(place: &Place) {
    let folder = fs::read_dir(state(place)).unwrap().next().unwrap().unwrap().path().join("changes");
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let bytes = fs::read(entry.path()).unwrap();
        if bytes.starts_with(b"marquetry journal 2\n") {
            fs::write(entry.path(), with_old_head(&bytes)).unwrap();
        }
    }
}

/// Removing a state may be interrupted too. The next call continues the removal, or renames the state back if it is
/// needed again.
#[test]
fn interrupted_removal_of_a_state_is_finished() {
    quietly();
    let place = fast_place(&[("gone/x", "x"), ("half/x", "x"), ("half/y", "y")]);
    let state = state(&place);
    let files = open_at(&place.path("gone"), &state);
    files.apply(&change(vec![edit(&*files, "x", "x", "y")]), false, &Work::default()).unwrap();
    let going = |folder: &Path| {
        fs::rename(folder, folder.with_extension("gone")).unwrap();
        let [left] = &clean::stale_states(&state)[..] else { panic!("expected exactly one") };
        assert!(left.reason.contains("interrupted") && left.bytes > 0, "{left:?}");
        clean::remove_state(&state, left).unwrap()
    };
    let only = || fs::read_dir(&state).unwrap().next().unwrap().unwrap().path();
    assert!(going(&only()));
    assert_eq!(fs::read_dir(&state).unwrap().count(), 0);
    stop_at_root(&place.path("half"), &state, "commit", |files| {
        vec![edit(files, "x", "x", "1"), edit(files, "y", "y", "2")]
    });
    assert!(!going(&only()), "the state must be kept, because it has an interrupted change");
    assert_eq!(clean::stale_states(&state), []);
    assert_eq!(open_at(&place.path("half"), &state).read("x").unwrap().text.to_string(), "x");
}

/// Returns the effect of a change, one line per file.
fn did(place: &Place, id: &str) -> Vec<String> {
    let side = |name: &Option<String>, kept: &StoredContent| match kept {
        StoredContent::Absent => "-".to_owned(),
        StoredContent::Bytes(bytes) => format!("{}={}", name.as_deref().unwrap(), String::from_utf8_lossy(bytes)),
        StoredContent::Same => format!("{} as it was", name.as_deref().unwrap()),
        StoredContent::Unavailable => format!("{} gone", name.as_deref().unwrap()),
    };
    let shown = |one: ReplacedFile| format!("{} > {}", side(&one.before, &one.old), side(&one.after, &one.new));
    place.files.replaced_files(id).unwrap().into_iter().map(shown).collect()
}

#[test]
fn contents_before_and_after_a_change_are_found() {
    let place = fast_place(&[("a", "a0"), ("b", "b"), ("c", "c"), ("d/x", "x")]);
    let steps = vec![place.edit("a", "a0", "a1"), rename("b", "b2"), delete("c"), create("n", "n"), rename("d", "e")];
    let first = place.apply(steps).unwrap().id.unwrap();
    let all = ["a=a0 > a=a1", "b as it was > b2 as it was", "c=c > -", "d/x as it was > e/x as it was", "- > n=n"];
    let sorted = |mut lines: Vec<String>| {
        lines.sort();
        lines
    };
    let expected = sorted(all.map(str::to_owned).to_vec());
    assert_eq!(sorted(did(&place, &first)), expected);
    // The entry of a later change stores the contents that this one wrote.
    let second = place.apply(vec![place.edit("a", "a1", "a2"), delete("n")]).unwrap().id.unwrap();
    assert_eq!(sorted(did(&place, &first)), expected);
    assert_eq!(sorted(did(&place, &second)), ["a=a1 > a=a2", "n=n > -"]);
    // If another program has written the file since, its content is not shown as the result of the change.
    place.write("a", "other");
    assert_eq!(sorted(did(&place, &second)), ["a=a1 > a gone", "n=n > -"]);
    assert_eq!(sorted(did(&place, &first)), expected);
    let error = place.files.replaced_files("9-none").unwrap_err();
    assert_eq!((error.kind(), error.content().candidates.len()), (Kind::InvalidArgument, 2));
}
