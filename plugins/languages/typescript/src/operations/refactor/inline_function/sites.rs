//! Uses of a function, and how each is inlined.

use marquetry_sdk::{Edit, Result};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, ScopeId, SymbolId};
use oxc_span::{GetSpan as _, Span};

use super::bindings::is_called;
use super::callee::{Body, Callee};
use super::{Source, refused, sdk};
use crate::rewrite::effects::{self, holds};

/// A file that uses the function: the file that declares it, or another one.
pub(super) struct Caller<'i, 's, 'a, 'c> {
    pub(super) source: Source<'s, 'c>,
    pub(super) callee_source: Source<'s, 'a>,
    pub(super) callee: &'i Callee<'s, 'a>,
    pub(super) is_same_file: bool,
    /// Names that the function uses of its file, if that file is not this one.
    pub(super) bound: &'i [&'i str],
}

/// Result of inlining.
#[derive(Default)]
pub(super) struct Done {
    pub(super) edits: Vec<Edit>,
    /// Uses that remain unchanged.
    pub(super) left: Vec<marquetry_sdk::Span>,
}

/// A use of the function.
#[derive(Clone, Copy)]
pub(super) struct Site<'c> {
    pub(super) span: Span,
    pub(super) form: Form<'c>,
    /// True for a shorthand property.
    pub(super) is_shorthand: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Form<'c> {
    /// The value of the call is used.
    Value(&'c CallExpression<'c>),
    /// The call is a statement. True if it is in a statement list, false if it is the only statement of a branch.
    Statement(&'c CallExpression<'c>, bool),
    /// The result of the call is returned.
    Return(&'c CallExpression<'c>),
    /// The call is the body of an arrow function.
    Arrow(&'c CallExpression<'c>),
    /// The function is used as a value.
    Function,
}

impl<'a, 'c> Caller<'_, '_, 'a, 'c> {
    /// Inlines the function at all uses of a name. With `goes`, a use that cannot be inlined is an error; otherwise it
    /// is left as it is.
    pub(super) fn inline(&self, symbol: SymbolId, goes: bool) -> Result<Done> {
        let scoping = self.source.semantic.scoping();
        let mut done = Done::default();
        let mut sites: Vec<Site<'c>> = Vec::new();
        for reference in scoping.get_resolved_references(symbol) {
            let span = self.source.semantic.reference_span(reference);
            if self.is_same_file && holds(self.callee.function.span(), span) {
                return Err(refused("the function calls itself", "it cannot be inlined into itself").at(sdk(span)));
            }
            if !goes && is_export(&self.source.semantic.nodes().parent_kind(reference.node_id())) {
                continue;
            }
            let is_type = reference.flags().is_value_as_type() || !reference.flags().is_value();
            let found = if is_type {
                Err(refused("the function is used in a type", "a function cannot be inlined into a type").at(sdk(span)))
            } else {
                self.site(reference.node_id(), reference.scope_id(), span)
            };
            match found {
                Ok(Site { form: Form::Function, span, .. }) if !goes => done.left.push(sdk(span)),
                Ok(site) => sites.push(site),
                Err(failure) if goes => return Err(failure),
                Err(_) => done.left.push(sdk(span)),
            }
        }
        sites.sort_by_key(|site| site.span.start);
        if let Some(pair) = sites.windows(2).find(|pair| pair[1].span.start < pair[0].span.end) {
            return Err(refused("calls of the function are nested", "first assign the inner call to a variable")
                .at(sdk(pair[1].span)));
        }
        let values = sites.iter().filter(|site| matches!(site.form, Form::Function)).count();
        if values > 1 {
            return Err(refused(
                "the function is used as a value in several places",
                "each would get its own copy instead of sharing one function",
            ));
        }
        done.edits = self.written(&sites, goes, &mut done.left)?;
        Ok(done)
    }

