//! Binds the arguments of one call to the parameters, and checks that each argument can replace its parameter
//! everywhere in the body.

use std::collections::HashMap;

use marquetry_sdk::Result;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::{GetSpan as _, Span};

use crate::semantics::effects::{self, Effects, contains};
use crate::semantics::enclosing_context::enclosing_context;
use crate::semantics::inlining::sites::CallingFile;
use crate::semantics::names::FreeName;
use crate::semantics::{refusal, refusal_at};

/// The text that replaces a parameter.
pub(crate) struct Replacement {
    pub(crate) text: String,
    /// The arguments from which the text is made.
    origins: Vec<Origin>,
    /// Members of the arguments that the text reads: `a` of `{ a }`.
    members: Vec<String>,
}

/// An argument, or a part of one.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Origin {
    node: NodeId,
    span: Span,
}

impl Origin {
    fn from_argument(argument: &Expression<'_>) -> Origin {
        Origin { node: argument.node_id(), span: argument.span() }
    }
}

/// The value of a parameter or of a part of it.
enum ParameterValue<'g, 'a, 'c> {
    Argument(&'g Expression<'c>),
    /// A part of an argument that is not an object or array literal: `a.b`.
    Part {
        text: String,
        origin: Option<Origin>,
        members: Vec<String>,
    },
    Default(&'g Expression<'a>),
    List(Vec<ParameterValue<'g, 'a, 'c>>),
    Object(Vec<(String, ParameterValue<'g, 'a, 'c>)>),
    Missing,
}

impl<'a, 'c> CallingFile<'_, '_, 'a, 'c> {
    /// Binds each parameter to its value in a call.
    pub(crate) fn bind_parameters(&self, call: &CallExpression<'c>) -> Result<HashMap<SymbolId, Replacement>> {
        let mut arguments = Vec::new();
        for argument in &call.arguments {
            match argument.as_expression() {
                Some(argument) => arguments.push(argument),
                None => {
                    return Err(
                        refusal_at("a call has a spread argument", argument.span()).hint("pass arguments one by one")
                    );
                }
            }
        }
        let mut bound = HashMap::new();
        let params = self.callee.function.params();
        for (index, item) in params.items.iter().enumerate() {
            let given = arguments.get(index).map_or(ParameterValue::Missing, |it| ParameterValue::Argument(it));
            let given = match &item.initializer {
                Some(default) => self.value_or_default(given, default)?,
                None => given,
            };
            self.bind_pattern(&item.pattern, given, &mut bound)?;
        }
        if let Some(rest) = &params.rest {
            let given = arguments.iter().skip(params.items.len()).map(|it| ParameterValue::Argument(it)).collect();
            self.bind_pattern(&rest.rest.argument, ParameterValue::List(given), &mut bound)?;
        }
        self.check_arguments(&arguments, &bound)?;
        Ok(bound)
    }

    fn bind_pattern<'g>(
        &self,
        pattern: &'g BindingPattern<'a>,
        given: ParameterValue<'g, 'a, 'c>,
        bound: &mut HashMap<SymbolId, Replacement>,
    ) -> Result<()> {
        match pattern {
            BindingPattern::BindingIdentifier(name) => {
                if let Some(symbol) = name.symbol_id.get() {
                    let mut origins = Vec::new();
                    let text = self.value_text(&given, &mut origins);
                    let members = given.into_members();
                    bound.insert(symbol, Replacement { text, origins, members });
                }
                Ok(())
            }
            BindingPattern::AssignmentPattern(it) => {
                let given = self.value_or_default(given, &it.right)?;
                self.bind_pattern(&it.left, given, bound)
            }
            BindingPattern::ObjectPattern(it) => self.bind_object(it, given, bound),
            BindingPattern::ArrayPattern(it) => self.bind_array(it, given, bound),
        }
    }

    fn bind_object<'g>(
        &self,
        pattern: &'g ObjectPattern<'a>,
        given: ParameterValue<'g, 'a, 'c>,
        bound: &mut HashMap<SymbolId, Replacement>,
    ) -> Result<()> {
        let unclear =
            || refusal("a destructured parameter does not match the argument", "first assign the parts to variables");
        let (mut listed, given) = match given {
            ParameterValue::Argument(Expression::ObjectExpression(object)) => {
                (Some(object_entries(object).ok_or_else(unclear)?), ParameterValue::Missing)
            }
            ParameterValue::Object(entries) => (Some(entries), ParameterValue::Missing),
            other => (None, other),
        };
        if let Some(entries) = &mut listed {
            for property in &pattern.properties {
                let key = property.key.static_name().filter(|_| !property.computed).ok_or_else(unclear)?;
                let key = key.display().to_string();
                let index = entries.iter().position(|(name, _)| *name == key);
                let part = index.map_or(ParameterValue::Missing, |index| entries.remove(index).1);
                self.bind_pattern(&property.value, part, bound)?;
            }
            if let Some(rest) = &pattern.rest {
                let rest_of = std::mem::take(entries);
                self.bind_pattern(&rest.argument, ParameterValue::Object(rest_of), bound)?;
            }
            return Ok(());
        }
        let mut origins = Vec::new();
        let object = self.object_text(&given, &mut origins).ok_or_else(unclear)?;
        if pattern.rest.is_some() {
            return Err(unclear());
        }
        for property in &pattern.properties {
            let (text, name) = match &property.key {
                PropertyKey::StaticIdentifier(name) => (format!("{object}.{}", name.name), name.name.to_string()),
                PropertyKey::StringLiteral(name) => {
                    (format!("{object}[{}]", self.callee_source.source(name.span)), name.value.display().to_string())
                }
                _ => return Err(unclear()),
            };
            let members = [given.members(), &[name]].concat();
            let part = ParameterValue::Part { text, origin: origins.first().copied(), members };
            self.bind_pattern(&property.value, part, bound)?;
        }
        Ok(())
    }

    fn bind_array<'g>(
        &self,
        pattern: &'g ArrayPattern<'a>,
        given: ParameterValue<'g, 'a, 'c>,
        bound: &mut HashMap<SymbolId, Replacement>,
    ) -> Result<()> {
        let unclear =
            || refusal("a destructured parameter does not match the argument", "first assign the parts to variables");
        let items = match given {
            ParameterValue::Argument(Expression::ArrayExpression(array)) => {
                let items = array.elements.iter().map(|element| match element {
                    ArrayExpressionElement::Elision(_) => Some(ParameterValue::Missing),
                    ArrayExpressionElement::SpreadElement(_) => None,
                    other => other.as_expression().map(ParameterValue::Argument),
                });
                items.collect::<Option<Vec<_>>>().ok_or_else(unclear)?
            }
            ParameterValue::List(items) => items,
            other => {
                let mut origins = Vec::new();
                let object = self.object_text(&other, &mut origins).ok_or_else(unclear)?;
                if pattern.rest.is_some() {
                    return Err(unclear());
                }
                let members = [other.members(), &["[]".to_owned()]].concat();
                let part = |index| ParameterValue::Part {
                    text: format!("{object}[{index}]"),
                    origin: origins.first().copied(),
                    members: members.clone(),
                };
                (0..pattern.elements.len()).map(part).collect()
            }
        };
        let mut items = items.into_iter();
        for element in &pattern.elements {
            let item = items.next().unwrap_or(ParameterValue::Missing);
            if let Some(element) = element {
                self.bind_pattern(element, item, bound)?;
            }
        }
        if let Some(rest) = &pattern.rest {
            self.bind_pattern(&rest.argument, ParameterValue::List(items.collect()), bound)?;
        }
        Ok(())
    }

    /// Returns the value, or the default for a missing one.
    fn value_or_default<'g>(
        &self,
        given: ParameterValue<'g, 'a, 'c>,
        default: &'g Expression<'a>,
    ) -> Result<ParameterValue<'g, 'a, 'c>> {
        let is_set = match &given {
            ParameterValue::Missing => return self.independent_default(default),
            ParameterValue::Argument(argument) => argument.is_literal() || creates_value(argument),
            ParameterValue::List(_) | ParameterValue::Object(_) | ParameterValue::Default(_) => true,
            ParameterValue::Part { .. } => false,
        };
        if is_set {
            return Ok(given);
        }
        Err(refusal_at("whether the default is used depends on the value of an argument", default.span())
            .hint("first remove the default of the parameter"))
    }

    /// Returns a default as the value. Fails if it uses another parameter.
    fn independent_default<'g>(&self, default: &'g Expression<'a>) -> Result<ParameterValue<'g, 'a, 'c>> {
        let used = self.callee_source.free_names(default.span());
        let is_own = |name: &FreeName<'_>| name.symbol.is_some_and(|symbol| self.callee.parameters.contains(&symbol));
        match used.iter().find(|name| is_own(name)) {
            None => Ok(ParameterValue::Default(default)),
            Some(name) => Err(refusal_at(
                format!("the default of a parameter uses the parameter `{}`", name.name),
                default.span(),
            )
            .hint("first pass this argument in each call")),
        }
    }

    fn value_text(&self, given: &ParameterValue<'_, 'a, 'c>, origins: &mut Vec<Origin>) -> String {
        match given {
            ParameterValue::Argument(argument) => {
                origins.push(Origin::from_argument(argument));
                self.source.source(argument.span()).to_owned()
            }
            ParameterValue::Part { text, origin, .. } => {
                origins.extend(*origin);
                text.clone()
            }
            ParameterValue::Default(default) => self.callee_source.source(default.span()).to_owned(),
            ParameterValue::List(items) => {
                let items: Vec<String> = items.iter().map(|item| self.value_text(item, origins)).collect();
                format!("[{}]", items.join(", "))
            }
            ParameterValue::Object(entries) if entries.is_empty() => "{}".to_owned(),
            ParameterValue::Object(entries) => {
                let entries = entries.iter().map(|(key, value)| {
                    let text = self.value_text(value, origins);
                    if *key == text { text } else { format!("{}: {text}", property_key_text(key)) }
                });
                format!("{{ {} }}", entries.collect::<Vec<String>>().join(", "))
            }
            ParameterValue::Missing => "undefined".to_owned(),
        }
    }

    /// Returns the text as the object of a member access.
    fn object_text(&self, given: &ParameterValue<'_, 'a, 'c>, origins: &mut Vec<Origin>) -> Option<String> {
        let is_plain = match given {
            ParameterValue::Argument(argument) => {
                matches!(
                    argument,
                    Expression::Identifier(_) | Expression::CallExpression(_) | Expression::ThisExpression(_)
                ) || argument.is_member_expression()
            }
            ParameterValue::Part { .. } => true,
            _ => return None,
        };
        let text = self.value_text(given, origins);
        Some(if is_plain { text } else { format!("({text})") })
    }

    /// Refuses arguments that would be evaluated more or less often, or at another time.
    fn check_arguments(&self, arguments: &[&Expression<'c>], bound: &HashMap<SymbolId, Replacement>) -> Result<()> {
        let body = self.callee.function.body_span();
        let mut last_act = body.start;
        for origin in self.origins(arguments, bound) {
            let effects = self.argument_effects(origin, bound);
            let uses = self.uses_of(origin, bound);
            let count = uses.len();
            let refuse = |message: &str| Err(refusal_at(message, origin.span).hint("first assign it to a variable"));
            if effects.has_side_effects && count != 1 {
                return refuse("an argument has side effects that would happen more than once or not at all");
            }
            for (node, start) in uses {
                let path = enclosing_context(self.callee_source.semantic(), node, self.callee.function.id());
                let often = path.in_loop || path.in_function;
                if effects.has_side_effects && (often || path.conditional || start < last_act) {
                    return refuse("an argument has side effects that would happen at a different time");
                }
                if effects.creates_object && (often || count > 1) {
                    return refuse("an argument would create a new object each time");
                }
                self.check_names(origin, node)?;
                if effects.uses_this && path.own_this && self.is_in_function(node) {
                    return refuse("`this` has a different value where an argument is used");
                }
                if effects.is_constant() && self.is_same_file {
                    continue;
                }
                let until = if often { body.end } else { start };
                let stretch = Span::new(body.start, until.max(body.start));
                let function = self.callee.function.id();
                if effects.first_obstacle(self.callee_source.semantic(), function, stretch).is_some() {
                    return refuse("an argument may have a different value where it is used");
                }
                if effects.has_side_effects {
                    last_act = start;
                }
            }
        }
        Ok(())
    }

    /// Returns the effects of an argument, including those of the parts that a pattern reads.
    fn argument_effects(&self, origin: Origin, bound: &HashMap<SymbolId, Replacement>) -> Effects {
        let source = self.source;
        let mut effects = source.effects_of(origin.node, origin.span);
        let parts = bound.values().filter(|it| it.origins.contains(&origin) && !it.members.is_empty());
        let members: Vec<String> = parts.flat_map(|it| it.members.iter().cloned()).collect();
        if !members.is_empty() {
            effects.objects.insert(source.source(origin.span).to_owned());
            effects.read_members(source.semantic(), members);
        }
        if !self.is_same_file {
            // Symbol ids of another file have a different meaning here.
            effects.reads.clear();
            effects.writes.clear();
            effects.collections.clear();
        }
        effects
    }

    /// Returns whether the node is in a function nested in the inlined one.
    fn is_in_function(&self, node: NodeId) -> bool {
        let own = self.callee.function.id();
        let mut around = self.callee_source.nodes().ancestors(node).take_while(|around| around.id() != own);
        around.any(|around| effects::has_own_this(&around.kind()))
    }

    /// Returns the arguments, or the parts of those that are destructured.
    fn origins(&self, arguments: &[&Expression<'c>], bound: &HashMap<SymbolId, Replacement>) -> Vec<Origin> {
        let mut found: Vec<Origin> = bound.values().flat_map(|bound| bound.origins.iter().copied()).collect();
        for argument in arguments {
            let own = Origin::from_argument(argument);
            let parts: Vec<Span> = found.iter().map(|it| it.span).filter(|part| contains(own.span, *part)).collect();
            if parts.is_empty() {
                found.push(own);
                continue;
            }
            // Unused parts of an object or array must not have side effects.
            let is_used = |place: Span| parts.iter().any(|part| contains(*part, place));
            let left_out = effects::executed_nodes(self.source.semantic(), own.node, own.span);
            let left_out = left_out.filter(|(_, kind)| effects::has_side_effect(kind) && !is_used(kind.span()));
            found.extend(left_out.map(|(node, kind)| Origin { node, span: kind.span() }));
        }
        found.sort_by_key(|origin| (origin.span.start, origin.span.end));
        found.dedup();
        found
    }

    /// Returns the uses of an argument in the body.
    fn uses_of(&self, origin: Origin, bound: &HashMap<SymbolId, Replacement>) -> Vec<(NodeId, u32)> {
        let with_origin = bound.iter().filter(|(_, bound)| bound.origins.contains(&origin));
        let uses = with_origin.flat_map(|(symbol, _)| self.callee_source.references_of(*symbol));
        let mut uses: Vec<(NodeId, u32)> = uses.map(|(used, span)| (used.node_id(), span.start)).collect();
        uses.sort_by_key(|(_, start)| *start);
        uses
    }

    /// Refuses an argument if variables of the function shadow names in it.
    fn check_names(&self, origin: Origin, node: NodeId) -> Result<()> {
        let code = self.callee_source;
        let own = self.callee.function.span();
        let is_hidden = |name: &FreeName<'_>| {
            let found = code.binding(code.scope_of(node), name.name);
            found.is_some_and(|symbol| {
                contains(own, code.scoping().symbol_span(symbol)) && !self.callee.parameters.contains(&symbol)
            })
        };
        match effects::used_names(self.source.semantic(), origin.node, origin.span).iter().find(|name| is_hidden(name))
        {
            None => Ok(()),
            Some(name) => {
                let message = format!("`{}` has a different meaning in the function", name.name);
                Err(refusal_at(message, origin.span).hint("first rename one of them"))
            }
        }
    }
}

