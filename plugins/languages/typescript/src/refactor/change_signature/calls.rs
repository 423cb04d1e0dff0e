//! Calls of a function whose parameters change: arguments are moved with their parameters.

use std::collections::{HashMap, HashSet};

use marquetry_sdk::span::apply_within;
use marquetry_sdk::{Edit, Result, Span, Usage, lines};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::Visit as _;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use crate::editor::fragment::with_parsed;
use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::program::ids::OPEN_DOCUMENT;
use crate::refactor::change_signature::plan::{NewParameter, ParameterSlot, SignaturePlan};
use crate::refactor::change_signature::refusal_at;
use crate::rename::uses::Use;
use crate::syntax::spans::{skip_trivia, span_in};

/// Updates the calls in one document.
pub(super) struct CallUpdater<'c, 'w> {
    checker: &'c Checker<'w>,
    plan: &'c SignaturePlan,
    pub(super) edits: Vec<Edit>,
    /// Uses other than calls, such as uses in types. They are reported and not changed.
    pub(super) unresolved: Vec<Span>,
}

/// Side effects of an argument, which decide whether it may be moved or dropped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SideEffect {
    /// Its value never changes.
    Constant,
    /// It depends on state.
    ReadsState,
    /// It may change state.
    ChangesState,
}

impl<'c, 'w> CallUpdater<'c, 'w> {
    pub(super) fn new(checker: &'c Checker<'w>, plan: &'c SignaturePlan) -> CallUpdater<'c, 'w> {
        CallUpdater { checker, plan, edits: Vec::new(), unresolved: Vec::new() }
    }

    /// Refuses new values that contain names other than globals, because such names may have another meaning in this
    /// document.
    pub(super) fn check_values(&self) -> Result<()> {
        for slot in &self.plan.slots {
            let ParameterSlot::New(NewParameter { value: Some(value), .. }) = slot else { continue };
            let unknown = with_parsed(value, oxc_span::SourceType::tsx(), |program| {
                let mut names = MentionedNames::default();
                names.visit_program(program);
                names.found.into_iter().find(|name| !builtins::is_platform_name(name))
            });
            if let Some(Some(name)) = unknown {
                let start = oxc_span::Span::new(0, 0);
                let message = format!("`{name}` in the new value has a different meaning or none in this file");
                return Err(refusal_at(message, start)
                    .hint("give a `value` that has the same meaning in every file, or a `default` for the parameter"));
            }
        }
        Ok(())
    }

    /// Updates every call among the uses. Refused if the function is used as a value.
    pub(super) fn update_uses(&mut self, uses: &[Use]) -> Result<()> {
        let here = self.checker.open_module();
        let wanted: HashMap<(u32, u32), Usage> =
            uses.iter().map(|found| ((found.span.start, found.span.end), found.usage)).collect();
        let mut calls: Vec<&'w CallExpression<'w>> = Vec::new();
        let mut seen: HashSet<NodeId> = HashSet::new();
        for node in here.semantic().nodes().iter() {
            let span = node.kind().span();
            let Some(usage) = wanted.get(&(span.start, span.end)) else { continue };
            match (usage, node.kind()) {
                (Usage::TypeUse, AstKind::IdentifierReference(_) | AstKind::IdentifierName(_)) => {
                    self.unresolved.push(span_in(span, here.text()));
                }
                (Usage::Read | Usage::Write, AstKind::IdentifierReference(_)) => {
                    self.update_value_use(node.id(), &mut calls, &mut seen)?;
                }
                (Usage::Read | Usage::Write, AstKind::IdentifierName(_) | AstKind::PrivateIdentifier(_)) => {
                    let member = here.parent(node.id());
                    match here.kind(member) {
                        AstKind::StaticMemberExpression(_) | AstKind::PrivateFieldExpression(_) => {
                            self.update_value_use(member, &mut calls, &mut seen)?;
                        }
                        AstKind::TSQualifiedName(_) => self.unresolved.push(span_in(span, here.text())),
                        _ => return Err(value_use_refusal(span)),
                    }
                }
                (Usage::Read | Usage::Write, AstKind::JSXIdentifier(_) | AstKind::StringLiteral(_)) => {
                    return Err(value_use_refusal(span));
                }
                (Usage::InString, AstKind::StringLiteral(_)) => self.unresolved.push(span_in(span, here.text())),
                _ => {}
            }
        }
        // Update the calls within arguments before the calls that contain them.
        calls.sort_by_key(|call| call.span.end - call.span.start);
        for call in calls {
            self.update_call(call)?;
        }
        Ok(())
    }

