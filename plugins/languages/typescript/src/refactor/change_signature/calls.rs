//! Calls of a function whose parameters change: arguments are moved with their parameters.

use std::collections::{HashMap, HashSet};

use marquetry_sdk::{Edit, Result, Span, Usage};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::Visit as _;
use oxc_semantic::NodeId;
use oxc_span::GetSpan as _;

use crate::editor::fragment::with_parsed;
use crate::editor::list_items::{NewItem, ParenthesizedList};
use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::program::ids::OPEN_DOCUMENT;
use crate::refactor::change_signature::plan::{NewParameter, ParameterSlot, SignaturePlan};
use crate::rename::uses::Use;
use crate::semantics::{effects, refusal_at};
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
                (Usage::Read | Usage::Write, AstKind::IdentifierReference(_) | AstKind::CallExpression(_)) => {
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
        let here = self.checker.open_module();
        let (semantic, node, span) = (here.semantic(), value.node_id(), value.span());
        let effects = effects::effects_of(semantic, node, span);
        let is_global = |name: &'w IdentifierReference<'w>| {
            name.name != "undefined" && self.checker.resolve_identifier(OPEN_DOCUMENT, name).is_none()
        };
        let (mut reads_state, mut spreads) = (!effects.members.is_empty() || !effects.reads.is_empty(), false);
        for (_, kind) in effects::executed_nodes(semantic, node, span) {
            match kind {
                AstKind::IdentifierReference(name) => reads_state |= is_global(name),
                // Reading an iterator changes it.
                AstKind::SpreadElement(_) => spreads = true,
                _ => {}
            }
        }
        match () {
            () if effects.has_side_effects || spreads => SideEffect::ChangesState,
            () if reads_state => SideEffect::ReadsState,
            () => SideEffect::Constant,
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
