//! The directories that can be opened: the served ones, and those below them.

use std::{fs, os::unix::fs::symlink, path::PathBuf};

use marquetry_files::DiskRoots;
use marquetry_model::{Kind, ports::Roots};
use tempfile::TempDir;

/// `one` with a folder, `two`, and an outside folder; links out of and into the served folders.
struct Place {
    directory: TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { directory: tempfile::tempdir().unwrap() };
        for folder in ["one/inner", "two", "outside", "one-more"] {
            fs::create_dir_all(place.path(folder)).unwrap();
        }
        symlink(place.path("outside"), place.path("one/out")).unwrap();
        symlink(place.path("one"), place.path("link-to-one")).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn serving(&self, names: &[&str]) -> DiskRoots {
        let roots = names.iter().map(|name| self.path(name)).collect();
        DiskRoots::with_roots(roots, self.path("state"))
    }

    /// Returns the result of a call with this root: a root below the place, or the kind of the error.
    fn opened(&self, roots: &dyn Roots, root: &str) -> String {
        match roots.open(Some(root)) {
            Ok(files) => files.root().strip_prefix(&self.name("")).unwrap().to_owned(),
            Err(error) => error.kind().name().to_owned(),
        }
    }
}

#[test]
fn only_served_roots_and_folders_below_open() {
    let place = Place::new();
    let roots = place.serving(&["one", "two"]);
    let cases = [
        ("one", "one"),
        ("two", "two"),
        ("one/inner", "one/inner"),
        ("one/../two", "two"),
        // A link is resolved to its target.
        ("link-to-one", "one"),
        ("link-to-one/inner", "one/inner"),
        ("one/out", "OutsideWorkspace"),
        ("outside", "OutsideWorkspace"),
        ("one/../outside", "OutsideWorkspace"),
        // A name with the same prefix.
        ("one-more", "OutsideWorkspace"),
        ("", "OutsideWorkspace"),
        // Whether a path exists is reported only for served directories.
        ("nothing", "OutsideWorkspace"),
        ("one/nothing", "FileNotFound"),
    ];
    for (root, expected) in cases {
        assert_eq!(place.opened(&roots, &place.name(root)), expected, "{root}");
        assert_eq!(place.opened(&roots, &format!("file://{}", place.name(root))), expected, "file://{root}");
    }
    assert_eq!(place.opened(&roots, "/"), "OutsideWorkspace");
    assert_eq!(place.opened(&roots, "one"), "InvalidArgument", "not absolute");
    assert_eq!(roots.open(None).unwrap().root(), place.name("one"));
}

#[test]
fn error_for_unserved_root_lists_served_roots() {
    let place = Place::new();
    let error = place.serving(&["one", "two"]).open(Some("/")).err().unwrap();
    assert_eq!(error.kind(), Kind::OutsideWorkspace);
    assert_eq!(error.content().candidates, [place.name("one"), place.name("two")]);
    assert!(error.content().hint.as_ref().is_some_and(|hint| hint.contains("--any-root")));
}

#[test]
fn any_root_opens_with_any_root_option() {
    let place = Place::new();
    let roots = place.serving(&["one"]).with_any_root(true);
    assert_eq!(place.opened(&roots, &place.name("outside")), "outside");
    assert_eq!(place.opened(&roots, &place.name("nothing")), "FileNotFound");
    assert_eq!(roots.open(None).unwrap().root(), place.name("one"));
}

#[test]
fn redirected_link_gives_no_access_to_its_new_target() {
    let place = Place::new();
    let roots = place.serving(&["link-to-one"]);
    assert_eq!(roots.open(None).unwrap().root(), place.name("one"));
    fs::remove_file(place.path("link-to-one")).unwrap();
    symlink(place.path("outside"), place.path("link-to-one")).unwrap();
    assert_eq!(roots.open(None).unwrap().root(), place.name("one"));
    assert_eq!(place.opened(&roots, &place.name("link-to-one")), "OutsideWorkspace");
}

#[test]
fn missing_root_is_reported_as_missing() {
    let place = Place::new();
    assert_eq!(place.serving(&["nothing"]).open(None).err().unwrap().kind(), Kind::FileNotFound);
    assert_eq!(
        DiskRoots::with_roots(Vec::new(), place.path("state")).open(None).err().unwrap().kind(),
        Kind::InvalidArgument
    );
}

#[test]
fn folders_of_a_client_only_restrict_the_roots() {
    let place = Place::new();
    let roots = place.serving(&["one", "two"]);
    let restricted = |names: &[&str]| {
        let restricted: Vec<String> = names.iter().map(|name| place.name(name)).collect();
        roots.restricted_to(&restricted).map(|roots| {
            let cut = |root: &String| root.strip_prefix(&place.name("")).unwrap().to_owned();
            roots.served().iter().map(cut).collect::<Vec<_>>()
        })
    };
    let cases: [(&[&str], Option<&[&str]>); 8] = [
        (&["one"], Some(&["one"])),
        (&["two"], Some(&["two"])),
        (&["two", "one"], Some(&["one", "two"])),
        (&["one/inner"], Some(&["one/inner"])),
        (&["one/inner", "outside"], Some(&["one/inner"])),
        // If a client lists a parent of served directories, all of these are served.
        (&[""], Some(&["one", "two"])),
        (&["outside"], None),
        (&[], None),
    ];
    for (names, expected) in cases {
        let expected = expected.map(|names| names.iter().map(ToString::to_string).collect());
        assert_eq!(restricted(names), expected, "{names:?}");
    }
    let narrow = roots.restricted_to(&[place.name("one/inner")]).unwrap();
    assert_eq!(place.opened(&*narrow, &place.name("one")), "OutsideWorkspace");
    assert_eq!(narrow.open(None).unwrap().root(), place.name("one/inner"));
}

#[test]
fn absolute_path_selects_its_root() {
    let place = Place::new();
    let roots = place.serving(&["one", "two", "one/inner"]);
    let cases = [
        ("two/a.txt", Some("two")),
        ("one/a/b/c.txt", Some("one")),
        ("one/inner/a.txt", Some("one/inner")),
        ("link-to-one/a.txt", Some("one")),
        ("outside/a.txt", None),
        ("one-more/a.txt", None),
    ];
    for (path, root) in cases {
        assert_eq!(roots.root_of(&place.name(path)), root.map(|root| place.name(root)), "{path}");
    }
}