    fn update_value_use(
        &mut self,
        node: NodeId,
        calls: &mut Vec<&'w CallExpression<'w>>,
        seen: &mut HashSet<NodeId>,
    ) -> Result<()> {
        let here = self.checker.open_module();
        let own = here.kind(node).span();
        match here.parent_kind(node) {
            AstKind::ParenthesizedExpression(_) | AstKind::TSNonNullExpression(_) => {
                self.update_value_use(here.parent(node), calls, seen)
            }
            AstKind::CallExpression(call) if call.callee.span() == own => {
                if seen.insert(here.parent(node)) {
                    calls.push(call);
                }
                Ok(())
            }
            AstKind::TSTypeQuery(_) | AstKind::TSQualifiedName(_) => {
                self.unresolved.push(span_in(own, here.text()));
                Ok(())
            }
            AstKind::UnaryExpression(unary) if unary.operator == UnaryOperator::Typeof => Ok(()),
            AstKind::ExpressionStatement(_)
            | AstKind::ExportDefaultDeclaration(_)
            | AstKind::ExportSpecifier(_)
            | AstKind::ImportSpecifier(_) => Ok(()),
            _ => Err(value_use_refusal(own)),
        }
    }

    fn update_call(&mut self, call: &'w CallExpression<'w>) -> Result<()> {
        let here = self.checker.open_module();
        let text = here.text();
        let items: Vec<Span> = call.arguments.iter().map(|argument| span_in(argument.span(), text)).collect();
        let spread = call.arguments.iter().position(Argument::is_spread);
        let fixed = spread.unwrap_or(usize::MAX);
        let mut news: Vec<NewItem> = Vec::new();
        let mut used: HashSet<usize> = HashSet::new();
        for (place, slot) in self.plan.slots.iter().enumerate() {
            match slot {
                ParameterSlot::Kept(at) if *at >= fixed => {
                    // Spread arguments must still map to the same parameters, including all after them.
                    let mut tail = (fixed..self.plan.count).map(ParameterSlot::Kept);
                    let behind = self.plan.slots[place..].iter().filter(|slot| **slot != ParameterSlot::Rest);
                    let same = behind.cloned().eq(tail.by_ref());
                    if !same {
                        return Err(spread_refusal(call, fixed));
                    }
                    for at in fixed..items.len() {
                        news.push(NewItem::Old(at));
                        used.insert(at);
                    }
                    break;
                }
                ParameterSlot::Kept(at) => match items.get(*at) {
                    Some(_) => {
                        news.push(NewItem::Old(*at));
                        used.insert(*at);
                    }
                    None => news.push(NewItem::Text("undefined".to_owned())),
                },
                ParameterSlot::Rest if fixed < self.plan.count => return Err(spread_refusal(call, fixed)),
                ParameterSlot::Rest => {
                    for at in self.plan.count..items.len() {
                        news.push(NewItem::Old(at));
                        used.insert(at);
                    }
                }
                ParameterSlot::New(parameter) => {
                    news.push(NewItem::Text(parameter.value.clone().unwrap_or_else(|| "undefined".to_owned())));
                }
            }
        }
        if fixed < items.len() && !used.contains(&fixed) {
            return Err(spread_refusal(call, fixed));
        }
        // Omit trailing arguments that are `undefined`.
        let is_left_out = |new: &NewItem| matches!(new, NewItem::Text(text) if text == "undefined");
        let asked_for = |place: usize| {
            matches!(self.plan.slots.get(place), Some(ParameterSlot::New(NewParameter { value: Some(_), .. })))
        };
        while news.last().is_some_and(is_left_out) && !asked_for(news.len() - 1) {
            news.pop();
        }
        self.check_effects(call, &news, &used)?;
        let from = call.type_arguments.as_ref().map_or(call.callee.span().end, |types| types.span.end) as usize;
        let mut open = skip_trivia(text, from);
        if text[open..].starts_with("?.") {
            open = skip_trivia(text, open + 2);
        }
        let list =
            ParenthesizedList { text, comments: &here.program.comments, open: open + 1, items, this_parameter: None };
        let edits = list.replacement_edits(&news, &self.edits);
        // Edits within moved arguments are included in the new text.
        self.edits.retain(|inner| !edits.iter().any(|outer| outer.span.contains(inner.span) && !outer.span.is_empty()));
        self.edits.extend(edits);
        Ok(())
    }

