//! Index files on disk: damaged, written for other roots, left behind by killed processes, and written by several
//! processes at once.

use std::{
    fs,
    path::PathBuf,
    sync::{Arc, Barrier},
    time::{Duration, SystemTime},
};

use crate::common::{Project, workspace_text};
use marquetry_graph::{DetailLevel, Graph, stale_indices};
use marquetry_model::{
    Work,
    pack::{Member, Subject},
};

fn sixty() -> Project {
    let fixture: String = (0..60).map(|n| format!("//- f{n}.note\nuse ./f{} x\nfree size\n", n + 1)).collect();
    Project::new(&format!("\n{fixture}"))
}

fn text_of_index(project: &Project, graph: &Graph) -> String {
    workspace_text(
        &graph.workspace(&project.files, project.packs.as_ref(), DetailLevel::Symbols, &Work::default()).unwrap(),
    )
}

/// Asks all files for names that do not occur and stores the answers. Returns the number of files that were really
/// asked.
fn ask_all(project: &Project, graph: &Graph) -> usize {
    let workspace =
        graph.workspace(&project.files, project.packs.as_ref(), DetailLevel::Names, &Work::default()).unwrap();
    let survey = graph.survey(&project.files, &project.packs, &workspace, &Work::default());
    project.asked(&[]);
    for name in ["size", "extent"] {
        let nobody = Subject::Member(Member { name: name.to_owned(), ..Member::default() });
        for n in 0..60 {
            survey.resolve(&format!("f{n}.note"), &nobody).unwrap();
        }
    }
    graph.keep_answers(&project.files, &survey);
    project.asked(&["uses"]).len()
}

fn kept_as(project: &Project, extension: &str) -> PathBuf {
    let is_it = |path: &PathBuf| path.extension().is_some_and(|found| found == extension);
    project.index_files().into_iter().find(is_it).unwrap()
}

#[test]
fn damaged_answers_are_computed_again() {
    let project = sixty();
    assert_eq!(ask_all(&project, &project.graph), 60, "no file contains `extent`");
    assert_eq!(ask_all(&project, &project.other_process()), 0);
    let path = kept_as(&project, "answers");
    let whole = fs::read(&path).unwrap();
    let damages: [(&str, Vec<u8>); 5] = [
        ("empty", vec![]),
        ("shorter than a checksum", whole[..16].to_vec()),
        ("cut in the middle", whole[..whole.len() / 2].to_vec()),
        ("with one bit turned", whole.iter().enumerate().map(|(n, b)| if n == 40 { b ^ 1 } else { *b }).collect()),
        ("an index", fs::read(kept_as(&project, "index")).unwrap()),
    ];
    for (what, damage) in damages {
        fs::write(&path, damage).unwrap();
        assert_eq!(ask_all(&project, &project.other_process()), 60, "{what}");
        assert_eq!(ask_all(&project, &project.other_process()), 0, "{what}: the answers were stored again");
    }
}

#[test]
fn cached_answers_are_separate_per_root() {
    let (one, two) = (sixty(), sixty());
    text_of_index(&one, &one.graph);
    text_of_index(&two, &two.graph);
    two.write("f7.note", "use ./f1\n");
    let expected = text_of_index(&two, &Graph::new(None));
    // Simulates a collision of the file names.
    fs::write(kept_as(&two, "index"), fs::read(kept_as(&one, "index")).unwrap()).unwrap();
    two.asked(&[]);
    assert_eq!(text_of_index(&two, &two.other_process()), expected);
    assert_eq!(two.asked(&["open"]).len(), 60);
}

#[test]
fn file_in_place_of_cache_folder_is_harmless() {
    let project = sixty();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    fs::write(&path, "a file").unwrap();
    for _ in 0..2 {
        assert_eq!(text_of_index(&project, &Graph::new(path.clone())), text_of_index(&project, &Graph::new(None)));
    }
    assert_eq!(fs::read(&path).unwrap(), b"a file");
}

