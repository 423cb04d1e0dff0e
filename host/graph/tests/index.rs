//! The index: what is read from each file, when a file is read again, and how links resolve.

use std::sync::Arc;

use crate::common::{Project, links};
use marquetry_graph::{DetailLevel, parallel_map, parallel_map_with};
use marquetry_model::{Kind, Work};

fn noted(name: &str) -> (String, String) {
    ("note".to_owned(), name.to_owned())
}

const SHOP: &str = "
//- a.note
use ./b one two
use ./sub/c
use ./gone
//- b.note
def one
def two
use @help
//- sub/c.note
use ../x
//- aliases.note
@help = sub/c.note
//- page.txt
use ./b
//- picture.bin
";

#[test]
fn packs_resolve_links() {
    let project = Project::new(SHOP);
    let workspace = project.workspace(DetailLevel::Links);
    assert_eq!(
        links(&workspace),
        "a.note ./b [one two] -> b.note\n\
         a.note ./sub/c [] -> sub/c.note\n\
         a.note ./gone [] -> nothing at gone\n\
         b.note @help [] -> sub/c.note\n\
         sub/c.note ../x [] -> nothing at sub/../x\n"
    );
    assert!(workspace.skipped.is_empty(), "files without a pack are not listed as skipped");
    assert_eq!(
        workspace.files().map(|file| file.path.as_str()).collect::<Vec<_>>(),
        ["a.note", "aliases.note", "b.note", "page.txt", "picture.bin", "sub/c.note"]
    );
}

#[test]
fn importers_are_sorted_by_file_and_position() {
    let project = Project::new("\n//- z.note\nuse ./a x\nuse ./a y\n//- b.note\nuse ./a\n//- a.note\ndef x\n");
    let workspace = project.workspace(DetailLevel::Links);
    let importers = workspace.importers("a.note");
    let shown: Vec<_> =
        importers.iter().map(|importer| (importer.file.path.as_str(), importer.index, &importer.link.names)).collect();
    assert_eq!(
        shown,
        [("b.note", 0, &vec![]), ("z.note", 0, &vec!["x".to_owned()]), ("z.note", 1, &vec!["y".to_owned()])]
    );
    assert!(workspace.importers("b.note").is_empty());
    assert!(workspace.importers("never.note").is_empty());
}

#[test]
fn link_without_names_may_carry_any_name() {
    let project = Project::new("\n//- b.note\nuse ./a x\nuse ./a\nuse ./a *\nuse ./a default\nthing\n//- a.note\n");
    let workspace = project.workspace(DetailLevel::Links);
    let carried = |name: &str| -> Vec<usize> {
        workspace.importers("a.note").iter().filter(|importer| importer.may_carry(name)).map(|i| i.index).collect()
    };
    assert_eq!(carried("x"), [0, 1, 2, 3], "the default export may be an object with `x`");
    assert_eq!(carried("x.deep"), [0, 1, 2], "a link names the first segment only");
    assert_eq!(carried("thing"), [1, 2, 3]);
    assert_eq!(carried("other"), [1, 2]);
}

#[test]
fn unchanged_files_are_not_read_again() {
    let project = Project::new(SHOP);
    let first = project.workspace(DetailLevel::Names);
    project.asked(&[]);
    assert!(Arc::ptr_eq(&first, &project.workspace(DetailLevel::Names)));
    assert!(Arc::ptr_eq(&first, &project.workspace(DetailLevel::Links)), "an index with more detail is reused");
    assert_eq!(project.asked(&["open", "read", "resolve"]), [""; 0]);
}

#[test]
fn only_changed_files_are_read_again() {
    let project = Project::new(SHOP);
    project.workspace(DetailLevel::Names);
    project.asked(&[]);
    project.write("sub/c.note", "use ../a\n");
    let workspace = project.workspace(DetailLevel::Names);
    assert_eq!(project.asked(&["open", "resolve"]), ["open sub/c.note", "resolve sub/c.note"]);
    assert!(links(&workspace).contains("sub/c.note ../a [] -> nothing at sub/../a\n"));
}

#[test]
fn touched_file_is_read_but_not_parsed() {
    let project = Project::new(SHOP);
    project.workspace(DetailLevel::Names);
    project.asked(&[]);
    project.write("sub/c.note", "use ../x\n");
    project.workspace(DetailLevel::Names);
    assert_eq!(project.asked(&["read", "links", "facts", "resolve"]), ["read sub/c.note"]);
}

