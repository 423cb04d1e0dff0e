//! Targets for the new function: enclosing function bodies, namespaces, the file, or the class.

use marquetry_sdk::refactor::refactor_failure;
use marquetry_sdk::{Result, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, ScopeId, SymbolId};
use oxc_span::GetSpan as _;

use crate::semantics::extraction::code_range::CodeRange;
use crate::semantics::{Semantics, functions, subclasses};
use crate::syntax::spans::to_sdk_span;

/// A place where the new function can be declared.
#[derive(Clone)]
pub(crate) struct FunctionTarget<'a> {
    pub(crate) target_scope: TargetScope<'a>,
    pub(crate) scope: ScopeId,
}

#[derive(Clone, Copy)]
pub(crate) enum TargetScope<'a> {
    File(&'a Program<'a>),
    /// A body in braces: of a function or a namespace.
    Body(&'a [Statement<'a>], Span),
    Class {
        class: &'a Class<'a>,
        is_static: bool,
    },
}

impl<'a> FunctionTarget<'a> {
    /// Returns the enclosing function bodies and namespaces and the file, from the inside out.
    pub(crate) fn enclosing_targets(code: Semantics<'_, 'a>, range: &CodeRange<'a>) -> Vec<FunctionTarget<'a>> {
        let nodes = code.nodes();
        let parent = range.parent(code.semantic());
        let mut found = Vec::new();
        for node in std::iter::once(parent).chain(nodes.ancestor_ids(parent)) {
            let home = match nodes.kind(node) {
                AstKind::Program(it) => TargetScope::File(it),
                AstKind::FunctionBody(it) => TargetScope::Body(&it.statements, to_sdk_span(it.span)),
                AstKind::TSModuleBlock(it) => TargetScope::Body(&it.body, to_sdk_span(it.span)),
                _ => continue,
            };
            let scope = match (nodes.kind(node), nodes.parent_kind(node)) {
                (AstKind::Program(it), _) => it.scope_id.get(),
                (_, AstKind::Function(it)) => it.scope_id.get(),
                (_, AstKind::ArrowFunctionExpression(it)) => it.scope_id.get(),
                (_, AstKind::TSNamespaceDeclaration(it)) => it.scope_id.get(),
                _ => None,
            };
            found.extend(scope.map(|scope| FunctionTarget { target_scope: home, scope }));
        }
        found
    }

    /// Returns the class that contains the range in a member.
    pub(crate) fn class_target(code: Semantics<'_, 'a>, range: &CodeRange<'a>) -> Result<FunctionTarget<'a>> {
        let nodes = code.nodes();
        let mut inner = range.node();
        let mut functions = 0_usize;
        let mut in_parameters = false;
        for node in nodes.ancestor_ids(inner) {
            let below = nodes.kind(inner).span();
            match nodes.kind(node) {
                AstKind::Function(it) => {
                    functions += 1;
                    in_parameters = it.params.span == below;
                }
                // Keys, decorators and the base class are evaluated before an object exists.
                AstKind::MethodDefinition(it) if it.key.span() == below => break,
                AstKind::PropertyDefinition(it) if it.key.span() == below => break,
                AstKind::AccessorProperty(it) if it.key.span() == below => break,
                AstKind::Decorator(_) | AstKind::Class(_) => break,
                AstKind::ClassBody(_) => {
                    let AstKind::Class(class) = nodes.parent_kind(node) else { break };
                    let Some(scope) = class.scope_id.get() else { break };
                    let (is_static, own) = match nodes.kind(inner) {
                        AstKind::MethodDefinition(it) => {
                            let constructs = it.kind == MethodDefinitionKind::Constructor;
                            let is_early = constructs
                                && (in_parameters || functions::runs_before_super(code, it.span, range.span.start));
                            (it.r#static || is_early, 1)
                        }
                        AstKind::PropertyDefinition(it) => (it.r#static, 0),
                        AstKind::AccessorProperty(it) => (it.r#static, 0),
                        AstKind::StaticBlock(_) => (true, 0),
                        _ => break,
                    };
                    if functions > own {
                        return Err(refactor_failure("the selection is in a function that has its own `this`")
                            .hint("use `extract_function`"));
                    }
                    return Ok(FunctionTarget { target_scope: TargetScope::Class { class, is_static }, scope });
                }
                _ => {}
            }
            inner = node;
        }
        Err(refactor_failure("the selection is not in a method of a class").hint("use `extract_function`"))
    }

    /// Returns the class, and whether the function is a static method of it.
    pub(crate) fn class(&self) -> Option<(NodeId, bool)> {
        match self.target_scope {
            TargetScope::Class { class, is_static } => Some((class.node_id.get(), is_static)),
            _ => None,
        }
    }

    /// Returns the object that has the method: `this`, or the class. A subclass calls static methods with itself as
    /// `this`.
    pub(crate) fn method_object(&self, range: &CodeRange<'_>) -> Option<&'a str> {
        let uses_this = range.this.is_some() || range.super_member.is_some();
        match self.target_scope {
            TargetScope::Class { class: Class { id: Some(id), .. }, is_static: true } if !uses_this => {
                Some(id.name.as_str())
            }
            TargetScope::Class { .. } => Some("this"),
            _ => None,
        }
    }

    /// Returns whether something at the target has a name.
    pub(crate) fn is_taken(&self, code: Semantics<'_, '_>, name: &str) -> bool {
        match self.target_scope {
            TargetScope::Class { class, is_static } => {
                let is_own = class.body.body.iter().any(|it| it.static_name().is_some_and(|known| known == name));
                is_own || subclasses::is_member_taken(code.document, class.node_id.get(), is_static, name)
            }
            _ => code.is_taken(name),
        }
    }

    /// Returns whether a symbol is in scope in the new function.
    pub(crate) fn can_reference(&self, code: Semantics<'_, '_>, symbol: SymbolId) -> bool {
        let home = code.scoping().symbol_scope_id(symbol);
        home == self.scope || code.scoping().scope_is_descendant_of(self.scope, home)
    }

    /// Returns the statements or members among which the function is inserted, and whether each is a function.
    pub(crate) fn siblings(&self) -> Vec<(Span, bool)> {
        let statement = |it: &Statement<'_>| (to_sdk_span(it.span()), is_function(it));
        match &self.target_scope {
            TargetScope::File(program) => program.body.iter().map(statement).collect(),
            TargetScope::Body(statements, _) => statements.iter().map(statement).collect(),
            TargetScope::Class { class, .. } => class.body.body.iter().map(member_span).collect(),
        }
    }

    /// Returns the braces around the target; `None` for a file.
    pub(crate) fn braces(&self) -> Option<Span> {
        match &self.target_scope {
            TargetScope::File(_) => None,
            TargetScope::Body(_, span) => Some(*span),
            TargetScope::Class { class, .. } => Some(to_sdk_span(class.body.span)),
        }
    }
}

fn is_function(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::FunctionDeclaration(_) => true,
        Statement::ExportDeclaration(it) => matches!(it.declaration, Declaration::FunctionDeclaration(_)),
        Statement::ExportDefaultDeclaration(it) => {
            matches!(it.declaration, ExportDefaultDeclarationKind::FunctionDeclaration(_))
        }
        _ => false,
    }
}

fn member_span(element: &ClassElement<'_>) -> (Span, bool) {
    let mut span = to_sdk_span(element.span());
    let (decorators, is_method): (&[Decorator<'_>], bool) = match element {
        ClassElement::MethodDefinition(it) => (&it.decorators, it.kind != MethodDefinitionKind::Constructor),
        ClassElement::PropertyDefinition(it) => (&it.decorators, false),
        _ => (&[], false),
    };
    if let Some(first) = decorators.first() {
        span.start = span.start.min(first.span.start);
    }
    (span, is_method)
}

/// Returns the qualified name of the namespace of a symbol, starting with one in scope of the target: `A.B`. `None` if
/// a part is not exported.
pub(crate) fn namespace_qualifier(
    code: Semantics<'_, '_>,
    target: &FunctionTarget<'_>,
    symbol: SymbolId,
) -> Option<String> {
    let scoping = code.scoping();
    let nodes = code.nodes();
    let mut names: Vec<&str> = Vec::new();
    let mut next = symbol;
    loop {
        let declaration = scoping.symbol_declaration(next);
        // The export declaration encloses the declaration.
        let is_exported =
            nodes.ancestor_kinds(declaration).take(3).any(|kind| matches!(kind, AstKind::ExportDeclaration(_)))
                || matches!(nodes.parent_kind(declaration), AstKind::TSNamespaceDeclaration(_));
        if !is_exported {
            return None;
        }
        let around = scoping.get_node_id(scoping.symbol_scope_id(next));
        let AstKind::TSNamespaceDeclaration(namespace) = nodes.kind(around) else { return None };
        names.push(namespace.id.name.as_str());
        next = namespace.id.symbol_id.get()?;
        if target.can_reference(code, next) {
            names.reverse();
            return Some(names.join("."));
        }
    }
}
