//! Questions to many files: what is asked, what is answered from the cache, and cancellation.

use std::sync::Arc;

use crate::common::{Project, member, private_member};
use marquetry_graph::{Count, CountKey, DetailLevel, Graph, Survey};
use marquetry_model::{
    Kind, Work,
    pack::{Member, Subject},
    ports::EntryKind,
};

/// `box` has the member `size`; two files use it, one uses `size` of an unknown value, and one does not contain it.
const BOXES: &str = "
//- box.note
def box
box.size
//- near.note
use ./box
box.size
//- far.note
use ./deep/other
box.size
//- deep/other.note
def bag
bag.size
//- none.note
use ./box
box.weight
//- page.txt
box.size
";

const ALL: [&str; 6] = ["box.note", "deep/other.note", "far.note", "near.note", "none.note", "page.txt"];

/// The answer of every file to a rename, and the files that were really asked.
fn renamed(project: &Project, subject: &Subject, new_name: &str) -> (String, Vec<String>) {
    project.asked(&[]);
    let survey = project.survey(&Work::default());
    let answer = |path: &&str| match survey.rename(path, subject, new_name) {
        Ok(None) => format!("{path}: -\n"),
        Ok(Some(answer)) => {
            let edits: Vec<usize> = answer.edits.as_slice().iter().map(|edit| edit.span.start).collect();
            let left: Vec<usize> = answer.unresolved.iter().map(|span| span.start).collect();
            format!("{path}: {edits:?} {left:?}\n")
        }
        Err(error) => format!("{path}: {}\n", error.content().message),
    };
    let shown = ALL.iter().map(answer).collect();
    (shown, project.asked(&["rename"]))
}

const ANSWERS: &str = "\
box.note: [12] []
deep/other.note: [12] []
far.note: [] [21]
near.note: [14] []
none.note: -
page.txt: -
";

fn shown(survey: &Survey, path: &str, subject: &Subject) -> Vec<(usize, bool)> {
    let found = survey.resolve(path, subject).unwrap();
    let occurrences = found.iter().flat_map(|found| &found.occurrences);
    occurrences.map(|occurrence| (occurrence.span.start, occurrence.certain)).collect()
}

#[test]
fn survey_asks_each_file_once() {
    let project = Project::new(BOXES);
    let subject = member("size", "box.note");
    let asked = ["rename box.note", "rename deep/other.note", "rename far.note", "rename near.note"];
    let (answers, first) = renamed(&project, &subject, "extent");
    assert_eq!(
        (answers.as_str(), first),
        (ANSWERS, asked.map(str::to_owned).to_vec()),
        "`none.note` does not contain the name"
    );
    assert_eq!(renamed(&project, &subject, "extent"), (ANSWERS.to_owned(), vec![]));
}

#[test]
fn file_without_occurrence_is_not_asked_for_a_new_name() {
    let project = Project::new("\n//- a.note\ndef a\na.size\n//- b.note\nfree size\n");
    let subject = member("size", "a.note");
    let survey = project.survey(&Work::default());
    for path in ["a.note", "b.note"] {
        survey.rename(path, &subject, "extent").unwrap();
    }
    assert_eq!(project.asked(&["rename"]), ["rename a.note", "rename b.note"]);
    for path in ["a.note", "b.note"] {
        survey.rename(path, &subject, "width").unwrap();
        survey.resolve(path, &subject).unwrap();
    }
    assert_eq!(project.asked(&["rename", "uses"]), ["rename a.note", "uses a.note"]);
}

#[test]
fn members_of_the_same_name_are_cached_separately() {
    let project = Project::new(BOXES);
    let survey = project.survey(&Work::default());
    assert_eq!(shown(&survey, "near.note", &member("size", "box.note")), [(14, true)]);
    project.asked(&[]);
    assert_eq!(shown(&survey, "near.note", &member("size", "deep/other.note")), [(14, true)]);
    assert_eq!(project.asked(&["uses"]), ["uses near.note"]);
}

#[test]
fn private_members_ask_only_files_with_their_forms() {
    let project = Project::new("\n//- a.note\ndef a\na.size\n//- b.note\nb.size\n//- c.note\nfree [size]\nc.size\n");
    let survey = project.survey(&Work::default());
    let subject = private_member("size", "a.note", &["[size]", "'size'"]);
    let found = ["a.note", "b.note", "c.note"].map(|path| shown(&survey, path, &subject));
    assert_eq!(found, [vec![(8, true)], vec![], vec![(14, false)]], "the declaring file needs no form");
    assert_eq!(project.asked(&["uses"]), ["uses a.note", "uses c.note"]);
}

