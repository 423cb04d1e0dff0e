//! The uses of a member in one file.

use std::collections::BTreeSet;

use marquetry_code::NodeIndex;
use marquetry_sdk::{Span, Usage};

use super::{
    project::{Place, Project, Referent},
    values::Value,
};
use crate::{
    classes::has_kind,
    imports::split_submodule,
    lower::{F, K},
    uses::attribute_usage,
};

/// The relation of a class to a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// The class declares or inherits the member.
    Own,
    /// Another member of that name belongs to the class.
    Other,
    Unknown,
}

/// The uses of a member in the first file of a project.
pub(super) struct Uses<'p> {
    pub(super) project: &'p Project<'p>,
    pub(super) name: &'p str,
    pub(super) roots: &'p [Place],
    /// The names of classes that declare the member.
    class_names: BTreeSet<String>,
    /// True if a constructor has a parameter for the member.
    pub(super) has_constructor: bool,
    /// The classes of the file that declare the member.
    pub(super) declaring: Vec<Place>,
    pub(super) certain: Vec<(Span, Usage)>,
    pub(super) unresolved: Vec<Span>,
}

impl<'p> Uses<'p> {
    /// Finds the uses of the member with a name that these classes declare. Without classes, finds only uses of objects
    /// whose class is not known. `class_names` are names of other classes that declare the member.
    pub(super) fn find(
        project: &'p Project<'p>,
        name: &'p str,
        (roots, class_names): (&'p [Place], &[String]),
    ) -> Uses<'p> {
        let names = roots.iter().map(|class| project.name(class)).chain(class_names.iter().cloned());
        let mut uses = Uses {
            project,
            name,
            roots,
            class_names: names.collect(),
            has_constructor: false,
            declaring: Vec::new(),
            certain: Vec::new(),
            unresolved: Vec::new(),
        };
        uses.has_constructor = roots.iter().any(|root| uses.is_field(root));
        let arena = project.document.arena();
        for (node, _) in arena.nodes().filter(|(node, _)| has_kind(arena, *node, K::Class)) {
            uses.add_class(node);
        }
        uses.class_names.extend(uses.declaring.iter().map(|class| project.name(class)));
        for (node, _) in arena.nodes() {
            match () {
                () if has_kind(arena, node, K::Attribute) => uses.add_attribute(node),
                () if has_kind(arena, node, K::Keyword) => uses.add_keyword(node),
                () if has_kind(arena, node, K::PatternKeyword) => uses.add_pattern(node),
                () if has_kind(arena, node, K::String) => uses.add_string(node),
                () if has_kind(arena, node, K::Subscript) => uses.add_computed_key(node),
                () => {}
            }
        }
        uses.unresolved.sort_by_key(|span| span.start);
        uses.unresolved.dedup();
        uses
    }

    /// The names of classes that declare the member.
    pub(super) fn class_names(&self) -> impl Iterator<Item = &str> {
        self.class_names.iter().map(String::as_str)
    }

    /// Returns whether the classes that declare the member are not known, because the file cannot be related to them.
    pub(super) fn is_unrelated(&self) -> bool {
        self.roots.is_empty()
    }

    /// Returns whether a name from outside of the workspace may be a class that declares the member, because it has the
    /// name of the class, and its module is not certainly a library.
    pub(super) fn may_be_class(&self, name: &str) -> bool {
        self.is_class_name(name) && self.project.is_of_unknown_module(name)
    }

    /// Returns whether a class that declares the member may have this name.
    pub(super) fn is_class_name(&self, name: &str) -> bool {
        self.class_names.contains(name)
    }

    /// The relation of a class to the member.
    pub(super) fn relation(&self, class: &Place) -> Relation {
        let ancestors = self.project.ancestors(class);
        if ancestors.classes.iter().any(|class| self.roots.contains(class)) {
            return Relation::Own;
        }
        let declares = |class: &Place| self.project.declaration(class, self.name).is_some();
        match () {
            () if ancestors.has_unknown => Relation::Unknown,
            () if ancestors.outside.iter().any(|name| self.may_be_class(name)) => Relation::Unknown,
            // A value with the type of a protocol may be an object of any class with the members of the protocol.
            () if ancestors.outside.iter().any(|name| name == "Protocol") => Relation::Unknown,
            () if ancestors.classes.iter().any(declares) || ancestors.opaque_base().is_some() => Relation::Other,
            () => Relation::Unknown,
        }
    }

