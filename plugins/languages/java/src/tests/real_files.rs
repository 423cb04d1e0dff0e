//! Checks the laws and edits random symbols in real files: those below the folder in the environment variable
//! `MARQ_JAVA`.

use marquetry_code::testing::{Left, RealFiles, check_symbol_edits, dedented};
use marquetry_sdk::{
    Document, Node, Operation,
    testing::{self, after, before, body, first, last, replace, wrap},
};

use crate::Java;

const FILES: RealFiles = RealFiles { variable: "MARQ_JAVA", extensions: &["java"] };
const EVERYTHING: &str = include_str!("everything.java");
const NEW: &str = "int[] zzNew() {\n    return new int[] {\n        1,\n    };\n}";
const STATEMENT: &str = "if (zzOld) {\n    int zzNew = 1;\n}";

fn edits(node: &Node, text: &str) -> Vec<(Operation, Left)> {
    if matches!(node.kind.as_str(), "package" | "module") {
        return Vec::new();
    }
    let (all, with_new) = (Left::All, Left::With("zzNew"));
    let mut edits = vec![
        (Operation::Delete, Left::Others),
        (wrap("// before", "// after"), all),
        (replace(&dedented(text, node.span)), all),
    ];
    let has_body = node.body.is_some();
    if has_body && matches!(node.kind.as_str(), "method" | "constructor") && node.span.slice(text).ends_with('}') {
        edits.extend([(before(NEW), with_new), (after(NEW), with_new)]);
        let own = node.body.unwrap_or(node.span);
        edits.extend([(last(STATEMENT), all), (body(&dedented(text, own)), all)]);
        if node.kind == "method" {
            edits.push((first(STATEMENT), all));
        }
    }
    if node.kind == "class" {
        edits.push((last("int[] zzNew;"), with_new));
        edits.push((first("/** It is new. */\n@Old int[] zzNew;"), with_new));
    }
    edits
}

fn check_edits(text: &str) -> usize {
    check_symbol_edits::<Java>("A.java", text, edits)
}

#[test]
fn edits_of_every_kind_of_node_add_no_errors() {
    assert!(check_edits(EVERYTHING) > 5);
}

#[test]
fn real_files_have_no_errors() {
    FILES.check(|path, text| {
        let found = testing::open::<Java>("A.java", text).diagnostics();
        assert!(found.is_empty(), "{path}: {:?}", &found[..1]);
        1
    });
}

#[test]
fn laws_hold_for_real_files() {
    FILES.check(|_, text| {
        testing::check_laws::<Java>("A.java", text);
        testing::open::<Java>("A.java", text).document().outline().len()
    });
}

#[test]
fn edits_of_real_files_add_no_errors() {
    FILES.check(|_, text| check_edits(text));
}
