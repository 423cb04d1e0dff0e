//! `convert_to_arrow`: converts a function expression or declaration to an arrow function of the same meaning.

use marquetry_sdk::lines;
use marquetry_sdk::refactor::{Place, RefactorInput, Refactoring};
use marquetry_sdk::{Edit, Failure, FailureKind, Result, Rewrite, Span, fail};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, Semantic, SymbolId};
use oxc_span::GetSpan as _;

use crate::TypeScriptDocument;
use crate::editor::fragment::Fragment;
use crate::editor::parentheses::replacement_text;
use crate::editor::{final_checks, semicolons};
use crate::semantics::functions::{self, CallContext, FunctionNode};
use crate::semantics::with_checker;
use crate::syntax::spans::{skip_trivia, span_in};
use crate::syntax::tree::{Parsed, Tree};

pub(super) const CONVERT_TO_ARROW: Refactoring<TypeScriptDocument> = Refactoring {
    id: "convert_to_arrow",
    title: "Convert to an arrow function",
    place: Place::Name,
    arguments: &[],
    asks_exporters: false,
    apply,
};

/// Converts the function whose head contains the caret.
fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    let tree = &document.tree;
    tree.with(|parsed| {
        let semantic = parsed.semantic();
        let Some(found) = functions::function_at(semantic, tree.text(), input.at) else {
            return Err(functions::no_function_failure(semantic, tree.text(), input.at));
        };
        let FunctionNode::Function(function) = found else {
            return Err(refusal("the function is already an arrow function", found.span()));
        };
        let conversion = Conversion { parsed, semantic, tree, function };
        check_import_cycle(document, function)?;
        let edits = final_checks::sort_edits(conversion.conversion_edits()?)?;
        final_checks::check_syntax(parsed, tree, &edits)?;
        Ok(edits.into())
    })
}

/// Refuses an exported declaration of a file in an import cycle: importers may call it before this file runs, and a
/// variable would not have a value yet.
fn check_import_cycle(document: &TypeScriptDocument, function: &Function<'_>) -> Result<()> {
    let declared = function.id.as_ref().filter(|_| function.is_function_declaration());
    let Some(symbol) = declared.and_then(|id| id.symbol_id.get()) else { return Ok(()) };
    let cycle = with_checker(document, |checker| {
        if checker.reexported_symbol_names(&[symbol]).is_empty() { None } else { checker.import_cycle() }
    });
    let Some(other) = cycle else { return Ok(()) };
    Err(refusal(
        format!("`{other}` and this file import each other, so the function may be called before this file runs"),
        function.span,
    )
    .hint("break the import cycle first: function declarations are hoisted, variables are not"))
}

fn refusal(message: impl Into<String>, at: oxc_span::Span) -> Failure {
    fail(FailureKind::RefactorFailed, message).at(Span { start: at.start, end: at.end })
}

/// A `.bind(…)` call directly on a function.
struct BindCall {
    /// The call, including its optional chain.
    call: oxc_span::Span,
    /// True if only `this` is bound, so that an arrow function does not need the call.
    only_this: bool,
    binds_this: bool,
}

struct Conversion<'p, 'a> {
    parsed: &'p Parsed<'a>,
    semantic: &'p Semantic<'a>,
    tree: &'p Tree,
    function: &'a Function<'a>,
}

