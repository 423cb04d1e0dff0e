//! Paths, reads, listings and walks.

use std::os::unix::fs::MetadataExt;

use crate::common::*;
use marquetry_files::DiskRoots;
use marquetry_model::{
    Kind,
    ports::{EntryKind, Roots},
};

#[test]
fn paths_are_accepted_in_many_forms() {
    let place = place(&[("src/a b.txt", "text")]);
    let root = place.root().canonicalize().unwrap();
    let absolute = root.join("src/a b.txt").to_str().unwrap().to_owned();
    let uri = format!("file://{}", absolute.replace(' ', "%20"));
    for path in ["src/a b.txt", "./src/../src//a b.txt", &absolute, &uri] {
        assert_eq!(place.files.locate(path).unwrap(), "src/a b.txt", "{path}");
        assert_eq!(place.files.read(path).unwrap().path, "src/a b.txt", "{path}");
    }
    assert_eq!(place.files.locate("new/file.txt").unwrap(), "new/file.txt");
    assert_eq!(place.files.locate(root.to_str().unwrap()).unwrap(), "");
    assert_eq!(place.files.root(), root.to_str().unwrap());
}

#[test]
fn root_is_opened_through_a_link() {
    let place = place(&[("a", "a")]);
    let alias = place.directory.path().join("alias");
    std::os::unix::fs::symlink(place.root(), &alias).unwrap();
    let roots = DiskRoots::new("/".into(), place.directory.path().join("state"));
    let files = roots.open(alias.to_str()).unwrap();
    assert_eq!(files.root(), place.files.root());
    assert_eq!(files.locate(alias.join("a").to_str().unwrap()).unwrap(), "a");
    assert_eq!(files.locate(alias.join("new/x").to_str().unwrap()).unwrap(), "new/x");
    assert!(std::sync::Arc::ptr_eq(&files, &roots.open(place.root().to_str()).unwrap()));
    let refused = |root: &str| roots.open(Some(root)).map(|_| ()).unwrap_err().kind();
    assert_eq!(refused("relative"), Kind::InvalidArgument);
    assert_eq!(refused("/no/such/root"), Kind::FileNotFound);
    assert_eq!(refused(alias.join("a").to_str().unwrap()), Kind::InvalidArgument);
}

#[test]
fn paths_outside_are_not_read() {
    let place = place(&[("d/a", "a")]);
    std::fs::write(place.directory.path().join("secret"), "s").unwrap();
    place.link("out", "..");
    place.link("secret", "../secret");
    place.link("inside", "d/a");
    place.link("loop", "loop");
    place.link("nowhere", "missing");
    for path in ["../secret", "out/secret", "secret", "d/../../secret", "/etc/passwd", "out"] {
        assert_eq!(place.files.locate(path).unwrap_err().kind(), Kind::OutsideWorkspace, "{path}");
        assert_eq!(place.files.read(path).unwrap_err().kind(), Kind::OutsideWorkspace, "{path}");
        assert_eq!(place.files.stat(path), None, "{path}");
    }
    assert_eq!(&*place.files.read("inside").unwrap().text, "a");
    assert_eq!(place.files.read("inside").unwrap().path, "inside");
    assert_eq!(place.files.read("loop").unwrap_err().kind(), Kind::InvalidArgument);
    assert_eq!(place.files.read("nowhere").unwrap_err().kind(), Kind::FileNotFound);
    assert_eq!(place.files.locate("nowhere").unwrap(), "nowhere");
    assert_eq!(place.files.stat("inside"), Some(EntryKind::File));
    assert_eq!(place.files.stat("d"), Some(EntryKind::Directory));
    let names: Vec<String> = place.files.entries("").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["d", "inside"], "links that lead nowhere or outside are not listed");
}

#[test]
fn hash_is_computed_from_the_bytes() {
    let place = place(&[("a", "\u{FEFF}text")]);
    let source = place.files.read("a").unwrap();
    assert_eq!((&*source.text, source.size), ("text", 7));
    assert_eq!(source.hash, marquetry_files::hash("\u{FEFF}text".as_bytes()));
    assert_eq!(source.hash.len(), 32);
    assert_eq!(place.files.read_bytes("a").unwrap(), "\u{FEFF}text".as_bytes());
}

