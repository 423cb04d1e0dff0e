//! The effect of each step, its undo, and rejected steps.

use crate::common;

use std::os::unix::fs::MetadataExt;

use crate::common::*;
use marquetry_files::DiskRoots;
use marquetry_model::{Kind, Outcome, Step, ports::Roots};

#[test]
fn edits_one_file() {
    let place = place(&[("a.txt", "one two"), ("b.txt", "b")]);
    place.mode("a.txt", 0o751);
    let applied = place.check(vec![place.edit("a.txt", "two", "2")], &[("a.txt", "one 2"), ("b.txt", "b")]);
    assert_eq!(applied.outcome, Outcome::Applied);
    let effect = &applied.files[0];
    assert_eq!((effect.before.as_deref(), effect.after.as_deref(), effect.size), (Some("a.txt"), Some("a.txt"), 5));
    assert_eq!(effect.hash, Some(place.files.read("a.txt").unwrap().hash));
    assert_eq!(place.path("a.txt").metadata().unwrap().mode() & 0o7777, 0o751);
}

#[test]
fn empty_change_adds_no_history_entry() {
    let place = place(&[("a.txt", "one")]);
    let applied = place.apply(vec![place.edit("a.txt", "one", "one"), rename("a.txt", "a.txt")]).unwrap();
    assert_eq!((applied.outcome, applied.id), (Outcome::Nothing, None));
    assert!(place.files.history(9).unwrap().is_empty());
}

#[test]
fn stale_edit_refuses_the_whole_change() {
    let place = place(&[("a", "a"), ("b", "b")]);
    let steps = vec![place.edit("a", "a", "A"), place.edit("b", "b", "B")];
    place.write("b", "other");
    let error = place.refused(Kind::Stale, steps);
    assert_eq!(error.content().candidates, ["b"]);
}

#[test]
fn creates_files_with_parent_directories() {
    let place = place(&[("a", "a")]);
    let applied =
        place.check(vec![create("x/y/z.txt", "z"), create("x/e", "")], &[("a", "a"), ("x/e", ""), ("x/y/z.txt", "z")]);
    assert_eq!(applied.directories_created, ["x", "x/y"]);
    place.refused(Kind::OverwriteBlocked, vec![create("a", "new")]);
    place.refused(Kind::OverwriteBlocked, vec![overwrite("x", "new")]);
    place.refused(Kind::FileNotFound, vec![create("a/b", "below a file")]);
    let bare = Step::Create { path: "no/where".to_owned(), content: Vec::new(), overwrite: false, directories: false };
    place.refused(Kind::FileNotFound, vec![bare]);
    place.mode("a", 0o640);
    place.check(vec![overwrite("a", "new")], &[("a", "new"), ("x/e", ""), ("x/y/z.txt", "z")]);
    assert_eq!(place.path("a").metadata().unwrap().mode() & 0o777, 0o640);
}

#[test]
fn deletes_files_and_directories() {
    let place = place(&[("a", "a"), ("d/x", "x"), ("d/e/.hidden", "h"), ("d/e/bin", "\0")]);
    place.link("d/link", "../a");
    std::fs::create_dir(place.path("d/empty")).unwrap();
    place.mode("d/e", 0o700);
    let bare = |path: &str| Step::Delete { path: path.to_owned(), recursive: false };
    let error = place.refused(Kind::InvalidArgument, vec![bare("d")]);
    assert!(error.content().candidates.contains(&"d/x".to_owned()));
    let applied = place.check(vec![delete("d")], &[("a", "a")]);
    let gone: Vec<_> = applied.files.iter().filter_map(|file| file.before.as_deref()).collect();
    assert_eq!(gone, ["d/e/.hidden", "d/e/bin", "d/link", "d/x"]);
    place.check(vec![bare("a")], &[]);
    place.refused(Kind::FileNotFound, vec![delete("a")]);
    place.refused(Kind::InvalidArgument, vec![delete(".")]);
}

#[test]
fn moves_files() {
    let place = place(&[("a", "a"), ("b", "b")]);
    place.check(vec![rename("a", "deep/er/c")], &[("b", "b"), ("deep/er/c", "a")]);
    place.refused(Kind::OverwriteBlocked, vec![rename("b", "deep/er/c")]);
    place.refused(Kind::OverwriteBlocked, vec![rename_over("b", "deep/er")]);
    place.refused(Kind::FileNotFound, vec![rename("zzz", "y")]);
    place.check(vec![rename_over("b", "deep/er/c")], &[("deep/er/c", "b")]);
}

