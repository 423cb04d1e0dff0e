//! The laws, and edits of random symbols, on real files: those below the folder that `MARQ_GO` names.

use std::path::{Path, PathBuf};

use marquetry_sdk::{
    Document, EditOptions, Node, Operation,
    span::apply,
    testing::{self, after, before, body, first, last, replace, wrap},
};

use crate::Go;

const EVERYTHING: &str = include_str!("everything.go");
/// Number of symbols of a file that are edited.
const MAX_SYMBOLS: usize = 12;
const NEW: &str = "func zzNew() [1]int {\n\treturn [1]int{\n\t\t1,\n\t}\n}";
const STATEMENT: &str = "if zzOld {\n\tzzNew := 1\n}";

/// The files below a folder that end with `.go`.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "go") {
            found.push(path);
        }
    }
}

/// Runs a check on the files; every `MARQ_GO_STEP`th of them if that is set.
fn on_files(check: impl Fn(&str) -> usize) {
    on_paths(|_, text| check(text));
}

/// Runs a check on the paths and texts of the files.
fn on_paths(check: impl Fn(&str, &str) -> usize) {
    let Some(folder) = std::env::var_os("MARQ_GO") else { return };
    let mut files = Vec::new();
    sources(Path::new(&folder), &mut files);
    files.sort();
    let step = std::env::var("MARQ_GO_STEP").ok().and_then(|step| step.parse().ok()).unwrap_or(1);
    let (mut checked, mut symbols, mut failed) = (0, 0, 0);
    for file in files.iter().step_by(step) {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&file.to_string_lossy(), &text))) {
            Ok(count) => symbols += count,
            Err(_) => {
                println!("FAILED {}", file.display());
                failed += 1;
            }
        }
        checked += 1;
    }
    println!("checked {checked} files, {symbols} symbols, {failed} failed");
    assert!(checked > 0, "no files below {}", folder.display());
    assert_eq!(failed, 0);
}

/// Edits symbols of a text. No operation may add errors, or change which other symbols there are.
fn check_edits(text: &str) -> usize {
    let bench = testing::open::<Go>("a.go", text);
    let nodes = bench.document().outline();
    if !bench.document().diagnostics().is_empty() {
        return 0;
    }
    let mut count = 0;
    for (index, node) in nodes.iter().enumerate().step_by(nodes.len() / MAX_SYMBOLS + 1) {
        if node.kind == "package" {
            continue;
        }
        let names = |keep: &dyn Fn(usize) -> bool| -> Vec<String> {
            let kept = nodes.iter().enumerate().filter(|(index, _)| keep(*index));
            kept.map(|(_, node)| node.name.clone()).collect()
        };
        let all = names(&|_| true);
        let others = names(&|other| !is_inside(&nodes, other, index));
        check_edit(&bench, node, &Operation::Delete, (text, &others));
        check_edit(&bench, node, &wrap("// before", "// after"), (text, &all));
        let own = dedented(text, node.span);
        check_edit(&bench, node, &replace(&own), (text, &all));
        if matches!(node.kind.as_str(), "function" | "method") && node.body.is_some() {
            let with_new = [&all[..], &["zzNew".to_owned()]].concat();
            for operation in [before(NEW), after(NEW)] {
                check_edit(&bench, node, &operation, (text, &with_new));
            }
            check_edit(&bench, node, &last(STATEMENT), (text, &all));
            check_edit(&bench, node, &first(STATEMENT), (text, &all));
            check_edit(&bench, node, &body(STATEMENT), (text, &all));
            let own = node.body.map(|own| dedented(text, own)).unwrap_or_default();
            check_edit(&bench, node, &body(&own), (text, &all));
        }
        if node.kind == "struct" {
            let with_new = [&all[..], &["zzNew".to_owned()]].concat();
            check_edit(&bench, node, &last("zzNew [2]int"), (text, &with_new));
            check_edit(&bench, node, &first("// It is new.\nzzNew [2]int `a`"), (text, &with_new));
        }
        count += 1;
    }
    count
}

/// Returns whether a node is the other one or inside of it.
fn is_inside(nodes: &[Node], index: usize, outer: usize) -> bool {
    let mut at = Some(index);
    while let Some(index) = at {
        if index == outer {
            return true;
        }
        at = nodes[index].parent.map(|parent| parent as usize);
    }
    false
}

/// A body without its indentation, as an editor of it writes it.
fn dedented(text: &str, body: marquetry_sdk::Span) -> String {
    let indent = marquetry_sdk::lines::indent_at(text, body.range().start);
    let line = |line: &str| line.strip_prefix(indent).unwrap_or(line).to_owned();
    body.slice(text).lines().map(line).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check_edit(bench: &testing::TestDocument<Go>, node: &Node, operation: &Operation, (text, names): (&str, &[String])) {
    let options = EditOptions { include_doc: false, force: false };
    let Ok(edits) = bench.document().edit(&[node.id], operation, options) else { return };
    let result = apply(text, &edits);
    let after = testing::open::<Go>("a.go", &result);
    let mut found: Vec<String> = after.document().outline().into_iter().map(|node| node.name).collect();
    let mut names = names.to_vec();
    found.sort();
    names.sort();
    let shown = || format!("{operation:?} of `{}`: {edits:?}", node.address);
    assert_eq!(after.diagnostics(), Vec::<String>::new(), "{}", shown());
    assert_eq!(found, names, "{}", shown());
}

#[test]
fn edits_of_every_kind_of_node_add_no_errors() {
    assert!(check_edits(EVERYTHING) > 5);
}

/// Files of the standard library are valid, except for those that test the parser of its compiler.
#[test]
fn real_files_have_no_errors() {
    on_paths(|path, text| {
        let found = testing::open::<Go>("a.go", text).diagnostics();
        assert!(found.is_empty() || path.contains("testdata"), "{path}: {:?}", &found[..1]);
        1
    });
}

#[test]
fn laws_hold_for_real_files() {
    on_files(|text| {
        testing::check_laws::<Go>("a.go", text);
        testing::open::<Go>("a.go", text).document().outline().len()
    });
}

#[test]
fn edits_of_real_files_add_no_errors() {
    on_files(check_edits);
}
