//! Meaning of a document: types, declarations, references, free names, effects and the order of evaluation.
//!
//! [`Semantics`] is the entrance to the modules of this folder. They answer questions about code, and return no edits.

pub(crate) mod arrow_functions;
pub(crate) mod async_functions;
pub(crate) mod awaited_types;
pub(crate) mod call_sites;
mod collections;
pub(crate) mod context;
pub(crate) mod control_flow;
pub(crate) mod dynamic_names;
#[cfg(test)]
mod effect_tests;
pub(crate) mod effects;
mod enclosing_context;
pub(crate) mod extraction;
pub(crate) mod facts;
pub(crate) mod function_declarations;
mod function_effects;
pub(crate) mod functions;
mod harmless_calls;
pub(crate) mod implicit_code;
pub(crate) mod inlining;
pub(crate) mod module_values;
pub(crate) mod moves;
pub(crate) mod names;
pub(crate) mod narrowing;
pub(crate) mod obstacles;
mod operands;
pub(crate) mod parameter_list;
pub(crate) mod positions;
pub(crate) mod promise_chains;
pub(crate) mod promises;
pub(crate) mod selected_expression;
pub(crate) mod selected_type;
pub(crate) mod selection;
pub(crate) mod signatures;
pub(crate) mod subclasses;
#[cfg(test)]
mod tests;
pub(crate) mod toggled_exports;
pub(crate) mod words;
mod written_members;

use std::cell::OnceCell;
use std::rc::Rc;

