//! The variables that an extracted function needs and changes.

use std::collections::BTreeMap;

use marquetry_code::{
    BindingKind, CodeDocument, NodeIndex, ScopeKind,
    scopes::{FILE_SCOPE, NamePlace, ScopeIndex},
};
use marquetry_sdk::{Result, Span};

use super::{Selected, ends_with_return, refused};
use crate::{lower::K, refactor::expressions::is_one_of};

/// The variables that cross the border of the selection.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// The parameters, in the order of their first use.
    pub(super) inputs: Vec<String>,
    /// The variables that the function returns, in the order of their first assignment.
    pub(super) outputs: Vec<String>,
}

/// A variable of a function around the selection.
struct Variable<'d> {
    document: &'d CodeDocument,
    name: &'d str,
    owner: ScopeIndex,
    selected: Selected,
}

impl Flow {
    pub(super) fn new(
        document: &CodeDocument,
        selected: Selected,
        function: Option<NodeIndex>,
        receiver: Option<&str>,
    ) -> Result<Flow> {
        let names = document.names();
        let mut used: BTreeMap<(&str, ScopeIndex), u32> = BTreeMap::new();
        for place in names.places.iter().filter(|place| selected.span.contains(place.span)) {
            let Some(owner) = names.owner_of(place) else { continue };
            let is_own =
                owner != FILE_SCOPE && selected.span.contains(document.arena().node(names.scopes[owner].node).span);
            if !is_own {
                used.entry((&place.name, owner)).or_insert(place.span.start);
            }
        }
        let mut used: Vec<((&str, ScopeIndex), u32)> = used.into_iter().collect();
        used.sort_by_key(|(_, first)| *first);
        let mut flow = Flow::default();
        for ((name, owner), _) in used {
            let variable = Variable { document, name, owner, selected };
            let is_outer = owner == FILE_SCOPE || names.scopes[owner].kind == ScopeKind::Class;
            if is_outer {
                variable.check_outer()?;
                continue;
            }
            variable.check_local(function)?;
            let is_output = variable.is_written() && variable.is_used_afterwards();
            let is_assigned = variable.is_assigned_inside();
            let is_input = variable.is_read_first() || is_output && !is_assigned;
            if Some(name) != receiver && is_input {
                variable.check_assigned_before()?;
                flow.inputs.push(name.to_owned());
            }
            if is_output {
                flow.outputs.push(name.to_owned());
            }
        }
        Ok(flow)
    }
}

