//! A recursive-descent parser that covers every byte and recovers from errors: a statement or declaration with an error
//! becomes a node up to its end, and the parser continues after it.

mod declarations;
mod expressions;
mod statements;
mod types;

use marquetry_code::Token;
use marquetry_sdk::{Diagnostic, Span};

use crate::{
    kinds::{F, K},
    lexer::{self, T, Tok, error},
};

/// Maximum depth of the tree: the parser is recursive.
const MAX_DEPTH: usize = 200;

/// A node. Index 0 is the root. As a child, index 0 means that the node is missing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Raw {
    pub(crate) kind: K,
    pub(crate) role: F,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) first: usize,
    last: usize,
    pub(crate) next: usize,
}

/// The result of the parser.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) nodes: Vec<Raw>,
    pub(crate) tokens: Vec<Token>,
    pub(crate) literals: Vec<Span>,
    pub(crate) errors: Vec<Diagnostic>,
    /// The block that contains the statements or declarations of the text.
    pub(crate) block: usize,
}

/// The context in which a text is parsed: a whole file, or the block that contains the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A whole file, which starts with its package clause.
    File,
    /// Declarations at the top level.
    Items,
    /// The content of a block of this kind.
    Inside(K),
}

pub(crate) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Tok>,
    at: usize,
    /// The end of the last consumed token.
    end: u32,
    nodes: Vec<Raw>,
    errors: Vec<Diagnostic>,
    depth: usize,
    /// True in the header of a statement with a block, where `{` starts the block instead of a composite literal.
    in_head: bool,
    is_too_deep: bool,
}

/// Parses a text.
pub(crate) fn parse(text: &str, entry: Entry) -> Parsed {
    let lexed = lexer::lex(text);
    let root = Raw { kind: K::Root, role: F::None, start: 0, end: text.len() as u32, first: 0, last: 0, next: 0 };
    let mut parser = Parser {
        text,
        tokens: lexed.tokens,
        at: 0,
        end: 0,
        nodes: vec![root],
        errors: lexed.errors,
        depth: 0,
        in_head: false,
        is_too_deep: false,
    };
    let block = match entry {
        Entry::File => parser.file(true),
        Entry::Items => parser.file(false),
        Entry::Inside(kind) => parser.content(kind),
    };
    parser.trim(block);
    let mut errors = parser.errors;
    errors.sort_by_key(|error| (error.span.start, error.span.end));
    Parsed { nodes: parser.nodes, tokens: lexed.written, literals: lexed.literals, errors, block }
}

