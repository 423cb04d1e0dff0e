//! The laws, and edits of random symbols, on real files: those below the folder that `MARQ_RUST` names.

use std::path::{Path, PathBuf};

use marquetry_sdk::{
    Document, EditOptions, Node, Operation, Subject, Symbols,
    span::apply,
    testing::{self, after, before, body, last, wrap},
};

use crate::Rust;

const EVERYTHING: &str = include_str!("everything.rs");
/// Number of symbols of a file that are edited.
const MAX_SYMBOLS: usize = 12;
const NEW: &str = "fn zz_new() -> [u8; 1] {\n    [\n        1,\n    ]\n}";

/// The files below a folder that end with `.rs`.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Runs a check on the files; every `MARQ_RUST_STEP`th of them if that is set.
fn on_files(check: impl Fn(&str) -> usize) {
    let Some(folder) = std::env::var_os("MARQ_RUST") else { return };
    let mut files = Vec::new();
    sources(Path::new(&folder), &mut files);
    files.sort();
    let step = std::env::var("MARQ_RUST_STEP").ok().and_then(|step| step.parse().ok()).unwrap_or(1);
    let (mut checked, mut symbols, mut failed) = (0, 0, 0);
    for file in files.iter().step_by(step) {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&text))) {
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
    let bench = testing::open::<Rust>("a.rs", text);
    let nodes = bench.document().outline();
    if !bench.document().diagnostics().is_empty() {
        return 0;
    }
    let mut count = 0;
    for (index, node) in nodes.iter().enumerate().step_by(nodes.len() / MAX_SYMBOLS + 1) {
        let names = |keep: &dyn Fn(usize) -> bool| -> Vec<String> {
            let kept = nodes.iter().enumerate().filter(|(index, _)| keep(*index));
            kept.map(|(_, node)| node.name.clone()).collect()
        };
        let all = names(&|_| true);
        let others = names(&|other| !is_inside(&nodes, other, index));
        let around = names(&|other| other == index || !is_inside(&nodes, other, index));
        check_edit(&bench, node, &Operation::Delete, (text, &others));
        check_edit(&bench, node, &wrap("#[cfg(all())]", ""), (text, &all));
        let with_new = [&all[..], &["zz_new".to_owned()]].concat();
        let is_item = !matches!(node.kind.as_str(), "variant" | "field");
        if is_item {
            for operation in [before(NEW), after(NEW)] {
                check_edit(&bench, node, &operation, (text, &with_new));
            }
        }
        if matches!(node.kind.as_str(), "impl" | "trait" | "function" | "method") && node.body.is_some() {
            check_edit(&bench, node, &last(NEW), (text, &with_new));
            let own = node.body.map(|own| dedented(text, own)).unwrap_or_default();
            check_edit(&bench, node, &body(&own), (text, &all));
            let new = [&around[..], &["zz_new".to_owned()]].concat();
            check_edit(&bench, node, &body(NEW), (text, &new));
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
fn check_edit(
    bench: &testing::TestDocument<Rust>,
    node: &Node,
    operation: &Operation,
    (text, names): (&str, &[String]),
) {
    let options = EditOptions { include_doc: false, force: false };
    let Ok(edits) = bench.document().edit(&[node.id], operation, options) else { return };
    let result = apply(text, &edits);
    let after = testing::open::<Rust>("a.rs", &result);
    let mut found: Vec<String> = after.document().outline().into_iter().map(|node| node.name).collect();
    let mut names = names.to_vec();
    found.sort();
    names.sort();
    let shown = || format!("{operation:?} of `{}`: {edits:?}", node.address);
    assert_eq!(after.diagnostics(), Vec::<String>::new(), "{}", shown());
    assert_eq!(found, names, "{}", shown());
}

/// Renames symbols of a text. No rename may add errors, and the new name must have as many occurrences as the old one.
fn check_renames(text: &str) -> usize {
    let bench = testing::open::<Rust>("a.rs", text);
    let nodes = bench.document().outline();
    if !bench.document().diagnostics().is_empty() {
        return 0;
    }
    let certain = |document: &marquetry_code::CodeDocument, offset: u32| {
        let found = Rust::resolve_symbol(document, Subject::At(offset)).ok()?;
        Some(found.occurrences.into_iter().filter(|occurrence| occurrence.certain).count())
    };
    let mut count = 0;
    for node in nodes.iter().step_by(nodes.len() / MAX_SYMBOLS + 1) {
        let at = node.selection.start;
        let Ok(renamed) = Rust::rename(bench.document(), Subject::At(at), "zz_renamed") else { continue };
        let result = apply(text, &renamed.edits);
        let after = testing::open::<Rust>("a.rs", &result);
        let added = |edit: &&marquetry_sdk::Edit| edit.span.start < at;
        let moved = renamed.edits.iter().filter(added).map(|edit| edit.text.len() as i64 - edit.span.len() as i64);
        let new_at = (i64::from(at) + moved.sum::<i64>()) as u32;
        let shown = || format!("`{}`: {:?}", node.address, renamed.edits);
        assert_eq!(after.diagnostics(), Vec::<String>::new(), "{}", shown());
        assert_eq!(certain(after.document(), new_at), certain(bench.document(), at), "{}", shown());
        count += 1;
    }
    count
}

#[test]
fn renames_of_every_kind_of_node_add_no_errors() {
    assert!(check_renames(EVERYTHING) > 0);
}

#[test]
fn renames_of_real_files_keep_occurrences() {
    on_files(check_renames);
}

#[test]
fn edits_of_every_kind_of_node_add_no_errors() {
    assert!(check_edits(EVERYTHING) > 5);
}

#[test]
fn laws_hold_for_real_files() {
    on_files(|text| {
        testing::check_laws::<Rust>("a.rs", text);
        testing::open::<Rust>("a.rs", text).document().outline().len()
    });
}

#[test]
fn edits_of_real_files_add_no_errors() {
    on_files(check_edits);
}
