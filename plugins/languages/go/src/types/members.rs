//! Members of types: declared ones, those of embedded types, and the keys of composite literals.

use std::rc::Rc;

use marquetry_code::NodeIndex;
use marquetry_sdk::paths::folder;

use super::{File, Lookup, Resolver, Type, file_of};
use crate::{
    kinds::{F, K, child, children, has_kind, has_role, with_role},
    packages::{Member, MemberKind, outline_of, package_files},
    table::{embedded_name, receiver_type},
};

impl Resolver {
    /// Finds the member of a type by name: declared by the type itself, or by an embedded type.
    pub(crate) fn member(&mut self, own: &Type, name: &str) -> Lookup {
        if self.step().is_none() {
            return Lookup::Unknown;
        }
        let Type::Written(file, node) = own else { return Lookup::Absent };
        let arena = file.arena();
        if has_kind(arena, *node, K::Type)
            && let Some(type_name) = arena.child(*node, F::Name.into())
        {
            if let Some((other, found)) = method_in_package(file, arena.slice(type_name), name) {
                return Lookup::Found(other, found);
            }
            let Some(inner) = arena.child(*node, F::Body.into()) else { return Lookup::Unknown };
            let is_literal = has_kind(arena, inner, K::Fields) || has_kind(arena, inner, K::Elems);
            let is_alias = arena.slice(*node).contains('=');
            if !is_literal {
                // The type is defined by another type. It has the fields of the other type. Only an alias has the
                // methods, too.
                return match self.written(file, inner) {
                    Some(other) => match self.member(&other, name) {
                        Lookup::Found(found, at)
                            if !is_alias && has_kind(found.arena(), found.arena().node(at).parent, K::Method) =>
                        {
                            Lookup::Absent
                        }
                        other => other,
                    },
                    None => Lookup::Unknown,
                };
            }
            return self.member_of_literal(file, inner, name);
        }
        let inner = child(arena, *node, K::Fields).or_else(|| child(arena, *node, K::Elems));
        inner.map_or(Lookup::Absent, |inner| self.member_of_literal(file, inner, name))
    }

    fn member_of_literal(&mut self, file: &Rc<File>, list: NodeIndex, name: &str) -> Lookup {
        let arena = file.arena();
        let mut embedded = Vec::new();
        for item in arena.children(list) {
            if let Some(own) = with_role(arena, item, F::Name).find(|own| arena.slice(*own) == name) {
                return Lookup::Found(Rc::clone(file), own);
            }
            if with_role(arena, item, F::Name).next().is_none() {
                let own = embedded_name(arena, item).filter(|own| arena.slice(*own) == name);
                if let Some(own) = own.filter(|_| has_kind(arena, item, K::Field)) {
                    return Lookup::Found(Rc::clone(file), own);
                }
                embedded.extend(arena.child(item, F::Type.into()));
            }
        }
        let mut unknown = false;
        for own in embedded {
            match self.written(file, own).map(|own| self.member(&own, name)) {
                Some(Lookup::Found(found, node)) => return Lookup::Found(found, node),
                Some(Lookup::Absent) => {}
                Some(Lookup::Unknown) | None => unknown = true,
            }
        }
        if unknown { Lookup::Unknown } else { Lookup::Absent }
    }

    /// The type of a composite literal. `values` is the node of its values.
    pub(crate) fn literal(&mut self, file: &Rc<File>, values: NodeIndex) -> Option<Type> {
        self.step()?;
        let arena = file.arena();
        let parent = arena.node(values).parent;
        if has_kind(arena, parent, K::Composite) {
            return self.written(file, arena.children(parent).next()?);
        }
        // An inner literal may omit its type.
        let (outer, is_key) = match has_kind(arena, parent, K::Keyed) {
            true => (arena.node(parent).parent, has_role(arena, values, F::Key)),
            false => (parent, false),
        };
        let around = self.literal(file, outer)?;
        self.element(&around, usize::from(!is_key))
    }

    /// Returns whether a key of a composite literal is the name of a field. `None` if the type of the literal is not
    /// known.
    pub(crate) fn is_field_key(&mut self, file: &Rc<File>, key: NodeIndex) -> Option<bool> {
        let arena = file.arena();
        let values = arena.node(arena.node(key).parent).parent;
        let own = self.literal(file, values)?;
        match self.underlying(&own)? {
            Type::Written(found, node) => {
                Some(has_kind(found.arena(), node, K::Fields) || has_kind(found.arena(), node, K::StructType))
            }
            Type::Foreign => None,
        }
    }

    /// The member that an occurrence after a dot, or a key of a literal, refers to.
    pub(crate) fn referred(&mut self, file: &Rc<File>, place: NodeIndex) -> Lookup {
        self.referred_as(file, place, file.arena().slice(place))
    }

    /// The member that an occurrence would refer to if it had this name.
    pub(crate) fn referred_as(&mut self, file: &Rc<File>, place: NodeIndex, name: &str) -> Lookup {
        let arena = file.arena();
        let parent = arena.node(place).parent;
        let own = if has_kind(arena, parent, K::Keyed) {
            self.literal(file, arena.node(parent).parent)
        } else {
            let left = arena.children(parent).next();
            // The left side of a method expression is a type.
            left.and_then(|left| self.expression(file, left).or_else(|| self.written(file, left)))
        };
        own.map_or(Lookup::Unknown, |own| self.member(&own, name))
    }
}

/// The method that any file of a package declares for a type: the file, and the node of the method's name.
fn method_in_package(file: &Rc<File>, type_name: &str, name: &str) -> Option<(Rc<File>, NodeIndex)> {
    if let Some(found) = method_of(file, type_name, name) {
        return Some((Rc::clone(file), found));
    }
    let is_it = |member: &Member| member.kind == MemberKind::Method && member.of == type_name && member.name == name;
    let others = package_files(folder(file.path()), &file.package);
    let mut declaring = others.iter().filter(|path| *path != file.path() && outline_of(path).members.iter().any(is_it));
    let other = declaring.find_map(|path| file_of(path))?;
    let found = method_of(&other, type_name, name)?;
    Some((other, found))
}

/// The node of the name of a method that this file declares for a type.
fn method_of(file: &File, type_name: &str, name: &str) -> Option<NodeIndex> {
    let arena = file.arena();
    let block = child(arena, 0, K::File)?;
    let is_it = |method: &NodeIndex| {
        receiver_type(arena, *method).is_some_and(|own| arena.slice(own) == type_name)
            && arena.child(*method, F::Name.into()).is_some_and(|own| arena.slice(own) == name)
    };
    arena.child(children(arena, block, K::Method).find(is_it)?, F::Name.into())
}
