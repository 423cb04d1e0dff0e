//! Tree construction as the HTML standard describes it, keeping the place of every tag.
//!
//! Why not a library: those that build the tree forget where it came from, and their searches of the stack of open
//! elements make deeply nested text quadratic. Here each element knows its tags, and the stack is bounded.
//!
//! Two choices where the standard leaves one: scripting is off, so `noscript` holds elements; what a `template`
//! holds are its children, so that it can be addressed.

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
use super::fault::Code;
use super::names::Name;
use super::tokenizer::{Content, Doctype, Tag, Token, Tokenizer};
use super::tree::{NONE, Namespace, Tree};

/// The insertion modes of the standard.
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

/// What becomes of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    /// It is dealt with.
    Done,
    /// It is processed again, now by the rules of another mode.
    Again,
}

/// The state of building a tree.
#[derive(Debug)]
struct Builder<'t> {
    tokenizer: Tokenizer<'t>,
    arena: Arena,
    /// The stack of open elements.
    open: Vec<u32>,
    /// How many open elements have each name.
    open_names: Vec<u32>,
    /// The list of active formatting elements.
    formatting: Vec<Entry>,
    /// Open elements beyond the depth that the stack takes; see `deep`.
    deep: Vec<u32>,
    mode: Mode,
    original_mode: Mode,
    template_modes: Vec<Mode>,
    /// The `head` and the `form` element pointers.
    head: Option<u32>,
    form: Option<u32>,
    frameset_ok: bool,
    foster: bool,
    quirks: bool,
    skip_newline: bool,
    /// Elements that were made as copies of others.
    copies: usize,
    /// The text of the token that is left to process.
    rest: Span,
    /// Texts directly in a table, until it is known what they are.
    table_text: Vec<Span>,
    /// The token at hand.
    here: Span,
    /// Its name, where it is an end tag that has closed nothing yet.
    closing: Option<Name>,
    /// Whether its `/>` was taken for what it says.
    acknowledged: bool,
    comments: Vec<Span>,
    doctype: Option<Doctype>,
}

/// Parse HTML.
pub(super) fn parse(text: String) -> Tree {
    let mut builder = Builder {
        tokenizer: Tokenizer::new(&text, false),
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
        rest: Span::at(0),
        table_text: Vec::new(),
        here: Span::at(0),
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
            self.begin(&token);
            while self.dispatch(&token) == Flow::Again {}
            match &token {
                Token::Start(tag) if tag.self_closing && !self.acknowledged => {
                    self.fault(Code::SelfClosedHtml, tag.span);
                }
                Token::Eof => return self.close_all(),
                _ => {}
            }
        }
    }

    fn begin(&mut self, token: &Token) {
        self.closing = None;
        self.acknowledged = false;
        let skip_newline = std::mem::take(&mut self.skip_newline);
        self.here = match token {
            Token::Start(tag) => tag.span,
            Token::End(tag) => {
                self.closing = Some(tag.name);
                tag.span
            }
            Token::Text(span) => {
                self.rest = *span;
                if skip_newline {
                    self.rest.start += marquetry_sdk::lines::break_len(self.tokenizer.text, span.range().start) as u32;
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
            Token::Text(_) if self.rest.is_empty() => return Flow::Done,
            _ if self.too_deep(token) => return Flow::Done,
            _ => {}
        }
        if self.is_html_content(token) { self.by_mode(self.mode, token) } else { self.in_foreign_content(token) }
    }

    fn by_mode(&mut self, mode: Mode, token: &Token) -> Flow {
        match mode {
            Mode::Initial => self.initial(token),
            Mode::BeforeHtml => self.before_html(token),
            Mode::BeforeHead => self.before_head(token),
            Mode::InHead => self.in_head(token),
            Mode::InHeadNoscript => self.in_head_noscript(token),
            Mode::AfterHead => self.after_head(token),
            Mode::InBody => self.in_body(token),
            Mode::Text => self.text(token),
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

    fn fault(&mut self, code: Code, span: Span) {
        self.tokenizer.fault(code, span);
    }

    /// The token means nothing here.
    fn stray(&mut self, token: &Token) -> Flow {
        match token {
            Token::Start(tag) => {
                self.acknowledged = true;
                self.fault(Code::StrayStartTag, tag.span);
            }
            Token::End(tag) => self.fault(Code::StrayEndTag, tag.span),
            _ => {}
        }
        Flow::Done
    }

    /// Takes the white space at the start of the text. Whether anything is left of it.
    fn take_blank(&mut self) -> (Span, bool) {
        let blank = decode::leading_blank(self.rest.of(self.tokenizer.text)) as u32;
        let taken = Span { start: self.rest.start, end: self.rest.start + blank };
        self.rest.start += blank;
        (taken, !self.rest.is_empty())
    }

    /// Takes the white space at the start of the text into the tree. Whether anything is left of it.
    fn insert_blank(&mut self) -> bool {
        let (blank, more) = self.take_blank();
        if !blank.is_empty() {
            self.insert_text();
        }
        more
    }

    fn text(&mut self, token: &Token) -> Flow {
        match token {
            Token::Text(_) => {
                self.insert_text();
                return Flow::Done;
            }
            _ => self.pop(),
        }
        self.mode = self.original_mode;
        if matches!(token, Token::Eof) { Flow::Again } else { Flow::Done }
    }
}
