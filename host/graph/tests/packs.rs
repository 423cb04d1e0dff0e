//! Packs that are installed, removed, replaced or fail: whose answers the index uses, and what it contains without a
//! pack.

use crate::common::{Project, links, workspace_text};
use marquetry_graph::{DetailLevel, Graph, Target, Workspace};
use marquetry_model::{
    Work,
    pack::{Member, Subject},
};

fn new_index_text(project: &Project) -> String {
    let workspace =
        Graph::new(None).workspace(&project.files, project.packs.as_ref(), DetailLevel::Symbols, &Work::default());
    workspace_text(&workspace.unwrap())
}

fn engine(workspace: &Workspace, path: &str) -> String {
    workspace.file(path).unwrap().engine.clone()
}

#[test]
fn installed_pack_reads_its_files() {
    let project = Project::new("\n//- a.note\nuse ./b.card\n//- b.card\nuse ./a\ndef x\n//- c.txt\ndef x\n");
    assert_eq!(engine(&project.workspace(DetailLevel::Symbols), "b.card"), "notes 1");
    project.notes.install(".card");
    project.asked(&[]);
    let workspace = project.workspace(DetailLevel::Symbols);
    assert_eq!(engine(&workspace, "b.card"), "other 1");
    assert_eq!(links(&workspace), "a.note ./b.card [] -> b.card\nb.card ./a [] -> a.note\n");
    assert_eq!(project.asked(&["open"]), ["open b.card"], "files of other packs are not read again");
    assert_eq!(workspace_text(&workspace), new_index_text(&project));
    // The same packs are installed, but the second one reads other files now.
    project.notes.install(".txt");
    let workspace = project.workspace(DetailLevel::Symbols);
    assert_eq!((engine(&workspace, "b.card"), engine(&workspace, "c.txt")), ("notes 1".into(), "other 1".into()));
    assert_eq!(workspace_text(&workspace), new_index_text(&project));
    project.notes.uninstall();
    assert_eq!(workspace_text(&project.workspace(DetailLevel::Symbols)), new_index_text(&project));
}

#[test]
fn installed_pack_reads_files_that_had_no_pack() {
    let project = Project::new("\n//- a.note\nuse ./b.bin\n//- b.bin\nuse ./a\n");
    let workspace = project.workspace(DetailLevel::Names);
    assert_eq!((engine(&workspace, "b.bin").as_str(), workspace.skipped.len()), ("", 0));
    project.notes.install(".bin");
    assert_eq!(engine(&project.workspace(DetailLevel::Names), "b.bin"), "other 1");
    assert_eq!(workspace_text(&project.workspace(DetailLevel::Symbols)), new_index_text(&project));
}

#[test]
fn pack_installed_between_processes_reads_its_files() {
    let fixture: String = (0..60).map(|n| format!("//- f{n}.card\nuse ./f{}.card\n", n + 1)).collect();
    let project = Project::new(&format!("\n{fixture}"));
    project.workspace(DetailLevel::Names);
    project.notes.install(".card");
    let other = project.other_process();
    let workspace =
        other.workspace(&project.files, project.packs.as_ref(), DetailLevel::Symbols, &Work::default()).unwrap();
    assert_eq!(links(&workspace).lines().count(), 60, "the index on disk records which pack read a file");
    assert_eq!(workspace_text(&workspace), new_index_text(&project));
}

#[test]
fn failed_link_resolution_is_reported_until_it_succeeds() {
    let project = Project::new("\n//- a.note\nuse ./b\nuse !x\n//- b.note\n//- c.note\n");
    let named = |workspace: &Workspace| -> Vec<String> {
        workspace.skipped.iter().map(|(path, why)| format!("{path}: {why}")).collect()
    };
    for change in ["", "def x\n", "def x\ndef y\n"] {
        project.write("c.note", change);
        for need in [DetailLevel::Links, DetailLevel::Symbols] {
            let workspace = project.workspace(need);
            assert_eq!(named(&workspace).len(), 1, "{change:?} {need:?}");
            assert!(named(&workspace)[0].starts_with("a.note: ") && named(&workspace)[0].contains("cannot follow"));
            let targets = workspace.file("a.note").unwrap().targets.clone().unwrap();
            assert!(matches!(targets.as_slice(), [Target::Unknown(_), Target::Unknown(_)]), "both targets are unknown");
            assert!(workspace.importers("b.note").is_empty());
        }
    }
    project.write("a.note", "use ./b\n");
    let workspace = project.workspace(DetailLevel::Links);
    assert_eq!((named(&workspace).len(), workspace.importers("b.note").len()), (0, 1));
}

