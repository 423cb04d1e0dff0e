//! Blocks of CommonMark with GitHub's extensions, as `pulldown-cmark` finds them.

use pulldown_cmark::{Options, Parser};

use crate::blocks::{Builder, Tree};
use crate::piece::{Piece, pieces};
use crate::reader::Reader;

pieces!(pulldown_cmark, Tag::List(Some(_)),);

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// Read the text from this offset on.
pub(crate) fn read(builder: Builder<'_>, from: usize) -> Tree {
    let text = builder.text;
    let mut reader = Reader::new(builder);
    for (event, range) in Parser::new_ext(&text[from..], options()).into_offset_iter() {
        reader.piece(piece(&event), range.start + from..range.end + from);
    }
    reader.finish()
}

/// The text of one line of Markdown as a reader sees it.
pub(crate) fn plain(line: &str) -> String {
    let mut out = String::new();
    for event in Parser::new_ext(line, options()) {
        match piece(&event) {
            Piece::Text(text) | Piece::Code(text) => out.push_str(text),
            Piece::LineBreak => out.push(' '),
            _ => {}
        }
    }
    out
}
