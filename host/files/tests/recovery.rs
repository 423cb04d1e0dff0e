//! An interrupted change is found from any root that contains its files, and it is rolled back only from its own
//! journal.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    sync::{
        Arc, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::common::*;
use marquetry_files::DiskRoots;
use marquetry_model::{Kind, Step, ports::Roots};

const MARKER: &str = ".marq-journal";

fn pending(place: &Place) -> PathBuf {
    let state = fs::read_dir(place.directory.path().join("state")).unwrap().next().unwrap().unwrap().path();
    state.join("changes/pending")
}

fn start() -> (Place, Vec<Step>) {
    let place = fast_place(&[("pkg/a", "a"), ("pkg/b", "b"), ("pkg/d/x", "x"), ("other/y", "y")]);
    let steps = vec![
        place.edit("pkg/a", "a", "A"),
        rename("pkg/b", "pkg/e/b"),
        rename("pkg/d", "pkg/e"),
        delete("pkg/d/x"),
        create("pkg/n/z", "z"),
    ];
    (place, steps)
}

type Opening = (&'static str, fn(&Place) -> Arc<dyn marquetry_model::ports::Files>, &'static str);

/// All ways to open `pkg/a`.
const OPENINGS: [Opening; 5] = [
    ("the same root, another state folder", |place| at(place, "root", "elsewhere"), "pkg/a"),
    ("a root inside", |place| at(place, "root/pkg", "state"), "a"),
    ("a root inside, another state folder", |place| at(place, "root/pkg", "elsewhere"), "a"),
    ("a root above", |place| at(place, "", "elsewhere"), "root/pkg/a"),
    ("a root that was renamed", renamed, "pkg/a"),
];

fn at(place: &Place, root: &str, state: &str) -> Arc<dyn marquetry_model::ports::Files> {
    let top = place.directory.path();
    open_at(&top.join(root), &top.join(state))
}

fn renamed(place: &Place) -> Arc<dyn marquetry_model::ports::Files> {
    fs::rename(place.root(), place.directory.path().join("renamed")).unwrap();
    at(place, "renamed", "state")
}

fn tree_of(place: &Place) -> Tree {
    let renamed = place.directory.path().join("renamed");
    tree(&if renamed.exists() { renamed } else { place.root() })
}

#[test]
fn interrupted_change_is_rolled_back_by_the_next_call() {
    quietly();
    let _none_starts = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    for (what, opening, path) in OPENINGS {
        for writes in [false, true] {
            let (place, steps) = start();
            let before = place.tree();
            place.apply(steps).unwrap();
            let after = place.tree();
            for stop in 0.. {
                let (place, steps) = start();
                let stopped = stopped(place.directory.path(), stop, |files| {
                    drop(files.apply(&change(steps.clone()), false, &Work::default()));
                });
                let whole = stopped.is_none_or(is_committed);
                let files = opening(&place);
                let text = files.read(path).unwrap().text.to_string();
                assert_eq!(text, if whole { "A" } else { "a" }, "{what}, stopped at {stop}");
                let mut expected = if whole { after.clone() } else { before.clone() };
                if writes {
                    let steps = vec![edit(&*files, path, &text, "new")];
                    files.apply(&change(steps), false, &Work::default()).unwrap();
                    expected.insert("pkg/a".to_owned(), Node::File(b"new".to_vec(), 0o644));
                }
                assert_eq!(tree_of(&place), expected, "{what}, stopped at {stop}");
                assert_eq!(files.notices(), Vec::<String>::new());
                if stopped.is_none() {
                    break;
                }
            }
        }
    }
}

/// Directories above a file are checked in two ways, depending on their number.
#[test]
fn interrupted_change_is_found_at_any_depth() {
    quietly();
    let _none_starts = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    for depth in [14, 15, 16, 40] {
        let folder = vec!["d"; depth].join("/");
        let (a, b) = (format!("{folder}/a"), format!("{folder}/b"));
        let (mut halves, mut wholes) = (0, 0);
        for stop in 0.. {
            let place = fast_place(&[(&a, "a"), (&b, "b")]);
            let steps = vec![place.edit(&a, "a", "A"), rename(&b, &format!("{folder}/c"))];
            let stopped = stopped(place.directory.path(), stop, |files| {
                drop(files.apply(&change(steps.clone()), false, &Work::default()));
            });
            // The call comes from a root above, which has no state yet.
            let files = at(&place, "", "elsewhere");
            let text = files.read(&format!("root/{a}")).unwrap().text.to_string();
            let (done, moved) = (text == "A", place.path(&format!("{folder}/c")).exists());
            assert_eq!(done, moved, "depth {depth}, stopped at {stop}");
            (halves, wholes) = if done { (halves, wholes + 1) } else { (halves + 1, wholes) };
            if stopped.is_none() {
                break;
            }
        }
        assert!(
            halves > 3 && wholes > 0,
            "too few interruptions before the commit point ({halves}) or after it ({wholes})"
        );
    }
}

