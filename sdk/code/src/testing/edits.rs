//! Edits of the symbols of a text, for the native tests of packs: no operation may add errors, or change which other
//! symbols the text has.

use marquetry_sdk::{
    Document, EditOptions, LanguagePack, Node, Operation, Span, lines,
    span::apply,
    testing::{self, TestDocument},
};

/// Number of symbols of a text that are edited.
const MAX_SYMBOLS: usize = 12;

/// The symbols of a text after an edit of one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// The same.
    All,
    /// Those that are not the symbol or inside of it.
    Others,
    /// The same, and one with this name.
    With(&'static str),
    /// Those that are not inside of the symbol, and one with this name.
    Around(&'static str),
}

/// Edits symbols of a text without errors, and returns how many. `edits` has the operations for a symbol, each with the
/// symbols that are left.
///
/// # Panics
///
/// Panics if an operation that is not refused adds errors, or if other symbols are left.
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
                Left::Around(_) => names(&|other| other == index || !is_inside(&nodes, other, index)),
            };
            if let Left::With(new) | Left::Around(new) = left {
                expected.push(new.to_owned());
            }
            check_edit(path, &bench, node, &operation, (text, expected));
        }
    }
    count
}

/// Returns whether a node is the other one or inside of it.
fn is_inside(nodes: &[Node], index: usize, outer: usize) -> bool {
    let parent = |at: &usize| nodes[*at].parent.map(|parent| parent as usize);
    std::iter::successors(Some(index), parent).any(|at| at == outer)
}

/// A part of a text without its indentation, as the author of an edit writes it.
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
    // A condition is listed only at the top of a module.
    for list in [&mut found, &mut expected] {
        list.retain(|name| !name.starts_with("if "));
        list.sort();
    }
    let shown = || format!("{operation:?} of `{}`: {edits:?}", node.address);
    assert_eq!(after.diagnostics(), Vec::<String>::new(), "{}", shown());
    assert_eq!(found, expected, "{}", shown());
}

/// Checks the laws for documents at each path: as they are, with other line breaks, without the last one. `import` is an
/// import that the region of imports accepts.
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