#[test]
fn moves_directories() {
    let place = place(&[("d/a", "a"), ("d/e/b", "b"), ("other", "o")]);
    let applied = place.check(vec![rename("d", "x/y")], &[("other", "o"), ("x/y/a", "a"), ("x/y/e/b", "b")]);
    let ways: Vec<_> = applied.files.iter().map(|file| (file.before.as_deref(), file.after.as_deref())).collect();
    assert_eq!(ways, [(Some("d/a"), Some("x/y/a")), (Some("d/e/b"), Some("x/y/e/b"))]);
    place.refused(Kind::InvalidArgument, vec![rename("x", "x/y/z")]);
    place.refused(Kind::OverwriteBlocked, vec![rename_over("x/y", "other")]);
    place.refused(Kind::InvalidArgument, vec![rename(".", "y")]);
}

#[test]
fn one_change_edits_and_moves_a_file() {
    let place = place(&[("d/a", "a"), ("d/b", "b"), ("c", "c"), ("d/gone", "")]);
    let steps = vec![
        rename("d", "e"),
        place.edit("d/a", "a", "A"),
        place.edit("c", "c", "C"),
        rename("c", "e/c"),
        rename("d/b", "b"),
        place.edit("d/b", "b", "B"),
        delete("d/gone"),
        create("e/new", "n"),
    ];
    let applied = place.check(steps, &[("b", "B"), ("e/a", "A"), ("e/c", "C"), ("e/new", "n")]);
    let ways: Vec<_> = applied.files.iter().map(|file| (file.before.as_deref(), file.after.as_deref())).collect();
    assert_eq!(
        ways,
        [
            (Some("d/b"), Some("b")),
            (Some("d/gone"), None),
            (Some("d/a"), Some("e/a")),
            (Some("c"), Some("e/c")),
            (None, Some("e/new"))
        ]
    );
}

#[test]
fn files_are_swapped() {
    let place = place(&[("a", "a"), ("b", "b"), ("c", "c")]);
    place.mode("a", 0o700);
    place.check(vec![rename("a", "b"), rename("b", "c"), rename("c", "a")], &[("a", "c"), ("b", "a"), ("c", "b")]);
    place.check(vec![rename("a", "d"), create("a", "new")], &[("a", "new"), ("b", "a"), ("c", "b"), ("d", "c")]);
    place.check(vec![delete("b"), rename("a", "b")], &[("b", "new"), ("c", "b"), ("d", "c")]);
    // The files have the same content and differ only by name.
    place.write("x/1", "same");
    place.write("x/2", "same");
    place.check(
        vec![rename("x/1", "x/3"), create("x/1", "same"), delete("x/2")],
        &[("b", "new"), ("c", "b"), ("d", "c"), ("x/1", "same"), ("x/3", "same")],
    );
}

#[test]
fn directory_is_deleted_after_its_files_moved() {
    let place = place(&[("d/keep", "k"), ("d/sub/keep", "s"), ("d/go", "g"), ("e/x", "x")]);
    place.check(
        vec![delete("d"), rename("d/keep", "kept"), rename("d/sub", "e/sub")],
        &[("e/sub/keep", "s"), ("e/x", "x"), ("kept", "k")],
    );
}

#[test]
fn files_move_within_a_moved_directory() {
    let place = place(&[("d/a", "a"), ("d/b", "b"), ("d/sub/c", "c"), ("f", "f")]);
    place.check(
        vec![
            rename("d", "e"),
            rename("d/a", "e/a"),
            rename("d/b", "e/z"),
            rename("d/sub", "e/other/sub"),
            rename("f", "e/other/f"),
        ],
        &[("e/a", "a"), ("e/other/f", "f"), ("e/other/sub/c", "c"), ("e/z", "b")],
    );
    place.refused(Kind::OverwriteBlocked, vec![rename("e", "g"), create("g/a", "exists there")]);
    place.check(
        vec![rename("e", "g"), overwrite("g/a", "over")],
        &[("g/a", "over"), ("g/other/f", "f"), ("g/other/sub/c", "c"), ("g/z", "b")],
    );
    place.check(vec![rename("g", "h"), rename_over("g/z", "h/a"), delete("g/other")], &[("h/a", "b")]);
}