impl ParameterValue<'_, '_, '_> {
    /// Returns the members of an argument that the value reads.
    fn members(&self) -> &[String] {
        match self {
            ParameterValue::Part { members, .. } => members,
            _ => &[],
        }
    }

    fn into_members(self) -> Vec<String> {
        match self {
            ParameterValue::Part { members, .. } => members,
            _ => Vec::new(),
        }
    }
}

/// Returns the properties of an object by name. `None` if they are not all known.
fn object_entries<'g, 'a, 'c>(object: &'g ObjectExpression<'c>) -> Option<Vec<(String, ParameterValue<'g, 'a, 'c>)>> {
    let entry = |property: &'g ObjectPropertyKind<'c>| match property {
        ObjectPropertyKind::ObjectProperty(it) if it.kind == PropertyKind::Init && !it.computed && !it.method => {
            Some((it.key.static_name()?.display().to_string(), ParameterValue::Argument(&it.value)))
        }
        _ => None,
    };
    object.properties.iter().map(entry).collect()
}

fn property_key_text(key: &str) -> String {
    if oxc_syntax::identifier::is_identifier_name(key) { key.to_owned() } else { format!("{key:?}") }
}

/// Returns whether the expression creates a value, so that it is never `undefined`.
fn creates_value(expression: &Expression<'_>) -> bool {
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
