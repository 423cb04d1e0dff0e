//! Binding of arguments to parameters in one call, and whether each can replace its parameter everywhere in the body.

use std::collections::HashMap;

use marquetry_sdk::Result;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::{GetSpan as _, Span};

use super::sites::Caller;
use super::{refused, sdk};
use crate::rewrite::effects::{self, holds};
use crate::rewrite::scopes::FreeName;

/// The text that replaces a parameter.
pub(super) struct Bound {
    pub(super) text: String,
    /// The arguments from which the text is made.
    origins: Vec<Origin>,
}

/// An argument, or a part of one.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Origin {
    node: NodeId,
    span: Span,
}

impl Origin {
    fn of(argument: &Expression<'_>) -> Origin {
        Origin { node: argument.node_id(), span: argument.span() }
    }
}

/// The value of a parameter or of a part of it.
enum Given<'g, 'a, 'c> {
    Argument(&'g Expression<'c>),
    /// A part of an argument that is not an object or array literal: `a.b`.
    Part {
        text: String,
        origin: Option<Origin>,
    },
    Default(&'g Expression<'a>),
    List(Vec<Given<'g, 'a, 'c>>),
    Object(Vec<(String, Given<'g, 'a, 'c>)>),
    Missing,
}

impl<'a, 'c> Caller<'_, '_, 'a, 'c> {
    /// Binds each parameter to its value in a call.
    pub(super) fn bind(&self, call: &CallExpression<'c>) -> Result<HashMap<SymbolId, Bound>> {
        let mut arguments = Vec::new();
        for argument in &call.arguments {
            match argument.as_expression() {
                Some(argument) => arguments.push(argument),
                None => {
                    return Err(
                        refused("a call has a spread argument", "pass arguments one by one").at(sdk(argument.span()))
                    );
                }
            }
        }
        let mut bound = HashMap::new();
        let params = self.callee.function.params();
        for (index, item) in params.items.iter().enumerate() {
            let given = arguments.get(index).map_or(Given::Missing, |it| Given::Argument(it));
            let given = match &item.initializer {
                Some(default) => self.or_default(given, default)?,
                None => given,
            };
            self.bind_pattern(&item.pattern, given, &mut bound)?;
        }
        if let Some(rest) = &params.rest {
            let given = arguments.iter().skip(params.items.len()).map(|it| Given::Argument(it)).collect();
            self.bind_pattern(&rest.rest.argument, Given::List(given), &mut bound)?;
        }
        self.check_arguments(&arguments, &bound)?;
        Ok(bound)
    }

    fn bind_pattern<'g>(
        &self,
        pattern: &'g BindingPattern<'a>,
        given: Given<'g, 'a, 'c>,
        bound: &mut HashMap<SymbolId, Bound>,
    ) -> Result<()> {
        match pattern {
            BindingPattern::BindingIdentifier(name) => {
                if let Some(symbol) = name.symbol_id.get() {
                    let mut origins = Vec::new();
                    let text = self.text_of(&given, &mut origins);
                    bound.insert(symbol, Bound { text, origins });
                }
                Ok(())
            }
            BindingPattern::AssignmentPattern(it) => {
                let given = self.or_default(given, &it.right)?;
                self.bind_pattern(&it.left, given, bound)
            }
            BindingPattern::ObjectPattern(it) => self.bind_object(it, given, bound),
            BindingPattern::ArrayPattern(it) => self.bind_array(it, given, bound),
        }
    }

    fn bind_object<'g>(
        &self,
        pattern: &'g ObjectPattern<'a>,
        given: Given<'g, 'a, 'c>,
        bound: &mut HashMap<SymbolId, Bound>,
    ) -> Result<()> {
        let unclear =
            || refused("a destructured parameter does not match the argument", "first assign the parts to variables");
        let (mut listed, given) = match given {
            Given::Argument(Expression::ObjectExpression(object)) => {
                (Some(entries(object).ok_or_else(unclear)?), Given::Missing)
            }
            Given::Object(entries) => (Some(entries), Given::Missing),
            other => (None, other),
        };
        if let Some(entries) = &mut listed {
            for property in &pattern.properties {
                let key = property.key.static_name().filter(|_| !property.computed).ok_or_else(unclear)?;
                let key = key.display().to_string();
                let index = entries.iter().position(|(name, _)| *name == key);
                let part = index.map_or(Given::Missing, |index| entries.remove(index).1);
                self.bind_pattern(&property.value, part, bound)?;
            }
            if let Some(rest) = &pattern.rest {
                let rest_of = std::mem::take(entries);
                self.bind_pattern(&rest.argument, Given::Object(rest_of), bound)?;
            }
            return Ok(());
        }
        let mut origins = Vec::new();
        let object = self.as_object(&given, &mut origins).ok_or_else(unclear)?;
        if pattern.rest.is_some() {
            return Err(unclear());
        }
        for property in &pattern.properties {
            let text = match &property.key {
                PropertyKey::StaticIdentifier(name) => format!("{object}.{}", name.name),
                PropertyKey::StringLiteral(name) => format!("{object}[{}]", self.callee_source.written(name.span)),
                _ => return Err(unclear()),
            };
            let part = Given::Part { text, origin: origins.first().copied() };
            self.bind_pattern(&property.value, part, bound)?;
        }
        Ok(())
    }

    fn bind_array<'g>(
        &self,
        pattern: &'g ArrayPattern<'a>,
        given: Given<'g, 'a, 'c>,
        bound: &mut HashMap<SymbolId, Bound>,
    ) -> Result<()> {
        let unclear =
            || refused("a destructured parameter does not match the argument", "first assign the parts to variables");
        let items = match given {
            Given::Argument(Expression::ArrayExpression(array)) => {
                let items = array.elements.iter().map(|element| match element {
                    ArrayExpressionElement::Elision(_) => Some(Given::Missing),
                    ArrayExpressionElement::SpreadElement(_) => None,
                    other => other.as_expression().map(Given::Argument),
                });
                items.collect::<Option<Vec<_>>>().ok_or_else(unclear)?
            }
            Given::List(items) => items,
            other => {
                let mut origins = Vec::new();
                let object = self.as_object(&other, &mut origins).ok_or_else(unclear)?;
                if pattern.rest.is_some() {
                    return Err(unclear());
                }
                let part = |index| Given::Part { text: format!("{object}[{index}]"), origin: origins.first().copied() };
                (0..pattern.elements.len()).map(part).collect()
            }
        };
        let mut items = items.into_iter();
        for element in &pattern.elements {
            let item = items.next().unwrap_or(Given::Missing);
            if let Some(element) = element {
                self.bind_pattern(element, item, bound)?;
            }
        }
        if let Some(rest) = &pattern.rest {
            self.bind_pattern(&rest.argument, Given::List(items.collect()), bound)?;
        }
        Ok(())
    }

    /// Returns the value, or the default for a missing one.
    fn or_default<'g>(&self, given: Given<'g, 'a, 'c>, default: &'g Expression<'a>) -> Result<Given<'g, 'a, 'c>> {
        let is_set = match &given {
            Given::Missing => return Ok(Given::Default(default)),
            Given::Argument(argument) => argument.is_literal() || is_made(argument),
            Given::List(_) | Given::Object(_) | Given::Default(_) => true,
            Given::Part { .. } => false,
        };
        if is_set {
            return Ok(given);
        }
        Err(refused(
            "whether the default is used depends on the value of an argument",
            "first remove the default of the parameter",
        )
        .at(sdk(default.span())))
    }

    fn text_of(&self, given: &Given<'_, 'a, 'c>, origins: &mut Vec<Origin>) -> String {
        match given {
            Given::Argument(argument) => {
                origins.push(Origin::of(argument));
                self.source.written(argument.span()).to_owned()
            }
            Given::Part { text, origin } => {
                origins.extend(*origin);
                text.clone()
            }
            Given::Default(default) => self.callee_source.written(default.span()).to_owned(),
            Given::List(items) => {
                let items: Vec<String> = items.iter().map(|item| self.text_of(item, origins)).collect();
                format!("[{}]", items.join(", "))
            }
            Given::Object(entries) if entries.is_empty() => "{}".to_owned(),
            Given::Object(entries) => {
                let entries = entries.iter().map(|(key, value)| {
                    let text = self.text_of(value, origins);
                    if *key == text { text } else { format!("{}: {text}", key_text(key)) }
                });
                format!("{{ {} }}", entries.collect::<Vec<String>>().join(", "))
            }
            Given::Missing => "undefined".to_owned(),
        }
    }

    /// Returns the text as the object of a member access.
    fn as_object(&self, given: &Given<'_, 'a, 'c>, origins: &mut Vec<Origin>) -> Option<String> {
        let is_plain = match given {
            Given::Argument(argument) => {
                matches!(
                    argument,
                    Expression::Identifier(_) | Expression::CallExpression(_) | Expression::ThisExpression(_)
                ) || argument.is_member_expression()
            }
            Given::Part { .. } => true,
            _ => return None,
        };
        let text = self.text_of(given, origins);
        Some(if is_plain { text } else { format!("({text})") })
    }

    /// Refuses arguments that would be evaluated more or less often, or at another time.
    fn check_arguments(&self, arguments: &[&Expression<'c>], bound: &HashMap<SymbolId, Bound>) -> Result<()> {
        let body = self.callee.function.body_span();
        let mut last_act = body.start;
        for origin in self.origins(arguments, bound) {
            let mut effects = effects::effects(self.source.semantic, origin.node, origin.span);
            if !self.is_same_file {
                // Symbol ids of another file have a different meaning here.
                effects.reads.clear();
                effects.writes.clear();
            }
            let uses = self.uses_of(origin, bound);
            let at = |message: &str, hint: &str| Err(refused(message, hint).at(sdk(origin.span)));
            if effects.acts && uses.len() != 1 {
                return at(
                    "an argument has side effects that would happen more than once or not at all",
                    "first assign it to a variable",
                );
            }
            for (node, start) in uses {
                let path = effects::path(self.callee_source.semantic, node, self.callee.function.id());
                let often = path.in_loop || path.in_function;
                let is_moved = often || path.conditional || start < last_act;
                if effects.acts && is_moved {
                    return at(
                        "an argument has side effects that would happen at a different time",
                        "first assign it to a variable",
                    );
                }
                if effects.makes && (often || self.uses_of(origin, bound).len() > 1) {
                    return at("an argument would create a new object each time", "first assign it to a variable");
                }
                self.check_names(origin, node)?;
                if effects.uses_this && path.own_this && self.is_in_function(node) {
                    return at(
                        "`this` has a different value where an argument is used",
                        "first assign it to a variable",
                    );
                }
                if effects.is_constant() && self.is_same_file {
                    continue;
                }
                let until = if often { body.end } else { start };
                let stretch = Span::new(body.start, until.max(body.start));
                let function = self.callee.function.id();
                if effects.obstacle(self.callee_source.semantic, function, stretch).is_some() {
                    return at(
                        "an argument may have a different value where it is used",
                        "first assign it to a variable",
                    );
                }
                if effects.acts {
                    last_act = start;
                }
            }
        }
        Ok(())
    }

    /// Returns whether the node is in a function nested in the inlined one.
    fn is_in_function(&self, node: NodeId) -> bool {
        let own = self.callee.function.id();
        let around = self.callee_source.semantic.nodes().ancestors(node).take_while(|around| around.id() != own);
        around.into_iter().any(|around| effects::has_own_this(&around.kind()))
    }

    /// Returns the arguments, or the parts of those that are destructured.
    fn origins(&self, arguments: &[&Expression<'c>], bound: &HashMap<SymbolId, Bound>) -> Vec<Origin> {
        let mut found: Vec<Origin> = bound.values().flat_map(|bound| bound.origins.iter().copied()).collect();
        for argument in arguments {
            let own = Origin::of(argument);
            let parts: Vec<Span> = found.iter().map(|it| it.span).filter(|part| holds(own.span, *part)).collect();
            if parts.is_empty() {
                found.push(own);
                continue;
            }
            // Unused parts of an object or array must not have side effects.
            let is_used = |place: Span| parts.iter().any(|part| holds(*part, place));
            let left_out = effects::running(self.source.semantic, own.node, own.span);
            let left_out = left_out.filter(|(_, kind)| effects::is_act(kind) && !is_used(kind.span()));
            found.extend(left_out.map(|(node, kind)| Origin { node, span: kind.span() }));
        }
        found.sort_by_key(|origin| (origin.span.start, origin.span.end));
        found.dedup();
        found
    }

    /// Returns the uses of an argument in the body.
    fn uses_of(&self, origin: Origin, bound: &HashMap<SymbolId, Bound>) -> Vec<(NodeId, u32)> {
        let semantic = self.callee_source.semantic;
        let mut uses = Vec::new();
        for (symbol, bound) in bound {
            let count = bound.origins.iter().filter(|own| **own == origin).count();
            for reference in semantic.scoping().get_resolved_references(*symbol).filter(|_| count > 0) {
                uses.push((reference.node_id(), semantic.reference_span(reference).start));
            }
        }
        uses.sort_by_key(|(_, start)| *start);
        uses
    }

    /// Refuses an argument if variables of the function shadow names in it.
    fn check_names(&self, origin: Origin, node: NodeId) -> Result<()> {
        let semantic = self.callee_source.semantic;
        let scope = semantic.nodes().get_node(node).scope_id();
        let own = self.callee.function.span();
        let is_hidden = |name: &FreeName<'_>| {
            let found = semantic.scoping().find_binding(scope, Ident::from(name.name));
            found.is_some_and(|symbol| {
                let is_parameter = self.callee.parameters.contains(&symbol);
                holds(own, semantic.scoping().symbol_span(symbol)) && !is_parameter
            })
        };
        match effects::names_of(self.source.semantic, origin.node, origin.span).iter().find(|name| is_hidden(name)) {
            None => Ok(()),
            Some(name) => Err(refused(
                format!("`{}` has a different meaning in the function", name.name),
                "first rename one of them",
            )
            .at(sdk(origin.span))),
        }
    }
}