/// Recovery is interrupted at every step too. Other roots and state folders continue it.
#[test]
fn interrupted_recovery_is_continued_by_the_next_call() {
    quietly();
    let _none_starts = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    for stop in (0..).step_by(3) {
        let (place, steps) = start();
        let before = place.tree();
        let stopped = stopped(place.directory.path(), stop, |files| {
            drop(files.apply(&change(steps.clone()), false, &Work::default()));
        });
        if stopped.is_none_or(is_committed) {
            break;
        }
        let ways = [("root/pkg", "elsewhere", "a"), ("", "another", "root/pkg/a"), ("root", "state", "pkg/a")];
        for at in 0.. {
            let (root, state, path) = ways[at % ways.len()];
            let (count, top) = (AtomicUsize::new(0), place.directory.path());
            let roots = DiskRoots::new(top.join(root), top.join(state));
            let roots = roots.with_probe(move |_| {
                assert!(count.fetch_add(1, Ordering::Relaxed) < at / 2, "interrupted by the test")
            });
            let files = roots.open(None).unwrap();
            let read =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| files.read(path).unwrap().text.to_string()));
            if let Ok(text) = read {
                assert_eq!(text, "a", "stopped at {stop}, then at {at}");
                break;
            }
        }
        place.files.history(9).unwrap();
        assert_eq!(place.tree(), before, "stopped at {stop}");
        assert_eq!(place.files.notices(), Vec::<String>::new());
        assert!(!pending(&place).exists());
    }
}

/// An interrupted change is also rolled back if its files are not named by a call, but listed, moved or deleted with
/// their directory.
#[test]
fn interrupted_change_below_is_rolled_back_before_planning() {
    quietly();
    let (place, steps) = start();
    let before = place.tree();
    let inner = || {
        let files = DiskRoots::new(place.path("pkg"), place.directory.path().join("inner"))
            .with_probe(|doing| assert!(doing != "commit", "interrupted by the test"))
            .open(None)
            .unwrap();
        let cut = |path: &str| path.strip_prefix("pkg/").unwrap().to_owned();
        let steps = steps.iter().cloned().map(|step| match step {
            Step::Edit { path, base, edits } => Step::Edit { path: cut(&path), base, edits },
            Step::Move { from, to, overwrite } => Step::Move { from: cut(&from), to: cut(&to), overwrite },
            Step::Delete { path, recursive } => Step::Delete { path: cut(&path), recursive },
            Step::Create { path, content, overwrite, directories } => {
                Step::Create { path: cut(&path), content, overwrite, directories }
            }
            other => other,
        });
        let change = change(steps.collect());
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| files.apply(&change, false, &Work::default())))
            .expect_err("the test interrupts the change");
        assert!(place.path("pkg").join(MARKER).exists() && place.tree() != before);
    };
    let uses: [(&str, &dyn Fn()); 5] = [
        ("walk", &|| assert_eq!(place.files.walk("").unwrap().len(), 4)),
        ("list", &|| assert_eq!(place.files.entries("pkg").len(), 3)),
        ("stat", &|| assert!(place.files.stat("pkg/d/x").is_some())),
        ("a dry run", &|| drop(place.files.apply(&change(vec![delete("pkg")]), true, &Work::default()).unwrap())),
        ("a refused edit", &|| {
            let steps = vec![create("pkg/a", "there already")];
            assert_eq!(place.apply(steps).unwrap_err().kind(), Kind::OverwriteBlocked);
        }),
    ];
    for (what, action) in uses {
        inner();
        action();
        assert_eq!(place.tree(), before, "{what}");
    }
    inner();
    place.apply(vec![rename("pkg", "moved")]).unwrap();
    place.files.undo(None, false, &Work::default()).unwrap();
    assert_eq!(place.tree(), before);
    place.apply(vec![rename("pkg", "moved")]).unwrap();
    place.apply(vec![rename("moved", "pkg")]).unwrap();
    inner();
    place.files.undo(None, false, &Work::default()).unwrap();
    assert_eq!(place.text("moved/d/x"), "x");
}