#[test]
fn recently_modified_file_is_read_again() {
    let project = Project::new("\n//- a.note\nuse ./b\n//- b.note\n");
    project.write_now("a.note", "use ./c\n");
    assert_eq!(links(&project.workspace(DetailLevel::Links)), "a.note ./c [] -> nothing at c\n");
    project.write_now("a.note", "use ./b\n");
    assert_eq!(links(&project.workspace(DetailLevel::Links)), "a.note ./b [] -> b.note\n", "equal size and time");
    project.asked(&[]);
    project.workspace(DetailLevel::Links);
    assert_eq!(project.asked(&["read"]), ["read a.note"]);
}

#[test]
fn new_and_deleted_files_re_resolve_matching_links() {
    let project = Project::new(SHOP);
    project.workspace(DetailLevel::Links);
    project.asked(&[]);
    project.write("gone.note", "");
    assert!(links(&project.workspace(DetailLevel::Links)).contains("a.note ./gone [] -> gone.note\n"));
    assert_eq!(project.asked(&["resolve"]), ["resolve a.note"]);
    project.remove("gone.note");
    assert!(links(&project.workspace(DetailLevel::Links)).contains("a.note ./gone [] -> nothing at gone\n"));
    project.asked(&[]);
    project.write("unrelated.note", "");
    project.workspace(DetailLevel::Links);
    assert_eq!(project.asked(&["resolve"]), [""; 0]);
}

#[test]
fn changed_configuration_re_resolves_links() {
    let project = Project::new(SHOP);
    project.workspace(DetailLevel::Links);
    project.write("aliases.note", "@help = a.note\n");
    assert!(links(&project.workspace(DetailLevel::Links)).contains("b.note @help [] -> a.note\n"));
    project.remove("aliases.note");
    assert!(links(&project.workspace(DetailLevel::Links)).contains("b.note @help [] -> outside\n"));
    project.write("aliases.note", "@help = b.note\n");
    assert!(links(&project.workspace(DetailLevel::Links)).contains("b.note @help [] -> b.note\n"));
}

#[test]
fn changed_ignored_configuration_re_resolves_links() {
    let project = Project::new(SHOP);
    project.ignore("aliases.note");
    assert!(links(&project.workspace(DetailLevel::Links)).contains("b.note @help [] -> sub/c.note\n"));
    project.write("aliases.note", "@help = a.note\n");
    assert!(links(&project.workspace(DetailLevel::Links)).contains("b.note @help [] -> a.note\n"));
}

#[test]
fn higher_need_adds_to_known_facts() {
    let project = Project::new("\n//- a.note\nuse ./b x\ndef y\nshared s\nfree f\n");
    let workspace = project.workspace(DetailLevel::Links);
    assert_eq!(workspace.file("a.note").unwrap().names, None);
    assert_eq!(project.asked(&["links", "facts", "outline"]), ["links a.note"]);
    let names = project.workspace(DetailLevel::Names).file("a.note").unwrap().names.clone().unwrap();
    assert_eq!((names.exports, names.shared, names.free), (vec!["y".into()], vec![noted("s")], vec![noted("f")]));
    assert_eq!(names.imports, [("./b".to_owned(), "x".to_owned(), None)]);
    assert_eq!(project.asked(&["links", "facts", "outline"]), ["facts a.note"]);
    let workspace = project.workspace(DetailLevel::Symbols);
    let symbols = workspace.file("a.note").unwrap().symbols.as_ref().unwrap();
    assert_eq!((symbols[0].name.as_str(), symbols[0].position), ("y", (2, 4)));
    assert_eq!(project.asked(&["links", "facts", "outline"]), ["outline a.note"]);
}

#[test]
fn unreadable_file_is_reported_and_retried() {
    let project = Project::new("\n//- a.note\nbroken\n//- b.note\nuse ./a\n");
    for _ in 0..2 {
        let workspace = project.workspace(DetailLevel::Links);
        assert_eq!(workspace.skipped.len(), 1);
        assert_eq!(workspace.skipped[0].0, "a.note");
        assert!(workspace.skipped[0].1.contains("cannot open a.note"), "{}", workspace.skipped[0].1);
        assert_eq!(links(&workspace), "b.note ./a [] -> a.note\n", "the other files are indexed");
    }
    project.write("a.note", "use ./b\n");
    let workspace = project.workspace(DetailLevel::Links);
    assert!(workspace.skipped.is_empty());
    assert_eq!(links(&workspace), "a.note ./b [] -> b.note\nb.note ./a [] -> a.note\n");
}

#[test]
fn cancelled_call_keeps_the_known_index() {
    let project = Project::new(SHOP);
    let before = project.workspace(DetailLevel::Links);
    project.write("a.note", "use ./b\n");
    let work = Work::default();
    work.cancel();
    let failed = project.graph.workspace(&project.files, project.packs.as_ref(), DetailLevel::Links, &work);
    assert_eq!(failed.err().unwrap().kind(), Kind::Cancelled);
    let after = project.workspace(DetailLevel::Links);
    assert_ne!(links(&before), links(&after));
    assert!(links(&after).starts_with("a.note ./b [] -> b.note\nb.note"));
}