#[test]
fn edit_asks_only_dependent_files_again() {
    let project = Project::new(BOXES);
    let subject = member("size", "box.note");
    renamed(&project, &subject, "extent");
    project.write("none.note", "use ./box\nbox.height\n");
    assert_eq!(renamed(&project, &subject, "extent"), (ANSWERS.to_owned(), vec![]), "no answer depends on the file");
    project.write("deep/other.note", "def bag\ndef box\nbag.size\n");
    let (answers, asked) = renamed(&project, &subject, "extent");
    assert_eq!(asked, ["rename deep/other.note", "rename far.note"]);
    assert!(answers.contains("far.note: [21] []\n"), "`far.note` can resolve `box` now: {answers}");
}

#[test]
fn new_or_deleted_file_asks_dependent_files_again() {
    let project = Project::new(BOXES);
    let subject = member("size", "box.note");
    renamed(&project, &subject, "extent");
    project.write("deep/new.note", "");
    let (answers, asked) = renamed(&project, &subject, "extent");
    assert_eq!((answers.as_str(), asked.len()), (ANSWERS, 4), "a link may resolve to the new file");
    project.remove("deep/other.note");
    let (answers, _) = renamed(&project, &subject, "extent");
    assert!(answers.contains("deep/other.note: no `deep/other.note`\n"), "{answers}");
}

#[test]
fn change_outside_of_the_walk_asks_dependent_files_again() {
    let project = Project::new("\n//- a.note\nuse ./out/b\nbox.size\n");
    let subject = member("size", "a.note");
    assert_eq!(shown(&project.survey(&Work::default()), "a.note", &subject), [(16, false)]);
    project.ignore("out/b.note");
    project.write("out/b.note", "def box\n");
    assert_eq!(shown(&project.survey(&Work::default()), "a.note", &subject), [(16, true)], "the file exists");
    project.write("out/b.note", "def bag\n");
    assert_eq!(shown(&project.survey(&Work::default()), "a.note", &subject), [(16, false)], "the text changed");
    project.asked(&[]);
    assert_eq!(shown(&project.survey(&Work::default()), "a.note", &subject), [(16, false)]);
    assert_eq!(project.asked(&["uses"]), [""; 0]);
}

#[test]
fn errors_are_not_cached() {
    let project = Project::new("\n//- a.note\ndef a\na.size\nrefuse\n");
    let subject = member("size", "a.note");
    let survey = project.survey(&Work::default());
    for _ in 0..2 {
        assert_eq!(survey.rename("a.note", &subject, "extent").unwrap_err().kind(), Kind::RefactorFailed);
        assert_eq!(project.asked(&["rename"]), ["rename a.note"]);
    }
}

#[test]
fn reloaded_plugin_is_asked_again() {
    let project = Project::new(BOXES);
    let subject = member("size", "box.note");
    renamed(&project, &subject, "extent");
    project.notes.replace("1");
    let (answers, asked) = renamed(&project, &subject, "extent");
    assert_eq!((answers.as_str(), asked.len()), (ANSWERS, 4), "the reloaded plugin may answer differently");
}

#[test]
fn answers_about_any_subject_are_cached() {
    let project = Project::new("\n//- a.note\ndef a\na.size\n");
    let survey = project.survey(&Work::default());
    for subject in [Subject::Address("size".to_owned()), Subject::Exported("size".to_owned())] {
        project.asked(&[]);
        for _ in 0..2 {
            assert_eq!(shown(&survey, "a.note", &subject), [(8, true)]);
        }
        assert_eq!(project.asked(&["uses"]), ["uses a.note"]);
    }
}

