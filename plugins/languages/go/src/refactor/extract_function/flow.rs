//! The variables that an extracted function needs and changes.

use std::collections::BTreeMap;

use marquetry_code::NodeIndex;
use marquetry_sdk::{Failure, Result, Span};

use super::{Exit, Selected, refused, sharing::Sharing};
use crate::{
    kinds::{F, K, has_kind, has_role},
    names::{BindingIndex, BindingKind, Place},
    typing::{Ty, Typing},
};

/// A variable that crosses the border of the selection.
#[derive(Debug, Clone)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) own: Ty,
    pub(super) binding: BindingIndex,
    /// True if the selection declares the variable.
    pub(super) is_new: bool,
    /// True if `:=` in the block of the selection assigns the existing variable.
    pub(super) is_in_block: bool,
}

/// The variables that cross the border of the selection.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// The name of the receiver, if the selection uses it.
    pub(super) receiver: Option<String>,
    /// The parameters, in the order of their first use.
    pub(super) inputs: Vec<Variable>,
    /// Variables that the selection assigns before it uses them. The function must declare them.
    pub(super) declared: Vec<Variable>,
    /// The variables that the function returns, in the order of their first use.
    pub(super) outputs: Vec<Variable>,
    /// True if the selection uses a type parameter of the function around it.
    pub(super) uses_type_parameter: bool,
    /// A call of a method that is not known and may keep the address of a variable.
    pub(super) doubt: Option<Span>,
}

/// A local name in the selection.
pub(super) struct Local<'s> {
    pub(super) selected: &'s Selected,
    pub(super) binding: BindingIndex,
    pub(super) sharing: &'s Sharing,
}

impl Flow {
    pub(super) fn new(selected: &Selected, exit: &Exit) -> Result<Flow> {
        let names = &selected.file.names;
        let sharing = Sharing::new(selected);
        let mut used: BTreeMap<BindingIndex, u32> = BTreeMap::new();
        for place in names.places.iter().filter(|place| selected.code.contains(place.span)) {
            if let Some(binding) = place.binding {
                used.entry(binding).or_insert(place.span.start);
            }
        }
        let mut used: Vec<(BindingIndex, u32)> = used.into_iter().collect();
        used.sort_by_key(|(_, first)| *first);
        let mut flow = Flow::default();
        for (binding, _) in used {
            let local = Local { selected, binding, sharing: &sharing };
            flow.add(&local, exit.is_final())?;
        }
        Ok(flow)
    }

    fn add(&mut self, local: &Local<'_>, always_returns: bool) -> Result<()> {
        let own = &local.selected.file.names.bindings[local.binding];
        let is_inside = local.selected.code.contains(local.selected.span(own.node));
        match own.kind {
            BindingKind::Package | BindingKind::Import | BindingKind::Label => return Ok(()),
            BindingKind::TypeParameter => {
                self.uses_type_parameter = true;
                return Ok(());
            }
            BindingKind::Constant | BindingKind::Type => return local.check_constant(is_inside),
            BindingKind::Variable | BindingKind::Parameter => {}
        }
        if always_returns && is_inside && local.places().any(|place| place.span.start >= local.selected.code.end) {
            return Err(local.failure("is used by code that never runs", "remove this code first"));
        }
        // The compiler refuses a variable that the new function declares but does not read.
        let must_return = || is_inside && !local.is_read_inside() && local.is_read_outside();
        let is_used_afterwards = !always_returns && (local.is_used_afterwards() || must_return());
        if is_inside && !is_used_afterwards {
            return Ok(());
        }
        if is_inside && !local.is_read_outside() {
            return Err(local.failure("is only assigned after the selection", "select these assignments, too"));
        }
        let is_changed = local.is_changed();
        let is_used_afterwards = is_used_afterwards || is_changed && !always_returns && local.has_address_elsewhere();
        let is_output = is_used_afterwards && (is_inside || is_changed);
        if is_changed && local.is_result() {
            local.check_recovered()?;
        }
        self.doubt = self.doubt.or(local.check_shared(is_inside)?);
        if local.is_receiver() {
            if is_output {
                return Err(local.failure("is changed", "select code that does not change the receiver"));
            }
            self.receiver = Some(own.name.clone());
            return Ok(());
        }
        let variable = local.variable(is_inside)?;
        if is_output {
            self.outputs.push(variable.clone());
        }
        match () {
            () if is_inside => {}
            () if is_output && local.is_assigned_first() => self.declared.push(variable),
            () => self.inputs.push(variable),
        }
        Ok(())
    }
}

