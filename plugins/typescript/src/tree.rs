//! The syntax tree of a document, kept together with the text and the arena it borrows from.

use std::cell::OnceCell;
use std::fmt;

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::{Semantic, SemanticBuilder};
use oxc_span::SourceType;
use self_cell::self_cell;

use crate::dialect;

/// What a tree borrows from.
struct Source {
    text: String,
    arena: Allocator,
    grammar: SourceType,
}

/// A program and what is derived from it on demand.
pub(crate) struct Parsed<'a> {
    /// The syntax tree. Its offsets are offsets into the document's text.
    pub(crate) program: &'a Program<'a>,
    semantic: OnceCell<Semantic<'a>>,
}

impl<'a> Parsed<'a> {
    /// Scopes, bindings and references, and the full store of nodes: computed when first asked for.
    pub(crate) fn semantic(&self) -> &Semantic<'a> {
        self.semantic
            .get_or_init(|| SemanticBuilder::new().with_build_nodes(true).build(self.program).semantic)
    }
}

self_cell!(
    struct Inner {
        owner: Source,
        #[not_covariant]
        dependent: Parsed,
    }
);

/// A parsed text.
pub(crate) struct Tree(Inner);

impl Tree {
    /// Parse a text. Never fails.
    pub(crate) fn parse(path: &str, text: String) -> Tree {
        let source = Source { text, arena: Allocator::default(), grammar: dialect::of_path(path) };
        Tree(Inner::new(source, parse))
    }

    /// The text.
    pub(crate) fn text(&self) -> &str {
        &self.0.borrow_owner().text
    }

    /// Look at the tree. Nothing that borrows from it can leave the closure.
    pub(crate) fn with<R>(&self, look: impl for<'a> FnOnce(&Parsed<'a>) -> R) -> R {
        self.0.with_dependent(|_, parsed| look(parsed))
    }
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tree of {} bytes", self.text().len())
    }
}

fn parse(source: &Source) -> Parsed<'_> {
    let options = ParseOptions::default();
    let parsed = Parser::new(&source.arena, &source.text, source.grammar).with_options(options).parse();
    Parsed { program: source.arena.alloc(parsed.program), semantic: OnceCell::new() }
}
