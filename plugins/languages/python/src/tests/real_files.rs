//! The laws, and edits of random symbols, on real files: those below the folder that `MARQ_PYTHON` names.

use std::path::{Path, PathBuf};

use marquetry_sdk::{
    Document, EditOptions, Node, Operation,
    span::apply,
    testing::{self, after, before, body, last, wrap},
};

use crate::Python;

const EVERYTHING: &str = include_str!("everything.py");
/// Number of symbols of a file that are edited.
const MAX_SYMBOLS: usize = 12;
const NEW: &str = "def zz_new(self):\n    return [\n        1,\n    ]";

/// The files below a folder that end with `.py`.
fn modules(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            modules(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "py" || ending == "pyi") {
            found.push(path);
        }
    }
}

/// Runs a check on the files; every `MARQ_PYTHON_STEP`th of them if that is set.
fn on_files(check: impl Fn(&str)) {
    let Some(folder) = std::env::var_os("MARQ_PYTHON") else { return };
    let mut files = Vec::new();
    modules(Path::new(&folder), &mut files);
    files.sort();
    let step = std::env::var("MARQ_PYTHON_STEP").ok().and_then(|step| step.parse().ok()).unwrap_or(1);
    let mut checked = 0;
    for file in files.iter().step_by(step) {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        println!("{}", file.display());
        check(&text);
        checked += 1;
    }
    println!("checked {checked} files");
    assert!(checked > 0, "no files below {}", folder.display());
}

/// Edits symbols of a text. No operation may add errors, or change which other symbols there are.
fn check_edits(text: &str) {
    let bench = testing::open::<Python>("a.py", text);
    let nodes = bench.document().outline();
    if !bench.document().diagnostics().is_empty() {
        return;
    }
    for (index, node) in nodes.iter().enumerate().step_by(nodes.len() / MAX_SYMBOLS + 1) {
        let names = |keep: &dyn Fn(usize) -> bool| -> Vec<String> {
            let kept = nodes.iter().enumerate().filter(|(index, _)| keep(*index));
            kept.map(|(_, node)| node.name.clone()).collect()
        };
        let all = names(&|_| true);
        let others = names(&|other| !is_inside(&nodes, other, index));
        let around = names(&|other| other == index || !is_inside(&nodes, other, index));
        check_edit(&bench, node, &Operation::Delete, (text, &others));
        check_edit(&bench, node, &wrap("if True:", ""), (text, &all));
        let with_new = [&all[..], &["zz_new".to_owned()]].concat();
        for operation in [before(NEW), after(NEW)] {
            check_edit(&bench, node, &operation, (text, &with_new));
        }
        if matches!(node.kind.as_str(), "class" | "function" | "method" | "property" | "block") {
            check_edit(&bench, node, &last(NEW), (text, &with_new));
            let own = node.body.map(|own| dedented(text, own)).unwrap_or_default();
            check_edit(&bench, node, &body(&own), (text, &all));
            let new = [&around[..], &["zz_new".to_owned()]].concat();
            check_edit(&bench, node, &body(NEW), (text, &new));
        }
    }
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
fn check_edit(
    bench: &testing::TestDocument<Python>,
    node: &Node,
    operation: &Operation,
    (text, names): (&str, &[String]),
) {
    let options = EditOptions { include_doc: false, force: false };
    let Ok(edits) = bench.document().edit(&[node.id], operation, options) else { return };
    let result = apply(text, &edits);
    let after = testing::open::<Python>("a.py", &result);
    let mut found: Vec<String> = after.document().outline().into_iter().map(|node| node.name).collect();
    let mut names = names.to_vec();
    // A block is listed only at the top of a module.
    for list in [&mut found, &mut names] {
        list.retain(|name| !name.starts_with("if "));
        list.sort();
    }
    let shown = || format!("{operation:?} of `{}`: {edits:?}", node.address);
    assert_eq!(after.diagnostics(), Vec::<String>::new(), "{}", shown());
    assert_eq!(found, names, "{}", shown());
}

#[test]
fn edits_of_every_kind_of_node_add_no_errors() {
    check_edits(EVERYTHING);
}

#[test]
fn laws_hold_for_real_files() {
    on_files(|text| testing::check_laws::<Python>("a.py", text));
}

#[test]
fn edits_of_real_files_add_no_errors() {
    on_files(check_edits);
}