impl<'d> Variable<'d> {
    fn places(&self) -> impl Iterator<Item = &'d NamePlace> {
        self.document.names().references(self.name, self.owner)
    }

    fn inside(&self) -> impl Iterator<Item = &'d NamePlace> {
        let span = self.selected.span;
        self.places().filter(move |place| span.contains(place.span))
    }

    fn outside(&self) -> impl Iterator<Item = &'d NamePlace> {
        let span = self.selected.span;
        self.places().filter(move |place| !span.contains(place.span))
    }

    /// Refuses to assign a variable of the module or of a class, which would become a local variable. A variable of a
    /// class is not visible in functions.
    fn check_outer(&self) -> Result<()> {
        let is_class = self.owner != FILE_SCOPE;
        match self.inside().find(|place| place.binding.is_some() || is_class) {
            Some(place) => Err(refused(
                format!("`{}` is a variable of the {}", self.name, if is_class { "class" } else { "module" }),
                "select code of a function",
            )
            .at(place.span)),
            None => Ok(()),
        }
    }

    /// Refuses variables that other functions share with the selection.
    fn check_local(&self, function: Option<NodeIndex>) -> Result<()> {
        let names = self.document.names();
        let is_shared = |place: &&NamePlace| {
            matches!(place.binding, Some(BindingKind::Nonlocal | BindingKind::Global))
                || place.binding.is_some()
                    && place.scope != self.owner
                    && names.scopes[place.scope].kind != ScopeKind::Comprehension
        };
        let fail = |place: &NamePlace| {
            Err(refused(
                format!("`{}` is shared with another function, which sees its changes", self.name),
                "select code that does not use this variable",
            )
            .at(place.span))
        };
        if let Some(place) = self.places().find(is_shared) {
            return fail(place);
        }
        // A function that uses the variable sees later assignments.
        let is_captured = |place: &&NamePlace| self.is_in_function_below(place);
        let bindings = self.places().filter(|place| place.binding.is_some()).count();
        let captured = self.places().find(is_captured).filter(|_| bindings > 1);
        if let Some(place) = captured.filter(|_| self.is_written() || self.inside().any(|own| is_captured(&own))) {
            return fail(place);
        }
        if let Some(place) = self.read_in_another_way().filter(|_| self.is_written()) {
            return Err(refused(
                format!("`{}` is used by code that runs even if the selection does not end", self.name),
                "select the whole `try` statement, or code that does not assign this variable",
            )
            .at(place.span));
        }
        let is_foreign = function.is_some_and(|function| names.scopes[self.owner].node != function);
        match self.inside().find(|place| place.binding.is_some()).filter(|_| is_foreign) {
            Some(place) => fail(place),
            None => Ok(()),
        }
    }

    /// Returns whether a function or lambda inside of the function of the variable uses it.
    fn is_in_function_below(&self, place: &NamePlace) -> bool {
        let names = self.document.names();
        let mut scope = place.scope;
        while scope != self.owner && scope != FILE_SCOPE {
            if names.scopes[scope].kind == ScopeKind::Function {
                return true;
            }
            scope = names.scopes[scope].parent;
        }
        false
    }

    /// A use that sees the assignments of the selection although its result is not assigned: in a handler of an
    /// exception or `finally`, or in another function after the selection returned.
    fn read_in_another_way(&self) -> Option<&'d NamePlace> {
        let arena = self.document.arena();
        let path: Vec<NodeIndex> = arena.ancestors(self.selected.statement).collect();
        let returns = ends_with_return(self.document, self.selected);
        let is_handler = |place: &NamePlace| {
            let mut tried = path.windows(2).filter(|pair| is_one_of(self.document, pair[1], &[K::Try]));
            tried.any(|pair| {
                let (own, whole) = (arena.node(pair[0]).span, arena.node(pair[1]).span);
                whole.contains(place.span) && !own.contains(place.span)
            })
        };
        self.outside()
            .filter(|place| place.binding.is_none())
            .find(|place| is_handler(place) || returns && self.is_in_function_below(place))
    }

    fn is_written(&self) -> bool {
        self.inside().any(|place| place.binding.is_some())
    }

    /// Returns whether code that may run after the selection uses the value.
    fn is_used_afterwards(&self) -> bool {
        if ends_with_return(self.document, self.selected) {
            return false;
        }
        let arena = self.document.arena();
        let span = self.selected.span;
        let around = arena.ancestors(self.selected.statement).skip(1);
        let in_function = around.take_while(|above| !is_one_of(self.document, *above, &[K::Function, K::Lambda]));
        let is_loop = |above: &NodeIndex| is_one_of(self.document, *above, &[K::For, K::While]);
        let repeated: Vec<Span> = in_function.filter(is_loop).map(|above| arena.node(above).span).collect();
        self.outside().filter(|place| place.binding.is_none() || self.is_augmented(place)).any(|place| {
            place.span.start >= span.end
                || self.is_in_function_below(place)
                || repeated.iter().any(|around| around.contains(place.span))
        }) || !repeated.is_empty() && self.is_read_first()
    }

    /// Returns whether a binding also reads the value: `x += 1`.
    fn is_augmented(&self, place: &NamePlace) -> bool {
        let arena = self.document.arena();
        arena.node(arena.node(place.node).parent).kind == K::AugAssign.into()
    }

    /// The selected statement that contains an occurrence.
    fn statement(&self, place: &NamePlace) -> Option<NodeIndex> {
        let arena = self.document.arena();
        let block = arena.node(self.selected.statement).parent;
        arena.ancestors(place.node).find(|above| arena.node(*above).parent == block)
    }

    /// The first selected statement that certainly assigns the variable.
    fn first_assignment(&self) -> Option<NodeIndex> {
        if self.selected.is_expression {
            return None;
        }
        let writes = self.inside().filter(|place| place.binding.is_some() && !self.is_augmented(place));
        let certain =
            writes.filter(|place| self.statement(place).is_some_and(|own| assigns(self.document, own, place)));
        certain.filter_map(|place| self.statement(place)).min()
    }

    /// Returns whether the selection certainly assigns the variable.
    fn is_assigned_inside(&self) -> bool {
        self.first_assignment().is_some()
    }

    /// Returns whether the selection may use the value that the variable has before.
    fn is_read_first(&self) -> bool {
        let mut reads = self.inside().filter(|place| place.binding.is_none() || self.is_augmented(place));
        reads.any(|read| !self.inside().any(|write| self.precedes(write, read.node)))
    }

    /// Returns whether a binding is certainly executed before a node.
    fn precedes(&self, write: &NamePlace, node: NodeIndex) -> bool {
        let arena = self.document.arena();
        if write.binding == Some(BindingKind::Parameter) {
            return true;
        }
        if write.binding.is_none() {
            return false;
        }
        arena.ancestors(node).any(|around| {
            let block = arena.node(around).parent;
            let own = arena.ancestors(write.node).find(|above| arena.node(*above).parent == block);
            own.is_some_and(|own| {
                own < around && assigns(self.document, own, write) || own == around && self.leads_to(own, write, node)
            })
        })
    }

    /// Returns whether a statement assigns a variable before its block is executed, and a node is in this block:
    /// `for x in y:`.
    fn leads_to(&self, statement: NodeIndex, write: &NamePlace, node: NodeIndex) -> bool {
        let arena = self.document.arena();
        let binds = is_one_of(self.document, statement, &[K::For, K::With, K::Handler, K::Case])
            || is_one_of(self.document, statement, &[K::If, K::While, K::Clause])
                && arena.node(arena.node(write.node).parent).parent == statement;
        let block = arena.child_of_kind(statement, K::Block.into());
        let is_in_block = block.is_some_and(|block| arena.ancestors(node).any(|above| above == block));
        binds && is_in_block && is_header(self.document, statement, write)
    }

    /// Refuses a variable that may have no value before the selection.
    fn check_assigned_before(&self) -> Result<()> {
        let is_certain =
            |place: &NamePlace| self.precedes(place, self.selected.statement) || self.is_bound_by_expression(place);
        match self.outside().any(is_certain) {
            true => Ok(()),
            false => Err(refused(
                format!("`{}` may have no value before the selection", self.name),
                "assign it before, or select its assignment, too",
            )
            .at(self.inside().next().map_or(self.selected.span, |place| place.span))),
        }
    }

    /// Returns whether a comprehension around the selection binds the variable.
    fn is_bound_by_expression(&self, place: &NamePlace) -> bool {
        let names = self.document.names();
        place.binding.is_some() && names.scopes[self.owner].kind == ScopeKind::Comprehension
    }
}

/// Returns whether a statement certainly assigns the name at a place in it.
fn assigns(document: &CodeDocument, statement: NodeIndex, place: &NamePlace) -> bool {
    let arena = document.arena();
    if is_one_of(document, statement, &[K::With]) {
        return is_header(document, statement, place);
    }
    let value_of = |statement: NodeIndex| {
        let mut parts = arena.children(statement);
        parts.any(|part| arena.node(part).field == crate::lower::F::Value.into())
    };
    match () {
        () if is_one_of(document, statement, &[K::Assign]) => true,
        () if is_one_of(document, statement, &[K::AnnAssign]) => value_of(statement),
        () => is_one_of(document, statement, &[K::Function, K::Class, K::Import, K::ImportFrom, K::AugAssign]),
    }
}

/// Returns whether a place is in the header of a statement, and not in its block.
fn is_header(document: &CodeDocument, statement: NodeIndex, place: &NamePlace) -> bool {
    let arena = document.arena();
    let own = arena.ancestors(place.node).take_while(|above| *above != statement);
    !own.into_iter().any(|above| is_one_of(document, above, &[K::Block]))
}
