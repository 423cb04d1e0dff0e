//! Five thousand files: the cost of a change, and completeness of answers.

use crate::common;

use crate::common::{Project, member};
use marquetry_graph::{Count, CountKey, DetailLevel, Graph};
use marquetry_model::Work;

const FILES: usize = 5_000;

/// Folders of a hundred files. Each file uses the next one of its folder, the first file of the previous folder, and
/// `all`.
fn many() -> Project {
    let file = |n: usize| {
        let (folder, own) = (n / 100, n % 100);
        let before = folder.saturating_sub(1);
        format!(
            "//- d{folder}/f{own}.note\nuse ./f{}\nuse ./../d{before}/f0\nuse @all all\ndef n{n}\nall.size\n",
            own + 1
        )
    };
    let files: String = (0..FILES).map(file).collect();
    Project::new(&format!("\n//- all.note\ndef all\nall.size\n//- aliases.note\n@all = all.note\n{files}"))
}

#[test]
fn update_cost_depends_on_the_change() {
    let project = many();
    project.workspace(DetailLevel::Names);
    project.asked(&[]);
    let asked = |project: &Project| {
        project.workspace(DetailLevel::Names);
        project.asked(&["read", "open", "links", "facts", "resolve"])
    };
    assert_eq!(asked(&project), [""; 0], "nothing changed");
    project.touch("d7/f3.note");
    assert_eq!(asked(&project), ["read d7/f3.note"], "only the modification time changed");
    project.write("d7/f3.note", "use ./f9\ndef other\n");
    let of_one = ["facts d7/f3.note", "links d7/f3.note", "open d7/f3.note", "read d7/f3.note"];
    assert_eq!(asked(&project), [of_one.as_slice(), &["resolve d7/f3.note"]].concat(), "one file was edited");
    project.write("d7/unrelated.note", "");
    assert!(asked(&project).iter().all(|line| line.ends_with(" d7/unrelated.note")), "no link refers to the new file");
    project.remove("d7/f50.note");
    let removed = asked(&project);
    // In every folder, one file has a link with this name.
    assert_eq!(removed.len(), FILES / 100, "a file was deleted: {:?}", &removed[..5]);
    assert!(removed.iter().all(|line| line.starts_with("resolve")));
    project.write("aliases.note", "@all = d0/f0.note\n");
    let all = asked(&project);
    assert!(all.iter().filter(|line| line.starts_with("resolve")).count() >= FILES - 1, "every link is resolved again");
    assert_eq!(all.iter().filter(|line| line.starts_with("open")).count(), 1, "only the configuration is read again");
}

#[test]
fn concurrent_callers_get_the_update() {
    let project = many();
    let workspace = project.workspace(DetailLevel::Names);
    assert_eq!(workspace.importers("all.note").len(), FILES);
    assert_eq!(workspace.files_using("all.note", "all").len(), FILES + 1);
    assert_eq!(workspace.files_containing(&project.files, &["size"]).len(), FILES + 1);
    let survey = project.survey(&Work::default());
    let subject = member("size", "all.note");
    let found = workspace.files().filter(|file| survey.resolve(&file.path, &subject).unwrap().is_some()).count();
    assert_eq!(found, FILES + 1, "aliases.note does not contain the name");
    project.asked(&[]);
    for file in workspace.files() {
        survey.resolve(&file.path, &subject).unwrap();
    }
    assert_eq!(project.asked(&["uses"]), [""; 0], "all answers are cached");
}

#[test]
fn another_process_reads_no_unchanged_files() {
    let project = many();
    let here = project.workspace(DetailLevel::Names).importers("all.note").len();
    project.asked(&[]);
    let other = project.other_process();
    let workspace =
        other.workspace(&project.files, project.packs.as_ref(), DetailLevel::Names, &Work::default()).unwrap();
    assert_eq!((workspace.importers("all.note").len(), project.asked(&["read", "open", "resolve"])), (here, vec![]));
}

#[test]
fn count_cache_is_cleared_at_its_limit() {
    let project = Project::new("\n//- a.note\ndef x\n");
    let place = |offset| CountKey { path: "a.note".to_owned(), hash: "1".to_owned(), offset };
    let survey = project.survey(&Work::default());
    for offset in 0..300 {
        survey.store_count(place(offset), &Count { uses: offset, incomplete: None });
    }
    let kept: Vec<usize> = (0..300).filter(|offset| survey.usage_count(&place(*offset)).is_some()).collect();
    assert_eq!(kept, (256..300).collect::<Vec<_>>());
    assert_eq!(survey.usage_count(&place(299)), Some(Count { uses: 299, incomplete: None }));
    assert_eq!(survey.usage_count(&CountKey { hash: "2".to_owned(), ..place(299) }), None, "the text differs");
    survey.store_count(place(299), &Count { uses: 1, incomplete: Some("why".to_owned()) });
    assert_eq!(survey.usage_count(&place(299)).unwrap().incomplete.as_deref(), Some("why"), "the latest count");
}

#[test]
fn cancelled_build_leaves_a_usable_index() {
    let project = many();
    for most in [0, 1, 100, 4_000, 7_000] {
        let work = Work::default();
        let stop = work.clone();
        work.listen(move |progress| {
            if progress.all_done > most {
                stop.cancel();
            }
        });
        let cancelled =
            project.graph.workspace(&project.files, project.packs.as_ref(), DetailLevel::Links, &work).is_err();
        if !cancelled {
            break;
        }
    }
    let found = project.workspace(DetailLevel::Links);
    let fresh =
        Graph::new(None).workspace(&project.files, project.packs.as_ref(), DetailLevel::Links, &Work::default());
    assert_eq!(common::links(&found), common::links(&fresh.unwrap()));
}