    pub(super) fn relation_of_value(&self, value: &Value) -> Relation {
        match value {
            Value::Instance(class) | Value::Class(class) => self.relation(class),
            Value::Super(class) => {
                let bases = self.project.bases(class);
                let relation = |base: &Place| match self.project.referent(base) {
                    Referent::Class(base) => self.relation(&base),
                    _ => Relation::Unknown,
                };
                let relations: Vec<Relation> = bases.iter().map(relation).collect();
                match () {
                    () if relations.contains(&Relation::Own) => Relation::Own,
                    () if relations.contains(&Relation::Other) => Relation::Other,
                    () => Relation::Unknown,
                }
            }
            Value::Outside | Value::Nothing => Relation::Other,
            Value::Unknown => Relation::Unknown,
        }
    }

    pub(super) fn add(&mut self, relation: Relation, span: Span, usage: Usage) {
        match relation {
            Relation::Own => self.certain.push((span, usage)),
            Relation::Unknown => self.unresolved.push(span),
            Relation::Other => {}
        }
    }

    /// Adds the declarations of the member in a class, and the uses of its name in the statements of the class.
    fn add_class(&mut self, node: NodeIndex) {
        let (document, class) = (self.project.document, self.project.place(node));
        let relation = match self.relation(&class) {
            Relation::Other if self.is_mapped(&class) => Relation::Unknown,
            Relation::Other => return,
            known => known,
        };
        let names = document.names();
        let scope = names.scopes.iter().position(|scope| scope.node == node);
        let places: Vec<(Span, Usage)> = scope
            .into_iter()
            .flat_map(|scope| names.references(self.name, scope).map(|place| (place.span, place.usage)))
            .collect();
        for (span, usage) in places {
            self.add(relation, span, usage);
        }
        if relation == Relation::Own {
            if self.project.declaration(&class, self.name).is_some() {
                self.declaring.push(class.clone());
            }
            let is_opaque = self.project.ancestors(&class).opaque_base_of(self.name).is_some();
            let name = document.arena().child(node, F::Name.into()).filter(|_| is_opaque);
            self.unresolved.extend(name.map(|name| document.arena().node(name).span));
        }
    }

    fn add_attribute(&mut self, node: NodeIndex) {
        let (document, arena) = (self.project.document, self.project.document.arena());
        let parts = arena.child(node, F::Attribute.into()).zip(arena.child(node, F::Value.into()));
        let Some((attribute, object)) = parts.filter(|(attribute, _)| arena.slice(*attribute) == self.name) else {
            return;
        };
        if let Some(module) = self.project.module_of_attribute(document, attribute) {
            let (outer, name) = split_submodule(&module);
            if self.is_class_name(name) && self.project.may_declare(outer, name) {
                self.unresolved.push(arena.node(attribute).span);
            }
            return;
        }
        let object = self.project.place(object);
        let value = self.project.value(&object);
        let relation = match self.relation_of_value(&value) {
            Relation::Other if value == Value::Outside && self.may_be_class(&self.project.last_name(&object)) => {
                Relation::Unknown
            }
            known => known,
        };
        self.add(relation, arena.node(attribute).span, attribute_usage(document, attribute));
    }

    /// Adds the name in a pattern of a class: `case User(mail=address)`.
    fn add_pattern(&mut self, node: NodeIndex) {
        let arena = self.project.document.arena();
        let named = arena.child(node, F::Argument.into()).filter(|name| arena.slice(*name) == self.name);
        let pattern = arena.node(arena.node(node).parent).parent;
        let Some((name, class)) = named.zip(arena.children(pattern).next()) else { return };
        let class = self.project.place(class);
        let relation = match self.project.referent(&class) {
            Referent::Class(class) => self.relation(&class),
            Referent::Outside if !self.may_be_class(&self.project.last_name(&class)) => Relation::Other,
            _ => Relation::Unknown,
        };
        self.add(relation, arena.node(name).span, Usage::Read);
    }
}