impl<'s> Local<'s> {
    fn name(&self) -> &'s str {
        &self.selected.file.names.bindings[self.binding].name
    }

    pub(super) fn places(&self) -> impl Iterator<Item = &'s Place> {
        self.selected.file.names.references(self.binding)
    }

    pub(super) fn inside(&self) -> impl Iterator<Item = &'s Place> {
        let code = self.selected.code;
        self.places().filter(move |place| code.contains(place.span))
    }

    pub(super) fn failure(&self, why: &str, hint: &str) -> Failure {
        let at = self.inside().next().map_or(self.selected.code, |place| place.span);
        refused(format!("`{}` {why}", self.name()), hint).at(at)
    }

    /// Refuses a constant or type that the other function does not see.
    fn check_constant(&self, is_inside: bool) -> Result<()> {
        let is_needed = !is_inside || self.places().any(|place| !self.selected.code.contains(place.span));
        if is_needed {
            return Err(self.failure(
                "is a constant or type that the function declares",
                "move its declaration to the top level of the file first",
            ));
        }
        Ok(())
    }

    fn is_receiver(&self) -> bool {
        let own = &self.selected.file.names.bindings[self.binding];
        let is_of_top = Some(self.selected.file.arena().node(own.node).parent) == self.selected.receiver();
        is_of_top && own.kind == BindingKind::Parameter
    }

    fn variable(&self, is_new: bool) -> Result<Variable> {
        let (names, arena) = (&self.selected.file.names, self.selected.file.arena());
        let own = &names.bindings[self.binding];
        let at = self.inside().next().map_or(own.node, |place| place.node);
        let found = Typing::default().variable(&self.selected.file, self.binding, at);
        let Some(found) = found else {
            let mut failure = self.failure(
                "has a type that is not known here",
                "declare it with its type (`var x T = …`) before the selection",
            );
            failure.message = format!("the type of `{}` is not known", self.name());
            return Err(failure);
        };
        // The statements of a case belong to the scope of the case.
        let block = self.selected.block;
        let scope = if has_kind(arena, block, K::CaseBody) { arena.node(block).parent } else { block };
        let is_in_block = names.scope_of(self.binding) == scope;
        Ok(Variable { name: own.name.clone(), own: found, binding: self.binding, is_new, is_in_block })
    }

    /// Returns whether a selected statement certainly assigns the variable before its value is used.
    pub(super) fn is_assigned_first(&self) -> bool {
        let arena = self.selected.file.arena();
        let Some(first) = self.inside().min_by_key(|place| place.span.start) else { return false };
        let statement = arena.node(first.node).parent;
        let is_plain = has_kind(arena, statement, K::Define)
            || has_kind(arena, statement, K::Assign) && !is_operation(self.selected, statement);
        let span = arena.node(statement).span;
        let in_statement = self.inside().filter(|place| span.contains(place.span)).count();
        is_plain
            && has_role(arena, first.node, F::Left)
            && self.selected.statements.contains(&statement)
            && in_statement == 1
    }
}

/// Returns whether an assignment also uses the old value: `x += 1`.
fn is_operation(selected: &Selected, assign: NodeIndex) -> bool {
    let arena = selected.file.arena();
    let right = arena.child(assign, F::Right.into()).map_or(0, |right| arena.node(right).span.start);
    let left = arena.children(assign).filter(|child| has_role(arena, *child, F::Left)).last();
    let left = left.map_or(right, |left| arena.node(left).span.end);
    Span { start: left, end: right }.slice(&arena.text).trim() != "="
}