#[test]
fn missing_file_error_lists_similar_paths() {
    let place = place(&[
        ("src/UserService.ts", ""),
        ("src/util.ts", ""),
        ("lib/deep/helper.ts", ""),
        (".gitignore", "out/\n"),
        ("out/helper.ts", ""),
    ]);
    let nearest = |path: &str| {
        let error = place.files.read(path).unwrap_err();
        assert_eq!(error.kind(), Kind::FileNotFound);
        error.content().candidates.clone()
    };
    assert_eq!(nearest("src/UserServise.ts")[0], "src/UserService.ts");
    assert_eq!(nearest("helper.ts"), ["lib/deep/helper.ts"]);
    assert_eq!(nearest("src/Utils.ts")[0], "src/util.ts");
    let error = place.files.read("src").unwrap_err();
    assert_eq!(
        (error.kind(), error.content().candidates.clone()),
        (Kind::InvalidArgument, vec!["src/UserService.ts".to_owned(), "src/util.ts".to_owned()])
    );
    assert_eq!(place.files.read("").unwrap_err().kind(), Kind::InvalidArgument);
    let error = place.files.read("src/util.ts/x").unwrap_err();
    assert_eq!(
        (error.kind(), error.content().candidates.clone()),
        (Kind::FileNotFound, vec!["src/util.ts".to_owned()])
    );
}

#[test]
fn binary_files_are_refused_as_text_and_read_as_bytes() {
    let place = place(&[]);
    place.write("logo.png", b"\x89PNG\r\n\x1a\n123");
    let error = place.files.read("logo.png").unwrap_err();
    assert_eq!(error.kind(), Kind::Unsupported);
    assert!(error.to_string().contains("a PNG image"), "{error}");
    assert_eq!(place.files.read_bytes("logo.png").unwrap().len(), 11);
}

#[test]
fn walks_respect_ignore_files() {
    let place = place(&[
        (".gitignore", "target/\n*.log\n!keep.log\n"),
        (".ignore", "secret\n"),
        (".git/config", ""),
        (".github/workflow.yml", ""),
        ("a.txt", "four"),
        ("secret", ""),
        ("x.log", ""),
        ("keep.log", ""),
        ("target/out", ""),
        ("sub/.gitignore", "/b\n"),
        ("sub/a", ""),
        ("sub/b", ""),
        ("sub/c/b", ""),
        ("sub/target/out", ""),
        ("sub/.git/config", ""),
    ]);
    place.link("link", "a.txt");
    place.link("dir", "sub");
    let walk =
        |below: &str| -> Vec<String> { place.files.walk(below).unwrap().into_iter().map(|stamp| stamp.path).collect() };
    let all =
        [".github/workflow.yml", ".gitignore", ".ignore", "a.txt", "keep.log", "sub/.gitignore", "sub/a", "sub/c/b"];
    assert_eq!(walk(""), all);
    assert_eq!(walk("sub"), all[5..]);
    assert_eq!(walk("sub/c"), all[7..]);
    assert_eq!(walk("target"), ["target/out"], "an ignored folder must be walked if the call names it");
    assert_eq!(walk("dir"), ["dir/.gitignore", "dir/a", "dir/c/b"]);
    let stamp = &place.files.walk("").unwrap()[3];
    let metadata = place.path("a.txt").metadata().unwrap();
    let modified =
        u128::try_from(i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec())).unwrap();
    assert_eq!((stamp.size, stamp.modified), (4, modified));
    assert_eq!(place.files.walk("none").unwrap_err().kind(), Kind::FileNotFound);
    assert_eq!(place.files.walk("a.txt").unwrap_err().kind(), Kind::InvalidArgument);
    assert_eq!(place.files.walk("..").unwrap_err().kind(), Kind::OutsideWorkspace);
}

#[test]
fn ignore_files_above_the_root_apply_within_a_repository() {
    let place = place(&[("a.txt", ""), ("b.log", "")]);
    let above = place.directory.path();
    std::fs::write(above.join(".gitignore"), "*.log\n").unwrap();
    let count = || place.files.walk("").unwrap().len();
    assert_eq!(count(), 2, "outside of a repository, the outer ignore file must not apply");
    std::fs::create_dir(above.join(".git")).unwrap();
    assert_eq!(count(), 1, "below the top of a repository, the outer ignore file must apply");
    std::fs::create_dir(place.path(".git")).unwrap();
    assert_eq!(count(), 2, "if the root is a separate repository, the outer ignore file must not apply");
}