impl<'a> Conversion<'_, 'a> {
    fn text(&self) -> &str {
        self.tree.text()
    }

    fn node(&self) -> NodeId {
        self.function.node_id.get()
    }

    fn parent(&self) -> AstKind<'a> {
        self.semantic.nodes().parent_kind(self.node())
    }

    fn conversion_edits(&self) -> Result<Vec<Edit>> {
        let function = self.function;
        let Some(body) = &function.body else {
            return Err(refusal("a function without a body cannot be an arrow function", function.span)
                .hint("declare a variable with a function type instead"));
        };
        self.check_form()?;
        let bound = self.bind_call();
        let mut words = CallContext::from_function(FunctionNode::Function(function));
        if bound.as_ref().is_some_and(|bound| bound.binds_this) {
            words.this = None;
        }
        words.check("an arrow function")?;
        match function.r#type {
            FunctionType::FunctionDeclaration => self.convert_declaration(body),
            _ => self.convert_expression(body, bound),
        }
    }

    /// Refuses functions that cannot be arrow functions.
    fn check_form(&self) -> Result<()> {
        let function = self.function;
        if function.generator {
            return Err(refusal("a generator cannot be an arrow function", function.span));
        }
        let method = match self.parent() {
            AstKind::MethodDefinition(_) => true,
            AstKind::ObjectProperty(property) => property.method || property.kind != PropertyKind::Init,
            _ => false,
        };
        if method {
            return Err(refusal("a method cannot be an arrow function", function.span)
                .hint("first make it a property whose value is a function"));
        }
        if let Some(this) = &function.this_param {
            return Err(refusal("an arrow function cannot declare a `this` parameter", this.span)
                .hint("first pass the value of `this` as a parameter"));
        }
        if let Some(annotation) = &function.return_type
            && matches!(&annotation.type_annotation, TSType::TSTypePredicate(predicate) if predicate.asserts)
        {
            return Err(refusal("an assertion function must be a function declaration", annotation.span));
        }
        let mut names: Vec<&str> =
            function.params.items.iter().filter_map(|item| simple_parameter_name(&item.pattern)).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(refusal(format!("two parameters are called `{}`", twice[0]), function.params.span)
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
            if let Some(place) = functions::constructor_use(self.semantic, symbol) {
                return Err(refusal("the function is used as a constructor, which an arrow function cannot be", place)
                    .hint("make it a class instead"));
            }
        }
        let is_expression = self.function.r#type == FunctionType::FunctionExpression;
        let Some(own) = own.filter(|_| is_expression) else { return Ok(()) };
        // If the variable has the same name and is never reassigned, its name refers to the same function.
        let scoping = self.semantic.scoping();
        let same = variable.is_some_and(|name| name.name == scoping.symbol_name(own))
            && named.is_some_and(|named| !scoping.symbol_is_mutated(named));
        match scoping.get_resolved_references(own).next() {
            Some(reference) if !same => {
                let name = scoping.symbol_name(own);
                Err(refusal(
                    format!("the function calls itself by its name `{name}`, and arrow functions have no name"),
                    self.semantic.reference_span(reference),
                )
                .hint("first declare it as a function or variable of that name"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the edits that remove `function` and the name, and insert the arrow.
    fn head_edits(&self) -> Result<Vec<Edit>> {
        let (function, text) = (self.function, self.text());
        let Some(word) = functions::function_keyword(function, text) else {
            return Err(refusal("the head of the function could not be parsed", function.span));
        };
        let without_gap = |span: Span| {
            let rest = &text[span.range().end..];
            let gap = rest.len() - rest.trim_start().len();
            Span::new(span.range().start, span.range().end + gap)
        };
        let mut edits = vec![Edit::remove(without_gap(word))];
        if let Some(id) = &function.id {
            edits.push(Edit::remove(without_gap(span_in(id.span, text))));
        }
        // In JSX, `<T>` would start an element.
        if let Some(parameters) = function.type_parameters.as_deref().filter(|_| self.tree.grammar().is_jsx())
            && let [TSTypeParameter { constraint: None, span, .. }] = parameters.params.as_slice()
            && !text[span.end as usize..].trim_start().starts_with(',')
        {
            edits.push(Edit::insert(span.end as usize, ","));
        }
        let end = function.return_type.as_ref().map_or(function.params.span.end, |annotation| annotation.span.end);
        edits.push(Edit::insert(end as usize, " =>"));
        Ok(edits)
    }

    /// Converts `function f() {}` to `const f = () => {};`.
    fn convert_declaration(&self, body: &FunctionBody<'a>) -> Result<Vec<Edit>> {
        let (function, text) = (self.function, self.text());
        let mut edits = self.head_edits()?;
        let default = matches!(self.parent(), AstKind::ExportDefaultDeclaration(_));
        if let Some(id) = &function.id {
            if default {
                return Err(refusal("a default export keeps its name only as a function declaration", id.span)
                    .hint("first make it a named export with `toggle_export_default`"));
            }
            let Some(symbol) = id.symbol_id.get() else {
                return Err(refusal(format!("`{}` could not be resolved", id.name), id.span));
            };
            self.check_hoisting(symbol, id)?;
            let keyword = if self.semantic.scoping().symbol_is_mutated(symbol) { "let" } else { "const" };
            let name = span_in(id.span, text).slice(text);
            edits.push(Edit::insert(function.span.start as usize, format!("{keyword} {name} = ")));
        }
        let end = body.span.end as usize;
        let after = &text[skip_trivia(text, end)..];
        let needed = semicolons::uses_semicolons(self.parsed.program) || semicolons::continues_statement(after);
        if needed && !after.starts_with(';') {
            edits.push(Edit::insert(end, ";"));
        }
        Ok(edits)
    }

    /// Refuses a declaration with uses where a variable would be uninitialized or out of scope.
    fn check_hoisting(&self, symbol: SymbolId, id: &BindingIdentifier<'_>) -> Result<()> {
        let scoping = self.semantic.scoping();
        if !scoping.symbol_redeclarations(symbol).is_empty() {
            return Err(refusal(format!("`{}` is declared more than once", id.name), id.span)
                .hint("only a function with a single declaration can become a variable"));
        }
        let in_list = matches!(
            self.parent(),
            AstKind::Program(_)
                | AstKind::FunctionBody(_)
                | AstKind::BlockStatement(_)
                | AstKind::StaticBlock(_)
                | AstKind::TSModuleBlock(_)
                | AstKind::ExportDeclaration(_)
        );
        if !in_list {
            return Err(refusal("a variable cannot be declared here", id.span).hint("first wrap it in a block"));
        }
        // Types and export lists do not need the value immediately.
        let nodes = self.semantic.nodes();
        let early = scoping.get_resolved_references(symbol).filter(|reference| {
            reference.flags().is_value()
                && !matches!(nodes.parent_kind(reference.node_id()), AstKind::ExportSpecifier(_))
        });
        let early = early.map(|reference| self.semantic.reference_span(reference));
        if let Some(early) =
            early.filter(|place| place.start < self.function.span.start).min_by_key(|place| place.start)
        {
            return Err(refusal(format!("`{}` is used before its declaration", id.name), early)
                .hint("move the function above its first use, then convert it"));
        }
        if scoping.root_unresolved_references().contains_key(&Ident::from(id.name.as_str())) {
            return Err(refusal(format!("`{}` is used outside the block that declares it", id.name), id.span)
                .hint("move the function out of the block, then convert it"));
        }
        Ok(())
    }

    /// Converts a function expression, and removes its `.bind(this)`.
    fn convert_expression(&self, body: &FunctionBody<'a>, bound: Option<BindCall>) -> Result<Vec<Edit>> {
        let (function, text) = (self.function, self.text());
        let mut edits = self.head_edits()?;
        if let Some(edit) = self.body_as_expression(body) {
            edits.push(edit);
        }
        let own = span_in(function.span, text);
        let written = marquetry_sdk::span::apply_within(text, own.range(), &final_checks::sort_edits(edits)?);
        let Some(bound) = bound.filter(|bound| bound.only_this) else {
            let new = replacement_text(self.parsed, self.tree, own, &written);
            return Ok(vec![Edit::new(own, new)]);
        };
        let place = span_in(bound.call, text);
        let around = [place.start..own.start, own.end..place.end];
        let has_comment = |range: &std::ops::Range<u32>| {
            let part = &text[range.start as usize..range.end as usize];
            part.contains("//") || part.contains("/*")
        };
        if around.iter().any(has_comment) {
            return Err(
                refusal("the comment in `.bind(this)` would be lost", bound.call).hint("first move the comment out")
            );
        }
        let new = replacement_text(self.parsed, self.tree, place, &written);
        Ok(vec![Edit::new(place, new)])
    }

    /// Returns the `.bind(…)` call on the function, which may be in parentheses.
    fn bind_call(&self) -> Option<BindCall> {
        let nodes = self.semantic.nodes();
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

    /// Replaces a body that only returns a value by the value. Arguments of calls keep their braces.
    fn body_as_expression(&self, body: &FunctionBody<'a>) -> Option<Edit> {
        let text = self.text();
        let [Statement::ReturnStatement(statement)] = body.statements.as_slice() else { return None };
        let value = statement.argument.as_ref()?;
        let is_argument = matches!(
            self.parent(),
            AstKind::CallExpression(_)
                | AstKind::NewExpression(_)
                | AstKind::LogicalExpression(_)
                | AstKind::ConditionalExpression(_)
                | AstKind::StaticMemberExpression(_)
        );
        let own = span_in(value.span(), text);
        let place = span_in(body.span, text);
        let comments = &self.parsed.program.comments;
        let lost = comments
            .iter()
            .any(|comment| place.contains(span_in(comment.span, text)) && !own.contains(span_in(comment.span, text)));
        if is_argument || lost || !body.directives.is_empty() {
            return None;
        }
        let needs = matches!(value, Expression::SequenceExpression(_)) || own.slice(text).starts_with('{');
        let content = Fragment::of_expression(own.slice(text), self.tree.grammar());
        let indent = lines::indent_at(text, self.function.span.start as usize);
        let value = content.indent_for(own.slice(text), indent, None);
        Some(Edit::new(place, if needs { format!("({value})") } else { value }))
    }
}

/// Returns the name that a parameter binds, if it is not a pattern.
fn simple_parameter_name<'a>(pattern: &'a BindingPattern<'_>) -> Option<&'a str> {
    match pattern {
        BindingPattern::BindingIdentifier(name) => Some(name.name.as_str()),
        BindingPattern::AssignmentPattern(with_default) => simple_parameter_name(&with_default.left),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