/// If no directory above all touched files is writable, each part has a marker, and each marker identifies the whole
/// change.
#[test]
fn change_is_rolled_back_from_any_of_its_markers() {
    if !is_ordinary(module_path!(), "change_is_rolled_back_from_any_of_its_markers") {
        return;
    }
    quietly();
    let start = || {
        let place = fast_place(&[("one/a", "a"), ("two/in/b", "b"), ("two/in/c", "c")]);
        place.mode("two", 0o555);
        fs::set_permissions(place.root(), fs::Permissions::from_mode(0o555)).unwrap();
        place
    };
    let steps = |place: &Place| {
        vec![place.edit("one/a", "a", "A"), rename("two/in/b", "one/b"), place.edit("two/in/c", "c", "C")]
    };
    for (root, path) in [("root/one", "a"), ("root/two/in", "c"), ("root", "two/in/c")] {
        for stop in 0.. {
            let place = start();
            let (before, change) = (place.tree(), change(steps(&place)));
            let stopped =
                stopped(place.directory.path(), stop, |files| drop(files.apply(&change, false, &Work::default())));
            if stopped == Some("commit") {
                assert!(place.path("one").join(MARKER).exists() && place.path("two/in").join(MARKER).exists());
            }
            let files = at(&place, root, "elsewhere");
            files.read(path).unwrap();
            assert_eq!(files.notices(), Vec::<String>::new());
            if stopped.is_none_or(is_committed) {
                place.files.walk("").unwrap();
                assert_eq!(place.text("one/b"), "b");
                place.files.undo(None, false, &Work::default()).unwrap();
            } else {
                let mut now = place.tree();
                now.retain(|path, _| !path.contains(MARKER));
                assert_eq!(now, before, "{root}, stopped at {stop}: {stopped:?}");
                // A marker of a change that had not begun stays until the next call finds it.
                place.files.walk("").unwrap();
            }
            assert_eq!(place.tree(), before, "{root}, stopped at {stop}: {stopped:?}");
            fs::set_permissions(place.root(), fs::Permissions::from_mode(0o755)).unwrap();
            place.mode("two", 0o755);
            if stopped.is_none() {
                break;
            }
        }
    }
}

/// A marker in a copied or cloned repository is not trusted, because its inode and change time differ from those of the
/// original.
#[test]
fn copied_journal_is_ignored() {
    quietly();
    let (place, steps) = start();
    stop_at(&place, "commit", 0, steps);
    let top = place.directory.path();
    fs::create_dir(top.join("copy")).unwrap();
    let mut copy = std::process::Command::new("cp");
    let mut copying = spawn(copy.args(["-a", "root", "state", "copy"]).current_dir(top)).unwrap();
    assert!(copying.wait().unwrap().success());
    // The copy names a journal that exists, as if an attacker had predicted its path.
    let text = fs::read_to_string(place.path("pkg").join(MARKER).join("change")).unwrap();
    let root = top.join("copy/root");
    let here = pending(&place).to_str().unwrap().replace("/state/", "/copy/state/");
    let forged = text.replace(pending(&place).to_str().unwrap(), &here);
    fs::write(root.join("pkg").join(MARKER).join("change"), forged).unwrap();
    let files = open_at(&root, &top.join("copy/state"));
    let before = tree(&root);
    assert_eq!(&*files.read("pkg/a").unwrap().text, "A");
    assert_eq!(tree(&root), before);
    let [notice] = &files.notices()[..] else { panic!("one notice") };
    assert!(notice.contains("`pkg`") && notice.contains("copy"), "{notice}");
    let steps = vec![edit(&*files, "pkg/a", "A", "B")];
    let error = files.apply(&change(steps.clone()), false, &Work::default()).unwrap_err();
    assert!(error.content().hint.as_deref().is_some_and(|hint| hint.contains("--give-up")), "{error:?}");
    files
        .apply(&change(vec![edit(&*files, "other/y", "y", "Y")]), false, &Work::default())
        .expect("a folder without a marker can be changed");
    let [unfinished] = &files.unfinished().unwrap()[..] else { panic!("expected exactly one") };
    assert_eq!(files.give_up(&unfinished.id).unwrap(), None, "the journal of another marker must not be renamed");
    files.apply(&change(steps), false, &Work::default()).unwrap();
    // The original is unchanged.
    assert_eq!(&*place.files.read("pkg/a").unwrap().text, "a");
}

