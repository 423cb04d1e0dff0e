//! Mapped types: `{ [K in Keys]: … }`.

use std::rc::Rc;

use oxc_ast::ast::*;

use crate::infer::checker::Checker;
use crate::infer::ty::{Entity, Props, Source, Substitution, Ty};

impl<'w> Checker<'w> {
    /// Returns the type of a mapped type. A mapped type over the keys of another type has the same members as that
    /// other type.
    pub(super) fn mapped_type(
        &self,
        module: u32,
        mapped: &'w TSMappedType<'w>,
        substitution: &Substitution<'w>,
    ) -> Ty<'w> {
        let is_texts = |ty: &Ty<'w>| ty.alternatives().iter().all(|ty| matches!(ty, Ty::String(..)));
        let copied = self.indexed_by_key(module, mapped);
        match self.annotation_type(module, &mapped.constraint, substitution) {
            _ if mapped.name_type.is_some() => Ty::Unknown,
            Ty::Keys(of) if self.member_type_is_key(module, mapped) || !self.mentions_key(module, mapped) => {
                Ty::Mapped(of, module, mapped, substitution.clone())
            }
            Ty::Keys(of) => (*of).clone(),
            texts if is_texts(&texts) => match copied {
                Some(object) => self.annotation_type(module, object, substitution),
                None => Ty::Mapped(Rc::new(texts), module, mapped, substitution.clone()),
            },
            Ty::Primitive => {
                let member = |ty| self.annotation_type(module, ty, substitution);
                self.entries_type(mapped.type_annotation.as_ref().map_or(Ty::Unknown, member))
            }
            _ => Ty::Unknown,
        }
    }

    /// Returns the type of objects with any names and members of this type: `Record<string, T>`.
    pub(super) fn entries_type(&self, member: Ty<'w>) -> Ty<'w> {
        self.library_alias("Entries", vec![Ty::Primitive, member])
    }

    /// Returns the type `Record<Keys, T>`.
    pub(super) fn record_type(&self, arguments: Vec<Ty<'w>>) -> Ty<'w> {
        let alternatives = arguments.first().map_or(&[][..], Ty::alternatives);
        let is_key = |ty: &Ty<'w>| matches!(ty, Ty::String(..) | Ty::Keys(_));
        match arguments.first() {
            Some(Ty::Primitive) => self.library_alias("Entries", arguments),
            Some(_) if alternatives.iter().all(is_key) => self.library_alias("Table", arguments),
            _ => Ty::Unknown,
        }
    }

    fn library_alias(&self, name: &str, arguments: Vec<Ty<'w>>) -> Ty<'w> {
        self.library_export("global", name)
            .map_or(Ty::Unknown, |(library, symbol)| self.declared_type(&Entity::Symbol(library, symbol), arguments))
    }

    /// Returns whether the type of the members depends on the key.
    fn mentions_key(&self, module: u32, mapped: &'w TSMappedType<'w>) -> bool {
        let key = mapped.key.symbol_id.get();
        let annotation = mapped.type_annotation.as_ref();
        annotation.zip(key).is_some_and(|(annotation, key)| self.mentions_parameter(module, annotation, key, true))
    }

    /// Returns the type whose members a mapped type copies: `T` in `{ [K in Keys]: T[K] }`.
    fn indexed_by_key(&self, module: u32, mapped: &'w TSMappedType<'w>) -> Option<&'w TSType<'w>> {
        let Some(TSType::TSIndexedAccessType(access)) = &mapped.type_annotation else { return None };
        let TSType::TSTypeReference(index) = &access.index_type else { return None };
        let TSTypeName::IdentifierReference(name) = &index.type_name else { return None };
        let symbol = self.resolve_identifier(module, name)?;
        (mapped.key.symbol_id.get() == Some(symbol)).then_some(&access.object_type)
    }

    /// Returns whether the members of a mapped type have the key as their type, alone or in a union.
    fn member_type_is_key(&self, module: u32, mapped: &'w TSMappedType<'w>) -> bool {
        let is_key = |ty: &'w TSType<'w>| match ty {
            TSType::TSTypeReference(reference) => match &reference.type_name {
                TSTypeName::IdentifierReference(name) => self
                    .resolve_identifier(module, name)
                    .is_some_and(|symbol| mapped.key.symbol_id.get() == Some(symbol)),
                _ => false,
            },
            _ => false,
        };
        match &mapped.type_annotation {
            Some(TSType::TSUnionType(union)) => union.types.iter().any(is_key),
            Some(ty) => is_key(ty),
            None => false,
        }
    }

    /// Returns the member of a mapped type. The member is declared where the key is declared, and has the type written
    /// in the mapped type.
    pub(crate) fn mapped_props(
        &self,
        of: &Rc<Ty<'w>>,
        (module, mapped): (u32, &'w TSMappedType<'w>),
        substitution: &Substitution<'w>,
        name: &str,
    ) -> Props<'w> {
        let text = of.alternatives().iter().find_map(|ty| match ty {
            Ty::String(text, site) if *text == name => Some((*text, *site)),
            _ => None,
        });
        let key = match text {
            Some((text, site)) => Ty::String(text, site),
            None => Ty::Keys(of.clone()),
        };
        let mut meaning = substitution.as_deref().cloned().unwrap_or_default();
        meaning.parameters.extend(mapped.key.symbol_id.get().map(|symbol| ((module, symbol), key)));
        let source = match &mapped.type_annotation {
            Some(annotation) => Source::Type(module, annotation, Some(Rc::new(meaning))),
            None => Source::Ty(Ty::Unknown),
        };
        if let Some((_, site)) = text {
            return Props::single(site, source);
        }
        let mut props = self.props(of, name);
        props.found.iter_mut().for_each(|prop| prop.source = source.clone());
        props
    }

    /// Returns whether a template literal type has parts that may be keys of a type.
    pub(super) fn may_contain_keys(
        &self,
        module: u32,
        template: &'w TSTemplateLiteralType<'w>,
        substitution: &Substitution<'w>,
    ) -> bool {
        template.types.iter().any(|part| {
            let part = self.annotation_type(module, part, substitution);
            part.alternatives().iter().any(|ty| matches!(self.constraint_or_self(ty), Ty::Keys(_) | Ty::Unknown))
        })
    }
}