#[test]
fn rename_changes_only_the_case() {
    let place = place(&[("Read.me", "r"), ("Dir/x", "x")]);
    place.check(vec![rename("Read.me", "README.md")], &[("Dir/x", "x"), ("README.md", "r")]);
    place.check(vec![rename("README.md", "readme.md")], &[("Dir/x", "x"), ("readme.md", "r")]);
    place.check(vec![rename("Dir", "dir")], &[("dir/x", "x"), ("readme.md", "r")]);
}

#[test]
fn contradictory_steps_are_refused() {
    let place = place(&[("a", "a"), ("b", "b"), ("d/x", "x")]);
    place.refused(Kind::InvalidArgument, vec![place.edit("a", "a", "1"), place.edit("a", "a", "2")]);
    place.refused(Kind::InvalidArgument, vec![place.edit("a", "a", "1"), delete("a")]);
    place.refused(Kind::InvalidArgument, vec![place.edit("d/x", "x", "1"), delete("d")]);
    place.refused(Kind::InvalidArgument, vec![place.edit("b", "b", "1"), rename_over("a", "b")]);
    place.refused(Kind::InvalidArgument, vec![rename("a", "c"), rename("b", "c")]);
    place.refused(Kind::InvalidArgument, vec![rename("a", "c"), rename("a", "e")]);
    place.refused(Kind::InvalidArgument, vec![rename("a", "c"), delete("a")]);
    place.refused(Kind::InvalidArgument, vec![create("n", ""), create("n", "")]);
    place.refused(Kind::InvalidArgument, vec![create("n", ""), create("n/m", "")]);
    place.refused(Kind::Unsupported, vec![rename("d", "e"), create("d/y", "")]);
    place.refused(Kind::Unsupported, vec![delete("d"), create("d/y", "")]);
    place.refused(Kind::InvalidArgument, vec![copy("a", "a")]);
}

#[test]
fn copies_files() {
    let place = place(&[("a", "a"), ("bin", "\0\u{1}\u{2}")]);
    place.mode("a", 0o755);
    place.check(
        vec![copy("a", "x/b"), copy("bin", "bin2")],
        &[("a", "a"), ("bin", "\0\u{1}\u{2}"), ("bin2", "\0\u{1}\u{2}"), ("x/b", "a")],
    );
    assert_eq!(place.path("x/b").metadata().unwrap().mode() & 0o777, 0o755);
    let Step::Edit { base, edits, .. } = place.edit("a", "a", "changed") else { panic!("an edit") };
    let edited = Step::Copy { from: "a".to_owned(), to: "c".to_owned(), overwrite: false, edits: Some((base, edits)) };
    let applied = place.apply(vec![place.edit("a", "a", "A"), edited]).unwrap();
    assert_eq!((place.text("a"), place.text("c")), ("A".to_owned(), "changed".to_owned()));
    assert_eq!(applied.files[1].before, None);
    place.refused(Kind::OverwriteBlocked, vec![copy("a", "c")]);
    place.refused(Kind::InvalidArgument, vec![copy("x", "y")]);
}

#[test]
fn edits_follow_links_and_moves_keep_them() {
    let place = place(&[("real/a", "a"), ("x/y", "y")]);
    place.link("link", "real/a");
    place.link("dir", "real");
    place.link("out", "/etc");
    place.link("nowhere", "missing");
    let rest = [("x/y", "y")];
    place.check(
        vec![place.edit("link", "a", "A")],
        &[("dir", "real"), ("link", "real/a"), ("nowhere", "missing"), ("out", "/etc"), ("real/a", "A"), rest[0]],
    );
    place.check(
        vec![rename("link", "moved"), delete("nowhere"), delete("out"), create("dir/new", "n")],
        &[("dir", "real"), ("moved", "real/a"), ("real/a", "A"), ("real/new", "n"), rest[0]],
    );
    place.check(vec![delete("dir")], &[("moved", "real/a"), ("real/a", "A"), ("real/new", "n"), rest[0]]);
    place.check(vec![rename_over("moved", "real/new")], &[("real/a", "A"), ("real/new", "real/a"), rest[0]]);
}

