//! Many callers at once: every edit changes what it names and nothing else, whoever else edits or reads the same file.

use marquetry_load::{Counters, Limit};
use marquetry_native::Project;

#[track_caller]
fn check(counters: &Counters, clients: usize, rounds: usize) {
    let files = counters.files(&std::collections::BTreeMap::new());
    let project = Project::new(&files.iter().map(|(path, text)| format!("//- /{path}\n{text}")).collect::<String>());
    let call = |tool: &str, arguments: &str| project.call(tool, arguments).map_err(|error| error.to_string());
    let report = counters.run(clients, Limit::Rounds(rounds), &call);
    let read = |path: &str| Some(project.text(path));
    let breaches = report.breaches(counters, read);
    assert!(breaches.is_empty(), "{} breaches:\n{}", breaches.len(), breaches.join("\n"));
    assert_eq!(report.edits.len(), counters.count() * rounds, "every counter was raised in every round");
}

#[test]
fn one_caller() {
    check(&Counters::new(2), 1, 2);
}

#[test]
fn every_kind_of_target_in_every_format() {
    check(&Counters::new(3), 24, 3);
}

#[test]
fn beside_readers_and_moves_of_what_the_files_import() {
    check(&Counters::new(2).beside(4, 2), 8, 6);
}

#[test]
fn one_file_by_its_lines() {
    check(&Counters::new(16).only("lines.txt"), 16, 4);
}
