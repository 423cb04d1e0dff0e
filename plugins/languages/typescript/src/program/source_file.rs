//! A parsed file: its tree, its scopes, and how to walk from a node to what is around it.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use oxc_ast::AstKind;
use oxc_ast::ast::{self, Ident, Statement};
use oxc_semantic::{NodeId, Scoping, Semantic, SymbolId};
use oxc_span::Span;

use crate::infer::subjects::Tested;
use crate::program::redeclarations;

/// The scopes and references of a file.
pub(crate) enum Analysis<'w> {
    Borrowed(&'w Semantic<'w>),
    Shared(Rc<Semantic<'w>>),
}

/// What is looked up in a file by offset or symbol, made when first needed. Nothing in it borrows from the tree, so that it
/// is kept for as long as the file is.
#[derive(Default)]
pub(crate) struct Tables {
    /// The offsets of names that are declared again where that is an error.
    redeclarations: OnceCell<HashSet<u32>>,
    /// The outermost node that begins at an offset, and the function that a comment ending before an offset documents.
    pub(crate) starts: OnceCell<HashMap<u32, NodeId>>,
    pub(crate) documented: OnceCell<HashMap<u32, NodeId>>,
    /// The references that conditions may narrow.
    pub(crate) tested: OnceCell<Tested>,
}

/// A parsed file.
pub(crate) struct SourceFile<'w> {
    pub(crate) path: String,
    pub(crate) program: &'w ast::Program<'w>,
    analysis: Analysis<'w>,
    pub(crate) tables: Rc<Tables>,
}

impl<'w> SourceFile<'w> {
    pub(crate) fn new(
        path: &str,
        program: &'w ast::Program<'w>,
        analysis: Analysis<'w>,
        tables: Rc<Tables>,
    ) -> SourceFile<'w> {
        SourceFile { path: path.to_owned(), program, analysis, tables }
    }

    pub(crate) fn semantic(&self) -> &Semantic<'w> {
        match &self.analysis {
            Analysis::Borrowed(semantic) => semantic,
            Analysis::Shared(semantic) => semantic,
        }
    }

    pub(crate) fn scoping(&self) -> &Scoping {
        self.semantic().scoping()
    }

    pub(crate) fn kind(&self, node: NodeId) -> AstKind<'w> {
        self.semantic().nodes().kind(node)
    }

    pub(crate) fn parent(&self, node: NodeId) -> NodeId {
        self.semantic().nodes().parent_id(node)
    }

    pub(crate) fn parent_kind(&self, node: NodeId) -> AstKind<'w> {
        self.kind(self.parent(node))
    }

    /// The node and the nodes around it, from the inside out.
    pub(crate) fn chain(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::once(node).chain(self.semantic().nodes().ancestor_ids(node))
    }

    pub(crate) fn text(&self) -> &'w str {
        self.program.source_text
    }

    /// Whether the file is a module: only then are its names its own.
    pub(crate) fn is_module(&self) -> bool {
        self.program.source_type.is_module()
            || self.program.source_type.is_commonjs()
            || self.program.body.iter().any(makes_module)
            || self.is_javascript() && self.uses_common_globals()
    }

    /// Whether it uses the globals of CommonJS.
    pub(crate) fn uses_common_globals(&self) -> bool {
        let free = self.scoping().root_unresolved_references();
        ["require", "module", "exports"].iter().any(|name| free.contains_key(&Ident::from(*name)))
    }

    pub(crate) fn is_javascript(&self) -> bool {
        self.program.source_type.is_javascript()
    }

    /// The names that declare a symbol.
    pub(crate) fn declaration_spans(&self, symbol: SymbolId) -> Vec<Span> {
        let again = self.scoping().symbol_redeclarations(symbol);
        let first = self.scoping().symbol_span(symbol);
        let mut spans: Vec<Span> = again.iter().map(|declaration| declaration.span).collect();
        if !spans.contains(&first) {
            spans.insert(0, first);
        }
        spans.retain(|span| !self.is_redeclaration(span.start));
        spans
    }

    /// The nodes that declare a symbol.
    pub(crate) fn declarations(&self, symbol: SymbolId) -> Vec<NodeId> {
        let again = self.scoping().symbol_redeclarations(symbol).iter();
        let merged = again.filter(|declaration| !self.is_redeclaration(declaration.span.start));
        let mut nodes: Vec<NodeId> = merged.map(|declaration| declaration.declaration).collect();
        let first = self.scoping().symbol_declaration(symbol);
        if !nodes.contains(&first) {
            nodes.insert(0, first);
        }
        nodes
    }

    /// Whether a symbol is a parameter of a constructor that is a property, too.
    pub(crate) fn is_parameter_property(&self, symbol: SymbolId) -> bool {
        let AstKind::FormalParameter(parameter) = self.kind(self.scoping().symbol_declaration(symbol)) else {
            return false;
        };
        let is_marked = parameter.accessibility.is_some() || parameter.readonly || parameter.r#override;
        let is_name = matches!(
            parameter.pattern,
            ast::BindingPattern::BindingIdentifier(_) | ast::BindingPattern::AssignmentPattern(_)
        );
        is_marked && is_name
    }

    /// Whether the name at an offset is declared a second time where that is an error. Nothing else refers to such a
    /// declaration.
    pub(crate) fn is_redeclaration(&self, offset: u32) -> bool {
        let made = || redeclarations::of(self.scoping(), self.is_javascript());
        self.tables.redeclarations.get_or_init(made).contains(&offset)
    }
}

/// Whether a statement makes the file around it a module.
fn makes_module(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::TSImportEqualsDeclaration(import) => {
            matches!(import.module_reference, ast::TSModuleReference::ExternalModuleReference(_))
        }
        Statement::TSNamespaceExportDeclaration(_) => true,
        other => other.is_module_declaration(),
    }
}