#[test]
fn writes_outside_the_root_are_refused() {
    let place = place(&[("a", "a"), ("d/x", "x")]);
    std::fs::create_dir(place.directory.path().join("outside")).unwrap();
    std::fs::write(place.directory.path().join("outside/f"), "f").unwrap();
    place.link("out", "../outside");
    place.link("file", "../outside/f");
    place.refused(Kind::OutsideWorkspace, vec![create("out/new", "")]);
    place.refused(Kind::OutsideWorkspace, vec![overwrite("file", "")]);
    place.refused(Kind::OutsideWorkspace, vec![create("../new", "")]);
    place.refused(Kind::OutsideWorkspace, vec![rename("a", "out/a")]);
    place.refused(Kind::OutsideWorkspace, vec![rename("a", "d/../../a")]);
    place.refused(Kind::OutsideWorkspace, vec![delete("out/f")]);
    place.refused(Kind::OutsideWorkspace, vec![copy("file", "stolen")]);
    place.refused(Kind::OutsideWorkspace, vec![delete("/etc/hostname")]);
}

#[test]
fn read_only_files_and_directories_are_refused() {
    let place = place(&[("a", "a"), ("d/x", "x"), ("w", "w")]);
    place.mode("a", 0o444);
    place.mode("d", 0o555);
    let error = place.refused(Kind::PermissionDenied, vec![place.edit("w", "w", "W"), place.edit("a", "a", "A")]);
    assert!(error.to_string().contains("`a` is read-only"), "{error}");
    place.refused(Kind::PermissionDenied, vec![overwrite("a", "A")]);
    place.refused(Kind::PermissionDenied, vec![delete("a")]);
    place.refused(Kind::PermissionDenied, vec![place.edit("d/x", "x", "X")]);
    place.refused(Kind::PermissionDenied, vec![create("d/y", "")]);
    place.refused(Kind::PermissionDenied, vec![create("d/deep/y", "")]);
    place.refused(Kind::PermissionDenied, vec![rename("w", "d/w")]);
    place.refused(Kind::PermissionDenied, vec![rename("d/x", "x")]);
    place.refused(Kind::PermissionDenied, vec![delete("d")]);
    place.check(vec![rename("a", "b")], &[("b", "a"), ("d/x", "x"), ("w", "w")]);
    place.mode("d", 0o755);
}

#[test]
fn edit_breaks_hard_links() {
    let place = place(&[("a", "a")]);
    std::fs::hard_link(place.path("a"), place.path("b")).unwrap();
    place.check(vec![place.edit("a", "a", "A")], &[("a", "A"), ("b", "a")]);
    let again = common::place(&[("a", "a")]);
    std::fs::hard_link(again.path("a"), again.path("A")).unwrap();
    again.refused(Kind::OverwriteBlocked, vec![rename("a", "A")]);
    again.check(vec![rename_over("a", "A")], &[("A", "a")]);
}

#[test]
fn edit_keeps_extended_attributes_and_owner() {
    let place = place(&[("a", "a")]);
    let file = std::fs::File::open(place.path("a")).unwrap();
    let set = rustix::fs::fsetxattr(&file, "user.note", b"kept", rustix::fs::XattrFlags::empty());
    let root = rustix::process::geteuid().is_root();
    if root {
        std::os::unix::fs::chown(place.path("a"), Some(1234), Some(4321)).unwrap();
    }
    place.apply(vec![place.edit("a", "a", "A")]).unwrap();
    if set.is_ok() {
        let mut value = [0; 16];
        let length = rustix::fs::getxattr(place.path("a"), "user.note", &mut value[..]).unwrap();
        assert_eq!(&value[..length], b"kept");
    }
    let metadata = place.path("a").metadata().unwrap();
    assert!(!root || (metadata.uid(), metadata.gid()) == (1234, 4321));
}

