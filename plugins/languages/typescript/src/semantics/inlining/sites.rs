//! Uses of a function, and how each is inlined.

use marquetry_sdk::Result;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, ScopeId, SymbolId};
use oxc_span::{GetSpan as _, Span};

use crate::semantics::effects::{self, contains};
use crate::semantics::inlining::callee::{Body, InlinedFunction};
use crate::semantics::{Semantics, positions, refusal, refusal_at};
use crate::syntax::spans::Place as _;

/// A file that uses the function: the file that declares it, or another one.
pub(crate) struct CallingFile<'i, 's, 'a, 'c> {
    pub(crate) source: Semantics<'s, 'c>,
    pub(crate) callee_source: Semantics<'s, 'a>,
    pub(crate) callee: &'i InlinedFunction<'s, 'a>,
    pub(crate) is_same_file: bool,
    /// If the function is declared in another file: the names of that file that the function uses.
    pub(crate) needed_names: &'i [&'i str],
}

/// A use of the function.
#[derive(Clone, Copy)]
pub(crate) struct UseSite<'c> {
    pub(crate) span: Span,
    pub(crate) form: UseForm<'c>,
    /// True for a shorthand property.
    pub(crate) is_shorthand: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum UseForm<'c> {
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

impl<'a, 'c> CallingFile<'_, '_, 'a, 'c> {
    /// Returns the uses of a name at which the function can be inlined, in order, and the others. `goes` means that the
    /// declaration will be removed: then another use is an error.
    pub(crate) fn find_sites(
        &self,
        symbol: SymbolId,
        goes: bool,
    ) -> Result<(Vec<UseSite<'c>>, Vec<marquetry_sdk::Span>)> {
        let mut unresolved = Vec::new();
        let mut sites: Vec<UseSite<'c>> = Vec::new();
        for (reference, span) in self.source.references_of(symbol) {
            if self.is_same_file && contains(self.callee.function.span(), span) {
                return Err(refusal_at("the function calls itself", span).hint("it cannot be inlined into itself"));
            }
            if !goes && is_export(&self.source.nodes().parent_kind(reference.node_id())) {
                continue;
            }
            let is_type = reference.flags().is_value_as_type() || !reference.flags().is_value();
            let found = if is_type {
                Err(refusal_at("the function is used in a type", span).hint("a function cannot be inlined into a type"))
            } else {
                self.use_site(reference.node_id(), reference.scope_id(), span)
            };
            match found {
                Ok(UseSite { form: UseForm::Function, span, .. }) if !goes => unresolved.push(span.place()),
                Ok(site) => sites.push(site),
                Err(failure) if goes => return Err(failure),
                Err(_) => unresolved.push(span.place()),
            }
        }
        sites.sort_by_key(|site| site.span.start);
        if let Some(pair) = sites.windows(2).find(|pair| pair[1].span.start < pair[0].span.end) {
            return Err(refusal_at("calls of the function are nested", pair[1].span)
                .hint("first assign the inner call to a variable"));
        }
        let values = sites.iter().filter(|site| matches!(site.form, UseForm::Function)).count();
        if values > 1 {
            return Err(refusal(
                "the function is used as a value in several places",
                "each would get its own copy instead of sharing one function",
            ));
        }
        Ok((sites, unresolved))
    }