#[test]
fn resolution_and_read_failures_are_both_reported() {
    let project = Project::new("\n//- a.note\nuse !x\n//- b.note\nbroken\n//- c.note\nuse ./a\nuse ./b\n");
    let workspace = project.workspace(DetailLevel::Names);
    let mut named: Vec<&str> = workspace.skipped.iter().map(|(path, _)| path.as_str()).collect();
    named.sort_unstable();
    assert_eq!(named, ["a.note", "b.note"]);
    assert_eq!(links(&workspace).lines().last(), Some("c.note ./b [] -> b.note"), "the index contains both files");
    project.remove("b.note");
    assert_eq!(project.workspace(DetailLevel::Names).skipped.len(), 1, "a deleted file is not reported");
}

#[test]
fn file_deleted_after_the_walk_can_reappear() {
    let project = Project::new("\n//- a.note\nuse ./b\n//- b.note\nuse ./a\ndef x\n");
    project.vanish(&["b.note"]);
    let workspace = project.workspace(DetailLevel::Symbols);
    assert_eq!(links(&workspace), "a.note ./b [] -> b.note\n");
    assert!(workspace.skipped.is_empty(), "a missing file is not a failure");
    project.vanish(&[]);
    assert_eq!(links(&project.workspace(DetailLevel::Symbols)), "a.note ./b [] -> b.note\nb.note ./a [] -> a.note\n");
    assert_eq!(workspace_text(&project.workspace(DetailLevel::Symbols)), new_index_text(&project));
}

#[test]
fn configuration_deleted_after_the_walk_is_noticed() {
    let project = Project::new("\n//- a.note\nuse @x\n//- b.note\n//- aliases.note\n@x = b.note\n");
    project.vanish(&["aliases.note"]);
    assert_eq!(links(&project.workspace(DetailLevel::Links)), "a.note @x [] -> outside\n");
    project.vanish(&[]);
    assert_eq!(links(&project.workspace(DetailLevel::Links)), "a.note @x [] -> b.note\n");
}

#[test]
fn facts_of_files_without_names_ignore_call_order() {
    const TEXTS: &str = "\n//- a.note\nfree word\n//- b.txt\ndef word\n";
    let asked = |needs: &[DetailLevel]| {
        let project = Project::new(TEXTS);
        needs.iter().for_each(|need| _ = project.workspace(*need));
        let workspace = project.workspace(*needs.last().unwrap());
        let symbols = workspace.file("b.txt").unwrap().symbols.as_ref().map_or(0, Vec::len);
        let may: Vec<String> = workspace.may_mention("word").map(|entry| entry.path.clone()).collect();
        (symbols, may, workspace.files_containing(&project.files, &["word"]))
    };
    let (links, names, symbols) =
        (asked(&[DetailLevel::Links]), asked(&[DetailLevel::Names]), asked(&[DetailLevel::Symbols]));
    assert_eq!((links.1.as_slice(), &links.1, &links.2), (["a.note".to_owned()].as_slice(), &names.1, &names.2));
    assert_eq!((symbols.0, &symbols.1, &symbols.2), (1, &links.1, &links.2), "`b.txt` has symbols, but no names");
    assert_eq!(asked(&[DetailLevel::Links, DetailLevel::Symbols]), symbols);
    assert_eq!(asked(&[DetailLevel::Names, DetailLevel::Links, DetailLevel::Symbols]), symbols);
    assert_eq!(asked(&[DetailLevel::Symbols, DetailLevel::Names]), symbols, "details are kept");
}

#[test]
fn answers_of_replaced_packs_are_dropped() {
    let fixture: String = (0..80).map(|n| format!("//- f{n}.note\nfree size\n")).collect();
    let project = Project::new(&format!("\n{fixture}"));
    let nobody = Subject::Member(Member { name: "size".to_owned(), ..Member::default() });
    let asked_by = |graph: &Graph| {
        let workspace =
            graph.workspace(&project.files, project.packs.as_ref(), DetailLevel::Names, &Work::default()).unwrap();
        let survey = graph.survey(&project.files, &project.packs, &workspace, &Work::default());
        project.asked(&[]);
        for n in 0..80 {
            survey.resolve(&format!("f{n}.note"), &nobody).unwrap();
        }
        (project.asked(&["uses"]).len(), survey)
    };
    let (first, _) = asked_by(&project.graph);
    project.notes.replace("2");
    // A call with the new pack stores the remaining answers.
    let workspace = project.workspace(DetailLevel::Names);
    let survey = project.graph.survey(&project.files, &project.packs, &workspace, &Work::default());
    project.graph.keep_answers(&project.files, &survey);
    assert_eq!((first, asked_by(&project.other_process()).0), (80, 80), "version 2 has not answered yet");
    let (again, survey) = asked_by(&project.graph);
    project.graph.keep_answers(&project.files, &survey);
    assert_eq!((again, asked_by(&project.other_process()).0), (80, 0));
    project.notes.replace("1");
    assert_eq!(asked_by(&project.other_process()).0, 80, "answers of version 2 are not used for version 1");
}