/// A repository contains a state folder with a journal, which names a file outside of the repository.
#[test]
fn forged_journal_is_ignored() {
    let place = place(&[("a", "a")]);
    fs::create_dir(place.directory.path().join("home")).unwrap();
    let victim = place.directory.path().join("home/.profile");
    fs::write(&victim, "mine").unwrap();
    place.apply(vec![place.edit("a", "a", "b")]).unwrap();
    let changes = pending(&place).parent().unwrap().to_owned();
    let entry = fs::read_dir(&changes).unwrap().next().unwrap().unwrap().path();
    let bytes = fs::read(&entry).unwrap();
    let text = String::from_utf8_lossy(&bytes[..bytes.len() - 32]).into_owned();
    for (path, name) in [("../home/.profile", "pending"), ("../home/.profile", "2-forged"), ("/etc/hosts", "pending")] {
        let forged = text.replace("\"path\":\"a\"", &format!("\"path\":\"{path}\""));
        let longer = u8::try_from(forged.len() - text.len()).unwrap();
        let mut forged = forged.into_bytes();
        let at = forged.iter().position(|byte| *byte == b'{').unwrap() - 8;
        let length = u16::from_le_bytes([forged[at], forged[at + 1]]) + u16::from(longer);
        forged[at..at + 2].copy_from_slice(&length.to_le_bytes());
        let hash = blake3::hash(&forged);
        forged.extend_from_slice(hash.as_bytes());
        fs::write(changes.join(name), forged).unwrap();
        let files = open(place.directory.path(), |_| {});
        assert_eq!(&*files.read("a").unwrap().text, "b");
        let _ = files.undo(Some("2-forged"), false, &Work::default());
        assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
        let _ = fs::remove_file(changes.join(name));
    }
}

#[test]
fn links_in_place_of_marker_files_are_not_followed() {
    let place = place(&[("a", "a")]);
    let victim = place.directory.path().join("victim");
    fs::create_dir(&victim).unwrap();
    fs::write(victim.join("change"), "text").unwrap();
    symlink(&victim, place.path(MARKER)).unwrap();
    assert_eq!(&*place.files.read("a").unwrap().text, "a");
    assert!(place.files.notices()[0].contains("it is ignored"));
    let steps = vec![place.edit("a", "a", "b")];
    let error = place.apply(steps.clone()).unwrap_err();
    assert!(error.to_string().contains(MARKER), "{error}");
    fs::remove_file(place.path(MARKER)).unwrap();
    place.apply(steps).unwrap();
    fs::write(victim.join("file"), "text").unwrap();
    symlink(victim.join("file"), pending(&place)).unwrap();
    let result = place.apply(vec![place.edit("a", "b", "c")]);
    assert_eq!(fs::read_to_string(victim.join("file")).unwrap(), "text", "{result:?}");
    assert_eq!(fs::read_to_string(victim.join("change")).unwrap(), "text");
}

#[test]
fn state_folder_of_another_user_is_not_used() {
    let place = place(&[("a", "a")]);
    place.apply(vec![place.edit("a", "a", "b")]).unwrap();
    let changes = pending(&place).parent().unwrap().to_owned();
    fs::set_permissions(&changes, fs::Permissions::from_mode(0o777)).unwrap();
    let error = place.apply(vec![place.edit("a", "b", "c")]).unwrap_err();
    assert_eq!((error.kind(), place.text("a").as_str()), (Kind::PermissionDenied, "b"));
    assert!(place.files.history(9).is_err(), "a history that other users can write must not be read");
}

