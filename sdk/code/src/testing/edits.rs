//! Checks edits of the symbols of a text, for the native tests of packs. No operation may add errors, or change the set
//! of other symbols.

use marquetry_sdk::{
    Document, EditOptions, LanguagePack, Node, Operation, Span, lines,
    span::apply,
    testing::{self, TestDocument},
};

/// Maximum number of symbols in a text that are edited.
const MAX_SYMBOLS: usize = 12;

/// The expected symbols of a text after one of them was edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// All old symbols.
    All,
    /// All old symbols except the edited symbol and its descendants.
    Others,
    /// All old symbols except the descendants of the edited symbol.
    WithoutDescendants,
    /// All old symbols, and one new symbol with this name.
    With(&'static str),
    /// All old symbols except the descendants of the edited symbol, and one new symbol with this name.
    Around(&'static str),
}

/// Edits symbols of a text that has no syntax errors. Returns the number of edited symbols. `edits` returns the
/// operations for a symbol, each with the expected symbols.
///
/// # Panics
///
/// Panics if an operation succeeds but adds errors, or if the symbols are not the expected ones.
#[track_caller]
pub fn check_symbol_edits<P: LanguagePack>(
    path: &str,
    text: &str,
    edits: impl Fn(&Node, &str) -> Vec<(Operation, Left)>,
) -> usize {
    let bench = testing::open::<P>(path, text);
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
        let edits = edits(node, text);
        count += usize::from(!edits.is_empty());
        for (operation, left) in edits {
            let mut expected = match left {
                Left::All | Left::With(_) => names(&|_| true),
                Left::Others => names(&|other| !is_inside(&nodes, other, index)),
                Left::WithoutDescendants | Left::Around(_) => {
                    names(&|other| other == index || !is_inside(&nodes, other, index))
                }
            };
            if let Left::With(new) | Left::Around(new) = left {
                expected.push(new.to_owned());
            }
            check_edit(path, &bench, node, &operation, (text, expected));
        }
    }
    count
}

/// Returns whether the node `index` is the node `outer` or one of its descendants.
fn is_inside(nodes: &[Node], index: usize, outer: usize) -> bool {
    let parent = |at: &usize| nodes[*at].parent.map(|parent| parent as usize);
    std::iter::successors(Some(index), parent).any(|at| at == outer)
}

/// A part of a text without its indentation, as a caller would write it in an edit.
pub fn dedented(text: &str, part: Span) -> String {
    let indent = lines::indent_at(text, part.range().start);
    let line = |line: &str| line.strip_prefix(indent).unwrap_or(line).to_owned();
    part.slice(text).lines().map(line).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check_edit<P: LanguagePack>(
    path: &str,
    bench: &TestDocument<P>,
    node: &Node,
    operation: &Operation,
    (text, mut expected): (&str, Vec<String>),
) {
    let options = EditOptions { include_doc: false, force: false };
    let Ok(edits) = bench.document().edit(&[node.id], operation, options) else { return };
    let result = apply(text, &edits);
    let after = testing::open::<P>(path, &result);
    let mut found: Vec<String> = after.document().outline().into_iter().map(|node| node.name).collect();
    // A conditional block is listed only at the top level of a module.
    for list in [&mut found, &mut expected] {
        list.retain(|name| !name.starts_with("if "));
        list.sort();
    }
    let shown = || format!("{operation:?} of `{}`: {edits:?}", node.address);
    assert_eq!(after.diagnostics(), Vec::<String>::new(), "{}", shown());
    assert_eq!(found, expected, "{}", shown());
}

/// Checks the laws for each document at each path: unchanged, with other line breaks, and without the last line break.
/// `import` is an import that can be inserted into the region `imports`.
///
/// # Panics
///
/// Panics if a law does not hold.
#[track_caller]
pub fn check_document_laws<P: LanguagePack>(paths: &[&str], documents: &[&str], import: &str) {
    for (document, path) in documents.iter().flat_map(|document| paths.iter().map(move |path| (document, path))) {
        testing::check_laws::<P>(path, document);
        testing::check_laws::<P>(path, &document.replace('\n', "\r\n").replace("\r\r", "\r"));
        testing::check_laws::<P>(path, document.trim_end());
        testing::check_regions::<P>(path, document, import);
    }
}