    /// Determines the form of a use, and whether the function can be inlined there.
    fn use_site(&self, node: NodeId, scope: ScopeId, span: Span) -> Result<UseSite<'c>> {
        let code = self.source;
        let around = code.parent(node);
        self.check_place(node, scope, span)?;
        let kind = code.kind(around);
        let AstKind::CallExpression(call) = kind else { return self.value_use(kind, span) };
        if !is_called(&kind, span) {
            return self.value_use(kind, span);
        }
        if call.optional {
            return Err(refusal_at("the call uses `?.`", call.span).hint("first remove the `?.`"));
        }
        let outer = code.parent(around);
        let form = match code.kind(outer) {
            AstKind::ExpressionStatement(statement) => {
                let is_listed = positions::is_statement_list(&code.parent_kind(outer));
                site_at(statement.span, UseForm::Statement(call, is_listed))
            }
            AstKind::ReturnStatement(statement) => site_at(statement.span, UseForm::Return(call)),
            AstKind::ArrowFunctionExpression(arrow) if arrow.body.span() == call.span => {
                site_at(call.span, UseForm::Arrow(call))
            }
            _ => site_at(call.span, UseForm::Value(call)),
        };
        self.check_form(form)
    }

    /// Handles a function that is used as a value: it is written there as an expression.
    fn value_use(&self, around: AstKind<'c>, span: Span) -> Result<UseSite<'c>> {
        let other = match around {
            AstKind::JSXOpeningElement(_) | AstKind::JSXClosingElement(_) | AstKind::JSXMemberExpression(_) => {
                Some("the function is used as a JSX element")
            }
            AstKind::NewExpression(_) => Some("the function is used as a constructor"),
            AstKind::ExportSpecifier(_) | AstKind::ExportDefaultDeclaration(_) => Some("the function is exported"),
            AstKind::TaggedTemplateExpression(_) => Some("the function is used as a template tag"),
            AstKind::Decorator(_) => Some("the function is used as a decorator"),
            _ if effects::member_access(&around).is_some_and(|(_, object)| object.span() == span) => {
                Some("a member of the function is used")
            }
            _ => None,
        };
        match other {
            Some(message) => Err(refusal_at(message, span).hint("only calls can be inlined")),
            None => {
                let is_shorthand = matches!(around, AstKind::ObjectProperty(it) if it.shorthand);
                Ok(UseSite { span, form: UseForm::Function, is_shorthand })
            }
        }
    }

    /// Refuses a use whose form does not match the body.
    fn check_form(&self, site: UseSite<'c>) -> Result<UseSite<'c>> {
        let refuse = |message: &str, hint: &str| Err(refusal_at(message, site.span).hint(hint));
        // The call and the function both return `undefined`, so the arrow function needs no braces.
        if let UseForm::Arrow(call) = site.form
            && self.callee.only_call(self.callee_source).is_some()
        {
            return Ok(site_at(call.span, UseForm::Value(call)));
        }
        match (self.callee.body, site.form) {
            (Body::Value(_), UseForm::Return(call)) => Ok(site_at(call.span, UseForm::Value(call))),
            (Body::Value(_), UseForm::Statement(call, _)) => Ok(site_at(call.span, UseForm::Value(call))),
            (Body::Value(_), UseForm::Arrow(call)) => Ok(site_at(call.span, UseForm::Value(call))),
            (Body::Statements { returned: None, .. }, UseForm::Value(_) | UseForm::Return(_)) => refuse(
                "the value of the call is used, but the function returns nothing",
                "first make the call a separate statement",
            ),
            (Body::Statements { returned: Some(_), .. }, UseForm::Value(_)) => {
                refuse("the function does more than return a value", "first make the call a separate statement")
            }
            _ => Ok(site),
        }
    }

    /// Refuses a use where names in the function have a different meaning.
    fn check_place(&self, node: NodeId, scope: ScopeId, span: Span) -> Result<()> {
        let of_module = |kind: AstKind<'_>| matches!(kind, AstKind::ImportExpression(_) | AstKind::ImportMeta(_));
        let mut code = self.callee_source.nodes_in(self.callee.function.span());
        if !self.is_same_file && code.any(|(_, kind)| of_module(kind)) {
            return Err(refusal_at("the function refers to files from its own path", span)
                .hint("first pass the path or the module as an argument"));
        }
        for name in &self.callee.free_names {
            let found = self.source.binding(scope, name.name);
            let is_same =
                if self.is_same_file { found == name.symbol } else { self.is_usable_in_file(name.name, found) };
            if !is_same {
                let message = format!("`{}` has a different meaning where the function is called", name.name);
                return Err(refusal_at(message, span).hint("first rename one of them"));
            }
        }
        let nodes = self.source.nodes();
        let this_around = |node| nodes.ancestors(node).find(|it| effects::has_own_this(&it.kind())).map(|it| it.id());
        let is_same_this = || self.is_same_file && this_around(self.callee.function.id()) == this_around(node);
        if self.callee.needs_this && !is_same_this() {
            return Err(refusal_at("`this` has a different value where the function is called", span)
                .hint("the function needs the `this` of its declaration"));
        }
        Ok(())
    }

    /// Returns whether a name has the same meaning in another file. This is true for globals of the platform; other
    /// names would have to be imported.
    fn is_usable_in_file(&self, name: &str, found: Option<SymbolId>) -> bool {
        let is_of_module = ["require", "module", "exports", "__dirname", "__filename"].contains(&name);
        found.is_none()
            && !is_of_module
            && !self.needed_names.contains(&name)
            && self.callee_source.is_global_name(name)
    }
}

fn site_at<'c>(span: Span, form: UseForm<'c>) -> UseSite<'c> {
    UseSite { span, form, is_shorthand: false }
}

fn is_export(around: &AstKind<'_>) -> bool {
    matches!(around, AstKind::ExportSpecifier(_) | AstKind::ExportDefaultDeclaration(_))
}

/// Returns whether a node is the callee of its parent: `f` in `f()`.
fn is_called(around: &AstKind<'_>, span: Span) -> bool {
    matches!(around, AstKind::CallExpression(call) if call.callee.span() == span)
}