#[test]
fn names_that_are_not_utf8_are_skipped_and_reported() {
    use std::os::unix::ffi::OsStrExt;
    let place = place(&[("d/a", "a")]);
    std::fs::write(place.root().join(std::ffi::OsStr::from_bytes(b"d/\xFF")), "").unwrap();
    assert_eq!(place.files.entries("d"), [("a".to_owned(), EntryKind::File)]);
    assert_eq!(place.files.walk("").unwrap().len(), 1);
    let [skipped] = &place.files.walk_with_skipped("").unwrap().skipped[..] else { panic!("expected exactly one") };
    assert_eq!((skipped.path.as_str(), skipped.reason.as_str()), ("d/\u{FFFD}", "its name is not UTF-8"));
    assert!(
        place.apply(vec![delete("d")]).is_err(),
        "a file must not be deleted if the journal cannot contain its name"
    );
    place.apply(vec![place.edit("d/a", "a", "b"), rename("d/a", "b")]).unwrap();
}

#[test]
fn unreadable_paths_of_a_walk_are_reported() {
    if !is_ordinary(module_path!(), "unreadable_paths_of_a_walk_are_reported") {
        return;
    }
    let place = place(&[("a", "a"), ("closed/b", "b"), ("sub/closed/c", "c"), ("sub/d", "d")]);
    place.mode("closed", 0o000);
    place.mode("sub/closed", 0o000);
    let survey = || {
        let survey = place.files.walk_with_skipped("").unwrap();
        let files: Vec<String> = survey.files.iter().map(|stamp| stamp.path.clone()).collect();
        (files, survey.skipped.into_iter().map(|skipped| (skipped.path, skipped.reason)).collect::<Vec<_>>())
    };
    let denied = |path: &str| (path.to_owned(), "permission denied".to_owned());
    for _ in 0..2 {
        assert_eq!(survey(), (vec!["a".to_owned(), "sub/d".to_owned()], vec![denied("closed"), denied("sub/closed")]));
    }
    let below = place.files.walk_with_skipped("sub").unwrap();
    assert_eq!(below.skipped.into_iter().map(|skipped| skipped.path).collect::<Vec<_>>(), ["sub/closed"]);
    place.mode("closed", 0o700);
    place.mode("sub/closed", 0o700);
    assert_eq!((survey().0.len(), survey().1.len()), (4, 0));
}

#[test]
fn batch_reader_agrees_with_single_reads() {
    let place = place(&[("a", "long text of a"), ("b", ""), ("d/a", "é"), ("d/b", "b"), ("c", "last")]);
    std::os::unix::fs::symlink("a", place.root().join("link")).unwrap();
    std::os::unix::fs::symlink("d", place.root().join("e")).unwrap();
    std::fs::write(place.root().join("image"), b"\x89PNG\r\n\x1a\n").unwrap();
    let mut reader = place.files.reader();
    for path in ["a", "b", "d/a", "d/b", "c", "a", "d/a"] {
        let text = reader.text(path, 100).unwrap().map(std::borrow::Cow::into_owned);
        assert_eq!(text, Some(place.text(path)), "{path}");
    }
    for path in ["link", "e/a", "d", "gone", "no/such", "d/../../state", ""] {
        assert!(reader.text(path, 100).unwrap().is_none(), "{path}: not a regular file, or reached through a link");
    }
    assert!(reader.text("a", 13).unwrap().is_none() && reader.text("a", 14).unwrap().is_some());
    assert_eq!(reader.text("image", 100).unwrap_err().kind(), Kind::Unsupported);
}

#[test]
fn growing_file_is_read_completely() {
    let place = place(&[("a", "")]);
    let long = "0123456789".repeat(100_000);
    place.write("a", &long);
    // The size in the metadata may be wrong: it is always 0 in `/proc`.
    let proc = open_at(std::path::Path::new("/proc/self"), &place.directory.path().join("other"));
    assert!(proc.read("limits").unwrap().text.contains("Max open files"));
    assert_eq!(place.files.read("a").unwrap().text.len(), long.len());
}
