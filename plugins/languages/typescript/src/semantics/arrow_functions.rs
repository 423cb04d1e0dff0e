//! Functions that can be arrow functions with the same meaning.

use marquetry_sdk::{Result, Selection, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan as _;

use crate::semantics::functions::{self, CallContext, FunctionNode};
use crate::semantics::{Semantics, positions, refusal_at};
use crate::syntax::spans::Place as _;

/// A function that can be an arrow function.
pub(crate) struct ArrowCandidate<'s, 'a> {
    code: Semantics<'s, 'a>,
    function: &'a Function<'a>,
    body: &'a FunctionBody<'a>,
}

/// The parts of a function before its body.
pub(crate) struct FunctionHead {
    /// The keyword `function`.
    pub(crate) keyword: Span,
    pub(crate) name: Option<Span>,
    /// The only type parameter, if JSX would read `<T>` as the start of an element.
    pub(crate) ambiguous_parameter: Option<Span>,
    /// The return type, or else the parameters.
    pub(crate) last: Span,
}

/// The variable that replaces a function declaration.
pub(crate) struct DeclaredName<'s> {
    pub(crate) keyword: &'static str,
    pub(crate) name: &'s str,
}

/// A `.bind(…)` call directly on a function.
struct BindCall {
    /// The call, including its optional chain.
    call: oxc_span::Span,
    /// True if only `this` is bound, so that an arrow function does not need the call.
    only_this: bool,
    binds_this: bool,
}

impl<'s, 'a> ArrowCandidate<'s, 'a> {
    /// Returns the function whose head contains the caret. Fails if it cannot be an arrow function.
    pub(crate) fn at(code: Semantics<'s, 'a>, at: Selection) -> Result<ArrowCandidate<'s, 'a>> {
        let found = code.function_at(at)?;
        let FunctionNode::Function(function) = found else {
            return Err(refusal_at("the function is already an arrow function", found.span()));
        };
        check_import_cycle(code, function)?;
        let Some(body) = &function.body else {
            return Err(refusal_at("a function without a body cannot be an arrow function", function.span)
                .hint("declare a variable with a function type instead"));
        };
        let candidate = ArrowCandidate { code, function, body };
        candidate.check_form()?;
        let mut words = CallContext::from_function(found);
        if candidate.bind_call().is_some_and(|bound| bound.binds_this) {
            words.this = None;
        }
        words.check("an arrow function")?;
        Ok(candidate)
    }

    pub(crate) fn span(&self) -> Span {
        self.function.span.place()
    }

    pub(crate) fn body_span(&self) -> Span {
        self.body.span.place()
    }

    pub(crate) fn is_declaration(&self) -> bool {
        self.function.r#type == FunctionType::FunctionDeclaration
    }

    fn node(&self) -> NodeId {
        self.function.node_id.get()
    }

