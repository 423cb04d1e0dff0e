//! The index of real files as text: the cases in `formats/`.
//!
//! ```text
//! ==== a title
//! //- /a.md
//! [b](b.md#part)
//! ----
//! a.md markdown
//!   link b.md => b.md
//! ```
//!
//! Below `----` is each file with its pack: its links with the names they import, its exports, the global names that it
//! declares or uses, its symbols, and the files that link to it. A case can continue with more files, which are written
//! then, and the index after that. `UPDATE_EXPECT=1` writes the actual output into the cases.
//!
//! | `//- /a.md`, and below it | effect on the file |
//! | --- | --- |
//! | a text | it gets this text |
//! | nothing | it is removed |
//! | `<= nothing`, `<= folder` | it is empty; it is an empty folder |
//! | `<= link TO`, `<= moved FROM` | it is a symbolic link; it is moved from another path |
//! | `<= repeated 1000` | it contains the text this many times |
//! | `<= latin-1`, `<= utf-16` | it gets the text in another encoding |
//!
//! | question | answer |
//! | --- | --- |
//! | `----` | the whole index |
//! | `---- files using NAME of PATH` | the files that can use what the file declares under this name |
//! | `---- files with WORD` | the files whose text contains the word |
//! | `---- files naming NAME of PATH` | the same; files that visibility does not relate to PATH are listed separately |
//! | `---- scope of PATH` | the files that share a scope with it because it loads them |
//! | `---- links to PATH with NAME` | the links that may import the name |
//! | `---- types of PATH` | its types with their supertypes |
//! | `---- diagnostics of PATH` | its diagnostics |
//! | `---- again` | whether the index is the same object, an equal one, or differs |
//! | `---- elsewhere` | whether another process gets the same index |

use std::{fmt::Write as _, path::Path, sync::Arc};

use crate::common::disk::{Indexed, shown};
use marquetry_graph::{DetailLevel, Graph, Workspace};
use marquetry_model::{Work, pack::Member};

/// A case with the actual output below each `----`.
fn replayed(case: &str) -> String {
    let project = Indexed::new();
    let mut latest: Option<Arc<Workspace>> = None;
    let mut out = String::new();
    let mut lines = case.split_inclusive('\n').peekable();
    while lines.peek().is_some() {
        let mut fixture = String::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("----")) {
            fixture.push_str(line);
        }
        out.push_str(&fixture);
        project.write(&fixture);
        while let Some(line) = lines.next_if(|line| line.starts_with("----")) {
            let question = line.trim_end();
            let answer = answered(&project, &mut latest, question.trim_start_matches('-').trim());
            out.push_str(&format!("{question}\n{answer}"));
            // Skips the expected output.
            while lines.next_if(|line| !line.starts_with("//- /") && !line.starts_with("----")).is_some() {}
        }
    }
    out
}

fn answered(project: &Indexed, latest: &mut Option<Arc<Workspace>>, question: &str) -> String {
    let before = latest.take();
    let workspace = latest.insert(project.workspace(DetailLevel::Symbols));
    match question.split(' ').collect::<Vec<_>>().as_slice() {
        [""] => shown(workspace),
        ["files", "using", name, "of", path] => listed(workspace.files_using(path, name)),
        ["files", "with", word] => listed(workspace.files_containing(&project.files, &[word])),
        ["files", "naming", name, "of", path] => {
            let places = vec![((*path).to_owned(), 0)];
            let member = Member { name: (*name).to_owned(), locations: places, ..Member::default() };
            let naming = workspace.member_files(&project.files, &member);
            format!("near {}far {}", listed(naming.related), listed(naming.unrelated))
        }
        ["scope", "of", path] => listed(workspace.joined_scope_files(path)),
        ["links", "to", path, "with", name] => {
            let importers = workspace.importers(path).into_iter().filter(|importer| importer.may_carry(name));
            listed(importers.map(|importer| format!("{}#{}", importer.file.path, importer.index)))
        }
        ["types", "of", path] => types(project, workspace, path),
        ["diagnostics", "of", path] => problems(project, workspace, path),
        ["again"] => match before {
            // A file that was written just now is read again: whether it is depends on the speed of the machine.
            Some(before) if shown(&before) == shown(workspace) => "unchanged\n".to_owned(),
            _ => "changed\n".to_owned(),
        },
        ["elsewhere"] => {
            let index_text = |graph: Graph| {
                shown(
                    &graph
                        .workspace(&project.files, project.packs.as_ref(), DetailLevel::Symbols, &Work::default())
                        .unwrap(),
                )
            };
            let is_same = index_text(project.other_process()) == shown(workspace);
            assert_eq!(index_text(Graph::new(None)), shown(workspace), "a new index gives the same answers");
            if is_same { "the same\n".to_owned() } else { index_text(project.other_process()) }
        }
        _ => panic!("`{question}` is not a question"),
    }
}

fn listed<T: ToString>(all: impl IntoIterator<Item = T>) -> String {
    let all: Vec<String> = all.into_iter().map(|item| item.to_string()).collect();
    if all.is_empty() { "nobody\n".to_owned() } else { format!("{}\n", all.join(", ")) }
}

fn types(project: &Indexed, workspace: &Arc<Workspace>, path: &str) -> String {
    let survey = project.graph.survey(&project.files, &project.packs, workspace, &Work::default());
    let mut out = String::new();
    for fact in &survey.types(path).unwrap().all {
        let _ = write!(out, "{} ({})", fact.address, fact.kind);
        for base in &fact.bases {
            let declared = base.declared.as_ref().map_or("?", |(path, _)| path.as_str());
            let _ = write!(out, " < {} of {}", base.name, base.address.as_deref().map_or(declared, |_| "this file"));
        }
        out.push('\n');
    }
    out
}

fn problems(project: &Indexed, workspace: &Arc<Workspace>, path: &str) -> String {
    let survey = project.graph.survey(&project.files, &project.packs, workspace, &Work::default());
    let found = match survey.inspect(path) {
        Ok(found) => found,
        Err(error) => return format!("{error}\n"),
    };
    let beyond = found.semantic.diagnostics.iter().map(|finding| &finding.diagnostic);
    let mut lines: Vec<String> = found.syntax.iter().chain(beyond).map(|problem| problem.message.clone()).collect();
    lines.push(String::new());
    lines.join("\n")
}

#[test]
fn index_matches_the_files() {
    marquetry_cases::replay(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats"), |_, case| replayed(case));
}
