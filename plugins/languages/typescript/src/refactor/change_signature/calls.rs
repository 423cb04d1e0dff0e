//! Calls of a function whose parameters change: arguments are moved with their parameters.

use std::collections::HashSet;

use marquetry_sdk::{Edit, Failure, Result, Span};

use crate::editor::list_items::{NewItem, ParenthesizedList};
use crate::infer::checker::Checker;
use crate::refactor::change_signature::plan::{NewParameter, ParameterSlot, SignaturePlan};
use crate::rename::uses::Use;
use crate::semantics::call_sites::{CallSite, SideEffect, call_sites, foreign_name};
use crate::semantics::refusal_at;

/// Updates the calls in one document.
pub(super) struct CallUpdater<'c, 'w> {
    checker: &'c Checker<'w>,
    plan: &'c SignaturePlan,
    pub(super) edits: Vec<Edit>,
    /// Uses other than calls, such as uses in types. They are reported and not changed.
    pub(super) unresolved: Vec<Span>,
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
            if let Some(name) = foreign_name(value) {
                let message = format!("`{name}` in the new value has a different meaning or none in this file");
                return Err(refusal_at(message, Span::new(0, 0))
                    .hint("give a `value` that has the same meaning in every file, or a `default` for the parameter"));
            }
        }
        Ok(())
    }

    /// Updates every call among the uses. Fails if the function is used as a value.
    pub(super) fn update_uses(&mut self, uses: &[Use]) -> Result<()> {
        let (calls, unresolved) = call_sites(self.checker, uses)?;
        self.unresolved.extend(unresolved);
        calls.iter().try_for_each(|call| self.update_call(call))
    }

    fn update_call(&mut self, call: &CallSite) -> Result<()> {
        let here = self.checker.open_module();
        let items: Vec<Span> = call.arguments.iter().map(|argument| argument.span).collect();
        let spread = call.arguments.iter().position(|argument| argument.is_spread);
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
        let list = ParenthesizedList {
            text: here.text(),
            comments: &here.program.comments,
            open: call.open,
            items,
            this_parameter: None,
        };
        let edits = list.replacement_edits(&news, &self.edits);
        // Edits within moved arguments are included in the new text.
        self.edits.retain(|inner| !edits.iter().any(|outer| outer.span.contains(inner.span) && !outer.span.is_empty()));
        self.edits.extend(edits);
        Ok(())
    }

    /// Refuses to drop or reorder arguments if the side effects would differ.
    fn check_effects(&self, call: &CallSite, news: &[NewItem], used: &HashSet<usize>) -> Result<()> {
        let effects: Vec<SideEffect> = call.arguments.iter().map(|argument| argument.effect).collect();
        for (at, effect) in effects.iter().enumerate() {
            if *effect == SideEffect::ChangesState && !used.contains(&at) {
                return Err(refusal_at(
                    "the argument has side effects and would no longer be evaluated",
                    call.arguments[at].span,
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
                        call.arguments[*later].span,
                    )
                    .hint("assign them to variables before the call first"));
                }
            }
        }
        Ok(())
    }
}

fn spread_refusal(call: &CallSite, at: usize) -> Failure {
    let place = call.arguments.get(at).map_or(call.span, |argument| argument.span);
    refusal_at("the spread argument fills parameters that would change", place).hint("first pass arguments one by one")
}
