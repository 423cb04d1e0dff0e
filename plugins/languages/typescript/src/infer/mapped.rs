//! Mapped types: `{ [K in Keys]: … }`.

use std::rc::Rc;

use oxc_ast::ast::*;
use oxc_span::GetSpan;

use crate::infer::checker::Checker;
use crate::infer::ty::{Entity, Props, Source, Substitution, Ty, TypeArguments};
use crate::program::ids::Site;

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
            Ty::Keys(of) if copied.is_some() => (*of).clone(),
            Ty::Keys(of) => Ty::Mapped(of, module, mapped, substitution.clone()),
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

    /// Returns the type that an alias of the library stands for.
    pub(super) fn library_alias(&self, name: &str, arguments: Vec<Ty<'w>>) -> Ty<'w> {
        self.library_export("global", name)
            .map_or(Ty::Unknown, |(library, symbol)| self.declared_type(&Entity::Symbol(library, symbol), arguments))
    }

    /// Returns the type whose members a mapped type copies: `T` in `{ [K in Keys]: T[K] }`.
    fn indexed_by_key(&self, module: u32, mapped: &'w TSMappedType<'w>) -> Option<&'w TSType<'w>> {
        let Some(TSType::TSIndexedAccessType(access)) = &mapped.type_annotation else { return None };
        let TSType::TSTypeReference(index) = &access.index_type else { return None };
        let TSTypeName::IdentifierReference(name) = &index.type_name else { return None };
        let symbol = self.resolve_identifier(module, name)?;
        (mapped.key.symbol_id.get() == Some(symbol)).then_some(&access.object_type)
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
            None => self.key_named(of, name).unwrap_or_else(|| Ty::Keys(of.clone())),
        };
        let source = match &mapped.type_annotation {
            Some(annotation) => Source::Type(module, annotation, with_key((module, mapped), substitution, key)),
            None => Source::Ty(Ty::Unknown),
        };
        if let Some((_, site)) = text {
            return Props::single(site, source);
        }
        let mut props = self.props(of, name);
        props.found.iter_mut().for_each(|prop| prop.source = source.clone());
        props
    }

    /// Returns the type of a mapped type's member for any of its keys.
    pub(super) fn any_mapped_member(
        &self,
        of: &Rc<Ty<'w>>,
        (module, mapped): (u32, &'w TSMappedType<'w>),
        substitution: &Substitution<'w>,
    ) -> Ty<'w> {
        let meaning = with_key((module, mapped), substitution, Ty::Keys(of.clone()));
        let annotation = mapped.type_annotation.as_ref();
        annotation.map_or(Ty::Unknown, |annotation| self.annotation_type(module, annotation, &meaning))
    }

    /// Returns the type of the string that is one key of a type, with the declaration of the member it names.
    pub(super) fn key_named(&self, of: &Ty<'w>, name: &str) -> Option<Ty<'w>> {
        let site = self.props(of, name).sites().first().copied().filter(|site| *site != Site::WATCHED)?;
        let module = self.module(site.module);
        let identifiers = module.identifiers(name);
        let declared = identifiers.iter().find(|it| module.kind(it.node).span().start == site.offset)?;
        Some(Ty::String(declared.name, Some(site)))
    }

    /// Returns the type given for a type parameter. A string is a key if the constraint of the parameter requires one.
    pub(super) fn as_key(
        &self,
        module: u32,
        parameter: &'w TSTypeParameter<'w>,
        given: Ty<'w>,
        before: impl FnOnce() -> TypeArguments<'w>,
    ) -> Ty<'w> {
        let (Ty::String(text, _), Some(constraint)) = (&given, &parameter.constraint) else { return given };
        match self.annotation_type(module, constraint, &Some(Rc::new(before()))) {
            Ty::Keys(of) => self.key_named(&of, text).unwrap_or(given),
            _ => given,
        }
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

/// Returns a substitution that also defines the key of a mapped type.
fn with_key<'w>(
    (module, mapped): (u32, &'w TSMappedType<'w>),
    substitution: &Substitution<'w>,
    key: Ty<'w>,
) -> Substitution<'w> {
    let mut meaning = substitution.as_deref().cloned().unwrap_or_default();
    meaning.parameters.extend(mapped.key.symbol_id.get().map(|symbol| ((module, symbol), key)));
    Some(Rc::new(meaning))
}
