//! Workspace access of modules: it must be granted, and ignored files and files with keys need separate grants.

use std::{fs, sync::Arc};

use marquetry_files::DiskRoots;
use marquetry_model::{
    Kind,
    ports::{Packs, Roots},
};

use super::plugin::Plugin;

/// A module whose diagnostics function reads a file and traps unless the file has this size or, if `found` is false, is
/// not found.
fn asking(path: &str, bytes: i64, found: bool) -> Plugin {
    let import = "(import \"extism:host/user\" \"workspace_read\" (func $read (param i64) (result i64)))\n";
    let mut plugin = Plugin::healthy().with(import);
    let (at, length) = plugin.text(path);
    let body = format!(
        "(local $found i64)
         (local.set $found (call $read (call $block (i32.const {at}) (i32.const {length}))))
         (if (i32.ne (i64.ne (local.get $found) (i64.const 0)) (i32.const {})) (then unreachable))
         (if (i64.ne (call $length (local.get $found)) (i64.const {bytes})) (then unreachable))
         (call $answer (i32.const 8) (i32.const 2))",
        i32::from(found)
    );
    plugin.doing("language_diagnostics", &body).with("(data (i32.const 8) \"[]\")")
}

#[test]
fn workspace_import_needs_its_grant() {
    let error = asking("a.txt", 3, true).installed("").refusal();
    assert_eq!(error.kind(), Kind::PermissionDenied);
    assert_eq!(error.content().message, "plugin `p` needs access to the workspace, which is not granted");
    for (path, bytes, found) in [("a.txt", 3, true), ("empty.txt", 0, true), ("gone.txt", 0, false)] {
        let installed = asking(path, bytes, found).installed("grants = [\"workspace\"]");
        installed.open("text").diagnostics().unwrap_or_else(|error| panic!("{path}: {error}"));
    }
}

#[test]
fn ignored_and_secret_files_need_their_grants() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("root");
    for (path, text) in [
        ("open.txt", "one"),
        (".ignore", "made/\n"),
        ("made/x.txt", "three"),
        (".env", "KEY=1"),
        (".git/config", "[core]"),
        ("sub/server.key", "secret"),
    ] {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    #[cfg(unix)]
    for (link, to) in [("to-env.txt", ".env"), ("to-made.txt", "made/x.txt"), ("sub/up", "..")] {
        std::os::unix::fs::symlink(to, root.join(link)).expect("linked");
    }
    let files = DiskRoots::new(root, folder.path().join("state")).open(None).expect("a root");
    let check = |grants: &str, path: &str, bytes: i64| {
        let installed = asking(path, bytes, bytes > 0).installed(&format!("grants = [{grants}]"));
        let pack = installed.packs.for_path(&files, "a.p").expect("a pack");
        let mut document = pack.open("a.p", &Arc::from("text")).expect("opened");
        document.diagnostics().unwrap_or_else(|error| panic!("{grants}: {path}, {bytes} bytes: {error}"));
    };
    let (plain, ignored, all) =
        ("\"workspace\"", "\"workspace\", \"ignored\"", "\"workspace\", \"ignored\", \"secrets\"");
    check(plain, "open.txt", 3);
    for path in [".env", "made/x.txt", ".git/config", "sub/server.key", "sub/../.env"] {
        check(plain, path, 0);
    }
    check(ignored, "made/x.txt", 5);
    check(ignored, ".env", 0);
    check(all, ".env", 5);
    check(all, ".git/config", 6);
    if cfg!(unix) {
        for path in ["to-env.txt", "to-made.txt", "sub/up/.env", "sub/up/made/x.txt"] {
            check(plain, path, 0);
        }
        check(ignored, "to-made.txt", 5);
    }
}