    /// Determines the form of a use, and whether the function can be inlined there.
    fn site(&self, node: NodeId, scope: ScopeId, span: Span) -> Result<Site<'c>> {
        let nodes = self.source.semantic.nodes();
        let around = nodes.parent_id(node);
        self.check_place(node, scope, span)?;
        let kind = nodes.kind(around);
        let AstKind::CallExpression(call) = kind else { return self.value(kind, span) };
        if !is_called(&kind, span) {
            return self.value(kind, span);
        }
        if call.optional {
            return Err(refused("the call uses `?.`", "first remove the `?.`").at(sdk(call.span)));
        }
        let outer = nodes.parent_id(around);
        let form = match nodes.kind(outer) {
            AstKind::ExpressionStatement(statement) => {
                let list = nodes.parent_kind(outer);
                let is_listed = matches!(
                    list,
                    AstKind::Program(_)
                        | AstKind::FunctionBody(_)
                        | AstKind::BlockStatement(_)
                        | AstKind::StaticBlock(_)
                        | AstKind::TSModuleBlock(_)
                        | AstKind::SwitchCase(_)
                );
                return self.with_form(Site {
                    span: statement.span,
                    form: Form::Statement(call, is_listed),
                    is_shorthand: false,
                });
            }
            AstKind::ReturnStatement(statement) => site_at(statement.span, Form::Return(call)),
            AstKind::ArrowFunctionExpression(arrow) if arrow.body.span() == call.span => {
                site_at(call.span, Form::Arrow(call))
            }
            _ => site_at(call.span, Form::Value(call)),
        };
        self.with_form(form)
    }

    /// Handles a function that is used as a value: it is written there as an expression.
    fn value(&self, around: AstKind<'c>, span: Span) -> Result<Site<'c>> {
        let other = match around {
            AstKind::JSXOpeningElement(_) | AstKind::JSXClosingElement(_) | AstKind::JSXMemberExpression(_) => {
                Some("the function is used as a JSX element")
            }
            AstKind::NewExpression(_) => Some("the function is used as a constructor"),
            AstKind::ExportSpecifier(_) | AstKind::ExportDefaultDeclaration(_) => Some("the function is exported"),
            AstKind::TaggedTemplateExpression(_) => Some("the function is used as a template tag"),
            AstKind::Decorator(_) => Some("the function is used as a decorator"),
            _ if effects::member(&around).is_some_and(|(_, object)| object.span() == span) => {
                Some("a member of the function is used")
            }
            _ => None,
        };
        match other {
            Some(message) => Err(refused(message, "only calls can be inlined").at(sdk(span))),
            None => {
                let is_shorthand = matches!(around, AstKind::ObjectProperty(it) if it.shorthand);
                Ok(Site { span, form: Form::Function, is_shorthand })
            }
        }
    }

    /// Refuses a use whose form does not match the body.
    fn with_form(&self, site: Site<'c>) -> Result<Site<'c>> {
        let refuse = |message: &str, hint: &str| Err(refused(message, hint).at(sdk(site.span)));
        // The call and the function both return `undefined`, so the arrow function needs no braces.
        if let Form::Arrow(call) = site.form
            && self.callee.only_call(self.callee_source).is_some()
        {
            return Ok(site_at(call.span, Form::Value(call)));
        }
        match (self.callee.body, site.form) {
            (Body::Value(_), Form::Return(call)) => Ok(site_at(call.span, Form::Value(call))),
            (Body::Value(_), Form::Statement(call, _)) => Ok(site_at(call.span, Form::Value(call))),
            (Body::Value(_), Form::Arrow(call)) => Ok(site_at(call.span, Form::Value(call))),
            (Body::Statements { returned: None, .. }, Form::Value(_) | Form::Return(_)) => refuse(
                "the value of the call is used, but the function returns nothing",
                "first make the call a statement of its own",
            ),
            (Body::Statements { returned: Some(_), .. }, Form::Value(_)) => {
                refuse("the function does more than return a value", "first make the call a statement of its own")
            }
            _ => Ok(site),
        }
    }

    /// Refuses a use where names in the function have a different meaning.
    fn check_place(&self, node: NodeId, scope: ScopeId, span: Span) -> Result<()> {
        let scoping = self.source.semantic.scoping();
        for name in &self.callee.free {
            let found = scoping.find_binding(scope, Ident::from(name.name));
            let is_same = if self.is_same_file { found == name.symbol } else { self.is_reachable(name.name, found) };
            if !is_same {
                return Err(refused(
                    format!("`{}` has a different meaning where the function is called", name.name),
                    "first rename one of them",
                )
                .at(sdk(span)));
            }
        }
        if self.callee.needs_this {
            let nodes = self.source.semantic.nodes();
            let declared = nodes.ancestors(self.callee.function.id()).find(|it| effects::has_own_this(&it.kind()));
            let used = nodes.ancestors(node).find(|it| effects::has_own_this(&it.kind()));
            if !self.is_same_file || declared.map(|it| it.id()) != used.map(|it| it.id()) {
                return Err(refused(
                    "`this` has a different value where the function is called",
                    "the function needs the `this` of its declaration",
                )
                .at(sdk(span)));
            }
        }
        Ok(())
    }

    /// Returns whether a name can be used in another file: globals of the platform are the same there, others would
    /// have to be imported.
    fn is_reachable(&self, name: &str, found: Option<SymbolId>) -> bool {
        let scoping = self.callee_source.semantic.scoping();
        found.is_none()
            && !self.bound.contains(&name)
            && scoping.root_unresolved_references().contains_key(&Ident::from(name))
    }
}

fn site_at<'c>(span: Span, form: Form<'c>) -> Site<'c> {
    Site { span, form, is_shorthand: false }
}

fn is_export(around: &AstKind<'_>) -> bool {
    matches!(around, AstKind::ExportSpecifier(_) | AstKind::ExportDefaultDeclaration(_))
}
