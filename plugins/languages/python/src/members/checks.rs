//! The reasons why a member cannot be renamed in a file.

use marquetry_code::{NodeIndex, scopes::NamePlace};
use marquetry_sdk::{Failure, FailureKind, Result, Span, fail};

use super::{
    project::{Place, bindings},
    standard_bases::StandardBase,
    uses::{Relation, Uses},
};
use crate::{
    classes::{class_of_method, has_kind, has_role},
    lower::{F, K},
};

impl Uses<'_> {
    /// Refuses a new name that one of the classes already has, and classes that get the member from unrelated classes.
    pub(super) fn check(&self, new_name: &str) -> Result<()> {
        let arena = self.project.document.arena();
        let classes = arena.nodes().map(|(node, _)| node).filter(|node| has_kind(arena, *node, K::Class));
        for node in classes {
            let class = self.project.place(node);
            if self.relation(&class) != Relation::Own {
                continue;
            }
            let ancestors = self.project.ancestors(&class);
            let shown = arena.child(node, F::Name.into()).map_or(arena.node(node).span, |name| arena.node(name).span);
            let has = |class: &&Place, name: &str| self.project.declaration(class, name).is_some();
            if let Some(taken) = ancestors.classes.iter().find(|class| has(class, new_name)) {
                let message = format!("`{}` already has a member `{new_name}`", self.project.name(taken));
                return Err(fail(FailureKind::RefactorFailed, message)
                    .hint("choose another name: the two could not be distinguished afterwards")
                    .at(shown));
            }
            let changes_meaning = |base: &StandardBase| {
                base.may_have(new_name) || base.finds_by_name(new_name) != base.finds_by_name(self.name)
            };
            if let Some((base, _)) = ancestors.standard.iter().find(|(_, base)| changes_meaning(base)) {
                let message = format!("`{new_name}` or `{}` has a meaning for the base class {base}", self.name);
                return Err(fail(FailureKind::RefactorFailed, message).hint("choose another name").at(shown));
            }
            self.check_declaration(&class, new_name)?;
            let mut declaring = ancestors.classes.iter().filter(|class| has(class, self.name));
            if let Some(other) = declaring.find(|class| self.relation(class) != Relation::Own) {
                let message = format!(
                    "`{}` has a `{}` of `{}`, too, which is not a part of this member",
                    self.project.name(&class),
                    self.name,
                    self.project.name(other)
                );
                return Err(fail(FailureKind::RefactorFailed, message).hint("rename the other member first").at(shown));
            }
        }
        Ok(())
    }

    /// Refuses a class whose code would have another meaning if its declaration of the member had the new name.
    fn check_declaration(&self, class: &Place, new_name: &str) -> Result<()> {
        if let Some(place) = self.captured(class, new_name) {
            let message = format!(
                "`{new_name}` has another meaning in the statements of `{}`, which the member would hide",
                self.project.name(class)
            );
            return Err(fail(FailureKind::RefactorFailed, message).hint("choose another name").at(place.span));
        }
        if let Some(span) = self.automatic_value(class) {
            let message = format!("the value of `{}` is made from its name", self.name);
            return Err(Failure::unsupported(message).hint("replace `auto()` by a value before the rename").at(span));
        }
        let is_private = [self.name, new_name].into_iter().any(|name| name.starts_with('_'));
        if is_private && self.is_field_of_attrs(class) {
            let message = format!("attrs names the argument for `{}` without the `_` at the start", self.name);
            return Err(Failure::unsupported(message)
                .hint("use names without `_`, or edit each place that a search for the name finds"));
        }
        Ok(())
    }

    /// The first name in the statements of a class that would refer to the renamed declaration of the class.
    fn captured(&self, class: &Place, new_name: &str) -> Option<&NamePlace> {
        let document = self.project.document;
        let (arena, names) = (document.arena(), document.names());
        let scope = names.scopes.iter().position(|scope| scope.node == class.node)?;
        let declared = bindings(document, self.name, scope);
        let first = declared.iter().map(|place| self.end_of_statement(place.node, class.node)).min()?;
        // Annotations may be evaluated later than the statement, and type checkers do not regard the order of statements.
        let is_annotation = |node: NodeIndex| {
            let mut around = arena.ancestors(node).take_while(|above| *above != class.node);
            around.any(|above| [F::Annotation, F::Returns].into_iter().any(|role| has_role(arena, above, role)))
        };
        // The head of a generic function or class has a separate scope, from which the names of the class are visible.
        let is_in_head = |place: &NamePlace| {
            let own = names.scopes[place.scope].node;
            arena.child_of_kind(own, K::TypeParams.into()).is_some()
                && class_of_method(arena, own) == Some(class.node)
                && names.owner_of(place) != Some(place.scope)
                && !arena
                    .ancestors(place.node)
                    .take_while(|above| *above != own)
                    .any(|above| has_kind(arena, above, K::Block))
        };
        let is_read = |place: &&NamePlace| {
            place.name == new_name && place.binding.is_none() && (place.scope == scope || is_in_head(place))
        };
        let mut read = names.places.iter().filter(is_read);
        read.find(|place| place.is_late || place.span.start >= first || is_annotation(place.node))
    }

    /// The end of the statement around a node, in the statements of a class.
    fn end_of_statement(&self, node: NodeIndex, class: NodeIndex) -> u32 {
        let arena = self.project.document.arena();
        let is_statement = |above: &NodeIndex| has_kind(arena, arena.node(*above).parent, K::Block);
        let statement = arena.ancestors(node).take_while(|above| *above != class).find(is_statement);
        statement.map_or(0, |statement| arena.node(statement).span.end)
    }

    /// The call of `auto` in the declaration of an enum member whose value is made from its name.
    fn automatic_value(&self, class: &Place) -> Option<Span> {
        let document = self.project.document;
        let arena = document.arena();
        let ancestors = self.project.ancestors(class);
        let is_by_name = ancestors.outside.iter().any(|name| name == "StrEnum")
            || ancestors.classes.iter().any(|class| self.project.declaration(class, BY_NAME).is_some());
        let scope = document.names().scopes.iter().position(|scope| scope.node == class.node).filter(|_| is_by_name)?;
        bindings(document, self.name, scope).into_iter().find_map(|place| {
            let value = arena.child(arena.node(place.node).parent, F::Value.into())?;
            let mut inside = std::iter::once(value).chain(arena.descendants(value)).map(|node| arena.node(node));
            let call = inside.find(|node| node.kind == K::Call.into() && is_auto(node.span.slice(&arena.text)))?;
            Some(call.span)
        })
    }
}

/// The method of an enum that makes values from names.
const BY_NAME: &str = "_generate_next_value_";

/// Returns whether the code of a call is a call of `auto`.
fn is_auto(code: &str) -> bool {
    let called = code.split('(').next().unwrap_or_default().trim_end();
    called == "auto" || called.ends_with(".auto")
}
