//! Calls of a function whose parameters change: arguments are moved with their parameters.

use std::collections::{HashMap, HashSet};

use marquetry_sdk::span::apply_within;
use marquetry_sdk::{Edit, Result, Span, Usage, lines};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::Visit as _;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::operations::refactor::change_signature::plan::{Parameter, Plan, Slot};
use crate::operations::refactor::change_signature::refusal;
use crate::operations::rename::uses::Use;
use crate::program::ids::HERE;
use crate::rewrite::fragment::parse;
use crate::syntax::spans::{skip_trivia, span_in};

/// Updates the calls in one document.
pub(super) struct Calls<'c, 'w> {
    checker: &'c Checker<'w>,
    plan: &'c Plan,
    pub(super) edits: Vec<Edit>,
    /// Uses that are not calls and do not need a change.
    pub(super) left: Vec<Span>,
}

/// Side effects of an argument, which decide whether it may be moved or dropped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    /// Its value never changes.
    Constant,
    /// It depends on state.
    Reads,
    /// It may change state.
    Acts,
}

impl<'c, 'w> Calls<'c, 'w> {
    pub(super) fn new(checker: &'c Checker<'w>, plan: &'c Plan) -> Calls<'c, 'w> {
        Calls { checker, plan, edits: Vec::new(), left: Vec::new() }
    }

    /// Refuses new values that mention other names than globals: they may have another meaning in this document.
    pub(super) fn check_values(&self) -> Result<()> {
        for slot in &self.plan.slots {
            let Slot::New(Parameter { value: Some(value), .. }) = slot else { continue };
            let unknown = parse(value, oxc_span::SourceType::tsx(), |program| {
                let mut names = Names::default();
                names.visit_program(program);
                names.found.into_iter().find(|name| !builtins::declares(name))
            });
            if let Some(Some(name)) = unknown {
                let start = oxc_span::Span::new(0, 0);
                let message = format!("`{name}` in the new value has a different meaning or none in this file");
                return Err(refusal(message, start)
                    .hint("give a `value` that has the same meaning in every file, or a `default` for the parameter"));
            }
        }
        Ok(())
    }

    /// Updates every call among the uses. Refused if the function is used as a value.
    pub(super) fn adapt(&mut self, uses: &[Use]) -> Result<()> {
        let here = self.checker.here();
        let wanted: HashMap<(u32, u32), Usage> =
            uses.iter().map(|found| ((found.span.start, found.span.end), found.usage)).collect();
        let mut calls: Vec<&'w CallExpression<'w>> = Vec::new();
        let mut seen: HashSet<NodeId> = HashSet::new();
        for node in here.semantic().nodes().iter() {
            let span = node.kind().span();
            let Some(usage) = wanted.get(&(span.start, span.end)) else { continue };
            match (usage, node.kind()) {
                (Usage::TypeUse, AstKind::IdentifierReference(_) | AstKind::IdentifierName(_)) => {
                    self.left.push(span_in(span, here.text()));
                }
                (Usage::Read | Usage::Write, AstKind::IdentifierReference(_)) => {
                    self.use_of_value(node.id(), &mut calls, &mut seen)?;
                }
                (Usage::Read | Usage::Write, AstKind::IdentifierName(_) | AstKind::PrivateIdentifier(_)) => {
                    let member = here.parent(node.id());
                    match here.kind(member) {
                        AstKind::StaticMemberExpression(_) | AstKind::PrivateFieldExpression(_) => {
                            self.use_of_value(member, &mut calls, &mut seen)?;
                        }
                        AstKind::TSQualifiedName(_) => self.left.push(span_in(span, here.text())),
                        _ => return Err(value_use(span)),
                    }
                }
                (Usage::Read | Usage::Write, AstKind::JSXIdentifier(_) | AstKind::StringLiteral(_)) => {
                    return Err(value_use(span));
                }
                (Usage::InString, AstKind::StringLiteral(_)) => self.left.push(span_in(span, here.text())),
                _ => {}
            }
        }
        // Calls within arguments come first.
        calls.sort_by_key(|call| call.span.end - call.span.start);
        for call in calls {
            self.call(call)?;
        }
        Ok(())
    }

