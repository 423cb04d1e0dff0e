//! The new parameter list of a function.

use std::collections::HashSet;

use marquetry_sdk::{Edit, Result};

use crate::editor::list_items::{NewItem, ParenthesizedList};
use crate::refactor::change_signature::plan::{ParameterSlot, SignaturePlan};
use crate::semantics::parameter_list::ParameterList;
use crate::semantics::refusal_at;

impl ParameterList<'_, '_> {
    /// Returns the edits of the parameter list.
    pub(super) fn parameter_edits(&self, plan: &SignaturePlan) -> Result<Vec<Edit>> {
        self.check_removed(plan)?;
        self.check_order(plan)?;
        self.check_names(plan)?;
        self.check_defaults(plan)?;
        let (text, whole, items) = (self.here.text(), self.span(), self.items());
        let news = plan.slots.iter().map(|slot| match slot {
            ParameterSlot::Kept(at) => NewItem::Old(*at),
            ParameterSlot::Rest => NewItem::Old(plan.count),
            ParameterSlot::New(parameter) => NewItem::Text(parameter.text.clone()),
        });
        let news: Vec<NewItem> = news.collect();
        if !whole.slice(text).starts_with('(') {
            let written = |new: &NewItem| match new {
                NewItem::Old(at) => items.get(*at).map_or("", |item| item.slice(text)).to_owned(),
                NewItem::Text(new) => new.clone(),
            };
            let list: Vec<String> = news.iter().map(written).collect();
            return Ok(vec![Edit::new(whole, format!("({})", list.join(", ")))]);
        }
        let list = ParenthesizedList {
            text,
            comments: &self.here.program.comments,
            open: whole.range().start + 1,
            items,
            this_parameter: self.this_parameter(),
        };
        Ok(list.replacement_edits(&news, &[]))
    }

    /// Refuses a default where the declaration has no body.
    fn check_defaults(&self, plan: &SignaturePlan) -> Result<()> {
        let has_default = |slot: &ParameterSlot| matches!(slot, ParameterSlot::New(new) if !new.required && !new.text.contains('?') && self.is_typed());
        if self.lacks_body() && plan.slots.iter().any(has_default) {
            return Err(refusal_at("a declaration without a body cannot have a default", self.span())
                .hint("give the new parameter a `value` or `optional` instead of `default`"));
        }
        Ok(())
    }

    /// Refuses to remove a parameter that is used.
    fn check_removed(&self, plan: &SignaturePlan) -> Result<()> {
        for at in 0..plan.count + usize::from(self.has_rest()) {
            let stays = plan.slots.iter().any(|slot| match slot {
                ParameterSlot::Kept(known) => *known == at,
                ParameterSlot::Rest => at == plan.count,
                ParameterSlot::New(_) => false,
            });
            if let Some((name, place)) = self.used_name(at).filter(|_| !stays) {
                return Err(refusal_at(format!("the parameter `{name}` is used"), place).hint("first remove its uses"));
            }
        }
        Ok(())
    }

    /// Refuses an order in which a default reads a later parameter, or a required parameter follows an optional one.
    fn check_order(&self, plan: &SignaturePlan) -> Result<()> {
        let mut may_be_left_out = false;
        let mut before: HashSet<usize> = HashSet::new();
        for slot in &plan.slots {
            let (required, optional) = match slot {
                ParameterSlot::Kept(at) => {
                    if let Some((name, place)) = self.read_in_default(*at, &before) {
                        let message = format!("a default would read `{name}` before it is initialized");
                        return Err(refusal_at(message, place).hint("keep that parameter before it"));
                    }
                    before.insert(*at);
                    (self.is_required(*at), self.is_optional(*at))
                }
                // A parameter with a default may precede a required one, one with a question mark may not.
                ParameterSlot::New(parameter) => {
                    (parameter.required, parameter.text.contains('?') && !parameter.required)
                }
                ParameterSlot::Rest => (false, false),
            };
            if required && may_be_left_out && self.is_typed() {
                return Err(refusal_at("a required parameter would follow an optional one", self.span())
                    .hint("move it before the optional parameters"));
            }
            may_be_left_out |= optional;
        }
        Ok(())
    }

    /// Refuses new names that are already used in the function.
    fn check_names(&self, plan: &SignaturePlan) -> Result<()> {
        for slot in &plan.slots {
            let ParameterSlot::New(parameter) = slot else { continue };
            if let Some(used) = self.use_of_name(&parameter.name) {
                let message = format!("`{}` has a different meaning in the function", parameter.name);
                return Err(refusal_at(message, used).hint("choose another name for the new parameter"));
            }
        }
        Ok(())
    }
}