/// A change was interrupted, its root was moved away, and another clone without changes is now at the same path.
#[test]
fn recovery_does_not_move_files_of_others() {
    quietly();
    let place = place(&[("src/shared.ts", "mine"), ("src/user.ts", "import './shared'")]);
    let steps = vec![rename("src/shared.ts", "lib/shared.ts"), place.edit("src/user.ts", "./shared", "../lib/shared")];
    stop_at(&place, "commit", 0, steps);
    fs::rename(place.root(), place.directory.path().join("away")).unwrap();
    fs::create_dir(place.root()).unwrap();
    place.write("lib/shared.ts", "an unrelated file");
    let before = place.tree();
    assert_eq!(&*place.files.read("lib/shared.ts").unwrap().text, "an unrelated file");
    assert_eq!(place.tree(), before);
    assert!(place.files.notices()[0].contains("is kept in"));
    // The moved root is recovered when it is opened there.
    let away = open_at(&place.directory.path().join("away"), &place.directory.path().join("state"));
    assert_eq!(&*away.read("src/shared.ts").unwrap().text, "mine");
    assert_eq!(&*away.read("src/user.ts").unwrap().text, "import './shared'");
}

#[test]
fn recovery_keeps_files_that_replaced_its_own() {
    quietly();
    let place = place(&[("a", "a"), ("d/x", "x"), ("b", "b")]);
    stop_at(&place, "commit", 0, vec![rename("a", "moved"), rename("d", "e"), place.edit("b", "b", "B")]);
    place.write("moved", "by hand");
    fs::rename(place.path("e"), place.path("f")).unwrap();
    place.write("e/other", "by hand");
    assert_eq!(
        &*place.files.read("b").unwrap().text,
        "b",
        "the file that only the change has written must be rolled back"
    );
    assert_eq!((place.text("moved"), place.text("e/other")), ("by hand".to_owned(), "by hand".to_owned()));
    assert_eq!(place.text("f/x"), "x");
    let [notice] = &place.files.notices()[..] else { panic!("one notice") };
    assert!(notice.contains("`moved`") && notice.contains("`e`"), "{notice}");
    assert!(place.files.notices().is_empty(), "it is reported once");
}

