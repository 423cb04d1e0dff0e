//! Queries on a workspace: who imports a name, which names a file exports, which files may contain a word; and that an
//! updated index equals a newly built one.

use std::fmt::Write;

use crate::common::{Numbers, Project, workspace_text};
use marquetry_graph::{DetailLevel, Graph, stale_indices};
use marquetry_model::{Work, pack::SharedName, ports::FileStamp};

/// A file of random statements about other files.
fn text(numbers: &mut Numbers) -> String {
    let mut text = String::new();
    for _ in 0..numbers.below(5) {
        let (file, name) = (numbers.below(12), numbers.below(4));
        let line = match numbers.below(8) {
            0 | 1 => format!("use ./f{file} n{name}"),
            2 => format!("use ./sub/f{file} **"),
            3 => format!("use @f{file}"),
            4 => format!("def n{name}"),
            5 => format!("shared n{name}"),
            6 => format!("n{name}.n{name}"),
            _ => "broken".to_owned(),
        };
        let _ = writeln!(text, "{line}");
    }
    text
}

#[test]
fn updated_index_equals_a_new_one() {
    for seed in 1..=12 {
        let mut numbers = Numbers(seed);
        let project = Project::new("\n//- aliases.note\n@f1 = f2.note\n");
        for step in 0..25 {
            for _ in 0..1 + numbers.below(3) {
                let folder = if numbers.below(4) == 0 { "sub/" } else { "" };
                let path = format!("{folder}f{}.note", numbers.below(12));
                match numbers.below(10) {
                    0..=6 => project.write(&path, &text(&mut numbers)),
                    7 | 8 => project.remove(&path),
                    _ => {
                        let (alias, target) = (numbers.below(12), numbers.below(12));
                        project.write("aliases.note", &format!("@f{alias} = f{target}.note\n"));
                    }
                }
            }
            let need = [DetailLevel::Links, DetailLevel::Names, DetailLevel::Symbols][numbers.below(3)];
            project.workspace(need);
            let updated = project.workspace(DetailLevel::Symbols);
            let fresh = Graph::new(None);
            let fresh = fresh
                .workspace(&project.files, project.packs.as_ref(), DetailLevel::Symbols, &Work::default())
                .unwrap();
            assert_eq!(workspace_text(&updated), workspace_text(&fresh), "seed {seed}, step {step}");
        }
    }
}

#[test]
fn files_that_load_each_other_share_a_scope() {
    let project = Project::new(
        "\n//- a.note\nuse ./b **\nuse ./e x\n//- b.note\nuse ./c **\n//- c.note\nuse ./a **\nuse ./gone **\n//- d.note\nuse ./a **\n//- e.note\nuse ./d **\n",
    );
    let workspace = project.workspace(DetailLevel::Links);
    assert_eq!(
        workspace.joined_scope_files("a.note"),
        ["b.note", "c.note"],
        "joined scopes can form a cycle; an import of names does not join scopes"
    );
    assert_eq!(workspace.joined_scope_files("d.note"), ["a.note", "b.note", "c.note"]);
    assert_eq!(workspace.joined_scope_files("e.note"), ["a.note", "b.note", "c.note", "d.note"]);
    assert!(
        workspace.joined_scope_files("gone.note").is_empty() && workspace.joined_scope_files("never.note").is_empty()
    );
    let names: Vec<Vec<String>> = workspace.importers("b.note").iter().map(|importer| importer.link.names()).collect();
    assert_eq!(names, [["*"]], "a shared scope counts as an import of all names");
}

#[test]
fn exports_include_re_exported_names() {
    let project =
        Project::new("\n//- a.note\ndef one\nshared all\nfree other\nuse ./b two\n//- b.note\n//- c.txt\ndef x\n");
    let links = project.workspace(DetailLevel::Links);
    let known = project.workspace(DetailLevel::Names);
    let file = |path: &str| known.file(path).unwrap();
    let a = file("a.note");
    assert!(a.exports("one") && a.exports("one.inner") && !a.exports("two") && !a.exports("on"));
    assert!(a.provides("one") && !a.provides("two"), "an import is not a re-export");
    let names = a.names.as_ref().unwrap();
    let shared = |name: &str, space: &str| SharedName { namespace: space.to_owned(), name: name.to_owned() };
    assert!(names.declares(&shared("all", "note")) && names.shares(&shared("other", "note")));
    assert!(!names.declares(&shared("other", "note")) && !names.shares(&shared("all", "css-class")));
    let unknown = links.file("a.note").unwrap();
    assert!(unknown.exports("anything") && unknown.provides("anything"), "names that were not loaded may exist");
    assert!(file("b.note").names.as_ref().unwrap().exports.is_empty());
}

#[test]
fn changed_file_may_contain_any_word() {
    let project = Project::new("\n//- a.note\nfree alpha\n//- b.note\n");
    let workspace = project.workspace(DetailLevel::Names);
    let entry = workspace.file("a.note").unwrap();
    let stamp = |size: u64, modified: u128| FileStamp { path: "a.note".to_owned(), size, modified };
    let same = stamp(entry.size, entry.modified);
    assert!(workspace.may_hold(&same, "alpha") && !workspace.may_hold(&same, "beta"));
    for other in [stamp(entry.size + 1, entry.modified), stamp(entry.size, entry.modified + 1)] {
        assert!(workspace.may_hold(&other, "beta"), "the text changed");
    }
    assert!(workspace.may_hold(&FileStamp { path: "new.note".to_owned(), ..same }, "beta"), "a new file");
}

#[test]
fn stale_index_files_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let there = tempfile::tempdir().unwrap();
    let project = Project::new("\n//- a.note\n");
    let fixture: String = (0..60).map(|n| format!("//- f{n}.note\nuse ./f{}\n", n + 1)).collect();
    let kept = Project::new(&format!("\n{fixture}"));
    kept.workspace(DetailLevel::Links);
    for path in kept.index_files() {
        std::fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    drop(project);
    std::fs::write(folder.path().join("old.index"), "of another time").unwrap();
    std::fs::write(folder.path().join("notes.txt"), "no index").unwrap();
    let found = stale_indices(folder.path());
    let mut reasons: Vec<String> = found.iter().map(|leftover| leftover.reason.clone()).collect();
    reasons.sort();
    let root = kept.files.root();
    assert_eq!(reasons, [format!("index of {root}, which does not exist"), "index of another version".to_owned()]);
    assert!(found.iter().all(|leftover| leftover.bytes > 0 && leftover.path.starts_with(folder.path())));
    assert!(stale_indices(&there.path().join("nothing")).is_empty());
}