#[test]
fn folder_in_place_of_index_file_is_harmless() {
    let project = sixty();
    text_of_index(&project, &project.graph);
    let path = kept_as(&project, "index");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(text_of_index(&project, &project.other_process()), text_of_index(&project, &Graph::new(None)));
    assert!(path.is_dir());
    assert_eq!(project.index_files(), [path], "no unfinished index file is left behind");
}

#[test]
fn outdated_index_on_disk_is_updated() {
    let project = sixty();
    let first = text_of_index(&project, &project.graph);
    let old = fs::read(kept_as(&project, "index")).unwrap();
    for n in 0..50 {
        match n % 4 {
            0 => project.write(&format!("f{n}.note"), "def x\nuse ./g1\n"),
            1 => project.remove(&format!("f{n}.note")),
            2 => project.rename(&format!("f{n}.note"), &format!("g{n}.note")),
            _ => project.touch(&format!("f{n}.note")),
        }
        text_of_index(&project, &project.graph);
    }
    let now = text_of_index(&project, &project.graph);
    assert!(now != first && now == text_of_index(&project, &project.other_process()));
    fs::write(kept_as(&project, "index"), old).unwrap();
    assert_eq!(text_of_index(&project, &project.other_process()), now);
}

#[test]
fn old_unfinished_index_files_are_stale() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, age: u64| {
        let path = folder.path().join(name);
        fs::write(&path, "half").unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
    };
    write(".tmpA.unfinished", 3_600);
    write(".tmpB.unfinished", 5);
    write("noextension", 3_600);
    write("other.tmp", 3_600);
    let found: Vec<(String, String)> = stale_indices(folder.path())
        .into_iter()
        .map(|leftover| (leftover.path.file_name().unwrap().to_string_lossy().into_owned(), leftover.reason))
        .collect();
    assert_eq!(found, [(".tmpA.unfinished".to_owned(), "unfinished index file".to_owned())]);
}

#[test]
fn no_temporary_files_remain() {
    let project = sixty();
    ask_all(&project, &project.graph);
    let names = project.index_files();
    let mut extensions: Vec<_> = names.iter().map(|path| path.extension().unwrap().to_string_lossy()).collect();
    extensions.sort();
    assert_eq!(extensions, ["answers", "index"]);
}

#[test]
fn processes_sharing_a_cache_folder_agree() {
    let project = Arc::new(sixty());
    let (rounds, processes) = (6, 4);
    for round in 0..rounds {
        for n in 0..40 {
            project.write(&format!("f{n}.note"), &format!("use ./f{} x\ndef d{round}\n", (n * 7 + round) % 60));
        }
        let expected = text_of_index(&project, &Graph::new(None));
        let barrier = Barrier::new(processes);
        let texts = std::thread::scope(|scope| {
            let asked = (0..processes).map(|number| {
                let (project, barrier) = (&project, &barrier);
                scope.spawn(move || {
                    let graph = project.other_process();
                    barrier.wait();
                    // Some also ask questions and store the answers.
                    if number % 2 == 0 {
                        ask_all(project, &graph);
                    }
                    text_of_index(project, &graph)
                })
            });
            asked.collect::<Vec<_>>().into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(texts.iter().all(|text| *text == expected), "round {round}");
        assert_eq!(
            text_of_index(&project, &project.other_process()),
            expected,
            "the index that the last process stored, round {round}"
        );
    }
}

#[test]
fn threads_build_the_index_once() {
    let project = sixty();
    project.asked(&[]);
    let barrier = Barrier::new(6);
    let found = std::thread::scope(|scope| {
        let asked = (0..6).map(|_| {
            scope.spawn(|| {
                barrier.wait();
                project.workspace(DetailLevel::Names)
            })
        });
        asked.collect::<Vec<_>>().into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(found.iter().all(|workspace| Arc::ptr_eq(workspace, &found[0])));
    assert_eq!(project.asked(&["open"]).len(), 60);
}