    fn parent(&self) -> AstKind<'a> {
        self.code.parent_kind(self.node())
    }

    pub(crate) fn head(&self) -> Result<FunctionHead> {
        let (function, text) = (self.function, self.code.text());
        let Some(keyword) = functions::function_keyword(function, text) else {
            return Err(refusal_at("the head of the function could not be parsed", function.span));
        };
        let types = function.type_parameters.as_deref().filter(|_| self.code.tree().grammar().is_jsx());
        let ambiguous_parameter = match types.map(|types| types.params.as_slice()) {
            Some([TSTypeParameter { constraint: None, span, .. }])
                if !text[span.end as usize..].trim_start().starts_with(',') =>
            {
                Some(span.place())
            }
            _ => None,
        };
        let last = function.return_type.as_ref().map_or(function.params.span, |annotation| annotation.span);
        let name = function.id.as_ref().map(|id| id.span.place());
        Ok(FunctionHead { keyword, name, ambiguous_parameter, last: last.place() })
    }

    /// Returns the variable that replaces a declaration; `None` if the declaration has no name.
    pub(crate) fn declared_name(&self) -> Result<Option<DeclaredName<'s>>> {
        let Some(id) = &self.function.id else { return Ok(None) };
        if matches!(self.parent(), AstKind::ExportDefaultDeclaration(_)) {
            return Err(refusal_at("a default export keeps its name only as a function declaration", id.span)
                .hint("first make it a named export with `toggle_export_default`"));
        }
        let Some(symbol) = id.symbol_id.get() else {
            return Err(refusal_at(format!("`{}` could not be resolved", id.name), id.span));
        };
        self.check_hoisting(symbol, id)?;
        let keyword = if self.code.scoping().symbol_is_mutated(symbol) { "let" } else { "const" };
        Ok(Some(DeclaredName { keyword, name: self.code.source(id.span) }))
    }

    /// Returns the call `.bind(this)` around the function, which an arrow function does not need.
    pub(crate) fn needless_bind(&self) -> Result<Option<Span>> {
        let own = self.function.span;
        let Some(bound) = self.bind_call().filter(|bound| bound.only_this) else { return Ok(None) };
        let around = [(bound.call.start, own.start), (own.end, bound.call.end)];
        let has_comment = |(start, end)| {
            let part = self.code.source(Span { start, end });
            part.contains("//") || part.contains("/*")
        };
        if around.into_iter().any(has_comment) {
            return Err(
                refusal_at("the comment in `.bind(this)` would be lost", bound.call).hint("first move the comment out")
            );
        }
        Ok(Some(bound.call.place()))
    }

    /// Returns the value that the body only returns, and whether it needs parentheses as a body. `None` for arguments of
    /// calls, which keep their braces.
    pub(crate) fn only_value(&self) -> Option<(Span, bool)> {
        let [Statement::ReturnStatement(statement)] = self.body.statements.as_slice() else { return None };
        let value = statement.argument.as_ref()?;
        let is_argument = matches!(
            self.parent(),
            AstKind::CallExpression(_)
                | AstKind::NewExpression(_)
                | AstKind::LogicalExpression(_)
                | AstKind::ConditionalExpression(_)
                | AstKind::StaticMemberExpression(_)
        );
        let is_lost = self.code.has_comments_around(self.body.span, value.span());
        if is_argument || is_lost || !self.body.directives.is_empty() {
            return None;
        }
        let is_sequence = matches!(value, Expression::SequenceExpression(_));
        Some((value.span().place(), is_sequence || self.code.source(value.span()).starts_with('{')))
    }

    /// Refuses functions that cannot be arrow functions.
    fn check_form(&self) -> Result<()> {
        let function = self.function;
        if function.generator {
            return Err(refusal_at("a generator cannot be an arrow function", function.span));
        }
        let method = match self.parent() {
            AstKind::MethodDefinition(_) => true,
            AstKind::ObjectProperty(property) => property.method || property.kind != PropertyKind::Init,
            _ => false,
        };
        if method {
            return Err(refusal_at("a method cannot be an arrow function", function.span)
                .hint("first make it a property whose value is a function"));
        }
        if let Some(this) = &function.this_param {
            return Err(refusal_at("an arrow function cannot declare a `this` parameter", this.span)
                .hint("first pass the value of `this` as a parameter"));
        }
        if let Some(annotation) = &function.return_type
            && matches!(&annotation.type_annotation, TSType::TSTypePredicate(predicate) if predicate.asserts)
        {
            return Err(refusal_at("an assertion function must be a function declaration", annotation.span));
        }
        let mut names: Vec<&str> =
            function.params.items.iter().filter_map(|item| simple_parameter_name(&item.pattern)).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(refusal_at(format!("two parameters are called `{}`", twice[0]), function.params.span)
                .hint("first give them different names"));
        }
        self.check_uses()
    }

    /// Refuses a function with uses that an arrow function does not support.
    fn check_uses(&self) -> Result<()> {
        let own = self.function.id.as_ref().and_then(|id| id.symbol_id.get());
        let variable = match self.parent() {
            AstKind::VariableDeclarator(VariableDeclarator { id: BindingPattern::BindingIdentifier(name), .. }) => {
                Some(name)
            }
            _ => None,
        };
        let named = variable.and_then(|name| name.symbol_id.get());
        for symbol in own.into_iter().chain(named) {
            if let Some(place) = functions::constructor_use(self.code.semantic(), symbol) {
                return Err(refusal_at(
                    "the function is used as a constructor, which an arrow function cannot be",
                    place,
                )
                .hint("make it a class instead"));
            }
        }
        let is_expression = self.function.r#type == FunctionType::FunctionExpression;
        let Some(own) = own.filter(|_| is_expression) else { return Ok(()) };
        // If the variable has the same name and is never reassigned, its name refers to the same function.
        let scoping = self.code.scoping();
        let same = variable.is_some_and(|name| name.name == scoping.symbol_name(own))
            && named.is_some_and(|named| !scoping.symbol_is_mutated(named));
        match self.code.references_of(own).next() {
            Some((_, used)) if !same => {
                let name = scoping.symbol_name(own);
                let message =
                    format!("the function calls itself by its name `{name}`, and arrow functions have no name");
                Err(refusal_at(message, used).hint("first declare it as a function or variable of that name"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a declaration with uses where a variable would be uninitialized or out of scope.
    fn check_hoisting(&self, symbol: SymbolId, id: &BindingIdentifier<'_>) -> Result<()> {
        if !self.code.scoping().symbol_redeclarations(symbol).is_empty() {
            return Err(refusal_at(format!("`{}` is declared more than once", id.name), id.span)
                .hint("only a function with a single declaration can become a variable"));
        }
        let is_listed =
            positions::is_statement_list(&self.parent()) && !matches!(self.parent(), AstKind::SwitchCase(_));
        if !is_listed && !matches!(self.parent(), AstKind::ExportDeclaration(_)) {
            return Err(refusal_at("a variable cannot be declared here", id.span).hint("first wrap it in a block"));
        }
        // Types and export lists do not need the value immediately.
        let early = self.code.references_of(symbol).filter(|(reference, span)| {
            span.start < self.function.span.start
                && reference.flags().is_value()
                && !matches!(self.code.parent_kind(reference.node_id()), AstKind::ExportSpecifier(_))
        });
        if let Some((_, early)) = early.min_by_key(|(_, place)| place.start) {
            return Err(refusal_at(format!("`{}` is used before its declaration", id.name), early)
                .hint("move the function above its first use, then convert it"));
        }
        if self.code.is_global_name(&id.name) {
            return Err(refusal_at(format!("`{}` is used outside the block that declares it", id.name), id.span)
                .hint("move the function out of the block, then convert it"));
        }
        Ok(())
    }

    /// Returns the `.bind(…)` call on the function, which may be in parentheses.
    fn bind_call(&self) -> Option<BindCall> {
        let nodes = self.code.nodes();
        let mut at = self.node();
        while let AstKind::ParenthesizedExpression(_) = nodes.parent_kind(at) {
            at = nodes.parent_id(at);
        }
        let member = nodes.parent_id(at);
        let AstKind::StaticMemberExpression(bind) = nodes.kind(member) else { return None };
        let AstKind::CallExpression(call) = nodes.parent_kind(member) else { return None };
        if bind.property.name != "bind" || call.callee.span() != bind.span {
            return None;
        }
        let binds_this = matches!(call.arguments.first(), Some(Argument::ThisExpression(_)));
        let only_this = binds_this && call.arguments.len() == 1;
        // The optional chain ends with the call, or continues after it.
        let whole = match nodes.parent_kind(nodes.parent_id(member)) {
            AstKind::ChainExpression(chain)
                if chain.span.start == call.span.start && chain.span.end == call.span.end =>
            {
                chain.span
            }
            _ => call.span,
        };
        Some(BindCall { call: whole, only_this, binds_this })
    }
}

/// Refuses an exported declaration of a file in an import cycle: importers may call it before this file runs, and a
/// variable would not have a value yet.
fn check_import_cycle(code: Semantics<'_, '_>, function: &Function<'_>) -> Result<()> {
    let declared = function.id.as_ref().filter(|_| function.is_function_declaration());
    let Some(symbol) = declared.and_then(|id| id.symbol_id.get()) else { return Ok(()) };
    let is_exported = code.with_checker(|checker| !checker.reexported_symbol_names(&[symbol]).is_empty());
    let Some(other) = is_exported.then(|| code.import_cycle()).flatten() else { return Ok(()) };
    Err(refusal_at(
        format!("`{other}` and this file import each other, so the function may be called before this file runs"),
        function.span,
    )
    .hint("break the import cycle first: function declarations are hoisted, variables are not"))
}

/// Returns the name that a parameter binds, if it is not a pattern.
fn simple_parameter_name<'a>(pattern: &'a BindingPattern<'_>) -> Option<&'a str> {
    match pattern {
        BindingPattern::BindingIdentifier(name) => Some(name.name.as_str()),
        BindingPattern::AssignmentPattern(with_default) => simple_parameter_name(&with_default.left),
        _ => None,
    }
}
