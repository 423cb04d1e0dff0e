//! The walk cache returns what a new walk would find, no matter which changes were made since.

use crate::common;

use std::{fs, time::Duration};

use crate::common::{Place, place};
use marquetry_model::{Kind, ports::FileStamp};

fn start() -> Place {
    place(&[
        ("a.txt", "a"),
        ("src/b.txt", "b"),
        ("src/deep/c.txt", "c"),
        ("src/deep/.gitignore", "*.log\n"),
        ("src/deep/x.log", "x"),
        ("out/generated.txt", "g"),
        (".gitignore", "/out/\n"),
    ])
}

fn fresh(place: &Place) -> Vec<FileStamp> {
    common::open(place.directory.path(), |_| {}).walk("").unwrap()
}

fn paths(stamps: &[FileStamp]) -> Vec<String> {
    stamps.iter().map(|stamp| stamp.path.clone()).collect()
}

fn names(place: &Place) -> Vec<String> {
    place.files.walk_names("").unwrap().files
}

/// Waits longer than a tick of the file system's clock, so that the walk is cached.
fn settle() {
    std::thread::sleep(Duration::from_millis(80));
}

#[test]
fn walk_cache_notices_every_kind_of_change() {
    type Happening = (&'static str, fn(&Place));
    let happenings: [Happening; 12] = [
        ("nothing", |_| {}),
        ("a file changed", |place| place.write("src/deep/c.txt", "longer")),
        ("a file changed, of the same length, and its time was set back", |place| {
            let file = fs::File::options().write(true).open(place.root().join("src/b.txt")).unwrap();
            let before = file.metadata().unwrap().modified().unwrap();
            place.write("src/b.txt", "B");
            file.set_modified(before).unwrap();
        }),
        ("a file came", |place| place.write("src/deep/new.txt", "n")),
        ("a file came into the root", |place| place.write("new.txt", "n")),
        ("a file went", |place| fs::remove_file(place.root().join("src/b.txt")).unwrap()),
        ("a folder came", |place| place.write("src/other/d.txt", "d")),
        ("a folder went", |place| fs::remove_dir_all(place.root().join("src/deep")).unwrap()),
        ("a file became a link", |place| {
            fs::remove_file(place.root().join("a.txt")).unwrap();
            std::os::unix::fs::symlink("src/b.txt", place.root().join("a.txt")).unwrap();
        }),
        ("less is ignored", |place| place.write(".gitignore", "# nothing\n")),
        ("more is ignored", |place| place.write("src/deep/.gitignore", "*.log\nc.txt\n")),
        ("another ignore file came", |place| place.write("src/.ignore", "b.txt\n")),
    ];
    for (what, happening) in happenings {
        let place = start();
        settle();
        let before = place.files.walk("").unwrap();
        assert_eq!(before, fresh(&place), "{what}: before");
        assert_eq!(names(&place), paths(&before), "{what}: before, by name");
        happening(&place);
        assert_eq!(names(&place), paths(&fresh(&place)), "{what}: right after, by name");
        assert_eq!(place.files.walk("").unwrap(), fresh(&place), "{what}: right after");
        settle();
        assert_eq!(place.files.walk("").unwrap(), fresh(&place), "{what}: later");
        assert_eq!(place.files.walk("").unwrap(), fresh(&place), "{what}: again");
        assert_eq!(names(&place), paths(&fresh(&place)), "{what}: again, by name");
        let same = place.files.walk("").unwrap() == before;
        assert_eq!(same, what == "nothing", "{what}");
    }
}

#[test]
fn cached_walk_applies_ignore_files_above_the_root() {
    let place = start();
    fs::create_dir(place.directory.path().join(".git")).unwrap();
    settle();
    assert!(place.files.walk("").unwrap().iter().any(|stamp| stamp.path == "a.txt"));
    fs::write(place.directory.path().join(".gitignore"), "a.txt\n").unwrap();
    assert!(!place.files.walk("").unwrap().iter().any(|stamp| stamp.path == "a.txt"));
}

#[test]
fn names_of_a_folder_match_the_walk() {
    let place = start();
    for below in ["", "src", "src/deep", "out"] {
        assert_eq!(place.files.walk_names(below).unwrap().files, paths(&place.files.walk(below).unwrap()), "{below}");
    }
    let kind = |below: &str| place.files.walk_names(below).unwrap_err().kind();
    assert_eq!((kind("gone"), kind("a.txt")), (Kind::FileNotFound, Kind::InvalidArgument));
}

/// git ignores such a file: its rules may be those of another person's folder, and could hide files of the project.
#[test]
fn ignore_files_that_are_links_have_no_effect() {
    for (at, target) in [
        (".gitignore", "../rules"),
        (".ignore", "../rules"),
        ("src/.gitignore", "../../rules"),
        ("src/deep/.ignore", "../../../rules"),
        (".gitignore", "src/rules"),
        ("src/.ignore", "missing"),
    ] {
        let place = place(&[
            ("z.md", "z"),
            ("src/z.md", "z"),
            ("src/deep/z.md", "z"),
            ("src/rules", "*.md\nsrc/\n"),
            ("lib/.gitignore", "made/\n*.log\n!kept.log\n"),
            ("lib/made/a.txt", "a"),
            ("lib/a.log", "a"),
            ("lib/kept.log", "a"),
        ]);
        fs::write(place.directory.path().join("rules"), "*.md\n*.txt\nsrc/\n").unwrap();
        let link = place.root().join(at);
        std::os::unix::fs::symlink(target, &link).unwrap();
        let expected = ["lib/.gitignore", "lib/kept.log", "src/deep/z.md", "src/rules", "src/z.md", "z.md"];
        let found = |place: &Place| {
            let names = names(place).into_iter();
            names.filter(|name| !name.ends_with(at.rsplit('/').next().unwrap()) || name.starts_with("lib/"))
        };
        assert_eq!(found(&place).collect::<Vec<_>>(), expected, "{at} -> {target}");
        assert_eq!(paths(&place.files.walk("src/deep").unwrap()), ["src/deep/z.md"], "{at} -> {target}");
        settle();
        assert_eq!(found(&place).collect::<Vec<_>>(), expected, "{at} -> {target}, again");
        // The same rules in a regular file apply.
        fs::remove_file(&link).unwrap();
        fs::write(&link, "*.md\n").unwrap();
        let folder = at.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_hidden = |name: &String| name.ends_with(".md") && name.starts_with(folder);
        assert!(!names(&place).iter().any(is_hidden), "{at}: {:?}", names(&place));
    }
}

#[test]
fn linked_ignore_files_above_the_root_have_no_effect() {
    let place = place(&[("a.md", "a"), ("b.txt", "b"), ("c.log", "c")]);
    let above = place.directory.path();
    fs::create_dir(above.join(".git")).unwrap();
    fs::write(above.join("rules"), "*.md\n").unwrap();
    fs::write(above.join(".gitignore"), "*.log\n").unwrap();
    std::os::unix::fs::symlink("rules", above.join(".ignore")).unwrap();
    assert_eq!(names(&place), ["a.md", "b.txt"]);
    fs::remove_file(above.join(".ignore")).unwrap();
    fs::copy(above.join("rules"), above.join(".ignore")).unwrap();
    assert_eq!(names(&place), ["b.txt"]);
}