use marquetry_sdk::refactor::refactor_failure;
use marquetry_sdk::{Failure, Result, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{AstNodes, Reference, ScopeId, Scoping, Semantic};
pub(crate) use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan as _;

use crate::TypeScriptDocument;
use crate::infer::checker::Checker;
use crate::program::resolution::workspace::Workspace;
use crate::program::{Program as LoadedProgram, cache};
use crate::semantics::effects::Effects;
use crate::semantics::implicit_code::ImplicitCode;
use crate::semantics::names::FreeName;
use crate::syntax::spans::{IntoOxc as _, Place, clamp};
use crate::syntax::tree::{Parsed, Tree};

/// Runs a closure with a type checker for the open document.
pub(crate) fn with_checker<R>(document: &TypeScriptDocument, look: impl FnOnce(&mut Checker<'_>) -> R) -> R {
    let workspace = Workspace::current();
    document.tree.with(|parsed| {
        cache::with_cache(|arena, modules| {
            let load = |path: &str| modules.get(arena, path);
            let file = (document.tree.path(), document.tree.text());
            let program = LoadedProgram::new(&load, &workspace, file, parsed.program, parsed.semantic());
            look(&mut Checker::new(program))
        })
    })
}

/// Creates the refusal of a change, with the place that prevents it.
pub(crate) fn refusal_at(message: impl Into<String>, place: impl Place) -> Failure {
    refactor_failure(message).at(place.place())
}

/// Creates the refusal of a change, with advice.
pub(crate) fn refusal(message: impl Into<String>, hint: &str) -> Failure {
    refactor_failure(message).hint(hint)
}

/// A parsed document, and questions about its meaning.
#[derive(Clone, Copy)]
pub(crate) struct Semantics<'s, 'a> {
    pub(crate) document: &'s TypeScriptDocument,
    pub(crate) parsed: &'s Parsed<'a>,
    /// The code that runs without a call, collected on first use.
    implicit: &'s ImplicitCell,
}

/// The code that runs without a call, if it is known already.
pub(crate) type ImplicitCell = OnceCell<Rc<ImplicitCode>>;

impl<'s, 'a> Semantics<'s, 'a> {
    pub(crate) fn new(
        document: &'s TypeScriptDocument,
        parsed: &'s Parsed<'a>,
        implicit: &'s ImplicitCell,
    ) -> Semantics<'s, 'a> {
        // Nodes have symbols and references only after the analysis.
        parsed.semantic();
        Semantics { document, parsed, implicit }
    }

    /// Runs a closure with the meaning of a document, which may have syntax errors.
    pub(crate) fn with<R>(document: &TypeScriptDocument, look: impl for<'b, 'c> FnOnce(Semantics<'b, 'c>) -> R) -> R {
        document.tree.with(|parsed| look(Semantics::new(document, parsed, &OnceCell::new())))
    }

    /// Runs a closure with the meaning of a document. Fails if syntax errors hide a part of its text.
    pub(crate) fn with_valid_syntax<R>(
        document: &TypeScriptDocument,
        look: impl for<'b, 'c> FnOnce(Semantics<'b, 'c>) -> Result<R>,
    ) -> Result<R> {
        Semantics::with(document, |code| {
            if !code.parsed.is_exact(code.text()) {
                let (reason, hint) = code.parsed.unread_reason();
                return Err(refactor_failure(reason).hint(hint));
            }
            look(code)
        })
    }

    pub(crate) fn tree(self) -> &'s Tree {
        &self.document.tree
    }

    pub(crate) fn text(self) -> &'s str {
        self.document.tree.text()
    }

    /// Returns whether the file may contain types.
    pub(crate) fn is_typed(self) -> bool {
        !self.document.tree.grammar().is_javascript()
    }

    pub(crate) fn program(self) -> &'a Program<'a> {
        self.parsed.program
    }

    pub(crate) fn semantic(self) -> &'s Semantic<'a> {
        self.parsed.semantic()
    }

    pub(crate) fn scoping(self) -> &'s Scoping {
        self.parsed.semantic().scoping()
    }

    pub(crate) fn nodes(self) -> &'s AstNodes<'a> {
        self.parsed.semantic().nodes()
    }

    pub(crate) fn comments(self) -> &'a [Comment] {
        &self.parsed.program.comments
    }

    // --- nodes ---

    pub(crate) fn kind(self, node: NodeId) -> AstKind<'a> {
        self.nodes().kind(node)
    }

    pub(crate) fn span(self, node: NodeId) -> oxc_span::Span {
        self.nodes().kind(node).span()
    }

    pub(crate) fn parent(self, node: NodeId) -> NodeId {
        self.nodes().parent_id(node)
    }

    pub(crate) fn parent_kind(self, node: NodeId) -> AstKind<'a> {
        self.nodes().parent_kind(node)
    }

    /// Returns the scope in which a node is.
    pub(crate) fn scope_of(self, node: NodeId) -> ScopeId {
        self.nodes().get_node(node).scope_id()
    }

    /// Yields the nodes inside a span, from the outside in.
    pub(crate) fn nodes_in(self, place: impl Place) -> impl Iterator<Item = (NodeId, AstKind<'a>)> {
        let within = place.place();
        let nodes = self.nodes().iter().map(|node| (node.id(), node.kind()));
        nodes.filter(move |(_, kind)| within.contains(kind.span().place()))
    }

    /// Yields the nodes that touch an offset, from the outside in.
    pub(crate) fn nodes_at(self, offset: u32) -> impl Iterator<Item = (NodeId, AstKind<'a>)> {
        let nodes = self.nodes().iter().map(|node| (node.id(), node.kind()));
        nodes.filter(move |(_, kind)| kind.span().start <= offset && offset <= kind.span().end)
    }

    /// Returns the innermost statement around a place.
    pub(crate) fn statement_around(self, place: impl Place) -> Option<Span> {
        let within = place.place();
        let lists = self.nodes().iter().flat_map(|node| positions::statement_lists(node.kind()));
        let around = lists.flatten().map(|statement| statement.span().place()).filter(|span| span.contains(within));
        around.min_by_key(|span| span.len())
    }

    /// Returns the text at a place, without a part that only a repair of syntax errors added.
    pub(crate) fn source(self, place: impl Place) -> &'s str {
        clamp(place.place(), Span::new(0, self.text().len())).slice(self.text())
    }

    /// Returns whether there are comments between the parts of an expression that encloses another one.
    pub(crate) fn has_comments_around(self, outer: oxc_span::Span, inner: oxc_span::Span) -> bool {
        let semantic = self.semantic();
        semantic.has_comments_between(oxc_span::Span::new(outer.start, inner.start))
            || semantic.has_comments_between(oxc_span::Span::new(inner.end, outer.end))
    }

    /// Returns whether there are comments at a place.
    pub(crate) fn has_comments_in(self, place: impl Place) -> bool {
        self.semantic().has_comments_between(place.place().into_oxc())
    }

    /// Returns the JSDoc comment that contains a place.
    pub(crate) fn jsdoc_around(self, place: impl Place) -> Option<Span> {
        let within = place.place();
        let comment = self.comments().iter().find(|it| it.span.start < within.start && within.end < it.span.end);
        comment.filter(|it| it.is_jsdoc()).map(|it| it.span.place())
    }

    /// Returns the start of the statement that a comment is in or before.
    pub(crate) fn commented_statement(self, comment: Span) -> u32 {
        let known = self.comments().iter().find(|it| it.span.start == comment.start);
        let attached = known.map_or(comment.start, |it| it.attached_to);
        let body = &self.program().body;
        let index = body.partition_point(|statement| statement.span().end <= attached);
        body.get(index).map_or(comment.start, |statement| statement.span().start)
    }

    /// Returns an expression without its parentheses, unless these contain comments.
    pub(crate) fn without_parentheses<'e>(self, expression: &'e Expression<'a>) -> &'e Expression<'a> {
        let mut inner = expression;
        while let Expression::ParenthesizedExpression(it) = inner
            && !self.has_comments_around(it.span, it.expression.span())
        {
            inner = &it.expression;
        }
        inner
    }

    /// Returns the span and the key of the property whose value a node is: `a: value`.
    pub(crate) fn property_value(self, node: NodeId) -> Option<(Span, &'a str)> {
        match self.parent_kind(node) {
            AstKind::ObjectProperty(property) if !property.shorthand && !property.computed => match &property.key {
                PropertyKey::StaticIdentifier(key) => Some((property.span.place(), key.name.as_str())),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns whether a node is the name of a shorthand property: `a` in `{ a }`.
    pub(crate) fn is_shorthand(self, node: NodeId) -> bool {
        matches!(self.parent_kind(node), AstKind::ObjectProperty(property) if property.shorthand)
    }

    /// Returns whether a single statement can be the body of a node: a loop, an `if`, a label, `with`.
    pub(crate) fn is_single_body(self, node: NodeId) -> bool {
        let kind = self.kind(node);
        kind.is_iteration_statement()
            || matches!(kind, AstKind::IfStatement(_) | AstKind::LabeledStatement(_) | AstKind::WithStatement(_))
    }

    /// Returns whether a node is the value of a JSX attribute.
    pub(crate) fn is_attribute_value(self, node: NodeId) -> bool {
        matches!(self.parent_kind(node), AstKind::JSXAttribute(_))
    }

    pub(crate) fn is_inside_comment(self, offset: u32) -> bool {
        self.semantic().is_inside_comment(offset)
    }

    // --- names ---

    /// Returns the symbol that a name refers to.
    pub(crate) fn symbol_of(self, name: &IdentifierReference<'_>) -> Option<SymbolId> {
        self.scoping().get_reference(name.reference_id.get()?).symbol_id()
    }

    pub(crate) fn name_of(self, symbol: SymbolId) -> &'s str {
        self.scoping().symbol_name(symbol)
    }

    /// Returns the node that declares a symbol.
    pub(crate) fn declaration_of(self, symbol: SymbolId) -> NodeId {
        self.scoping().symbol_declaration(symbol)
    }

    /// Yields the references to a symbol, with their spans.
    pub(crate) fn references_of(self, symbol: SymbolId) -> impl Iterator<Item = (&'s Reference, oxc_span::Span)> {
        let references = self.scoping().get_resolved_references(symbol);
        references.map(move |reference| (reference, self.semantic().reference_span(reference)))
    }

    /// Returns the symbol that a name means in a scope.
    pub(crate) fn binding(self, scope: ScopeId, name: &str) -> Option<SymbolId> {
        self.scoping().find_binding(scope, Ident::from(name))
    }

    /// Returns the first of the names that has another meaning in a scope.
    pub(crate) fn changed_name<'n>(self, scope: ScopeId, names: &'n [FreeName<'_>]) -> Option<&'n FreeName<'n>> {
        names.iter().find(|free| self.binding(scope, free.name) != free.symbol)
    }

    /// Returns the symbol that a name means at the top level of the file.
    pub(crate) fn top_level_symbol(self, name: &str) -> Option<SymbolId> {
        self.scoping().get_root_binding(Ident::from(name))
    }

    /// Returns whether the file uses a name without declaring it.
    pub(crate) fn is_global_name(self, name: &str) -> bool {
        self.scoping().root_unresolved_references().contains_key(&Ident::from(name))
    }

    /// Returns whether the file declares or uses a name.
    pub(crate) fn is_taken(self, name: &str) -> bool {
        self.is_global_name(name) || self.scoping().symbol_names().any(|known| known == name)
    }

    /// Returns whether other scripts can use the symbol, because the file is not a module.
    pub(crate) fn is_script_global(self, symbol: SymbolId) -> bool {
        self.scoping().symbol_scope_id(symbol) == self.scoping().root_scope_id()
            && !self.with_checker(|checker| checker.open_module().is_module())
    }

    /// Returns the names that the code at a place uses without declaring them.
    pub(crate) fn free_names(self, place: impl Place) -> Vec<FreeName<'s>> {
        let mut found = effects::used_names(self.semantic(), NodeId::ROOT, place.place().into_oxc());
        found.sort_by_key(|free| free.name);
        found
    }

    // --- effects ---

    /// Returns the effects of the code at a place, which is inside a node.
    pub(crate) fn effects_of(self, around: NodeId, place: impl Place) -> Effects {
        effects::effects_of(self.semantic(), &self.implicit_code(), around, place.place().into_oxc())
    }

    /// Returns the code that runs without a call, in this file and the files that it imports.
    fn implicit_code(self) -> Rc<ImplicitCode> {
        let collect = || Rc::new(self.with_checker(|checker| ImplicitCode::of_program(checker)));
        self.implicit.get_or_init(collect).clone()
    }

    // --- types ---

    /// Runs a closure with a type checker.
    pub(crate) fn with_checker<R>(self, look: impl FnOnce(&mut Checker<'_>) -> R) -> R {
        with_checker(self.document, look)
    }

    /// Returns another file that imports this one and that this one imports, if there is one.
    pub(crate) fn import_cycle(self) -> Option<String> {
        self.with_checker(|checker| checker.import_cycle())
    }
}
