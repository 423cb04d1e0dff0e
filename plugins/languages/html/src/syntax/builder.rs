//! Tree construction of the HTML standard, with the positions of all tags.
//!
//! Existing libraries are not used because they discard positions, and because their searches in the stack of open
//! elements take quadratic time for deeply nested text. Here, each element stores the spans of its tags, and the depth
//! of the stack is limited.
//!
//! The standard leaves two things open. Scripting counts as disabled, so `noscript` contains elements. The content of a
//! `template` becomes its children, so that it can be addressed.

mod arena;
mod body;
mod body_end;
mod deep;
mod finish;
mod foreign;
mod formatting;
mod head;
mod insert;
mod late;
mod quirks;
mod select;
mod stack;
mod table;

use marquetry_sdk::Span;

use self::arena::{Arena, Node};
pub(crate) use self::body::BLOCK;
use self::formatting::Entry;
pub(crate) use self::stack::VOID;
use super::decode;
use super::diagnostic::Code;
use super::dialect::Dialect;
use super::names::Name;
use super::tokenizer::{Content, Doctype, Tag, Token, Tokenizer};
use super::tree::{NONE, Namespace, Tree};

/// Insertion modes of the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    InHeadNoscript,
    AfterHead,
    InBody,
    Text,
    InTable,
    InTableText,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
    InSelect,
    InSelectInTable,
    InTemplate,
    AfterBody,
    InFrameset,
    AfterFrameset,
    AfterAfterBody,
    AfterAfterFrameset,
}

/// Result of processing a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    /// The token has been processed.
    Done,
    /// Reprocess the token in the new mode.
    Reprocess,
}

/// State of tree construction.
#[derive(Debug)]
struct Builder<'t> {
    tokenizer: Tokenizer<'t>,
    arena: Arena,
    /// Stack of open elements.
    open: Vec<u32>,
    /// Number of open elements for each name.
    open_names: Vec<u32>,
    /// List of active formatting elements.
    formatting: Vec<Entry>,
    /// Open elements beyond the maximum depth of the stack; see `deep`.
    deep: Vec<u32>,
    mode: Mode,
    original_mode: Mode,
    template_modes: Vec<Mode>,
    /// The `head` and `form` element pointers.
    head: Option<u32>,
    form: Option<u32>,
    frameset_ok: bool,
    foster: bool,
    quirks: bool,
    skip_newline: bool,
    /// Number of formatting elements that have been copied; it is limited.
    copies: usize,
    /// Unprocessed text of the current token.
    remaining_text: Span,
    /// Text directly in a table that has not been inserted yet.
    table_text: Vec<Span>,
    /// Span of the current token.
    current_span: Span,
    /// Name of the current end tag. `None` once the tag has closed an element.
    closing: Option<Name>,
    /// True if the self-closing flag (`/>`) of the current tag has been acknowledged, in the sense of the standard.
    acknowledged: bool,
    comments: Vec<Span>,
    doctype: Option<Doctype>,
}

/// Parses HTML.
pub(super) fn parse(text: String) -> Tree {
    let mut builder = Builder {
        tokenizer: Tokenizer::new(&text, Dialect::Html),
        arena: Arena::new(),
        open: Vec::new(),
        open_names: Vec::new(),
        formatting: Vec::new(),
        deep: Vec::new(),
        mode: Mode::Initial,
        original_mode: Mode::Initial,
        template_modes: Vec::new(),
        head: None,
        form: None,
        frameset_ok: true,
        foster: false,
        quirks: false,
        skip_newline: false,
        copies: 0,
        remaining_text: Span::at(0),
        table_text: Vec::new(),
        current_span: Span::at(0),
        closing: None,
        acknowledged: false,
        comments: Vec::new(),
        doctype: None,
    };
    builder.run();
    let finished = builder.finish();
    finished.with_text(text)
}