    fn use_of_value(
        &mut self,
        node: NodeId,
        calls: &mut Vec<&'w CallExpression<'w>>,
        seen: &mut HashSet<NodeId>,
    ) -> Result<()> {
        let here = self.checker.here();
        let own = here.kind(node).span();
        match here.parent_kind(node) {
            AstKind::ParenthesizedExpression(_) | AstKind::TSNonNullExpression(_) => {
                self.use_of_value(here.parent(node), calls, seen)
            }
            AstKind::CallExpression(call) if call.callee.span() == own => {
                if seen.insert(here.parent(node)) {
                    calls.push(call);
                }
                Ok(())
            }
            AstKind::TSTypeQuery(_) | AstKind::TSQualifiedName(_) => {
                self.left.push(span_in(own, here.text()));
                Ok(())
            }
            AstKind::UnaryExpression(unary) if unary.operator == UnaryOperator::Typeof => Ok(()),
            AstKind::ExpressionStatement(_)
            | AstKind::ExportDefaultDeclaration(_)
            | AstKind::ExportSpecifier(_)
            | AstKind::ImportSpecifier(_) => Ok(()),
            _ => Err(value_use(own)),
        }
    }

    fn call(&mut self, call: &'w CallExpression<'w>) -> Result<()> {
        let here = self.checker.here();
        let text = here.text();
        let items: Vec<Span> = call.arguments.iter().map(|argument| span_in(argument.span(), text)).collect();
        let spread = call.arguments.iter().position(Argument::is_spread);
        let fixed = spread.unwrap_or(usize::MAX);
        let mut news: Vec<New> = Vec::new();
        let mut used: HashSet<usize> = HashSet::new();
        for (place, slot) in self.plan.slots.iter().enumerate() {
            match slot {
                Slot::Old(at) if *at >= fixed => {
                    // Spread arguments must still map to the same parameters, including all after them.
                    let mut tail = (fixed..self.plan.count).map(Slot::Old);
                    let behind = self.plan.slots[place..].iter().filter(|slot| **slot != Slot::Rest);
                    let same = behind.cloned().eq(tail.by_ref());
                    if !same {
                        return Err(spread_refusal(call, fixed));
                    }
                    for at in fixed..items.len() {
                        news.push(New::Old(at));
                        used.insert(at);
                    }
                    break;
                }
                Slot::Old(at) => match items.get(*at) {
                    Some(_) => {
                        news.push(New::Old(*at));
                        used.insert(*at);
                    }
                    None => news.push(New::Text("undefined".to_owned())),
                },
                Slot::Rest if fixed < self.plan.count => return Err(spread_refusal(call, fixed)),
                Slot::Rest => {
                    for at in self.plan.count..items.len() {
                        news.push(New::Old(at));
                        used.insert(at);
                    }
                }
                Slot::New(parameter) => {
                    news.push(New::Text(parameter.value.clone().unwrap_or_else(|| "undefined".to_owned())));
                }
            }
        }
        if fixed < items.len() && !used.contains(&fixed) {
            return Err(spread_refusal(call, fixed));
        }
        // Omit `undefined` at the end.
        let is_left_out = |new: &New| matches!(new, New::Text(text) if text == "undefined");
        let asked_for =
            |place: usize| matches!(self.plan.slots.get(place), Some(Slot::New(Parameter { value: Some(_), .. })));
        while news.last().is_some_and(is_left_out) && !asked_for(news.len() - 1) {
            news.pop();
        }
        self.check_effects(call, &news, &used)?;
        let from = call.type_arguments.as_ref().map_or(call.callee.span().end, |types| types.span.end) as usize;
        let mut open = skip_trivia(text, from);
        if text[open..].starts_with("?.") {
            open = skip_trivia(text, open + 2);
        }
        let list = List { text, comments: &here.program.comments, open: open + 1, items, behind: None };
        let edits = list.edits(&news, &self.edits);
        // Edits within moved arguments are included in the new text.
        self.edits.retain(|inner| !edits.iter().any(|outer| outer.span.holds(inner.span) && !outer.span.is_empty()));
        self.edits.extend(edits);
        Ok(())
    }

