//! Refactors as text: the file with a `«selection»` or a caret `‸`, and what it is afterwards.

use marquetry_sdk::span::apply;
use marquetry_sdk::{Argument, Failure, Rewrite, Selection, Span, refactor};

use crate::{TypeScript, TypeScriptDocument};

/// The text without its marks, and where they were.
fn unmarked(marked: &str) -> (String, Selection) {
    if let Some(at) = marked.find('‸') {
        return (marked.replace('‸', ""), Selection::caret(at as u32));
    }
    let Some(start) = marked.find('«') else { return (marked.to_owned(), Selection::caret(0)) };
    let end = marked.find('»').expect("»") - '«'.len_utf8();
    (marked.replace(['«', '»'], ""), Selection::of(Span::new(start, end)))
}

/// What a refactor answers in a file with a mark.
pub(crate) fn rewrite(
    id: &str,
    path: &str,
    marked: &str,
    arguments: &[(&str, &str)],
) -> (String, Result<Rewrite, Failure>) {
    let (text, at) = unmarked(marked);
    let document = TypeScriptDocument::open(path, text.clone());
    let argument = |(name, value): &(&str, &str)| Argument { name: (*name).to_owned(), value: (*value).to_owned() };
    (text, refactor::apply::<TypeScript>(&document, id, at, arguments.iter().map(argument).collect()))
}

/// The refactor turns the one text into the other.
#[track_caller]
pub(crate) fn check(id: &str, arguments: &[(&str, &str)], marked: &str, after: &str) {
    let (text, rewritten) = rewrite(id, "a.tsx", marked, arguments);
    match rewritten {
        Ok(rewrite) => assert_eq!(apply(&text, &rewrite.edits), after, "{marked}"),
        Err(failure) => panic!("{marked}\n{failure:?}"),
    }
}

/// The refactor is refused with this message.
#[track_caller]
pub(crate) fn refused(id: &str, arguments: &[(&str, &str)], marked: &str, message: &str) {
    let (text, rewritten) = rewrite(id, "a.tsx", marked, arguments);
    match rewritten {
        Ok(rewrite) => panic!("{marked}\nis not refused, but is\n{}", apply(&text, &rewrite.edits)),
        Err(failure) => assert_eq!(failure.message, message, "{marked}"),
    }
}
