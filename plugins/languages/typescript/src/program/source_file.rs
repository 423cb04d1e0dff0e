//! A parsed file: its tree, its scopes, and navigation from a node to its parents.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use oxc_ast::AstKind;
use oxc_ast::ast::{self, Ident, Statement};
use oxc_semantic::{NodeId, Scoping, Semantic, SymbolId};
use oxc_span::Span;

use crate::infer::narrowable::TestedReferences;
use crate::program::exports::default_symbol;
use crate::program::redeclarations;

/// Scopes and references of a file.
pub(crate) enum Analysis<'w> {
    Borrowed(&'w Semantic<'w>),
    Shared(Rc<Semantic<'w>>),
}

/// Lookup tables of a file by offset or symbol, computed on first use. The tables do not borrow from the tree, so they
/// are stored with the file.
#[derive(Default)]
pub(crate) struct LookupTables {
    /// Offsets of names that are declared again where that is an error.
    redeclarations: OnceCell<HashSet<u32>>,
    /// The outermost node that begins at an offset.
    pub(crate) node_starts: OnceCell<HashMap<u32, NodeId>>,
    /// The function that a comment documents, by the offset of the code after the comment.
    pub(crate) documented_functions: OnceCell<HashMap<u32, NodeId>>,
    /// The last JSDoc comment before each offset of code.
    pub(crate) comments_by_code: OnceCell<HashMap<u32, Span>>,
    /// References that conditions may narrow.
    pub(crate) tested_references: OnceCell<TestedReferences>,
}

/// A parsed file.
pub(crate) struct SourceFile<'w> {
    pub(crate) path: String,
    pub(crate) program: &'w ast::Program<'w>,
    analysis: Analysis<'w>,
    pub(crate) tables: Rc<LookupTables>,
}

impl<'w> SourceFile<'w> {
    /// Returns the specifier from which a symbol is imported.
    pub(crate) fn imported_specifier(&self, symbol: SymbolId) -> Option<&'w str> {
        let declaration = self.scoping().symbol_declaration(symbol);
        let source = match self.parent_kind(declaration) {
            AstKind::ImportDeclaration(import) => &import.source,
            _ => match self.kind(declaration) {
                AstKind::TSImportEqualsDeclaration(import) => match &import.module_reference {
                    ast::TSModuleReference::ExternalModuleReference(reference) => &reference.expression,
                    _ => return None,
                },
                _ => return None,
            },
        };
        source.value.as_str()
    }

    pub(crate) fn new(
        path: &str,
        program: &'w ast::Program<'w>,
        analysis: Analysis<'w>,
        tables: Rc<LookupTables>,
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

    /// Returns the symbol that a name refers to.
    pub(crate) fn symbol_of(&self, name: &ast::IdentifierReference<'_>) -> Option<SymbolId> {
        self.scoping().get_reference(name.reference_id.get()?).symbol_id()
    }

    /// Returns whether `export default` exports a symbol: its declaration, or its name.
    pub(crate) fn is_default_export(&self, symbol: SymbolId) -> bool {
        self.program.body.iter().any(|statement| match statement {
            Statement::ExportDefaultDeclaration(export) => match export.declaration.as_expression() {
                Some(ast::Expression::Identifier(name)) => self.symbol_of(name) == Some(symbol),
                _ => default_symbol(export) == Some(symbol),
            },
            _ => false,
        })
    }

    pub(crate) fn name_of(&self, symbol: SymbolId) -> &str {
        self.scoping().symbol_name(symbol)
    }

    /// Yields the references to a symbol: their nodes and spans.
    pub(crate) fn references_of(&self, symbol: SymbolId) -> impl Iterator<Item = (NodeId, Span)> {
        let references = self.scoping().get_resolved_references(symbol);
        references.map(move |reference| (reference.node_id(), self.semantic().reference_span(reference)))
    }

    pub(crate) fn parent(&self, node: NodeId) -> NodeId {
        self.semantic().nodes().parent_id(node)
    }

    pub(crate) fn parent_kind(&self, node: NodeId) -> AstKind<'w> {
        self.kind(self.parent(node))
    }

    /// Yields the node and its ancestors, from the inside out.
    pub(crate) fn self_and_ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::once(node).chain(self.semantic().nodes().ancestor_ids(node))
    }

    pub(crate) fn text(&self) -> &'w str {
        self.program.source_text
    }

    /// Returns whether the file is a module. If not, its names are global.
    pub(crate) fn is_module(&self) -> bool {
        self.program.source_type.is_module()
            || self.program.source_type.is_commonjs()
            || self.program.body.iter().any(makes_module)
            || self.is_javascript() && self.uses_common_globals()
    }

    /// Returns whether the file uses the globals of CommonJS.
    pub(crate) fn uses_common_globals(&self) -> bool {
        let free = self.scoping().root_unresolved_references();
        ["require", "module", "exports"].iter().any(|name| free.contains_key(&Ident::from(*name)))
    }

    pub(crate) fn is_javascript(&self) -> bool {
        self.program.source_type.is_javascript()
    }

    /// Returns the spans of the names that declare a symbol.
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

    /// Returns the nodes that declare a symbol.
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

    /// Returns whether a symbol is a parameter property of a constructor.
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

    /// Returns whether the name at an offset is a second declaration where that is an error. Such a declaration has no
    /// references.
    pub(crate) fn is_redeclaration(&self, offset: u32) -> bool {
        let made = || redeclarations::redeclared_offsets(self.scoping(), self.is_javascript());
        self.tables.redeclarations.get_or_init(made).contains(&offset)
    }
}

/// Returns whether a statement makes the file a module.
fn makes_module(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::TSImportEqualsDeclaration(import) => {
            matches!(import.module_reference, ast::TSModuleReference::ExternalModuleReference(_))
        }
        Statement::TSNamespaceExportDeclaration(_) => true,
        other => other.is_module_declaration(),
    }
}