    /// Refuses to drop or reorder arguments if the side effects would differ.
    fn check_effects(&self, call: &'w CallExpression<'w>, news: &[New], used: &HashSet<usize>) -> Result<()> {
        let effects: Vec<Effect> = call
            .arguments
            .iter()
            .map(|argument| argument.as_expression().map_or(Effect::Acts, |value| self.effect(value)))
            .collect();
        for (at, effect) in effects.iter().enumerate() {
            if *effect == Effect::Acts && !used.contains(&at) {
                return Err(refusal(
                    "the argument has side effects and would no longer be evaluated",
                    call.arguments[at].span(),
                )
                .hint("move it to a statement before the call first"));
            }
        }
        let order: Vec<usize> =
            news.iter().filter_map(|new| if let New::Old(at) = new { Some(*at) } else { None }).collect();
        for (place, later) in order.iter().enumerate() {
            for earlier in &order[place + 1..] {
                let (a, b) = (effects[*later], effects[*earlier]);
                let matters = a.max(b) == Effect::Acts && a.min(b) != Effect::Constant;
                if earlier < later && matters {
                    return Err(refusal(
                        "the order of evaluation of the arguments would change",
                        call.arguments[*later].span(),
                    )
                    .hint("assign them to variables before the call first"));
                }
            }
        }
        Ok(())
    }

    fn effect(&self, value: &'w Expression<'w>) -> Effect {
        self.checker.deeper(Effect::Acts, || self.effect_now(value))
    }

    fn effect_now(&self, value: &'w Expression<'w>) -> Effect {
        let of_all = |values: &mut dyn Iterator<Item = &'w Expression<'w>>| {
            values.map(|value| self.effect(value)).max().unwrap_or(Effect::Constant)
        };
        match value {
            Expression::ParenthesizedExpression(inner) => self.effect(&inner.expression),
            Expression::TSAsExpression(inner) => self.effect(&inner.expression),
            Expression::TSSatisfiesExpression(inner) => self.effect(&inner.expression),
            Expression::TSNonNullExpression(inner) => self.effect(&inner.expression),
            Expression::Identifier(name) => match self.checker.resolved(HERE, name) {
                Some(symbol) if self.checker.here().scoping().symbol_is_mutated(symbol) => Effect::Reads,
                Some(_) => Effect::Constant,
                None if name.name == "undefined" => Effect::Constant,
                None => Effect::Reads,
            },
            Expression::UnaryExpression(unary) if unary.operator != UnaryOperator::Delete => {
                self.effect(&unary.argument)
            }
            Expression::BinaryExpression(binary) => of_all(&mut [&binary.left, &binary.right].into_iter()),
            Expression::LogicalExpression(logical) => of_all(&mut [&logical.left, &logical.right].into_iter()),
            Expression::ConditionalExpression(choice) => {
                of_all(&mut [&choice.test, &choice.consequent, &choice.alternate].into_iter())
            }
            Expression::TemplateLiteral(template) => of_all(&mut template.expressions.iter()),
            Expression::StaticMemberExpression(member) => self.effect(&member.object).max(Effect::Reads),
            Expression::ComputedMemberExpression(member) => {
                of_all(&mut [&member.object, &member.expression].into_iter()).max(Effect::Reads)
            }
            Expression::ArrayExpression(array) => {
                let element = |element: &'w ArrayExpressionElement<'w>| match element {
                    ArrayExpressionElement::Elision(_) => Effect::Constant,
                    other => other.as_expression().map_or(Effect::Acts, |value| self.effect(value)),
                };
                array.elements.iter().map(element).max().unwrap_or(Effect::Constant)
            }
            Expression::ObjectExpression(object) => {
                let property = |property: &'w ObjectPropertyKind<'w>| match property {
                    ObjectPropertyKind::ObjectProperty(property) if !property.computed => self.effect(&property.value),
                    _ => Effect::Acts,
                };
                object.properties.iter().map(property).max().unwrap_or(Effect::Constant)
            }
            Expression::ArrowFunctionExpression(_)
            | Expression::BigIntLiteral(_)
            | Expression::BooleanLiteral(_)
            | Expression::FunctionExpression(_)
            | Expression::NullLiteral(_)
            | Expression::NumericLiteral(_)
            | Expression::RegExpLiteral(_)
            | Expression::StringLiteral(_)
            | Expression::ThisExpression(_) => Effect::Constant,
            _ => Effect::Acts,
        }
    }
}

fn value_use(at: oxc_span::Span) -> marquetry_sdk::Failure {
    refusal("the function is used as a value here, so its callers are unknown", at)
        .hint("first pass a function that calls it: `(…) => f(…)`")
}

fn spread_refusal(call: &CallExpression<'_>, at: usize) -> marquetry_sdk::Failure {
    let place = call.arguments.get(at).map_or(call.span, oxc_span::GetSpan::span);
    refusal("the spread argument fills parameters that would change", place).hint("first pass arguments one by one")
}

