//! Reads blocks of MDX, using `satteri-pulldown-cmark`.

use std::borrow::Cow;

use marquetry_sdk::{Diagnostic, Severity, Span};
use satteri_pulldown_cmark::{Options, Parser};

use crate::blocks::{Builder, Tree};
use crate::piece::pieces;
use crate::reader::Reader;
use crate::{commonmark, limits};

pieces!(satteri_pulldown_cmark, Tag::List(Some(_), _),
    Event::Start(satteri_pulldown_cmark::Tag::MdxJsxFlowElement(tag)) => Piece::Tag(tag, true),
    Event::Start(satteri_pulldown_cmark::Tag::MdxJsxTextElement(tag)) => Piece::Tag(tag, false),
    Event::MdxFlowExpression(source) => Piece::Expression(source, true),
    Event::MdxTextExpression(source) => Piece::Expression(source, false),
    Event::MdxEsm(_) => Piece::Esm,
);

fn parser_options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MDX
}

/// Reads the text from this offset on as MDX. If it exceeds the limits of the MDX parser, reads it as Markdown.
pub(crate) fn read(mut builder: Builder<'_>, from: usize) -> Tree {
    let text = builder.text;
    if let Some(problem) = limits::check_limits(text, from) {
        builder.is_mdx = false;
        let mut tree = commonmark::read(builder, from);
        tree.problems.insert(0, problem);
        return tree;
    }
    let source = with_byte_after_backslash(&text[from..]);
    let mut reader = Reader::new(builder);
    let mut events = Parser::new_ext(&source, parser_options()).into_offset_iter();
    let within = |offset: usize| (offset + from).min(text.len());
    for (event, range) in events.by_ref() {
        reader.read_event(piece(&event), within(range.start)..within(range.end));
    }
    let found = events.mdx_errors().iter().map(|(at, message)| new_problem(text, within(*at), message));
    let mut tree = reader.finish();
    tree.problems.extend(found);
    tree.problems.sort_by_key(|problem| problem.span.start);
    tree
}

/// Appends a line break after a final backslash, because the parser reads the byte after a backslash in JavaScript.
fn with_byte_after_backslash(text: &str) -> Cow<'_, str> {
    if text.ends_with('\\') { Cow::Owned(format!("{text}\n")) } else { Cow::Borrowed(text) }
}

fn new_problem(text: &str, at: usize, message: &str) -> Diagnostic {
    let message = message.split(" (note:").next().unwrap_or(message);
    Diagnostic {
        severity: Severity::Error,
        span: Span::at(text.floor_char_boundary(at)),
        message: crate::js::message_fragment(message),
        code: Some("mdx".to_owned()),
    }
}
