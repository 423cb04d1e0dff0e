//! Many concurrent callers: every edit changes only its target, even if others edit or read the same file.

use marquetry_load::{Counters, Limit};
use marquetry_native::Project;

#[track_caller]
fn check(counters: &Counters, clients: usize, rounds: usize) {
    let files = counters.files(&std::collections::BTreeMap::new());
    let project = Project::new(&files.iter().map(|(path, text)| format!("//- /{path}\n{text}")).collect::<String>());
    let call = |tool: &str, arguments: &str| project.call(tool, arguments).map_err(|error| error.to_string());
    let report = counters.run(clients, Limit::Rounds(rounds), &call);
    let read = |path: &str| Some(project.text(path));
    let breaches = report.failures(counters, read);
    assert!(breaches.is_empty(), "{} breaches:\n{}", breaches.len(), breaches.join("\n"));
    assert_eq!(report.edits.len(), counters.count() * rounds, "every counter was raised in every round");
}

#[test]
fn single_caller_edits_all_formats() {
    check(&Counters::new(2), 1, 2);
}

#[test]
fn parallel_edits_of_every_target_kind() {
    check(&Counters::new(3), 24, 3);
}

#[test]
fn parallel_edits_with_readers_and_moves() {
    check(&Counters::new(2).with_other_clients(4, 2), 8, 6);
}

#[test]
fn parallel_edits_of_lines_of_one_file() {
    check(&Counters::new(16).only("lines.txt"), 16, 4);
}

/// Calls that change the same two files, in either order, and add a line to both.
#[test]
fn changes_of_several_files_run_in_parallel() {
    const CALLERS: usize = 8;
    const ROUNDS: usize = 6;
    let project = Project::new("//- /a.txt\nstart\n//- /b.txt\nstart\n//- /c.txt\nstart\n");
    std::thread::scope(|scope| {
        for caller in 0..CALLERS {
            let project = &project;
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let line = format!("{caller}.{round}");
                    let change = |file: &str| {
                        format!(r#"{{"file": "{file}", "operation": "insert_into", "content": "{line}"}}"#)
                    };
                    let arguments = match caller % 3 {
                        0 => format!(r#"{{"changes": [{}, {}]}}"#, change("a.txt"), change("b.txt")),
                        1 => format!(r#"{{"changes": [{}, {}]}}"#, change("b.txt"), change("a.txt")),
                        _ => format!(
                            r#"{{"files": ["*.txt", "!c.txt"], "operation": "insert_into", "content": "{line}"}}"#
                        ),
                    };
                    project.call("file_edit", &arguments).expect("made");
                    project.call("file_edit", &change("c.txt")).expect("made");
                }
            });
        }
    });
    let (a, b, c) = (project.text("a.txt"), project.text("b.txt"), project.text("c.txt"));
    assert_eq!(a, b, "each call changed both files before the next one changed either");
    for text in [a, c] {
        let mut lines: Vec<&str> = text.lines().skip(1).collect();
        lines.sort_unstable();
        let expected = (0..CALLERS).flat_map(|caller| (0..ROUNDS).map(move |round| format!("{caller}.{round}")));
        assert_eq!(lines, expected.collect::<Vec<_>>(), "every line once");
    }
}

/// Many files in one change, concurrent with changes of single files among them.
#[test]
fn large_changes_run_beside_single_file_edits() {
    const FILES: usize = 60;
    let fixture: String = (0..FILES).map(|n| format!("//- /f/{n}.txt\nold old\n//- /other/{n}.txt\nold\n")).collect();
    let project = Project::new(&fixture);
    std::thread::scope(|scope| {
        let many = r#"{"files": ["f/*"], "operation": "replace_text", "old": "\\bold\\b", "content": "new", "regex": true, "all": true, "dryRun": false}"#;
        scope.spawn(|| project.call("file_edit", many).expect("made"));
        scope.spawn(|| {
            for n in 0..FILES {
                let one = format!(r#"{{"file": "f/{n}.txt", "operation": "insert_into", "content": "more"}}"#);
                project.call("file_edit", &one).expect("made");
            }
        });
    });
    for n in 0..FILES {
        assert_eq!(project.text(&format!("f/{n}.txt")), "new new\nmore\n", "{n}");
        assert_eq!(project.text(&format!("other/{n}.txt")), "old\n", "{n}");
    }
}
