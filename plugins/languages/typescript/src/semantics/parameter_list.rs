//! The parameter list of a function, as written and as used in the function.

use std::collections::HashSet;

use marquetry_sdk::{Result, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::GetSpan as _;

use crate::program::module::Module;
use crate::semantics::functions::{CallContext, FunctionNode};
use crate::semantics::refusal_at;
use crate::semantics::signatures::{DeclaredFunction, check_called};
use crate::syntax::spans::span_in;

/// The parameter list of a function.
pub(crate) struct ParameterList<'m, 'w> {
    pub(crate) here: &'m Module<'w>,
    function: DeclaredFunction<'w>,
}

impl<'m, 'w> ParameterList<'m, 'w> {
    /// Returns the parameters of a function. Fails if calls by name do not determine them.
    pub(crate) fn new(here: &'m Module<'w>, declared: DeclaredFunction<'w>) -> Result<ParameterList<'m, 'w>> {
        let DeclaredFunction::Function(function) = declared else {
            return Ok(ParameterList { here, function: declared });
        };
        let nodes = here.semantic().nodes();
        check_called(here.semantic(), function)?;
        if let Some((word, place)) = CallContext::from_function(function).other_word
            && word == "arguments"
        {
            return Err(
                refusal_at("the function uses `arguments`", place).hint("first replace `arguments` with parameters")
            );
        }
        if let AstKind::VariableDeclarator(VariableDeclarator { type_annotation: Some(annotation), .. }) =
            nodes.parent_kind(function.id())
        {
            return Err(refusal_at("the type annotation of the variable declares the parameters", annotation.span)
                .hint("first move the types to the function and remove the annotation"));
        }
        Ok(ParameterList { here, function: declared })
    }

    pub(crate) fn is_typed(&self) -> bool {
        !self.here.is_javascript()
    }

    fn params(&self) -> &'w FormalParameters<'w> {
        self.function.params()
    }

    /// Returns whether the parameters cannot have defaults, because the declaration has no body.
    pub(crate) fn lacks_body(&self) -> bool {
        match self.function {
            DeclaredFunction::Function(function) => function.block().is_none() && function.expression().is_none(),
            DeclaredFunction::Method(_) | DeclaredFunction::Type(..) => true,
        }
    }

    /// Returns the number of parameters without the rest parameter.
    pub(crate) fn parameter_count(&self) -> usize {
        self.params().items.len()
    }

    /// Returns the names or patterns of the parameters; the rest parameter is the last.
    pub(crate) fn parameter_names(&self) -> Vec<String> {
        let text = |span: oxc_span::Span| span_in(span, self.here.text()).slice(self.here.text()).to_owned();
        let items = self.params().items.iter().map(|item| text(item.pattern.span()));
        items.chain(self.params().rest.iter().map(|rest| text(rest.rest.argument.span()))).collect()
    }

    /// Returns the span of the list with its parentheses, if it has them.
    pub(crate) fn span(&self) -> Span {
        span_in(self.params().span, self.here.text())
    }

    /// Returns the spans of the parameters with their decorators; the rest parameter is the last.
    pub(crate) fn items(&self) -> Vec<Span> {
        let text = self.here.text();
        let item = |item: &FormalParameter<'w>| {
            let start = item.decorators.first().map_or(item.span.start, |first| first.span.start.min(item.span.start));
            span_in(oxc_span::Span::new(start, item.span.end), text)
        };
        let rest = self.params().rest.iter().map(|rest| span_in(rest.span, text));
        self.params().items.iter().map(item).chain(rest).collect()
    }

    /// Returns the `this` parameter.
    pub(crate) fn this_parameter(&self) -> Option<Span> {
        let this = match self.function {
            DeclaredFunction::Function(FunctionNode::Function(function)) => function.this_param.as_ref(),
            DeclaredFunction::Function(FunctionNode::Arrow(_)) => None,
            DeclaredFunction::Method(method) => method.this_param.as_ref(),
            DeclaredFunction::Type(_, function) => function.this_param.as_ref(),
        };
        this.map(|this| span_in(this.span, self.here.text()))
    }

    /// Returns whether there is a rest parameter.
    pub(crate) fn has_rest(&self) -> bool {
        self.params().rest.is_some()
    }

    /// Returns whether calls may omit a parameter: it has a question mark.
    pub(crate) fn is_optional(&self, at: usize) -> bool {
        self.params().items.get(at).is_some_and(|item| item.optional)
    }

    /// Returns whether calls must pass a parameter.
    pub(crate) fn is_required(&self, at: usize) -> bool {
        self.params().items.get(at).is_some_and(|item| !item.optional && item.initializer.is_none())
    }

    /// Returns the name of a parameter that the function uses, and the first use.
    pub(crate) fn used_name(&self, at: usize) -> Option<(&str, oxc_span::Span)> {
        self.symbols(at).into_iter().find_map(|symbol| {
            let (_, place) = self.here.references_of(symbol).next()?;
            Some((self.here.name_of(symbol), place))
        })
    }

    /// Returns the name of a parameter that the default of another one reads, unless it is among `before`.
    pub(crate) fn read_in_default(&self, at: usize, before: &HashSet<usize>) -> Option<(&str, oxc_span::Span)> {
        let own = self.params().items.get(at)?.span;
        let others = (0..self.parameter_count()).filter(|other| *other != at && !before.contains(other));
        let mut read = others.flat_map(|other| self.symbols(other));
        let symbol =
            read.find(|symbol| self.here.references_of(*symbol).any(|(_, used)| own.contains_inclusive(used)))?;
        Some((self.here.name_of(symbol), own))
    }

    /// Returns a use or a declaration of a name in the function.
    pub(crate) fn use_of_name(&self, name: &str) -> Option<oxc_span::Span> {
        let own = self.function.span();
        let known = self.here.identifiers(name);
        let used = known.iter().find(|known| {
            let kind = self.here.kind(known.node);
            own.contains_inclusive(known.span)
                && matches!(kind, AstKind::IdentifierReference(_) | AstKind::BindingIdentifier(_))
        });
        used.map(|known| known.span)
    }

    fn symbols(&self, at: usize) -> Vec<SymbolId> {
        let names = match (self.params().items.get(at), &self.params().rest) {
            (Some(item), _) => item.pattern.get_binding_identifiers(),
            (None, Some(rest)) => rest.rest.argument.get_binding_identifiers(),
            (None, None) => return Vec::new(),
        };
        names.iter().filter_map(|name| name.symbol_id.get()).collect()
    }
}