#[test]
fn index_is_loaded_by_another_process() {
    let fixture: String = (0..60).map(|n| format!("//- f{n}.note\nuse ./f{} x\n", n + 1)).collect();
    let project = Project::new(&format!("\n{fixture}"));
    let here = links(&project.workspace(DetailLevel::Names));
    project.asked(&[]);
    let other =
        |need| project.other_process().workspace(&project.files, project.packs.as_ref(), need, &Work::default());
    assert_eq!(links(&other(DetailLevel::Names).unwrap()), here);
    assert_eq!(project.asked(&["open", "resolve"]), [""; 0]);
    project.write("f7.note", "use ./f1\n");
    assert!(links(&other(DetailLevel::Names).unwrap()).contains("f7.note ./f1 [] -> f1.note\n"));
    assert_eq!(project.asked(&["open", "resolve"]), ["open f7.note", "resolve f7.note"]);
    other(DetailLevel::Symbols).unwrap();
    assert_eq!(project.asked(&["facts"]), ["facts f7.note"], "the other entries stay valid");
}

#[test]
fn unreadable_index_is_rebuilt() {
    let fixture: String = (0..60).map(|n| format!("//- f{n}.note\n")).collect();
    let project = Project::new(&format!("\n{fixture}"));
    project.workspace(DetailLevel::Links);
    let kept = project.index_files();
    assert_eq!(kept.len(), 1, "a root has one index file");
    let whole = std::fs::read(&kept[0]).unwrap();
    for damage in [&b""[..], b"no index", &whole[..whole.len() / 2]] {
        std::fs::write(&kept[0], damage).unwrap();
        project.asked(&[]);
        let graph = project.other_process();
        let found =
            graph.workspace(&project.files, project.packs.as_ref(), DetailLevel::Links, &Work::default()).unwrap();
        assert_eq!(found.files().count(), 60);
        assert_eq!(project.asked(&["open"]).len(), 60);
    }
}

#[test]
fn new_pack_version_reads_files_again() {
    let project = Project::new("\n//- a.note\nuse ./b\n");
    assert_eq!(project.workspace(DetailLevel::Links).file("a.note").unwrap().engine, "notes 1");
    project.notes.replace("2");
    project.asked(&[]);
    assert_eq!(project.workspace(DetailLevel::Links).file("a.note").unwrap().engine, "notes 2");
    assert_eq!(project.asked(&["links"]), ["links a.note"], "a new pack version reads the same text again");
}

#[test]
fn word_search_covers_files_with_names() {
    let project = Project::new("\n//- a.note\nfree alpha\n//- b.note\nfree alphabet\n//- c.txt\nalpha\n");
    let workspace = project.workspace(DetailLevel::Names);
    assert_eq!(workspace.files_containing(&project.files, &["alpha"]), ["a.note"], "`alphabet` is another word");
    assert_eq!(workspace.files_containing(&project.files, &["alphabet"]), ["b.note"]);
    assert!(workspace.files_containing(&project.files, &["beta"]).is_empty());
    let may: Vec<&str> = workspace.may_mention("alphabet").map(|entry| entry.path.as_str()).collect();
    assert!(may.contains(&"b.note") && !may.contains(&"c.txt"), "{may:?}");
}

#[test]
fn parallel_map_keeps_the_order() {
    let items: Vec<usize> = (0..1000).collect();
    assert_eq!(parallel_map(&items, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
    assert!(parallel_map(&[], |item: &usize| *item).is_empty());
    let counted = parallel_map_with(
        &items,
        || 0,
        |seen, item| {
            *seen += 1;
            (*item, *seen)
        },
    );
    assert!(counted.iter().map(|(item, _)| *item).eq(items.iter().copied()));
    let each_alone = counted.iter().filter(|(_, seen)| *seen == 1).count();
    assert!((1..=std::thread::available_parallelism().map_or(1, usize::from)).contains(&each_alone), "{each_alone}");
}

#[test]
fn progress_reports_reading_and_resolving() {
    let fixture: String = (0..500).map(|n| format!("//- f{n}.note\nuse ./f1\n")).collect();
    let project = Project::new(&format!("\n{fixture}"));
    let work = Work::default();
    let reports: Arc<std::sync::Mutex<usize>> = Arc::default();
    let ears = Arc::clone(&reports);
    work.listen(move |progress| {
        let mut most = ears.lock().unwrap();
        *most = progress.all_done.max(*most);
    });
    project.graph.workspace(&project.files, project.packs.as_ref(), DetailLevel::Links, &work).unwrap();
    assert!(*reports.lock().unwrap() <= 1_000, "each file has at most two steps");
}