impl Builder<'_> {
    fn run(&mut self) {
        loop {
            let foreign = self.open.last().is_some_and(|node| self.node(*node).namespace != Namespace::HTML);
            let token = self.tokenizer.next(foreign);
            self.begin_token(&token);
            while self.dispatch(&token) == Flow::Reprocess {}
            match &token {
                Token::Start(tag) if tag.self_closing && !self.acknowledged => {
                    self.report(Code::SelfClosedHtml, tag.span);
                }
                Token::Eof => return self.close_all(),
                _ => {}
            }
        }
    }

    fn begin_token(&mut self, token: &Token) {
        self.closing = None;
        self.acknowledged = false;
        let skip_newline = std::mem::take(&mut self.skip_newline);
        self.current_span = match token {
            Token::Start(tag) => tag.span,
            Token::End(tag) => {
                self.closing = Some(tag.name);
                tag.span
            }
            Token::Text(span) => {
                self.remaining_text = *span;
                if skip_newline {
                    self.remaining_text.start +=
                        marquetry_sdk::lines::break_len(self.tokenizer.text, span.range().start) as u32;
                }
                *span
            }
            Token::Comment(span) => *span,
            Token::Doctype(_) | Token::Eof => Span::at(self.tokenizer.text.len()),
        };
    }

    fn dispatch(&mut self, token: &Token) -> Flow {
        match token {
            Token::Comment(_) | Token::Doctype(_) if self.mode == Mode::InTableText => return self.flush_table_text(),
            Token::Comment(span) => {
                self.comments.push(*span);
                return Flow::Done;
            }
            Token::Text(_) if self.remaining_text.is_empty() => return Flow::Done,
            _ if self.process_too_deep(token) => return Flow::Done,
            _ => {}
        }
        if self.is_html_content(token) {
            self.process_in_mode(self.mode, token)
        } else {
            self.in_foreign_content(token)
        }
    }

    fn process_in_mode(&mut self, mode: Mode, token: &Token) -> Flow {
        match mode {
            Mode::Initial => self.initial(token),
            Mode::BeforeHtml => self.before_html(token),
            Mode::BeforeHead => self.before_head(token),
            Mode::InHead => self.in_head(token),
            Mode::InHeadNoscript => self.in_head_noscript(token),
            Mode::AfterHead => self.after_head(token),
            Mode::InBody => self.in_body(token),
            Mode::Text => self.process_text(token),
            Mode::InTable => self.in_table(token),
            Mode::InTableText => self.in_table_text(token),
            Mode::InCaption => self.in_caption(token),
            Mode::InColumnGroup => self.in_column_group(token),
            Mode::InTableBody => self.in_table_body(token),
            Mode::InRow => self.in_row(token),
            Mode::InCell => self.in_cell(token),
            Mode::InSelect => self.in_select(token),
            Mode::InSelectInTable => self.in_select_in_table(token),
            Mode::InTemplate => self.in_template(token),
            Mode::AfterBody => self.after_body(token),
            Mode::InFrameset => self.in_frameset(token),
            Mode::AfterFrameset => self.after_frameset(token),
            Mode::AfterAfterBody => self.after_after_body(token),
            Mode::AfterAfterFrameset => self.after_after_frameset(token),
        }
    }

    fn node(&self, id: u32) -> &Node {
        &self.arena.nodes[id as usize]
    }

    fn report(&mut self, code: Code, span: Span) {
        self.tokenizer.report(code, span);
    }

    /// Reports and ignores an unexpected token.
    fn ignore_unexpected(&mut self, token: &Token) -> Flow {
        match token {
            Token::Start(tag) => {
                self.acknowledged = true;
                self.report(Code::StrayStartTag, tag.span);
            }
            Token::End(tag) => self.report(Code::StrayEndTag, tag.span),
            _ => {}
        }
        Flow::Done
    }

    /// Removes leading white space from the text of the current token. Returns its span, and whether text remains.
    fn take_leading_blank(&mut self) -> (Span, bool) {
        let blank = decode::leading_blank(self.remaining_text.slice(self.tokenizer.text)) as u32;
        let taken = Span { start: self.remaining_text.start, end: self.remaining_text.start + blank };
        self.remaining_text.start += blank;
        (taken, !self.remaining_text.is_empty())
    }

    /// Inserts the leading white space of the current token into the tree. Returns whether text remains.
    fn insert_leading_blank(&mut self) -> bool {
        let (blank, more) = self.take_leading_blank();
        if !blank.is_empty() {
            self.insert_text();
        }
        more
    }

    fn process_text(&mut self, token: &Token) -> Flow {
        match token {
            Token::Text(_) => {
                self.insert_text();
                return Flow::Done;
            }
            _ => self.pop(),
        }
        self.mode = self.original_mode;
        if matches!(token, Token::Eof) { Flow::Reprocess } else { Flow::Done }
    }
}