#[test]
fn texts_and_folders_are_read_once() {
    let project = Project::new(BOXES);
    let survey = project.survey(&Work::default());
    project.asked(&[]);
    let files = survey.files();
    for _ in 0..3 {
        assert_eq!(&*files.read("box.note").unwrap().text, "def box\nbox.size\n");
        assert_eq!(files.stat("box.note"), Some(EntryKind::File));
        assert_eq!(files.stat("deep"), Some(EntryKind::Directory));
        assert_eq!(files.stat("no/such"), None);
        assert_eq!(files.entries("deep"), [("other.note".to_owned(), EntryKind::File)]);
        assert_eq!(files.entries("no"), []);
        assert!(files.version("near.note").is_some());
        assert_eq!(files.version("no/such"), None);
    }
    // A missing file is not read to find out its version. A path in a missing folder is answered from the folder.
    let asked = project.asked(&["read", "stat", "entries"]);
    assert_eq!(asked, ["entries no", "read box.note", "stat no"]);
}

#[test]
fn same_version_implies_same_text() {
    let project = Project::new(BOXES);
    let version = |path: &str| project.survey(&Work::default()).files().version(path).unwrap();
    let before = version("near.note");
    assert_eq!(before, version("near.note"));
    assert_ne!(before, version("box.note"));
    project.write("near.note", "use ./box\n");
    assert_ne!(before, version("near.note"));
    project.write("near.note", "use ./box\nbox.size\n");
    assert_eq!(before, version("near.note"), "the version depends on the content");
    assert_eq!(before, project.files.read("near.note").unwrap().version(), "the files on disk agree");
}

#[test]
fn same_layout_implies_same_paths() {
    let project = Project::new(BOXES);
    let layout = || project.survey(&Work::default()).files().layout();
    let before = layout();
    project.write("near.note", "use ./box\n");
    assert_eq!(before, layout(), "texts do not change the layout");
    project.write("new.note", "");
    let after = layout();
    assert_ne!(before, after);
    let survey = project.survey(&Work::default());
    assert_eq!(survey.files().stat("hidden/x.note"), None);
    assert_eq!(after, layout());
    project.ignore("hidden/x.note");
    project.write("hidden/x.note", "");
    assert_ne!(after, layout(), "a requested file is part of the layout");
    assert_ne!(project.files.layout(), project.files.layout(), "unknown layouts are never equal");
}

#[test]
fn cancelled_call_stops_asking() {
    let project = Project::new(BOXES);
    let work = Work::default();
    let survey = project.survey(&work);
    let subject = member("size", "box.note");
    survey.rename("box.note", &subject, "extent").unwrap();
    assert!(!survey.files().work().unwrap().is_cancelled(), "the work of the call is accessible");
    work.cancel();
    assert!(survey.files().work().unwrap().is_cancelled());
    assert_eq!(survey.rename("box.note", &subject, "extent").unwrap_err().kind(), Kind::Cancelled);
    assert_eq!(survey.resolve("near.note", &subject).unwrap_err().kind(), Kind::Cancelled);
    assert!(project.files.work().is_none(), "files without a call");
}

#[test]
fn survey_of_few_files_needs_no_index() {
    let project = Project::new(BOXES);
    let survey = Survey::without_index(&project.files, &project.packs, &Work::default());
    let subject = member("size", "box.note");
    for _ in 0..2 {
        assert_eq!(shown(&survey, "near.note", &subject), [(14, true)]);
        assert_eq!(
            project.asked(&["uses", "links", "facts"]),
            ["uses near.note"],
            "without an index, no answer is cached"
        );
    }
    assert!(survey.resolve("page.txt", &subject).unwrap().is_none());
}

#[test]
fn threads_get_the_same_answers() {
    let fixture: String = (0..200).map(|n| format!("//- f{n}.note\nuse ./f{}\ndef box\nbox.size\n", n / 2)).collect();
    let project = Project::new(&format!("\n{fixture}"));
    let subject = member("size", "f0.note");
    let survey = project.survey(&Work::default());
    let paths: Vec<String> = (0..200).map(|n| format!("f{n}.note")).collect();
    let ask = |path: &String| Arc::clone(&survey.rename(path, &subject, "extent").unwrap().unwrap());
    let first = marquetry_graph::parallel_map(&paths, ask);
    project.asked(&[]);
    let again = marquetry_graph::parallel_map(&paths, ask);
    assert!(first.iter().zip(&again).all(|(a, b)| Arc::ptr_eq(a, b)));
    assert_eq!(project.asked(&["rename", "read"]), [""; 0]);
}

