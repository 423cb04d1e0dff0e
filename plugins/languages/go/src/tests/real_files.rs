//! Checks the laws and edits random symbols in real files: those below the folder in the environment variable
//! `MARQ_GO`.

use marquetry_code::testing::{Left, RealFiles, check_symbol_edits, dedented};
use marquetry_sdk::{
    Document, Node, Operation,
    testing::{self, after, before, body, first, last, replace, wrap},
};

use crate::Go;

const FILES: RealFiles = RealFiles { variable: "MARQ_GO", extensions: &["go"] };
const EVERYTHING: &str = include_str!("everything.go");
const NEW: &str = "func zzNew() [1]int {\n\treturn [1]int{\n\t\t1,\n\t}\n}";
const STATEMENT: &str = "if zzOld {\n\tzzNew := 1\n}";

fn edits(node: &Node, text: &str) -> Vec<(Operation, Left)> {
    if node.kind == "package" {
        return Vec::new();
    }
    let (all, with_new) = (Left::All, Left::With("zzNew"));
    let mut edits = vec![
        (Operation::Delete, Left::Others),
        (wrap("// before", "// after"), all),
        (replace(&dedented(text, node.span)), all),
    ];
    if let Some(own) = node.body.filter(|_| matches!(node.kind.as_str(), "function" | "method")) {
        edits.extend([(before(NEW), with_new), (after(NEW), with_new)]);
        edits.extend([last(STATEMENT), first(STATEMENT), body(&dedented(text, own))].map(|one| (one, all)));
        edits.push((body(STATEMENT), Left::WithoutDescendants));
    }
    if node.kind == "struct" {
        edits.push((last("zzNew [2]int"), with_new));
        edits.push((first("// It is new.\nzzNew [2]int `a`"), with_new));
    }
    edits
}

fn check_edits(text: &str) -> usize {
    check_symbol_edits::<Go>("a.go", text, edits)
}

#[test]
fn edits_of_every_kind_of_node_add_no_errors() {
    assert!(check_edits(EVERYTHING) > 5);
}

/// Files of the standard library are valid, except for the test files of the compiler's parser.
#[test]
fn real_files_have_no_errors() {
    FILES.check(|path, text| {
        let found = testing::open::<Go>("a.go", text).diagnostics();
        assert!(found.is_empty() || path.contains("testdata"), "{path}: {:?}", &found[..1]);
        1
    });
}

#[test]
fn laws_hold_for_real_files() {
    FILES.check(|_, text| {
        testing::check_laws::<Go>("a.go", text);
        testing::open::<Go>("a.go", text).document().outline().len()
    });
}

#[test]
fn edits_of_real_files_add_no_errors() {
    FILES.check(|_, text| check_edits(text));
}
