//! Checks the laws and edits random symbols in real files: those below the folder in the environment variable
//! `MARQ_RUST`.

use marquetry_code::testing::{Left, RealFiles, check_symbol_edits, dedented};
use marquetry_sdk::{
    Document, Node, Operation, Subject, Symbols,
    span::apply,
    testing::{self, after, before, body, last, wrap},
};

use crate::Rust;

const FILES: RealFiles = RealFiles { variable: "MARQ_RUST", extensions: &["rs"] };
const EVERYTHING: &str = include_str!("everything.rs");
/// Maximum number of symbols in a file that are renamed.
const MAX_SYMBOLS: usize = 12;
const NEW: &str = "fn zz_new() -> [u8; 1] {\n    [\n        1,\n    ]\n}";

fn edits(node: &Node, text: &str) -> Vec<(Operation, Left)> {
    let with_new = Left::With("zz_new");
    let mut edits = vec![(Operation::Delete, Left::Others), (wrap("#[cfg(all())]", ""), Left::All)];
    if !matches!(node.kind.as_str(), "variant" | "field") {
        edits.extend([(before(NEW), with_new), (after(NEW), with_new)]);
    }
    if let Some(own) = node.body.filter(|_| matches!(node.kind.as_str(), "impl" | "trait" | "function" | "method")) {
        let own = body(&dedented(text, own));
        edits.extend([(last(NEW), with_new), (own, Left::All), (body(NEW), Left::Around("zz_new"))]);
    }
    edits
}

fn check_edits(text: &str) -> usize {
    check_symbol_edits::<Rust>("a.rs", text, edits)
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
    FILES.check(|_, text| check_renames(text));
}

#[test]
fn edits_of_every_kind_of_node_add_no_errors() {
    assert!(check_edits(EVERYTHING) > 5);
}

#[test]
fn laws_hold_for_real_files() {
    FILES.check(|_, text| {
        testing::check_laws::<Rust>("a.rs", text);
        testing::open::<Rust>("a.rs", text).document().outline().len()
    });
}

#[test]
fn edits_of_real_files_add_no_errors() {
    FILES.check(|_, text| check_edits(text));
}