#[test]
fn failed_recovery_does_not_block_readers() {
    quietly();
    let (place, steps) = start();
    stop_at(&place, "commit", 0, steps);
    let changes = pending(&place).parent().unwrap().to_owned();
    fs::set_permissions(&changes, fs::Permissions::from_mode(0o777)).unwrap();
    let half = place.tree();
    for _ in 0..2 {
        assert_eq!(&*place.files.read("pkg/a").unwrap().text, "A");
        assert_eq!(place.files.walk("").unwrap().len(), 4);
        assert!(place.files.notices()[0].contains("half changed"));
    }
    assert_eq!(place.tree(), half);
    assert!(place.apply(vec![create("pkg/new", "n")]).is_err());
    let [unfinished] = &place.files.unfinished().unwrap()[..] else { panic!("expected exactly one") };
    assert!(unfinished.folder.ends_with("root/pkg") && unfinished.journal.ends_with("pending"));
    assert!(unfinished.reason.contains("others may write it"), "{}", unfinished.reason);
    fs::set_permissions(&changes, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(place.files.unfinished().unwrap(), [], "a change that can be rolled back must not remain unfinished");
    assert_eq!(place.text("pkg/a"), "a");
    assert!(place.files.notices().is_empty());
}

#[test]
fn interrupted_change_is_abandoned_on_request() {
    quietly();
    let (place, steps) = start();
    stop_at(&place, "commit", 0, steps);
    // The journal of the change is missing, and it is restored only after the change was given up.
    let away = place.directory.path().join("away");
    fs::rename(pending(&place), &away).unwrap();
    let half = place.tree();
    assert_eq!(&*place.files.read("pkg/a").unwrap().text, "A");
    let error = place.apply(vec![create("pkg/new", "n")]).unwrap_err();
    assert!(error.to_string().contains("its journal") && error.to_string().contains("gone"), "{error}");
    let error = place.files.give_up("1-none").unwrap_err();
    let [id] = &error.content().candidates[..] else { panic!("{error}") };
    assert_eq!(place.files.give_up(id).unwrap(), None);
    assert!(!place.path("pkg").join(MARKER).exists());
    let mut left = half;
    left.retain(|path, _| !path.contains(MARKER));
    assert_eq!(place.tree(), left);
    fs::rename(&away, pending(&place)).unwrap();
    place.apply(vec![create("pkg/new", "n")]).expect("the change was given up, so it does not block others");
    assert_eq!(place.text("pkg/a"), "A");
    let history = place.files.history(9).unwrap();
    assert!(history.iter().any(|past| past.interrupted.is_some()), "the replaced contents must be kept");
}

/// A damaged journal is not mistaken for an unfinished one.
#[test]
fn damaged_journal_differs_from_an_unfinished_one() {
    quietly();
    let (place, steps) = start();
    stop_at(&place, "commit", 0, steps);
    let mut bytes = fs::read(pending(&place)).unwrap();
    let at = bytes.len() - 33;
    bytes[at] ^= 1;
    fs::write(pending(&place), bytes).unwrap();
    assert_eq!(&*place.files.read("pkg/a").unwrap().text, "A");
    assert!(place.files.notices()[0].contains("damaged"));
    let error = place.apply(vec![create("new", "n")]).unwrap_err();
    assert!(error.to_string().contains("it is damaged"), "{error}");
    let [unfinished] = &place.files.unfinished().unwrap()[..] else { panic!("expected exactly one") };
    let kept = place.files.give_up(&unfinished.id).unwrap().expect("it is kept");
    assert!(Path::new(&kept).exists());
    place.apply(vec![create("new", "n")]).unwrap();
}

#[test]
fn markers_are_hidden_from_walks_and_listings() {
    quietly();
    let (place, steps) = start();
    let git = |arguments: &[&str]| {
        let _starting = STARTING.write().unwrap_or_else(PoisonError::into_inner);
        std::process::Command::new("git").args(arguments).current_dir(place.root()).output()
    };
    let has_git = git(&["init", "-q"]).is_ok_and(|output| output.status.success());
    stop_at(&place, "commit", 0, steps);
    assert!(place.path("pkg").join(MARKER).exists());
    if has_git {
        let status = git(&["status", "--porcelain", "-uall"]).unwrap().stdout;
        assert!(!String::from_utf8_lossy(&status).contains(MARKER));
        fs::remove_dir_all(place.path(".git")).unwrap();
    }
    // Files of other programs in the marker folder are kept and not listed.
    fs::write(place.path("pkg").join(MARKER).join("other"), "").unwrap();
    assert!(place.files.walk("").unwrap().iter().all(|stamp| !stamp.path.contains(MARKER)));
    assert!(place.files.entries("pkg").iter().all(|(name, _)| name != MARKER));
    assert_eq!(place.text("pkg/a"), "a");
    place.files.walk("").unwrap();
    assert!(place.files.notices()[0].contains("it is ignored"));
}

#[test]
fn marker_of_another_user_is_ignored() {
    let place = place(&[("pkg/a", "a"), ("pkg/d/x", "x")]);
    if !rustix::process::geteuid().is_root() {
        return;
    }
    fs::create_dir(place.path("pkg").join(MARKER)).unwrap();
    std::os::unix::fs::chown(place.path("pkg").join(MARKER), Some(1234), None).unwrap();
    place.apply(vec![place.edit("pkg/d/x", "x", "X")]).unwrap();
    assert!(place.files.notices()[0].contains("another user"));
    let error = place.apply(vec![place.edit("pkg/a", "a", "A")]).unwrap_err();
    assert!(error.to_string().contains("remove it"), "{error}");
}

/// A change cancelled at any step is applied completely or not at all.
#[test]
fn change_cancelled_during_recovery_is_atomic() {
    let (place, steps) = start();
    let before = place.tree();
    place.apply(steps).unwrap();
    let after = place.tree();
    for at in 0.. {
        let (place, steps) = start();
        let (work, count) = (Work::default(), Arc::new(AtomicUsize::new(0)));
        let files = {
            let (work, count) = (work.clone(), Arc::clone(&count));
            open(place.directory.path(), move |_| {
                if count.fetch_add(1, Ordering::Relaxed) == at {
                    work.cancel();
                }
            })
        };
        let result = files.apply(&change(steps), false, &work);
        if count.load(Ordering::Relaxed) <= at {
            assert!(result.is_ok());
            break;
        }
        match result {
            Ok(_) => assert_eq!(place.tree(), after, "cancelled at {at}"),
            Err(error) => {
                assert_eq!((error.kind(), place.tree()), (Kind::Cancelled, before.clone()), "cancelled at {at}");
            }
        }
    }
}