    /// Refuses to drop or reorder arguments if the side effects would differ.
    fn check_effects(&self, call: &'w CallExpression<'w>, news: &[NewItem], used: &HashSet<usize>) -> Result<()> {
        let effects: Vec<SideEffect> = call
            .arguments
            .iter()
            .map(|argument| argument.as_expression().map_or(SideEffect::ChangesState, |value| self.side_effect(value)))
            .collect();
        for (at, effect) in effects.iter().enumerate() {
            if *effect == SideEffect::ChangesState && !used.contains(&at) {
                return Err(refusal_at(
                    "the argument has side effects and would no longer be evaluated",
                    call.arguments[at].span(),
                )
                .hint("move it to a statement before the call first"));
            }
        }
        let order: Vec<usize> =
            news.iter().filter_map(|new| if let NewItem::Old(at) = new { Some(*at) } else { None }).collect();
        for (place, later) in order.iter().enumerate() {
            for earlier in &order[place + 1..] {
                let (a, b) = (effects[*later], effects[*earlier]);
                let matters = a.max(b) == SideEffect::ChangesState && a.min(b) != SideEffect::Constant;
                if earlier < later && matters {
                    return Err(refusal_at(
                        "the order of evaluation of the arguments would change",
                        call.arguments[*later].span(),
                    )
                    .hint("assign them to variables before the call first"));
                }
            }
        }
        Ok(())
    }

    fn side_effect(&self, value: &'w Expression<'w>) -> SideEffect {
        self.checker.with_depth(SideEffect::ChangesState, || self.side_effect_uncached(value))
    }

    fn side_effect_uncached(&self, value: &'w Expression<'w>) -> SideEffect {
        let of_all = |values: &mut dyn Iterator<Item = &'w Expression<'w>>| {
            values.map(|value| self.side_effect(value)).max().unwrap_or(SideEffect::Constant)
        };
        match value {
            Expression::ParenthesizedExpression(inner) => self.side_effect(&inner.expression),
            Expression::TSAsExpression(inner) => self.side_effect(&inner.expression),
            Expression::TSSatisfiesExpression(inner) => self.side_effect(&inner.expression),
            Expression::TSNonNullExpression(inner) => self.side_effect(&inner.expression),
            Expression::Identifier(name) => match self.checker.resolve_identifier(OPEN_DOCUMENT, name) {
                Some(symbol) if self.checker.open_module().scoping().symbol_is_mutated(symbol) => {
                    SideEffect::ReadsState
                }
                Some(_) => SideEffect::Constant,
                None if name.name == "undefined" => SideEffect::Constant,
                None => SideEffect::ReadsState,
            },
            Expression::UnaryExpression(unary) if unary.operator != UnaryOperator::Delete => {
                self.side_effect(&unary.argument)
            }
            Expression::BinaryExpression(binary) => of_all(&mut [&binary.left, &binary.right].into_iter()),
            Expression::LogicalExpression(logical) => of_all(&mut [&logical.left, &logical.right].into_iter()),
            Expression::ConditionalExpression(choice) => {
                of_all(&mut [&choice.test, &choice.consequent, &choice.alternate].into_iter())
            }
            Expression::TemplateLiteral(template) => of_all(&mut template.expressions.iter()),
            Expression::StaticMemberExpression(member) => self.side_effect(&member.object).max(SideEffect::ReadsState),
            Expression::ComputedMemberExpression(member) => {
                of_all(&mut [&member.object, &member.expression].into_iter()).max(SideEffect::ReadsState)
            }
            Expression::ArrayExpression(array) => {
                let element = |element: &'w ArrayExpressionElement<'w>| match element {
                    ArrayExpressionElement::Elision(_) => SideEffect::Constant,
                    other => other.as_expression().map_or(SideEffect::ChangesState, |value| self.side_effect(value)),
                };
                array.elements.iter().map(element).max().unwrap_or(SideEffect::Constant)
            }
            Expression::ObjectExpression(object) => {
                let property = |property: &'w ObjectPropertyKind<'w>| match property {
                    ObjectPropertyKind::ObjectProperty(property) if !property.computed => {
                        self.side_effect(&property.value)
                    }
                    _ => SideEffect::ChangesState,
                };
                object.properties.iter().map(property).max().unwrap_or(SideEffect::Constant)
            }
            Expression::ArrowFunctionExpression(_)
            | Expression::BigIntLiteral(_)
            | Expression::BooleanLiteral(_)
            | Expression::FunctionExpression(_)
            | Expression::NullLiteral(_)
            | Expression::NumericLiteral(_)
            | Expression::RegExpLiteral(_)
            | Expression::StringLiteral(_)
            | Expression::ThisExpression(_) => SideEffect::Constant,
            _ => SideEffect::ChangesState,
        }
    }
}