impl Parser<'_> {
    fn class(&self) -> T {
        self.tokens[self.at].class
    }

    fn sees(&self, class: T) -> bool {
        self.class() == class
    }

    fn class_at(&self, ahead: usize) -> T {
        self.tokens.get(self.at + ahead).map_or(T::End, |token| token.class)
    }

    fn token(&self) -> Tok {
        self.tokens[self.at]
    }

    fn start(&self) -> u32 {
        self.token().start
    }

    fn slice(&self, token: Tok) -> &str {
        &self.text[token.start as usize..token.end as usize]
    }

    fn advance(&mut self) {
        let token = self.token();
        self.end = self.end.max(token.end);
        if token.class != T::End {
            self.at += 1;
        }
    }

    fn eat(&mut self, class: T) -> bool {
        let found = self.sees(class);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes a token of this class, or reports that it is missing.
    fn expect(&mut self, class: T, what: &str) -> bool {
        let found = self.eat(class);
        if !found {
            self.missing(what);
        }
        found
    }

    /// Reports that the next token is not the expected one. At most one error is reported for each token.
    fn missing(&mut self, what: &str) {
        let token = self.token();
        let found = match token.class {
            T::End => "the end of the file".to_owned(),
            T::Semi if token.end == token.start => "the end of the line".to_owned(),
            _ => format!("`{}`", self.slice(token).lines().next().unwrap_or_default()),
        };
        let span = Span { start: token.start, end: token.end };
        self.report(span, format!("expected {what}, found {found}"));
    }

    fn report(&mut self, span: Span, message: String) {
        if !self.errors.iter().rev().take(4).any(|known| known.span.start == span.start) && !self.is_too_deep {
            self.errors.push(error(span, message));
        }
    }

    /// Starts a node.
    fn node(&mut self, kind: K, start: u32) -> usize {
        self.nodes.push(Raw { kind, role: F::None, start, end: start, first: 0, last: 0, next: 0 });
        self.nodes.len() - 1
    }

    /// Appends a child. The child 0 is ignored.
    fn add(&mut self, parent: usize, child: usize, role: F) {
        if child == 0 {
            return;
        }
        self.nodes[child].role = role;
        match self.nodes[parent].last {
            0 => self.nodes[parent].first = child,
            last => self.nodes[last].next = child,
        }
        self.nodes[parent].last = child;
    }

    /// Ends a node at the end of the last consumed token.
    fn finish(&mut self, node: usize) -> usize {
        let own = &mut self.nodes[node];
        own.end = self.end.max(own.start);
        node
    }

    /// Creates a node without children from the next token.
    fn leaf(&mut self, kind: K) -> usize {
        let node = self.node(kind, self.start());
        self.advance();
        self.finish(node)
    }

    /// Parses the name that a declaration declares. Reports an error if the name is missing.
    fn name(&mut self, what: &str) -> usize {
        if self.sees(T::Ident) {
            return self.leaf(K::Name);
        }
        self.missing(what);
        0
    }

    /// Shrinks the span of a block to its statements.
    fn trim(&mut self, block: usize) {
        let (first, last) = (self.nodes[block].first, self.nodes[block].last);
        if first != 0 {
            (self.nodes[block].start, self.nodes[block].end) = (self.nodes[first].start, self.nodes[last].end);
        }
    }

    /// Runs a parser function one level deeper. If a text is nested too deeply, the rest of it is not parsed.
    fn deeper(&mut self, parse: impl FnOnce(&mut Self) -> usize) -> usize {
        if self.depth >= MAX_DEPTH {
            let span = Span { start: self.start(), end: self.start() };
            self.report(span, "the code is nested too deeply to be parsed".to_owned());
            self.is_too_deep = true;
            self.at = self.tokens.len() - 1;
            return 0;
        }
        self.depth += 1;
        let node = parse(self);
        self.depth -= 1;
        node
    }

    /// Runs a parser function between brackets, where composite literals are possible.
    fn bracketed<R>(&mut self, parse: impl FnOnce(&mut Self) -> R) -> R {
        let in_head = std::mem::replace(&mut self.in_head, false);
        let result = parse(self);
        self.in_head = in_head;
        result
    }

    /// Skips to the end of a statement: a semicolon, or a bracket that closes the surrounding brackets.
    fn skip_statement(&mut self) {
        let mut open = 0_usize;
        loop {
            match self.class() {
                T::End => return,
                T::Semi | T::RBrace | T::RParen | T::RBrack | T::Case | T::Default if open == 0 => return,
                T::LParen | T::LBrack | T::LBrace => open += 1,
                T::RParen | T::RBrack | T::RBrace => open -= 1,
                _ if self.starts_top_level() => return,
                _ => {}
            }
            self.advance();
        }
    }

    /// Returns whether the next token certainly starts a declaration at the top level, which means that an earlier
    /// bracket is not closed.
    fn starts_top_level(&self) -> bool {
        let start = self.start() as usize;
        let is_at_margin = start == 0 || self.text[..start].ends_with('\n');
        is_at_margin
            && match self.class() {
                T::Import | T::Package => true,
                T::Func if self.class_at(1) == T::Ident => true,
                T::Func if self.class_at(1) == T::LParen => {
                    let mut rest = self.tokens[self.at + 1..].iter().take_while(|token| token.class != T::RParen);
                    let count = rest.by_ref().count();
                    let after = |ahead: usize| self.class_at(count + ahead);
                    after(2) == T::Ident && matches!(after(3), T::LParen | T::LBrack)
                }
                _ => false,
            }
    }

    /// Adds a statement without children for the tokens since `from` that no other node contains.
    fn add_skipped(&mut self, parent: usize, from: u32) {
        if self.end > from {
            let node = self.node(K::ExprStmt, from);
            self.finish(node);
            self.add(parent, node, F::None);
        }
    }

    /// Parses the content of a block up to the end of the text.
    fn content(&mut self, kind: K) -> usize {
        let block = self.node(kind, 0);
        loop {
            match kind {
                K::Block => self.statements(block),
                K::Fields => self.items(block, Self::field),
                K::Elems => self.items(block, Self::element),
                K::ImportSpecs => self.items(block, |p| p.spec(T::Import)),
                K::ConstSpecs => self.items(block, |p| p.spec(T::Const)),
                K::VarSpecs => self.items(block, |p| p.spec(T::Var)),
                _ => self.items(block, |p| p.spec(T::Type)),
            }
            if self.sees(T::End) {
                break;
            }
            self.missing("a statement");
            let from = self.start();
            self.advance();
            self.skip_statement();
            self.add_skipped(block, from);
        }
        self.nodes[block].end = self.end;
        block
    }

    /// Parses items that semicolons separate, up to a token that cannot be part of an item.
    fn items(&mut self, block: usize, item: impl Fn(&mut Self) -> usize) {
        loop {
            while self.eat(T::Semi) {}
            if self.ends_items() {
                return;
            }
            let from = self.start();
            let node = item(self);
            self.add(block, node, F::None);
            if self.sees(T::Semi) || self.ends_items() {
                continue;
            }
            self.missing("the end of the line");
            let rest = self.start();
            self.skip_statement();
            if self.start() == from {
                self.advance();
            }
            self.add_skipped(block, rest);
        }
    }

    fn ends_items(&self) -> bool {
        matches!(
            self.class(),
            T::End | T::RParen | T::RBrace | T::Func | T::Import | T::Const | T::Var | T::Type | T::Package
        )
    }
}