/// Names that a value mentions.
#[derive(Default)]
struct Names {
    found: Vec<String>,
}

impl<'a> oxc_ast_visit::Visit<'a> for Names {
    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.found.push(it.name.to_string());
    }
}

/// New item of a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum New {
    /// An item of the old list.
    Old(usize),
    Text(String),
}

/// A list in parentheses.
pub(super) struct List<'t> {
    pub(super) text: &'t str,
    pub(super) comments: &'t [Comment],
    /// The offset after the opening parenthesis.
    pub(super) open: usize,
    pub(super) items: Vec<Span>,
    /// The `this` parameter, which precedes the items.
    pub(super) behind: Option<Span>,
}

impl List<'_> {
    /// Returns the edits that replace the items. `inner` are edits within old items.
    pub(super) fn edits(&self, news: &[New], inner: &[Edit]) -> Vec<Edit> {
        let slots: Vec<Span> = (0..self.items.len()).map(|at| self.with_comments(at)).collect();
        let written = |new: &New| match new {
            New::Text(text) => text.clone(),
            New::Old(at) => slots.get(*at).map_or(String::new(), |slot| {
                let mut within: Vec<Edit> = inner.iter().filter(|edit| slot.holds(edit.span)).cloned().collect();
                within.sort_by_key(|edit| (edit.span.start, edit.span.end));
                apply_within(self.text, slot.range(), &within)
            }),
        };
        let mut edits = Vec::new();
        let both = slots.len().min(news.len());
        for (at, slot) in slots.iter().enumerate().take(both) {
            if news[at] != New::Old(at) {
                edits.push(Edit::new(*slot, written(&news[at])));
            }
        }
        let more: Vec<String> = news[both..].iter().map(written).collect();
        match (slots.last(), more.is_empty()) {
            (Some(last), false) => edits.push(self.appended(*last, &more)),
            (None, false) => {
                let (at, comma) = self.behind.map_or((self.open, ""), |this| (this.range().end, ", "));
                edits.push(Edit::insert(at, format!("{comma}{}", more.join(", "))));
            }
            (Some(last), true) if both < slots.len() => {
                let mut end = last.range().end;
                let start = match both.checked_sub(1) {
                    Some(before) => slots[before].range().end,
                    None => {
                        // Remove the trailing comma as well.
                        let next = skip_trivia(self.text, end);
                        if self.text[next..].starts_with(',') {
                            end = next + 1;
                        }
                        self.behind.map_or(slots[0].range().start, |this| this.range().end)
                    }
                };
                edits.push(Edit::remove(start..end));
            }
            _ => {}
        }
        edits
    }

    /// Appends items after the last one, on separate lines if that one starts a line.
    fn appended(&self, last: Span, more: &[String]) -> Edit {
        let at = last.range().start;
        let gap = if lines::starts_line(self.text, at) {
            format!("{}{}", lines::line_break(self.text), lines::indent_at(self.text, at))
        } else {
            " ".to_owned()
        };
        let added: Vec<String> = more.iter().map(|item| format!(",{gap}{item}")).collect();
        Edit::insert(last.range().end, added.concat())
    }

    /// Extends an item to the adjacent block comments on its line.
    fn with_comments(&self, at: usize) -> Span {
        let mut span = self.items[at];
        let floor = at.checked_sub(1).map_or(self.open, |before| self.items[before].range().end);
        let index = self.comments.partition_point(|comment| comment.span.start < span.start);
        for comment in self.comments[..index].iter().rev() {
            let own = span_in(comment.span, self.text);
            let gap = &self.text[own.range().end..span.range().start];
            let is_of_item =
                own.range().start >= floor && comment.is_block() && gap.trim_matches([' ', '\t']).is_empty();
            // A comment before the comma belongs to the item before.
            if !is_of_item || self.text[floor..own.range().start].trim().is_empty() && at > 0 {
                break;
            }
            span.start = own.start;
        }
        for comment in &self.comments[index..] {
            let own = span_in(comment.span, self.text);
            if own.start < span.end {
                continue;
            }
            let gap = &self.text[span.range().end..own.range().start];
            if !comment.is_block() || !gap.trim_matches([' ', '\t']).is_empty() {
                break;
            }
            span.end = own.end;
        }
        span
    }
}