fn value_use_refusal(at: oxc_span::Span) -> marquetry_sdk::Failure {
    refusal_at("the function is used as a value here, so its callers are unknown", at)
        .hint("first pass a function that calls it: `(…) => f(…)`")
}

fn spread_refusal(call: &CallExpression<'_>, at: usize) -> marquetry_sdk::Failure {
    let place = call.arguments.get(at).map_or(call.span, oxc_span::GetSpan::span);
    refusal_at("the spread argument fills parameters that would change", place).hint("first pass arguments one by one")
}

/// Names that a value mentions.
#[derive(Default)]
struct MentionedNames {
    found: Vec<String>,
}

impl<'a> oxc_ast_visit::Visit<'a> for MentionedNames {
    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.found.push(it.name.to_string());
    }
}

/// New item of a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NewItem {
    /// An item of the old list.
    Old(usize),
    Text(String),
}

/// A list in parentheses.
pub(super) struct ParenthesizedList<'t> {
    pub(super) text: &'t str,
    pub(super) comments: &'t [Comment],
    /// The offset after the opening parenthesis.
    pub(super) open: usize,
    pub(super) items: Vec<Span>,
    /// The `this` parameter, which precedes the items.
    pub(super) this_parameter: Option<Span>,
}

impl ParenthesizedList<'_> {
    /// Returns the edits that replace the items. `inner` are edits within old items.
    pub(super) fn replacement_edits(&self, news: &[NewItem], inner: &[Edit]) -> Vec<Edit> {
        let slots: Vec<Span> = (0..self.items.len()).map(|at| self.extend_to_comments(at)).collect();
        let written = |new: &NewItem| match new {
            NewItem::Text(text) => text.clone(),
            NewItem::Old(at) => slots.get(*at).map_or(String::new(), |slot| {
                let mut within: Vec<Edit> = inner.iter().filter(|edit| slot.contains(edit.span)).cloned().collect();
                within.sort_by_key(|edit| (edit.span.start, edit.span.end));
                apply_within(self.text, slot.range(), &within)
            }),
        };
        let mut edits = Vec::new();
        let both = slots.len().min(news.len());
        for (at, slot) in slots.iter().enumerate().take(both) {
            if news[at] != NewItem::Old(at) {
                edits.push(Edit::new(*slot, written(&news[at])));
            }
        }
        let more: Vec<String> = news[both..].iter().map(written).collect();
        match (slots.last(), more.is_empty()) {
            (Some(last), false) => edits.push(self.append_items(*last, &more)),
            (None, false) => {
                let (at, comma) = self.this_parameter.map_or((self.open, ""), |this| (this.range().end, ", "));
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
                        self.this_parameter.map_or(slots[0].range().start, |this| this.range().end)
                    }
                };
                edits.push(Edit::remove(start..end));
            }
            _ => {}
        }
        edits
    }

    /// Appends items after the last one, on separate lines if that one starts a line.
    fn append_items(&self, last: Span, more: &[String]) -> Edit {
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
    fn extend_to_comments(&self, at: usize) -> Span {
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
