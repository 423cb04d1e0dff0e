//! Checks the laws and edits random symbols in real files: those below the folder in the environment variable
//! `MARQ_PYTHON`.

use marquetry_code::testing::{Left, RealFiles, check_symbol_edits, dedented};
use marquetry_sdk::{
    Document, Node, Operation,
    testing::{self, after, before, body, last, wrap},
};

use crate::Python;

const FILES: RealFiles = RealFiles { variable: "MARQ_PYTHON", extensions: &["py", "pyi"] };
const EVERYTHING: &str = include_str!("everything.py");
const NEW: &str = "def zz_new(self):\n    return [\n        1,\n    ]";

fn edits(node: &Node, text: &str) -> Vec<(Operation, Left)> {
    let with_new = Left::With("zz_new");
    let mut edits = vec![
        (Operation::Delete, Left::Others),
        (wrap("if True:", ""), Left::All),
        (before(NEW), with_new),
        (after(NEW), with_new),
    ];
    if matches!(node.kind.as_str(), "class" | "function" | "method" | "property" | "block") {
        let own = node.body.map(|own| dedented(text, own)).unwrap_or_default();
        edits.extend([(last(NEW), with_new), (body(&own), Left::All), (body(NEW), Left::Around("zz_new"))]);
    }
    edits
}

fn check_edits(text: &str) -> usize {
    check_symbol_edits::<Python>("a.py", text, edits)
}

#[test]
fn edits_of_every_kind_of_node_add_no_errors() {
    assert!(check_edits(EVERYTHING) > 5);
}

#[test]
fn laws_hold_for_real_files() {
    FILES.check(|_, text| {
        testing::check_laws::<Python>("a.py", text);
        testing::open::<Python>("a.py", text).document().outline().len()
    });
}

#[test]
fn edits_of_real_files_add_no_errors() {
    FILES.check(|_, text| check_edits(text));
}