/// Returns the properties of an object by name. `None` if they are not all known.
fn entries<'g, 'a, 'c>(object: &'g ObjectExpression<'c>) -> Option<Vec<(String, Given<'g, 'a, 'c>)>> {
    let entry = |property: &'g ObjectPropertyKind<'c>| match property {
        ObjectPropertyKind::ObjectProperty(it) if it.kind == PropertyKind::Init && !it.computed && !it.method => {
            Some((it.key.static_name()?.display().to_string(), Given::Argument(&it.value)))
        }
        _ => None,
    };
    object.properties.iter().map(entry).collect()
}

fn key_text(key: &str) -> String {
    if oxc_syntax::identifier::is_identifier_name(key) { key.to_owned() } else { format!("{key:?}") }
}

/// Returns whether the expression creates a value, so that it is never `undefined`.
fn is_made(expression: &Expression<'_>) -> bool {
    matches!(
        expression,
        Expression::ObjectExpression(_)
            | Expression::ArrayExpression(_)
            | Expression::ArrowFunctionExpression(_)
            | Expression::FunctionExpression(_)
            | Expression::ClassExpression(_)
            | Expression::NewExpression(_)
            | Expression::TemplateLiteral(_)
            | Expression::BinaryExpression(_)
            | Expression::JSXElement(_)
            | Expression::JSXFragment(_)
    )
}

/// Returns whether a node is the callee of its parent: `f` in `f()`.
pub(super) fn is_called(around: &AstKind<'_>, span: Span) -> bool {
    matches!(around, AstKind::CallExpression(call) if call.callee.span() == span)
}
