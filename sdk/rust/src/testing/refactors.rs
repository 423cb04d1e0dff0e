//! Tests of refactorings: the text before, with a `«selection»` or a caret `‸`, and the text after.

use super::{check_edits, errors, open};
use crate::{
    Argument, Document, Failure, Rewrite, Selection, Span, TargetKind,
    refactor::{self, Refactors},
    span::apply,
};

/// The text without marks, and the selection they describe; the start of the text if it has no marks.
fn split_mark(marked: &str) -> (String, Selection) {
    if let Some(at) = marked.find('‸') {
        return (marked.replace('‸', ""), Selection::caret(at as u32));
    }
    let Some(start) = marked.find('«') else { return (marked.to_owned(), Selection::caret(0)) };
    let Some(end) = marked.find('»') else { return (marked.replace('«', ""), Selection::caret(start as u32)) };
    (marked.replace(['«', '»'], ""), Selection::from_span(Span::new(start, end - '«'.len_utf8())))
}

fn to_arguments(arguments: &[(&str, &str)]) -> Vec<Argument> {
    let argument = |(name, value): &(&str, &str)| Argument { name: (*name).to_owned(), value: (*value).to_owned() };
    arguments.iter().map(argument).collect()
}

/// Runs a refactoring on a text with a mark. Also returns the text without the mark.
///
/// # Errors
///
/// The inner result fails if the refactoring does.
pub fn run_refactor<P: Refactors>(
    (path, marked): (&str, &str),
    id: &str,
    arguments: &[(&str, &str)],
) -> (String, Result<Rewrite, Failure>) {
    let (text, at) = split_mark(marked);
    let bench = open::<P>(path, &text);
    (text, refactor::apply::<P>(bench.document(), id, at, to_arguments(arguments)))
}

/// Asserts the text after a refactoring, and that it adds no errors.
#[track_caller]
pub fn check_refactor<P: Refactors>(file: (&str, &str), id: &str, arguments: &[(&str, &str)], after: &str) {
    match run_refactor::<P>(file, id, arguments) {
        (text, Ok(rewrite)) => {
            check_edits(&text, &rewrite.edits);
            assert_eq!(apply(&text, &rewrite.edits), after, "`{id}` of\n{}", file.1);
            check_errors::<P>((file.0, &text), id, &rewrite);
        }
        (_, Err(failure)) => panic!("`{id}` of\n{}\nis refused: {failure:?}", file.1),
    }
}

/// Like [`check_refactor`], for the node with an address instead of a mark.
#[track_caller]
pub fn check_refactor_of<P: Refactors>(
    (path, text): (&str, &str),
    (kind, address): (TargetKind, &str),
    id: &str,
    arguments: &[(&str, &str)],
    after: &str,
) {
    let bench = open::<P>(path, text);
    let nodes = bench.nodes(kind, address).unwrap_or_else(|failure| panic!("{address}: {failure:?}"));
    let [node] = &nodes[..] else { panic!("`{address}` selects {} nodes instead of one", nodes.len()) };
    let at = Selection { span: node.span, caret: node.selection.start };
    match refactor::apply::<P>(bench.document(), id, at, to_arguments(arguments)) {
        Ok(rewrite) => assert_eq!(apply(text, &rewrite.edits), after, "`{id}` of `{address}` in\n{text}"),
        Err(failure) => panic!("`{id}` of `{address}` in\n{text}\nis refused: {failure:?}"),
    }
}

/// Asserts that the refactoring fails with a message that contains this text.
#[track_caller]
pub fn check_refused<P: Refactors>(file: (&str, &str), id: &str, arguments: &[(&str, &str)], message: &str) {
    match run_refactor::<P>(file, id, arguments) {
        (text, Ok(rewrite)) => {
            panic!("`{id}` of\n{}\nis not refused, but gives\n{}", file.1, apply(&text, &rewrite.edits))
        }
        (_, Err(failure)) => {
            assert!(failure.message.contains(message), "`{id}` of\n{}\n{failure:?}\nlacks `{message}`", file.1);
        }
    }
}

/// Runs every refactoring, with those of the arguments that it accepts, at nodes, bodies and carets of the document.
/// Asserts that the edits are valid and add no errors. Returns the number of runs that changed something.
#[track_caller]
pub fn check_refactor_laws<P: Refactors>((path, text): (&str, &str), arguments: &[(&str, &str)]) -> usize {
    let bench = open::<P>(path, text);
    let nodes = bench.document().outline();
    let named = nodes.iter().map(|node| Selection { span: node.span, caret: node.selection.start });
    let bodies = nodes.iter().filter_map(|node| node.body).map(Selection::from_span);
    let carets = nodes.iter().flat_map(|node| [node.selection.start, node.span.end]).map(Selection::caret);
    let ends = [Selection::caret(0), Selection::from_span(Span::new(0, text.len()))];
    let all: Vec<Selection> = named.chain(bodies).chain(carets).chain(ends).collect();
    let mut changed = 0;
    for known in P::table() {
        let taken = |given: &&(&str, &str)| known.arguments.iter().any(|argument| argument.name == given.0);
        let taken: Vec<(&str, &str)> = arguments.iter().filter(taken).copied().collect();
        for at in all.iter().step_by(all.len() / 128 + 1) {
            let Ok(rewrite) = refactor::apply::<P>(bench.document(), known.id, *at, to_arguments(&taken)) else {
                continue;
            };
            check_edits(text, &rewrite.edits);
            check_errors::<P>((path, text), known.id, &rewrite);
            changed += usize::from(!rewrite.edits.is_empty());
        }
    }
    changed
}

#[track_caller]
fn check_errors<P: Refactors>((path, text): (&str, &str), id: &str, rewrite: &Rewrite) {
    let after = open::<P>(path, &apply(text, &rewrite.edits));
    let (old, new) = (errors(open::<P>(path, text).document()), errors(after.document()));
    assert!(new <= old, "`{id}` of\n{text}\nadds errors:\n{}", after.document().text());
}