#[test]
fn special_files_are_refused() {
    let place = place(&[("d/a", "a")]);
    rustix::fs::mknodat(rustix::fs::CWD, place.path("d/pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    place.refused_special("d/pipe");
    place.check(vec![rename("d/a", "a")], &[("a", "a")]);
}

impl Place {
    fn refused_special(&self, path: &str) {
        for steps in [vec![delete(path)], vec![delete("d")], vec![rename(path, "moved")]] {
            let error = self.apply(steps).expect_err("refused");
            assert_eq!(error.kind(), Kind::Unsupported);
        }
        assert_eq!(self.files.read(path).expect_err("refused").kind(), Kind::Unsupported);
        std::fs::remove_file(self.path(path)).unwrap();
    }
}

#[test]
fn edits_keep_the_encoding() {
    let place = place(&[]);
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    place.write("a.txt", utf16("\u{FEFF}één\r\ntwee\r\n"));
    place.write("b.xml", b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xE9</a>");
    place.apply(vec![place.edit("a.txt", "twee", "três")]).unwrap();
    assert_eq!(std::fs::read(place.path("a.txt")).unwrap(), utf16("\u{FEFF}één\r\ntrês\r\n"));
    place.apply(vec![place.edit("b.xml", "é", "éü")]).unwrap();
    assert!(std::fs::read(place.path("b.xml")).unwrap().ends_with(b"<a>\xE9\xFC</a>"));
    let error = place.refused(Kind::InvalidArgument, vec![place.edit("b.xml", "é", "漢")]);
    assert!(error.to_string().contains("ISO-8859-1"), "{error}");
}

#[test]
fn files_are_swapped_while_their_directory_moves() {
    let place = place(&[("d/a", "a"), ("d/b", "b"), ("d/c", "c")]);
    place.check(
        vec![rename("d", "e"), rename("d/a", "e/b"), rename("d/b", "e/a"), delete("d/c"), create("e/c", "new")],
        &[("e/a", "b"), ("e/b", "a"), ("e/c", "new")],
    );
    place.check(vec![rename("e", "f"), delete("e/c"), rename("e/a", "f/c")], &[("f/b", "a"), ("f/c", "b")]);
}

#[test]
fn version_control_folders_are_protected_under_any_name() {
    let place = place(&[(".git/config", "[core]"), ("a", "a")]);
    std::os::unix::fs::symlink(".git", place.path("g")).unwrap();
    std::os::unix::fs::symlink(".git/config", place.path("c")).unwrap();
    let steps = [
        vec![place.edit(".git/config", "[core]", "[alias]")],
        vec![place.edit("g/config", "[core]", "[alias]")],
        vec![place.edit("c", "[core]", "[alias]")],
        vec![create("g/hooks/x", "x")],
        vec![rename("a", "g/a")],
        vec![delete(".git")],
    ];
    for steps in steps {
        let error = place.refused(Kind::PermissionDenied, steps);
        assert!(error.to_string().contains("--write-protected"), "{error}");
    }
    // A call cannot name the folder as its root, but the user can serve it.
    let roots = || DiskRoots::new(place.root(), place.directory.path().join("state"));
    let git = place.path(".git").to_str().unwrap().to_owned();
    let inside = roots().open(Some(&git)).unwrap();
    let make = || change(vec![create("x", "x")]);
    assert_eq!(inside.apply(&make(), false, &Work::default()).unwrap_err().kind(), Kind::PermissionDenied);
    let unprotected = roots().allow_protected_writes().open(Some(&git)).unwrap();
    unprotected.apply(&make(), false, &Work::default()).unwrap();
    let served = DiskRoots::new(place.path(".git"), place.directory.path().join("state")).open(None).unwrap();
    served.apply(&change(vec![create("y", "y")]), false, &Work::default()).unwrap();
}

/// A bare repository with worktrees, one made with `--separate-git-dir`, and links to them are recognized by content.
#[test]
fn git_folders_are_protected_under_any_name() {
    let place = place(&[
        (".bare/HEAD", "ref: refs/heads/main"),
        (".bare/config", "[core]"),
        (".bare/objects/x", ""),
        (".bare/refs/heads/main", ""),
        ("main/.git", "gitdir: ../.bare/worktrees/main"),
        (".bare/worktrees/main/HEAD", ""),
        ("a", "a"),
        ("part/HEAD", "ref: refs/heads/main"),
        ("part/objects/x", ""),
    ]);
    std::os::unix::fs::symlink(".bare", place.path("b")).unwrap();
    let steps = [
        vec![place.edit(".bare/config", "[core]", "[alias]")],
        vec![overwrite(".bare/config", "[core]")],
        vec![overwrite("b/config", "[core]")],
        vec![create(".bare/hooks/post-checkout", "x")],
        vec![create("b/worktrees/main/hooks/x", "x")],
        vec![rename("a", ".bare/hooks")],
        vec![rename(".bare", "other")],
        vec![delete(".bare")],
        vec![overwrite("main/.git", "gitdir: x")],
        // A folder becomes a git folder file by file, by a move, and by a copy.
        vec![create("part/refs/x", "x")],
        vec![create("docs/HEAD", "x"), create("docs/refs/y", "y"), create("docs/objects/z", "z")],
        vec![rename("part", "docs"), create("docs/refs/y", "y")],
        vec![create("docs/refs/x", ""), create("docs/objects/x", ""), copy("part/HEAD", "docs/HEAD")],
        vec![create("HEAD", "x"), create("commondir", "part")],
    ];
    for steps in steps {
        let shown = format!("{steps:?}");
        let error = place.refused(Kind::PermissionDenied, steps);
        assert!(error.to_string().contains("--write-protected"), "{error} {shown}");
    }
    // A folder that is not a git folder afterwards can be written.
    place.apply(vec![create("part/config", "x"), create("docs/HEAD", "x"), create("docs/refs/y", "y")]).unwrap();
    place.apply(vec![rename("docs", "moved"), delete("part")]).unwrap();
    let state = place.directory.path().join("state");
    let unprotected = DiskRoots::new(place.root(), state.clone()).allow_protected_writes().open(None).unwrap();
    unprotected.apply(&change(vec![overwrite(".bare/config", "[alias]")]), false, &Work::default()).unwrap();
    let bare = place.path(".bare");
    let inside = DiskRoots::new(place.root(), state.clone()).open(Some(bare.to_str().unwrap())).unwrap();
    let make = || change(vec![create("hooks/y", "y")]);
    assert_eq!(inside.apply(&make(), false, &Work::default()).unwrap_err().kind(), Kind::PermissionDenied);
    DiskRoots::new(bare, state).open(None).unwrap().apply(&make(), false, &Work::default()).unwrap();
}

/// The size of a file is checked with one system call, before it is read.
#[test]
fn change_over_the_size_limit_is_refused_before_reading() {
    let place = place(&[("a", "a"), ("d/b", "b")]);
    let large = |path: &str, size: u64| std::fs::File::create(place.path(path)).unwrap().set_len(size).unwrap();
    large("big", 10 << 30);
    (0..3).for_each(|at| large(&format!("d/{at}"), 500 << 20));
    std::fs::create_dir(place.path("e")).unwrap();
    std::fs::rename(place.path("d/b"), place.path("e/b")).unwrap();
    let changes = [
        vec![rename("big", "other")],
        vec![rename("big", "e/b/../c")],
        vec![delete("big")],
        vec![copy("big", "other")],
        vec![rename_over("a", "big")],
        vec![overwrite("big", "text")],
        vec![delete("d")],
        vec![create("new", "n"), delete("d"), delete("a")],
    ];
    let start = std::time::Instant::now();
    for steps in changes {
        let change = change(steps);
        for dry_run in [true, false] {
            let error = place.files.apply(&change, dry_run, &Work::default()).unwrap_err();
            assert_eq!(error.kind(), Kind::LimitExceeded, "{error}");
            assert!(error.to_string().contains("1024 MiB"), "{error}");
        }
    }
    assert_eq!(place.files.read("big").unwrap_err().kind(), Kind::LimitExceeded);
    assert!(start.elapsed() < std::time::Duration::from_secs(5), "{:?}", start.elapsed());
    // A folder with a large file is moved as a whole, so nothing in it is kept.
    place.apply(vec![rename("d", "f")]).unwrap();
}

#[test]
fn planning_stops_when_cancelled() {
    let names: Vec<String> = (0..50).map(|at| format!("d/{at}/x")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
    let place = place(&files);
    let work = Work::default();
    work.cancel();
    for steps in [vec![delete("d")], vec![rename("d", "e")], vec![rename("d/1/x", "y")]] {
        let error = place.files.apply(&change(steps), true, &work).unwrap_err();
        assert_eq!(error.kind(), Kind::Cancelled);
    }
}