#[test]
fn unrelated_files_are_far() {
    let project = Project::new(BOXES);
    let survey = project.survey(&Work::default());
    let workspace = project.workspace(DetailLevel::Names);
    let naming = |subject: &Subject| match subject {
        Subject::Member(member) => workspace.member_files(&survey.files(), member),
        _ => unreachable!("it is declared"),
    };
    let found = naming(&member("size", "box.note"));
    assert_eq!(found.related, ["box.note", "near.note"]);
    assert_eq!(
        found.unrelated,
        ["deep/other.note", "far.note"],
        "`none.note` does not contain the name, and no pack handles `page.txt`"
    );
    let found = naming(&member("size", "beyond.note"));
    assert_eq!(
        (found.related.len(), found.unrelated.len()),
        (4, 0),
        "any file may reference a declaration outside of the index"
    );
    let found = naming(&private_member("size", "box.note", &["[size]"]));
    assert_eq!((found.related, found.unrelated.len()), (vec!["box.note".to_owned()], 0));
}

#[test]
fn empty_answers_are_loaded_by_another_process() {
    let fixture: String = (0..80).map(|n| format!("//- f{n}.note\nuse ./out/x\n//- g{n}.note\nfree size\n")).collect();
    let project = Project::new(&format!("\n//- a.note\ndef a\na.size\n{fixture}"));
    project.ignore("out/x.note");
    let nobody = Subject::Member(Member { name: "size".to_owned(), ..Member::default() });
    let ask_all = |graph: &Graph| {
        let workspace =
            graph.workspace(&project.files, project.packs.as_ref(), DetailLevel::Names, &Work::default()).unwrap();
        let survey = graph.survey(&project.files, &project.packs, &workspace, &Work::default());
        project.asked(&[]);
        for n in 0..80 {
            survey.rename(&format!("g{n}.note"), &nobody, "extent").unwrap();
            survey.rename(&format!("f{n}.note"), &nobody, "extent").unwrap();
        }
        survey.rename("a.note", &nobody, "extent").unwrap();
        let asked = project.asked(&["rename"]);
        graph.keep_answers(&project.files, &survey);
        asked
    };
    assert_eq!(ask_all(&project.graph).len(), 81, "the other files do not contain the name");
    assert_eq!(ask_all(&project.other_process()), ["rename a.note"], "another process reuses the stored answers");
    project.write("g7.note", "free size\nb.size\n");
    assert_eq!(ask_all(&project.other_process()), ["rename a.note", "rename g7.note"]);
    assert_eq!(ask_all(&project.other_process()), ["rename a.note", "rename g7.note"]);
    project.write("out/x.note", "def x\n");
    assert_eq!(ask_all(&project.other_process()).len(), 81, "a link may resolve to the ignored file");
    project.write("new.note", "");
    assert_eq!(ask_all(&project.other_process()).len(), 81, "a link may resolve to the new file");
}

#[test]
fn count_is_valid_until_a_dependency_changes() {
    let project = Project::new("\n//- a.note\nuse ./out/b\nbox.size\n//- c.note\ndef box\n");
    project.ignore("out/b.note");
    let place = || CountKey { path: "a.note".to_owned(), hash: "1".to_owned(), offset: 16 };
    let count = Count { uses: 7, incomplete: None };
    let counted = || project.survey(&Work::default()).usage_count(&place());
    let keep = || {
        let survey = project.survey(&Work::default());
        // Resolving a name reads texts outside of the walk, so the count depends on them.
        shown(&survey, "a.note", &member("size", "a.note"));
        survey.store_count(place(), &count);
    };
    assert_eq!(counted(), None);
    let changes: [(&str, &dyn Fn()); 5] = [
        ("a text outside of the walk appears", &|| project.write("out/b.note", "def box\n")),
        ("that text changes", &|| project.write("out/b.note", "def bag\n")),
        ("a walked text changes", &|| project.write("c.note", "def bag\n")),
        ("a walked file is added", &|| project.write("d.note", "box.size\n")),
        ("that file is deleted", &|| project.remove("d.note")),
    ];
    for (what, change) in changes {
        keep();
        assert_eq!(counted().as_ref(), Some(&count), "before {what}");
        assert_eq!(project.survey(&Work::default()).usage_count(&CountKey { offset: 3, ..place() }), None);
        change();
        assert_eq!(counted(), None, "{what}");
    }
    let survey = Survey::without_index(&project.files, &project.packs, &Work::default());
    survey.store_count(place(), &count);
    assert_eq!(survey.usage_count(&place()), None, "nothing is stored without an index");
}
