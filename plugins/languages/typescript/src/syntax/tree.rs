//! Syntax tree of a document, stored together with the text and the arena it borrows from.

use std::cell::OnceCell;
use std::fmt;

use marquetry_sdk::{FailureKind, Result, fail};
use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::Parser;
use oxc_semantic::{Semantic, SemanticBuilder};
use oxc_span::SourceType;
use self_cell::self_cell;

use crate::syntax::components::{self, ComponentText};
use crate::syntax::{depth, dialect, repair};

/// Owner of the data that a tree borrows.
struct Source {
    path: String,
    text: String,
    /// The text that is parsed instead, for a component file.
    component: Option<ComponentText>,
    arena: Allocator,
    grammar: SourceType,
}

/// A program and the data derived from it on demand.
pub(crate) struct Parsed<'a> {
    /// The syntax tree. Its offsets are offsets into the document's text. If `repaired`, a node at the end may extend
    /// beyond that text.
    pub(crate) program: &'a Program<'a>,
    /// Errors of the parser.
    pub(crate) errors: Vec<OxcDiagnostic>,
    /// The tree is that of a text in which parts are blanked out: the code around errors after which the parser gave up,
    /// or a part of the template of a component.
    pub(crate) repaired: bool,
    /// The file is a component, of which the scripts and the template are parsed.
    pub(crate) is_component: bool,
    /// The offset at which the text is nested too deeply to be parsed. If set, the tree is empty.
    pub(crate) too_deep: Option<usize>,
    semantic: OnceCell<(Semantic<'a>, Vec<OxcDiagnostic>)>,
}

impl<'a> Parsed<'a> {
    /// Returns scopes, bindings and references, and the full store of nodes. Computed on first use.
    pub(crate) fn semantic(&self) -> &Semantic<'a> {
        &self.analysis().0
    }

    /// Returns whether the tree is that of exactly this text. This is also true if the only errors are types in
    /// JavaScript.
    pub(crate) fn is_exact(&self, text: &str) -> bool {
        !self.repaired || self.program.source_text == text
    }

    /// Refuses to answer a question about the whole text if the tree is only that of a part.
    pub(crate) fn check_exact(&self, text: &str, subject: &str) -> Result<()> {
        if self.is_exact(text) {
            return Ok(());
        }
        let (reason, hint) = self.unread_reason();
        Err(fail(FailureKind::ParseError, format!("{subject} cannot be determined: {reason}")).hint(hint))
    }

    /// Returns why the tree is not that of the whole text, and a hint.
    pub(crate) fn unread_reason(&self) -> (&'static str, &'static str) {
        match self.is_component {
            true => {
                let hint = "correct its code, or change the scripts by symbol and the template by hand";
                ("a part of the component cannot be read", hint)
            }
            false => {
                ("the file has syntax errors", "fix the syntax errors first; the file's problems show where they are")
            }
        }
    }

    /// Returns the early errors that the scope analysis found.
    pub(crate) fn early_errors(&self) -> &[OxcDiagnostic] {
        &self.analysis().1
    }

    fn analysis(&self) -> &(Semantic<'a>, Vec<OxcDiagnostic>) {
        self.semantic.get_or_init(|| {
            let builder = SemanticBuilder::new().with_build_nodes(true).with_check_syntax_error(true);
            let built = builder.build(self.program);
            (built.semantic, built.diagnostics.into_vec())
        })
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
    /// Parses a text. Never fails.
    pub(crate) fn parse(path: &str, text: String) -> Tree {
        let component = components::component_text(path, &text);
        let grammar = component.as_ref().map_or_else(|| dialect::source_type(path), |component| component.grammar);
        let source = Source { path: path.to_owned(), text, component, arena: Allocator::default(), grammar };
        Tree(Inner::new(source, parse))
    }

    /// Returns the path in the workspace.
    pub(crate) fn path(&self) -> &str {
        &self.0.borrow_owner().path
    }

    /// Returns the text.
    pub(crate) fn text(&self) -> &str {
        &self.0.borrow_owner().text
    }

    /// Returns the grammar that the text is parsed with.
    pub(crate) fn grammar(&self) -> SourceType {
        self.0.borrow_owner().grammar
    }

    /// Gives access to the tree. Nothing that borrows from it can leave the closure.
    pub(crate) fn with<R>(&self, look: impl for<'a> FnOnce(&Parsed<'a>) -> R) -> R {
        self.0.with_dependent(|_, parsed| look(parsed))
    }
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tree of {} bytes", self.text().len())
    }
}

/// Returns the start of a block comment that is not closed.
fn unclosed_comment(errors: &[OxcDiagnostic], text: &str) -> Option<usize> {
    let starts = errors.iter().filter_map(|error| error.labels.first()).map(|label| label.offset() as usize);
    let mut open = starts.filter(|start| text.get(*start..).is_some_and(|rest| rest.starts_with("/*")));
    open.find(|start| !text[start + 2..].contains("*/"))
}

fn blank(c: char) -> char {
    if matches!(c, '\n' | '\r') { c } else { ' ' }
}

fn parse(source: &Source) -> Parsed<'_> {
    let (arena, grammar) = (&source.arena, source.grammar);
    let text = source.component.as_ref().map_or(&source.text, |component| &component.script).as_str();
    let is_component = source.component.is_some();
    let parser = |text, grammar| Parser::new(arena, text, grammar).with_options(dialect::parse_options()).parse();
    let whole = |mut program, errors, repaired, too_deep| {
        let is_read = match &source.component {
            Some(component) => component.add_template(arena, &source.text, &mut program),
            None => true,
        };
        Parsed {
            program: arena.alloc(program),
            errors,
            repaired: repaired || !is_read,
            is_component,
            too_deep,
            semantic: OnceCell::new(),
        }
    };
    if let Some(offset) = depth::too_deep(text, grammar.is_jsx()) {
        return whole(parser("", grammar).program, Vec::new(), true, Some(offset));
    }
    let first = parser(text, grammar);
    let mut errors = first.diagnostics.into_vec();
    if !first.fatal_error {
        return match unclosed_comment(&errors, text) {
            // The comment may contain code that is about to be uncommented.
            Some(start) => {
                let open = text[start..].chars().flat_map(|c| std::iter::repeat_n(blank(c), c.len_utf8()));
                let read: String = text[..start].chars().chain(open).collect();
                whole(parser(arena.alloc_str(&read), grammar).program, errors, true, None)
            }
            None => whole(first.program, errors, false, None),
        };
    }
    // JavaScript with types in it is an error, but the whole tree is available.
    if grammar.is_javascript() {
        let typed = parser(text, grammar.with_typescript(true));
        if !typed.fatal_error {
            return whole(typed.program, errors, true, None);
        }
    }
    match repair::repair(text, grammar, &errors) {
        Some(repaired) => {
            errors.extend(repaired.errors);
            whole(parser(arena.alloc_str(&repaired.text), grammar).program, errors, true, None)
        }
        None => whole(first.program, errors, true, None),
    }
}
